/*
 * One HTTP exchange by libcurl over a connected socket.  See transfer.h.
 *
 * Trusts libcurl to parse, within the sandbox of the worker.  The callbacks here enforce the limits: every header byte
 * counts, also those of interim responses and trailers; every decoded byte counts; and the raw bytes are limited too.
 */
#include "worker/http/transfer.h"

#include "wire/header.h"
#include "worker/http/coding.h"
#include "worker/http/curl.h"
#include "worker/http/curlcode.h"
#include "worker/http/easy.h"
#include "worker/http/headers.h"
#include "worker/http/trust.h"

#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_SIZE 65536L
#define FRAMED      8
#define POLL_MS     1000 /* libcurl wakes up earlier if it has a reason */

struct kh_transfer {
	const struct kh_alloc *alloc;
	struct kh_curl curl;
	struct kh_coding_libraries decoders;
	CURLM *multi;
	CURL *easy;
	struct kh_http_trust *trust;
	struct kh_view trusted; /* what it was made of */
	/* of the current exchange */
	const struct kh_transfer_job *job;
	const struct kh_transfer_sink *sink;
	int socket; /* -1 after libcurl got it */
	struct kh_coding_stack decode;
	enum kh_fault fault;
	const char *detail;
	bool until_close;         /* only the end of the connection ends the body */
	bool closed_well;         /* TLS: the peer announced that it closes */
	uint64_t written, raw;    /* bytes of the body: decoded, and raw with their framing */
	struct kh_easy_head head; /* over: the sink has it */
	size_t pending_n;
	char pending[KH_MESSAGE_BULK]; /* decoded bytes that are collected before they are sent */
};

/* Only the first fault is reported, because later ones follow from it. */
static void stop(struct kh_transfer *http, enum kh_fault fault, const char *detail)
{
	if (http->fault != KH_FAULT_NONE)
		return;
	http->fault = fault;
	http->detail = detail;
}

static bool flush(struct kh_transfer *http)
{
	if (http->pending_n > 0 && http->fault == KH_FAULT_NONE) {
		enum kh_fault fault = http->sink->output(http->sink->ctx, kh_view_of(http->pending, http->pending_n));
		if (fault != KH_FAULT_NONE)
			stop(http, fault, kh_fault_about(fault));
		http->pending_n = 0;
	}
	return http->fault == KH_FAULT_NONE;
}

/* Takes decoded bytes of the body; false if the exchange must stop. */
static bool take_decoded(void *ctx, struct kh_view bytes)
{
	struct kh_transfer *http = ctx;
	uint64_t left = http->job->output - http->written;
	struct kh_view rest = kh_view_sub(bytes, 0, bytes.n < left ? bytes.n : (size_t)left);

	http->written += rest.n;
	while (rest.n > 0) {
		size_t room = sizeof(http->pending) - http->pending_n, part = rest.n < room ? rest.n : room;
		memcpy(http->pending + http->pending_n, rest.p, part);
		http->pending_n += part;
		rest = kh_view_from(rest, part);
		if (http->pending_n == sizeof(http->pending) && !flush(http))
			return false;
	}
	if (bytes.n > left && flush(http))
		stop(http, KH_FAULT_OUTPUT, "the body is longer than the cap");
	return http->fault == KH_FAULT_NONE;
}

static void begin_decoding(struct kh_transfer *http, struct kh_view block)
{
	enum kh_coding codings[KH_CODING_LAYERS];
	size_t count = kh_headers_codings(block, codings);

	kh_coding_init(&http->decode, &http->decoders, codings, count, take_decoded, http);
}

/* A header block is complete: that of the final response, or of an interim one, which is dropped. */
static void end_block(struct kh_transfer *http)
{
	struct kh_view block = kh_view_of(http->head.lines, http->head.n);
	char *location = NULL, *base = NULL;
	const char *wrong = kh_easy_wrong(&http->head);
	long status = 0;

	if (wrong != NULL) {
		stop(http, KH_FAULT_HTTP, wrong);
	} else if (http->curl.easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status >= 200) {
		if (status >= 300 && status < 400 &&
		    http->curl.easy_getinfo(http->easy, CURLINFO_EFFECTIVE_URL, &base) == CURLE_OK)
			location = kh_headers_location(&http->curl, block, base);
		enum kh_fault fault = http->sink->head(http->sink->ctx, (unsigned)status, block,
						       location ? kh_view_str(location) : KH_LIT(""));
		http->curl.free(location);
		begin_decoding(http, block);
		http->until_close = kh_headers_until_close(block, status);
		if (fault != KH_FAULT_NONE)
			stop(http, fault, kh_fault_about(fault));
	}
	kh_easy_forget(&http->head, status >= 200);
}

