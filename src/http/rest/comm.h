/* External operations over HTTP (E3-E12): /tasks/{task}/declarations, /tasks/{task}/operations, /declarations. */
#ifndef KH_HTTP_REST_COMM_H
#define KH_HTTP_REST_COMM_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_comm_declare, kh_rest_comm_operate, kh_rest_comm_show;

/* Answers with what may be known of the operation that waits for the approval ID, which is not a query's. */
enum kh_err kh_rest_comm_by_approval(struct kh_rest_call *call, struct kh_view id) KH_CHECKED;

#endif
