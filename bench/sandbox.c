/*
 * The sandbox from the outside: from handing a request to the client library to the first instruction of a program
 * (bench/first.c), against fork, posix_spawn and bubblewrap; requests a second, fetches, memory.
 *
 * This is the one part that measures by the clock on the wall, because other processes do most of the work.  So the
 * cases take turns, each alone and with a pause before it, and what counts is the middle of some hundred runs.  As root
 * it is all measured a second time, as an ordinary user.
 */
#include "bench.h"
#include "outside/client.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS     200
#define FETCHES  30
#define STARTS   20
#define STREAM   200 /* requests, to count how many there are in a second */
#define AT_ONCE  8
#define POOL     4
#define PAUSE_US 10000 /* before each run: the pool is full again, and what the last one left behind is gone */
#define ORDINARY 65533
#define TASKS    4096
#define BWRAP    "/usr/bin/bwrap"
#define CURL     "/usr/bin/curl"

#define COLD_NS 2e6 /* P5 */
#define WARM_NS 5e5
#define READ_NS 1.5e6 /* of the 3 ms that a governed comm.read may take */
#define READ_N  4096  /* bytes of the file */

extern char **environ;

/* Copies that any user can read, in a folder of our own. */
static char folder[] = "/tmp/keyhole-bench-XXXXXX", keyhole[64], first[64];

/* As root, one more where every sandbox has it, so that no folder need be named: such a request starts faster. */
static char in_usr[] = "/usr/local/lib/keyhole-bench-XXXXXX", first_in_usr[64];

