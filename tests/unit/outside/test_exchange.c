/* E7, I6: one request as its parent sees it: events, input, and exactly one END, whatever the executor does. */
#include "harness.h"

#include "outside/exchange.h"
#include "wire/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static struct kh_exchange exchange;
static struct kh_event event;
static int executor; /* the other end, which the test plays */

static void begin(struct kh_test *t, enum kh_message_state state, bool fed)
{
	int pair[2];

	must(t, kh_channel_pair(pair, &t->err));
	kh_exchange_init(&exchange, pair[0], state, fed);
	executor = pair[1];
}

static void finish(void)
{
	kh_exchange_close(&exchange);
	close(executor);
}

static void next(void)
{
	memset(&event, 0x5a, sizeof(event));
	kh_exchange_next(&exchange, 0, &event);
}

static void send_packet(struct kh_view packet, const int *fds, size_t count)
{
	assert_int_equal(kh_channel_send(executor, packet, fds, count), KH_IO_DONE);
}

static void send_bulk(struct kh_test *t, enum kh_message_type type, const char *text)
{
	char buffer[256];
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), type);
	kh_message_bulk(&out, kh_view_str(text));
	must(t, kh_message_end(&out, &packet));
	send_packet(packet, NULL, 0);
}

static void send_end(struct kh_test *t, enum kh_fault fault)
{
	char buffer[256];
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_END);
	kh_message_number(&out, KH_FIELD_STATUS, 0x0700);
	kh_message_number(&out, KH_FIELD_FAULT, fault);
	kh_message_text(&out, KH_FIELD_DETAIL, KH_LIT("in short"));
	kh_message_number(&out, KH_FIELD_TIME, 1234567);
	kh_message_number(&out, KH_FIELD_USED, UINT64_C(5000000000));
	must(t, kh_message_end(&out, &packet));
	send_packet(packet, NULL, 0);
}

static void send_head(struct kh_test *t, unsigned status, struct kh_view lines)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_HEAD);
	kh_message_text(&out, KH_FIELD_URL, KH_LIT("https://example.org/b"));
	kh_message_number(&out, KH_FIELD_STATUS, status);
	kh_message_text(&out, KH_FIELD_HEADERS, lines);
	kh_message_text(&out, KH_FIELD_LOCATION, KH_LIT("https://example.com/"));
	must(t, kh_message_end(&out, &packet));
	send_packet(packet, NULL, 0);
}

/* The next event is the one END, of an executor that is gone; after it there is nothing more. */
static void assert_lost(void)
{
	next();
	assert_int_equal(event.kind, KH_EVENT_END);
	assert_int_equal(event.end.fault, KH_FAULT_LOST);
	assert_true(event.end.detail[0] != '\0');
	assert_int_equal(event.end.status, 0);
	assert_int_equal(event.end.time_us, 0);
	for (int i = 0; i < 3; i++) {
		next();
		assert_int_equal(event.kind, KH_EVENT_NOTHING);
	}
}

static void test_run(struct kh_test *t)
{
	begin(t, KH_STATE_PARENT_RUN, false);
	next();
	assert_int_equal(event.kind, KH_EVENT_NOTHING);
	send_bulk(t, KH_MESSAGE_OUTPUT, "out");
	send_bulk(t, KH_MESSAGE_ERRORS, "err");
	send_bulk(t, KH_MESSAGE_OUTPUT, "more");
	send_end(t, KH_FAULT_NONE);
	next();
	assert_int_equal(event.kind, KH_EVENT_OUTPUT);
	assert_view(kh_tainted_open(event.bytes), "out");
	next();
	assert_int_equal(event.kind, KH_EVENT_ERRORS);
	assert_view(kh_tainted_open(event.bytes), "err");
	next();
	assert_view(kh_tainted_open(event.bytes), "more");
	next();
	assert_int_equal(event.kind, KH_EVENT_END);
	assert_int_equal(event.end.fault, KH_FAULT_NONE);
	assert_int_equal(event.end.status, 0x0700);
	assert_int_equal(event.end.time_us, 1234567);
	assert_int_equal(event.end.used, UINT64_C(5000000000));
	assert_string_equal(event.end.detail, "in short");
	/* Once: also where the executor goes on, or goes away. */
	send_bulk(t, KH_MESSAGE_OUTPUT, "after");
	send_end(t, KH_FAULT_TIME);
	next();
	assert_int_equal(event.kind, KH_EVENT_NOTHING);
	close(executor);
	kh_exchange_next(&exchange, -1, &event);
	assert_int_equal(event.kind, KH_EVENT_NOTHING);
	kh_exchange_close(&exchange);
}

