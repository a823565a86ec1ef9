/* One call, driven by its channel, by the executor and by libcurl.  See call.h. */
#include "worker/http/call.h"

#include "base/clock.h"
#include "wire/header.h"
#include "worker/http/curlcode.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define ARENA_MAX    (8 * KH_MESSAGE_MAX)
#define BUFFER_SIZE  16384L /* bytes that come at once: what a flood can have got in before it has to wait */
#define HANDSHAKE_MS 30000  /* for TLS, if the call has no shorter time */

struct kh_http_call *kh_http_call_new(struct kh_http_site *site, int channel)
{
	struct kh_http_call *call = kh_alloc_zero(&kh_alloc_system, sizeof(*call));

	if (call == NULL)
		return NULL;
	call->site = site;
	call->channel = channel;
	call->state = KH_STATE_WORKER_CALL;
	call->ticket = ++site->tickets;
	call->deadline_ms = -1;
	call->socket = -1;
	kh_arena_init(&call->arena, &kh_alloc_system, ARENA_MAX);
	/* A message, what it may grow by when it is written anew, and what came with it in one piece. */
	kh_outlet_init(&call->out, channel, &kh_alloc_system, 2 * site->message + 16 * KH_MESSAGE_MAX);
	kh_http_answer_init(&call->answer, site, &call->out, 0);
	return call;
}

/* Takes it away from libcurl. */
static void drop(struct kh_http_call *call)
{
	const struct kh_curl *curl = &call->site->curl;

	if (call->easy != NULL) {
		curl->multi_remove_handle(call->site->multi, call->easy);
		curl->easy_cleanup(call->easy);
	}
	curl->slist_free_all(call->lines);
	curl->slist_free_all(call->to);
	call->easy = NULL;
	call->lines = call->to = NULL;
	call->is_paused = false;
}

void kh_http_call_free(struct kh_http_call *call)
{
	drop(call);
	if (call->socket >= 0)
		close(call->socket);
	close(call->channel);
	kh_http_answer_done(&call->answer);
	kh_outlet_done(&call->out);
	kh_bytes_free(&call->body, &kh_alloc_system);
	kh_arena_done(&call->arena);
	kh_alloc_free(&kh_alloc_system, call, sizeof(*call));
}

/* Says how it ended; nothing follows. */
static void end(struct kh_http_call *call)
{
	const struct kh_http_answer *answer = &call->answer;
	struct kh_message_out out;

	if (call->phase >= KH_HTTP_CALL_ENDING)
		return;
	call->phase = KH_HTTP_CALL_ENDING;
	kh_message_begin(&out, call->site->buffer, KH_MESSAGE_MAX, KH_MESSAGE_DONE);
	kh_message_number(&out, KH_FIELD_FAULT, answer->fault);
	kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(answer->detail));
	call->out.most += KH_MESSAGE_MAX; /* the room for this one was kept */
	if (kh_outlet_put(&call->out, &out) != KH_OK)
		call->phase = KH_HTTP_CALL_OVER;
}

static void stop(struct kh_http_call *call, enum kh_fault fault, const char *detail)
{
	kh_http_answer_stop(&call->answer, fault, detail);
	drop(call);
	end(call);
}

/* --- what libcurl tells -------------------------------------------------------------------------------------------- */

static size_t on_header(char *p, size_t size, size_t count, void *ctx)
{
	struct kh_http_call *call = ctx;

	return kh_http_answer_header(&call->answer, kh_view_of(p, size * count)) ? size * count : SIZE_MAX;
}

/* How long the server's bytes must wait, in microseconds: because the parent does not read, or because they came too
 * fast. */
static int64_t must_wait(const struct kh_http_call *call)
{
	int64_t now = kh_clock_us(), a = kh_worker_rate_left(&call->answer.messages, now),
		b = kh_worker_rate_left(&call->answer.bytes, now);

	if (!kh_outlet_is_empty(&call->out))
		return INT64_MAX;
	return a > b ? a : b;
}

