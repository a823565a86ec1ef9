/*
 * I3: one ask of a model, against an executor that does as the test says; tests/system/reader_models has the real one.
 * The stand-in is a child that looks at the request and plays the part that the URL names.
 */
#include "asking.h"

#include "outside/client.h"
#include "reader/model.h"
#include "wire/channel.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY    "sk-0123456789abcdef"
#define JSON   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
#define ANSWER "{\"choices\":[{\"message\":{\"content\":\"{\\\"fields\\\":{\\\"a\\\":true}}\"}}]}"

/* --- the executor's side ------------------------------------------------------------------------------------------ */

struct part {
	const char *name;
	unsigned status;
	const char *headers, *body;
	enum kh_fault fault;
	enum kh_reader_fault wanted;
	const char *detail; /* must be in it */
};

static const struct part parts[] = {
	{"answers", 200, JSON, ANSWER, 0, KH_READER_OK, ""},
	{"types", 200, "content-TYPE:application/JSON ; charset=utf-8\r\n", ANSWER, 0, KH_READER_OK, ""},
	{"untyped", 200, "HTTP/1.1 200 OK\r\n", ANSWER, 0, KH_READER_GARBAGE, "another type"},
	{"streams", 200, "Content-Type: text/event-stream\r\n", "data: x", 0, KH_READER_GARBAGE, "streams"},
	{"refuses", 200, JSON, "{\"choices\":[{\"message\":{\"refusal\":\"no\"}}]}", 0, KH_READER_GARBAGE, "refused"},
	{"repeats", 200, JSON, "{\"choices\":[{\"message\":{\"content\":\"{\\\"a\\\":\\\"" KEY "\\\"}\"}}]}", 0,
	 KH_READER_GARBAGE, "repeats the key"},
	{"is-late", 0, NULL, NULL, KH_FAULT_TIME, KH_READER_LATE, "no answer came"},
	{"lingers", 200, JSON, "{", KH_FAULT_TIME, KH_READER_LATE, "did not end"},
	{"is-huge", 200, JSON, "{", KH_FAULT_OUTPUT, KH_READER_GARBAGE, "more than an answer can have"},
	{"is-cut", 200, JSON, ANSWER, KH_FAULT_HTTP, KH_READER_DEAD, "words of the executor"},
	{"is-away", 0, NULL, NULL, KH_FAULT_CONNECT, KH_READER_DEAD, "words of the executor"},
	{"is-nobody", 0, NULL, NULL, KH_FAULT_TLS, KH_READER_DEAD, "words of the executor"},
	{"leads", 307, "Location: x\r\n", "", 0, KH_READER_DEAD, "307 (it leads elsewhere, and is not followed)"},
	{"denies", 401, JSON, "{\"error\":{\"message\":\"secret words\"}}", 0, KH_READER_DEAD, "not accepted)"},
	{"explains", 400, JSON, "{\"error\":{\"message\":\"no \\\"such\\\"\\u001b model\"}}", 0, KH_READER_DEAD,
	 "400; it says \"no \\\"such\\\"\\u{1b} model\""},
	{"echoes", 422, JSON, "{\"error\":{\"message\":\"bad: ...456789ab...\"}}", 0, KH_READER_DEAD, "status 422"},
	{"is-lost", 404, JSON, "{}", 0, KH_READER_DEAD, "the URL of such an endpoint ends with /chat/completions)"},
	{"is-down", 503, "Retry-After: 0\r\n", "", 0, KH_READER_DEAD, "503, each time it was asked"},
	{"is-cut-down", 500, "X: y\r\n", "z", KH_FAULT_HTTP, KH_READER_DEAD, "status 500"},
	{"waits", 429, "Retry-After: 100\r\n", "", 0, KH_READER_DEAD, "asks to wait longer than there is time"},
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static _Noreturn void fail_part(int line)
{
	fprintf(stderr, "executor: line %d\n", line);
	_exit(100);
}

#define NEED(condition) ((condition) ? (void)0 : fail_part(__LINE__))

static char in[KH_MESSAGE_MAX], out_buffer[KH_MESSAGE_MAX];

static bool hear(int fd, enum kh_message_state *state, struct kh_message *message)
{
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t n = 0;

	if (kh_channel_receive_wait(fd, in, &packet, fds, &n, -1) != KH_IO_DONE)
		return false;
	NEED(kh_message_read(packet, n, state, message, NULL) == KH_OK && n == 0);
	return true;
}

static void say(int fd, struct kh_message_out *out)
{
	struct kh_view packet;

	NEED(kh_message_end(out, &packet) == KH_OK);
	(void)!kh_channel_send_wait(fd, packet, NULL, 0, -1);
}

static void say_head(int fd, const struct part *part, struct kh_view url)
{
	struct kh_message_out out;

	kh_message_begin(&out, out_buffer, sizeof(out_buffer), KH_MESSAGE_HEAD);
	kh_message_text(&out, KH_FIELD_URL, url);
	kh_message_number(&out, KH_FIELD_STATUS, part->status);
	kh_message_text(&out, KH_FIELD_HEADERS, kh_view_str(part->headers));
	say(fd, &out);
	if (part->body[0] == '\0')
		return;
	kh_message_begin(&out, out_buffer, sizeof(out_buffer), KH_MESSAGE_OUTPUT);
	kh_message_bulk(&out, kh_view_str(part->body));
	say(fd, &out);
}

static void say_end(int fd, enum kh_fault fault)
{
	struct kh_message_out out;

	kh_message_begin(&out, out_buffer, sizeof(out_buffer), KH_MESSAGE_END);
	kh_message_number(&out, KH_FIELD_FAULT, fault);
	if (fault != KH_FAULT_NONE)
		kh_message_text(&out, KH_FIELD_DETAIL, KH_LIT("words of the executor"));
	say(fd, &out);
}

/* What every request to a model must be: a POST to a granted host, with the key in one header. */
static void check_request(const struct kh_message *m)
{
	struct kh_view item;
	size_t cursor = 0, keys = 0;

	NEED(m->type == KH_MESSAGE_FETCH && m->number[KH_FIELD_METHOD] == KH_METHOD_POST);
	NEED(m->has[KH_FIELD_REDIRECTS] && m->number[KH_FIELD_REDIRECTS] == 0);
	NEED(m->number[KH_FIELD_OUTPUT] == KH_MODEL_ANSWER && m->number[KH_FIELD_WALL] > 0);
	while (kh_message_item(m, KH_FIELD_HEADER, &cursor, &item))
		keys += kh_view_eq(item, KH_LIT("Authorization: Bearer " KEY));
	NEED(keys == 1 && kh_message_count(m, KH_FIELD_HEADER) == 3);
	NEED(kh_view_find(m->text[KH_FIELD_URL], KH_LIT(KEY), 0) == SIZE_MAX);
	cursor = 0;
	NEED(kh_message_item(m, KH_FIELD_HOST, &cursor, &item) && kh_view_eq(item, KH_LIT("[::1]:80")));
}

static void serve(int fd)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message message;
	char url[256], *name = url + strlen("http://[::1]/");

	NEED(hear(fd, &state, &message));
	check_request(&message);
	snprintf(url, sizeof(url), "%.*s", KH_FMT(message.text[KH_FIELD_URL]));
	if (strcmp(name, "die") == 0)
		_exit(0);
	if (strcmp(name, "busy") == 0)
		say_end(fd, KH_FAULT_BUSY);
	while (strcmp(name, "hang") == 0 && hear(fd, &state, &message))
		;
	for (size_t i = 0; i < PARTS; i++) {
		if (strcmp(name, parts[i].name) != 0)
			continue;
		while (i % 2 == 0 && state == KH_STATE_REQUEST_FED && hear(fd, &state, &message))
			; /* the others do not even read what they are sent */
		if (parts[i].status != 0)
			say_head(fd, &parts[i], kh_view_str(url));
		say_end(fd, parts[i].fault);
	}
	close(fd);
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
		NEED(kh_message_read(packet, n, &state, &message, NULL) == KH_OK && n == 1);
		serve(fds[0]);
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

/* The Reader whose endpoint plays this part. */
static struct kh_reader model(struct kh_test *t, const char *name, uint64_t timeout_ms)
{
	struct kh_reader_settings *settings = KH_NEW(&t->arena, struct kh_reader_settings);
	struct kh_reader reader = {.driver = &kh_reader_openai, .settings = settings};

	must(t, kh_arena_check(&t->arena));
	*settings = (struct kh_reader_settings){.client = &client,
						.url = kh_arena_printf(&t->arena, "http://[::1]/%s", name),
						.model = KH_LIT("m"),
						.key = KH_LIT(KEY),
						.local = true,
						.schema = true,
						.retries = 1,
						.timeout_ms = timeout_ms};
	must(t, kh_arena_check(&t->arena));
	return reader;
}

static struct asked ask_part(struct kh_test *t, const char *name, uint64_t timeout_ms)
{
	struct kh_reader_block block = seal(t, "b1", TASK, KH_LIT("A letter"));
	struct kh_reader_ask ask = ask_about(t, QUERY, &block, 1);
	struct kh_reader reader = model(t, name, timeout_ms);
	struct asked asked = {.fault = (enum kh_reader_fault)99};

	must(t, reader.driver->ask(&reader, &t->arena, &ask, &asked.response, &asked.fault, &asked.detail));
	return asked;
}

/* B4, B16: one answer, or a fault and a sentence that is fit to be shown and has no key in it. */
static void ask_some(struct kh_test *t, bool retried)
{
	for (size_t i = 0; i < PARTS; i++) {
		bool is_slow = parts[i].status >= 500;
		if (is_slow != retried)
			continue;
		struct asked asked = ask_part(t, parts[i].name, 20000);
		if (asked.fault != parts[i].wanted ||
		    kh_view_find(asked.detail, kh_view_str(parts[i].detail), 0) == SIZE_MAX)
			print_error("a model that %s: %d, %.*s\n", parts[i].name, asked.fault, KH_FMT(asked.detail));
		assert_int_equal(asked.fault, parts[i].wanted);
		assert_true(kh_view_find(asked.detail, kh_view_str(parts[i].detail), 0) != SIZE_MAX);
		assert_true(kh_view_find(asked.detail, KH_LIT("456789ab"), 0) == SIZE_MAX);
		assert_true(kh_view_find(asked.detail, KH_LIT("secret words"), 0) == SIZE_MAX);
		if (asked.fault == KH_READER_OK)
			assert_view(kh_tainted_open(asked.response), "{\"fields\":{\"a\":true}}");
		else
			assert_null(kh_tainted_open(asked.response).p);
		assert_int_equal(asked.fault == KH_READER_OK, asked.detail.n == 0);
	}
}

static void test_parts(struct kh_test *t)
{
	ask_some(t, false);
}

/* Those that are asked again after a pause. */
static void test_retried(struct kh_test *t)
{
	ask_some(t, true);
}

/* The driver's own clock: an executor that does nothing about the time does not hold it up; nor one without a place. */
static void test_held_up(struct kh_test *t)
{
	struct asked asked = ask_part(t, "hang", 50);

	assert_int_equal(asked.fault, KH_READER_LATE);
	assert_true(kh_view_find(asked.detail, KH_LIT("the executor did not end it"), 0) != SIZE_MAX);
	asked = ask_part(t, "busy", 100);
	assert_int_equal(asked.fault, KH_READER_DEAD);
	assert_true(kh_view_starts(asked.detail, KH_LIT("busy: ")));
}

/* I8: what is given back to the system has no key in it, whatever came of the ask.  In CTX: how often it had. */
static void *give_back(void *ctx, void *p, size_t old, size_t n)
{
	if (p != NULL && n == 0 && memmem(p, old, KEY, strlen(KEY)) != NULL)
		++*(size_t *)ctx;
	return kh_alloc_system.resize(kh_alloc_system.ctx, p, old, n);
}

static void test_wiped(struct kh_test *t)
{
	static const char *const names[] = {"answers", "is-late", "denies", "is-away", "explains"};
	struct kh_reader_ask ask = ask_about(t, QUERY, NULL, 0);
	size_t found = 0;
	const struct kh_alloc watching = {.resize = give_back, .ctx = &found};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct kh_reader reader = model(t, names[i], 20000);
		struct kh_arena arena;
		struct asked asked;
		kh_arena_init(&arena, &watching, 1U << 20);
		assert_int_equal(
			reader.driver->ask(&reader, &arena, &ask, &asked.response, &asked.fault, &asked.detail), KH_OK);
		kh_arena_done(&arena);
		assert_int_equal(found, 0);
	}
}

