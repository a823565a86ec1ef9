/* Contexts over HTTP (K11): /contexts. */
#ifndef KH_HTTP_REST_CONTEXTS_H
#define KH_HTTP_REST_CONTEXTS_H

#include "http/rest/call.h"

const struct kh_rest_route *kh_rest_contexts_routes(size_t *ret_count);

#endif
