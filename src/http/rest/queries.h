/* Queries over HTTP: /tasks/{task}/queries and /queries for Controllers, /asks for Readers. */
#ifndef KH_HTTP_REST_QUERIES_H
#define KH_HTTP_REST_QUERIES_H

#include "http/rest/call.h"

const struct kh_rest_route *kh_rest_queries_routes(size_t *ret_count);

#endif
