/*
 * The server: MHD's daemons, one for each listening socket, and their callbacks.
 *
 * MHD's callbacks run on its threads and touch only the request that they are about.  The first call of `answer` for a
 * request decides whether it is accepted at all; later ones bring its body; the last one hands it to its work, and
 * comes again when there is an answer.
 */
#include "http/server.h"

#include "base/alloc.h"
#include "http/dismiss.h"
#include "http/error.h"
#include "http/handling.h"
#include "http/headers.h"
#include "http/reply.h"

#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <time.h>
#include <unistd.h>

#define TABLES         8
#define CONNECTIONS    10000U
#define POOL           ((size_t)16 << 10) /* bytes of a connection, for the headers of request and answer */
#define POOL_STEP      ((size_t)1024)
#define SILENCE        30U                 /* seconds after which MHD closes a connection that is silent in a request */
#define IDLE           100U                /* and one without a request: after what the watch allows */
#define MOST_DISCARDED ((uint64_t)1 << 20) /* bytes of a refused request's body, so that its sender reads the answer */
#define APART          2                   /* threads: for health, and to look for tokens that are no longer valid */
#define FAREWELL       INT64_C(5000000)    /* microseconds for clients to take answers when the server ends */
/* Forward secrecy and authenticated encryption, whatever the machine's defaults are. */
#define PRIORITIES                                                                                            \
	"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM:+CHACHA20-POLY1305" \
	":-MAC-ALL:+AEAD:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA"

struct kh_http;

struct door {
	struct kh_http *http;
	struct kh_http_guard guard;
	struct MHD_Daemon *daemon;
	int fd; /* -1: owned by MHD, or closed */
};

struct kh_http {
	struct kh_http_frame *frame;
	const struct kh_alloc *alloc;
	struct kh_http_settings settings;
	struct kh_http_routes tables[TABLES];
	size_t table_count;
	struct door *doors;
	size_t door_count;
	unsigned connections;
	struct kh_http_dismiss dismiss;
};

/* --- whether a request is accepted -------------------------------------------------------------------------------- */

static int fd_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info != NULL ? (int)info->connect_fd : -1;
}

static void count_refusal(struct kh_http_frame *frame, const struct kh_error *err)
{
	if (strcmp(err->code, "bad_host") == 0)
		atomic_fetch_add(&frame->refused_host, 1);
	else if (strcmp(err->code, "bad_origin") == 0)
		atomic_fetch_add(&frame->refused_origin, 1);
	else if (strcmp(err->code, "unauthorised") == 0)
		atomic_fetch_add(&frame->refused_token, 1);
	atomic_fetch_add(&frame->answers[0], 1);
}

static void refuse(struct kh_http_request *r, enum kh_err e, const struct kh_error *err)
{
	count_refusal(r->frame, err);
	kh_http_reply_error(r, e, err);
}

/* Answers the preflight of a page of a configured origin (CORS).  The request itself is checked when it comes. */
static void reply_preflight(struct kh_http_request *r, unsigned methods)
{
	char allow[KH_HTTP_ROUTE_ALLOW];
	kh_http_route_allow(methods, allow);
	const struct kh_http_header more[] = {
		{"Access-Control-Allow-Methods", kh_view_str(allow)},
		{"Access-Control-Allow-Headers",
		 KH_LIT_INIT("Authorization, Content-Type, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, "
			     "Mcp-Method, Mcp-Name")},
		{"Access-Control-Max-Age", KH_LIT_INIT("600")},
	};

	kh_http_reply(r, 204, NULL, KH_LIT(""), more, 3);
}

static void refuse_method(struct kh_http_request *r, struct kh_view method, unsigned methods)
{
	char allow[KH_HTTP_ROUTE_ALLOW], text[KH_HTTP_ERROR_TEXT];
	struct kh_error err;
	enum kh_err e = kh_error_set(&err, KH_EREFUSED, "method_not_allowed", "this path has other methods");

	if (kh_view_eq(method, KH_LIT("OPTIONS")) && r->origin.p != NULL) {
		reply_preflight(r, methods);
		return;
	}
	kh_http_route_allow(methods, allow);
	kh_http_reply(r, 405, "application/json", kh_http_error_text(e, &err, text),
		      &(struct kh_http_header){"Allow", kh_view_str(allow)}, 1);
}

/* Finds the route; if there is none, answers. */
static bool find_route(struct kh_http *http, struct kh_http_request *r, struct kh_view method)
{
	struct kh_error err;
	unsigned methods = 0;
	enum kh_err e = kh_http_route_read(r->target_text, r->target_size, &r->target, &err);

	if (e != KH_OK) {
		refuse(r, e, &err);
		return false;
	}
	switch (kh_http_route_find(http->tables, http->table_count, kh_http_route_method(method), &r->target, &r->route,
				   &r->ctx, &methods)) {
	case KH_HTTP_FOUND:
		return true;
	case KH_HTTP_NO_PATH:
		kh_http_reply_error(r, kh_error_set(&err, KH_EUNKNOWN, "unknown_path", "there is nothing here"), &err);
		return false;
	case KH_HTTP_NO_METHOD:
		refuse_method(r, method, methods);
		return false;
	}
	return false;
}

