/*
 * E7: the protocol between parent, executor, sandbox and worker.  The tables below are the tests' own, written from the
 * specification and not taken from message.c: each says what a message looks like, and everything else must be refused.
 */
#include "harness.h"

#include "exec/fault.h"
#include "exec/message.h"
#include "exec/part.h"

#include <stdlib.h>

#define MUST true
#define MAY  false
#define ANY  UINT64_MAX

enum kind { END_OF_LIST, NUMBER, TEXT, WORDS, BYTES, LIST, ADDRESS };

struct field {
	enum kh_field tag;
	enum kind kind;
	bool required;
	uint64_t most; /* bytes, or the largest number */
	size_t items;  /* of a list */
};

#define LIMITS                                                                                    \
	{KH_FIELD_CPU, NUMBER, MAY, ANY, 1}, {KH_FIELD_MEMORY, NUMBER, MAY, ANY, 1},              \
		{KH_FIELD_PROCESSES, NUMBER, MAY, ANY, 1}, {KH_FIELD_FILES, NUMBER, MAY, ANY, 1}, \
	{                                                                                         \
		KH_FIELD_DISK, NUMBER, MAY, ANY, 1                                                \
	}
#define FOLDERS                                                                    \
	{KH_FIELD_WORK, TEXT, MAY, 4096, 1}, {KH_FIELD_CACHE, TEXT, MAY, 4096, 1}, \
		{KH_FIELD_READ, LIST, MAY, 4096, 32},                              \
	{                                                                          \
		KH_FIELD_WRITE, LIST, MAY, 4096, 32                                \
	}

