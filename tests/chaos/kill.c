/*
 * Kills an executor, one of its sandboxes, a program in one, or their parent, or closes a channel, at a moment that a
 * seed decides, with up to 24 requests under way.  Where the parent lives, each of its requests gets exactly one END
 * that fits what was done; afterwards nothing is left (E7).
 *
 * Three processes: this one does the harm and looks; a child of it is the parent; the executor is that one's child.
 */
#include "world.h"

#include "outside/client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUESTS  24
#define ROUND_MS  40000   /* no round takes as long; one that does has lost an END */
#define BODY      100000  /* bytes of the server's /good */
#define SLOW_BODY 3000    /* of its /slow */
#define ZEROES    3000000 /* what `head` puts out */
#define INPUT_MAX 300000
#define LONG_MS   150

enum kind { TRUE, CAT, HEAD, LEAVE, LONG, GOOD, NAMED, SLOW, CUT, SERVER, KINDS };

/* A request, and what comes of it where nobody does harm. */
static const struct {
	const char *name;
	const char *argv[4];
	const char *url; /* %d: the port */
	enum kh_fault fault;
	int status;
	uint64_t output;
} kinds[KINDS] = {
	[TRUE] = {.name = "true", .argv = {"true"}},
	[CAT] = {.name = "cat", .argv = {"sh", "-c", "sleep 1000 & cat; echo done >&2"}},
	[HEAD] = {.name = "head", .argv = {"head", "-c", "3000000", "/dev/zero"}, .output = ZEROES},
	[LEAVE] = {.name = "leave",
		   .argv = {"sh", "-c", "(sleep 1000 &); setsid sleep 1000 & exit 7"},
		   .status = 7 << 8},
	[LONG] = {.name = "long", .argv = {"sleep", "1000"}, .fault = KH_FAULT_TIME},
	[GOOD] = {.name = "good", .url = "http://127.0.0.1:%d/good", .output = BODY},
	[NAMED] = {.name = "named", .url = "http://localhost:%d/good", .output = BODY},
	[SLOW] = {.name = "slow", .url = "http://127.0.0.1:%d/slow", .output = SLOW_BODY},
	[SERVER] = {.name = "server", .argv = {"sh", "-c", "sleep 1000 & cat; echo done >&2"}},
	[CUT] = {.name = "cut", .url = "http://127.0.0.1:%d/cut", .fault = KH_FAULT_HTTP},
};

enum harm {
	NOTHING,
	KILL_STARTING, /* the executor, before it is ready */
	KILL_EXECUTOR,
	KILL_FIRST,   /* a sandbox's first process */
	KILL_PROGRAM, /* what runs in one */
	KILL_PARENT,
	CLOSE_REQUEST,
	CLOSE_CONTROL,
	HARMS
};

static const char *const harms[HARMS] = {"nothing",      "kill-starting", "kill-executor", "kill-first",
					 "kill-program", "kill-parent",   "close-request", "close-control"};

struct plan {
	enum harm harm;
	unsigned pool;
	size_t requests, victim;
	enum kind kind[REQUESTS];
	size_t input[REQUESTS];
	uint64_t moment_ns, stopped_ns; /* stopped_ns: SIGSTOP comes first, and SIGKILL as much later */
};

/* What the parent tells us, in memory that both have. */
struct told {
	_Atomic int executor; /* its pid */
	_Atomic int opened;   /* all requests are under way */
	char complaint[512];
};

struct request {
	struct kh_exchange exchange;
	enum kind kind;
	size_t input, fed;
	uint64_t output;
	bool is_open, has_ended, is_wrong; /* wrong: output that is not what went in */
	struct kh_end end;
};

static struct request requests[REQUESTS]; /* of the parent */

/* What a server that gives back what it gets is sent, again and again. */
static const char message[] = "{\"jsonrpc\":\"2.0\",\"method\":\"abcdefghijk\"}\n";

