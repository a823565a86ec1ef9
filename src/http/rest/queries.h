/* Queries over HTTP: /tasks/{task}/queries and /queries for Controllers, /asks for Readers. */
#ifndef KH_HTTP_REST_QUERIES_H
#define KH_HTTP_REST_QUERIES_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_queries_ask, kh_rest_queries_show, kh_rest_queries_next, kh_rest_queries_respond;
kh_rest_fn kh_rest_queries_tries;

#endif
