/*
 * I3: the driver `command`, against an executor that does as the test says; tests/system/reader_command has the real
 * one.  The stand-in is a child that looks at the request and plays the part that its second argument names.
 */
#include "asking.h"

#include "outside/client.h"
#include "reader/command.h"
#include "wire/channel.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER "{\"type\":\"bcp_response\",\"query_id\":\"" ASK "\",\"response\":{\"fields\":{\"a\":true}}}"
#define FLAT   "{\"query_id\":\"" ASK "\",\"fields\":{\"a\":true}}"

/* --- the executor's side ------------------------------------------------------------------------------------------ */

struct part {
	const char *name, *out, *errors;
	size_t repeat; /* of OUT; 0: once */
	enum kh_fault fault;
	int status;
	enum kh_reader_fault wanted;
	const char *detail; /* must be in it */
};

static const struct part parts[] = {
	{"answers", ANSWER "\n", NULL, 0, 0, 0, KH_READER_OK, ""},
	{"answers without a newline", ANSWER, "a word\n", 0, 0, 0, KH_READER_OK, ""},
	{"answers as BCPRespond", FLAT "\n", NULL, 0, 0, 0, KH_READER_OK, ""},
	{"is silent", "", NULL, 0, 0, 0, KH_READER_DEAD, "without an answer"},
	{"says why", "", "no model:\x1b[31m \"x\"\n", 0, 0, 1 << 8, KH_READER_DEAD,
	 "it ended with status 1; its standard error: \"no model:\\u{1b}[31m \\\"x\\\"\\u{a}\""},
	{"answers and fails", ANSWER "\n", NULL, 0, 0, 3 << 8, KH_READER_DEAD, "status 3"},
	{"answers and is killed", ANSWER "\n", NULL, 0, 0, SIGKILL, KH_READER_DEAD, "signal 9"},
	{"is not there", "", NULL, 0, KH_FAULT_PROGRAM, 0, KH_READER_DEAD, "no_program: words of the executor"},
	{"is out of time", "", NULL, 0, KH_FAULT_TIME, 0, KH_READER_LATE, "no answer came"},
	{"lingers", ANSWER "\n", NULL, 0, KH_FAULT_TIME, 0, KH_READER_LATE, "did not end"},
	{"is stopped at the cap", "x", NULL, 0, KH_FAULT_OUTPUT, 0, KH_READER_GARBAGE, "more than its outputs"},
	{"answers twice", ANSWER "\n" ANSWER "\n", NULL, 0, 0, 0, KH_READER_GARBAGE, "more than one line"},
	{"goes on", ANSWER "\nx", NULL, 0, 0, 0, KH_READER_GARBAGE, "more than one line"},
	{"adds a line", ANSWER "\n\n", NULL, 0, 0, 0, KH_READER_GARBAGE, "more than one line"},
	{"begins with a line", "\n" ANSWER "\n", NULL, 0, 0, 0, KH_READER_GARBAGE, "more than one line"},
	{"adds to its line", ANSWER " x\n", NULL, 0, 0, 0, KH_READER_GARBAGE, "not an answer"},
	{"says only a newline", "\n", NULL, 0, 0, 0, KH_READER_GARBAGE, "not an answer"},
	{"speaks prose", "The answer is yes.\n", NULL, 0, 0, 0, KH_READER_GARBAGE, "not an answer"},
	{"is cut off", "{\"type\":\"bcp_response\",\"query_id\":\"" ASK, NULL, 0, 0, 0, KH_READER_GARBAGE,
	 "not an answer"},
	{"pushes", "{\"type\":\"bcp_subscription_push\",\"query_id\":\"" ASK "\",\"response\":{\"a\":true}}\n", NULL, 0,
	 0, 0, KH_READER_GARBAGE, "bcp_response and nothing else"},
	{"asks", "{\"type\":\"bcp_query_request\",\"query_id\":\"" ASK "\",\"to\":\"planner\"}\n", NULL, 0, 0, 0,
	 KH_READER_GARBAGE, "bcp_response and nothing else"},
	{"adds a member",
	 "{\"type\":\"bcp_response\",\"query_id\":\"" ASK "\",\"response\":{\"a\":true},\"note\":\"psst\"}\n", NULL, 0,
	 0, 0, KH_READER_GARBAGE, "nothing else"},
	{"answers another", "{\"type\":\"bcp_response\",\"query_id\":\"a\x7f\",\"response\":{\"a\":true}}\n", NULL, 0,
	 0, 0, KH_READER_GARBAGE, "another query: \"a\\u{7f}\""},
	{"answers nobody", "{\"type\":\"bcp_response\",\"response\":{\"a\":true}}\n", NULL, 0, 0, 0, KH_READER_GARBAGE,
	 "query_id"},
	{"says it twice", "{\"query_id\":\"x\",\"query_id\":\"" ASK "\",\"fields\":{\"a\":true}}\n", NULL, 0, 0, 0,
	 KH_READER_GARBAGE, "not an answer"},
	{"is not UTF-8", "{\"query_id\":\"" ASK "\",\"fields\":{\"a\xff\":true}}\n", NULL, 0, 0, 0, KH_READER_GARBAGE,
	 "not an answer"},
	{"is at the most", " ", NULL, KH_COMMAND_ANSWER, 0, 0, KH_READER_GARBAGE, "not an answer"},
	{"is huge", " ", NULL, KH_COMMAND_ANSWER + 1, 0, 0, KH_READER_GARBAGE, "more than an answer can have"},
	{"goes on without an end", "x", NULL, SIZE_MAX, 0, 0, KH_READER_GARBAGE, "more than an answer can have"},
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static _Noreturn void fail_part(int line)
{
	fprintf(stderr, "executor: line %d\n", line);
	_exit(100);
}

#define NEED(condition) ((condition) ? (void)0 : fail_part(__LINE__))

/* One request's side of the stand-in; each in a thread of its own, as they come. */
struct request {
	int fd;
	enum kh_message_state state;
	struct kh_message message;
	char in[KH_MESSAGE_MAX], out[KH_MESSAGE_MAX];
};

static bool hear(struct request *r)
{
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t n = 0;
	enum kh_io io = kh_channel_receive_wait(r->fd, r->in, &packet, fds, &n, -1);

	if (io != KH_IO_DONE)
		return false;
	NEED(kh_message_read(packet, n, &r->state, &r->message, NULL) == KH_OK && n == 0);
	return true;
}

/* False where the other side is gone. */
static bool say(struct request *r, struct kh_message_out *out)
{
	struct kh_view packet;

	NEED(kh_message_end(out, &packet) == KH_OK);
	return kh_channel_send_wait(r->fd, packet, NULL, 0, -1) == KH_IO_DONE;
}

static bool put(struct request *r, enum kh_message_type type, struct kh_view bytes)
{
	struct kh_message_out out;

	kh_message_begin(&out, r->out, sizeof(r->out), type);
	kh_message_bulk(&out, bytes);
	return bytes.n == 0 || say(r, &out);
}

static bool put_many(struct request *r, const char *text, size_t repeat)
{
	char piece[1000];

	if (repeat == 0)
		return put(r, KH_MESSAGE_OUTPUT, kh_view_str(text));
	memset(piece, text[0], sizeof(piece));
	while (repeat > 0) {
		size_t n = repeat < sizeof(piece) ? repeat : sizeof(piece);
		if (!put(r, KH_MESSAGE_OUTPUT, kh_view_of(piece, n)))
			return false;
		repeat -= n;
	}
	return true;
}

static void end(struct request *r, enum kh_fault fault, int status)
{
	struct kh_message_out out;

	kh_message_begin(&out, r->out, sizeof(r->out), KH_MESSAGE_END);
	kh_message_number(&out, KH_FIELD_STATUS, (uint64_t)status);
	kh_message_number(&out, KH_FIELD_FAULT, fault);
	if (fault != KH_FAULT_NONE)
		kh_message_text(&out, KH_FIELD_DETAIL, KH_LIT("words of the executor"));
	(void)!say(r, &out);
}

/* A line of the request: what would be started, and with what. */
static void report(struct request *r)
{
	const struct kh_message *m = &r->message;
	struct kh_view item;
	size_t cursor = 0;
	char text[1024];
	int n = snprintf(text, sizeof(text), "profile %d, %zu writes, work %d, cache %d, output %d, wall %s, read",
			 (int)m->number[KH_FIELD_PROFILE], kh_message_count(m, KH_FIELD_WRITE), m->has[KH_FIELD_WORK],
			 m->has[KH_FIELD_CACHE], (int)m->number[KH_FIELD_OUTPUT],
			 m->number[KH_FIELD_WALL] <= 5000 && m->number[KH_FIELD_WALL] > 3000 ? "5 s" : "?");

	while (kh_message_item(m, KH_FIELD_READ, &cursor, &item))
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %.*s", KH_FMT(item));
	put(r, KH_MESSAGE_ERRORS, kh_view_of(text, (size_t)n));
	end(r, KH_FAULT_NONE, 1 << 8);
}

/* Takes the input to its end; false where it is not one line, or the other side is gone. */
static bool take_line(struct request *r)
{
	bool ended = false;

	while (r->state == KH_STATE_REQUEST_FED) {
		if (!hear(r))
			return false;
		struct kh_view bytes = r->message.bulk;
		if (ended && bytes.n > 0)
			return false;
		const char *newline = bytes.n > 0 ? memchr(bytes.p, '\n', bytes.n) : NULL;
		if (newline != NULL && newline != bytes.p + bytes.n - 1)
			return false;
		ended |= newline != NULL;
	}
	return ended;
}

static void *serve(void *arg)
{
	struct request *r = arg;
	size_t cursor = 0;
	struct kh_view name, part = {NULL, 0};

	NEED(hear(r) && r->message.type == KH_MESSAGE_RUN);
	NEED(kh_message_item(&r->message, KH_FIELD_ARGUMENT, &cursor, &name));
	if (kh_message_item(&r->message, KH_FIELD_ARGUMENT, &cursor, &part))
		part = kh_view_of(memcpy(r->out, part.p, part.n), part.n);
	char which[64];
	snprintf(which, sizeof(which), "%.*s", KH_FMT(part));
	if (strcmp(which, "report") == 0)
		report(r);
	else if (strcmp(which, "die") == 0)
		_exit(0);
	else if (strcmp(which, "busy") == 0)
		end(r, KH_FAULT_BUSY, 0);
	else if (strcmp(which, "hang") == 0)
		while (hear(r))
			;
	for (size_t i = 0; i < PARTS; i++)
		if (strcmp(which, parts[i].name) == 0 &&
		    (i % 2 == 1 || take_line(r)) && /* some do not even read what they are asked */
		    put_many(r, parts[i].out, parts[i].repeat) &&
		    put(r, KH_MESSAGE_ERRORS, parts[i].errors ? kh_view_str(parts[i].errors) : KH_LIT("")))
			end(r, parts[i].fault, parts[i].status);
	close(r->fd);
	free(r);
	return NULL;
}

static _Noreturn void play(int control)
{
	static char buffer[KH_MESSAGE_MAX];
	enum kh_message_state state = KH_STATE_CONTROL;
	struct kh_message message;
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t n;

	while (kh_channel_receive_wait(control, buffer, &packet, fds, &n, -1) == KH_IO_DONE) {
		pthread_t thread;
		NEED(kh_message_read(packet, n, &state, &message, NULL) == KH_OK && n == 1);
		struct request *r = calloc(1, sizeof(*r));
		NEED(r != NULL);
		r->fd = fds[0];
		r->state = KH_STATE_REQUEST_NEW;
		NEED(pthread_create(&thread, NULL, serve, r) == 0 && pthread_detach(thread) == 0);
	}
	_exit(0);
}

/* --- the parent's side -------------------------------------------------------------------------------------------- */

static struct kh_client client; /* lives as long as the program: a test may end anywhere */

static void start(void)
{
	int channel[2];

	assert_int_equal(kh_channel_pair(channel, NULL), KH_OK);
	fflush(NULL);
	client.control = channel[0];
	client.pid = fork();
	assert_true(client.pid >= 0);
	if (client.pid == 0) {
		close(channel[0]);
		play(channel[1]);
	}
	close(channel[1]);
}

struct asked {
	struct kh_tainted response;
	enum kh_reader_fault fault;
	struct kh_view detail;
};

static struct asked ask_part(struct kh_test *t, const struct kh_reader_ask *ask, const char *program, const char *part,
			     uint64_t timeout_ms)
{
	struct kh_view argv[] = {kh_view_str(program), kh_view_str(part)};
	struct kh_view read[] = {KH_LIT("/srv/words")};
	struct kh_reader_settings settings = {
		.client = &client, .argv = argv, .argc = 2, .read = read, .reads = 1, .timeout_ms = timeout_ms};
	struct kh_reader reader = {.name = KH_LIT("r"), .driver = &kh_reader_command, .settings = &settings};
	struct asked asked = {.fault = (enum kh_reader_fault)99};

	must(t, reader.driver->ask(&reader, &t->arena, ask, &asked.response, &asked.fault, &asked.detail));
	return asked;
}

/* B4, B16, I3: one answer to this ask, or a fault; and a sentence that is fit to be shown. */
static void test_parts(struct kh_test *t)
{
	struct kh_reader_block block = seal(t, "b1", TASK, KH_LIT("A letter"));
	struct kh_reader_ask ask = ask_about(t, QUERY, &block, 1);

	for (size_t i = 0; i < PARTS; i++) {
		struct asked asked = ask_part(t, &ask, "/usr/bin/reader", parts[i].name, 20000);
		struct kh_view line = kh_tainted_open(asked.response);
		if (asked.fault != parts[i].wanted ||
		    kh_view_find(asked.detail, kh_view_str(parts[i].detail), 0) == SIZE_MAX)
			print_error("a Reader that %s: %d, %.*s\n", parts[i].name, asked.fault, KH_FMT(asked.detail));
		assert_int_equal(asked.fault, parts[i].wanted);
		assert_true(kh_view_find(asked.detail, kh_view_str(parts[i].detail), 0) != SIZE_MAX);
		if (asked.fault == KH_READER_OK) {
			assert_true(kh_view_starts(kh_view_str(parts[i].out), line));
			assert_true(kh_view_ends(line, KH_LIT("}")));
			assert_int_equal(asked.detail.n, 0);
		} else {
			assert_null(line.p);
			assert_true(asked.detail.n > 0);
		}
	}
}

/* E7: the program's own file, what the configuration names, and nothing that it could write to. */
static void test_request(struct kh_test *t)
{
	static const char *const programs[][2] = {{"/usr/bin/reader", "read /srv/words\""},
						  {"/bin/reader", "read /srv/words\""},
						  {"/usrlocal/reader", "read /usrlocal/reader /srv/words\""},
						  {"/opt/readers/mail", "read /opt/readers/mail /srv/words\""}};
	struct kh_reader_ask ask = ask_about(t, QUERY, NULL, 0);

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct asked asked = ask_part(t, &ask, programs[i][0], "report", 5000);
		assert_int_equal(asked.fault, KH_READER_DEAD);
		if (!kh_view_ends(asked.detail, kh_view_str(programs[i][1])))
			print_error("%s: %.*s\n", programs[i][0], KH_FMT(asked.detail));
		assert_true(kh_view_ends(asked.detail, kh_view_str(programs[i][1])));
		assert_true(kh_view_find(asked.detail,
					 KH_LIT("profile 0, 0 writes, work 0, cache 0, output 1048576, "
						"wall 5 s, "),
					 0) != SIZE_MAX);
	}
}