static void make_plan(uint64_t seed, struct plan *plan)
{
	uint64_t state = seed;
	uint64_t magnitude;

	*plan = (struct plan){.harm = (enum harm)world_below(&state, HARMS)};
	plan->pool = (unsigned)world_below(&state, 4);
	plan->requests = 1 + world_below(&state, 1 + world_below(&state, REQUESTS));
	plan->victim = world_below(&state, plan->requests);
	for (size_t i = 0; i < plan->requests; i++) {
		plan->kind[i] = (enum kind)world_below(&state, KINDS);
		plan->input[i] = world_below(&state, 3) ? world_below(&state, INPUT_MAX) : 0;
		if (plan->kind[i] == SERVER)
			plan->input[i] -= plan->input[i] % (sizeof(message) - 1);
	}
	magnitude = world_below(&state, 16); /* 1 us to 64 ms, each doubling as likely as any other */
	plan->moment_ns = (1000U << magnitude) + world_below(&state, 1000U << magnitude);
	if (world_below(&state, 4) == 0)
		plan->stopped_ns = 1 + world_below(&state, 20000000);
}

static char input_byte(enum kind kind, size_t at)
{
	return kind == SERVER ? message[at % (sizeof(message) - 1)] : (char)('a' + at % 23);
}

static bool is_fed(enum kind kind)
{
	return kind == CAT || kind == SERVER;
}

static void complain(struct told *told, const char *what, size_t i, const struct kh_end *end)
{
	if (told->complaint[0] == '\0')
		snprintf(told->complaint, sizeof(told->complaint), "request %zu (%s): %s; fault %s, status %d: %s", i,
			 kinds[requests[i].kind].name, what, kh_fault_name(end->fault), end->status, end->detail);
}

static bool open_request(const struct kh_client *client, const struct world *world, struct request *request)
{
	char url[64], host[32];
	struct kh_error err = {0};

	if (kinds[request->kind].url) {
		struct kh_fetch fetch = {.plain = true, .hosts = 1};
		snprintf(url, sizeof(url),
			 request->kind == NAMED ? "http://localhost:%d/good" : "http://127.0.0.1:%d/%s", world->port,
			 kinds[request->kind].name);
		snprintf(host, sizeof(host), request->kind == NAMED ? "localhost:%d" : "127.0.0.1:%d", world->port);
		fetch.url = kh_view_str(url);
		fetch.host[0] = kh_view_str(host);
		request->is_open = kh_client_fetch(client, &fetch, &request->exchange, &err) == KH_OK;
		return request->is_open;
	}
	struct kh_run run = {.profile = request->kind == SERVER ? KH_PROFILE_SERVER : KH_PROFILE_RUN};
	while (run.argc < 4 && kinds[request->kind].argv[run.argc]) {
		run.argv[run.argc] = kh_view_str(kinds[request->kind].argv[run.argc]);
		run.argc++;
	}
	run.limits.wall_ms = request->kind == LONG ? LONG_MS : 0;
	run.rates.messages = request->kind == SERVER ? kh_profile_rates_most.messages : 0;
	request->is_open = kh_client_run(client, &run, &request->exchange, &err) == KH_OK;
	return request->is_open;
}

static void feed(struct request *request)
{
	char piece[4096];

	if (!is_fed(request->kind) || request->fed > request->input)
		return;
	while (request->fed < request->input) {
		size_t n = request->input - request->fed < sizeof(piece) ? request->input - request->fed
									 : sizeof(piece);
		for (size_t i = 0; i < n; i++)
			piece[i] = input_byte(request->kind, request->fed + i);
		size_t sent = kh_exchange_feed(&request->exchange, kh_view_of(piece, n));
		request->fed += sent;
		if (sent < n)
			return;
	}
	request->fed += kh_exchange_feed_end(&request->exchange);
}

static void take_output(struct request *request, struct kh_view bytes)
{
	for (size_t i = 0; i < bytes.n && is_fed(request->kind); i++)
		request->is_wrong |= bytes.p[i] != input_byte(request->kind, request->output + i);
	request->output += bytes.n;
}

/* All that a request has to say now. */
static void listen_to(struct request *request, struct told *told, size_t i)
{
	struct kh_event event;
	char more[16];

	do {
		kh_exchange_next(&request->exchange, 0, &event);
		if (event.kind == KH_EVENT_OUTPUT)
			take_output(request, kh_tainted_open(event.bytes));
	} while (event.kind != KH_EVENT_NOTHING && event.kind != KH_EVENT_END);
	if (event.kind != KH_EVENT_END)
		return;
	if (request->has_ended)
		complain(told, "a second END", i, &event.end);
	request->has_ended = true;
	request->end = event.end;
	/* The library takes nothing after END; neither may there be anything to take. */
	if (recv(request->exchange.fd, more, sizeof(more), MSG_DONTWAIT | MSG_PEEK) > 0)
		complain(told, "something after END", i, &event.end);
}

