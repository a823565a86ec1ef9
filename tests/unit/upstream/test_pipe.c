/*
 * U3: requests to a server over stdio, each with one end.
 *
 * The server is played (outside/player.h): `echo` gives back what it is sent.  So a request comes back as a request of
 * the server; it is answered, the answer comes back, too, and is the response.
 */
#include "outside/player.h"

#include "base/clock.h"
#include "upstream/pipe.h"

#include <pthread.h>
#include <stdatomic.h>

struct scene {
	struct kh_client client;
	struct kh_server_all *all;
	struct kh_pipe *pipe;
	struct kh_run run;
	atomic_uint notes;
	struct kh_upstream_response response; /* to the last question */
	uint64_t life;
	size_t descriptors; /* before */
};

static void heard(void *context, struct kh_view method)
{
	struct scene *s = context;

	assert_view(method, "notifications/x");
	atomic_fetch_add(&s->notes, 1);
}

static void set_up(struct kh_test *t, struct scene *s, const char *word, const struct kh_alloc *alloc, uint64_t longest)
{
	struct kh_client_settings settings = {.program = program, .pool = PART_SERVERS};

	*s = (struct scene){.run = {.profile = KH_PROFILE_SERVER, .argv = {kh_view_str(word)}, .argc = 1},
			    .descriptors = descriptors()};
	must(t, kh_client_start(&s->client, &settings, &t->err));
	must(t, kh_server_all_new(&s->client, &s->all, &t->err));
	struct kh_pipe_settings pipe = {
		.alloc = alloc, .servers = s->all, .run = &s->run, .longest = longest, .context = s, .heard = heard};
	must(t, kh_pipe_new(&pipe, &s->pipe, &t->err));
}

static void tear_down(struct scene *s)
{
	kh_pipe_free(s->pipe);
	kh_server_all_free(s->all);
	kh_client_stop(&s->client);
	assert_int_equal(descriptors(), s->descriptors);
	assert_no_child();
}

/* Asks for METHOD with the id NUMBER, in LIFE, and waits up to MS. */
static enum kh_err ask(struct scene *s, struct kh_arena *arena, unsigned number, const char *method, uint64_t life,
		       int64_t ms)
{
	struct kh_upstream_request request = {
		.method = method,
		.id = kh_arena_printf(arena, "%u", number),
		.message = kh_arena_printf(arena, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\"}\n", number,
					   method),
		.version = KH_MCP_2025_11_25,
		.life = life,
		.until_ms = kh_clock_ms() + ms,
	};

	enum kh_err e = kh_arena_check(arena);
	return e == KH_OK ? kh_pipe_ask(s->pipe, &request, arena, &s->response, &s->life) : e;
}

static void assert_came(const struct scene *s, const char *text)
{
	assert_int_equal(s->response.end, KH_RESPONSE_CAME);
	assert_view(kh_tainted_open(s->response.message), text);
}