/* E10: nothing is started where a block is not what was sealed. */
static void test_changed_block(struct kh_test *t)
{
	struct kh_reader_block block = seal(t, "b1", TASK, KH_LIT("A letter"));
	struct kh_reader_ask ask = ask_about(t, QUERY, &block, 1);

	block.content = kh_tainted_wrap(KH_LIT("Another letter"));
	struct asked asked = ask_part(t, &ask, "/usr/bin/reader", "answers", 20000);
	assert_int_equal(asked.fault, KH_READER_CHANGED);
	assert_true(kh_view_starts(asked.detail, KH_LIT("block b1: ")));
	assert_null(kh_tainted_open(asked.response).p);
}

/* The driver's own clock: an executor that does nothing about the time does not hold it up. */
static void test_hung_executor(struct kh_test *t)
{
	struct kh_reader_ask ask = ask_about(t, QUERY, NULL, 0);
	struct asked asked = ask_part(t, &ask, "/usr/bin/reader", "hang", 50);

	assert_int_equal(asked.fault, KH_READER_LATE);
	assert_true(kh_view_find(asked.detail, KH_LIT("the executor did not end it"), 0) != SIZE_MAX);
}

/* An executor without a place is asked again until the time is over. */
static void test_busy(struct kh_test *t)
{
	struct kh_reader_ask ask = ask_about(t, QUERY, NULL, 0);
	struct asked asked = ask_part(t, &ask, "/usr/bin/reader", "busy", 100);

	assert_int_equal(asked.fault, KH_READER_DEAD);
	assert_true(kh_view_find(asked.detail, KH_LIT("busy"), 0) != SIZE_MAX);
}