/* True where the request came to what it comes to when nobody does harm. */
static bool is_usual(const struct request *request)
{
	uint64_t output = is_fed(request->kind) ? request->input : kinds[request->kind].output;

	if (request->end.fault != kinds[request->kind].fault)
		return false;
	return request->end.fault != KH_FAULT_NONE ||
	       (request->end.status == kinds[request->kind].status && request->output == output && !request->is_wrong);
}

/* Whether R ended as one does of which a process was killed; a server can be in the middle of a message then. */
static bool suffers(enum harm harm, const struct request *r)
{
	bool killed = harm == KILL_FIRST || harm == KILL_PROGRAM;

	if (harm == KILL_PROGRAM && r->end.fault == KH_FAULT_NONE)
		return r->end.status != 0;
	return killed && (r->end.fault == KH_FAULT_WORKER || (r->kind == SERVER && r->end.fault == KH_FAULT_MESSAGE));
}

/* Whether R ended as it does if the executor is gone: the request was lost, or, if it died before it could take one, not
 * even begun. */
static bool is_without_executor(enum harm harm, const struct request *r)
{
	bool lost = harm == KILL_EXECUTOR || harm == KILL_STARTING || harm == CLOSE_CONTROL;

	if (harm == KILL_STARTING && r->end.fault == KH_FAULT_ABSENT)
		return r->output == 0;
	return lost && r->end.fault == KH_FAULT_LOST;
}

static void judge(const struct plan *plan, struct told *told, bool all_open)
{
	size_t unusual = 0;

	for (size_t i = 0; i < plan->requests; i++) {
		const struct request *r = &requests[i];
		const struct kh_end *end = &r->end;
		if (!r->is_open || (plan->harm == CLOSE_REQUEST && i == plan->victim)) {
			if (all_open && !r->is_open)
				complain(told, "was not opened", i, end);
			continue;
		}
		if (!r->has_ended)
			complain(told, "no END", i, end);
		else if (is_usual(r) || is_without_executor(plan->harm, r))
			continue;
		else if (suffers(plan->harm, r))
			unusual++;
		else
			complain(told, "an END that does not fit", i, end);
		if (unusual > 1)
			complain(told, "one was killed, and it is the second to suffer", i, end);
	}
}

static size_t unfinished(const struct plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->requests; i++)
		n += requests[i].is_open && !requests[i].has_ended;
	return n;
}

/* Reads and writes for all requests until each has ended; does the harm that is the parent's own to do. */
static void pump(const struct plan *plan, struct kh_client *client, struct told *told)
{
	uint64_t begun = world_now_ms();
	struct pollfd list[REQUESTS];
	bool done = plan->harm != CLOSE_REQUEST && plan->harm != CLOSE_CONTROL;

	while (unfinished(plan) > 0 && world_now_ms() - begun < ROUND_MS) {
		if (!done && world_now_ms() - begun >= plan->moment_ns / 1000000) {
			done = true;
			if (plan->moment_ns < 1000000)
				world_sleep(plan->moment_ns);
			if (plan->harm == CLOSE_CONTROL) {
				shutdown(client->control, SHUT_RDWR);
			} else {
				kh_exchange_close(&requests[plan->victim].exchange);
				requests[plan->victim].has_ended = true;
			}
		}
		for (size_t i = 0; i < plan->requests; i++) {
			struct request *r = &requests[i];
			bool live = r->is_open && !r->has_ended;
			list[i] = (struct pollfd){.fd = live ? r->exchange.fd : -1, .events = POLLIN};
			if (live && is_fed(r->kind) && r->fed <= r->input)
				list[i].events |= POLLOUT;
		}
		poll(list, plan->requests, done ? 1000 : 1);
		for (size_t i = 0; i < plan->requests; i++) {
			if (list[i].revents & (POLLIN | POLLHUP | POLLERR))
				listen_to(&requests[i], told, i);
			if (list[i].revents & POLLOUT)
				feed(&requests[i]);
		}
	}
}

