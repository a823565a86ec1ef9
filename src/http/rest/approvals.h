/* Approvals over HTTP: /approvals. */
#ifndef KH_HTTP_REST_APPROVALS_H
#define KH_HTTP_REST_APPROVALS_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_approvals_show, kh_rest_approvals_decide;

#endif
