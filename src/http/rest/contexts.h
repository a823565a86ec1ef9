/* Contexts over HTTP (K11): /contexts. */
#ifndef KH_HTTP_REST_CONTEXTS_H
#define KH_HTTP_REST_CONTEXTS_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_contexts_show, kh_rest_contexts_add, kh_rest_contexts_output, kh_rest_contexts_assemble,
	kh_rest_contexts_reset;

#endif