static size_t on_body(char *p, size_t size, size_t count, void *ctx)
{
	struct kh_http_call *call = ctx;

	/* If the channel is closed, that is noticed when it is read from. */
	if (kh_outlet_flush(&call->out) != KH_IO_DONE || must_wait(call) > 0) {
		call->is_paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	return kh_http_answer_body(&call->answer, kh_view_of(p, size * count)) ? size * count : SIZE_MAX;
}

/* Watches for the request's first byte, and for the alert close_notify (warning, 0). */
static int on_trace(CURL *easy, curl_infotype type, char *p, size_t n, void *ctx)
{
	struct kh_http_call *call = ctx;

	(void)easy;
	if ((type == CURLINFO_HEADER_OUT || type == CURLINFO_DATA_OUT) && n > 0)
		call->has_sent = true;
	if (type == CURLINFO_SSL_DATA_IN && n == 2 && p[0] == 1 && p[1] == 0)
		call->closed_well = true;
	return 0;
}

static curl_socket_t on_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct kh_http_call *call = ctx;
	int socket = purpose == CURLSOCKTYPE_IPCXN ? call->socket : -1;

	(void)address; /* a dummy; see CONNECT_TO */
	call->lacks_connection = socket < 0;
	call->socket = -1;
	return socket < 0 ? CURL_SOCKET_BAD : socket;
}

static int on_made(void *ctx, curl_socket_t socket, curlsocktype purpose)
{
	(void)ctx;
	(void)socket;
	(void)purpose;
	return CURL_SOCKOPT_ALREADY_CONNECTED;
}

/* True if sending the request does no harm: nothing was sent yet, or it is a question for a stream, which has no effect. */
static bool may_send(const struct kh_http_call *call)
{
	return !call->has_sent || call->ask.method == KH_METHOD_GET;
}

/* Before the request is sent.  If a connection that was kept ends without an answer, libcurl tries the next one by itself:
 * the server may have got the request, so it is lost then. */
static int on_send(void *ctx, char *remote, char *local, int remote_port, int local_port)
{
	struct kh_http_call *call = ctx;

	(void)remote;
	(void)local;
	(void)remote_port;
	(void)local_port;
	call->lacks_connection |= !may_send(call);
	return may_send(call) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/* --- a try --------------------------------------------------------------------------------------------------------- */

#define SET(option, value) KH_EASY_SET(curl, call->easy, failed, option, value)

static bool set_callbacks(struct kh_http_call *call)
{
	const struct kh_curl *curl = &call->site->curl;
	bool failed = false;

	SET(CURLOPT_PRIVATE, call);
	SET(CURLOPT_BUFFERSIZE, BUFFER_SIZE);
	SET(CURLOPT_OPENSOCKETFUNCTION, on_open);
	SET(CURLOPT_OPENSOCKETDATA, call);
	SET(CURLOPT_SOCKOPTFUNCTION, on_made);
	SET(CURLOPT_PREREQFUNCTION, on_send);
	SET(CURLOPT_PREREQDATA, call);
	SET(CURLOPT_HEADERFUNCTION, on_header);
	SET(CURLOPT_HEADERDATA, call);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, call);
	SET(CURLOPT_DEBUGFUNCTION, on_trace);
	SET(CURLOPT_DEBUGDATA, call);
	SET(CURLOPT_TCP_KEEPALIVE, 1L); /* a stream may be silent for hours, and its peer gone */
	return !failed;
}

static bool set_method(struct kh_http_call *call)
{
	const struct kh_curl *curl = &call->site->curl;
	bool failed = false;

	if (call->ask.method == KH_METHOD_POST) {
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.n);
		SET(CURLOPT_POSTFIELDS, call->body.n > 0 ? call->body.p : "");
	} else if (call->ask.method == KH_METHOD_DELETE) {
		SET(CURLOPT_CUSTOMREQUEST, "DELETE");
	}
	return !failed;
}

/* Adds COUNT header lines; notes which of the two that have a default are among them. */
static bool add_lines(struct kh_http_call *call, const struct kh_view *lines, size_t count, bool *has_type,
		      bool *has_accept)
{
	struct kh_view value;

	for (size_t i = 0; i < count; i++) {
		*has_type |= kh_header_is(lines[i], KH_LIT("Content-Type"), &value);
		*has_accept |= kh_header_is(lines[i], KH_LIT("Accept"), &value);
		if (!kh_easy_line(&call->site->curl, &call->arena, lines[i], &call->lines))
			return false;
	}
	return true;
}

static bool make_lines(struct kh_http_call *call)
{
	const struct kh_http_site *site = call->site;
	struct kh_view more[3];
	bool has_type = false, has_accept = false;
	size_t n = 0;

	if (!add_lines(call, site->header, site->headers, &has_type, &has_accept) ||
	    !add_lines(call, call->ask.header, call->ask.headers, &has_type, &has_accept) ||
	    !add_lines(call, site->secret, site->secrets, &has_type, &has_accept))
		return false;
	if (!has_accept)
		more[n++] = call->ask.method == KH_METHOD_GET ? KH_LIT("Accept: text/event-stream")
							      : KH_LIT("Accept: application/json, text/event-stream");
	if (call->ask.method == KH_METHOD_POST) {
		more[n++] = KH_LIT("Expect:");
		if (!has_type)
			more[n++] = KH_LIT("Content-Type: application/json");
	}
	return add_lines(call, more, n, &has_type, &has_accept);
}

