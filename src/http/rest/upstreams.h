/* Upstream servers over HTTP (U4, U8): /upstreams, /upstreams/{upstream}, its approval, and /tools. */
#ifndef KH_HTTP_REST_UPSTREAMS_H
#define KH_HTTP_REST_UPSTREAMS_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_upstreams_review, kh_rest_upstreams_approve, kh_rest_upstreams_tools;

#endif
