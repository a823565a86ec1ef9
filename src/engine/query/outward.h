/*
 * Queries to a Reader behind a network: the Controller's words go out with them (E1, E5, K7).
 *
 * They pass in execution only.  Their words are compared like the parameters of a call, together with what the token's
 * calls and queries sent before.  If something is found, a human decides before the Reader sees the query.  Their bytes
 * count against `reader_egress` of the task.  Ids that Keyhole gave out do not count as words.
 */
#ifndef KH_ENGINE_QUERY_OUTWARD_H
#define KH_ENGINE_QUERY_OUTWARD_H

#include "engine/comm/weigh.h"
#include "engine/query/about.h"

#define KH_OUTWARD_OPERATION KH_LIT("bcp.query") /* the name under which its words are compared and kept */

/* The words of a query: its members without `task` and `blocks`; and how many bytes they have as canonical JSON. */
enum kh_err kh_outward_words(struct kh_arena *arena, yyjson_val *query, yyjson_val **ret_words, size_t *ret_bytes,
			     struct kh_error *err) KH_CHECKED;

/* Adds what goes to READER of the blocks that a controller put in: content and source, which are the agent's choice. */
enum kh_err kh_outward_blocks(struct kh_op *op, struct kh_view reader, const int64_t *blocks, size_t count,
			      struct kh_about *about) KH_CHECKED;

/* KH_EREFUSED `OUTBOUND_FORBIDDEN_IN_PLANNING` or `reader_egress_exceeded`. */
enum kh_err kh_outward_check(struct kh_op *op, const struct kh_task_row *task, struct kh_view reader,
			     size_t bytes) KH_CHECKED;

/* Whether a human has to see the query first.  The wording alone, which is the Reader's business, is no reason. */
bool kh_outward_is_held(const struct kh_weighed *weighed);

/*
 * REQUEST, of an approval of a query, binds the content of BLOCKS.  If the Reader is OUTSIDE, that content leaves, so a
 * human is shown all of it.  To a Reader on this machine nothing leaves.
 */
struct kh_approval_request;
enum kh_err kh_outward_carry(struct kh_op *op, const int64_t *blocks, size_t count, bool outside,
			     struct kh_approval_request *request) KH_CHECKED;

/* The words of QUERY leave: later ones are compared together with them.  The caller's next event records it. */
enum kh_err kh_outward_send(struct kh_op *op, const struct kh_query_row *query) KH_CHECKED;

#endif