struct series {
	double ns[RUNS];
	size_t n;
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void rest(void)
{
	nanosleep(&(struct timespec){0, PAUSE_US * 1000L}, NULL);
}

static void must(bool ok, const char *what)
{
	kh_bench_must(ok ? KH_OK : KH_EUNKNOWN, what);
}

static void add(struct series *s, double ns)
{
	if (s->n < RUNS)
		s->ns[s->n++] = ns;
}

static int compare(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* What so many percent of the runs stayed below. */
static double quantile(struct series *s, size_t percent)
{
	must(s->n > 0, "a series");
	qsort(s->ns, s->n, sizeof(s->ns[0]), compare);
	return s->ns[(s->n - 1) * percent / 100];
}

static double middle(struct series *s)
{
	return quantile(s, 50);
}

/* The moment that bench/first.c tells of; 0 where these bytes are not its own. */
static double stamp(const void *bytes, size_t n)
{
	struct timespec t = {0, 0};

	if (n != sizeof(t))
		return 0;
	memcpy(&t, bytes, sizeof(t));
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static char *word(const char *s)
{
	return (char *)(uintptr_t)s; /* argv is not const, and nobody writes to it */
}

/* The peers: children with a pipe as their standard output. */

typedef int start_fn(char *const *argv, const int out[2]);

static int by_fork(char *const *argv, const int out[2])
{
	int pid = fork();

	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execve(argv[0], argv, environ);
		_exit(127);
	}
	return pid;
}

static int by_spawn(char *const *argv, const int out[2])
{
	posix_spawn_file_actions_t files;
	int pid = -1;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
	if (posix_spawn(&pid, argv[0], &files, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

/* Nanoseconds to the first instruction, 0 where it did not run; and in *RET_END to the end. */
static double run_child(start_fn *start, char *const *argv, double *ret_end)
{
	char bytes[64];
	int out[2], status = 0;
	double begun = now_ns();

	must(pipe2(out, O_CLOEXEC) == 0, "pipe2");
	int pid = start(argv, out);
	must(pid > 0, argv[0]);
	close(out[1]);
	ssize_t n = read(out[0], bytes, sizeof(bytes));
	waitpid(pid, &status, 0);
	*ret_end = now_ns() - begun;
	close(out[0]);
	double at = status == 0 && n > 0 ? stamp(bytes, (size_t)n) : 0;
	return at > 0 ? at - begun : 0;
}

/* What comes nearest to a sandbox of ours. */
static double run_bwrap(double *ret_end)
{
	static const char *const words[] = {
		BWRAP,       "--unshare-all", "--ro-bind",  "/usr",      "/usr",
		"--symlink", "usr/lib",       "/lib",       "--symlink", "usr/lib64",
		"/lib64",    "--proc",        "/proc",      "--dev",     "/dev",
		"--tmpfs",   "/tmp",          "--cap-drop", "ALL",       "--die-with-parent",
		"--ro-bind", first,           "/first",     "/first",    NULL};
	char *argv[sizeof(words) / sizeof(words[0])];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		argv[i] = word(words[i]);
	return run_child(by_spawn, argv, ret_end);
}

static double run_curl(int port)
{
	struct kh_bench_text url = kh_bench_printf("http://127.0.0.1:%d/", port);
	char *argv[] = {word(CURL), word("--silent"), url.s, NULL};
	double end = 0;

	run_child(by_spawn, argv, &end);
	return end;
}

/* Keyhole. */

static void start_client(struct kh_client *client, unsigned pool)
{
	struct kh_error err = {0};

	if (kh_client_start(client, &(struct kh_client_settings){.program = keyhole, .pool = pool}, &err) == KH_OK)
		return;
	fprintf(stderr, "bench: %s\n", err.detail);
	exit(1);
}

static void begin_run(const struct kh_client *client, const char *program, struct kh_exchange *exchange)
{
	struct kh_run run = {.profile = KH_PROFILE_RUN, .argc = 1, .reads = program == first};

	run.argv[0] = run.read[0] = kh_view_str(program);
	kh_bench_must(kh_client_run(client, &run, exchange, NULL), "kh_client_run");
}

static void check_end(const struct kh_end *end)
{
	if (end->fault == KH_FAULT_NONE && end->status == 0)
		return;
	fprintf(stderr, "bench: %s: %s (status %d)\n", kh_fault_name(end->fault), end->detail, end->status);
	exit(1);
}

/* Nanoseconds to the first instruction, and in *RET_END to END. */
static double run_keyhole(const struct kh_client *client, const char *program, double *ret_end)
{
	static struct kh_exchange exchange;
	struct kh_event event;
	double at = 0, begun = now_ns();

	begin_run(client, program, &exchange);
	do {
		kh_exchange_next(&exchange, -1, &event);
		if (event.kind == KH_EVENT_OUTPUT)
			at = stamp(event.bytes.sealed.p, event.bytes.sealed.n);
	} while (event.kind != KH_EVENT_END);
	*ret_end = now_ns() - begun;
	check_end(&event.end);
	must(at > 0, first);
	kh_exchange_close(&exchange);
	return at - begun;
}

/* Nanoseconds to END; 0 where there was no such answer. */
static double fetch_keyhole(const struct kh_client *client, const char *host, int port)
{
	static struct kh_exchange exchange;
	struct kh_bench_text url = kh_bench_printf("http://%s:%d/", host, port);
	struct kh_fetch fetch = {.url = kh_view_str(url.s), .plain = true, .hosts = 1};
	struct kh_event event;
	unsigned status = 0;
	double begun = now_ns();

	fetch.host[0] = kh_view_str(host);
	kh_bench_must(kh_client_fetch(client, &fetch, &exchange, NULL), "kh_client_fetch");
	do {
		kh_exchange_next(&exchange, -1, &event);
		if (event.kind == KH_EVENT_HEAD)
			status = event.head.status;
	} while (event.kind != KH_EVENT_END);
	double ns = now_ns() - begun;
	kh_exchange_close(&exchange);
	return event.end.fault == KH_FAULT_NONE && status == 200 ? ns : 0;
}

/* Nanoseconds to END of a job for the worker `read`: a file of READ_N bytes in a folder of the host's. */
static double read_keyhole(const struct kh_client *client)
{
	static struct kh_exchange exchange;
	struct kh_bench_text job = kh_bench_printf("{\"folder\":\"%s\",\"path\":\"file\",\"most\":%d}", folder, READ_N);
	struct kh_run run = {.profile = KH_PROFILE_READ, .reads = 1};
	struct kh_event event;
	size_t got = 0;
	double start = now_ns();

	run.read[0] = kh_view_str(folder);
	kh_bench_must(kh_client_run(client, &run, &exchange, NULL), "kh_client_run");
	must(kh_exchange_feed(&exchange, kh_view_str(job.s)) == strlen(job.s) && kh_exchange_feed_end(&exchange),
	     "input");
	do {
		kh_exchange_next(&exchange, -1, &event);
		if (event.kind == KH_EVENT_OUTPUT)
			got += kh_tainted_size(event.bytes);
	} while (event.kind != KH_EVENT_END);
	double ns = now_ns() - start;
	check_end(&event.end);
	must(got == READ_N, "a file");
	kh_exchange_close(&exchange);
	return ns;
}

/* From request to first instruction and to END. */

enum peer { FORK, SPAWN, BUBBLEWRAP, COLD, WARM, WARM_IN_USR, PEERS };

static const char *const names[PEERS] = {
	[COLD] = "cold",
	[WARM] = "pre-warmed, with a folder",
	[WARM_IN_USR] = "pre-warmed, without",
};

static struct series begun[PEERS], ended[PEERS];

static double run_peer(enum peer p, const struct kh_client *cold, const struct kh_client *warm, double *ret_end)
{
	char *argv[] = {first, NULL};

	if (p == BUBBLEWRAP)
		return run_bwrap(ret_end);
	if (p >= COLD)
		return run_keyhole(p == COLD ? cold : warm, p == WARM_IN_USR ? first_in_usr : first, ret_end);
	return run_child(p == FORK ? by_fork : by_spawn, argv, ret_end);
}

/* A percentile of Keyhole's against the same of bubblewrap's, where there is one. */
static void row(const char *what, struct series *own, struct series *bwrap, size_t percent, double limit)
{
	double ns = quantile(own, percent), other = bwrap->n > 0 ? quantile(bwrap, percent) : 0;

	kh_bench_row(kh_bench_printf("%s, p%zu%s", what, percent, limit > 0 ? " (P5)" : "").s, kh_bench_ns(ns).s,
		     other > 0 ? kh_bench_printf("bubblewrap %s", kh_bench_ns(other).s).s : "",
		     other > 0 ? ns / other : 0, limit > 0 ? kh_bench_printf("<= %s", kh_bench_ns(limit).s).s : "",
		     limit <= 0    ? ""
		     : ns <= limit ? "met"
				   : "missed");
}

static void measure_runs(const struct kh_client *cold, const struct kh_client *warm)
{
	double end = 0;
	bool has_bwrap = access(BWRAP, X_OK) == 0 && run_bwrap(&end) > 0;

	for (size_t i = 0; i < RUNS; i++) {
		for (enum peer p = 0; p < PEERS; p++) {
			if ((p == BUBBLEWRAP && !has_bwrap) || (p == WARM_IN_USR && first_in_usr[0] == '\0'))
				continue;
			rest();
			double ns = run_peer(p, cold, warm, &end);
			must(ns > 0, "a run");
			add(&begun[p], ns);
			add(&ended[p], end);
		}
	}
	for (enum peer p = COLD; p < PEERS; p++) {
		struct kh_bench_text name = kh_bench_printf("first instruction, %s", names[p]);
		if (begun[p].n == 0)
			continue;
		row(name.s, &begun[p], &begun[BUBBLEWRAP], 50, p == COLD ? COLD_NS : WARM_NS);
		row("  the same", &begun[p], &begun[BUBBLEWRAP], 95, 0);
		row("  the same", &begun[p], &begun[BUBBLEWRAP], 99, 0);
		kh_bench_ratio("  against a process without a sandbox", middle(&begun[p]), "posix_spawn",
			       middle(&begun[SPAWN]), 0);
		kh_bench_ratio("  the same", middle(&begun[p]), "fork, execve", middle(&begun[FORK]), 0);
		row("  from request to END", &ended[p], &ended[BUBBLEWRAP], 50, 0);
	}
}

/* Requests a second, as many at once as there are exchanges. */
static double stream(const struct kh_client *client, size_t at_once)
{
	static struct kh_exchange exchange[AT_ONCE];
	struct pollfd watch[AT_ONCE];
	struct kh_event event;
	size_t begun_n = 0, ended_n = 0;
	double start = now_ns();

	for (; begun_n < at_once; begun_n++) {
		begin_run(client, first, &exchange[begun_n]);
		watch[begun_n] = (struct pollfd){.fd = exchange[begun_n].fd, .events = POLLIN};
	}
	while (ended_n < STREAM) {
		must(poll(watch, (nfds_t)at_once, 60000) > 0, "requests");
		for (size_t i = 0; i < at_once; i++) {
			if (watch[i].fd < 0 || watch[i].revents == 0)
				continue;
			kh_exchange_next(&exchange[i], 0, &event);
			if (event.kind != KH_EVENT_END)
				continue;
			check_end(&event.end);
			kh_exchange_close(&exchange[i]);
			watch[i].fd = -1;
			ended_n++;
			if (begun_n++ >= STREAM)
				continue;
			begin_run(client, first, &exchange[i]);
			watch[i].fd = exchange[i].fd;
		}
	}
	return STREAM / (now_ns() - start) * 1e9;
}

static void measure_streams(const struct kh_client *warm)
{
	static const size_t at_once[] = {1, AT_ONCE};
	double other = ended[BUBBLEWRAP].n > 0 ? 1e9 / middle(&ended[BUBBLEWRAP]) : 0;

	for (size_t i = 0; i < 2; i++) {
		double rate = stream(warm, at_once[i]);
		kh_bench_row(kh_bench_printf("requests without a pause, %zu at once", at_once[i]).s,
			     kh_bench_printf("%.0f/s", rate).s,
			     other > 0 ? kh_bench_printf("bubblewrap, 1 at once %.0f/s", other).s : "",
			     other > 0 ? rate / other : 0, "", "");
	}
}

/* Fetches, from a server of our own. */

_Noreturn static void serve(int listener)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
	char request[4096];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		if (read(fd, request, sizeof(request)) > 0) /* a request this short comes in one piece */
			(void)!write(fd, answer, sizeof(answer) - 1);
		close(fd);
	}
}

static int start_server(int *ret_port)
{
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(here);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(bind(listener, (struct sockaddr *)&here, n) == 0 && listen(listener, 64) == 0 &&
		     getsockname(listener, (struct sockaddr *)&here, &n) == 0,
	     "a server");
	*ret_port = ntohs(here.sin_port);
	int pid = fork();
	if (pid == 0)
		serve(listener);
	must(pid > 0, "a server");
	close(listener);
	return pid;
}

static void measure_fetches(const struct kh_client *cold, const struct kh_client *warm)
{
	static const char *const what[] = {"fetch over loopback, cold, p50", "fetch over loopback, pre-warmed, p50",
					   "  the same, by name, p50"};
	struct series own[3] = {0}, curl = {0};
	bool has_curl = access(CURL, X_OK) == 0;
	int port, pid = start_server(&port);

	/* The name is one of the file of hosts: a worker looks it up, and no name server is asked. */
	for (size_t i = 0; i < FETCHES; i++) {
		for (size_t k = 0; k < 3; k++) {
			rest();
			double ns = fetch_keyhole(k == 0 ? cold : warm, k == 2 ? "localhost" : "127.0.0.1", port);
			must(ns > 0 || k == 2, what[k]);
			if (ns > 0)
				add(&own[k], ns);
		}
		rest();
		if (has_curl)
			add(&curl, run_curl(port));
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (size_t k = 0; k < 3; k++) {
		if (own[k].n == 0)
			continue;
		if (has_curl)
			kh_bench_ratio(what[k], middle(&own[k]), "curl", middle(&curl), 0);
		else
			kh_bench_row(what[k], kh_bench_ns(middle(&own[k])).s, "", 0, "", "");
	}
}

static void measure_reads(const struct kh_client *cold, const struct kh_client *warm)
{
	static struct series own[2];

	own[0].n = own[1].n = 0;
	for (size_t i = 0; i < RUNS; i++) {
		for (size_t k = 0; k < 2; k++) {
			rest();
			add(&own[k], read_keyhole(k == 0 ? cold : warm));
		}
	}
	struct series none = {.n = 0};
	row("a file of 4 KiB by the worker read, cold", &own[0], &none, 50, 0);
	double ns = middle(&own[1]);
	kh_bench_row("  the same, pre-warmed, p50", kh_bench_ns(ns).s, "", 0,
		     kh_bench_printf("<= %s", kh_bench_ns(READ_NS).s).s, ns <= READ_NS ? "met" : "missed");
	row("  the same, pre-warmed", &own[1], &none, 95, 0);
}

/* Memory. */

struct task {
	int pid, parent;
};

/* The number after TEXT in the file PATH; 0 where there is none. */
static unsigned long number_in(const char *path, const char *text)
{
	char bytes[2048];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes) - 1);

	if (fd >= 0)
		close(fd);
	bytes[n > 0 ? n : 0] = '\0';
	const char *at = strstr(bytes, text);
	return at ? strtoul(at + strlen(text), NULL, 10) : 0;
}

static size_t list_tasks(struct task *tasks)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	size_t n = 0;

	while (dir && n < TASKS && (entry = readdir(dir)) != NULL) {
		int pid = (int)strtoul(entry->d_name, NULL, 10);
		if (pid > 0)
			tasks[n++] = (struct task){
				pid, (int)number_in(kh_bench_printf("/proc/%d/status", pid).s, "\nPPid:")};
	}
	if (dir)
		closedir(dir);
	must(n > 0, "/proc");
	return n;
}

static bool has_child(const struct task *tasks, size_t n, int pid)
{
	for (size_t i = 0; i < n; i++)
		if (tasks[i].parent == pid)
			return true;
	return false;
}

/* KiB of PID and all below it, each page shared out among those that have it; *RET_KIND: what runs in it. */
static unsigned long weigh(const struct task *tasks, size_t n, int pid, enum kh_profile *ret_kind)
{
	unsigned long sum = number_in(kh_bench_printf("/proc/%d/smaps_rollup", pid).s, "\nPss:");
	char words[64] = "";
	FILE *file = fopen(kh_bench_printf("/proc/%d/cmdline", pid).s, "re");
	size_t got = file ? fread(words, 1, sizeof(words) - 1, file) : 0;

	if (file)
		fclose(file);
	if (memmem(words, got, "worker\0http", 11))
		*ret_kind = KH_PROFILE_HTTP;
	else if (memmem(words, got, "worker\0resolve", 14))
		*ret_kind = KH_PROFILE_RESOLVE;
	for (size_t i = 0; i < n; i++)
		sum += tasks[i].parent == pid ? weigh(tasks, n, tasks[i].pid, ret_kind) : 0;
	return sum;
}

/* Of other processes only root can see it: an executor does not let itself be looked at. */
static void measure_memory(const struct kh_client *warm)
{
	static struct task tasks[TASKS];
	unsigned long sum[KH_PROFILES] = {0}, count[KH_PROFILES] = {0};
	unsigned long own = number_in(kh_bench_printf("/proc/%d/smaps_rollup", warm->pid).s, "\nPss:");
	size_t n;

	if (own == 0)
		return;
	for (int i = 0; i < 20; i++)
		rest();
	n = list_tasks(tasks);
	for (size_t i = 0; i < n; i++) {
		enum kh_profile kind = KH_PROFILE_RUN;
		/* A sandbox is two processes; what has no child is the keeper of the groups. */
		if (tasks[i].parent != warm->pid || !has_child(tasks, n, tasks[i].pid))
			continue;
		unsigned long kib = weigh(tasks, n, tasks[i].pid, &kind);
		sum[kind] += kib;
		count[kind]++;
	}
	kh_bench_row("executor, proportional memory", kh_bench_printf("%lu KiB", own).s, "", 0, "", "");
	for (enum kh_profile kind = 0; kind < KH_PROFILES; kind++) {
		if (count[kind] > 0)
			kh_bench_row(
				kh_bench_printf("  one of %lu warm sandboxes, %s", count[kind], kh_profile_name(kind))
					.s,
				kh_bench_printf("%lu KiB", sum[kind] / count[kind]).s, "", 0, "", "");
	}
}

static void measure_start(void)
{
	struct series ready = {0};
	struct kh_client client;

	for (size_t i = 0; i < STARTS; i++) {
		double start = now_ns();
		start_client(&client, 0);
		add(&ready, now_ns() - start);
		kh_client_stop(&client);
	}
	kh_bench_row("executor, from start to ready, p50", kh_bench_ns(middle(&ready)).s, "", 0, "", "");
}

static void measure(const char *who)
{
	struct kh_client cold, warm;

	kh_bench_section(kh_bench_printf("The sandbox, as %s", who).s);
	start_client(&cold, 0);
	start_client(&warm, POOL);
	measure_runs(&cold, &warm);
	measure_streams(&warm);
	measure_fetches(&cold, &warm);
	measure_reads(&cold, &warm);
	measure_memory(&warm);
	kh_client_stop(&cold);
	kh_client_stop(&warm);
	measure_start();
}

/* All of it once more, as somebody with no rights. */
static void measure_ordinary(void)
{
	int status = 0, pid = fork();

	must(pid >= 0, "fork");
	if (pid == 0) {
		must(setgroups(0, NULL) == 0 && setresgid(ORDINARY, ORDINARY, ORDINARY) == 0 &&
			     setresuid(ORDINARY, ORDINARY, ORDINARY) == 0,
		     "another user");
		measure("an ordinary user");
		exit(0);
	}
	waitpid(pid, &status, 0);
	must(status == 0, "the sandbox as an ordinary user");
}

static void copy(const char *from, const char *where, char *to, size_t size, const char *name)
{
	struct stat st;
	int in = open(from, O_RDONLY | O_CLOEXEC);

	snprintf(to, size, "%s/%s", where, name);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	must(in >= 0 && out >= 0 && fstat(in, &st) == 0 && fchmod(out, 0755) == 0, to);
	for (off_t left = st.st_size; left > 0;) {
		ssize_t n = sendfile(out, in, NULL, (size_t)left);
		must(n > 0, to);
		left -= n;
	}
	close(in);
	close(out);
}

static void write_file(void)
{
	char bytes[READ_N];
	int out = open(kh_bench_printf("%s/file", folder).s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	memset(bytes, 'x', sizeof(bytes));
	must(out >= 0 && fchmod(out, 0644) == 0 && write(out, bytes, sizeof(bytes)) == READ_N, "a file");
	close(out);
}

static void clean_up(void)
{
	unlink(kh_bench_printf("%s/file", folder).s);
	unlink(keyhole);
	unlink(first);
	rmdir(folder);
	if (first_in_usr[0] != '\0') {
		unlink(first_in_usr);
		rmdir(in_usr);
	}
}

int main(int argc, char **argv)
{
	if (argc != 3 || access(argv[1], X_OK) != 0 || access(argv[2], X_OK) != 0) {
		fprintf(stderr, "usage: bench-sandbox PATH-OF-KEYHOLE PATH-OF-BENCH-FIRST\n");
		return 2;
	}
	must(mkdtemp(folder) != NULL && chmod(folder, 0755) == 0, folder);
	atexit(clean_up);
	copy(argv[1], folder, keyhole, sizeof(keyhole), "keyhole");
	copy(argv[2], folder, first, sizeof(first), "first");
	write_file();
	if (geteuid() == 0 && mkdtemp(in_usr) != NULL && chmod(in_usr, 0755) == 0)
		copy(argv[2], in_usr, first_in_usr, sizeof(first_in_usr), "first");
	if (geteuid() != 0) {
		measure("an ordinary user");
		return 0;
	}
	measure_ordinary();
	measure("root");
	return 0;
}