/* Checks the token's form, and what is announced of the body. */
static bool admit(struct kh_http_request *r, const struct kh_http_knock *knock)
{
	struct kh_error err;
	struct kh_view token = {NULL, 0};
	bool has_token = kh_http_guard_bearer(knock->authorization, &token);

	if (r->route->access == KH_HTTP_TOKEN && !has_token) {
		refuse(r, kh_error_set(&err, KH_EREFUSED, "unauthorised", "a bearer token is needed"), &err);
		return false;
	}
	if (knock->encoded) {
		refuse(r,
		       kh_error_set(&err, KH_EINPUT, "unsupported_encoding",
				    "a body is read as it is: Content-Encoding is not taken"),
		       &err);
		return false;
	}
	if (knock->length > r->route->body || (knock->chunked && r->route->body == 0)) {
		refuse(r,
		       kh_error_set(&err, KH_ELIMIT, "too_large", "the body may have %zu bytes here", r->route->body),
		       &err);
		return false;
	}
	r->token = kh_token_read(kh_gateway_engine(r->frame->gateway), token);
	kh_http_watch_does(r->frame->watch, r->fd, KH_HTTP_READS, knock->chunked ? r->route->body : knock->length);
	return true;
}

/* Checks the head of a request.  True: its body may come, even if it is thrown away; false: nothing more is read. */
static bool take_head(struct door *door, struct kh_http_request *r, struct kh_view method, struct kh_view version)
{
	struct kh_http_knock knock = {.length = 0};
	struct kh_error err;
	enum kh_err e = kh_http_headers_take(r, &err);

	if (e == KH_OK)
		e = kh_http_guard_check(&door->guard, r->headers, r->header_count, &knock, &err);
	/* HTTP/1.0 has no chunks: a proxy before us may take the body to end elsewhere. */
	if (e == KH_OK && knock.chunked && !kh_view_eq(version, KH_LIT("HTTP/1.1")))
		e = kh_error_set(&err, KH_EINPUT, "bad_length", "this version of HTTP has no chunks");
	if (e != KH_OK) {
		r->closes = true;
		refuse(r, e, &err);
		return false;
	}
	r->origin = knock.origin;
	if (find_route(door->http, r, method) && admit(r, &knock))
		return true;
	r->route = NULL; /* the body is thrown away */
	kh_http_watch_does(r->frame->watch, r->fd, KH_HTTP_READS, 0);
	return !knock.chunked && knock.length <= MOST_DISCARDED && kh_http_request_header(r, "expect").p == NULL;
}

/* --- callbacks of MHD --------------------------------------------------------------------------------------------- */

