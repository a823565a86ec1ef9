/* U1: servers are started when they are needed, again when they have died, not too often; each life has one end. */
#include "player.h"

#include "base/clock.h"
#include "outside/server.h"

#include <pthread.h>
#include <stdatomic.h>

#define LIVES 64

/* What a server's user saw. */
struct seen {
	pthread_mutex_t lock;
	unsigned ends[LIVES]; /* of each life */
	enum kh_fault fault;  /* of the last */
	char output[4096];
	size_t n;
	char errors[64];
	atomic_uint kept;
	bool refuses;              /* takes no output */
	struct kh_server *replies; /* sends to it once, from the thread */
};

static bool take(void *context, uint64_t life, struct kh_tainted bytes)
{
	struct seen *seen = context;
	struct kh_view piece = kh_tainted_open(bytes);

	pthread_mutex_lock(&seen->lock);
	bool taken = !seen->refuses && seen->n + piece.n < sizeof(seen->output);
	if (taken) {
		memcpy(seen->output + seen->n, piece.p, piece.n);
		seen->n += piece.n;
	}
	assert_true(life > 0 && life < LIVES && seen->ends[life] == 0); /* nothing after the end */
	struct kh_server *to = taken ? seen->replies : NULL;
	seen->replies = NULL;
	pthread_mutex_unlock(&seen->lock);
	if (to != NULL)
		assert_int_equal(kh_server_send(to, KH_LIT("again\n"), &life, NULL), KH_OK);
	return taken;
}

static void ended(void *context, uint64_t life, const struct kh_server_end *end)
{
	struct seen *seen = context;
	struct kh_view errors = kh_tainted_open(end->errors);

	pthread_mutex_lock(&seen->lock);
	assert_true(life > 0 && life < LIVES);
	seen->ends[life]++;
	seen->fault = end->end.fault;
	memcpy(seen->errors, errors.n > 0 ? errors.p : "", errors.n);
	seen->errors[errors.n] = '\0';
	pthread_mutex_unlock(&seen->lock);
}

static void kept(void *context, uint64_t life, const struct kh_server_end *kept)
{
	struct seen *seen = context;

	pthread_mutex_lock(&seen->lock);
	assert_true(life > 0 && kept->written == 10 && kept->end.sent == 77);
	assert_view(kh_tainted_open(kept->errors), "last words");
	assert_string_equal(kept->end.detail, "host:443: refused");
	seen->kept++;
	pthread_mutex_unlock(&seen->lock);
}

/* A client, the servers, and one server that does WORD. */
struct scene {
	struct kh_client client;
	struct kh_server_all *all;
	struct kh_server *server;
	struct kh_run run;
	struct seen seen;
	size_t descriptors; /* before */
};

static void set_up(struct kh_test *t, struct scene *s, const char *word, unsigned starts)
{
	struct kh_client_settings settings = {.program = program, .pool = PART_SERVERS};

	*s = (struct scene){.run = {.profile = KH_PROFILE_SERVER, .argv = {kh_view_str(word)}, .argc = 1},
			    .descriptors = descriptors()};
	pthread_mutex_init(&s->seen.lock, NULL);
	must(t, kh_client_start(&s->client, &settings, &t->err));
	must(t, kh_server_all_new(&s->client, &s->all, &t->err));
	struct kh_server_settings one = {.run = &s->run,
					 .context = &s->seen,
					 .take = take,
					 .ended = ended,
					 .kept = kept,
					 .starts = starts,
					 .pause_ms = 40,
					 .longest_ms = 160};
	must(t, kh_server_new(s->all, &one, &s->server, &t->err));
}

static void tear_down(struct scene *s)
{
	kh_server_free(s->server);
	kh_server_all_free(s->all);
	kh_client_stop(&s->client);
	pthread_mutex_destroy(&s->seen.lock);
	assert_int_equal(descriptors(), s->descriptors);
	assert_no_child();
}

/* Waits until the last life has COUNT ends, or OUTPUT has come. */
static void await_end(struct scene *s, uint64_t life, unsigned count)
{
	unsigned got = 0;

	for (int i = 0; i < 10000 && got < count; i++) {
		pthread_mutex_lock(&s->seen.lock);
		got = s->seen.ends[life];
		pthread_mutex_unlock(&s->seen.lock);
		usleep(1000);
	}
	assert_int_equal(got, count);
}

static void await_output(struct scene *s, size_t n)
{
	size_t got = 0;

	for (int i = 0; i < 10000 && got < n; i++) {
		pthread_mutex_lock(&s->seen.lock);
		got = s->seen.n;
		pthread_mutex_unlock(&s->seen.lock);
		usleep(1000);
	}
	assert_int_equal(got, n);
}

