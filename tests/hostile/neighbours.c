/*
 * One executor, and hostile programs beside others: every attack is a request to the same executor; a quiet neighbour
 * runs all the while and must still answer at the end; and after each attack a small request must work.
 *
 * `hostile-neighbours KEYHOLE HOSTILE` prints a line for each fault, and `N passed, N failed`.
 */
#include "outside/client.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define PATIENCE_MS 60000 /* nothing here takes as long; what does never ends */
#define MIB         (UINT64_C(1) << 20)

static int passed, failed;

static void check(bool good, const char *name, const char *what)
{
	passed += good;
	failed += !good;
	if (!good)
		printf("FAIL neighbours: %s: %s\n", name, what);
}

/* What a request came to. */
struct outcome {
	struct kh_end end;
	char output[256]; /* its beginning */
	size_t n;
	bool ended;
};

static void drain(struct kh_exchange *exchange, struct outcome *outcome)
{
	static struct kh_event event;

	for (;;) {
		struct kh_view bytes;

		kh_exchange_next(exchange, PATIENCE_MS, &event);
		if (event.kind == KH_EVENT_NOTHING)
			return;
		if (event.kind == KH_EVENT_END)
			break;
		if (event.kind != KH_EVENT_OUTPUT)
			continue;
		bytes = kh_tainted_open(event.bytes);
		for (size_t i = 0; i < bytes.n && outcome->n < sizeof(outcome->output) - 1; i++)
			if (bytes.p[i] != '\0')
				outcome->output[outcome->n++] = bytes.p[i];
	}
	outcome->ended = true;
	outcome->end = event.end;
}

static bool ask(const struct kh_client *client, const struct kh_run *run, struct kh_exchange *exchange)
{
	struct kh_error err;

	if (kh_client_run(client, run, exchange, &err) == KH_OK)
		return true;
	check(false, "a request", err.detail);
	return false;
}

static void small_request(const struct kh_client *client, const char *after)
{
	static struct kh_exchange exchange;
	static struct kh_run run;
	struct outcome outcome = {.ended = false};

	run = (struct kh_run){.argv = {KH_LIT("/bin/echo"), KH_LIT("well")}, .argc = 2};
	if (!ask(client, &run, &exchange))
		return;
	(void)kh_exchange_feed_end(&exchange);
	drain(&exchange, &outcome);
	kh_exchange_close(&exchange);
	check(outcome.ended && outcome.end.fault == KH_FAULT_NONE && strcmp(outcome.output, "well\n") == 0, after,
	      outcome.ended ? kh_fault_name(outcome.end.fault) : "the next request does not end");
}

/* --- attacks ------------------------------------------------------------------------------------------------------ */

enum want {
	REFUSED, /* it says ok */
	KILLED,  /* by SIGSYS */
	ENDED,   /* by a limit, or by itself: any END will do */
};

