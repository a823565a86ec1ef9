/*
 * A server to be attacked: src/http over a gateway on a scratch store, with a few routes that do nothing but what the
 * tests need.  tests/system/http_hostile starts it and speaks to it through sockets of its own.
 *
 *     serving [--tls CERTIFICATE KEY] [--connections N] [--seconds N] [--host NAME] [--origin ORIGIN]
 *
 * Prints one line of JSON (port, and a token of every role) and serves until its standard input ends; then it stops as
 * a gateway does, and says so.
 */
#include "base/alloc.h"
#include "core/policy/config.h"
#include "engine/context/token.h"
#include "engine/task/task.h"
#include "errand/errand.h"
#include "http/events.h"
#include "http/health.h"
#include "http/metrics.h"
#include "http/reply.h"
#include "http/server.h"
#include "store/sqlite/sqlite.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static _Noreturn void die(const char *what, const struct kh_error *err)
{
	fprintf(stderr, "serving: %s: %s: %s\n", what, err->code != NULL ? err->code : "", err->detail);
	exit(1);
}

/* --- routes ------------------------------------------------------------------------------------------------------- */

/* The body back, and whom it came from. */
static enum kh_work_next run_echo(struct kh_http_request *r)
{
	const struct kh_http_header remote = {"X-Remote", kh_http_request_remote(r)};

	kh_http_reply(r, 200, "application/octet-stream", kh_http_request_body(r), &remote, 1);
	return KH_WORK_DONE;
}

/* The segment and the parameter `x`, one line each, as they were decoded. */
static enum kh_work_next run_segment(struct kh_http_request *r)
{
	struct kh_view x = kh_http_request_query(r, "x");
	struct kh_view text = kh_arena_printf(&r->arena, "%.*s\n%.*s\n", KH_FMT(kh_http_request_segment(r, "name")),
					      (int)x.n, x.n > 0 ? x.p : "");

	kh_http_reply(r, 200, "text/plain; charset=utf-8", text, NULL, 0);
	return KH_WORK_DONE;
}

static int64_t number(struct kh_http_request *r, const char *name)
{
	int64_t n = 0;

	return kh_view_int(kh_http_request_query(r, name), &n) ? n : 0;
}

/* ?n= bytes. */
static enum kh_work_next run_bytes(struct kh_http_request *r)
{
	size_t n = (size_t)number(r, "n");
	char *text = kh_arena_alloc(&r->arena, n + 1);

	if (text == NULL)
		return KH_WORK_DONE;
	memset(text, 'x', n);
	kh_http_reply(r, 200, "text/plain", kh_view_of(text, n), NULL, 0);
	return KH_WORK_DONE;
}

static atomic_uint left; /* clients whose going away was noticed */

struct kept {
	int64_t until;
	int64_t sent;
	struct kh_http_stream *stream;
};

/* Answers after ?ms= milliseconds. */
static enum kh_work_next run_wait(struct kh_http_request *r)
{
	struct kept *kept = kh_http_request_kept(r, sizeof(*kept));

	if (kept == NULL)
		return KH_WORK_DONE;
	if (kept->until == 0)
		kept->until = kh_works_now() + number(r, "ms") * 1000;
	if (atomic_load(&r->gone)) {
		atomic_fetch_add(&left, 1);
	} else if (kh_works_now() < kept->until && !kh_works_is_stopping(kh_gateway_works(r->frame->gateway))) {
		r->work.wake_at = kept->until;
		r->shed = true;
		return KH_WORK_WAIT;
	}
	kh_http_reply(r, 200, "text/plain", KH_LIT("waited\n"), NULL, 0);
	return KH_WORK_DONE;
}

/* ?n= events, one every ?ms= milliseconds; ?n=0: none, and it stays open. */
static enum kh_work_next run_stream(struct kh_http_request *r)
{
	struct kept *kept = kh_http_request_kept(r, sizeof(*kept));
	bool stopping = kh_works_is_stopping(kh_gateway_works(r->frame->gateway));