/* One header line of the final response, of an interim one, or of trailers. */
static size_t on_header(char *p, size_t size, size_t count, void *ctx)
{
	struct kh_transfer *http = ctx;
	size_t n = size * count; /* SIZE is 1 */

	enum kh_easy_line line = kh_easy_take(&http->head, kh_view_of(p, n));
	if (line == KH_EASY_TOO_MUCH)
		stop(http, KH_FAULT_HEADERS, "more header bytes than the cap");
	else if (line == KH_EASY_BLOCK)
		end_block(http);
	return http->fault == KH_FAULT_NONE ? n : SIZE_MAX;
}

/* Bytes of the body, with its content codings. */
static size_t on_body(char *p, size_t size, size_t count, void *ctx)
{
	struct kh_transfer *http = ctx;
	size_t n = size * count;

	if (!http->head.is_over) {
		stop(http, KH_FAULT_HTTP, "the server changed the protocol");
		return SIZE_MAX;
	}
	switch (kh_coding_push(&http->decode, kh_view_of(p, n))) {
	case KH_CODING_BROKEN:
		stop(http, KH_FAULT_HTTP, "the body's coding is broken");
		break;
	case KH_CODING_MEMORY:
		stop(http, KH_FAULT_WORKER, "no memory is left");
		break;
	case KH_CODING_TAKEN:
	case KH_CODING_STOPPED:
		break;
	}
	return http->fault == KH_FAULT_NONE ? n : SIZE_MAX;
}

/* Raw bytes of the body are limited too, because they may decode to less. */
static int on_progress(void *ctx, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
	struct kh_transfer *http = ctx;

	(void)total;
	(void)up_total;
	(void)up_now;
	/* A chunk of one byte has five bytes of framing.  More than that is not framing. */
	if ((now > 0 && (uint64_t)now > http->job->output) || http->raw / FRAMED > http->job->output + BUFFER_SIZE)
		stop(http, KH_FAULT_OUTPUT, "more bytes came than the cap");
	return http->fault != KH_FAULT_NONE;
}

/*
 * Counts bytes before they are parsed, and watches for the alert close_notify (warning, 0): without it, TLS does not
 * show that the end of the connection is intended.
 */
static int on_trace(CURL *easy, curl_infotype type, char *p, size_t n, void *ctx)
{
	struct kh_transfer *http = ctx;

	(void)easy;
	if (type == CURLINFO_DATA_IN)
		http->raw += n;
	if (type == CURLINFO_SSL_DATA_IN && n == 2 && p[0] == 1 && p[1] == 0)
		http->closed_well = true;
	return 0;
}

static curl_socket_t on_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct kh_transfer *http = ctx;
	int socket = purpose == CURLSOCKTYPE_IPCXN ? http->socket : CURL_SOCKET_BAD;

	(void)address; /* a dummy; see CONNECT_TO */
	http->socket = CURL_SOCKET_BAD;
	return socket;
}

static int on_made(void *ctx, curl_socket_t socket, curlsocktype purpose)
{
	(void)ctx;
	(void)socket;
	(void)purpose;
	return CURL_SOCKOPT_ALREADY_CONNECTED;
}

static int on_close(void *ctx, curl_socket_t socket)
{
	(void)ctx;
	return close(socket);
}

#define SET(option, value) KH_EASY_SET(&http->curl, easy, failed, option, value)

