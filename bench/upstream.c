/*
 * A call of an upstream server over HTTP, through executor and worker, beside the same request by libcurl in this process:
 * latency, and the processor time of all processes that it takes.  The server is one of our own on loopback, in a process
 * that does not count.  And the system's certificates, as a worker prepares them.
 */
#include "bench.h"
#include "cpu.h"

#include "base/clock.h"
#include "outside/caller.h"
#include "worker/http/trust.h"
#include "worker/worker.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 10
#define CALLS  200
#define BODY   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\",\"arguments\":{}}}"
#define ANSWER "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}}"

static void must(bool ok, const char *what)
{
	kh_bench_must(ok ? KH_OK : KH_EUNKNOWN, what);
}

/* --- the server ---------------------------------------------------------------------------------------------------- */

/* Answers each request on CONNECTION; one comes whole, as it is short. */
static void talk(int connection)
{
	char request[4096], answer[1024];
	int n = snprintf(answer, sizeof(answer),
			 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
			 sizeof(ANSWER) - 1, ANSWER);

	while (recv(connection, request, sizeof(request), 0) > 0)
		if (send(connection, answer, (size_t)n, MSG_NOSIGNAL) < 0)
			break;
	close(connection);
}

static pid_t start_server(int *ret_port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	must(listening >= 0 && bind(listening, (struct sockaddr *)&at, size) == 0 && listen(listening, 8) == 0 &&
		     getsockname(listening, (struct sockaddr *)&at, &size) == 0,
	     "a server");
	*ret_port = ntohs(at.sin_port);
	pid_t pid = fork();
	must(pid >= 0, "a server");
	while (pid == 0) {
		int connection = accept(listening, NULL, NULL);
		setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		if (fork() == 0) {
			talk(connection);
			_exit(0);
		}
		close(connection);
	}
	close(listening);
	return pid;
}

/* --- processor time ------------------------------------------------------------------------------------------------ */

/* Of this process, and of all below EXECUTOR. */
static double cpu_of_all(pid_t executor)
{
	return kh_bench_cpu(getpid()) + kh_bench_cpu_below(executor);
}

/* --- a call -------------------------------------------------------------------------------------------------------- */

static void call(struct kh_caller *caller)
{
	struct kh_upstream_ask ask = {.method = KH_METHOD_POST, .wall_ms = 60000};
	struct kh_caller_event event;
	struct kh_caller_call *made;
	bool came = false;

	kh_bench_must(kh_caller_begin(caller, &ask, KH_LIT(BODY), &made, NULL), "kh_caller_begin");
	do {
		kh_caller_next(made, -1, &event);
		came |= event.kind == KH_CALLER_MESSAGE;
	} while (event.kind != KH_CALLER_END);
	must(came && event.fault == KH_FAULT_NONE, kh_fault_name(event.fault));
	kh_caller_end(made);
}

static size_t drop(char *p, size_t size, size_t count, void *ctx)
{
	(void)p;
	*(size_t *)ctx += size * count;
	return size * count;
}

/* The same by libcurl, over a connection that it keeps. */
static void call_curl(const struct kh_curl *curl, CURLM *multi, CURL *easy)
{
	int running = 1, left;
	size_t got = 0;

	must(curl->easy_setopt(easy, CURLOPT_WRITEDATA, &got) == CURLE_OK &&
		     curl->multi_add_handle(multi, easy) == CURLM_OK,
	     "libcurl");
	while (running > 0) {
		must(curl->multi_perform(multi, &running) == CURLM_OK, "libcurl");
		if (running > 0)
			must(curl->multi_poll(multi, NULL, 0, 1000, NULL) == CURLM_OK, "libcurl");
	}
	while (curl->multi_info_read(multi, &left) != NULL)
		;
	curl->multi_remove_handle(multi, easy);
	must(got == sizeof(ANSWER) - 1, "libcurl");
}

static CURL *prepare(const struct kh_curl *curl, const char *url, struct curl_slist *lines)
{
	CURL *easy = curl->easy_init();

	must(easy != NULL && curl->easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK &&
		     curl->easy_setopt(easy, CURLOPT_HTTPHEADER, lines) == CURLE_OK &&
		     curl->easy_setopt(easy, CURLOPT_POSTFIELDS, BODY) == CURLE_OK &&
		     curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop) == CURLE_OK &&
		     curl->easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK,
	     "libcurl");
	return easy;
}