static const struct type {
	enum kh_message_type type;
	const char *name;
	size_t fds, more_fds;
	bool bulk;
	enum kh_message_state state; /* one that permits it */
	struct field fields[14];
} types[] = {
	{KH_MESSAGE_HELLO,
	 "HELLO",
	 0,
	 0,
	 false,
	 KH_STATE_CONTROL_NEW,
	 {{KH_FIELD_PROTOCOL, NUMBER, MUST, ANY, 1}, {KH_FIELD_POOL, NUMBER, MAY, 256, 1}}},
	{KH_MESSAGE_READY,
	 "READY",
	 0,
	 0,
	 false,
	 KH_STATE_PARENT_CONTROL,
	 {{KH_FIELD_PROTOCOL, NUMBER, MAY, ANY, 1}, {KH_FIELD_DETAIL, WORDS, MAY, 200, 1}}},
	{KH_MESSAGE_OPEN, "OPEN", 1, 1, false, KH_STATE_CONTROL, {{0}}},
	{KH_MESSAGE_RUN,
	 "RUN",
	 0,
	 0,
	 false,
	 KH_STATE_REQUEST_NEW,
	 {{KH_FIELD_PROFILE, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_ARGUMENT, LIST, MUST, 4096, 128},
	  FOLDERS,
	  {KH_FIELD_WALL, NUMBER, MAY, ANY, 1},
	  LIMITS,
	  {KH_FIELD_OUTPUT, NUMBER, MAY, ANY, 1}}},
	{KH_MESSAGE_FETCH,
	 "FETCH",
	 0,
	 0,
	 false,
	 KH_STATE_REQUEST_NEW,
	 {{KH_FIELD_WALL, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_OUTPUT, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_URL, TEXT, MUST, 4096, 1},
	  {KH_FIELD_METHOD, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_HEADER, LIST, MAY, 4096, 32},
	  {KH_FIELD_HOST, LIST, MAY, 4096, 32},
	  {KH_FIELD_PLAIN, NUMBER, MAY, 1, 1},
	  {KH_FIELD_AUTHORITY, TEXT, MAY, 4096, 1},
	  {KH_FIELD_REDIRECTS, NUMBER, MAY, ANY, 1}}},
	{KH_MESSAGE_INPUT, "INPUT", 0, 0, true, KH_STATE_REQUEST_FED, {{0}}},
	{KH_MESSAGE_INPUT_END, "INPUT_END", 0, 0, false, KH_STATE_REQUEST_FED, {{0}}},
	{KH_MESSAGE_HEAD,
	 "HEAD",
	 0,
	 0,
	 false,
	 KH_STATE_PARENT_FETCH,
	 {{KH_FIELD_URL, TEXT, MAY, 4096, 1},
	  {KH_FIELD_STATUS, NUMBER, MUST, 999, 1},
	  {KH_FIELD_HEADERS, BYTES, MAY, 32768, 1},
	  {KH_FIELD_LOCATION, TEXT, MAY, 8192, 1}}},
	{KH_MESSAGE_OUTPUT, "OUTPUT", 0, 0, true, KH_STATE_PARENT_RUN, {{0}}},
	{KH_MESSAGE_ERRORS, "ERRORS", 0, 0, true, KH_STATE_PARENT_RUN, {{0}}},
	{KH_MESSAGE_END,
	 "END",
	 0,
	 0,
	 false,
	 KH_STATE_PARENT_RUN,
	 {{KH_FIELD_STATUS, NUMBER, MAY, 65535, 1},
	  {KH_FIELD_FAULT, NUMBER, MUST, KH_FAULT_LOST, 1},
	  {KH_FIELD_DETAIL, WORDS, MAY, 200, 1},
	  {KH_FIELD_TIME, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_USED, NUMBER, MAY, ANY, 1}}},
	{KH_MESSAGE_JOB,
	 "JOB",
	 3,
	 4,
	 false,
	 KH_STATE_SANDBOX,
	 {{KH_FIELD_ARGUMENT, LIST, MUST, 4096, 128}, {KH_FIELD_ENVIRON, LIST, MAY, 4096, 32}, FOLDERS, LIMITS}},
	{KH_MESSAGE_WARM, "WARM", 0, 0, false, KH_STATE_SANDBOX_COLD, {{0}}},
	{KH_MESSAGE_BROKEN,
	 "BROKEN",
	 0,
	 0,
	 false,
	 KH_STATE_SANDBOX_WARM,
	 {{KH_FIELD_PART, NUMBER, MUST, KH_PART_PROGRAM, 1}, {KH_FIELD_ERRNO, NUMBER, MUST, 4095, 1}}},
	{KH_MESSAGE_EXITED, "EXITED", 0, 0, false, KH_STATE_SANDBOX_WARM, {{KH_FIELD_STATUS, NUMBER, MUST, 65535, 1}}},
	{KH_MESSAGE_LOOKUP, "LOOKUP", 1, 1, false, KH_STATE_WORKER_RESOLVE, {{KH_FIELD_NAME, TEXT, MUST, 4096, 1}}},
	{KH_MESSAGE_ADDRESSES,
	 "ADDRESSES",
	 0,
	 0,
	 false,
	 KH_STATE_RESOLVING,
	 {{KH_FIELD_ADDRESS, ADDRESS, MAY, 16, 16}, {KH_FIELD_TRUNCATED, NUMBER, MAY, 1, 1}}},
	{KH_MESSAGE_TRANSFER,
	 "TRANSFER",
	 1,
	 2,
	 false,
	 KH_STATE_WORKER_HTTP,
	 {{KH_FIELD_WALL, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_OUTPUT, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_URL, TEXT, MUST, 4096, 1},
	  {KH_FIELD_METHOD, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_HEADER, LIST, MAY, 4096, 32}}},
	{KH_MESSAGE_DONE,
	 "DONE",
	 0,
	 0,
	 false,
	 KH_STATE_RESOLVING,
	 {{KH_FIELD_FAULT, NUMBER, MUST, KH_FAULT_LOST, 1}, {KH_FIELD_DETAIL, WORDS, MAY, 200, 1}}},
};

#define TYPES (sizeof(types) / sizeof(types[0]))