/* A Reader that cannot be started is dead, and an executor that dies takes the ask with it. */
static void test_no_executor(struct kh_test *t)
{
	struct kh_view many[KH_REQUEST_ARGUMENTS + 1];
	struct kh_reader_settings settings[] = {
		{.argv = many, .argc = 1}, /* no client */
		{.client = &client, .argv = many, .argc = 0},
		{.client = &client, .argv = many, .argc = KH_REQUEST_ARGUMENTS + 1},
		{.client = &(struct kh_client){.control = -1, .pid = -1}, .argv = many, .argc = 1},
	};
	struct kh_reader_ask ask = ask_about(t, QUERY, NULL, 0);

	for (size_t i = 0; i <= KH_REQUEST_ARGUMENTS; i++)
		many[i] = KH_LIT("/usr/bin/reader");
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct kh_reader reader = {.driver = &kh_reader_command, .settings = &settings[i]};
		struct asked asked = {.fault = KH_READER_OK};
		must(t, kh_reader_command.ask(&reader, &t->arena, &ask, &asked.response, &asked.fault, &asked.detail));
		assert_int_equal(asked.fault, KH_READER_DEAD);
		assert_true(asked.detail.n > 0);
	}
}

static void test_dying_executor(struct kh_test *t)
{
	struct kh_client before = client;
	struct kh_reader_ask ask = ask_about(t, QUERY, NULL, 0);
	struct asked asked = {.fault = KH_READER_OK};

	start();
	asked = ask_part(t, &ask, "/usr/bin/reader", "die", 20000);
	close(client.control);
	assert_int_equal(waitpid(client.pid, NULL, 0), client.pid);
	client = before;
	assert_int_equal(asked.fault, KH_READER_DEAD);
	assert_true(kh_view_starts(asked.detail, KH_LIT("executor_lost: ")));
}