static void test_life(struct kh_test *t)
{
	struct scene s;
	uint64_t life = 0;

	set_up(t, &s, "echo", 0);
	assert_int_equal(kh_server_state(s.server).phase, KH_SERVER_DOWN); /* not before it is needed */
	assert_false(kh_server_recall(s.server));
	must(t, kh_server_send(s.server, KH_LIT("one\n"), &life, &t->err));
	assert_int_equal(life, 1);
	assert_int_equal(kh_server_state(s.server).phase, KH_SERVER_UP);
	await_output(&s, 4);
	must(t, kh_server_send(s.server, KH_LIT("two\n"), &life, &t->err));
	await_output(&s, 8);
	assert_memory_equal(s.seen.output, "one\ntwo\n", 8);
	assert_true(kh_server_recall(s.server));
	for (int i = 0; i < 5000 && s.seen.kept == 0; i++)
		usleep(1000);
	assert_int_equal(s.seen.kept, 1);
	/* It is stopped, and that is no failure: the next send starts it at once. */
	kh_server_stop(s.server);
	await_end(&s, 1, 1);
	assert_int_equal(s.seen.fault, KH_FAULT_CANCELLED);
	must(t, kh_server_send(s.server, KH_LIT("three\n"), &life, &t->err));
	assert_int_equal(life, 2);
	await_output(&s, 14);
	tear_down(&s);
	assert_int_equal(s.seen.ends[1], 1);
	assert_int_equal(s.seen.ends[2], 1); /* by the tear-down */
}

/* After each failure the pause is twice as long; too many hold it, until it is released. */
static void test_failures(struct kh_test *t)
{
	struct scene s;
	uint64_t life = 0;
	int64_t pauses[8], before;

	set_up(t, &s, "die", 5);
	for (uint64_t i = 1; i <= 5; i++) {
		before = kh_clock_ms();
		while (kh_server_send(s.server, KH_LIT("x\n"), &life, &t->err) != KH_OK) {
			assert_string_equal(t->err.code, "server_paused");
			assert_non_null(strstr(t->err.detail, "status 3"));
			assert_true(kh_clock_ms() - before < 5000);
			if (kh_server_state(s.server).phase == KH_SERVER_PAUSED) {
				usleep(1000);
				continue;
			}
			/* The pause ended just then. */
			must(t, kh_server_send(s.server, KH_LIT("x\n"), &life, &t->err));
			break;
		}
		pauses[i] = kh_clock_ms() - before;
		assert_int_equal(life, i);
		await_end(&s, life, 1);
		assert_string_equal(s.seen.errors, "last words");
	}
	assert_true(pauses[1] < 40 && pauses[2] >= 30 && pauses[3] >= 70 && pauses[4] >= 150 && pauses[5] >= 150);
	must_fail(t, KH_EREFUSED, kh_server_send(s.server, KH_LIT("x\n"), &life, &t->err));
	assert_string_equal(t->err.code, "server_held");
	assert_non_null(strstr(t->err.detail, "5 times"));
	assert_non_null(strstr(t->err.detail, "status 3"));
	usleep(200000); /* no pause ends that */
	must_fail(t, KH_EREFUSED, kh_server_send(s.server, KH_LIT("x\n"), &life, &t->err));
	struct kh_server_state state = kh_server_state(s.server);
	assert_int_equal(state.phase, KH_SERVER_HELD);
	assert_non_null(strstr(state.why, "status 3"));
	kh_server_release(s.server);
	must(t, kh_server_send(s.server, KH_LIT("x\n"), &life, &t->err));
	assert_int_equal(life, 6);
	await_end(&s, 6, 1);
	tear_down(&s);
	for (size_t i = 1; i <= 6; i++)
		assert_int_equal(s.seen.ends[i], 1);
}

/* A life that ended because nothing came for it is followed by the next at once, however often. */
static void test_idle(struct kh_test *t)
{
	struct scene s;
	uint64_t life = 0;

	set_up(t, &s, "idle", 2);
	for (uint64_t i = 1; i <= 6; i++) {
		must(t, kh_server_send(s.server, KH_LIT("x\n"), &life, &t->err));
		assert_int_equal(life, i);
		await_end(&s, life, 1);
		assert_int_equal(s.seen.fault, KH_FAULT_IDLE);
	}
	tear_down(&s);
}

/* An executor that is lost is not the server's failure: there is a pause, but it is never held. */
static void test_lost(struct kh_test *t)
{
	struct scene s;
	uint64_t life = 0;

	set_up(t, &s, "lost", 2);
	for (uint64_t i = 1; i <= 4; i++) {
		while (kh_server_send(s.server, KH_LIT("x\n"), &life, &t->err) != KH_OK) {
			assert_string_equal(t->err.code, "server_paused");
			usleep(1000);
		}
		assert_int_equal(life, i);
		await_end(&s, life, 1);
		assert_int_equal(s.seen.fault, KH_FAULT_LOST);
	}
	/* And if there is none any more. */
	kill(s.client.pid, SIGKILL);
	while (kh_server_send(s.server, KH_LIT("x\n"), &life, &t->err) != KH_OK)
		usleep(1000);
	await_end(&s, life, 1);
	assert_true(s.seen.fault == KH_FAULT_ABSENT || s.seen.fault == KH_FAULT_LOST);
	tear_down(&s);
}