/* All that is ever permitted; any other pair is not. */
static const struct {
	enum kh_message_state state;
	enum kh_message_type type;
	enum kh_message_state next;
} steps[] = {
	{KH_STATE_CONTROL_NEW, KH_MESSAGE_HELLO, KH_STATE_CONTROL},
	{KH_STATE_CONTROL, KH_MESSAGE_OPEN, KH_STATE_CONTROL},
	{KH_STATE_PARENT_CONTROL, KH_MESSAGE_READY, KH_STATE_ENDED},
	{KH_STATE_REQUEST_NEW, KH_MESSAGE_RUN, KH_STATE_REQUEST_FED},
	{KH_STATE_REQUEST_NEW, KH_MESSAGE_FETCH, KH_STATE_REQUEST_FED},
	{KH_STATE_REQUEST_FED, KH_MESSAGE_INPUT, KH_STATE_REQUEST_FED},
	{KH_STATE_REQUEST_FED, KH_MESSAGE_INPUT_END, KH_STATE_REQUEST},
	{KH_STATE_PARENT_RUN, KH_MESSAGE_OUTPUT, KH_STATE_PARENT_RUN},
	{KH_STATE_PARENT_RUN, KH_MESSAGE_ERRORS, KH_STATE_PARENT_RUN},
	{KH_STATE_PARENT_RUN, KH_MESSAGE_END, KH_STATE_ENDED},
	{KH_STATE_PARENT_FETCH, KH_MESSAGE_HEAD, KH_STATE_PARENT_BODY},
	{KH_STATE_PARENT_FETCH, KH_MESSAGE_END, KH_STATE_ENDED},
	{KH_STATE_PARENT_BODY, KH_MESSAGE_OUTPUT, KH_STATE_PARENT_BODY},
	{KH_STATE_PARENT_BODY, KH_MESSAGE_END, KH_STATE_ENDED},
	{KH_STATE_SANDBOX, KH_MESSAGE_JOB, KH_STATE_ENDED},
	{KH_STATE_SANDBOX_COLD, KH_MESSAGE_WARM, KH_STATE_SANDBOX_WARM},
	{KH_STATE_SANDBOX_COLD, KH_MESSAGE_BROKEN, KH_STATE_ENDED},
	{KH_STATE_SANDBOX_WARM, KH_MESSAGE_BROKEN, KH_STATE_SANDBOX_SICK},
	{KH_STATE_SANDBOX_WARM, KH_MESSAGE_EXITED, KH_STATE_ENDED},
	{KH_STATE_SANDBOX_SICK, KH_MESSAGE_EXITED, KH_STATE_ENDED},
	{KH_STATE_WORKER_RESOLVE, KH_MESSAGE_LOOKUP, KH_STATE_ENDED},
	{KH_STATE_WORKER_HTTP, KH_MESSAGE_TRANSFER, KH_STATE_WORKER_BODY},
	{KH_STATE_WORKER_BODY, KH_MESSAGE_INPUT, KH_STATE_WORKER_BODY},
	{KH_STATE_WORKER_BODY, KH_MESSAGE_INPUT_END, KH_STATE_ENDED},
	{KH_STATE_RESOLVING, KH_MESSAGE_ADDRESSES, KH_STATE_ENDED},
	{KH_STATE_RESOLVING, KH_MESSAGE_DONE, KH_STATE_ENDED},
	{KH_STATE_TRANSFER_HEAD, KH_MESSAGE_HEAD, KH_STATE_TRANSFER_BODY},
	{KH_STATE_TRANSFER_HEAD, KH_MESSAGE_DONE, KH_STATE_ENDED},
	{KH_STATE_TRANSFER_BODY, KH_MESSAGE_OUTPUT, KH_STATE_TRANSFER_BODY},
	{KH_STATE_TRANSFER_BODY, KH_MESSAGE_DONE, KH_STATE_ENDED},
};

/* --- an encoder of the tests' own, which writes anything ---------------------------------------------------------- */

#define ROOM (4 * KH_MESSAGE_MAX)

struct raw {
	unsigned char p[ROOM];
	size_t n;
};

static struct raw raw; /* one at a time, too large for the stack */

static void put32(size_t at, size_t value)
{
	for (size_t i = 0; i < 4; i++)
		raw.p[at + i] = (unsigned char)(value >> (8 * i));
}

static void begin(enum kh_message_type type)
{
	raw.n = KH_MESSAGE_HEADER;
	memset(raw.p, 0, KH_MESSAGE_HEADER);
	raw.p[0] = KH_MESSAGE_VERSION;
	raw.p[1] = (unsigned char)type;
}

static void put(unsigned tag, const void *bytes, size_t n)
{
	assert_true(raw.n + 8 + n <= ROOM);
	put32(raw.n, tag);
	put32(raw.n + 4, n);
	memcpy(raw.p + raw.n + 8, bytes, n);
	raw.n += 8 + n;
}

static void put_number(unsigned tag, uint64_t value)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	put(tag, bytes, 8);
}

/* N bytes of filling that is fine in every field. */
static const char *filling(void)
{
	static char text[KH_MESSAGE_MAX + 1];

	memset(text, 'x', sizeof(text));
	return text;
}

/* A value of FIELD that is right: N bytes of text, or a number that is never 0. */
static void put_good(const struct field *field, size_t n)
{
	if (field->kind == NUMBER)
		put_number(field->tag, field->most < 9 ? 1 : 9);
	else if (field->kind == ADDRESS)
		put(field->tag, filling(), n % 2 ? 4 : 16);
	else
		put(field->tag, filling(), n);
}