/* MHD's own limit of silence, which only matters while something should be read or sent (watch.h has the others). */
static void limit_silence(struct MHD_Connection *connection, unsigned seconds)
{
	(void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

static void *begun(void *cls, const char *uri, struct MHD_Connection *connection)
{
	struct door *door = cls;
	int fd = fd_of(connection);

	limit_silence(connection, SILENCE);
	return kh_http_request_new(door->http->frame, connection, fd, kh_view_str(uri != NULL ? uri : ""));
}

static enum MHD_Result send_answer(struct kh_http_request *r, struct MHD_Connection *connection)
{
	unsigned status;
	struct MHD_Response *response;
	enum MHD_Result result;

	if (!kh_http_request_response(r, &response, &status))
		return MHD_YES; /* suspended again */
	if (response == NULL)
		return MHD_NO; /* there was no memory even for an answer */
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
			      const char *version, const char *upload, size_t *upload_size, void **con_cls)
{
	struct door *door = cls;
	struct kh_http_request *r = *con_cls;
	struct kh_error err;

	(void)url;
	if (r == NULL)
		return MHD_NO;
	if (!r->begun) {
		r->begun = true;
		kh_http_watch_own(r->frame->watch, r->fd, r);
		return take_head(door, r, kh_view_str(method), kh_view_str(version)) ? MHD_YES
										     : send_answer(r, connection);
	}
	if (*upload_size > 0) {
		size_t n = *upload_size;
		*upload_size = 0;
		return kh_http_request_take_body(r, kh_view_of(upload, n)) ? MHD_YES : MHD_NO;
	}
	if (r->work.step == NULL && !r->answered) {
		if (r->body_over)
			refuse(r,
			       kh_error_set(&err, KH_ELIMIT, "too_large", "the body may have %zu bytes here",
					    r->route->body),
			       &err);
		else
			kh_http_handling_begin(r);
		if (r->work.step != NULL)
			return MHD_YES; /* suspended */
	}
	return send_answer(r, connection);
}

static void ended(void *cls, struct MHD_Connection *connection, void **con_cls, enum MHD_RequestTerminationCode code)
{
	struct kh_http_request *r = *con_cls;

	(void)cls;
	if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		limit_silence(connection, IDLE);
	if (r != NULL)
		kh_http_request_over(r, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
	*con_cls = NULL;
}

static void connected(void *cls, struct MHD_Connection *connection, void **socket_context,
		      enum MHD_ConnectionNotificationCode code)
{
	struct door *door = cls;
	int fd = fd_of(connection);

	(void)socket_context;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED)
		kh_http_watch_leave(door->http->frame->watch, fd);
	else if (!kh_http_watch_enter(door->http->frame->watch, fd))
		(void)shutdown(fd, SHUT_RDWR); /* a connection that cannot be watched is closed */
}

/* Leaves escapes to route.c, because MHD would make a NUL of %00, which ends a string. */
static size_t leave_escapes(void *cls, struct MHD_Connection *connection, char *text)
{
	(void)cls;
	(void)connection;
	return strlen(text);
}

/* --- beginning ---------------------------------------------------------------------------------------------------- */

static unsigned port_of(int fd)
{
	struct sockaddr_storage address = {0};
	socklen_t size = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &size) != 0)
		return 0;
	if (address.ss_family == AF_INET)
		return ntohs(((const struct sockaddr_in *)(const void *)&address)->sin_port);
	if (address.ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)(const void *)&address)->sin6_port);
	return 0;
}

static enum kh_err make_doors(struct kh_http *http, struct kh_error *err)
{
	const struct kh_http_settings *s = &http->settings;

	http->doors = kh_alloc_array(http->alloc, s->listens, sizeof(*http->doors));
	if (http->doors == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the server");
	http->door_count = s->listens;
	for (size_t i = 0; i < s->listens; i++) {
		http->doors[i] = (struct door){
			.http = http,
			.fd = s->listen[i],
			.guard = {.port = port_of(s->listen[i]),
				  .tls = s->tls_certificate != NULL,
				  .hosts = s->hosts,
				  .host_count = s->host_count,
				  .origins = s->origins,
				  .origin_count = s->origin_count},
		};
	}
	return KH_OK;
}

enum kh_err kh_http_new(const struct kh_http_settings *settings, struct kh_http **ret_http, struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(kh_gateway_engine(settings->gateway));
	struct kh_http *http = kh_alloc_zero(alloc, sizeof(*http));
	struct kh_http_frame *frame = kh_http_frame_new(alloc);
	enum kh_err e;

	if (http == NULL || frame == NULL) {
		kh_alloc_free(alloc, http, sizeof(*http));
		kh_http_frame_drop(frame);
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the server");
	}
	http->frame = frame;
	http->settings = *settings;
	http->connections = settings->connections > 0 ? settings->connections : CONNECTIONS;
	http->alloc = alloc;
	http->frame->gateway = settings->gateway;
	http->frame->waits_most = http->connections - http->connections / 4;
	e = make_doors(http, err);
	if (e == KH_OK)
		e = kh_works_new(&(struct kh_works_settings){.alloc = alloc, .threads = APART}, &http->frame->apart,
				 err);
	if (e == KH_OK)
		e = kh_http_watch_new(&(struct kh_http_watch_settings){.alloc = alloc,
								       .connections = http->connections,
								       .headers = settings->headers_within,
								       .body = settings->body_within,
								       .gone = kh_http_request_left,
								       .hold = kh_http_request_hold,
								       .drop = kh_http_request_drop},
				      &http->frame->watch, err);
	if (e == KH_OK && !kh_http_dismiss_start(&http->dismiss, frame))
		e = kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the server");
	if (e != KH_OK) {
		kh_http_free(http);
		return e;
	}
	*ret_http = http;
	return KH_OK;
}

enum kh_err kh_http_add(struct kh_http *http, const struct kh_http_route *routes, size_t count, void *ctx,
			struct kh_error *err)
{
	if (http->table_count == TABLES)
		return kh_error_set(err, KH_ELIMIT, "too_many", "more than %d tables of routes", TABLES);
	http->tables[http->table_count++] = (struct kh_http_routes){routes, count, ctx};
	return KH_OK;
}

static unsigned threads_of(const struct kh_http *http)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (http->settings.threads > 0)
		return http->settings.threads;
	return cores > 0 ? (unsigned)cores : 1;
}

/* STRICT_FOR_CLIENT is 0, because MHD 0.9.75 answers a request without Host twice; the guard and the route are as
 * strict. */
