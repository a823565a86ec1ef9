/*
 * HTTP, on libmicrohttpd: connections, limits, who may knock (guard.h), and the routes.
 *
 * MHD's threads read requests, look whether their Host, Origin, method, route, token's form and length are acceptable,
 * and suspend the connection; the handler then runs as a work of the gateway (works.h).  An answer, whole or a stream,
 * wakes the connection.  No state is touched on MHD's threads, and a connection that waits costs its memory and no
 * thread.
 */
#ifndef KH_HTTP_SERVER_H
#define KH_HTTP_SERVER_H

#include "gateway/gateway.h"
#include "http/route.h"

struct kh_http;

struct kh_http_settings {
	struct kh_gateway *gateway;
	const int *listen; /* descriptors of listening sockets, the server's from now on */
	size_t listens;
	const char *tls_certificate, *tls_key; /* PEM texts; NULL: plain HTTP */
	const struct kh_view *hosts;           /* names that Host may have besides loopback's; a name, or name:port */
	size_t host_count;
	const struct kh_view
		*origins; /* origins of web pages that may call; besides those of `hosts` on their own port */
	size_t origin_count;
	unsigned connections; /* at once; 0: 10,000 */
	unsigned threads;     /* of MHD; 0: one a core */
	/* Microseconds that a client has for a request's headers, and for a body of no size; 0: 15 s and 30 s. */
	int64_t headers_within, body_within;
};

enum kh_err kh_http_new(const struct kh_http_settings *settings, struct kh_http **ret_http,
			struct kh_error *err) KH_CHECKED;

/* Adds routes; before kh_http_start().  A server has none but those that whoever puts the gateway together adds (/mcp,
 * /api/v1, health, metrics, events).  A table lives as long as the server.  CTX: kh_http_request_ctx(). */
enum kh_err kh_http_add(struct kh_http *http, const struct kh_http_route *routes, size_t count, void *ctx,
			struct kh_error *err) KH_CHECKED;

enum kh_err kh_http_start(struct kh_http *http, struct kh_error *err) KH_CHECKED;

/* Accepts no more connections; those that are there may end what they do (kh_gateway_stop), then kh_http_free(). */
void kh_http_quiesce(struct kh_http *http);
void kh_http_free(struct kh_http *http);

struct kh_http_figures {
	uint64_t requests[6]; /* by the first digit of the status; [0]: refused before there was one */
	uint64_t refused_host, refused_origin, refused_token;
	unsigned connections;
	unsigned streams, waits;
};
struct kh_http_figures kh_http_figures(struct kh_http *http);

#endif