/* The message of TYPE with all fields (and lists of two items), or those that it must have. */
static void put_fields(const struct type *type, bool all)
{
	for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
		if (!all && !f->required)
			continue;
		put_good(f, 3);
		if (all && (f->kind == LIST || f->kind == ADDRESS))
			put_good(f, 2);
	}
}

static void put_all(const struct type *type)
{
	begin(type->type);
	put_fields(type, true);
	if (type->bulk) {
		memcpy(raw.p + raw.n, "a\0bulk", 6);
		raw.n += 6;
	}
}

/* Reads a copy that has nothing behind it, so that the sanitizer sees a look past the end. */
static enum kh_err read_copy(const void *bytes, size_t n, size_t fds, enum kh_message_state *state,
			     struct kh_message *ret_message, struct kh_error *err)
{
	char *copy = malloc(n > 0 ? n : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	enum kh_err e = kh_message_read(kh_view_of(copy, n), fds, state, ret_message, err);
	free(copy);
	return e;
}

/* The code that the message in RAW is refused with, its length made right; NULL where it is taken. */
static const char *refusal(const struct type *type)
{
	struct kh_message message;
	struct kh_error err = {0};
	enum kh_message_state state = type->state;

	put32(4, raw.n - KH_MESSAGE_HEADER);
	memset(&message, 0x5a, sizeof(message));
	struct kh_message before = message;
	enum kh_err e = read_copy(raw.p, raw.n, type->fds, &state, &message, &err);
	if (e == KH_OK)
		return NULL;
	/* What is refused changes nothing. */
	assert_int_equal(e, KH_EINPUT);
	assert_int_equal(err.err, KH_EINPUT);
	assert_int_equal(state, type->state);
	assert_memory_equal(&message, &before, sizeof(message));
	assert_true(err.detail[0] != '\0');
	return err.code;
}

#define assert_taken(type) assert_null(refusal(type))
#define assert_refused(type, code)                             \
	do {                                                   \
		const char *got_code = refusal(type);          \
		if (got_code == NULL)                          \
			print_error("%s taken\n", type->name); \
		assert_non_null(got_code);                     \
		assert_string_equal(got_code, code);           \
	} while (0)

/* MESSAGE written again by its own functions, into BUFFER. */
static enum kh_err rewrite(const struct kh_message *message, char *buffer, struct kh_view *ret_packet)
{
	struct kh_message_out out;

	kh_message_begin(&out, buffer, KH_MESSAGE_MAX, message->type);
	for (enum kh_field tag = 1; tag < KH_FIELDS; tag++) {
		size_t cursor = 0;
		struct kh_view item;
		if (message->has[tag] && message->text[tag].p == NULL) {
			kh_message_number(&out, tag, message->number[tag]);
			continue;
		}
		while (kh_message_item(message, tag, &cursor, &item))
			kh_message_text(&out, tag, item);
	}
	if (message->bulk.n > 0)
		kh_message_bulk(&out, message->bulk);
	return kh_message_end(&out, ret_packet);
}

/* Whatever is taken has one encoding: written again it is the same bytes. */
static void assert_canonical(struct kh_view packet, size_t fds, enum kh_message_state state)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message message;
	struct kh_view again;

	assert_int_equal(kh_message_read(packet, fds, &state, &message, NULL), KH_OK);
	assert_int_equal(rewrite(&message, buffer, &again), KH_OK);
	assert_true(kh_view_eq(packet, again));
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static void check_value(const struct kh_message *message, const struct field *f)
{
	struct kh_view item;
	size_t cursor = 0;

	assert_true(message->has[f->tag]);
	if (f->kind == NUMBER) {
		assert_int_equal(message->number[f->tag], f->most < 9 ? 1 : 9);
		return;
	}
	bool list = f->kind == LIST || f->kind == ADDRESS;
	assert_int_equal(kh_message_count(message, f->tag), list ? 2 : 1);
	assert_true(kh_message_item(message, f->tag, &cursor, &item));
	assert_true(kh_view_eq(item, message->text[f->tag]));
	assert_int_equal(item.n, f->kind == ADDRESS ? 4 : 3);
	assert_memory_equal(item.p, filling(), item.n);
	assert_int_equal(kh_message_item(message, f->tag, &cursor, &item), list);
	if (list)
		assert_int_equal(item.n, f->kind == ADDRESS ? 16 : 2);
}

/* Every type with every field: what was put in comes out, and the tables of the test and of the source agree. */
static void test_round_trip(struct kh_test *t)
{
	assert_int_equal(TYPES, KH_MESSAGE_TYPES - 1);
	for (const struct type *type = types; type < types + TYPES; type++) {
		struct kh_message message;
		enum kh_message_state state = type->state;
		size_t known = 0;

		put_all(type);
		put32(4, raw.n - KH_MESSAGE_HEADER);
		struct kh_view packet = kh_view_of((char *)raw.p, raw.n);
		must(t, kh_message_read(packet, type->fds, &state, &message, &t->err));
		assert_int_equal(message.type, type->type);
		assert_string_equal(kh_message_name(message.type), type->name);
		for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++, known++)
			check_value(&message, f);
		for (enum kh_field tag = 0; tag < KH_FIELDS; tag++)
			known -= message.has[tag];
		assert_int_equal(known, 0);
		assert_int_equal(message.bulk.n, type->bulk ? 6 : 0);
		if (type->bulk)
			assert_memory_equal(message.bulk.p, "a\0bulk", 6);
		assert_canonical(packet, type->fds, type->state);
	}
	assert_string_equal(kh_message_name(KH_MESSAGE_NONE), "NONE");
	assert_string_equal(kh_message_name(KH_MESSAGE_TYPES), "NONE");
}

