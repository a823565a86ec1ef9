/* A task's taint graph over HTTP (K5): /tasks/{task}/graph. */
#ifndef KH_HTTP_REST_GRAPH_H
#define KH_HTTP_REST_GRAPH_H

#include "http/rest/call.h"

const struct kh_rest_route *kh_rest_graph_routes(size_t *ret_count);

#endif
