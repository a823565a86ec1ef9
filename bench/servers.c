/*
 * A message to a server and back: through executor, sandbox and worker, beside a pipe to the same program and one back.
 * What that adds, by the clock on the wall and in processor time of all processes; alone, among two hundred others that
 * only wait, and with the supervision of the parent's library.
 */
#include "bench.h"
#include "cpu.h"

#include "base/clock.h"
#include "outside/server.h"

#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS  20
#define CALLS   200
#define OTHERS  200
#define CPU_NS  60e3  /* that one message may add */
#define WALL_NS 150e3 /* each way */
#define MESSAGE "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}}\n"

static void must(bool ok, const char *what)
{
	kh_bench_must(ok ? KH_OK : KH_EUNKNOWN, what);
}

static struct kh_run a_server(void)
{
	return (struct kh_run){.profile = KH_PROFILE_SERVER,
			       .argv = {KH_LIT("/bin/cat")},
			       .argc = 1,
			       .rates = {.messages = kh_profile_rates_most.messages}};
}

/* --- one message there and back ------------------------------------------------------------------------------------ */

/* A program with two pipes. */
struct plain {
	int in, out;
	pid_t pid;
};

static void start_plain(struct plain *p)
{
	int in[2], out[2];

	must(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0, "pipe2");
	p->pid = fork();
	if (p->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl("/bin/cat", "cat", (char *)NULL);
		_exit(127);
	}
	must(p->pid > 0, "fork");
	close(in[0]);
	close(out[1]);
	p->in = in[1];
	p->out = out[0];
}

static void call_plain(void *ctx)
{
	struct plain *p = ctx;
	char text[sizeof(MESSAGE)];
	const ssize_t n = sizeof(MESSAGE) - 1;

	must(write(p->in, MESSAGE, (size_t)n) == n && read(p->out, text, sizeof(text)) == n, "cat");
}

static void call_server(void *ctx)
{
	struct kh_exchange *exchange = ctx;
	const size_t n = sizeof(MESSAGE) - 1;
	struct kh_event event;

	must(kh_exchange_feed(exchange, KH_LIT(MESSAGE)) == n, "kh_exchange_feed");
	kh_exchange_next(exchange, -1, &event);
	must(event.kind == KH_EVENT_OUTPUT && kh_tainted_size(event.bytes) == n,
	     event.kind == KH_EVENT_END ? event.end.detail : "an answer");
}

/* With supervision: the answer comes on the thread of the servers. */
struct supervised {
	struct kh_server *server;
	sem_t came;
};

static bool take(void *ctx, uint64_t life, struct kh_tainted bytes)
{
	struct supervised *s = ctx;

	(void)life;
	(void)bytes;
	sem_post(&s->came);
	return true;
}

static void ended(void *ctx, uint64_t life, const struct kh_server_end *end)
{
	(void)ctx;
	(void)life;
	(void)end;
}

static void call_supervised(void *ctx)
{
	struct supervised *s = ctx;
	uint64_t life;

	kh_bench_must(kh_server_send(s->server, KH_LIT(MESSAGE), &life, NULL), "kh_server_send");
	while (sem_wait(&s->came) != 0)
		;
}

/* --- measuring ----------------------------------------------------------------------------------------------------- */

struct figures {
	double cpu, wall; /* the best round, of one message */
};

/* FN is called CALLS times a round.  TOP: the process whose tree counts besides this one. */
static struct figures measure(void (*fn)(void *ctx), void *ctx, pid_t top)
{
	struct figures best = {0, 0};

	for (int round = 0; round < ROUNDS; round++) {
		/* To look at the others is not part of it. */
		double below = kh_bench_cpu_below(top), cpu = kh_bench_cpu(getpid());
		int64_t start = kh_clock_us();
		for (int i = 0; i < CALLS; i++)
			fn(ctx);
		double wall = (double)(kh_clock_us() - start) * 1000 / CALLS;
		cpu = kh_bench_cpu(getpid()) - cpu;
		cpu = (cpu + kh_bench_cpu_below(top) - below) / CALLS;
		best.cpu = best.cpu == 0 || cpu < best.cpu ? cpu : best.cpu;
		best.wall = best.wall == 0 || wall < best.wall ? wall : best.wall;
	}
	return best;
}

static void row(const char *what, double ns, double most)
{
	kh_bench_row(what, kh_bench_ns(ns).s, "", 0, most > 0 ? kh_bench_printf("<= %s", kh_bench_ns(most).s).s : "",
		     most <= 0    ? ""
		     : ns <= most ? "met"
				  : "missed");
}

/* What FIGURES have more than those of the plain pipes. */
static void tell(const char *what, struct figures figures, struct figures plain)
{
	row(kh_bench_printf("%s, processor time added, there and back", what).s, figures.cpu - plain.cpu, CPU_NS);
	row(kh_bench_printf("%s, latency added, each way", what).s, (figures.wall - plain.wall) / 2, WALL_NS);
}

static struct figures measure_supervised(const struct kh_client *client)
{
	struct kh_run run = a_server();
	struct supervised s = {.server = NULL};
	struct kh_server_settings settings = {.run = &run, .context = &s, .take = take, .ended = ended};
	struct kh_server_all *all;

	must(sem_init(&s.came, 0, 0) == 0, "sem_init");
	kh_bench_must(kh_server_all_new(client, &all, NULL), "kh_server_all_new");
	kh_bench_must(kh_server_new(all, &settings, &s.server, NULL), "kh_server_new");
	call_supervised(&s);
	struct figures figures = measure(call_supervised, &s, client->pid);
	kh_server_free(s.server);
	kh_server_all_free(all);
	sem_destroy(&s.came);
	return figures;
}

int main(int argc, char **argv)
{
	static struct kh_exchange own, others[OTHERS];
	struct kh_client_settings settings = {.program = argc > 1 ? argv[1] : "build/keyhole", .pool = 1};
	struct kh_run run = a_server();
	struct kh_client client;
	struct kh_error err = {0};
	struct plain plain;

	signal(SIGPIPE, SIG_IGN);
	kh_bench_must(kh_client_start(&client, &settings, &err), err.detail);
	kh_bench_section("A message to a server and back");
	start_plain(&plain);
	struct figures peer = measure(call_plain, &plain, plain.pid);
	kh_bench_must(kh_client_run(&client, &run, &own, &err), err.detail);
	call_server(&own);
	struct figures alone = measure(call_server, &own, client.pid);
	kh_bench_ratio("a message, there and back", alone.wall, "cat with two pipes", peer.wall, 0);
	tell("a message", alone, peer);
	tell("  supervised", measure_supervised(&client), peer);
	for (size_t i = 0; i < OTHERS; i++) {
		kh_bench_must(kh_client_run(&client, &run, &others[i], &err), err.detail);
		call_server(&others[i]);
	}
	tell(kh_bench_printf("  among %d idle servers", OTHERS).s, measure(call_server, &own, client.pid), peer);
	for (size_t i = 0; i < OTHERS; i++)
		kh_exchange_close(&others[i]);
	kh_exchange_close(&own);
	kh_client_stop(&client);
	close(plain.in);
	waitpid(plain.pid, NULL, 0);
	return 0;
}
