/* What a query says to somebody outside.  What was found in it is for humans only: the Controller is told `pending`. */
#include "engine/query/outward.h"

#include "engine/approval/carried.h"
#include "engine/comm/sending.h"
#include "engine/context/giver.h"

enum kh_err kh_outward_words(struct kh_arena *arena, yyjson_val *query, yyjson_val **ret_words, size_t *ret_bytes,
			     struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *words = yyjson_val_mut_copy(doc, query);
	struct kh_view text;

	if (words == NULL)
		return KH_ENOMEM;
	yyjson_mut_obj_remove_key(words, "task");
	yyjson_mut_obj_remove_key(words, "blocks");
	enum kh_err e = kh_canonical_mut(arena, words, &text, err);
	if (e == KH_OK)
		e = kh_json_read(arena, text, ret_words, err);
	if (e == KH_OK)
		*ret_bytes = text.n;
	return e;
}

enum kh_err kh_outward_blocks(struct kh_op *op, struct kh_view reader, const int64_t *blocks, size_t count,
			      struct kh_about *about)
{
	struct kh_block_row row;
	struct kh_giver giver;
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < count && e == KH_OK; i++) {
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, blocks[i], &row);
		if (e == KH_OK)
			e = kh_giver_find(op, &row, &giver);
		if (e == KH_OK && giver.put && giver.role == KH_ROLE_CONTROLLER)
			e = kh_about_send(op, row.id, reader, giver.chosen + row.source.n, about);
	}
	return e;
}

enum kh_err kh_outward_check(struct kh_op *op, const struct kh_task_row *task, struct kh_view reader, size_t bytes)
{
	uint64_t most = op->policy->reader_egress, used = (uint64_t)task->reader_egress;
	uint64_t left = most > used ? most - used : 0;

	if (task->phase != KH_PHASE_EXECUTION)
		return kh_error_set(op->err, KH_EREFUSED, "OUTBOUND_FORBIDDEN_IN_PLANNING",
				    "%.*s is behind a network, and a query to it sends your words out: begin "
				    "execution with a plan first, or ask a Reader on this machine",
				    KH_FMT(kh_arena_quote(op->arena, reader)));
	if (bytes > left)
		return kh_error_set(op->err, KH_EREFUSED, "reader_egress_exceeded",
				    "this query sends %zu bytes to a Reader behind a network, with what you put in; "
				    "`reader_egress` has %llu left of %llu for this task: ask in fewer words, or a "
				    "Reader on this machine",
				    bytes, (unsigned long long)left, (unsigned long long)most);
	return KH_OK;
}

bool kh_outward_is_held(const struct kh_weighed *weighed)
{
	for (size_t i = 0; i < weighed->reasons.n; i++) {
		if (strcmp(weighed->reasons.at[i].code, "screened") != 0)
			return true;
	}
	return false;
}

enum kh_err kh_outward_carry(struct kh_op *op, const int64_t *blocks, size_t count, bool outside,
			     struct kh_approval_request *request)
{
	request->carried = blocks;
	request->carried_count = outside ? count : 0;
	return kh_carried_digest(op, blocks, count, &request->content);
}

enum kh_err kh_outward_send(struct kh_op *op, const struct kh_query_row *query)
{
	struct kh_context_row context;
	yyjson_val *body = NULL, *words = NULL;
	size_t bytes = 0, count = 0;
	int64_t *blocks = NULL;
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_CONTEXTS, query->context, &context);

	if (e == KH_OK)
		e = kh_json_read(op->arena, query->body, &body, op->err);
	if (e == KH_OK)
		e = kh_outward_words(op->arena, body, &words, &bytes, op->err);
	if (e == KH_OK)
		e = kh_op_ids(op, query->blocks, &blocks, &count);
	if (e == KH_OK)
		e = kh_weigh_with(op, blocks, count, &words);
	return e == KH_OK ? kh_sending_add(op, context.token, KH_OUTWARD_OPERATION, words) : e;
}
