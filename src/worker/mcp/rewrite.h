/*
 * What an upstream MCP server sends, read and written anew (U3): JSON-RPC 2.0 and nothing else, one message a line, in
 * one form.  So whoever reads it further needs no defence against odd spellings of the same thing.
 */
#ifndef KH_WORKER_MCP_REWRITE_H
#define KH_WORKER_MCP_REWRITE_H

#include "base/buf.h"
#include "base/error.h"

#define KH_REWRITE_BATCH 128 /* messages of one batch (2025-03-26) */
#define KH_REWRITE_VALUES \
	(2U << 20) /* values of a line: one byte of it can be a value, which takes 16 where it is read */

/*
 * Adds to OUT what LINE says, with a newline behind each message: nothing for a line of blanks, and the messages of a
 * batch one by one.  A message keeps `jsonrpc`, `id`, `method`, `params`, `result` and `error`, in this order; what else
 * it has is dropped.  *RET_COUNT is the number of messages.
 *
 * KH_EINPUT with code `bad_message`, `bad_params` or one of base/json.h and a sentence if it is not that; KH_ELIMIT with code
 * `too_many` if a batch has more messages than KH_REWRITE_BATCH, or a line more values than KH_REWRITE_VALUES.
 */
enum kh_err kh_rewrite_line(struct kh_arena *arena, struct kh_view line, struct kh_buf *out, size_t *ret_count,
			    struct kh_error *err) KH_CHECKED;

#endif