/* The options of every exchange.  False if the library refuses one of them. */
static bool set_always(struct kh_transfer *http)
{
	CURL *easy = http->easy;
	bool failed = !kh_easy_harden(&http->curl, easy);

	SET(CURLOPT_FRESH_CONNECT, 1L);
	SET(CURLOPT_FORBID_REUSE, 1L);
	SET(CURLOPT_ACCEPT_ENCODING, http->decoders.brotli_new != NULL ? "gzip, deflate, br" : "gzip, deflate");
	SET(CURLOPT_OPENSOCKETFUNCTION, on_open);
	SET(CURLOPT_OPENSOCKETDATA, http);
	SET(CURLOPT_SOCKOPTFUNCTION, on_made);
	SET(CURLOPT_CLOSESOCKETFUNCTION, on_close);
	SET(CURLOPT_HEADERFUNCTION, on_header);
	SET(CURLOPT_HEADERDATA, http);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, http);
	SET(CURLOPT_XFERINFOFUNCTION, on_progress);
	SET(CURLOPT_XFERINFODATA, http);
	SET(CURLOPT_NOPROGRESS, 0L);
	SET(CURLOPT_BUFFERSIZE, BUFFER_SIZE);
	SET(CURLOPT_DEBUGFUNCTION, on_trace);
	SET(CURLOPT_DEBUGDATA, http);
	return !failed;
}

/* The header lines of the request; a line without a value stops libcurl from adding its own. */
static bool make_lines(const struct kh_transfer *http, struct kh_arena *arena, struct curl_slist **list)
{
	const struct kh_transfer_job *job = http->job;
	bool has_type = false;

	for (size_t i = 0; i < job->headers; i++) {
		struct kh_view value;
		has_type |= kh_header_find(job->header[i], KH_LIT("Content-Type"), &value);
		if (!kh_easy_line(&http->curl, arena, job->header[i], list))
			return false;
	}
	if (job->method != KH_METHOD_POST)
		return true;
	return kh_easy_line(&http->curl, arena, KH_LIT("Expect:"), list) &&
	       (has_type || kh_easy_line(&http->curl, arena, KH_LIT("Content-Type:"), list));
}

bool kh_transfer_trust(struct kh_transfer *http, struct kh_view authorities)
{
	if (http->trusted.p == authorities.p && http->trusted.n == authorities.n)
		return true;
	http->trusted = authorities;
	return kh_http_trust_use(http->trust, authorities, NULL) == KH_OK;
}

static bool set_job(struct kh_transfer *http, struct kh_arena *arena, struct curl_slist *lines, struct curl_slist *to)
{
	const struct kh_transfer_job *job = http->job;
	struct kh_view url = kh_arena_printf(arena, "%.*s", KH_FMT(job->url));
	CURL *easy = http->easy;
	bool failed = url.p == NULL || !kh_transfer_trust(http, job->authorities) ||
		      !kh_http_trust_set(http->trust, easy);

	SET(CURLOPT_URL, url.p);
	SET(CURLOPT_HTTPHEADER, lines);
	SET(CURLOPT_CONNECT_TO, to);
	SET(CURLOPT_TIMEOUT_MS, (long)job->wall_ms);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)job->wall_ms);
	SET(CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)(job->output < INT64_MAX ? job->output : INT64_MAX));
	if (job->method == KH_METHOD_POST) {
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)job->body.n);
		SET(CURLOPT_POSTFIELDS, job->body.n > 0 ? job->body.p : "");
	}
	return !failed;
}

/* Drives the exchange to its end. */
static CURLcode perform(struct kh_transfer *http)
{
	CURLcode code = CURLE_OK;
	int running = 1, left, wait = 0; /* no wait at first: libcurl's connection exists already */

	while (running > 0) {
		if (http->curl.multi_perform(http->multi, &running) != CURLM_OK)
			return CURLE_OUT_OF_MEMORY;
		/* Send what there is before waiting for more. */
		if (!flush(http))
			return CURLE_WRITE_ERROR;
		if (running > 0 && http->curl.multi_poll(http->multi, NULL, 0, wait, NULL) != CURLM_OK)
			return CURLE_OUT_OF_MEMORY;
		wait = POLL_MS;
	}
	for (CURLMsg *m; (m = http->curl.multi_info_read(http->multi, &left)) != NULL;)
		if (m->msg == CURLMSG_DONE)
			code = m->data.result;
	return code;
}

static bool is_tls(const struct kh_transfer *http)
{
	return http->job->url.n > 5 && kh_view_eq_nocase(kh_view_sub(http->job->url, 0, 6), KH_LIT("https:"));
}

