/* Routes of external operations (E3-E12); entries of the table of rest.h. */
#ifndef KH_HTTP_REST_COMM_H
#define KH_HTTP_REST_COMM_H

#include "http/rest/call.h"

const struct kh_rest_route *kh_rest_comm_routes(size_t *ret_count);

/* Answers with what may be known of the operation that waits for the approval ID, which is not a query's. */
enum kh_err kh_rest_comm_by_approval(struct kh_rest_call *call, struct kh_view id) KH_CHECKED;

#endif
