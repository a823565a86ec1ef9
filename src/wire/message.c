/*
 * The tables of messages, and the code that reads and writes by them.
 *
 * Reading trusts nobody.  It looks at each byte once, allocates nothing, and hands out only what has been checked
 * against the tables, so that the rest of the executor may use it without checking again.
 */
#include "wire/message.h"

#include "base/utf8.h"
#include "wire/fault.h"
#include "wire/greeting.h"
#include "wire/part.h"

enum kind {
	NUMBER = 1, /* 8 bytes, little-endian */
	TEXT,       /* not empty, no NUL byte */
	WORDS,      /* as TEXT, and safe to show: UTF-8, nothing invisible */
	BYTES,      /* not empty */
	LIST,       /* texts; an item may be empty */
	ADDRESSES,  /* a list of items of 4 or 16 bytes */
};

#define ANY UINT64_MAX

static const struct {
	const char *name;
	enum kind kind;
	uint64_t most;
	size_t items;
} fields[KH_FIELDS] = {
#define FIELD(name, kind, most, items) [KH_FIELD_##name] = {#name, kind, most, items},
	KH_MESSAGE_FIELDS(FIELD)};

#define F(name) (UINT64_C(1) << KH_FIELD_##name)
#define PATHS   (F(WORK) | F(CACHE) | F(READ) | F(WRITE))
#define LIMITS  (F(CPU) | F(MEMORY) | F(PROCESSES) | F(FILES) | F(DISK))
#define SERVER  (F(ENVIRONMENT) | F(SECRET) | F(IDLE) | F(OUTPUT_RATE) | F(PROCESSOR) | F(LONGEST) | F(MESSAGES))