static void test_ask(struct kh_test *t)
{
	struct scene s;

	set_up(t, &s, "echo", &kh_alloc_system, 0);
	assert_false(kh_pipe_is_current(s.pipe, 1));
	must(t, ask(&s, &t->arena, 1, "ping", 0, 20000));
	assert_came(&s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	assert_int_equal(s.life, 1);
	assert_true(kh_pipe_is_current(s.pipe, 1));
	must(t, ask(&s, &t->arena, 2, "roots/list", 1, 20000));
	assert_came(&s, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"roots\":[]}}");
	/* A notification is heard by its name; a response for nobody is counted. */
	assert_true(kh_pipe_tell(s.pipe, KH_LIT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n"), 1));
	assert_true(kh_pipe_tell(s.pipe, KH_LIT("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n"), 1));
	must(t, ask(&s, &t->arena, 3, "ping", 1, 20000));
	assert_int_equal(s.notes, 1);
	assert_int_equal(kh_pipe_strays(s.pipe), 1);
	/* Nothing goes to another life. */
	assert_false(kh_pipe_tell(s.pipe, KH_LIT("{}\n"), 2));
	must(t, ask(&s, &t->arena, 4, "ping", 2, 20000));
	assert_int_equal(s.response.end, KH_RESPONSE_OVER);
	assert_string_equal(s.response.code, "server_over");
	tear_down(&s);
}

/* The life ends before the answer: how, and what it said last. */
static void test_ends(struct kh_test *t)
{
	static const struct {
		const char *word, *code, *said;
	} lives[] = {
		{"die", "server_gone", "last words"}, {"idle", "idle", "last words"}, {"lost", "executor_lost", ""}};

	for (size_t i = 0; i < 3; i++) {
		struct scene s;
		set_up(t, &s, lives[i].word, &kh_alloc_system, 0);
		must(t, ask(&s, &t->arena, 1, "ping", 0, 20000));
		assert_int_equal(s.response.end, KH_RESPONSE_LOST);
		assert_string_equal(s.response.code, lives[i].code);
		assert_true(s.response.why.n > 0);
		assert_view(kh_tainted_open(s.response.said), lives[i].said);
		assert_false(kh_pipe_is_current(s.pipe, 1));
		must(t, ask(&s, &t->arena, 2, "ping", 1, 20000));
		assert_int_equal(s.response.end, KH_RESPONSE_OVER);
		tear_down(&s);
	}
}

static void test_timeout(struct kh_test *t)
{
	struct scene s;
	int64_t before = kh_clock_ms();

	set_up(t, &s, "deaf", &kh_alloc_system, 0);
	must(t, ask(&s, &t->arena, 1, "ping", 0, 50));
	assert_int_equal(s.response.end, KH_RESPONSE_LOST);
	assert_string_equal(s.response.code, "upstream_timeout");
	assert_true(kh_clock_ms() - before >= 50);
	must(t, ask(&s, &t->arena, 2, "ping", 1, -1000)); /* its time was over before */
	assert_string_equal(s.response.code, "upstream_timeout");
	tear_down(&s);
}

/* What is in no form of a worker's ends the life, and whoever waits is told why. */
static void test_broken(struct kh_test *t)
{
	static const struct {
		struct kh_view line;
		const char *why;
	} broken[] = {{KH_LIT_INIT("hello\n"), "in the form of its worker"},
		      {KH_LIT_INIT("\n"), "in the form of its worker"},
		      {KH_LIT_INIT("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\""), "too long"}};
	static char much[4000];

	memset(much, 'x', sizeof(much));
	for (size_t i = 0; i < 3; i++) {
		struct scene s;
		set_up(t, &s, "echo", &kh_alloc_system, 10000);
		must(t, ask(&s, &t->arena, 1, "ping", 0, 20000));
		assert_true(kh_pipe_tell(s.pipe, broken[i].line, 1));
		for (int more = 0; i == 2 && more < 3; more++)
			(void)kh_pipe_tell(s.pipe, kh_view_of(much, sizeof(much)), 1);
		must(t, ask(&s, &t->arena, 2, "ping", 1, 20000));
		if (s.response.end == KH_RESPONSE_LOST) { /* else it was over already */
			assert_string_equal(s.response.code, "bad_message");
			assert_non_null(strstr(s.response.why.p, broken[i].why));
		} else {
			assert_int_equal(s.response.end, KH_RESPONSE_OVER);
		}
		/* It was not its failure: the next life begins at once. */
		for (int tries = 0; tries < 1000 && kh_pipe_is_current(s.pipe, 1); tries++)
			usleep(1000);
		must(t, ask(&s, &t->arena, 3, "ping", 0, 20000));
		assert_came(&s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
		assert_int_equal(s.life, 2);
		tear_down(&s);
	}
}

/* An allocator that fails for lines of this size, in whatever thread. */
static void *resize(void *context, void *p, size_t old, size_t n)
{
	return n > 60 && n < 100 && atomic_load((atomic_bool *)context) ? NULL
									: kh_alloc_system.resize(NULL, p, old, n);
}

/* No memory for a response: it is lost, and the others go on in the next life. */
static void test_memory(struct kh_test *t)
{
	atomic_bool fails = false;
	struct kh_alloc alloc = {.resize = resize, .ctx = &fails};
	struct scene s;

	set_up(t, &s, "echo", &alloc, 0);
	must(t, ask(&s, &t->arena, 1, "ping", 0, 20000));
	assert_int_equal(s.response.end, KH_RESPONSE_CAME);
	fails = true;
	must(t, ask(&s, &t->arena, 2, "no/such/method", 1, 20000));
	assert_int_equal(s.response.end, KH_RESPONSE_LOST);
	assert_string_equal(s.response.code, "bad_message");
	assert_non_null(strstr(s.response.why.p, "no memory"));
	fails = false;
	must(t, ask(&s, &t->arena, 3, "no/such/method", 0, 20000));
	assert_int_equal(s.response.end, KH_RESPONSE_CAME);
	tear_down(&s);
}

/* --- from many threads -------------------------------------------------------------------------------------------- */

struct asker {
	struct scene scene; /* a copy: each has its own response */
	unsigned first;
	unsigned came;
	pthread_t thread;
};

static void *ask_many(void *context)
{
	struct asker *asker = context;
	struct kh_arena arena;
	char want[64];

	kh_arena_init(&arena, &kh_alloc_system, 1U << 20);
	for (unsigned i = 0; i < 100; i++) {
		unsigned number = asker->first + i;
		snprintf(want, sizeof(want), "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{}}", number);
		if (ask(&asker->scene, &arena, number, "ping", 1, 60000) == KH_OK &&
		    asker->scene.response.end == KH_RESPONSE_CAME &&
		    kh_view_eq(kh_tainted_open(asker->scene.response.message), kh_view_str(want)))
			asker->came++;
		kh_arena_clear(&arena);
	}
	kh_arena_done(&arena);
	return NULL;
}

static void test_threads(struct kh_test *t)
{
	struct asker askers[16];
	struct scene s;

	set_up(t, &s, "echo", &kh_alloc_system, 0);
	must(t, ask(&s, &t->arena, 1, "ping", 0, 20000));
	for (unsigned i = 0; i < 16; i++) {
		askers[i] = (struct asker){.first = 1000 * (i + 1)};
		askers[i].scene.pipe = s.pipe;
		assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_many, &askers[i]), 0);
	}
	for (unsigned i = 0; i < 16; i++) {
		pthread_join(askers[i].thread, NULL);
		assert_int_equal(askers[i].came, 100);
	}
	assert_int_equal(kh_pipe_strays(s.pipe), 0);
	tear_down(&s);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_ask),    KH_TEST_ONCE(test_ends),   KH_TEST_ONCE(test_timeout),
	KH_TEST_ONCE(test_broken), KH_TEST_ONCE(test_memory), KH_TEST_ONCE(test_threads),
};

int main(int argc, char **argv, char **environment)
{
	return play_or_test(__FILE__, cases, sizeof(cases) / sizeof(cases[0]), argc, argv, environment);
}