static _Noreturn void be_parent(const struct world *world, const struct plan *plan, struct told *told)
{
	struct kh_client_settings settings = {.program = world->program, .pool = plan->pool};
	struct kh_client client;
	struct kh_error err = {0};
	size_t before = world_descriptors();
	bool all_open = true;

	if (kh_client_start(&client, &settings, &err) != KH_OK) {
		told->opened = 1;
		if (plan->harm != KILL_STARTING)
			snprintf(told->complaint, sizeof(told->complaint), "the executor did not start: %s",
				 err.detail);
		if (world_descriptors() != before)
			snprintf(told->complaint, sizeof(told->complaint), "a failed start left descriptors");
		_exit(0);
	}
	told->executor = client.pid;
	for (size_t i = 0; i < plan->requests; i++) {
		requests[i].kind = plan->kind[i];
		requests[i].input = plan->input[i];
		all_open &= open_request(&client, world, &requests[i]);
	}
	told->opened = 1;
	pump(plan, &client, told);
	judge(plan, told, all_open);
	for (size_t i = 0; i < plan->requests; i++)
		kh_exchange_close(&requests[i].exchange);
	kh_client_stop(&client);
	if (world_descriptors() != before && told->complaint[0] == '\0')
		snprintf(told->complaint, sizeof(told->complaint), "%zu descriptors before, %zu after", before,
			 world_descriptors());
	_exit(0);
}

/* A process to harm; 0 where there is none now. */
static int find_victim(const struct plan *plan, int parent, int executor)
{
	int pids[256], programs[256];

	if (plan->harm == KILL_PARENT)
		return parent;
	if (plan->harm == KILL_EXECUTOR)
		return executor;
	size_t n = world_children(plan->harm == KILL_STARTING ? parent : executor, pids, 256);
	if (n == 0)
		return 0;
	int first = pids[plan->victim % n];
	if (plan->harm != KILL_PROGRAM)
		return first;
	n = world_children(first, programs, 256);
	return n == 0 ? 0 : programs[plan->moment_ns % n];
}

static void do_harm(const struct plan *plan, int parent, struct told *told)
{
	int victim = 0;

	if (plan->harm != KILL_STARTING && (plan->harm != KILL_PARENT || plan->moment_ns % 2)) {
		for (int i = 0; i < ROUND_MS && !told->opened; i++)
			world_sleep(1000000);
	}
	world_sleep(plan->moment_ns);
	for (int i = 0; i < 5 && victim == 0; i++)
		victim = find_victim(plan, parent, told->executor);
	if (victim <= 0 || victim == getpid())
		return;
	if (plan->stopped_ns > 0) {
		kill(victim, SIGSTOP);
		world_sleep(plan->stopped_ns);
	}
	kill(victim, SIGKILL);
}

/* Waits for the parent; false where it had to be killed. */
static bool wait_parent(int parent, int *ret_status)
{
	uint64_t end = world_now_ms() + ROUND_MS + 15000;

	while (world_now_ms() < end) {
		if (waitpid(parent, ret_status, WNOHANG) == parent)
			return true;
		world_sleep(500000);
	}
	kill(parent, SIGKILL);
	waitpid(parent, ret_status, 0);
	return false;
}

static void play(const struct world *world, uint64_t seed, struct told *told)
{
	struct world_look before;
	struct plan plan;
	char left[1024] = "";
	int status = 0;

	make_plan(seed, &plan);
	memset(told, 0, sizeof(*told));
	world_look(world, &before);
	int parent = fork();
	if (parent == 0)
		be_parent(world, &plan, told);
	if (plan.harm >= KILL_STARTING && plan.harm <= KILL_PARENT)
		do_harm(&plan, parent, told);
	bool ended = wait_parent(parent, &status);
	bool killed = plan.harm == KILL_PARENT && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	bool well = ended && (killed || status == 0);
	char about[128];
	snprintf(about, sizeof(about), "%s after %llu us, pool %u, %zu requests", harms[plan.harm],
		 (unsigned long long)plan.moment_ns / 1000, plan.pool, plan.requests);
	world_check(well, seed, "kill", "%s: the parent ended with status %d", about, status);
	if (!killed)
		world_check(told->complaint[0] == '\0', seed, "kill", "%s: %s", about, told->complaint);
	bool settled = world_settles(world, &before, left, sizeof(left));
	world_check(settled, seed, "kill", "%s: %s", about, left);
}

int main(int argc, char **argv)
{
	struct world world;

	world_init(&world, argc, argv);
	struct told *told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		return 1;
	for (uint64_t i = 0; i < world.rounds; i++)
		play(&world, world.seed + i, told);
	return world_finish();
}
