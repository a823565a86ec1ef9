/*
 * /healthz: the process answers.  /readyz: the store accepts an operation, the executor, through which Readers are asked,
 * is alive, and there is room on the disk; if not, it names the part.  Both need no token.  The store is probed at most
 * once a second, however many clients ask.  Also "/", the place for a console.
 */
#ifndef KH_HTTP_HEALTH_H
#define KH_HTTP_HEALTH_H

#include "http/server.h"

struct kh_http_health;

struct kh_http_health_settings {
	struct kh_gateway *gateway;
};

enum kh_err kh_http_health_new(const struct kh_http_health_settings *settings, struct kh_http_health **ret_health,
			       struct kh_error *err) KH_CHECKED;
enum kh_err kh_http_health_add(struct kh_http_health *health, struct kh_http *http, struct kh_error *err) KH_CHECKED;
/* Call it after the server was freed; waits for a probe that is under way.  NULL is fine. */
void kh_http_health_free(struct kh_http_health *health);

#endif
