/* Tasks over HTTP: /tasks. */
#ifndef KH_HTTP_REST_TASKS_H
#define KH_HTTP_REST_TASKS_H

#include "http/rest/call.h"

const struct kh_rest_route *kh_rest_tasks_routes(size_t *ret_count);

#endif
