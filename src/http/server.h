/*
 * HTTP, on libmicrohttpd: connections, limits, the check of headers (guard.h), and the routes.
 *
 * MHD's threads read requests, check their Host, Origin, method, route, length and the form of their token, and suspend
 * the connection.  The handler then runs as a work of the gateway (gateway/works.h).  An answer, whole or a stream,
 * resumes the connection.  MHD's threads touch no other state.  A waiting connection needs memory, but no thread.
 */
#ifndef KH_HTTP_SERVER_H
#define KH_HTTP_SERVER_H

#include "gateway/gateway.h"
#include "http/route.h"

struct kh_http;

struct kh_http_settings {
	struct kh_gateway *gateway;
	const int *listen; /* descriptors of listening sockets; the server owns them from now on */
	size_t listens;
	const char *tls_certificate, *tls_key; /* PEM texts; NULL: plain HTTP */
	const struct kh_view *hosts;           /* names that Host may have besides loopback's; a name, or name:port */
	size_t host_count;
	const struct kh_view
		*origins; /* origins of web pages that may call, besides those of `hosts` on their own port */
	size_t origin_count;
	unsigned connections; /* at once; 0: 10,000 */
	unsigned threads;     /* of MHD; 0: one for each core */
	/* Microseconds that a client has for a request's headers, and for an empty body; 0: 15 s and 30 s. */
	int64_t headers_within, body_within;
};

enum kh_err kh_http_new(const struct kh_http_settings *settings, struct kh_http **ret_http,
			struct kh_error *err) KH_CHECKED;

/*
 * Adds routes; call it before kh_http_start().  The server itself has none: the code that sets up the gateway adds them
 * (/mcp, /api/v1, health, metrics, events).  A table must live as long as the server.  CTX: kh_http_request_ctx().
 */
enum kh_err kh_http_add(struct kh_http *http, const struct kh_http_route *routes, size_t count, void *ctx,
			struct kh_error *err) KH_CHECKED;

enum kh_err kh_http_start(struct kh_http *http, struct kh_error *err) KH_CHECKED;

/* Accepts no more connections; existing ones may finish (kh_gateway_stop), then kh_http_free(). */
void kh_http_quiesce(struct kh_http *http);
void kh_http_free(struct kh_http *http);

struct kh_http_figures {
	uint64_t requests[6]; /* by the first digit of the status; [0]: refused before there was a status */
	uint64_t refused_host, refused_origin, refused_token;
	unsigned connections;
	unsigned streams, waits;
};
struct kh_http_figures kh_http_figures(struct kh_http *http);

#endif