static const struct attempt {
	enum kh_profile profile;
	enum want want;
	const char *name, *argument;
} attempts[] = {
	{KH_PROFILE_RUN, REFUSED, "other_processes", NULL},
	{KH_PROFILE_RUN, REFUSED, "keyrings", NULL},
	{KH_PROFILE_RUN, REFUSED, "subsystems", NULL},
	{KH_PROFILE_RUN, REFUSED, "mounts", NULL},
	{KH_PROFILE_RUN, REFUSED, "namespaces", NULL},
	{KH_PROFILE_RUN, REFUSED, "machine", NULL},
	{KH_PROFILE_RUN, REFUSED, "privileges", NULL},
	{KH_PROFILE_RUN, REFUSED, "sockets", NULL},
	{KH_PROFILE_RUN, REFUSED, "hidden", NULL},
	{KH_PROFILE_RUN, REFUSED, "writing", NULL},
	{KH_PROFILE_RUN, REFUSED, "changing", NULL},
	{KH_PROFILE_RUN, REFUSED, "others_in_proc", NULL},
	{KH_PROFILE_RUN, REFUSED, "signals", NULL},
	{KH_PROFILE_RUN, REFUSED, "descriptors", "3"},
	{KH_PROFILE_RUN, REFUSED, "environment", NULL},
	{KH_PROFILE_RUN, REFUSED, "identity", NULL},
	{KH_PROFILE_RUN, REFUSED, "noise", NULL},
	{KH_PROFILE_RUN, REFUSED, "core_dump", NULL},
	{KH_PROFILE_RUN, REFUSED, "daemon", NULL},
	{KH_PROFILE_RUN, REFUSED, "forks", "40"},
	{KH_PROFILE_RUN, REFUSED, "private_memory", "64"},
	{KH_PROFILE_RUN, REFUSED, "disk", "16"},
	{KH_PROFILE_RUN, REFUSED, "inodes", "20000"},
	{KH_PROFILE_SERVER, REFUSED, "other_processes", NULL},
	{KH_PROFILE_SERVER, REFUSED, "keyrings", NULL},
	{KH_PROFILE_SERVER, REFUSED, "mounts", NULL},
	{KH_PROFILE_SERVER, REFUSED, "namespaces", NULL},
	{KH_PROFILE_SERVER, REFUSED, "privileges", NULL},
	{KH_PROFILE_SERVER, REFUSED, "sockets", NULL},
	{KH_PROFILE_SERVER, REFUSED, "others_loopback", "7777"},
	{KH_PROFILE_SERVER, REFUSED, "writing", NULL},
	{KH_PROFILE_SERVER, REFUSED, "changing", NULL},
	{KH_PROFILE_SERVER, REFUSED, "others_in_proc", NULL},
	{KH_PROFILE_SERVER, REFUSED, "signals", NULL},
	{KH_PROFILE_SERVER, REFUSED, "descriptors", "3"},
	{KH_PROFILE_SERVER, REFUSED, "environment", NULL},
	{KH_PROFILE_SERVER, REFUSED, "identity", NULL},
	{KH_PROFILE_SERVER, REFUSED, "daemon", NULL},
	{KH_PROFILE_SERVER, REFUSED, "forks", "40"},
	{KH_PROFILE_SERVER, REFUSED, "private_memory", "64"},
	{KH_PROFILE_SERVER, REFUSED, "disk", "16"},
	{KH_PROFILE_HTTP, KILLED, "keyrings", NULL},
	{KH_PROFILE_HTTP, KILLED, "mounts", NULL},
	{KH_PROFILE_RESOLVE, KILLED, "other_processes", NULL},
	{KH_PROFILE_HTTP, REFUSED, "noise", NULL},
	{KH_PROFILE_RESOLVE, REFUSED, "noise", NULL},
	{KH_PROFILE_SERVER, ENDED, "close_everything", NULL},
	{KH_PROFILE_SERVER, ENDED, "fork_bomb", NULL},
	{KH_PROFILE_SERVER, ENDED, "memory_of_many", "10000"},
	{KH_PROFILE_SERVER, ENDED, "pipes", "10000"},
	{KH_PROFILE_SERVER, ENDED, "output", NULL},
	{KH_PROFILE_SERVER, ENDED, "errors", NULL},
	{KH_PROFILE_SERVER, ENDED, "wait", NULL},
	{KH_PROFILE_SERVER, ENDED, "stop", NULL},
	{KH_PROFILE_SERVER, ENDED, "spin", NULL},
	{KH_PROFILE_RUN, ENDED, "close_everything", NULL},
	{KH_PROFILE_RUN, ENDED, "fork_bomb", NULL},
	{KH_PROFILE_RUN, ENDED, "memory_of_many", "10000"},
	{KH_PROFILE_RUN, ENDED, "shared_memory", "10000"},
	{KH_PROFILE_RUN, ENDED, "unix_sockets", "10000"},
	{KH_PROFILE_RUN, ENDED, "pipes", "10000"},
	{KH_PROFILE_RUN, ENDED, "output", NULL},
	{KH_PROFILE_RUN, ENDED, "errors", NULL},
	{KH_PROFILE_RUN, ENDED, "wait", NULL},
	{KH_PROFILE_RUN, ENDED, "stop", NULL},
	{KH_PROFILE_RUN, ENDED, "spin", NULL},
	{KH_PROFILE_HTTP, ENDED, "spin", NULL},
};

static void prepare(const struct attempt *attempt, const char *hostile, struct kh_run *ret_run)
{
	*ret_run = (struct kh_run){
		.profile = attempt->profile,
		.argv = {kh_view_str(hostile), kh_view_str(attempt->name),
			 kh_view_str(kh_profile_name(attempt->profile)), KH_LIT("0")},
		.argc = 4,
		.read = {kh_view_str(hostile)},
		.reads = 1,
		.limits = {.wall_ms = attempt->want == ENDED ? 1000 : 30000,
			   .memory = 64 * MIB,
			   .disk = 16 * MIB,
			   .output = attempt->profile == KH_PROFILE_SERVER ? 0 : 65536,
			   .processes = kh_profile_is_program(attempt->profile) ? 40 : 0},
	};
	if (attempt->argument != NULL)
		ret_run->argv[ret_run->argc++] = kh_view_str(attempt->argument);
}

static void judge(const struct attempt *attempt, const struct outcome *outcome)
{
	char what[400];
	bool good = outcome->ended;

	if (attempt->want == REFUSED)
		good &= outcome->end.fault == KH_FAULT_NONE && outcome->end.status == 0 &&
			strstr(outcome->output, attempt->profile == KH_PROFILE_SERVER ? "\"ok " : "ok ") != NULL;
	if (attempt->want == KILLED)
		good &= outcome->end.fault == KH_FAULT_NONE && WIFSIGNALED(outcome->end.status) &&
			WTERMSIG(outcome->end.status) == SIGSYS;
	(void)snprintf(what, sizeof(what), "%s, status %#x, %.200s", kh_fault_name(outcome->end.fault),
		       (unsigned)outcome->end.status, outcome->output);
	check(good, attempt->name, what);
}

