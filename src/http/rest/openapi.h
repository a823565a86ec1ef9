/*
 * The OpenAPI 3.1 document, made of the table of routes (rest.h) and of the schemas of their answers (schemas.json).
 * An entry that names a schema that is not there is an error: the document cannot be made, and the gateway does not
 * start.
 */
#ifndef KH_HTTP_REST_OPENAPI_H
#define KH_HTTP_REST_OPENAPI_H

#include "http/rest/call.h"

/* The document as compact JSON, in the arena. */
enum kh_err kh_rest_openapi_write(struct kh_arena *arena, const struct kh_rest_route *const *routes, size_t count,
				  struct kh_view *ret_json, struct kh_error *err) KH_CHECKED;

#endif
