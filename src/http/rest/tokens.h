/* Tokens over HTTP, who calls, and the policy in force: /tokens, /me, /policy. */
#ifndef KH_HTTP_REST_TOKENS_H
#define KH_HTTP_REST_TOKENS_H

#include "http/rest/call.h"

const struct kh_rest_route *kh_rest_tokens_routes(size_t *ret_count);

#endif