/* A message type: the fields that it must and may have, or that it is bulk; and the descriptors that come with it. */
static const struct {
	const char *name;
	uint64_t must, may;
	bool is_bulk;
	size_t fds, more_fds; /* from .. to */
	uint64_t most_status; /* the largest STATUS, if not that of the table of fields */
} types[KH_MESSAGE_TYPES] = {
	[KH_MESSAGE_HELLO] = {"HELLO", .must = F(PROTOCOL), .may = F(POOL)},
	[KH_MESSAGE_READY] = {"READY", .may = F(PROTOCOL) | F(DETAIL)},
	[KH_MESSAGE_OPEN] = {"OPEN", .fds = 1, .more_fds = 1},
	[KH_MESSAGE_RUN] = {"RUN", .may = F(PROFILE) | F(ARGUMENT) | PATHS | F(WALL) | LIMITS | F(OUTPUT) | F(HOST) |
					  F(CONNECT) | F(NETWORK) | F(BYTES_OUT) | SERVER | F(LINKS)},
	[KH_MESSAGE_FETCH] = {"FETCH", .must = F(URL),
			      .may = F(WALL) | F(OUTPUT) | F(METHOD) | F(HEADER) | F(HOST) | F(PLAIN) | F(AUTHORITY) |
				     F(REDIRECTS)},
	[KH_MESSAGE_INPUT] = {"INPUT", .is_bulk = true},
	[KH_MESSAGE_INPUT_END] = {.name = "INPUT_END"},
	[KH_MESSAGE_HEAD] = {"HEAD", .must = F(STATUS), .may = F(URL) | F(HEADERS) | F(LOCATION), .most_status = 999},
	[KH_MESSAGE_OUTPUT] = {"OUTPUT", .is_bulk = true},
	[KH_MESSAGE_ERRORS] = {"ERRORS", .is_bulk = true},
	[KH_MESSAGE_END] = {"END", .must = F(FAULT),
			    .may = F(STATUS) | F(DETAIL) | F(TIME) | F(USED) | F(SENT) | F(RECEIVED) | F(SPENT) |
				   F(REASON) | F(KEPT) | F(WRITTEN)},
	[KH_MESSAGE_RECALL] = {.name = "RECALL"},
	[KH_MESSAGE_KEPT] = {"KEPT", .must = F(WRITTEN), .may = F(DETAIL) | F(SENT) | F(SPENT) | F(KEPT)},
	[KH_MESSAGE_JOB] = {"JOB", .must = F(ARGUMENT), .may = PATHS | LIMITS | F(NETWORK), .fds = 3, .more_fds = 4},
	[KH_MESSAGE_WARM] = {.name = "WARM"},
	[KH_MESSAGE_BROKEN] = {"BROKEN", .must = F(PART) | F(ERRNO), .may = F(DETAIL)},
	[KH_MESSAGE_EXITED] = {"EXITED", .must = F(STATUS)},
	[KH_MESSAGE_LISTENING] = {"LISTENING", .fds = 1, .more_fds = 1},
	[KH_MESSAGE_LOOKUP] = {"LOOKUP", .must = F(NAME), .fds = 1, .more_fds = 1},
	[KH_MESSAGE_ADDRESSES] = {"ADDRESSES", .may = F(ADDRESS) | F(TRUNCATED)},
	[KH_MESSAGE_TRANSFER] = {"TRANSFER", .must = F(URL), .may = F(WALL) | F(OUTPUT) | F(METHOD) | F(HEADER),
				 .fds = 1, .more_fds = 2},
	[KH_MESSAGE_DONE] = {"DONE", .must = F(FAULT), .may = F(DETAIL)},
	[KH_MESSAGE_GREETING] = {"GREETING", .must = F(NAME) | F(FIRST)},
	[KH_MESSAGE_VERDICT] = {"VERDICT", .must = F(VERDICT)},
	[KH_MESSAGE_DIAL] = {"DIAL", .must = F(TICKET) | F(INDEX)},
	[KH_MESSAGE_DIALED] = {"DIALED", .must = F(FAULT) | F(TICKET), .may = F(DETAIL), .more_fds = 1},
	[KH_MESSAGE_JUDGE] = {"JUDGE", .must = F(TICKET) | F(INDEX) | F(FIRST)},
	[KH_MESSAGE_JUDGED] = {"JUDGED", .must = F(TICKET) | F(VERDICT)},
	[KH_MESSAGE_TALLY] = {"TALLY", .must = F(SENT) | F(RECEIVED), .may = F(SPENT)},
	[KH_MESSAGE_SPAWN] = {"SPAWN", .fds = 1, .more_fds = 1},
	[KH_MESSAGE_UPSTREAM] = {"UPSTREAM", .must = F(URL),
				 .may = F(HEADER) | F(HOST) | F(PLAIN) | F(AUTHORITY) | F(SECRET) | F(IDLE) |
					F(LONGEST) | F(MESSAGES)},
	[KH_MESSAGE_SERVE] = {"SERVE", .must = F(URL) | F(IDLE) | F(LONGEST) | F(MESSAGES),
			      .may = F(HEADER) | F(SECRET), .more_fds = 1},
	[KH_MESSAGE_CALL] = {"CALL", .fds = 1, .more_fds = 1},
	[KH_MESSAGE_ASK] = {"ASK", .must = F(METHOD), .may = F(WALL) | F(OUTPUT) | F(HEADER) | F(PATH)},
	[KH_MESSAGE_BEGUN] = {.name = "BEGUN"},
	[KH_MESSAGE_MARK] = {"MARK", .may = F(MARK) | F(RETRY)},
};