/* Required fields are enough, and each of them is needed. */
static void test_required(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		if (type->bulk)
			continue;
		begin(type->type);
		put_fields(type, false);
		assert_taken(type);
		for (const struct field *missing = type->fields; missing->kind != END_OF_LIST; missing++) {
			begin(type->type);
			for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++)
				if (f != missing)
					put_good(f, 3);
			if (missing->required)
				assert_refused(type, "message_field");
			else
				assert_taken(type);
		}
	}
}

static void test_wrong_version_type_size(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		for (unsigned value = 0; value < 256; value++) {
			put_all(type);
			raw.p[0] = (unsigned char)value;
			if (value != KH_MESSAGE_VERSION)
				assert_refused(type, "message_version");
			put_all(type);
			raw.p[1] = (unsigned char)value;
			if (value == 0 || value >= KH_MESSAGE_TYPES)
				assert_refused(type, "message_type");
		}
		for (size_t zero = 2; zero < 4; zero++) {
			put_all(type);
			raw.p[zero] = 1;
			assert_refused(type, "message_size");
		}
	}
}

/* A length that is not that of the bytes, one more or one less or far away, is refused. */
static void test_wrong_length(struct kh_test *t)
{
	static const size_t wrong[] = {1, (size_t)-1, 0x100, 0x10000, 0x1000000, 0x80000000};

	for (const struct type *type = types; type < types + TYPES; type++) {
		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			enum kh_message_state state = type->state;
			struct kh_message message;
			put_all(type);
			put32(4, raw.n - KH_MESSAGE_HEADER + wrong[i]);
			must_fail(t, KH_EINPUT, read_copy(raw.p, raw.n, type->fds, &state, &message, &t->err));
			assert_string_equal(t->err.code, "message_size");
		}
	}
}

/* Cut at every byte: as it is always refused; with its length made right it is refused, or whole in itself. */
static void test_truncated(struct kh_test *t)
{
	for (const struct type *type = types; type < types + TYPES; type++) {
		put_all(type);
		put32(4, raw.n - KH_MESSAGE_HEADER);
		size_t whole = raw.n;
		for (size_t n = 0; n < whole; n++) {
			enum kh_message_state state = type->state;
			struct kh_message message;
			raw.n = n;
			must_fail(t, KH_EINPUT, read_copy(raw.p, n, type->fds, &state, &message, &t->err));
			assert_string_equal(t->err.code, "message_size");
		}
		for (size_t n = KH_MESSAGE_HEADER; n < whole; n++) {
			put_all(type);
			raw.n = n;
			if (refusal(type) == NULL)
				assert_canonical(kh_view_of((char *)raw.p, n), type->fds, type->state);
		}
	}
}

/* One bit flipped, each in turn: refused, or another message that is whole in itself. */
static void test_flipped(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		put_all(type);
		put32(4, raw.n - KH_MESSAGE_HEADER);
		for (size_t bit = 0; bit < raw.n * 8; bit++) {
			enum kh_message_state state = type->state;
			struct kh_message message;
			raw.p[bit / 8] ^= (unsigned char)(1U << (bit % 8));
			if (read_copy(raw.p, raw.n, type->fds, &state, &message, NULL) == KH_OK)
				assert_canonical(kh_view_of((char *)raw.p, raw.n), type->fds, type->state);
			raw.p[bit / 8] ^= (unsigned char)(1U << (bit % 8));
		}
		assert_taken(type);
	}
}

