/* The OpenAPI 3.1 document, made from the table of routes (routes.h) and the schemas of their answers (schemas.json).
 * If a row names a schema that does not exist, the document cannot be made, and the gateway does not start. */
#ifndef KH_HTTP_REST_OPENAPI_H
#define KH_HTTP_REST_OPENAPI_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_openapi_show;

/* Writes the document as compact JSON, in the arena. */
enum kh_err kh_rest_openapi_write(struct kh_arena *arena, const struct kh_rest_route *routes, size_t count,
				  struct kh_view *ret_json, struct kh_error *err) KH_CHECKED;

#endif
