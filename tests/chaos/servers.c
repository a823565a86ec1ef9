/*
 * Profile server (E7, U1, U3): programs that live long, many at once beside other requests, and those that flood, do not
 * read, write no end of a line, or fork and die.  Each has one END that fits, the executor stays idle and small, its
 * other requests go on, and afterwards nothing is left.
 */
#include "talk.h"

#include "executor/executor.h"
#include "wire/profile.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MANY 200  /* servers at once */
#define FLAT 4096 /* KiB that an executor may grow by */

static struct kh_exchange exchanges[KH_EXECUTOR_SERVERS + 64];
static struct kh_event event;

static bool open_server(const struct kh_client *client, struct kh_run run, const char *script,
			struct kh_exchange *ret_exchange)
{
	run.profile = KH_PROFILE_SERVER;
	run.argv[run.argc++] = KH_LIT("sh");
	run.argv[run.argc++] = KH_LIT("-c");
	run.argv[run.argc++] = kh_view_str(script);
	return kh_client_run(client, &run, ret_exchange, NULL) == KH_OK;
}

/* The next event that is one, within TALK_MS. */
static enum kh_exchange_kind next(struct kh_exchange *exchange)
{
	kh_exchange_next(exchange, TALK_MS, &event);
	return event.kind;
}

/* Sends one message and waits for it to come back. */
static bool echo(struct kh_exchange *exchange, uint64_t number)
{
	char text[96];
	size_t got = 0;
	int n = snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"m\"}\n",
			 (unsigned long long)number);

	if (kh_exchange_feed(exchange, kh_view_of(text, (size_t)n)) != (size_t)n)
		return false;
	while (got < (size_t)n) {
		if (next(exchange) != KH_EVENT_OUTPUT)
			return false;
		struct kh_view bytes = kh_tainted_open(event.bytes);
		if (bytes.n > (size_t)n - got || memcmp(bytes.p, text + got, bytes.n) != 0)
			return false;
		got += bytes.n;
	}
	return true;
}

static bool ends_with(struct kh_exchange *exchange, enum kh_fault fault, const char *what)
{
	while (next(exchange) != KH_EVENT_END && event.kind != KH_EVENT_NOTHING)
		;
	bool good = event.kind == KH_EVENT_END && event.end.fault == fault;
	world_check(good, 0, what, "%s, fault %s, status %d: %s", event.kind == KH_EVENT_END ? "END" : "no END",
		    kh_fault_name(event.end.fault), event.end.status, event.end.detail);
	kh_exchange_close(exchange);
	return good;
}

/* --- one that lives ----------------------------------------------------------------------------------------------- */

/* Lines come back for as long as it lives; it is still the same process; its last words come with END. */
static void try_echo(const struct world *world, const struct kh_client *client)
{
	uint64_t end = world_now_ms() + (world->rounds > 1 ? 120000 : 2000), count = 0;

	bool ok = open_server(client, (struct kh_run){0}, "echo begun >&2; cat; echo over >&2; exit 3", &exchanges[0]);
	while (ok && world_now_ms() < end) {
		ok = echo(&exchanges[0], count++);
		world_sleep(count % 100 == 0 ? 20000000 : 100000);
	}
	world_check(ok, 0, "echo", "the %llu-th did not come back", (unsigned long long)count);
	world_check(kh_exchange_recall(&exchanges[0]) && next(&exchanges[0]) == KH_EVENT_KEPT &&
			    kh_view_eq(kh_tainted_open(event.bytes), KH_LIT("begun\n")) && event.written == 6,
		    0, "echo", "what is kept is not what it wrote");
	world_check(kh_exchange_feed_end(&exchanges[0]), 0, "echo", "its input cannot be ended");
	ends_with(&exchanges[0], KH_FAULT_NONE, "echo");
	world_check(event.end.status == 3 << 8 && kh_view_eq(kh_tainted_open(event.bytes), KH_LIT("begun\nover\n")), 0,
		    "echo", "status %d, or other last words", event.end.status);
}

/* --- many --------------------------------------------------------------------------------------------------------- */

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* The middle of some round trips, in microseconds. */
static double round_trip(struct kh_exchange *exchange)
{
	static double us[301];

	for (size_t i = 0; i < 301; i++) {
		double begun = now_us();
		if (!echo(exchange, i))
			return -1;
		us[i] = now_us() - begun;
	}
	qsort(us, 301, sizeof(us[0]), compare);
	return us[150];
}

