/*
 * The protocol (E7) as the tests see it.  The tables are the tests' own, written from the specification and not taken
 * from message.c: each says what a message looks like, and everything else must be refused.  So is the encoder, which
 * writes anything, right or wrong.
 */
#ifndef KH_TESTS_WIRE_H
#define KH_TESTS_WIRE_H

#include "harness.h"

#include "wire/fault.h"
#include "wire/message.h"
#include "wire/part.h"

#include <stdlib.h>

#define MUST true
#define MAY  false
#define ANY  UINT64_MAX

enum kind { END_OF_LIST, NUMBER, TEXT, WORDS, BYTES, LIST, ADDRESS };

struct field {
	enum kh_message_field tag;
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
	struct field fields[28];
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
	  {KH_FIELD_ARGUMENT, LIST, MAY, 4096, 128},
	  FOLDERS,
	  {KH_FIELD_WALL, NUMBER, MAY, ANY, 1},
	  LIMITS,
	  {KH_FIELD_OUTPUT, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_HOST, LIST, MAY, 4096, 32},
	  {KH_FIELD_CONNECT, TEXT, MAY, 4096, 1},
	  {KH_FIELD_NETWORK, LIST, MAY, 300, 16},
	  {KH_FIELD_BYTES_OUT, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_ENVIRONMENT, LIST, MAY, 4096, 64},
	  {KH_FIELD_SECRET, LIST, MAY, 4096, 16},
	  {KH_FIELD_IDLE, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_OUTPUT_RATE, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_PROCESSOR, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_LONGEST, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_MESSAGES, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_LINKS, NUMBER, MAY, 1, 1}}},
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
	  {KH_FIELD_FAULT, NUMBER, MUST, KH_FAULT_SECRET, 1},
	  {KH_FIELD_DETAIL, WORDS, MAY, 200, 1},
	  {KH_FIELD_TIME, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_USED, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_SENT, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_RECEIVED, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_SPENT, NUMBER, MAY, 1, 1},
	  {KH_FIELD_REASON, BYTES, MAY, 512, 1},
	  {KH_FIELD_KEPT, BYTES, MAY, 64000, 1},
	  {KH_FIELD_WRITTEN, NUMBER, MAY, ANY, 1}}},
	{KH_MESSAGE_RECALL, "RECALL", 0, 0, false, KH_STATE_SERVING, {{0}}},
	{KH_MESSAGE_KEPT,
	 "KEPT",
	 0,
	 0,
	 false,
	 KH_STATE_PARENT_SERVER,
	 {{KH_FIELD_DETAIL, WORDS, MAY, 200, 1},
	  {KH_FIELD_SENT, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_SPENT, NUMBER, MAY, 1, 1},
	  {KH_FIELD_KEPT, BYTES, MAY, 64000, 1},
	  {KH_FIELD_WRITTEN, NUMBER, MUST, ANY, 1}}},
	{KH_MESSAGE_JOB,
	 "JOB",
	 3,
	 4,
	 false,
	 KH_STATE_SANDBOX,
	 {{KH_FIELD_ARGUMENT, LIST, MUST, 4096, 128}, FOLDERS, LIMITS, {KH_FIELD_NETWORK, LIST, MAY, 300, 16}}},
	{KH_MESSAGE_WARM, "WARM", 0, 0, false, KH_STATE_SANDBOX_COLD, {{0}}},
	{KH_MESSAGE_BROKEN,
	 "BROKEN",
	 0,
	 0,
	 false,
	 KH_STATE_SANDBOX_WARM,
	 {{KH_FIELD_DETAIL, WORDS, MAY, 200, 1},
	  {KH_FIELD_PART, NUMBER, MUST, KH_PART_TIME, 1},
	  {KH_FIELD_ERRNO, NUMBER, MUST, 4095, 1}}},
	{KH_MESSAGE_EXITED, "EXITED", 0, 0, false, KH_STATE_SANDBOX_WARM, {{KH_FIELD_STATUS, NUMBER, MUST, 65535, 1}}},
	{KH_MESSAGE_LISTENING, "LISTENING", 1, 1, false, KH_STATE_SANDBOX_WARM, {{0}}},
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
	 {{KH_FIELD_FAULT, NUMBER, MUST, KH_FAULT_SECRET, 1}, {KH_FIELD_DETAIL, WORDS, MAY, 200, 1}}},
	{KH_MESSAGE_GREETING,
	 "GREETING",
	 0,
	 0,
	 false,
	 KH_STATE_WORKER_SNI,
	 {{KH_FIELD_NAME, TEXT, MUST, 4096, 1}, {KH_FIELD_FIRST, BYTES, MUST, 16389, 1}}},
	{KH_MESSAGE_VERDICT, "VERDICT", 0, 0, false, KH_STATE_JUDGING, {{KH_FIELD_VERDICT, NUMBER, MUST, 3, 1}}},
	{KH_MESSAGE_DIAL,
	 "DIAL",
	 0,
	 0,
	 false,
	 KH_STATE_FORWARDING,
	 {{KH_FIELD_TICKET, NUMBER, MUST, ANY, 1}, {KH_FIELD_INDEX, NUMBER, MUST, 15, 1}}},
	{KH_MESSAGE_DIALED,
	 "DIALED",
	 0,
	 1,
	 false,
	 KH_STATE_FORWARDER,
	 {{KH_FIELD_FAULT, NUMBER, MUST, KH_FAULT_SECRET, 1},
	  {KH_FIELD_DETAIL, WORDS, MAY, 200, 1},
	  {KH_FIELD_TICKET, NUMBER, MUST, ANY, 1}}},
	{KH_MESSAGE_JUDGE,
	 "JUDGE",
	 0,
	 0,
	 false,
	 KH_STATE_FORWARDING,
	 {{KH_FIELD_TICKET, NUMBER, MUST, ANY, 1},
	  {KH_FIELD_INDEX, NUMBER, MUST, 15, 1},
	  {KH_FIELD_FIRST, BYTES, MUST, 16389, 1}}},
	{KH_MESSAGE_JUDGED,
	 "JUDGED",
	 0,
	 0,
	 false,
	 KH_STATE_FORWARDER,
	 {{KH_FIELD_TICKET, NUMBER, MUST, ANY, 1}, {KH_FIELD_VERDICT, NUMBER, MUST, 3, 1}}},
	{KH_MESSAGE_TALLY,
	 "TALLY",
	 0,
	 0,
	 false,
	 KH_STATE_FORWARDING,
	 {{KH_FIELD_SENT, NUMBER, MUST, ANY, 1},
	  {KH_FIELD_RECEIVED, NUMBER, MUST, ANY, 1},
	  {KH_FIELD_SPENT, NUMBER, MAY, 1, 1}}},
	{KH_MESSAGE_SPAWN, "SPAWN", 1, 1, false, KH_STATE_SPAWNER, {{0}}},
	{KH_MESSAGE_UPSTREAM,
	 "UPSTREAM",
	 0,
	 0,
	 false,
	 KH_STATE_REQUEST_NEW,
	 {{KH_FIELD_URL, TEXT, MUST, 4096, 1},
	  {KH_FIELD_HEADER, LIST, MAY, 4096, 32},
	  {KH_FIELD_HOST, LIST, MAY, 4096, 32},
	  {KH_FIELD_PLAIN, NUMBER, MAY, 1, 1},
	  {KH_FIELD_AUTHORITY, TEXT, MAY, 4096, 1},
	  {KH_FIELD_SECRET, LIST, MAY, 4096, 16},
	  {KH_FIELD_IDLE, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_LONGEST, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_MESSAGES, NUMBER, MAY, ANY, 1}}},
	{KH_MESSAGE_SERVE,
	 "SERVE",
	 0,
	 1,
	 false,
	 KH_STATE_WORKER_NEW,
	 {{KH_FIELD_URL, TEXT, MUST, 4096, 1},
	  {KH_FIELD_HEADER, LIST, MAY, 4096, 32},
	  {KH_FIELD_SECRET, LIST, MAY, 4096, 16},
	  {KH_FIELD_IDLE, NUMBER, MUST, ANY, 1},
	  {KH_FIELD_LONGEST, NUMBER, MUST, ANY, 1},
	  {KH_FIELD_MESSAGES, NUMBER, MUST, ANY, 1}}},
	{KH_MESSAGE_CALL, "CALL", 1, 1, false, KH_STATE_REQUEST_UPSTREAM, {{0}}},
	{KH_MESSAGE_ASK,
	 "ASK",
	 0,
	 0,
	 false,
	 KH_STATE_WORKER_CALL,
	 {{KH_FIELD_WALL, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_OUTPUT, NUMBER, MAY, ANY, 1},
	  {KH_FIELD_METHOD, NUMBER, MUST, ANY, 1},
	  {KH_FIELD_HEADER, LIST, MAY, 4096, 32},
	  {KH_FIELD_PATH, TEXT, MAY, 4096, 1}}},
	{KH_MESSAGE_BEGUN, "BEGUN", 0, 0, false, KH_STATE_PARENT_CALL, {{0}}},
	{KH_MESSAGE_MARK,
	 "MARK",
	 0,
	 0,
	 false,
	 KH_STATE_PARENT_HEARS,
	 {{KH_FIELD_MARK, TEXT, MAY, 1024, 1}, {KH_FIELD_RETRY, NUMBER, MAY, ANY, 1}}},
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
	{KH_STATE_SERVING, KH_MESSAGE_INPUT, KH_STATE_SERVING},
	{KH_STATE_SERVING, KH_MESSAGE_INPUT_END, KH_STATE_SERVED},
	{KH_STATE_SERVING, KH_MESSAGE_RECALL, KH_STATE_SERVING},
	{KH_STATE_SERVED, KH_MESSAGE_RECALL, KH_STATE_SERVED},
	{KH_STATE_PARENT_SERVER, KH_MESSAGE_OUTPUT, KH_STATE_PARENT_SERVER},
	{KH_STATE_PARENT_SERVER, KH_MESSAGE_KEPT, KH_STATE_PARENT_SERVER},
	{KH_STATE_PARENT_SERVER, KH_MESSAGE_END, KH_STATE_ENDED},
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
	{KH_STATE_WORKER_SNI, KH_MESSAGE_GREETING, KH_STATE_ENDED},
	{KH_STATE_JUDGING, KH_MESSAGE_VERDICT, KH_STATE_ENDED},
	{KH_STATE_FORWARDER, KH_MESSAGE_DIALED, KH_STATE_FORWARDER},
	{KH_STATE_FORWARDER, KH_MESSAGE_JUDGED, KH_STATE_FORWARDER},
	{KH_STATE_FORWARDING, KH_MESSAGE_DIAL, KH_STATE_FORWARDING},
	{KH_STATE_FORWARDING, KH_MESSAGE_JUDGE, KH_STATE_FORWARDING},
	{KH_STATE_FORWARDING, KH_MESSAGE_TALLY, KH_STATE_FORWARDING},
	{KH_STATE_TRANSFER_HEAD, KH_MESSAGE_HEAD, KH_STATE_TRANSFER_BODY},
	{KH_STATE_TRANSFER_HEAD, KH_MESSAGE_DONE, KH_STATE_ENDED},
	{KH_STATE_TRANSFER_BODY, KH_MESSAGE_OUTPUT, KH_STATE_TRANSFER_BODY},
	{KH_STATE_TRANSFER_BODY, KH_MESSAGE_DONE, KH_STATE_ENDED},
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

