/* The record over HTTP (L4): /audit. */
#ifndef KH_HTTP_REST_AUDIT_H
#define KH_HTTP_REST_AUDIT_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_audit_list, kh_rest_audit_show;

#endif