/* Which types a receiver takes in a state, and the state that follows. */
static const struct {
	enum kh_message_state state;
	enum kh_message_type type;
	enum kh_message_state next;
} permitted[] = {
	{KH_STATE_CONTROL_NEW, KH_MESSAGE_HELLO, KH_STATE_CONTROL},
	{KH_STATE_CONTROL, KH_MESSAGE_OPEN, KH_STATE_CONTROL},
	{KH_STATE_PARENT_CONTROL, KH_MESSAGE_READY, KH_STATE_ENDED},
	{KH_STATE_REQUEST_NEW, KH_MESSAGE_RUN, KH_STATE_REQUEST_FED},
	{KH_STATE_REQUEST_NEW, KH_MESSAGE_FETCH, KH_STATE_REQUEST_FED},
	{KH_STATE_REQUEST_FED, KH_MESSAGE_INPUT, KH_STATE_REQUEST_FED},
	{KH_STATE_REQUEST_FED, KH_MESSAGE_INPUT_END, KH_STATE_REQUEST},
	{KH_STATE_SERVING, KH_MESSAGE_INPUT, KH_STATE_SERVING},
	{KH_STATE_SERVING, KH_MESSAGE_INPUT_END, KH_STATE_SERVED},
	{KH_STATE_SERVING, KH_MESSAGE_RECALL, KH_STATE_SERVING},
	{KH_STATE_SERVED, KH_MESSAGE_RECALL, KH_STATE_SERVED},
	{KH_STATE_PARENT_RUN, KH_MESSAGE_OUTPUT, KH_STATE_PARENT_RUN},
	{KH_STATE_PARENT_RUN, KH_MESSAGE_ERRORS, KH_STATE_PARENT_RUN},
	{KH_STATE_PARENT_RUN, KH_MESSAGE_END, KH_STATE_ENDED},
	{KH_STATE_PARENT_FETCH, KH_MESSAGE_HEAD, KH_STATE_PARENT_BODY},
	{KH_STATE_PARENT_FETCH, KH_MESSAGE_END, KH_STATE_ENDED},
	{KH_STATE_PARENT_BODY, KH_MESSAGE_OUTPUT, KH_STATE_PARENT_BODY},
	{KH_STATE_PARENT_BODY, KH_MESSAGE_END, KH_STATE_ENDED},
	{KH_STATE_PARENT_SERVER, KH_MESSAGE_OUTPUT, KH_STATE_PARENT_SERVER},
	{KH_STATE_PARENT_SERVER, KH_MESSAGE_KEPT, KH_STATE_PARENT_SERVER},
	{KH_STATE_PARENT_SERVER, KH_MESSAGE_END, KH_STATE_ENDED},
	{KH_STATE_SANDBOX, KH_MESSAGE_JOB, KH_STATE_ENDED},
	{KH_STATE_SANDBOX_COLD, KH_MESSAGE_WARM, KH_STATE_SANDBOX_WARM},
	{KH_STATE_SANDBOX_COLD, KH_MESSAGE_BROKEN, KH_STATE_ENDED},
	{KH_STATE_SANDBOX_WARM, KH_MESSAGE_LISTENING, KH_STATE_SANDBOX_WARM},
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
	{KH_STATE_WORKER_SNI, KH_MESSAGE_GREETING, KH_STATE_ENDED},
	{KH_STATE_JUDGING, KH_MESSAGE_VERDICT, KH_STATE_ENDED},
	{KH_STATE_FORWARDER, KH_MESSAGE_DIALED, KH_STATE_FORWARDER},
	{KH_STATE_FORWARDER, KH_MESSAGE_JUDGED, KH_STATE_FORWARDER},
	{KH_STATE_FORWARDING, KH_MESSAGE_DIAL, KH_STATE_FORWARDING},
	{KH_STATE_FORWARDING, KH_MESSAGE_JUDGE, KH_STATE_FORWARDING},
	{KH_STATE_FORWARDING, KH_MESSAGE_TALLY, KH_STATE_FORWARDING},
	{KH_STATE_SPAWNER, KH_MESSAGE_SPAWN, KH_STATE_SPAWNER},
	{KH_STATE_PARENT_SPAWNER, KH_MESSAGE_EXITED, KH_STATE_PARENT_SPAWNER},
	{KH_STATE_REQUEST_NEW, KH_MESSAGE_UPSTREAM, KH_STATE_REQUEST_UPSTREAM},
	{KH_STATE_REQUEST_UPSTREAM, KH_MESSAGE_CALL, KH_STATE_REQUEST_UPSTREAM},
	{KH_STATE_PARENT_UPSTREAM, KH_MESSAGE_END, KH_STATE_ENDED},
	{KH_STATE_WORKER_NEW, KH_MESSAGE_SERVE, KH_STATE_WORKER_UPSTREAM},
	{KH_STATE_WORKER_UPSTREAM, KH_MESSAGE_CALL, KH_STATE_WORKER_UPSTREAM},
	{KH_STATE_WORKER_UPSTREAM, KH_MESSAGE_DIALED, KH_STATE_WORKER_UPSTREAM},
	{KH_STATE_CALLED, KH_MESSAGE_DIAL, KH_STATE_CALLED},
	{KH_STATE_CALLED, KH_MESSAGE_DONE, KH_STATE_ENDED},
	{KH_STATE_WORKER_CALL, KH_MESSAGE_ASK, KH_STATE_WORKER_BODY},
	{KH_STATE_PARENT_CALL, KH_MESSAGE_BEGUN, KH_STATE_PARENT_BEGUN},
	{KH_STATE_PARENT_CALL, KH_MESSAGE_DONE, KH_STATE_ENDED},
	{KH_STATE_PARENT_BEGUN, KH_MESSAGE_HEAD, KH_STATE_PARENT_HEARS},
	{KH_STATE_PARENT_BEGUN, KH_MESSAGE_DONE, KH_STATE_ENDED},
	{KH_STATE_PARENT_HEARS, KH_MESSAGE_OUTPUT, KH_STATE_PARENT_HEARS},
	{KH_STATE_PARENT_HEARS, KH_MESSAGE_MARK, KH_STATE_PARENT_HEARS},
	{KH_STATE_PARENT_HEARS, KH_MESSAGE_DONE, KH_STATE_ENDED},
};