/* What is left of the call's time, for libcurl, which takes 0 as for ever. */
static long left_ms(const struct kh_http_call *call)
{
	int64_t left = call->deadline_ms < 0 ? 0 : call->deadline_ms - kh_clock_ms();

	return call->deadline_ms < 0 ? 0L : left < 1 ? 1L : left < INT_MAX ? (long)left : (long)INT_MAX;
}

static bool set_call(struct kh_http_call *call)
{
	const struct kh_curl *curl = &call->site->curl;
	struct kh_view url = kh_arena_printf(&call->arena, "%.*s%.*s", KH_FMT(call->site->url), KH_FMT(call->ask.path));
	long left = left_ms(call);
	bool failed = url.p == NULL || !kh_easy_harden(curl, call->easy) || !set_callbacks(call) || !set_method(call) ||
		      !make_lines(call) || !kh_http_trust_set(call->site->trust, call->easy);

	/* Whatever host the URL names, no name is looked up: this address stands for the socket that is handed in. */
	call->to = curl->slist_append(NULL, "::127.0.0.1:");
	SET(CURLOPT_URL, url.p);
	SET(CURLOPT_CONNECT_TO, call->to);
	SET(CURLOPT_HTTPHEADER, call->lines);
	SET(CURLOPT_FRESH_CONNECT, call->socket >= 0 ? 1L : 0L);
	SET(CURLOPT_TIMEOUT_MS, left);
	SET(CURLOPT_CONNECTTIMEOUT_MS, left > 0 && left < HANDSHAKE_MS ? left : (long)HANDSHAKE_MS);
	return !failed && call->to != NULL;
}

/* Tries it: over the connection that was made for it, or over one that another call has left. */
static void try_call(struct kh_http_call *call)
{
	const struct kh_curl *curl = &call->site->curl;

	call->lacks_connection = false;
	call->easy = curl->easy_init();
	if (call->easy == NULL || !set_call(call))
		stop(call, KH_FAULT_WORKER, "libcurl does not take the request");
	else if (curl->multi_add_handle(call->site->multi, call->easy) != CURLM_OK)
		stop(call, KH_FAULT_WORKER, "libcurl cannot begin");
	else
		call->phase = KH_HTTP_CALL_UNDER_WAY;
}

static void judge(struct kh_http_call *call, CURLcode code)
{
	struct kh_http_answer *answer = &call->answer;
	const char *detail;
	bool in_head = answer->head.bytes > 0 && !answer->head.is_over;
	enum kh_fault fault = kh_curlcode_fault(&call->site->curl, (int)code, in_head, &detail);

	if (call->lacks_connection)
		kh_http_answer_stop(answer, KH_FAULT_HTTP, "the server closed the connection without a response");
	else if (fault != KH_FAULT_NONE)
		kh_http_answer_stop(answer, fault, detail);
	else if (answer->until_close && !call->closed_well && kh_view_starts(call->site->url, KH_LIT("https:")))
		kh_http_answer_stop(answer, KH_FAULT_HTTP, "the connection was cut within the body");
	kh_http_answer_end(answer);
}

/* True if a connection is needed, and a try over another one does no harm. */
static bool can_dial(const struct kh_http_call *call)
{
	return call->lacks_connection && call->answer.head.bytes == 0 && may_send(call);
}

void kh_http_call_ended(struct kh_http_call *call, CURLcode code)
{
	bool dials = can_dial(call);

	drop(call);
	if (!dials) {
		judge(call, code);
		end(call);
		return;
	}
	call->phase = KH_HTTP_CALL_DIALING;
	if (!kh_http_site_dial(call->site, call->ticket))
		stop(call, KH_FAULT_WORKER, "the executor is gone");
}

void kh_http_call_dialed(struct kh_http_call *call, int socket, enum kh_fault fault, struct kh_view detail)
{
	char text[KH_MESSAGE_DETAIL + 1];

	snprintf(text, sizeof(text), "%.*s", KH_FMT(detail));
	if (socket < 0) {
		stop(call, fault, text);
		return;
	}
	call->socket = socket;
	call->phase = KH_HTTP_CALL_READY;
}

/* --- the channel --------------------------------------------------------------------------------------------------- */