static void one_by_one(const struct kh_client *client, const char *hostile)
{
	static struct kh_exchange exchange;
	static struct kh_run run;

	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		struct outcome outcome = {.ended = false};

		prepare(&attempts[i], hostile, &run);
		if (!ask(client, &run, &exchange))
			continue;
		(void)kh_exchange_feed_end(&exchange);
		drain(&exchange, &outcome);
		kh_exchange_close(&exchange);
		judge(&attempts[i], &outcome);
		small_request(client, attempts[i].name);
	}
}

/* The last COUNT of the list, which only a limit ends, all at once.  Of servers too. */
static void all_at_once(const struct kh_client *client, const char *hostile)
{
	enum { COUNT = 20 };
	static struct kh_exchange exchanges[COUNT];
	static struct kh_run run;
	size_t first = sizeof(attempts) / sizeof(attempts[0]) - COUNT;

	for (size_t i = 0; i < COUNT; i++) {
		prepare(&attempts[first + i], hostile, &run);
		if (!ask(client, &run, &exchanges[i]))
			return;
	}
	small_request(client, "all at once");
	for (size_t i = 0; i < COUNT; i++) {
		struct outcome outcome = {.ended = false};

		drain(&exchanges[i], &outcome);
		kh_exchange_close(&exchanges[i]);
		check(outcome.ended, attempts[first + i].name, "does not end beside others");
	}
}

/* The quiet neighbour says what it is told, when it is told. */
static void neighbour_answers(struct kh_exchange *neighbour)
{
	struct outcome outcome = {.ended = false};

	check(kh_exchange_feed(neighbour, KH_LIT("still here\n")) == 11, "the neighbour", "takes no input");
	check(kh_exchange_feed_end(neighbour), "the neighbour", "its input cannot be ended");
	drain(neighbour, &outcome);
	check(outcome.ended && outcome.end.fault == KH_FAULT_NONE && outcome.end.status == 0 &&
		      strcmp(outcome.output, "still here\n") == 0,
	      "the neighbour", outcome.ended ? kh_fault_name(outcome.end.fault) : "does not end");
}

/* A server beside all of that: it listens on its own loopback, and nobody comes. */
static bool begin_server(const struct kh_client *client, const char *hostile, struct kh_exchange *ret_server)
{
	static struct kh_run run;
	static struct kh_event event;

	run = (struct kh_run){
		.profile = KH_PROFILE_SERVER,
		.argv = {kh_view_str(hostile), KH_LIT("listens"), KH_LIT("server"), KH_LIT("0"), KH_LIT("7777")},
		.argc = 5,
		.read = {kh_view_str(hostile)},
		.reads = 1};
	if (!ask(client, &run, ret_server))
		return false;
	kh_exchange_next(ret_server, PATIENCE_MS, &event);
	check(event.kind == KH_EVENT_OUTPUT, "the server", "it does not listen");
	return true;
}

static void server_answers(struct kh_exchange *server)
{
	struct outcome outcome = {.ended = false};

	check(kh_exchange_feed_end(server), "the server", "its input cannot be ended");
	drain(server, &outcome);
	check(outcome.ended && outcome.end.fault == KH_FAULT_NONE && outcome.end.status == 0 &&
		      strstr(outcome.output, "ok listens") != NULL,
	      "the server", outcome.ended ? outcome.output : "does not end");
}

int main(int argc, char **argv)
{
	static struct kh_exchange neighbour, server;
	static struct kh_run cat;
	struct kh_client client;
	struct kh_error err;

	(void)signal(SIGPIPE, SIG_IGN);
	if (argc != 3)
		return 2;
	if (kh_client_start(&client, &(struct kh_client_settings){.program = argv[1], .pool = 2}, &err) != KH_OK) {
		printf("FAIL neighbours: start: %s\n0 passed, 1 failed\n", err.detail);
		return 1;
	}
	cat = (struct kh_run){.argv = {KH_LIT("/bin/cat")}, .argc = 1, .limits = {.wall_ms = 300000}};
	if (begin_server(&client, argv[2], &server) && ask(&client, &cat, &neighbour)) {
		one_by_one(&client, argv[2]);
		all_at_once(&client, argv[2]);
		small_request(&client, "everything");
		neighbour_answers(&neighbour);
		server_answers(&server);
		kh_exchange_close(&neighbour);
		kh_exchange_close(&server);
	}
	kh_client_stop(&client);
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0;
}
