/* The record over HTTP (L4): /audit. */
#ifndef KH_HTTP_REST_AUDIT_H
#define KH_HTTP_REST_AUDIT_H

#include "http/rest/call.h"

const struct kh_rest_route *kh_rest_audit_routes(size_t *ret_count);

#endif