static enum kh_err open_door(struct kh_http *http, struct door *door, struct kh_error *err)
{
	const struct kh_http_settings *s = &http->settings;
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, threads = threads_of(http);
	struct MHD_OptionItem options[8];
	size_t n = 0;

	if (fcntl(door->fd, F_SETFL, fcntl(door->fd, F_GETFL) | O_NONBLOCK) != 0)
		return kh_error_set(err, KH_ESTORE, "http_start", "a listening socket cannot be used");
	if (s->tls_certificate != NULL) {
		flags |= MHD_USE_TLS;
		options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0,
						       (void *)(uintptr_t)s->tls_certificate};
		options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)s->tls_key};
		options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)PRIORITIES};
	}
	if (threads > 1)
		options[n++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL};
	options[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
	door->daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, answer, door, MHD_OPTION_LISTEN_SOCKET, door->fd, MHD_OPTION_CONNECTION_LIMIT,
		http->connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, POOL, MHD_OPTION_CONNECTION_MEMORY_INCREMENT,
		POOL_STEP, MHD_OPTION_CONNECTION_TIMEOUT, IDLE, MHD_OPTION_STRICT_FOR_CLIENT, 0,
		MHD_OPTION_NOTIFY_COMPLETED, ended, door, MHD_OPTION_NOTIFY_CONNECTION, connected, door,
		MHD_OPTION_URI_LOG_CALLBACK, begun, door, MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, door,
		MHD_OPTION_ARRAY, options, MHD_OPTION_END);
	if (door->daemon == NULL)
		return kh_error_set(err, KH_ESTORE, "http_start",
				    s->tls_certificate != NULL
					    ? "the server cannot be started: certificate or key are not usable"
					    : "the server cannot be started");
	door->fd = -1; /* MHD owns it from now on */
	return KH_OK;
}

enum kh_err kh_http_start(struct kh_http *http, struct kh_error *err)
{
	for (size_t i = 0; i < http->door_count; i++) {
		enum kh_err e = open_door(http, &http->doors[i], err);
		if (e != KH_OK)
			return e;
	}
	return KH_OK;
}

/* --- end ---------------------------------------------------------------------------------------------------------- */

void kh_http_quiesce(struct kh_http *http)
{
	atomic_store(&http->frame->stopping, true);
	for (size_t i = 0; i < http->door_count; i++) {
		if (http->doors[i].daemon == NULL)
			continue;
		MHD_socket fd = MHD_quiesce_daemon(http->doors[i].daemon);
		if (fd == MHD_INVALID_SOCKET)
			continue;
		/* Threads of the daemon still take it out of their epoll sets, and abort if that fails: closed later. */
		shutdown(fd, SHUT_RDWR);
		http->doors[i].fd = fd;
	}
}

/* Waits a limited time for answers and ends of streams to be sent. */
static void say_farewell(struct kh_http *http)
{
	int64_t until = kh_works_now() + FAREWELL;

	kh_http_watch_each(http->frame->watch, kh_http_handling_stop);
	while (kh_http_watch_busy(http->frame->watch) > 0 && kh_works_now() < until)
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	kh_http_watch_each(http->frame->watch, kh_http_request_left);
}

void kh_http_free(struct kh_http *http)
{
	if (http == NULL)
		return;
	atomic_store(&http->frame->stopping, true);
	if (http->frame->apart != NULL)
		(void)kh_works_stop(http->frame->apart, FAREWELL); /* nothing there blocks */
	if (http->frame->watch != NULL)
		say_farewell(http);
	for (size_t i = 0; i < http->door_count; i++) {
		if (http->doors[i].daemon != NULL)
			MHD_stop_daemon(http->doors[i].daemon);
		if (http->doors[i].fd >= 0)
			close(http->doors[i].fd);
	}
	kh_works_free(http->frame->apart);
	kh_http_watch_free(http->frame->watch);
	kh_http_frame_drop(http->frame);
	kh_alloc_free(http->alloc, http->doors, http->door_count * sizeof(*http->doors));
	kh_alloc_free(http->alloc, http, sizeof(*http));
}

struct kh_http_figures kh_http_figures(struct kh_http *http)
{
	struct kh_http_frame *frame = http->frame;
	struct kh_http_figures figures = {
		.refused_host = atomic_load(&frame->refused_host),
		.refused_origin = atomic_load(&frame->refused_origin),
		.refused_token = atomic_load(&frame->refused_token),
		.connections = kh_http_watch_count(frame->watch),
		.streams = atomic_load(&frame->streams),
		.waits = atomic_load(&frame->waits),
	};

	for (size_t i = 0; i < 6; i++)
		figures.requests[i] = atomic_load(&frame->answers[i]);
	return figures;
}