	if (kept == NULL)
		return KH_WORK_DONE;
	if (kept->stream == NULL)
		kept->stream = kh_http_reply_stream(r, NULL, 0);
	if (kept->stream == NULL)
		return KH_WORK_DONE;
	if (atomic_load(&r->gone))
		atomic_fetch_add(&left, 1);
	else if (!stopping && number(r, "n") == 0)
		return KH_WORK_WAIT;
	while (!atomic_load(&r->gone) && !stopping && kept->sent < number(r, "n")) {
		char id[24];
		int n = snprintf(id, sizeof(id), "%lld", (long long)++kept->sent);
		if (!kh_http_stream_event(kept->stream, kh_view_of(id, (size_t)n), KH_LIT("tick"),
					  KH_LIT("{\"tick\":true}")))
			break;
		r->work.wake_at = kh_works_now() + number(r, "ms") * 1000;
		if (number(r, "ms") > 0)
			return KH_WORK_WAIT;
	}
	kh_http_stream_drop(kept->stream);
	return KH_WORK_DONE;
}

/* Keeps its thread for ?ms= milliseconds, as a store that is slow would. */
static enum kh_work_next run_block(struct kh_http_request *r)
{
	poll(NULL, 0, (int)number(r, "ms"));
	kh_http_reply(r, 200, "text/plain", KH_LIT("blocked\n"), NULL, 0);
	return KH_WORK_DONE;
}

static enum kh_work_next run_left(struct kh_http_request *r)
{
	kh_http_reply(r, 200, "text/plain", kh_arena_printf(&r->arena, "%u\n", atomic_load(&left)), NULL, 0);
	return KH_WORK_DONE;
}

/* An operation of a Controller's, so that something is recorded. */
static enum kh_work_next run_task(struct kh_http_request *r)
{
	struct kh_task_open call = {.title = KH_LIT("a task of the tests")};
	struct kh_error err = {0};
	enum kh_err e = kh_gateway_call(r->frame->gateway, r->token, kh_task_open_run, &call, &r->arena, &err);

	if (e != KH_OK)
		kh_http_reply_error(r, e, &err);
	else
		kh_http_reply(r, 200, "text/plain", call.id, NULL, 0);
	return KH_WORK_DONE;
}

static const struct kh_http_route routes[] = {
	{KH_HTTP_POST, "/test/echo", KH_HTTP_TOKEN, 1U << 20, run_echo, false, false},
	{KH_HTTP_PUT, "/test/echo", KH_HTTP_TOKEN, 16, run_echo, false, false},
	{KH_HTTP_GET, "/test/segment/{name}/end", KH_HTTP_OPEN, 0, run_segment, false, false},
	{KH_HTTP_GET, "/test/bytes", KH_HTTP_OPEN, 0, run_bytes, false, false},
	{KH_HTTP_GET, "/test/wait", KH_HTTP_TOKEN, 0, run_wait, true, false},
	{KH_HTTP_GET, "/test/stream", KH_HTTP_TOKEN, 0, run_stream, true, false},
	{KH_HTTP_GET, "/test/left", KH_HTTP_OPEN, 0, run_left, false, false},
	{KH_HTTP_GET, "/test/block", KH_HTTP_TOKEN, 0, run_block, false, false},
	{KH_HTTP_POST, "/test/task", KH_HTTP_TOKEN, 0, run_task, false, false},
};

/* --- the scene ---------------------------------------------------------------------------------------------------- */

struct scene {
	struct kh_arena arena;
	struct kh_store *store;
	struct kh_engine *engine;
	struct kh_gateway *gateway;
	const struct kh_policy *policy;
	struct kh_view admin;
};

static void open_scene(struct scene *s)
{
	static const char yaml[] = "policy:\n  release: immediate\n";
	struct kh_error err = {0};
	struct kh_digest key = {{1}};
	unsigned char random[64];

	kh_arena_init(&s->arena, &kh_alloc_system, (size_t)64 << 20);
	randombytes_buf(random, sizeof(random));
	if (kh_config_policy(&s->arena, kh_view_str(yaml), KH_LIT("keyhole.yaml"), &s->policy, &err) != KH_OK)
		die("policy", &err);
	if (kh_store_open(&kh_sqlite_backend, "", KH_STORE_SCRATCH, &s->store, &err) != KH_OK)
		die("store", &err);
	if (kh_engine_create(s->store, &s->arena, &key, random, 1, &s->admin, &err) != KH_OK)
		die("create", &err);
	struct kh_engine_settings settings = {
		.alloc = &kh_alloc_system,
		.store = s->store,
		.policy = s->policy,
		.errands = &kh_errand_table,
		.version = KH_LIT("test"),
	};
	if (kh_engine_new(&settings, &s->engine, &err) != KH_OK)
		die("engine", &err);
	if (kh_gateway_new(&(struct kh_gateway_settings){.engine = s->engine, .threads = 8}, &s->gateway, &err) !=
	    KH_OK)
		die("gateway", &err);
}