/* Copies what ASK says; it borrows from the buffer. */
static bool copy_ask(struct kh_http_call *call, const struct kh_upstream_ask *ask)
{
	call->ask = *ask;
	call->ask.path = kh_arena_dup(&call->arena, ask->path);
	for (size_t i = 0; i < ask->headers; i++)
		call->ask.header[i] = kh_arena_dup(&call->arena, ask->header[i]);
	return kh_arena_check(&call->arena) == KH_OK;
}

static void take_ask(struct kh_http_call *call, const struct kh_message *message)
{
	struct kh_message_out out;
	struct kh_upstream_ask ask;
	bool taken = kh_upstream_read_ask(message, &ask, NULL) == KH_OK && copy_ask(call, &ask);

	/* Behind a query there is no path. */
	taken = taken && (call->ask.path.n == 0 || kh_view_find(call->site->url, KH_LIT("?"), 0) == SIZE_MAX);
	for (size_t i = 0; i < call->ask.headers && taken; i++)
		taken = !kh_http_site_is_secret(call->site, call->ask.header[i]);
	if (!taken) {
		stop(call, KH_FAULT_REQUEST, "not a request that is taken");
		return;
	}
	call->answer.most = call->ask.output;
	if (call->ask.wall_ms > 0)
		call->deadline_ms = kh_clock_ms() + (int64_t)call->ask.wall_ms;
	call->phase = call->ask.method == KH_METHOD_POST ? KH_HTTP_CALL_BODY : KH_HTTP_CALL_READY;
	kh_message_begin(&out, call->site->buffer, KH_MESSAGE_MAX, KH_MESSAGE_BEGUN);
	if (kh_outlet_put(&call->out, &out) != KH_OK)
		call->phase = KH_HTTP_CALL_OVER;
}

static void take_message(struct kh_http_call *call, const struct kh_message *message)
{
	if (message->type == KH_MESSAGE_ASK)
		take_ask(call, message);
	else if (call->phase != KH_HTTP_CALL_BODY && message->type == KH_MESSAGE_INPUT)
		stop(call, KH_FAULT_REQUEST, "not a request that is taken"); /* what is no POST has no body */
	else if (call->phase == KH_HTTP_CALL_BODY && message->type == KH_MESSAGE_INPUT_END)
		call->phase = KH_HTTP_CALL_READY;
	else if (message->type == KH_MESSAGE_INPUT &&
		 kh_bytes_add(&call->body, &kh_alloc_system, KH_UPSTREAM_BODY, message->bulk) != KH_OK)
		stop(call, KH_FAULT_REQUEST, "the body of the request is too long, or did not come");
}

void kh_http_call_hear(struct kh_http_call *call)
{
	struct kh_message message;
	enum kh_io io;

	while (call->phase != KH_HTTP_CALL_OVER &&
	       (io = kh_channel_hear(call->channel, call->site->buffer, &call->state, 0, &message, NULL)) !=
		       KH_IO_AGAIN) {
		if (io == KH_IO_DONE && call->phase < KH_HTTP_CALL_ENDING)
			take_message(call, &message);
		else if (io != KH_IO_DONE)
			call->phase =
				KH_HTTP_CALL_OVER; /* the parent does not want it any more, or broke the protocol */
	}
}

void kh_http_call_step(struct kh_http_call *call)
{
	enum kh_io io = kh_outlet_flush(&call->out);

	if (io == KH_IO_CLOSED || io == KH_IO_BROKEN || (io == KH_IO_DONE && call->phase == KH_HTTP_CALL_ENDING))
		call->phase = KH_HTTP_CALL_OVER;
	if (call->phase < KH_HTTP_CALL_ENDING && call->deadline_ms >= 0 && kh_clock_ms() >= call->deadline_ms)
		stop(call, KH_FAULT_TIME, kh_fault_about(KH_FAULT_TIME));
	if (call->phase == KH_HTTP_CALL_READY)
		try_call(call);
	if (call->is_paused && must_wait(call) == 0) {
		call->is_paused = false; /* libcurl may call back at once, and pause again */
		(void)call->site->curl.easy_pause(call->easy, CURLPAUSE_CONT);
	}
}

int64_t kh_http_call_left(const struct kh_http_call *call, int64_t left)
{
	int64_t until = call->deadline_ms < 0 ? left : call->deadline_ms - kh_clock_ms(), wait = left;

	if (call->phase == KH_HTTP_CALL_READY || call->phase == KH_HTTP_CALL_OVER)
		return 0;
	if (call->is_paused)
		wait = must_wait(call) / 1000 + 1;
	if (until < left)
		left = until > 0 ? until : 0;
	return wait < left ? wait : left;
}
