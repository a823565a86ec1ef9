/*
 * What a token's calls have sent (core/block/sent.h), in the store: loaded before a call is compared, and written in
 * the transaction that begins it.  A call that was refused or never began has sent nothing.  It belongs to the token,
 * so a fresh or reset context does not make it smaller.
 */
#ifndef KH_ENGINE_COMM_SENDING_H
#define KH_ENGINE_COMM_SENDING_H

#include "core/block/sent.h"
#include "engine/state/op.h"

/* What TOKEN sent in the parameters of a call, and in all; *RET_CALLS: how many calls it has begun. */
enum kh_err kh_sending_load(struct kh_op *op, int64_t token, struct kh_view operation, yyjson_val *parameters,
			    struct kh_sent **ret_sent, size_t *ret_count, int64_t *ret_calls) KH_CHECKED;

/* How many calls TOKEN has begun.  If it has not changed, what was loaded is what there is. */
enum kh_err kh_sending_count(struct kh_op *op, int64_t token, int64_t *ret_calls) KH_CHECKED;

/* A call of TOKEN begins; the caller's next event records what it sends. */
enum kh_err kh_sending_add(struct kh_op *op, int64_t token, struct kh_view operation,
			   yyjson_val *parameters) KH_CHECKED;

#endif
