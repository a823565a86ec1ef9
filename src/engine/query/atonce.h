/*
 * A Reader that takes no time is asked inside the transaction that admitted its query.  So a query whose answer is a
 * function of small content needs one operation, not one for each step.  The record is the same.
 */
#ifndef KH_ENGINE_QUERY_ATONCE_H
#define KH_ENGINE_QUERY_ATONCE_H

#include "engine/query/ask.h"

/*
 * Bytes of content and of the query, at most, because all other operations wait meanwhile.  Within these limits, no
 * content and no fields take `extract` longer than two or three operations do (0.2 ms); its time grows with their
 * product.
 */
#define KH_ATONCE_CONTENT 4096
#define KH_ATONCE_QUERY   1024

/*
 * Not an operation.  If *ASK can be carried out at once, does that, and the same with what follows from the response.
 * *ASK is then what is left to be carried out, as kh_respond_run() hands it out.
 */
enum kh_err kh_atonce_ask(struct kh_op *op, struct kh_ask *ask) KH_CHECKED;

#endif