_Static_assert(KH_GREETINGS == 4 && KH_MESSAGE_NETWORK == 16, "the table of fields has the largest VERDICT and INDEX");

#define FIELD_HEADER 8 /* tag, three zero bytes, length */

static uint32_t load32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static uint64_t load64(const char *p)
{
	return (uint64_t)load32(p) | (uint64_t)load32(p + 4) << 32;
}

static void store32(char *p, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (char)(unsigned char)(value >> (8 * i));
}

const char *kh_message_name(enum kh_message_type type)
{
	return type > KH_MESSAGE_NONE && type < KH_MESSAGE_TYPES ? types[type].name : "NONE";
}

/* The state that follows in *RET_NEXT (which may be NULL); false if TYPE is not permitted in STATE. */
static bool follow(enum kh_message_state state, enum kh_message_type type, enum kh_message_state *ret_next)
{
	for (size_t i = 0; i < sizeof(permitted) / sizeof(permitted[0]); i++) {
		if (permitted[i].state == state && permitted[i].type == type) {
			if (ret_next != NULL)
				*ret_next = permitted[i].next;
			return true;
		}
	}
	return false;
}

bool kh_message_permitted(enum kh_message_state state, enum kh_message_type type)
{
	return follow(state, type, NULL);
}

/* Fills *ERR.  E is KH_EINPUT, or KH_ELIMIT if the field is only too long or too large. */
static enum kh_err bad_field(struct kh_error *err, enum kh_err e, enum kh_message_type type, unsigned tag,
			     const char *what)
{
	return kh_error_set(err, e, "message_field", "%s: field %u (%s) %s", types[type].name, tag,
			    tag > KH_FIELD_NONE && tag < KH_FIELDS ? fields[tag].name : "unknown", what);
}

/* True if the character at AT, whose length is in *RET_N, is visible and has no other effect. */
static bool shows(struct kh_view text, size_t at, size_t *ret_n)
{
	uint32_t c = 0;

	*ret_n = kh_utf8_decode(text, at, &c);
	return *ret_n > 0 && !kh_utf8_is_invisible(c);
}

/* A worker's text ends up on a terminal or in a log. */
static bool is_shown(struct kh_view text)
{
	for (size_t at = 0, n; at < text.n; at += n)
		if (!shows(text, at, &n))
			return false;
	return true;
}

/* Checks one value of FIELD and stores it in MESSAGE. */
static enum kh_err take_value(enum kh_message_field field, struct kh_view value, struct kh_message *message,
			      struct kh_error *err)
{
	enum kind kind = fields[field].kind;
	uint64_t most = fields[field].most, status = types[message->type].most_status;

	if (field == KH_FIELD_STATUS && status > 0)
		most = status;
	if (kind == NUMBER) {
		if (value.n != 8)
			return bad_field(err, KH_EINPUT, message->type, field, "is not a number");
		message->number[field] = load64(value.p);
		if (message->number[field] > most)
			return bad_field(err, KH_ELIMIT, message->type, field, "is too large");
		return KH_OK;
	}
	if (value.n > most)
		return bad_field(err, KH_ELIMIT, message->type, field, "is too long");
	if (value.n == 0 && (kind == TEXT || kind == WORDS || kind == BYTES))
		return bad_field(err, KH_EINPUT, message->type, field, "is empty");
	if (kind == ADDRESSES && value.n != 4 && value.n != 16)
		return bad_field(err, KH_EINPUT, message->type, field, "is no address");
	if ((kind == TEXT || kind == LIST) && value.n > 0 && memchr(value.p, '\0', value.n) != NULL)
		return bad_field(err, KH_EINPUT, message->type, field, "has a NUL byte");
	if (kind == WORDS && !is_shown(value))
		return bad_field(err, KH_EINPUT, message->type, field, "is not fit to be shown");
	if (!message->has[field])
		message->text[field] = value; /* for a list, the first item */
	return KH_OK;
}