/* Turns a result of libcurl into a fault, unless a limit of ours stopped the exchange before. */
static void judge(struct kh_transfer *http, CURLcode code)
{
	const char *detail;
	curl_off_t begun = 0; /* when the first byte came */
	bool has_begun = http->curl.easy_getinfo(http->easy, CURLINFO_STARTTRANSFER_TIME_T, &begun) == CURLE_OK &&
			 begun > 0;
	enum kh_fault fault = kh_curlcode_fault(&http->curl, (int)code, has_begun && !http->head.is_over, &detail);

	if (fault != KH_FAULT_NONE)
		stop(http, fault, detail);
	else if (!http->head.is_over)
		stop(http, KH_FAULT_HTTP, "the response ended within its headers");
	else if (http->until_close && is_tls(http) && !http->closed_well)
		stop(http, KH_FAULT_HTTP, "the connection was cut within the body");
	else if (!kh_coding_is_whole(&http->decode))
		stop(http, KH_FAULT_HTTP, "the body's coding was cut before its end");
}

static void exchange(struct kh_transfer *http)
{
	/* Whatever host the URL names, no name is looked up: this address stands for the existing socket. */
	struct curl_slist *to = http->curl.slist_append(NULL, "::127.0.0.1:"), *lines = NULL;
	struct kh_arena arena;

	kh_arena_init(&arena, http->alloc, 4U << 20);
	if (to == NULL || !make_lines(http, &arena, &lines) || !set_job(http, &arena, lines, to))
		stop(http, KH_FAULT_WORKER, "libcurl does not take the request");
	else if (http->curl.multi_add_handle(http->multi, http->easy) != CURLM_OK)
		stop(http, KH_FAULT_WORKER, "libcurl cannot begin");
	else
		judge(http, perform(http));
	http->curl.multi_remove_handle(http->multi, http->easy);
	kh_coding_done(&http->decode);
	http->curl.slist_free_all(lines);
	http->curl.slist_free_all(to);
	kh_arena_done(&arena);
}

enum kh_fault kh_transfer_run(struct kh_transfer *http, const struct kh_transfer_job *job,
			      const struct kh_transfer_sink *sink, const char **ret_detail)
{
	http->job = job;
	http->sink = sink;
	http->socket = job->socket;
	if (job->wall_ms > 0)
		exchange(http);
	else
		stop(http, KH_FAULT_TIME, kh_fault_about(KH_FAULT_TIME));
	if (http->socket != CURL_SOCKET_BAD)
		close(http->socket);
	*ret_detail = http->detail;
	return http->fault;
}

enum kh_err kh_transfer_new(const struct kh_alloc *alloc, struct kh_transfer **ret_http, struct kh_error *err)
{
	struct kh_transfer *http = kh_alloc_zero(alloc, sizeof(*http));

	if (http == NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "no memory");
	*http = (struct kh_transfer){.alloc = alloc, .socket = CURL_SOCKET_BAD, .detail = ""};
	enum kh_err e = kh_curl_load(&http->curl, err);
	if (e == KH_OK)
		e = kh_coding_load(&http->decoders, err);
	if (e != KH_OK) {
		kh_alloc_free(alloc, http, sizeof(*http));
		return e;
	}
	tzset(); /* otherwise the first check of a certificate's dates would open a file */
	if (http->curl.global_init(CURL_GLOBAL_ALL) == CURLE_OK) {
		http->multi = http->curl.multi_init();
		http->easy = http->curl.easy_init();
		if (http->multi != NULL && http->easy != NULL && set_always(http) &&
		    kh_http_trust_new(alloc, &http->curl, &http->trust, err) == KH_OK) {
			*ret_http = http;
			return KH_OK;
		}
	}
	kh_transfer_free(http);
	return kh_error_set(err, KH_EREFUSED, "libcurl", "this libcurl lacks something that is needed");
}

void kh_transfer_free(struct kh_transfer *http)
{
	if (http == NULL)
		return;
	http->curl.easy_cleanup(http->easy);
	http->curl.multi_cleanup(http->multi);
	kh_http_trust_free(http->trust);
	http->curl.global_cleanup();
	kh_alloc_free(http->alloc, http, sizeof(*http));
}