static void test_fetch(struct kh_test *t)
{
	begin(t, KH_STATE_PARENT_FETCH, true);
	send_head(t, 302, kh_view_of("HTTP/1.1 302\r\nX: a\0b\r\n", 22));
	send_bulk(t, KH_MESSAGE_OUTPUT, "body");
	send_end(t, KH_FAULT_HTTP);
	next();
	assert_int_equal(event.kind, KH_EVENT_HEAD);
	assert_int_equal(event.head.status, 302);
	assert_view(kh_tainted_open(event.head.url), "https://example.org/b");
	assert_view(kh_tainted_open(event.head.location), "https://example.com/");
	assert_true(kh_view_eq(kh_tainted_open(event.head.headers), kh_view_of("HTTP/1.1 302\r\nX: a\0b\r\n", 22)));
	next();
	assert_int_equal(event.kind, KH_EVENT_OUTPUT);
	assert_view(kh_tainted_open(event.bytes), "body");
	next();
	assert_int_equal(event.kind, KH_EVENT_END);
	assert_int_equal(event.end.fault, KH_FAULT_HTTP);
	finish();
}

/* An executor that dies at any moment: what it had sent is heard, then the END that it did not send. */
static void test_lost(struct kh_test *t)
{
	for (int sent = 0; sent < 3; sent++) {
		for (int unread = 0; unread < 2; unread++) {
			begin(t, KH_STATE_PARENT_RUN, false);
			if (unread)
				assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("input")), 5);
			for (int i = 0; i < sent; i++)
				send_bulk(t, KH_MESSAGE_OUTPUT, "x");
			close(executor);
			for (int i = 0; i < sent; i++) {
				next();
				assert_int_equal(event.kind, KH_EVENT_OUTPUT);
			}
			assert_lost();
			kh_exchange_close(&exchange);
		}
	}
}

/* An END that was sent counts, also where the executor left input unread and is gone. */
static void test_end_before_death(struct kh_test *t)
{
	begin(t, KH_STATE_PARENT_RUN, false);
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("never read")), 10);
	send_end(t, KH_FAULT_TIME);
	close(executor);
	/* Input is taken, and does not take the END away. */
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("to nobody")), 9);
	assert_true(kh_exchange_feed_end(&exchange));
	next();
	assert_int_equal(event.kind, KH_EVENT_END);
	assert_int_equal(event.end.fault, KH_FAULT_TIME);
	kh_exchange_close(&exchange);
}

/* What is no message, or not permitted now, ends it. */
static void test_broken(struct kh_test *t)
{
	static const struct {
		enum kh_message_state state;
		struct kh_view packet;
	} bad[] = {
		{KH_STATE_PARENT_RUN, KH_LIT_INIT("garbage")},
		{KH_STATE_PARENT_RUN, KH_LIT_INIT("\2\x0a\0\0\0\0\0\0")},    /* ERRORS of nothing */
		{KH_STATE_PARENT_RUN, KH_LIT_INIT("\3\x09\0\0\1\0\0\0x")},   /* another version */
		{KH_STATE_PARENT_RUN, KH_LIT_INIT("\2\x0b\0\0\0\0\0\0")},    /* END without a fault */
		{KH_STATE_PARENT_RUN, KH_LIT_INIT("\2\x0d\0\0\0\0\0\0")},    /* WARM */
		{KH_STATE_PARENT_RUN, KH_LIT_INIT("\2\x06\0\0\1\0\0\0x")},   /* INPUT, which is ours to send */
		{KH_STATE_PARENT_FETCH, KH_LIT_INIT("\2\x09\0\0\1\0\0\0x")}, /* OUTPUT before HEAD */
		{KH_STATE_PARENT_BODY, KH_LIT_INIT("\2\x0a\0\0\1\0\0\0x")},  /* ERRORS of a fetch */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		begin(t, bad[i].state, false);
		send_packet(bad[i].packet, NULL, 0);
		send_end(t, KH_FAULT_NONE); /* too late */
		assert_lost();
		finish();
	}
}

/* A second HEAD, and one with a status that is none. */
static void test_two_heads(struct kh_test *t)
{
	begin(t, KH_STATE_PARENT_FETCH, true);
	send_head(t, 200, KH_LIT("a"));
	send_head(t, 200, KH_LIT("a"));
	next();
	assert_int_equal(event.kind, KH_EVENT_HEAD);
	assert_lost();
	finish();
}

/* A descriptor that comes along breaks the protocol and is not kept. */
static void test_descriptor(struct kh_test *t)
{
	int pipe_fds[2];
	char c;

	begin(t, KH_STATE_PARENT_RUN, false);
	assert_int_equal(pipe(pipe_fds), 0);
	send_packet(KH_LIT("\2\x09\0\0\1\0\0\0x"), &pipe_fds[1], 1);
	close(pipe_fds[1]);
	assert_lost();
	/* Nobody has the writing end any more. */
	assert_int_equal(read(pipe_fds[0], &c, 1), 0);
	close(pipe_fds[0]);
	finish();
}