/* Every state and every type: exactly the steps of the list, and the state that follows. */
static void test_states(struct kh_test *t)
{
	for (enum kh_message_state from = 0; from < KH_STATES; from++) {
		for (const struct type *type = types; type < types + TYPES; type++) {
			enum kh_message_state state = from, next = KH_STATES;
			struct kh_message message;
			for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
				if (steps[i].state == from && steps[i].type == type->type)
					next = steps[i].next;
			put_all(type);
			put32(4, raw.n - KH_MESSAGE_HEADER);
			enum kh_err e = read_copy(raw.p, raw.n, type->fds, &state, &message, &t->err);
			assert_int_equal(e, next == KH_STATES ? KH_EINPUT : KH_OK);
			assert_int_equal(state, next == KH_STATES ? from : next);
			assert_int_equal(kh_message_permitted(from, type->type), next != KH_STATES);
			if (e != KH_OK)
				assert_string_equal(t->err.code, "message_type");
		}
		assert_false(kh_message_permitted(from, KH_MESSAGE_NONE));
		assert_false(kh_message_permitted(from, KH_MESSAGE_TYPES));
	}
}

static void test_descriptors(struct kh_test *t)
{
	for (const struct type *type = types; type < types + TYPES; type++) {
		put_all(type);
		put32(4, raw.n - KH_MESSAGE_HEADER);
		for (size_t fds = 0; fds <= KH_MESSAGE_FDS + 1; fds++) {
			enum kh_message_state state = type->state;
			struct kh_message message;
			bool good = fds >= type->fds && fds <= type->more_fds;
			enum kh_err e = read_copy(raw.p, raw.n, fds, &state, &message, &t->err);
			assert_int_equal(e, good ? KH_OK : KH_EINPUT);
			if (!good)
				assert_string_equal(t->err.code, "message_fds");
		}
	}
}

/* A tag that the type does not have, wherever it stands: also tags that no type has. */
static void test_foreign_fields(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		if (type->bulk)
			continue;
		for (unsigned tag = 0; tag < 256; tag++) {
			const struct field *f = type->fields;
			bool known = false;
			for (; f->kind != END_OF_LIST; f++)
				known = known || f->tag == tag;
			if (known)
				continue;
			begin(type->type);
			for (f = type->fields; f->kind != END_OF_LIST && f->tag < tag; f++)
				put_good(f, 3);
			put_number(tag, 1);
			for (; f->kind != END_OF_LIST; f++)
				put_good(f, 3);
			assert_refused(type, "message_field");
		}
	}
}

/* Each pair of neighbours the wrong way round, and each single field twice. */
static void test_order_and_duplicates(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		for (const struct field *odd = type->fields; odd->kind != END_OF_LIST; odd++) {
			if (odd[1].kind != END_OF_LIST) {
				begin(type->type);
				for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++)
					put_good(f == odd ? f + 1 : f == odd + 1 ? f - 1 : f, 3);
				assert_refused(type, "message_field");
			}
			begin(type->type);
			for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
				put_good(f, 3);
				if (f == odd)
					put_good(f, 3);
			}
			if (odd->items == 1)
				assert_refused(type, "message_field");
			else
				assert_taken(type);
		}
	}
}

/* The message of TYPE with FIELD alone (and what is required), N bytes long. */
static void put_only(const struct type *type, const struct field *field, const void *bytes, size_t n, size_t times)
{
	begin(type->type);
	for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
		for (size_t i = 0; f == field && i < times; i++)
			put(f->tag, bytes, n);
		if (f != field && f->required)
			put_good(f, 3);
	}
}

/* Texts up to their longest and no longer; numbers up to their largest and only in 8 bytes. */
static void test_longest(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
			if (f->kind == NUMBER) {
				for (size_t n = 0; n < 20; n++) {
					put_only(type, f, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", n, 1);
					if (n == 8)
						assert_taken(type);
					else
						assert_refused(type, "message_field");
				}
				for (int past = 0; past <= (f->most < ANY); past++) {
					uint64_t value = f->most + (uint64_t)past;
					put_only(type, f, &value, 8, 1);
					if (past)
						assert_refused(type, "message_field");
					else
						assert_taken(type);
				}
				continue;
			}
			put_only(type, f, filling(), f->most, 1);
			assert_taken(type);
			put_only(type, f, filling(), f->most + 1, 1);
			assert_refused(type, "message_field");
			put_only(type, f, "", 0, 1);
			if (f->kind == LIST)
				assert_taken(type);
			else
				assert_refused(type, "message_field");
		}
	}
}

