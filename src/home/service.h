/*
 * The gateway of a home with its transports: MCP over lines, and HTTP with /mcp, REST and the other routes.  It is
 * started when the home is open (KH_HOME_SERVE) and stopped before the home is closed.  The order in which its parts
 * start and stop is kept here.
 */
#ifndef KH_HOME_SERVICE_H
#define KH_HOME_SERVICE_H

#include "gateway/gateway.h"
#include "home/home.h"
#include "home/signer.h"
#include "home/sockets.h"
#include "http/health.h"
#include "http/mcp/mcp.h"
#include "http/rest/rest.h"
#include "http/server.h"
#include "mcp/lines.h"

struct kh_service {
	struct kh_home *home;
	struct kh_gateway *gateway;
	struct kh_mcp *mcp;
	struct kh_mcp_lines *lines;
	struct kh_http *http; /* NULL: no HTTP */
	struct kh_http_mcp *endpoint;
	struct kh_http_health *health;
	struct kh_rest *rest;
	_Atomic(const struct kh_config *) config; /* in force; read by other threads */
	struct kh_signer *signer;
	struct kh_view workspace; /* the folder that the tasks' workspaces are in */
};

/* What HTTP needs that had to be read before the lockdown. */
struct kh_service_http {
	struct kh_sockets *sockets;      /* the service takes over those of HTTP */
	struct kh_view certificate, key; /* PEM texts, NUL-terminated; empty: no TLS */
};

struct kh_service_settings {
	const struct kh_service_http *http; /* NULL, or no sockets: no HTTP */
	struct kh_view url;                 /* where people decide; may be empty */
	const struct kh_mcp_part *more;     /* methods and tools besides Keyhole's own; NULL: none */
};

/* Starts the gateway and MCP, and HTTP if there are sockets for it. */
enum kh_err kh_service_start(struct kh_service *service, struct kh_home *home,
			     const struct kh_service_settings *settings, struct kh_error *err) KH_CHECKED;

/* Puts another configuration in force (kh_home_reload). */
enum kh_err kh_service_reload(struct kh_service *service, struct kh_error *err) KH_CHECKED;

/* Stops.  Waiting calls are told; running work has at most the configuration's stop_seconds to finish.  Returns
 * false if something still runs: the service is then as it was, and the process should end without closing anything. */
bool kh_service_stop(struct kh_service *service);

/* True if the store and the executor still answer; for the service manager's watchdog. */
bool kh_service_is_alive(struct kh_service *service);

#endif