/* What a program writes to standard error is kept up to a point, and cannot be anything but quoted. */
static void test_long_detail(struct kh_test *t)
{
	char *text = kh_arena_alloc(&t->arena, 3 * KH_COMMAND_ERRORS);
	must(t, kh_arena_check(&t->arena));
	memset(text, '\n', 3 * KH_COMMAND_ERRORS);
	struct kh_view quoted = kh_arena_quote_most(&t->arena, kh_view_of(text, 3 * KH_COMMAND_ERRORS),
						    KH_COMMAND_ERRORS);
	must(t, kh_arena_check(&t->arena));
	assert_true(quoted.n <= KH_COMMAND_ERRORS && kh_view_ends(quoted, KH_LIT("\\u{a}\"...")));
	assert_null(memchr(quoted.p, '\n', quoted.n));
}

/* Several at once over one client: each gets its own answer. */
struct at_once {
	pthread_t thread;
	struct kh_arena arena;
	struct kh_reader_ask ask;
	struct kh_view id, part;
	bool good;
};

static void *ask_once(void *arg)
{
	struct at_once *a = arg;
	struct kh_view argv[] = {KH_LIT("/usr/bin/reader"), a->part}, detail;
	struct kh_reader_settings settings = {.client = &client, .argv = argv, .argc = 2};
	struct kh_reader reader = {.driver = &kh_reader_command, .settings = &settings};
	enum kh_reader_fault fault = KH_READER_LOST;
	struct kh_tainted response;

	a->good = true;
	for (size_t i = 0; i < 20 && a->good; i++) {
		kh_arena_clear(&a->arena);
		if (kh_reader_command.ask(&reader, &a->arena, &a->ask, &response, &fault, &detail) != KH_OK)
			fault = KH_READER_LOST;
		a->good = fault == (kh_view_eq(a->part, KH_LIT("answers")) ? KH_READER_OK : KH_READER_GARBAGE);
	}
	return NULL;
}

static void test_at_once(struct kh_test *t)
{
	struct at_once all[8];

	for (size_t i = 0; i < 8; i++) {
		all[i] = (struct at_once){.ask = ask_about(t, QUERY, NULL, 0),
					  .part = i % 2 ? KH_LIT("answers") : KH_LIT("answers another")};
		kh_arena_init(&all[i].arena, NULL, 1U << 20);
	}
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&all[i].thread, NULL, ask_once, &all[i]), 0);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(pthread_join(all[i].thread, NULL), 0);
		kh_arena_done(&all[i].arena);
		assert_true(all[i].good);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_parts),
	KH_TEST(test_request),
	KH_TEST(test_changed_block),
	KH_TEST_ONCE(test_hung_executor),
	KH_TEST_ONCE(test_busy),
	KH_TEST(test_no_executor),
	KH_TEST_ONCE(test_dying_executor),
	KH_TEST(test_long_detail),
	KH_TEST_ONCE(test_at_once),
};

int main(void)
{
	int failed;

	signal(SIGPIPE, SIG_IGN);
	start();
	failed = kh_test_main(__FILE__, cases, sizeof(cases) / sizeof(cases[0]));
	close(client.control);
	waitpid(client.pid, NULL, 0);
	return failed;
}