static void test_items(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
			if (f->kind != LIST && f->kind != ADDRESS)
				continue;
			put_only(type, f, "abcd", 4, f->items);
			assert_taken(type);
			put_only(type, f, "abcd", 4, f->items + 1);
			assert_refused(type, "message_field");
		}
	}
}

/* What stands in a text: no NUL, and in a detail nothing that a terminal would act on. */
static void test_characters(struct kh_test *t)
{
	static const char *const hidden[] = {"\x1b[2J", "a\nb", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xff", "\xc3"};

	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
			if (f->kind == NUMBER || f->kind == ADDRESS)
				continue;
			for (size_t at = 0; at < 3; at++) {
				char text[3] = {'a', 'b', 'c'};
				text[at] = '\0';
				put_only(type, f, text, 3, 1);
				if (f->kind == BYTES)
					assert_taken(type);
				else
					assert_refused(type, "message_field");
			}
			for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
				put_only(type, f, hidden[i], strlen(hidden[i]), 1);
				if (f->kind == WORDS)
					assert_refused(type, "message_field");
				else
					assert_taken(type);
			}
			put_only(type, f, "caf\xc3\xa9 \"x\"", 9, 1);
			assert_taken(type);
		}
	}
}

static void test_addresses(struct kh_test *t)
{
	const struct type *type = &types[KH_MESSAGE_ADDRESSES - 1];

	(void)t;
	for (size_t n = 0; n < 40; n++) {
		put_only(type, type->fields, filling(), n, 1);
		if (n == 4 || n == 16)
			assert_taken(type);
		else
			assert_refused(type, "message_field");
	}
}

/* The three bytes after a tag are zero, and a field ends within the message. */
static void test_field_header(struct kh_test *t)
{
	const struct type *type = &types[KH_MESSAGE_LOOKUP - 1];

	(void)t;
	for (size_t zero = 1; zero < 4; zero++) {
		put_all(type);
		raw.p[KH_MESSAGE_HEADER + zero] = 1;
		assert_refused(type, "message_field");
	}
	static const size_t lengths[] = {4, 2, 0, 0xff, 0xfffffff8, 0xffffffff, 0x7fffffff};
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		put_all(type);
		put32(KH_MESSAGE_HEADER + 4, lengths[i]);
		assert_refused(type, "message_field");
	}
	for (size_t n = 1; n < 8; n++) {
		put_all(type);
		raw.n += n;
		memset(raw.p + raw.n - n, 0, n);
		assert_refused(type, "message_field");
	}
}

/* Bulk is of one byte up to a message's size, and nothing is larger than that. */
static void test_bulk(struct kh_test *t)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;
	struct kh_view packet;

	for (const struct type *type = types; type < types + TYPES; type++) {
		begin(type->type);
		raw.n = KH_MESSAGE_MAX;
		if (type->bulk)
			assert_taken(type);
		else
			assert_refused(type, "message_field");
		raw.n = KH_MESSAGE_MAX + 1;
		assert_refused(type, "message_size");
		raw.n = KH_MESSAGE_HEADER;
		if (type->bulk)
			assert_refused(type, "message_size");
		if (!type->bulk)
			continue;
		kh_message_begin(&out, buffer, sizeof(buffer), type->type);
		kh_message_bulk(&out, kh_view_of(filling(), KH_MESSAGE_BULK));
		must(t, kh_message_end(&out, &packet));
		assert_int_equal(packet.n, KH_MESSAGE_MAX);
		kh_message_begin(&out, buffer, sizeof(buffer), type->type);
		kh_message_bulk(&out, kh_view_of(filling(), KH_MESSAGE_BULK + 1));
		must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
		kh_message_begin(&out, buffer, sizeof(buffer), type->type);
		must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	}
}