static void try_many(const struct world *world, const struct kh_client *client)
{
	size_t opened = 0, answered = 0, well = 0;
	char text[1024] = "";

	bool ok = open_server(client, (struct kh_run){0}, "exec cat", &exchanges[0]);
	double alone = ok ? round_trip(&exchanges[0]) : -1;
	for (opened = 1; opened < MANY; opened++)
		if (!open_server(client, (struct kh_run){0}, "exec cat", &exchanges[opened]))
			break;
	for (size_t i = 0; i < opened; i++)
		answered += echo(&exchanges[i], i);
	world_check(opened == MANY && answered == MANY, 0, "many", "%zu were opened, %zu answered", opened, answered);
	for (int i = 0; i < 20; i++)
		well += talk_is_well(client, text, sizeof(text));
	world_check(well == 20, 0, "many", "beside them: %s", text);
	world_check(talk_is_idle(client), 0, "many", "works for nobody");
	double among = round_trip(&exchanges[0]);
	printf("a message there and back: %.0f us alone, %.0f us among %d idle servers\n", alone, among, MANY);
	/* The machine may be busy with other things, so the bound is wide: with poll it is ten times as long. */
	world_check(alone > 0 && among > 0 && among < 3 * alone + 500, 0, "many", "%.0f us alone, %.0f among many",
		    alone, among);
	for (size_t i = 0; i < opened; i += 2) /* half of them are left alone, and half end by themselves */
		kh_exchange_close(&exchanges[i]);
	for (size_t i = 1; i < opened; i += 2) {
		(void)kh_exchange_feed_end(&exchanges[i]);
		if (!ends_with(&exchanges[i], KH_FAULT_NONE, "many"))
			break;
	}
	(void)world;
}

/* More than there is room for: each that does not fit is told so, and requests that are no servers still fit. */
static void try_too_many(const struct kh_client *client)
{
	size_t opened = 0, busy = 0;
	char text[1024] = "";

	for (; opened < KH_EXECUTOR_SERVERS + 8; opened++)
		if (!open_server(client, (struct kh_run){0}, "exec cat", &exchanges[opened]))
			break;
	for (size_t i = 0; i < opened; i++) {
		bool good = echo(&exchanges[i], i);
		busy += !good && event.kind == KH_EVENT_END && event.end.fault == KH_FAULT_BUSY;
	}
	world_check(busy == 8, 0, "too-many", "%zu of %zu were told busy", busy, opened);
	world_check(talk_is_well(client, text, sizeof(text)), 0, "too-many", "beside them: %s", text);
	for (size_t i = 0; i < opened; i++)
		kh_exchange_close(&exchanges[i]);
	/* When they are gone, so is what they took. */
	long most = 44L << 10, resident = 0;
	for (int i = 0; i < 100 && (i == 0 || resident > most); i++) {
		world_sleep(100000000);
		resident = world_status(client->pid, "VmRSS");
	}
	printf("%ld KiB of memory after %zu servers\n", resident, opened);
	world_check(resident <= most, 0, "too-many", "the executor has %ld KiB afterwards", resident);
}

/* --- those that behave badly -------------------------------------------------------------------------------------- */

