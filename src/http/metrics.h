/* /metrics, for Prometheus.  Only for a reviewer's or an admin's token, because these counters tell of Readers and
 * of others' queries, which would be a channel to a Controller (B8). */
#ifndef KH_HTTP_METRICS_H
#define KH_HTTP_METRICS_H

#include "http/server.h"

enum kh_err kh_http_metrics_add(struct kh_http *http, struct kh_error *err) KH_CHECKED;

/* Writes these figures as text. */
void kh_http_metrics_write(struct kh_buf *buf, const struct kh_http_figures *http,
			   const struct kh_gateway_figures *gateway);

#endif