#define ROOM (4 * KH_MESSAGE_MAX)

struct raw {
	unsigned char p[ROOM];
	size_t n;
};

static struct raw raw; /* one at a time, too large for the stack */

static inline void put32(size_t at, size_t value)
{
	for (size_t i = 0; i < 4; i++)
		raw.p[at + i] = (unsigned char)(value >> (8 * i));
}

static inline void begin(enum kh_message_type type)
{
	raw.n = KH_MESSAGE_HEADER;
	memset(raw.p, 0, KH_MESSAGE_HEADER);
	raw.p[0] = KH_MESSAGE_VERSION;
	raw.p[1] = (unsigned char)type;
}

static inline void put(unsigned tag, const void *bytes, size_t n)
{
	assert_true(raw.n + 8 + n <= ROOM);
	put32(raw.n, tag);
	put32(raw.n + 4, n);
	memcpy(raw.p + raw.n + 8, bytes, n);
	raw.n += 8 + n;
}

static inline void put_number(unsigned tag, uint64_t value)
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
static inline void put_good(const struct field *field, size_t n)
{
	if (field->kind == NUMBER)
		put_number(field->tag, field->most < 9 ? 1 : 9);
	else if (field->kind == ADDRESS)
		put(field->tag, filling(), n % 2 ? 4 : 16);
	else
		put(field->tag, filling(), n);
}

