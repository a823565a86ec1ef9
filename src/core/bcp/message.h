/* The messages of the protocol (B24): to the Reader, back from it, and to the Controller. */
#ifndef KH_CORE_BCP_MESSAGE_H
#define KH_CORE_BCP_MESSAGE_H

#include "core/bcp/answer.h"
#include "core/block/label.h"

/* {"type":"bcp_query","query_id":...,"category":...,"from_agent":...,...}: the message to a Reader. */
yyjson_mut_val *kh_message_query(yyjson_mut_doc *doc, const struct kh_query *query, struct kh_view query_id,
				 struct kh_view from);

/*
 * {"type":"bcp_response_delivery","query_id":...,"category":...,"from_agent":...,"response":{...},"trust":"untrusted",
 * "taint":...}: the message to a Controller with a delivered answer, as kh_answer_write() made it.  The taint is that
 * of the delivery (B23).  Nothing in it says that the answer is safe to act on (K4).
 */
yyjson_mut_val *kh_message_delivered(yyjson_mut_doc *doc, unsigned category, yyjson_mut_val *response,
				     struct kh_view query_id, struct kh_view from, enum kh_taint taint);

/*
 * Judges what a Reader sent as its answer to QUERY: a message (below) that names QUERY_ID, or the body alone.  A
 * message that names another query is no answer to this one.
 */
enum kh_err kh_message_judge(struct kh_screen *screen, struct kh_arena *arena, const struct kh_query *query,
			     struct kh_view query_id, struct kh_tainted response, struct kh_recent recent,
			     struct kh_answer *ret_answer) KH_CHECKED;

/*
 * A Reader's message: `bcp_response` with `query_id` and `response`, or BCPRespond's arguments (`query_id` and
 * `fields`, `answers` or `summary`).  Returns the id, and the body as it would be without the envelope.  KH_EINPUT for
 * anything else: subscriptions and anything that a Reader starts on its own are refused (B4).
 */
enum kh_err kh_message_read_response(struct kh_arena *arena, struct kh_tainted message, struct kh_view *ret_query_id,
				     yyjson_val **ret_response, struct kh_error *err) KH_CHECKED;

#endif