static void test_dying_executor(struct kh_test *t)
{
	struct kh_client before = client;

	start();
	struct asked asked = ask_part(t, "die", 20000);
	close(client.control);
	assert_int_equal(waitpid(client.pid, NULL, 0), client.pid);
	client = before;
	assert_int_equal(asked.fault, KH_READER_DEAD);
	assert_true(kh_view_starts(asked.detail, KH_LIT("executor_lost: ")));
}

/* What no request could hold is not sent. */
static void test_unusable(struct kh_test *t)
{
	char *key = kh_arena_alloc(&t->arena, KH_MODEL_KEY + 1);
	struct kh_reader_settings settings[] = {
		{.url = KH_LIT("http://[::1]/answers"), .local = true}, /* no client */
		{.client = &client, .url = KH_LIT("nowhere")},
		{.client = &client, .url = KH_LIT("http://[::1]/answers")}, /* not local */
		{.client = &client, .url = KH_LIT("https://a.example/"), .key = {key, KH_MODEL_KEY + 1}},
	};
	struct kh_reader_ask ask = ask_about(t, QUERY, NULL, 0);

	must(t, kh_arena_check(&t->arena));
	memset(key, 'k', KH_MODEL_KEY + 1);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct kh_reader reader = {.driver = &kh_reader_openai, .settings = &settings[i]};
		struct asked asked = {.fault = KH_READER_OK};
		must(t, kh_reader_openai.ask(&reader, &t->arena, &ask, &asked.response, &asked.fault, &asked.detail));
		assert_int_equal(asked.fault, KH_READER_DEAD);
		assert_view(asked.detail, "it is not configured so that it could be asked");
	}
}

/* The limit in tokens: the Reader's own, or one that the longest answer fits into. */
static void test_tokens(struct kh_test *t)
{
	struct kh_reader_settings settings = {.max_tokens = 0};
	struct kh_reader reader = {.settings = &settings};

	assert_true(kh_model_tokens(&reader, query_of(t, QUERY)) >= KH_MODEL_TOKENS);
	assert_true(kh_model_tokens(&reader, query_of(t, "{\"category\":3,\"directive\":\"Say.\",\"max_words\":500}")) >
		    10000);
	settings.max_tokens = 5;
	assert_int_equal(kh_model_tokens(&reader, query_of(t, QUERY)), 5);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_parts),    KH_TEST_ONCE(test_retried),        KH_TEST_ONCE(test_held_up), KH_TEST_ONCE(test_wiped),
	KH_TEST(test_unusable), KH_TEST_ONCE(test_dying_executor), KH_TEST(test_tokens),
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
