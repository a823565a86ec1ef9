/*
 * E7, I6: one conversation with the outside: what is fed arrives, what comes is kept within its bound, and it ends in
 * its time whatever the executor does.
 *
 * The executor here is a child of the test that speaks the protocol and plays the part that the test names.
 */
#include "harness.h"

#include "base/clock.h"
#include "outside/converse.h"
#include "wire/channel.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum part {
	ECHO,       /* gives back what it is fed, with a line on standard error, and ends with status 3 */
	FLOOD,      /* 100 bytes of output, 100 of errors, and the end */
	SILENT,     /* never says anything */
	BUSY_TWICE, /* has no place, twice, and then is ECHO */
	BUSY,       /* never has a place */
	ANSWERS,    /* a head, a body, the end */
	DIES,       /* after some output */
};

/* --- the executor's side ------------------------------------------------------------------------------------------ */

static char buffer[KH_MESSAGE_MAX], text[KH_MESSAGE_MAX];

static bool hear(int fd, enum kh_message_state *state, struct kh_message *ret_message, int *ret_fd)
{
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;

	if (kh_channel_receive_wait(fd, buffer, &packet, fds, &count, -1) != KH_IO_DONE ||
	    kh_message_read(packet, count, state, ret_message, NULL) != KH_OK)
		return false;
	if (count > 0)
		*ret_fd = fds[0];
	return true;
}

static void say(int fd, struct kh_message_out *out)
{
	struct kh_view packet;

	if (kh_message_end(out, &packet) != KH_OK || kh_channel_send_wait(fd, packet, NULL, 0, -1) == KH_IO_BROKEN)
		_exit(100);
}

static void say_bytes(int fd, enum kh_message_type type, struct kh_view bytes)
{
	struct kh_message_out out;

	kh_message_begin(&out, text, sizeof(text), type);
	kh_message_bulk(&out, bytes);
	say(fd, &out);
}

static void say_end(int fd, enum kh_fault fault, int status)
{
	struct kh_message_out out;

	kh_message_begin(&out, text, sizeof(text), KH_MESSAGE_END);
	if (fault == KH_FAULT_NONE)
		kh_message_number(&out, KH_FIELD_STATUS, (uint64_t)status << 8);
	kh_message_number(&out, KH_FIELD_FAULT, fault);
	say(fd, &out);
}

static void echo(int fd, enum kh_message_state *state)
{
	struct kh_message message;

	while (hear(fd, state, &message, NULL) && message.type == KH_MESSAGE_INPUT) {
		memcpy(text + KH_MESSAGE_HEADER, message.bulk.p, message.bulk.n);
		say_bytes(fd, KH_MESSAGE_OUTPUT, kh_view_of(text + KH_MESSAGE_HEADER, message.bulk.n));
	}
	say_bytes(fd, KH_MESSAGE_ERRORS, KH_LIT("that was all"));
	say_end(fd, KH_FAULT_NONE, 3);
}

static void answer(int fd)
{
	struct kh_message_out out;

	kh_message_begin(&out, text, sizeof(text), KH_MESSAGE_HEAD);
	kh_message_text(&out, KH_FIELD_URL, KH_LIT("https://example.test/"));
	kh_message_number(&out, KH_FIELD_STATUS, 200);
	kh_message_text(&out, KH_FIELD_HEADERS, KH_LIT("X: y\r\n"));
	say(fd, &out);
	say_bytes(fd, KH_MESSAGE_OUTPUT, KH_LIT("body"));
	say_end(fd, KH_FAULT_NONE, 0);
}

static void play_once(enum part part, int fd, unsigned number)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message message;
	char hundred[100];

	memset(hundred, 'x', sizeof(hundred));
	if (!hear(fd, &state, &message, NULL))
		return;
	if (part == BUSY || (part == BUSY_TWICE && number < 2)) {
		say_end(fd, KH_FAULT_BUSY, 0);
	} else if (part == ECHO || part == BUSY_TWICE) {
		echo(fd, &state);
	} else if (part == FLOOD) {
		say_bytes(fd, KH_MESSAGE_ERRORS, kh_view_of(hundred, sizeof(hundred)));
		say_bytes(fd, KH_MESSAGE_OUTPUT, kh_view_of(hundred, sizeof(hundred)));
		say_end(fd, KH_FAULT_NONE, 0);
	} else if (part == ANSWERS) {
		answer(fd);
	} else if (part == DIES) {
		say_bytes(fd, KH_MESSAGE_OUTPUT, KH_LIT("some"));
		_exit(0);
	} else {
		pause();
	}
}

