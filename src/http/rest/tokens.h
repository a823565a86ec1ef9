/* Tokens over HTTP, who calls, and the policy in force: /tokens, /me, /policy. */
#ifndef KH_HTTP_REST_TOKENS_H
#define KH_HTTP_REST_TOKENS_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_tokens_create, kh_rest_tokens_revoke, kh_rest_tokens_me, kh_rest_tokens_policy;

#endif
