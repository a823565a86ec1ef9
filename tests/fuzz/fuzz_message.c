/*
 * Messages of the executor's protocol (E7), in every state and with every number of descriptors: what is taken is
 * permitted there, lies within the packet, is fit for what it is used for, and has no other encoding.
 */
#include "fuzz.h"

#include "wire/fault.h"
#include "wire/message.h"

#include <stdlib.h>

static bool inside(struct kh_view whole, struct kh_view part)
{
	return part.n == 0 || (part.p >= whole.p && part.n <= whole.n && part.p + part.n <= whole.p + whole.n);
}

static void check_item(struct kh_view packet, enum kh_message_field field, struct kh_view item)
{
	HOLDS(inside(packet, item));
	HOLDS(item.n <= KH_MESSAGE_LINES);
	if (field == KH_FIELD_DETAIL)
		kh_fuzz_showable(item);
	if (field == KH_FIELD_ADDRESS)
		HOLDS(item.n == 4 || item.n == 16);
	else if (field != KH_FIELD_HEADERS)
		HOLDS(item.n == 0 || memchr(item.p, '\0', item.n) == NULL);
}

/* Writes MESSAGE again and returns it, in BUFFER. */
static struct kh_view rewrite(struct kh_view packet, const struct kh_message *message, char *buffer)
{
	struct kh_message_out out;
	struct kh_view again;
	size_t items = 0;

	kh_message_begin(&out, buffer, KH_MESSAGE_MAX, message->type);
	for (enum kh_message_field field = 1; field < KH_FIELDS; field++) {
		struct kh_view item;
		size_t cursor = 0, count = 0;
		/* A number that is there has no text. */
		if (message->has[field] && message->text[field].p == NULL) {
			kh_message_number(&out, field, message->number[field]);
			continue;
		}
		for (; kh_message_item(message, field, &cursor, &item); count++) {
			check_item(packet, field, item);
			kh_message_text(&out, field, item);
		}
		HOLDS(count == kh_message_count(message, field));
		HOLDS((count > 0) == message->has[field]);
		items += count > 1 ? count : 0;
	}
	HOLDS(items <= KH_MESSAGE_ITEMS);
	kh_message_bulk(&out, message->bulk);
	HOLDS(kh_message_end(&out, &again) == KH_OK);
	return again;
}

/* PACKET in one state; true where it is taken. */
static bool check_state(struct kh_view packet, size_t fds, enum kh_message_state from)
{
	static char buffer[KH_MESSAGE_MAX];
	enum kh_message_state state = from;
	struct kh_message message;
	struct kh_error err;

	if (kh_message_read(packet, fds, &state, &message, &err) != KH_OK) {
		HOLDS(state == from && err.err == KH_EINPUT && err.code != NULL);
		kh_fuzz_error(&err);
		return false;
	}
	HOLDS(kh_message_permitted(from, message.type));
	HOLDS(message.number[KH_FIELD_FAULT] < KH_FAULTS);
	HOLDS(inside(packet, message.bulk));
	HOLDS(kh_view_eq(packet, rewrite(packet, &message, buffer)));
	return true;
}

static void check_packet(struct kh_view packet)
{
	unsigned type = packet.n > 1 ? (unsigned char)packet.p[1] : KH_MESSAGE_NONE;

	for (enum kh_message_state from = 0; from < KH_STATES; from++) {
		bool permitted = type < KH_MESSAGE_TYPES && kh_message_permitted(from, (enum kh_message_type)type);
		size_t taken = 0;
		/* Where the type is not permitted the descriptors make no difference, which one try in eight looks at.
		 */
		for (size_t fds = 0; fds <= (permitted || packet.n % 8 == 0 ? KH_MESSAGE_FDS + 1 : 0); fds++)
			taken += check_state(packet, fds, from);
		HOLDS(permitted ? taken <= 2 : taken == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_packet(kh_fuzz_view(data, size));
	if (size < KH_MESSAGE_HEADER)
		return 0;
	/* Once more with a header that is right, so that what lies behind it is reached more often. */
	char *copy = malloc(size);
	HOLDS(copy != NULL);
	memcpy(copy, data, size);
	copy[0] = KH_MESSAGE_VERSION;
	copy[2] = copy[3] = 0;
	for (unsigned i = 0; i < 4; i++)
		copy[4 + i] = (char)((size - KH_MESSAGE_HEADER) >> (8 * i));
	check_packet(kh_view_of(copy, size));
	free(copy);
	return 0;
}