/* A writer cannot write what a reader would refuse. */
static void test_writer(struct kh_test *t)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;
	struct kh_view packet = {0};

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_BROKEN); /* one of two */
	kh_message_number(&out, KH_FIELD_PART, 1);
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_BROKEN); /* order */
	kh_message_number(&out, KH_FIELD_ERRNO, 1);
	kh_message_number(&out, KH_FIELD_PART, 1);
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_BROKEN); /* too large */
	kh_message_number(&out, KH_FIELD_PART, KH_PARTS);
	kh_message_number(&out, KH_FIELD_ERRNO, 1);
	must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP);
	kh_message_text(&out, KH_FIELD_NAME, kh_view_of("a\0b", 3));
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP);
	kh_message_text(&out, KH_FIELD_NAME, kh_view_of(filling(), 4097));
	must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP); /* an empty text is none */
	kh_message_text(&out, KH_FIELD_NAME, KH_LIT(""));
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_NONE);
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	/* What does not fit is not written past the buffer, and the mark stays. */
	memset(buffer, '#', sizeof(buffer));
	kh_message_begin(&out, buffer, 40, KH_MESSAGE_LOOKUP);
	kh_message_text(&out, KH_FIELD_NAME, kh_view_of(filling(), 25));
	kh_message_text(&out, KH_FIELD_NAME, KH_LIT("a"));
	must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
	assert_int_equal(buffer[40], '#');
	kh_message_begin(&out, buffer, 7, KH_MESSAGE_WARM);
	must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP);
	kh_message_text(&out, KH_FIELD_NAME, kh_view_of(filling(), SIZE_MAX - 4));
	must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
	assert_null(packet.p);
}

/* Whoever makes room for KH_MESSAGE_ITEMS has room for every message: all lists of JOB, which has most, when full. */
static void test_most_items(struct kh_test *t)
{
	const struct type *type = &types[KH_MESSAGE_JOB - 1];
	size_t all = 0;

	(void)t;
	begin(type->type);
	for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++)
		for (size_t i = 0; f->kind == LIST && i < f->items; i++, all++)
			put(f->tag, "/x", 2);
	assert_true(all <= KH_MESSAGE_ITEMS);
	assert_taken(type);
}

/* A detail is made fit: cut at a whole character, and what would do something becomes a question mark. */
static void test_detail(struct kh_test *t)
{
	static char buffer[KH_MESSAGE_MAX];
	static const struct {
		const char *in, *out;
	} words[] = {
		{"plain words", "plain words"},
		{"a\x1b[31mb\nc", "a?[31mb?c"},
		{"\xff\xfe", "??"},
		{"caf\xc3\xa9", "caf\xc3\xa9"},
		{"\xe2\x80\xae"
		 "evil",
		 "?evil"},
	};
	struct kh_message_out out;
	struct kh_message message;
	struct kh_view packet;
	char text[256];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		enum kh_message_state state = KH_STATE_RESOLVING;
		kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_DONE);
		kh_message_number(&out, KH_FIELD_FAULT, KH_FAULT_NAME);
		kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(words[i].in));
		must(t, kh_message_end(&out, &packet));
		must(t, kh_message_read(packet, 0, &state, &message, &t->err));
		assert_view(message.text[KH_FIELD_DETAIL], words[i].out);
	}
	for (size_t n = 195; n <= 205; n++) {
		enum kh_message_state state = KH_STATE_RESOLVING;
		memset(text, 'x', n);
		memcpy(text + n, "\xc3\xa9", 3);
		kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_DONE);
		kh_message_number(&out, KH_FIELD_FAULT, KH_FAULT_NAME);
		kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(text));
		must(t, kh_message_end(&out, &packet));
		must(t, kh_message_read(packet, 0, &state, &message, &t->err));
		assert_int_equal(message.text[KH_FIELD_DETAIL].n, n <= 198 ? n + 2 : n < 200 ? n : 200);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_round_trip),
	KH_TEST_ONCE(test_required),
	KH_TEST_ONCE(test_wrong_version_type_size),
	KH_TEST_ONCE(test_wrong_length),
	KH_TEST_ONCE(test_truncated),
	KH_TEST_ONCE(test_flipped),
	KH_TEST_ONCE(test_states),
	KH_TEST_ONCE(test_descriptors),
	KH_TEST_ONCE(test_foreign_fields),
	KH_TEST_ONCE(test_order_and_duplicates),
	KH_TEST_ONCE(test_longest),
	KH_TEST_ONCE(test_items),
	KH_TEST_ONCE(test_characters),
	KH_TEST_ONCE(test_addresses),
	KH_TEST_ONCE(test_field_header),
	KH_TEST_ONCE(test_bulk),
	KH_TEST_ONCE(test_writer),
	KH_TEST_ONCE(test_most_items),
	KH_TEST_ONCE(test_detail),
};

KH_TEST_MAIN(cases)
