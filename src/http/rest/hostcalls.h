/* Calls of tools that a host's agent has of its own (K11): /contexts/{context}/calls. */
#ifndef KH_HTTP_REST_HOSTCALLS_H
#define KH_HTTP_REST_HOSTCALLS_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_hostcalls_ask, kh_rest_hostcalls_result;

#endif