/* It never reads: what its parent sends stays with the parent, but for what the kernel's buffers hold. */
static void try_never_reads(const struct kh_client *client)
{
	static char line[65536];
	size_t sent = 0, n;
	char text[1024] = "";

	memset(line, ' ', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	bool ok = open_server(client, (struct kh_run){0}, "exec sleep 1000", &exchanges[0]);
	world_check(ok && talk_is_well(client, text, sizeof(text)), 0, "never-reads", "beside it: %s", text);
	long resident = world_status(client->pid, "VmRSS");
	for (int i = 0; i < 200; i++) {
		while ((n = kh_exchange_feed(&exchanges[0], kh_view_of(line, sizeof(line)))) > 0 && sent < 64U << 20)
			sent += n;
		world_sleep(1000000);
	}
	world_check(sent < 2U << 20, 0, "never-reads", "%zu bytes were taken", sent);
	world_check(talk_is_idle(client), 0, "never-reads", "works for nobody");
	world_check(talk_is_well(client, text, sizeof(text)), 0, "never-reads", "beside it: %s", text);
	long grown = world_status(client->pid, "VmRSS") - resident;
	world_check(grown < FLAT, 0, "never-reads", "grew by %ld KiB", grown);
	kh_exchange_close(&exchanges[0]);
}

/* Nobody reads what it writes: it waits, and the executor with it. */
static void try_unread(const struct kh_client *client)
{
	struct kh_run run = {.rates = {.messages = 100000, .output = 1U << 30}};
	char text[1024] = "";
	int most = 0;

	bool ok = open_server(client, run, "while :; do echo '{\"jsonrpc\":\"2.0\",\"method\":\"x\"}'; done",
			      &exchanges[0]);
	world_check(ok, 0, "unread", "not opened");
	world_sleep(1000000000);
	long resident = world_status(client->pid, "VmRSS");
	world_check(talk_is_idle(client), 0, "unread", "works for nobody");
	for (int i = 0; i < 5; i++)
		world_check(talk_is_well(client, text, sizeof(text)), 0, "unread", "beside it: %s", text);
	long grown = world_status(client->pid, "VmRSS") - resident;
	world_check(grown < FLAT, 0, "unread", "grew by %ld KiB", grown);
	/* It goes on when its parent does. */
	while (most < 1000 && next(&exchanges[0]) == KH_EVENT_OUTPUT)
		most++;
	world_check(most == 1000, 0, "unread", "%d pieces came afterwards", most);
	kh_exchange_close(&exchanges[0]);
}

/* A flood of messages, and one of errors, are slowed down to their rate; neither ends anything. */
static void try_floods(const struct kh_client *client)
{
	struct kh_run run = {.rates = {.messages = 100000, .output = 20000}};
	uint64_t begun = world_now_ms(), bytes = 0;
	char text[1024] = "";

	bool ok = open_server(client, run,
			      "yes '{\"jsonrpc\":\"2.0\",\"method\":\"0123456789\"}' & yes errors >&2 & wait",
			      &exchanges[0]);
	world_check(ok, 0, "floods", "not opened");
	while (world_now_ms() - begun < 3000) {
		kh_exchange_next(&exchanges[0], 100, &event);
		if (event.kind == KH_EVENT_OUTPUT)
			bytes += kh_tainted_size(event.bytes);
		if (event.kind == KH_EVENT_END)
			break;
	}
	/* Ten seconds' worth at once, then what comes meanwhile. */
	world_check(event.kind != KH_EVENT_END && bytes >= 150000 && bytes <= 200000 + 20000 * 5, 0, "floods",
		    "%llu bytes in 3 s", (unsigned long long)bytes);
	world_check(talk_is_well(client, text, sizeof(text)), 0, "floods", "beside it: %s", text);
	world_check(talk_is_idle(client), 0, "floods", "works too much for it");
	world_check(kh_exchange_recall(&exchanges[0]), 0, "floods", "RECALL is not taken");
	while (next(&exchanges[0]) == KH_EVENT_OUTPUT)
		;
	world_check(event.kind == KH_EVENT_KEPT && kh_tainted_size(event.bytes) == KH_MESSAGE_TAIL &&
			    event.written >= 150000 && event.written <= 200000 + 20000 * 25,
		    0, "floods", "kept %zu of %llu", kh_tainted_size(event.bytes), (unsigned long long)event.written);
	kh_exchange_close(&exchanges[0]);
}

/* Output that is no message ends it, and a human is told why. */
static void try_no_messages(const struct kh_client *client)
{
	static const struct {
		const char *script, *word;
	} bad[] = {
		{"echo hello", "without a message"},
		{"echo '{\"jsonrpc\":\"2.0\",\"method\":\"x\"}'; echo hello; sleep 1000", "json"},
		{"yes x | tr -d '\\n'", "too_large"},
		{"head -c 20000000 /dev/zero; sleep 1000", "too_large"},
		{"echo '{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}'; sleep 1000", "bad_message"},
		{"printf '{\"jsonrpc\":\"2.0\",\"method\":\"x\"'", "bad_message"},
		{"echo '[]'; cat", "bad_message"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bool ok = open_server(client, (struct kh_run){0}, bad[i].script, &exchanges[0]);
		world_check(ok, 0, "no-messages", "not opened");
		ends_with(&exchanges[0], KH_FAULT_MESSAGE, bad[i].script);
		struct kh_view why = kh_tainted_open(kh_exchange_reason(&event.end));
		world_check(kh_view_find(why, kh_view_str(bad[i].word), 0) != SIZE_MAX, 0, bad[i].script,
			    "the reason is %.*s", KH_FMT(why));
	}
}

/* Every other way to end: each has its fault, and takes what it started with it. */
static void try_ends(const struct kh_client *client)
{
	static const struct {
		const char *script;
		enum kh_fault fault;
		struct kh_run run;
	} kinds[] = {
		{"(setsid sleep 1000 &) ; (setsid sleep 1000 >&- 2>&- &) ; exit 5", KH_FAULT_NONE, {0}},
		{"kill -9 $$", KH_FAULT_NONE, {0}},
		{"sleep 1000", KH_FAULT_IDLE, {.rates = {.idle_ms = 200}}},
		{"while :; do echo '{\"jsonrpc\":\"2.0\",\"method\":\"x\"}'; sleep 0.05; done",
		 KH_FAULT_TIME,
		 {.limits = {.wall_ms = 500}}},
		{"exec >&-; exec sleep 1000", KH_FAULT_WORKER, {0}},
		{"exec 0<&- 1>&- 2>&-; exit 0", KH_FAULT_NONE, {0}},
		{":(){ :|:& };:", KH_FAULT_TIME, {.limits = {.wall_ms = 1000, .processes = 30}}},
	};
	char text[1024] = "";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bool ok = open_server(client, kinds[i].run, kinds[i].script, &exchanges[0]);
		world_check(ok, 0, "ends", "not opened");
		(void)kh_exchange_feed(&exchanges[0], KH_LIT("{}\n"));
		if (kinds[i].fault == KH_FAULT_TIME && kinds[i].run.limits.processes > 0) {
			/* A bomb may also run out of processes and end. */
			while (next(&exchanges[0]) != KH_EVENT_END && event.kind != KH_EVENT_NOTHING)
				;
			world_check(event.kind == KH_EVENT_END, 0, "ends", "the bomb did not end");
			kh_exchange_close(&exchanges[0]);
		} else {
			ends_with(&exchanges[0], kinds[i].fault, kinds[i].script);
		}
		world_check(talk_is_well(client, text, sizeof(text)), 0, "ends", "afterwards: %s", text);
	}
}

/* A bound on the processor, where there is a controller: a server that spins has its part of it. */
static void try_processor(const struct world *world, const struct kh_client *client)
{
	struct kh_run run = {.rates = {.processor = 200}};

	if (world->cgroups == 0 || world->uid != 0)
		return;
	bool ok = open_server(client, run,
			      "read x; t=$(awk '{print $14+$15}' /proc/self/stat); "
			      "timeout 2 sh -c 'while :; do :; done'; "
			      "times >&2; exit 0",
			      &exchanges[0]);
	world_check(ok && kh_exchange_feed(&exchanges[0], KH_LIT("go\n")) == 3, 0, "processor", "not opened");
	ends_with(&exchanges[0], KH_FAULT_NONE, "processor");
	/* The second line of `times` is what its children used: minutes and seconds, of user and system. */
	struct kh_view text = kh_tainted_open(event.bytes), line = {NULL, 0};
	for (int i = 0; i < 2; i++)
		(void)kh_view_split(&text, '\n', &line);
	char copy[64] = "";
	memcpy(copy, line.p != NULL ? line.p : "", line.n < sizeof(copy) - 1 ? line.n : sizeof(copy) - 1);
	double used = strncmp(copy, "0m", 2) == 0 ? strtod(copy + 2, NULL) : 99;
	world_check(used < 1.0, 0, "processor", "it used %.2f s of 2, with a fifth of a processor: %s", used, copy);
}

/* Ends with its executor's parent, and nothing is left, however many there are. */
static void all(const struct world *world)
{
	struct world_look before;
	struct kh_client client;
	char text[1024] = "";

	world_look(world, &before);
	talk_ready(world, 2, &client);
	world_check(talk_is_well(&client, text, sizeof(text)), 0, "servers", "%s", text);
	try_echo(world, &client);
	try_no_messages(&client);
	try_ends(&client);
	try_never_reads(&client);
	try_unread(&client);
	try_floods(&client);
	try_processor(world, &client);
	try_many(world, &client);
	try_too_many(&client);
	/* Those that are open now end with the executor. */
	for (size_t i = 0; i < 20; i++)
		world_check(
			open_server(&client, (struct kh_run){0}, "trap '' TERM HUP; sleep 1000 & cat", &exchanges[i]),
			0, "servers", "not opened");
	world_check(talk_stop(&client) == 0, 0, "servers", "a bad end");
	for (size_t i = 0; i < 20; i++)
		kh_exchange_close(&exchanges[i]);
	world_check(world_settles(world, &before, text, sizeof(text)), 0, "servers", "%s", text);
}

int main(int argc, char **argv)
{
	struct world world;

	world_init(&world, argc, argv);
	signal(SIGPIPE, SIG_IGN);
	all(&world);
	return world_finish();
}