/* The message of TYPE with all fields (and lists of two items), or those that it must have. */
static inline void put_fields(const struct type *type, bool all)
{
	for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
		if (!all && !f->required)
			continue;
		put_good(f, 3);
		if (all && (f->kind == LIST || f->kind == ADDRESS))
			put_good(f, 2);
	}
}

static inline void put_all(const struct type *type)
{
	begin(type->type);
	put_fields(type, true);
	if (type->bulk) {
		memcpy(raw.p + raw.n, "a\0bulk", 6);
		raw.n += 6;
	}
}

/* Reads a copy that has nothing behind it, so that the sanitizer sees a look past the end. */
static inline enum kh_err read_copy(const void *bytes, size_t n, size_t fds, enum kh_message_state *state,
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
#define assert_refused(type, code)                               \
	do {                                                     \
		const char *got_code = refusal(type);            \
		if (got_code == NULL)                            \
			print_error("%s taken\n", (type)->name); \
		assert_non_null(got_code);                       \
		assert_string_equal(got_code, code);             \
	} while (0)

/* MESSAGE written again by its own functions, into BUFFER. */
static inline enum kh_err rewrite(const struct kh_message *message, char *buffer, struct kh_view *ret_packet)
{
	struct kh_message_out out;

	kh_message_begin(&out, buffer, KH_MESSAGE_MAX, message->type);
	for (enum kh_message_field tag = 1; tag < KH_FIELDS; tag++) {
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
static inline void assert_canonical(struct kh_view packet, size_t fds, enum kh_message_state state)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message message;
	struct kh_view again;

	assert_int_equal(kh_message_read(packet, fds, &state, &message, NULL), KH_OK);
	assert_int_equal(rewrite(&message, buffer, &again), KH_OK);
	assert_true(kh_view_eq(packet, again));
}

#endif
