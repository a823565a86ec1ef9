/* Tasks over HTTP, and their taint graphs (K5): /tasks. */
#ifndef KH_HTTP_REST_TASKS_H
#define KH_HTTP_REST_TASKS_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_tasks_open, kh_rest_tasks_show, kh_rest_tasks_close, kh_rest_tasks_execute, kh_rest_tasks_graph;

#endif