struct figures {
	double cpu, wall; /* the best round, of one call */
};

static void keep(struct figures *best, double cpu, double wall)
{
	if (best->cpu == 0 || cpu < best->cpu)
		best->cpu = cpu;
	if (best->wall == 0 || wall < best->wall)
		best->wall = wall;
}

static void measure_calls(const struct kh_client *client, const struct kh_curl *curl, const char *url)
{
	struct kh_upstream up = {.url = kh_view_str(url), .plain = true, .host = {KH_LIT("127.0.0.1")}, .hosts = 1};
	struct curl_slist *lines = curl->slist_append(NULL, "Content-Type: application/json");
	struct figures own = {0, 0}, theirs = {0, 0};
	CURLM *multi = curl->multi_init();
	CURL *easy = prepare(curl, url, lines);
	struct kh_caller *caller;

	up.a_second = KH_UPSTREAM_SECOND_MOST;
	kh_bench_must(kh_caller_new(&kh_alloc_system, client, &up, &caller, NULL), "kh_caller_new");
	call(caller);
	call_curl(curl, multi, easy);
	for (int round = 0; round < ROUNDS; round++) {
		double cpu = cpu_of_all(client->pid);
		int64_t start = kh_clock_us();
		for (int i = 0; i < CALLS; i++)
			call(caller);
		int64_t end = kh_clock_us();
		keep(&own, (cpu_of_all(client->pid) - cpu) / CALLS, (double)(end - start) * 1000 / CALLS);
		cpu = kh_bench_cpu(getpid());
		start = kh_clock_us();
		for (int i = 0; i < CALLS; i++)
			call_curl(curl, multi, easy);
		end = kh_clock_us();
		keep(&theirs, (kh_bench_cpu(getpid()) - cpu) / CALLS, (double)(end - start) * 1000 / CALLS);
	}
	must(kh_caller_starts(caller) == 1, "one worker for all");
	kh_bench_ratio("a call, processor time of all processes", own.cpu, "libcurl", theirs.cpu, 0);
	kh_bench_ratio("a call, by the clock on the wall", own.wall, "libcurl", theirs.wall, 0);
	kh_caller_free(caller);
	curl->easy_cleanup(easy);
	curl->multi_cleanup(multi);
	curl->slist_free_all(lines);
}

/* --- certificates -------------------------------------------------------------------------------------------------- */

struct trusting {
	struct kh_http_trust *trust;
	struct kh_view store;
};

static double use_store(void *ctx)
{
	struct trusting *t = ctx;

	kh_bench_must(kh_http_trust_use(t->trust, t->store, NULL), "kh_http_trust_use");
	return 0;
}

static void measure_trust(const struct kh_curl *curl)
{
	struct trusting t = {.store = kh_http_trust_system()};

	kh_bench_must(kh_http_trust_new(&kh_alloc_system, curl, &t.trust, NULL), "kh_http_trust_new");
	double ns = kh_bench_once(use_store, &t);
	kh_bench_row("the system's certificates, prepared", kh_bench_ns(ns).s,
		     kh_bench_printf("%zu of them", kh_http_trust_count(t.trust)).s, 0, "", "");
	kh_http_trust_free(t.trust);
	kh_worker_unread(t.store);
}

int main(int argc, char **argv)
{
	struct kh_client_settings settings = {.program = argc > 1 ? argv[1] : "build/keyhole", .pool = 1};
	struct kh_client client;
	struct kh_curl curl;
	char url[64];
	int port;

	signal(SIGCHLD, SIG_IGN);
	pid_t server = start_server(&port);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/mcp", port);
	kh_bench_must(kh_curl_load(&curl, NULL), "libcurl");
	must(curl.global_init(CURL_GLOBAL_ALL) == CURLE_OK, "libcurl");
	kh_bench_must(kh_client_start(&client, &settings, NULL), "an executor");
	kh_bench_section("Upstream servers over HTTP");
	measure_calls(&client, &curl, url);
	measure_trust(&curl);
	kh_client_stop(&client);
	curl.global_cleanup();
	kill(server, SIGKILL);
	return 0;
}