/* A server that does not read: what waits for it is bounded, and it can still be ended. */
static void test_deaf(struct kh_test *t)
{
	static char much[1 << 20];
	struct scene s;
	uint64_t life = 0;
	size_t sent = 0;
	enum kh_err e;

	memset(much, 'x', sizeof(much));
	set_up(t, &s, "deaf", 0);
	while ((e = kh_server_send(s.server, kh_view_of(much, sizeof(much)), &life, &t->err)) == KH_OK &&
	       sent < 1U << 28)
		sent += sizeof(much);
	assert_int_equal(e, KH_ELIMIT);
	assert_string_equal(t->err.code, "server_busy");
	assert_true(sent >= KH_SERVER_QUEUE - sizeof(much) && sent <= KH_SERVER_QUEUE + (4U << 20));
	kh_server_stop(s.server);
	await_end(&s, 1, 1);
	tear_down(&s);
}

/* A user that takes no output: it is given again, whole, when he does. */
static void test_not_now(struct kh_test *t)
{
	struct scene s;
	uint64_t life = 0;

	set_up(t, &s, "echo", 0);
	s.seen.refuses = true;
	must(t, kh_server_send(s.server, KH_LIT("one\n"), &life, &t->err));
	must(t, kh_server_send(s.server, KH_LIT("two\n"), &life, &t->err));
	usleep(50000);
	assert_int_equal(s.seen.n, 0);
	pthread_mutex_lock(&s.seen.lock);
	s.seen.refuses = false;
	s.seen.replies = s.server;
	pthread_mutex_unlock(&s.seen.lock);
	kh_server_resume(s.server);
	await_output(&s, 14);
	assert_memory_equal(s.seen.output, "one\ntwo\nagain\n", 14);
	tear_down(&s);
}

/* --- from many threads -------------------------------------------------------------------------------------------- */

struct sender {
	struct kh_server *server;
	atomic_uint *sent, *refused;
};

static void *send_many(void *arg)
{
	struct sender *sender = arg;
	struct kh_error err;
	uint64_t life;

	for (int i = 0; i < 40; i++) {
		if (kh_server_send(sender->server, KH_LIT("12345678"), &life, &err) == KH_OK)
			atomic_fetch_add(sender->sent, 1);
		else
			atomic_fetch_add(sender->refused, 1);
		if (i % 16 == 7)
			(void)kh_server_recall(sender->server);
	}
	return NULL;
}

static void test_threads(struct kh_test *t)
{
	enum { THREADS = 8 };
	struct scene s;
	pthread_t threads[THREADS];
	atomic_uint sent = 0, refused = 0;

	set_up(t, &s, "echo", 0);
	struct sender sender = {s.server, &sent, &refused};
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, send_many, &sender), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(refused, 0);
	await_output(&s, 8 * (size_t)sent);
	/* Nothing was torn apart. */
	for (size_t i = 0; i < s.seen.n; i++)
		assert_int_equal(s.seen.output[i], '1' + (char)(i % 8));
	assert_int_equal(kh_server_state(s.server).life, 1);
	tear_down(&s);
}

/* Stopped and needed again, all the time: every life that was promised has one end. */
static void *stop_often(void *arg)
{
	for (int i = 0; i < 30; i++) {
		kh_server_stop(arg);
		usleep(700);
	}
	return NULL;
}

static void test_stops(struct kh_test *t)
{
	struct scene s;
	pthread_t thread;
	uint64_t life = 0, last = 0;

	set_up(t, &s, "echo", 0);
	assert_int_equal(pthread_create(&thread, NULL, stop_often, s.server), 0);
	for (int i = 0; i < 60; i++) {
		must(t, kh_server_send(s.server, KH_LIT("x"), &life, &t->err));
		assert_true(life >= last && life <= last + 1);
		last = life;
		usleep(300);
	}
	pthread_join(thread, NULL);
	tear_down(&s);
	for (uint64_t i = 1; i < LIVES; i++)
		assert_int_equal(s.seen.ends[i], i <= last);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_life), KH_TEST_ONCE(test_failures), KH_TEST_ONCE(test_idle),    KH_TEST_ONCE(test_lost),
	KH_TEST_ONCE(test_deaf), KH_TEST_ONCE(test_not_now),  KH_TEST_ONCE(test_threads), KH_TEST_ONCE(test_stops),
};

int main(int argc, char **argv, char **environment)
{
	return play_or_test(__FILE__, cases, sizeof(cases) / sizeof(cases[0]), argc, argv, environment);
}