static struct kh_view make_token(struct scene *s, struct kh_view by, enum kh_role role, const char *name)
{
	struct kh_token_create create = {.name = kh_view_str(name), .role = role};
	struct kh_error err = {0};

	randombytes_buf(create.secret, sizeof(create.secret));
	if (kh_engine_call(s->engine, kh_token_read(s->engine, by), kh_token_create_run, &create, &s->arena, &err) !=
	    KH_OK)
		die("token", &err);
	return create.text;
}

static int listen_on_loopback(unsigned *ret_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 4096) != 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
		perror("serving: listen");
		exit(1);
	}
	*ret_port = ntohs(address.sin_port);
	return fd;
}

static char *read_text(struct kh_arena *arena, const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = kh_arena_alloc(arena, 1U << 16);

	if (file == NULL || text == NULL) {
		perror(path);
		exit(1);
	}
	text[fread(text, 1, (1U << 16) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void print_token(const char *name, struct kh_view token)
{
	printf(",\"%s\":\"%.*s\"", name, KH_FMT(token));
}

static void print_scene(struct scene *s, unsigned port)
{
	struct kh_view host = make_token(s, s->admin, KH_ROLE_HOST, "host");

	printf("{\"port\":%u", port);
	print_token("admin", s->admin);
	print_token("host", host);
	print_token("controller", make_token(s, s->admin, KH_ROLE_CONTROLLER, "controller"));
	print_token("hosted", make_token(s, host, KH_ROLE_CONTROLLER, "hosted"));
	print_token("reviewer", make_token(s, s->admin, KH_ROLE_REVIEWER, "reviewer"));
	print_token("reader", make_token(s, s->admin, KH_ROLE_READER, "reader"));
	print_token("supervisor", make_token(s, s->admin, KH_ROLE_SUPERVISOR, "supervisor"));
	puts("}");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct scene scene = {.store = NULL};
	struct kh_error err = {0};
	struct kh_http *http;
	struct kh_http_health *health;
	struct kh_view host, origin;
	unsigned port;
	int fd;
	struct rlimit files = {0};

	if (sodium_init() < 0)
		return 1;
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	open_scene(&scene);
	fd = listen_on_loopback(&port);
	struct kh_http_settings settings = {.gateway = scene.gateway, .listen = &fd, .listens = 1};
	for (int i = 1; i + 1 < argc; i++) {
		if (strcmp(argv[i], "--tls") == 0 && i + 2 < argc) {
			settings.tls_certificate = read_text(&scene.arena, argv[++i]);
			settings.tls_key = read_text(&scene.arena, argv[++i]);
		} else if (strcmp(argv[i], "--connections") == 0) {
			settings.connections = (unsigned)strtoul(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--seconds") == 0) {
			settings.headers_within = settings.body_within = strtol(argv[++i], NULL, 10) * 1000000;
		} else if (strcmp(argv[i], "--host") == 0) {
			host = kh_view_str(argv[++i]);
			settings.hosts = &host;
			settings.host_count = 1;
		} else if (strcmp(argv[i], "--origin") == 0) {
			origin = kh_view_str(argv[++i]);
			settings.origins = &origin;
			settings.origin_count = 1;
		}
	}
	const struct kh_http_health_settings probes = {.gateway = scene.gateway};
	if (kh_http_new(&settings, &http, &err) != KH_OK || kh_http_health_new(&probes, &health, &err) != KH_OK ||
	    kh_http_health_add(health, http, &err) != KH_OK || kh_http_metrics_add(http, &err) != KH_OK ||
	    kh_http_events_add(http, &err) != KH_OK ||
	    kh_http_add(http, routes, sizeof(routes) / sizeof(routes[0]), NULL, &err) != KH_OK ||
	    kh_http_start(http, &err) != KH_OK)
		die("server", &err);
	print_scene(&scene, port);
	while (getchar() != EOF) {
	}
	kh_http_quiesce(http);
	bool stopped = kh_gateway_stop(scene.gateway, INT64_C(20000000));
	kh_http_free(http);
	kh_http_health_free(health);
	kh_gateway_free(scene.gateway);
	kh_engine_free(scene.engine);
	kh_store_close(scene.store);
	kh_arena_done(&scene.arena);
	puts(stopped ? "stopped" : "did not stop");
	return stopped ? 0 : 1;
}