static _Noreturn void play(enum part part, int control)
{
	enum kh_message_state state = KH_STATE_CONTROL;
	struct kh_message message;
	unsigned number = 0;
	int fd = -1;

	for (; hear(control, &state, &message, &fd); number++) {
		play_once(part, fd, number);
		close(fd);
	}
	_exit(0);
}

/* --- the test's side ---------------------------------------------------------------------------------------------- */

static struct kh_client client;
static struct kh_run run;
static struct kh_fetch fetch;

static struct kh_converse *begin(struct kh_test *t, enum part part)
{
	struct kh_converse *c = KH_NEW(&t->arena, struct kh_converse);
	int pair[2];

	must(t, c != NULL ? KH_OK : KH_ENOMEM);
	must(t, kh_channel_pair(pair, &t->err));
	client = (struct kh_client){.control = pair[0], .pid = fork()};
	assert_true(client.pid >= 0);
	if (client.pid == 0) {
		close(pair[0]);
		play(part, pair[1]);
	}
	close(pair[1]);
	run = (struct kh_run){.argc = 1, .argv = {KH_LIT("program")}};
	fetch = (struct kh_fetch){.url = KH_LIT("https://example.test/")};
	c->client = &client;
	c->arena = &t->arena;
	c->run = &run;
	c->deadline_ms = kh_clock_ms() + 30000;
	c->most = c->most_errors = 1U << 20;
	return c;
}

static void finish(void)
{
	close(client.control);
	kill(client.pid, SIGKILL);
	waitpid(client.pid, NULL, 0);
}

/* Runs it, and cleans up also if memory was lacking. */
static void converse(struct kh_test *t, struct kh_converse *c)
{
	enum kh_err e = kh_converse_run(c);

	finish();
	must(t, e);
}

static void test_echo(struct kh_test *t)
{
	static char much[300000];
	struct kh_converse *c = begin(t, ECHO);

	memset(much, 'm', sizeof(much));
	c->input[0] = KH_LIT("job");
	c->input[1] = KH_LIT("\n");
	c->input[2] = kh_view_of(much, sizeof(much));
	converse(t, c);
	assert_int_equal(c->how, KH_CONVERSE_ENDED);
	assert_int_equal(kh_converse_fault(c), KH_FAULT_NONE);
	assert_int_equal(c->end.status, 3 << 8);
	assert_in_range(run.limits.wall_ms, 1, 30000);
	struct kh_view came = kh_tainted_open(c->output);
	assert_int_equal(came.n, 4 + sizeof(much));
	assert_memory_equal(came.p, "job\nmmm", 7);
	assert_view(kh_tainted_open(c->errors), "that was all");
}

/* Output past its bound ends it, and errors past theirs are thrown away. */
static void test_bounds(struct kh_test *t)
{
	for (size_t most = 99; most <= 100; most++) {
		struct kh_converse *c = begin(t, FLOOD);
		c->most = most;
		c->most_errors = 10;
		converse(t, c);
		assert_int_equal(c->how, most < 100 ? KH_CONVERSE_TOO_MUCH : KH_CONVERSE_ENDED);
		assert_int_equal(kh_converse_fault(c), most < 100 ? KH_FAULT_OUTPUT : KH_FAULT_NONE);
		assert_int_equal(kh_tainted_size(c->output), most < 100 ? 0 : 100);
		assert_int_equal(kh_tainted_size(c->errors), 10);
	}
}

static void test_late(struct kh_test *t)
{
	int64_t begun = kh_clock_ms();
	struct kh_converse *c = begin(t, SILENT);

	c->deadline_ms = begun + 50;
	converse(t, c);
	assert_int_equal(c->how, KH_CONVERSE_LATE);
	assert_int_equal(kh_converse_fault(c), KH_FAULT_TIME);
	assert_in_range(kh_clock_ms() - begun, 50 + KH_CONVERSE_GRACE_MS, 30000);
	struct kh_view why = kh_converse_why(c);
	assert_view(why, "it did not end in its time");
}

static bool goes_on(void *watched)
{
	return ++*(int *)watched < 3;
}

/* Whoever watches ends it, also if the executor says nothing. */
static void test_watched(struct kh_test *t)
{
	struct kh_converse *c = begin(t, SILENT);
	int looks = 0;

	c->goes_on = goes_on;
	c->watched = &looks;
	c->every_ms = 20;
	int64_t begun = kh_clock_ms();
	converse(t, c);
	assert_int_equal(c->how, KH_CONVERSE_OVER);
	assert_int_equal(kh_converse_fault(c), KH_FAULT_DISK);
	assert_int_equal(looks, 3);
	assert_in_range(kh_clock_ms() - begun, 60, 20000);
}

