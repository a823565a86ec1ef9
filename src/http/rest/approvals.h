/* Approvals over HTTP: /approvals. */
#ifndef KH_HTTP_REST_APPROVALS_H
#define KH_HTTP_REST_APPROVALS_H

#include "http/rest/call.h"

const struct kh_rest_route *kh_rest_approvals_routes(size_t *ret_count);

#endif
