/* The REST API, /api/v1 (I4): one table of routes (routes.h).  The server's routes, what is read of a request, who may call,
 * and the OpenAPI document are all made from it, so they cannot differ. */
#ifndef KH_HTTP_REST_REST_H
#define KH_HTTP_REST_REST_H

#include "http/rest/call.h"
#include "http/server.h"

struct kh_rest;

/* Makes the server's routes and the document. */
enum kh_err kh_rest_new(const struct kh_alloc *alloc, struct kh_rest **ret_rest, struct kh_error *err) KH_CHECKED;

/* Adds its routes to HTTP; call it before HTTP is started.  REST must live as long as the server. */
enum kh_err kh_rest_add(struct kh_rest *rest, struct kh_http *http, struct kh_error *err) KH_CHECKED;

void kh_rest_free(struct kh_rest *rest);

#endif