/* Takes the next field off *REST, which is not empty. */
static bool next_field(struct kh_view *rest, unsigned *ret_tag, struct kh_view *ret_value)
{
	if (rest->n < FIELD_HEADER || rest->p[1] != 0 || rest->p[2] != 0 || rest->p[3] != 0)
		return false;
	size_t n = load32(rest->p + 4);
	if (n > rest->n - FIELD_HEADER)
		return false;
	*ret_tag = (unsigned char)rest->p[0];
	*ret_value = kh_view_sub(*rest, FIELD_HEADER, FIELD_HEADER + n);
	*rest = kh_view_from(*rest, FIELD_HEADER + n);
	return true;
}

/* The fields are in ascending order, so one pass finds those that are unknown, out of order or repeated. */
static enum kh_err take_fields(struct kh_view payload, struct kh_message *message, struct kh_error *err)
{
	enum kh_message_type type = message->type;
	uint64_t known = types[type].must | types[type].may;
	unsigned tag = 0, last = KH_FIELD_NONE;
	size_t items = 0;

	for (struct kh_view rest = payload; rest.n > 0; last = tag) {
		struct kh_view value;
		if (!next_field(&rest, &tag, &value))
			return kh_error_set(err, KH_EINPUT, "message_field", "%s: not made of fields",
					    types[type].name);
		if (tag < last || tag >= KH_FIELDS || !(known >> tag & 1))
			return bad_field(err, KH_EINPUT, type, tag, "does not belong here");
		items = tag == last ? items + 1 : 1;
		if (items == 2 && fields[tag].items == 1)
			return bad_field(err, KH_EINPUT, type, tag, "is there twice");
		if (items > fields[tag].items)
			return bad_field(err, KH_ELIMIT, type, tag, "has too many items");
		enum kh_err e = take_value((enum kh_message_field)tag, value, message, err);
		if (e != KH_OK)
			return e;
		message->has[tag] = true;
	}
	for (tag = KH_FIELD_NONE; tag < KH_FIELDS; tag++)
		if ((types[type].must >> tag & 1) && !message->has[tag])
			return bad_field(err, KH_EINPUT, type, tag, "is missing");
	message->fields = payload;
	return KH_OK;
}

/* Reads all of PACKET but state and descriptors.  KH_ELIMIT if something is too long or too much, else KH_EINPUT. */
static enum kh_err take(struct kh_view packet, struct kh_message *message, struct kh_error *err)
{
	if (packet.n < KH_MESSAGE_HEADER || packet.n > KH_MESSAGE_MAX)
		return kh_error_set(err, KH_EINPUT, "message_size", "a packet of %zu bytes", packet.n);
	if (packet.p[0] != KH_MESSAGE_VERSION)
		return kh_error_set(err, KH_EINPUT, "message_version", "version %u, not %u",
				    (unsigned)(unsigned char)packet.p[0], (unsigned)KH_MESSAGE_VERSION);
	unsigned type = (unsigned char)packet.p[1];
	if (type == KH_MESSAGE_NONE || type >= KH_MESSAGE_TYPES)
		return kh_error_set(err, KH_EINPUT, "message_type", "type %u is unknown", type);
	struct kh_view payload = kh_view_from(packet, KH_MESSAGE_HEADER);
	if (packet.p[2] != 0 || packet.p[3] != 0 || load32(packet.p + 4) != payload.n)
		return kh_error_set(err, KH_EINPUT, "message_size", "%s: its length is not that of its %zu bytes",
				    types[type].name, payload.n);

	*message = (struct kh_message){.type = (enum kh_message_type)type};
	if (!types[type].is_bulk)
		return take_fields(payload, message, err);
	if (payload.n == 0)
		return kh_error_set(err, KH_EINPUT, "message_size", "%s: no bytes", types[type].name);
	message->bulk = payload;
	return KH_OK;
}

enum kh_err kh_message_read(struct kh_view packet, size_t fds, enum kh_message_state *state,
			    struct kh_message *ret_message, struct kh_error *err)
{
	struct kh_message message;
	enum kh_message_state next = KH_STATE_ENDED;

	if (take(packet, &message, err) != KH_OK) {
		if (err != NULL)
			err->err = KH_EINPUT; /* a reader reports too long as bad input */
		return KH_EINPUT;
	}
	if (!follow(*state, message.type, &next))
		return kh_error_set(err, KH_EINPUT, "message_type", "%s is not permitted now",
				    types[message.type].name);
	if (fds < types[message.type].fds || fds > types[message.type].more_fds)
		return kh_error_set(err, KH_EINPUT, "message_fds", "%s: %zu descriptors", types[message.type].name,
				    fds);
	*state = next;
	*ret_message = message;
	return KH_OK;
}

