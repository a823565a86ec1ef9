/* Answers.  A header's value is copied up to its first byte that HTTP does not allow, so that input cannot begin
 * another header. */
#include "http/reply.h"

#include "http/error.h"

#include <microhttpd.h>

#define VALUE 1024 /* bytes of a header's value */

static bool add(struct MHD_Response *response, const char *name, struct kh_view value)
{
	char text[VALUE];
	size_t n = 0;

	for (; n < value.n && n + 1 < sizeof(text); n++) {
		unsigned char c = (unsigned char)value.p[n];
		if (c < 0x20 || c == 0x7f)
			break;
		text[n] = value.p[n];
	}
	text[n] = '\0';
	return MHD_add_response_header(response, name, text) == MHD_YES;
}

/* Tells a page of a configured origin that it may read the answer. */
static bool add_cors(const struct kh_http_request *r, struct MHD_Response *response)
{
	return r->origin.p == NULL ||
	       (add(response, "Access-Control-Allow-Origin", r->origin) && add(response, "Vary", KH_LIT("Origin")) &&
		add(response, "Access-Control-Expose-Headers", KH_LIT("Mcp-Session-Id, WWW-Authenticate")));
}

/* Adds the headers of every answer, and HEADERS.  False: no memory. */
static bool dress(const struct kh_http_request *r, struct MHD_Response *response, const char *type,
		  const struct kh_http_header *headers, size_t count)
{
	static const struct kh_http_header always[] = {
		{"Cache-Control", KH_LIT_INIT("no-store")},
		{"Content-Security-Policy", KH_LIT_INIT("default-src 'none'; frame-ancestors 'none'; sandbox")},
		{"Cross-Origin-Resource-Policy", KH_LIT_INIT("same-origin")},
		{"Referrer-Policy", KH_LIT_INIT("no-referrer")},
		{"X-Content-Type-Options", KH_LIT_INIT("nosniff")},
		{"X-Frame-Options", KH_LIT_INIT("DENY")},
	};

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
		if (!add(response, always[i].name, always[i].value))
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (!add(response, headers[i].name, headers[i].value))
			return false;
	}
	if (type != NULL && !add(response, "Content-Type", kh_view_str(type)))
		return false;
	if ((r->closes || atomic_load(&r->frame->stopping)) && !add(response, "Connection", KH_LIT("close")))
		return false;
	return add_cors(r, response);
}

void kh_http_reply(struct kh_http_request *r, unsigned status, const char *type, struct kh_view body,
		   const struct kh_http_header *headers, size_t header_count)
{
	/* MHD's parameter is not const, and is only read with MUST_COPY. */
	struct MHD_Response *response = MHD_create_response_from_buffer(body.n, (void *)(uintptr_t)body.p, /* NOLINT */
									MHD_RESPMEM_MUST_COPY);

	if (response != NULL && !dress(r, response, type, headers, header_count)) {
		MHD_destroy_response(response);
		response = NULL;
		status = 500;
	}
	if (response == NULL) /* a static text needs the least memory */
		response = MHD_create_response_from_buffer(0, (void *)(uintptr_t) "",
							   MHD_RESPMEM_PERSISTENT); /* NOLINT */
	(void)kh_http_request_answer(r, response != NULL ? status : 500, response, body.n, NULL);
}

void kh_http_reply_error(struct kh_http_request *r, enum kh_err e, const struct kh_error *err)
{
	unsigned status = kh_http_error_status(e, err);
	struct kh_http_header more[2];
	size_t count = 0;
	char text[KH_HTTP_ERROR_TEXT];

	if (status == 401)
		more[count++] = (struct kh_http_header){"WWW-Authenticate", KH_LIT("Bearer realm=\"keyhole\"")};
	if (status == 415)
		more[count++] = (struct kh_http_header){"Accept-Encoding", KH_LIT("identity")};
	if (status == 503 || status == 429)
		more[count++] = (struct kh_http_header){"Retry-After", KH_LIT("1")};
	kh_http_reply(r, status, "application/json", kh_http_error_text(e, err, text), more, count);
}

struct kh_http_stream *kh_http_reply_stream(struct kh_http_request *r, const struct kh_http_header *headers,
					    size_t header_count)
{
	struct MHD_Response *response;
	struct kh_http_stream *s = kh_http_stream_new(r->frame, r->connection, r->fd, &response);

	if (s == NULL)
		return NULL;
	bool dressed = dress(r, response, "text/event-stream", headers, header_count);
	if (dressed && kh_http_request_answer(r, 200, response, 0, s))
		return s;
	if (!dressed)
		MHD_destroy_response(response);
	kh_http_stream_release(s); /* drops the request's reference, and ours */
	kh_http_stream_release(s);
	return NULL;
}