/* A request that has no place is made again, until the deadline. */
static void test_busy(struct kh_test *t)
{
	struct kh_converse *c = begin(t, BUSY_TWICE);

	c->input[0] = KH_LIT("again");
	converse(t, c);
	assert_int_equal(c->how, KH_CONVERSE_ENDED);
	assert_int_equal(c->end.fault, KH_FAULT_NONE);
	assert_view(kh_tainted_open(c->output), "again");
	c = begin(t, BUSY);
	c->deadline_ms = kh_clock_ms() + 30;
	converse(t, c);
	assert_int_equal(c->how, KH_CONVERSE_ENDED);
	assert_int_equal(c->end.fault, KH_FAULT_BUSY);
	c = begin(t, BUSY);
	c->deadline_ms = 0; /* who has no deadline is told at once */
	converse(t, c);
	assert_int_equal(c->end.fault, KH_FAULT_BUSY);
}

static void test_head(struct kh_test *t)
{
	struct kh_converse *c = begin(t, ANSWERS);

	c->run = NULL;
	c->fetch = &fetch;
	converse(t, c);
	assert_int_equal(c->head.status, 200);
	assert_view(kh_tainted_open(c->head.headers), "X: y\r\n");
	assert_view(kh_tainted_open(c->head.url), "https://example.test/");
	assert_view(kh_tainted_open(c->output), "body");
}

/* An executor that dies is an end like any other, and what came before it is kept. */
static void test_dies(struct kh_test *t)
{
	struct kh_converse *c = begin(t, DIES);

	converse(t, c);
	assert_int_equal(c->how, KH_CONVERSE_ENDED);
	assert_int_equal(c->end.fault, KH_FAULT_LOST);
	assert_view(kh_tainted_open(c->output), "some");
	struct kh_view why = kh_converse_why(c);
	assert_true(kh_view_starts(why, KH_LIT("executor_lost: ")));
}

/* What cannot be written as a request is not sent. */
static void test_unmade(struct kh_test *t)
{
	struct kh_converse *c = begin(t, ECHO);

	run.argv[0] = KH_LIT("");
	run.reads = KH_REQUEST_PATHS + 1;
	converse(t, c);
	assert_int_equal(c->how, KH_CONVERSE_UNMADE);
	assert_int_equal(kh_converse_fault(c), KH_FAULT_REQUEST);
	assert_true(c->err.detail[0] != '\0');
}

/* The company is served while the executor talks, gets every event, feeds, and may leave. */
struct guest {
	struct kh_converse *c;
	int pipe[2];
	size_t took, served;
	bool leaves;
};

static size_t guest_watch(void *context, struct pollfd *ret_fds)
{
	const struct guest *g = context;

	ret_fds[0] = (struct pollfd){.fd = g->c->more && g->c->unsent[0].n == 0 ? g->pipe[0] : -1, .events = POLLIN};
	return 1;
}

static bool guest_serve(void *context, const struct pollfd *fds)
{
	static char piece[4];
	struct guest *g = context;

	g->served++;
	if (fds[0].revents != 0) {
		ssize_t n = read(g->pipe[0], piece, sizeof(piece));
		g->c->more = n > 0;
		g->c->unsent[0] = kh_view_of(piece, n > 0 ? (size_t)n : 0);
	}
	g->c->deaf = false;
	return !g->leaves;
}

static void guest_take(void *context, const struct kh_event *event)
{
	struct guest *g = context;

	g->took += event->kind == KH_EVENT_OUTPUT ? kh_tainted_size(event->bytes) : 0;
}

static void test_company(struct kh_test *t)
{
	static const struct kh_converse_company company = {guest_watch, guest_serve, guest_take};

	for (int leaves = 0; leaves < 2; leaves++) {
		struct kh_converse *c = begin(t, ECHO);
		struct guest g = {.c = c, .leaves = leaves};
		assert_int_equal(pipe(g.pipe), 0);
		assert_int_equal(write(g.pipe[1], "0123456789", 10), 10);
		close(g.pipe[1]);
		c->company = &company;
		c->context = &g;
		c->more = true;
		enum kh_err e = kh_converse_run(c);
		close(g.pipe[0]);
		finish();
		must(t, e);
		assert_int_equal(c->how, leaves ? KH_CONVERSE_LEFT : KH_CONVERSE_ENDED);
		assert_int_equal(g.took, leaves ? 0 : 10);
		assert_true(leaves ? g.served == 1 : g.served >= 4);
		assert_int_equal(kh_tainted_size(c->output), 0);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_echo),      KH_TEST(test_bounds),       KH_TEST_ONCE(test_late),
	KH_TEST_ONCE(test_busy), KH_TEST_ONCE(test_watched), KH_TEST(test_head),
	KH_TEST(test_dies),      KH_TEST_ONCE(test_unmade),  KH_TEST_ONCE(test_company),
};

KH_TEST_MAIN(cases)