bool kh_message_item(const struct kh_message *message, enum kh_message_field field, size_t *cursor,
		     struct kh_view *ret_item)
{
	struct kh_view rest = kh_view_from(message->fields, *cursor), value;
	unsigned tag = 0;

	while (rest.n > 0 && next_field(&rest, &tag, &value) && tag <= field) {
		if (tag < field)
			continue;
		*cursor = message->fields.n - rest.n;
		*ret_item = value;
		return true;
	}
	return false;
}

size_t kh_message_count(const struct kh_message *message, enum kh_message_field field)
{
	size_t count = 0, cursor = 0;
	struct kh_view item;

	while (kh_message_item(message, field, &cursor, &item))
		count++;
	return count;
}

/* Room for N more bytes, or NULL; then the message is marked as too long. */
static char *extend(struct kh_message_out *out, size_t n)
{
	if (out->failed || n > out->cap - out->n) {
		out->failed = true;
		return NULL;
	}
	out->n += n;
	return out->p + out->n - n;
}

static void add_field(struct kh_message_out *out, enum kh_message_field field, struct kh_view value)
{
	/* A value longer than any message must not overflow the sum. */
	char *p = value.n > KH_MESSAGE_MAX ? extend(out, SIZE_MAX) : extend(out, FIELD_HEADER + value.n);

	if (p == NULL)
		return;
	store32(p, (uint32_t)field);
	store32(p + 4, (uint32_t)value.n);
	if (value.n > 0)
		memcpy(p + FIELD_HEADER, value.p, value.n);
}

void kh_message_begin(struct kh_message_out *out, char *buffer, size_t cap, enum kh_message_type type)
{
	*out = (struct kh_message_out){.p = buffer, .cap = cap < KH_MESSAGE_MAX ? cap : KH_MESSAGE_MAX};
	char *p = extend(out, KH_MESSAGE_HEADER);
	if (p == NULL)
		return;
	store32(p, KH_MESSAGE_VERSION | (uint32_t)type << 8);
	store32(p + 4, 0);
}

void kh_message_number(struct kh_message_out *out, enum kh_message_field field, uint64_t value)
{
	char bytes[8];

	store32(bytes, (uint32_t)value);
	store32(bytes + 4, (uint32_t)(value >> 32));
	add_field(out, field, kh_view_of(bytes, sizeof(bytes)));
}

/* Our own text is cut to fit, so that an answer is never lost because of its detail. */
static void add_words(struct kh_message_out *out, enum kh_message_field field, struct kh_view value)
{
	char words[KH_MESSAGE_DETAIL];
	size_t kept = 0;

	for (size_t at = 0, n; at < value.n; at += n) {
		bool good = shows(value, at, &n);
		n = n > 0 ? n : 1;
		if ((good ? n : 1) > sizeof(words) - kept)
			break;
		memcpy(words + kept, good ? value.p + at : "?", good ? n : 1);
		kept += good ? n : 1;
	}
	add_field(out, field, kh_view_of(words, kept));
}

void kh_message_text(struct kh_message_out *out, enum kh_message_field field, struct kh_view value)
{
	enum kind kind = field > KH_FIELD_NONE && field < KH_FIELDS ? fields[field].kind : BYTES;

	if (value.n == 0 && kind != LIST && kind != ADDRESSES)
		return;
	if (kind == WORDS)
		add_words(out, field, value);
	else
		add_field(out, field, value);
}

void kh_message_bulk(struct kh_message_out *out, struct kh_view bytes)
{
	char *p = extend(out, bytes.n);

	if (p != NULL && bytes.n > 0 && p != bytes.p)
		memcpy(p, bytes.p, bytes.n);
}

enum kh_err kh_message_end(struct kh_message_out *out, struct kh_view *ret_packet)
{
	struct kh_message message;

	if (out->failed)
		return KH_ELIMIT;
	store32(out->p + 4, (uint32_t)(out->n - KH_MESSAGE_HEADER));
	struct kh_view packet = kh_view_of(out->p, out->n);
	enum kh_err e = take(packet, &message, NULL);
	if (e == KH_OK)
		*ret_packet = packet;
	return e;
}
