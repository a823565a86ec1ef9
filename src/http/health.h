/*
 * /healthz: the process answers.  /readyz: the store takes an operation, and what Readers are asked through is alive.
 * Both are open, and say nothing but yes or no; a probe of the store is made at most once a second, whoever asks.
 * Also "/", where a console will be.
 */
#ifndef KH_HTTP_HEALTH_H
#define KH_HTTP_HEALTH_H

#include "http/server.h"

struct kh_http_health;

struct kh_http_health_settings {
	struct kh_gateway *gateway;
	/* Whether what Readers are asked through is alive.  NULL: there is nothing of the kind. */
	bool (*is_alive)(void *ctx);
	void *ctx;
};

enum kh_err kh_http_health_new(const struct kh_http_health_settings *settings, struct kh_http_health **ret_health,
			       struct kh_error *err) KH_CHECKED;
enum kh_err kh_http_health_add(struct kh_http_health *health, struct kh_http *http, struct kh_error *err) KH_CHECKED;
/* After the server; waits for a probe that is under way.  NULL is fine. */
void kh_http_health_free(struct kh_http_health *health);

#endif