/* Takes the next message of input off the executor's end; its bytes are in BUFFER. */
static struct kh_message take_input(struct kh_test *t, char *buffer, enum kh_message_state *state)
{
	struct kh_message message;
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;

	assert_int_equal(kh_channel_receive(executor, buffer, &packet, fds, &count), KH_IO_DONE);
	must(t, kh_message_read(packet, count, state, &message, &t->err));
	return message;
}

/* A megabyte of input, in pieces as the executor reads: every byte, in order, once; and its end once. */
static void test_feed(struct kh_test *t)
{
	enum { SIZE = 1 << 20 };
	static char input[SIZE], got[SIZE], buffer[KH_MESSAGE_MAX];
	enum kh_message_state state = KH_STATE_REQUEST_FED;
	size_t fed = 0, read = 0;

	for (size_t i = 0; i < SIZE; i++)
		input[i] = (char)(i * 7 + i / 251);
	begin(t, KH_STATE_PARENT_RUN, false);
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("")), 0);
	for (int rounds = 0; read < SIZE && rounds < 10000; rounds++) {
		fed += kh_exchange_feed(&exchange, kh_view_of(input + fed, SIZE - fed));
		assert_true(fed > read);
		if (rounds == 0) {
			assert_true(fed < SIZE); /* the executor's pace is the limit */
			assert_false(kh_exchange_feed_end(&exchange));
		}
		struct kh_message message = take_input(t, buffer, &state);
		assert_int_equal(message.type, KH_MESSAGE_INPUT);
		assert_true(message.bulk.n <= KH_MESSAGE_BULK && read + message.bulk.n <= SIZE);
		memcpy(got + read, message.bulk.p, message.bulk.n);
		read += message.bulk.n;
	}
	assert_int_equal(read, SIZE);
	assert_memory_equal(got, input, SIZE);
	assert_true(kh_exchange_feed_end(&exchange));
	assert_true(kh_exchange_feed_end(&exchange));
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("late")), 4);
	assert_int_equal(take_input(t, buffer, &state).type, KH_MESSAGE_INPUT_END);
	struct pollfd nothing = {.fd = executor, .events = POLLIN};
	assert_int_equal(poll(&nothing, 1, 0), 0);
	finish();
}

/* Feeding does not touch the bytes of the last event. */
static void test_feed_between(struct kh_test *t)
{
	begin(t, KH_STATE_PARENT_RUN, false);
	send_bulk(t, KH_MESSAGE_OUTPUT, "these stay");
	next();
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("something else entirely")), 23);
	assert_view(kh_tainted_open(event.bytes), "these stay");
	finish();
}

/* A request that takes no input is sent none: it would break the protocol. */
static void test_no_input(struct kh_test *t)
{
	begin(t, KH_STATE_PARENT_FETCH, true);
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("body")), 4);
	assert_true(kh_exchange_feed_end(&exchange));
	struct pollfd nothing = {.fd = executor, .events = POLLIN};
	assert_int_equal(poll(&nothing, 1, 0), 0);
	finish();
}

/* Closing cancels: the executor sees it.  Twice is once. */
static void test_close(struct kh_test *t)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;

	begin(t, KH_STATE_PARENT_RUN, false);
	kh_exchange_close(&exchange);
	assert_int_equal(kh_channel_receive(executor, buffer, &packet, fds, &count), KH_IO_CLOSED);
	kh_exchange_close(&exchange);
	next();
	assert_int_equal(event.kind, KH_EVENT_NOTHING);
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("x")), 1);
	assert_true(kh_exchange_feed_end(&exchange));
	close(executor);
}

/* A descriptor that can be polled: readable exactly where next() has something to say. */
static void test_poll(struct kh_test *t)
{
	begin(t, KH_STATE_PARENT_RUN, false);
	struct pollfd ready = {.fd = exchange.fd, .events = POLLIN | POLLOUT};
	assert_int_equal(poll(&ready, 1, 0), 1);
	assert_int_equal(ready.revents, POLLOUT);
	send_bulk(t, KH_MESSAGE_OUTPUT, "x");
	assert_int_equal(poll(&ready, 1, 0), 1);
	assert_true(ready.revents & POLLIN);
	next();
	close(executor);
	assert_int_equal(poll(&ready, 1, 0), 1);
	assert_true(ready.revents & POLLIN);
	assert_lost();
	kh_exchange_close(&exchange);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_run),      KH_TEST_ONCE(test_fetch),      KH_TEST_ONCE(test_lost),
	KH_TEST_ONCE(test_broken),   KH_TEST_ONCE(test_two_heads),  KH_TEST_ONCE(test_end_before_death),
	KH_TEST_ONCE(test_feed),     KH_TEST_ONCE(test_descriptor), KH_TEST_ONCE(test_feed_between),
	KH_TEST_ONCE(test_no_input), KH_TEST_ONCE(test_close),      KH_TEST_ONCE(test_poll),
};

KH_TEST_MAIN(cases)
