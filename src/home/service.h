/*
 * The gateway of a home with its transports: MCP over lines, and HTTP with /mcp, REST and the rest.  Started when the
 * home is open (KH_HOME_SERVE), stopped before it is closed; the order in which they come and go is kept here.
 */
#ifndef KH_HOME_SERVICE_H
#define KH_HOME_SERVICE_H

#include "gateway/gateway.h"
#include "home/home.h"
#include "home/sockets.h"
#include "http/health.h"
#include "http/mcp/mcp.h"
#include "http/rest/rest.h"
#include "http/server.h"
#include "mcp/lines.h"

#include <stdatomic.h>

struct kh_service {
	struct kh_home *home;
	struct kh_gateway *gateway;
	struct kh_mcp *mcp;
	struct kh_mcp_lines *lines;
	struct kh_http *http; /* NULL: no HTTP */
	struct kh_http_mcp *endpoint;
	struct kh_http_health *health;
	struct kh_rest *rest;
	_Atomic(const struct kh_config *) config; /* in force; read by the gateway's threads */
	char failed[64];                          /* what went wrong last in the background, so that it is said once */
};

/* What HTTP needs that had to be read before the lockdown. */
struct kh_service_http {
	struct kh_sockets *sockets;      /* HTTP's become the service's own */
	struct kh_view certificate, key; /* PEM texts, NUL-terminated; empty: no TLS */
};

struct kh_service_settings {
	const struct kh_service_http *http; /* NULL, or without sockets: no HTTP */
	struct kh_view url;                 /* where people decide, or empty */
	const struct kh_mcp_part *more;     /* methods and tools besides Keyhole's own; NULL: none */
};

/* Starts the gateway and MCP, and HTTP if there are sockets for it. */
enum kh_err kh_service_start(struct kh_service *service, struct kh_home *home,
			     const struct kh_service_settings *settings, struct kh_error *err) KH_CHECKED;

/* Another configuration in force (kh_home_reload). */
enum kh_err kh_service_reload(struct kh_service *service, struct kh_error *err) KH_CHECKED;

/*
 * Ends: whoever waits is told, what runs may come to its end for at most the configuration's stop_seconds.  False where
 * something still runs: the service is then as it was, and the process should end without closing anything.
 */
bool kh_service_stop(struct kh_service *service);

/* True where the store and the executor still answer: a sign of life that means something. */
bool kh_service_is_alive(struct kh_service *service);

#endif
