/*
 * An agent's output as a block (K5, K9): an instruction, or data if it repeats untrusted text.  What taints it is known
 * from Keyhole's own records: the list of the previous output, that output, and everything that was given since.  So a
 * list is exact, and making one does not need all earlier lists.
 */
#include "engine/context/output.h"

#include "core/block/block.h"
#include "engine/context/context.h"
#include "engine/context/given.h"
#include "engine/context/guarding.h"
#include "engine/context/seal.h"
#include "engine/state/find.h"

#include <stdlib.h>

struct chain {
	int64_t *ids; /* ascending, each once */
	size_t n;
	enum kh_taint taint;
	bool flagged;
};

static int compare_ids(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort_ids(struct chain *chain)
{
	size_t n = 0;

	if (chain->n == 0)
		return;
	qsort(chain->ids, chain->n, sizeof(*chain->ids), compare_ids);
	for (size_t i = 0; i < chain->n; i++) {
		if (n == 0 || chain->ids[n - 1] != chain->ids[i])
			chain->ids[n++] = chain->ids[i];
	}
	chain->n = n;
}

/* A block that the caller adds: one of this context since its reset.  If it was not given, it is a sealed one. */
static enum kh_err add_more(struct kh_op *op, const struct kh_context_row *context, struct kh_view id,
			    struct chain *chain)
{
	struct kh_block_row block;
	enum kh_err e = kh_find_block(op, context->id, id, &block);

	if (e == KH_OK && block.id <= context->reset_block)
		e = kh_find_none(op, id, "unknown_block", KH_EUNKNOWN);
	if (e != KH_OK)
		return e;
	chain->ids[chain->n++] = block.id;
	chain->taint = kh_label_max_taint(chain->taint, block.taint);
	chain->flagged |= block.trust == KH_UNTRUSTED;
	return KH_OK;
}

static enum kh_err find_chain(struct kh_op *op, const struct kh_context_output *output,
			      const struct kh_context_row *context, struct chain *ret_chain)
{
	struct kh_block_row before = {.tainted_by = KH_LIT("[]")};
	struct kh_given given;
	int64_t *older = NULL;
	size_t older_count = 0;
	enum kh_err e = kh_given_find(op, context, true, &given);

	if (e == KH_OK && given.output != 0)
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, given.output, &before);
	if (e == KH_OK)
		e = kh_op_ids(op, before.tainted_by, &older, &older_count);
	if (e != KH_OK)
		return e;
	struct chain chain = {
		.ids = KH_NEW_N(op->arena, int64_t, older_count + given.n + output->more_count),
		.taint = context->taint,
		.flagged = kh_context_was_given(context),
	};
	if (chain.ids == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < older_count; i++)
		chain.ids[chain.n++] = older[i];
	for (size_t i = 0; i < given.n; i++)
		chain.ids[chain.n++] = given.ids[i];
	for (size_t i = 0; i < output->more_count && e == KH_OK; i++)
		e = add_more(op, context, output->more[i], &chain);
	sort_ids(&chain);
	if (e == KH_OK && chain.n > KH_BLOCK_REFS_MAX)
		e = kh_error_set(op->err, KH_ELIMIT, "too_large", "the output is tainted by more than %u blocks",
				 KH_BLOCK_REFS_MAX);
	if (e == KH_OK)
		*ret_chain = chain;
	return e;
}

static enum kh_err fill(struct kh_op *op, const struct kh_context_output *output, const struct chain *chain,
			const struct kh_seal_read *read, struct kh_block_row *row)
{
	struct kh_block_spec spec = {
		.source = KH_LIT("agent"),
		.content = output->content,
		.type = output->copies ? KH_DATA : KH_INSTRUCTION,
		.hash = &read->digests.hash,
	};
	enum kh_err e = kh_op_make_block(op, &spec, &chain->taint, row);

	if (e != KH_OK)
		return e;
	row->kind = KH_BLOCK_OUTPUT;
	row->tainted_by = kh_op_ids_text(op, chain->ids, chain->n);
	return kh_arena_check(op->arena);
}

struct comparing {
	struct kh_guarding guarding;
	struct kh_view content;
	struct kh_view unattributed;
	bool copies;
};

static enum kh_err compare(struct kh_prepare *at, void *work)
{
	struct comparing *c = work;

	return kh_guarding_compare(at->arena, &c->guarding, c->content, &c->unattributed, &c->copies, at->err);
}

/* E10: the caller has compared, or has it done now.  `again`: there is more to compare now. */
static enum kh_err guard(struct kh_op *op, struct kh_context_output *output, const struct kh_context_row *context)
{
	struct kh_view key = kh_op_id(op, KH_ID_BLOCK, context->last_block);
	struct comparing *c = kh_beforehand_find(op, compare, key);

	output->again = output->guarded && output->last_block != context->last_block;
	if (output->guarded)
		return KH_OK;
	if (c != NULL) {
		output->unattributed = c->unattributed;
		output->copies = c->copies;
		return KH_OK;
	}
	c = KH_NEW(op->arena, struct comparing);
	if (c == NULL)
		return KH_ENOMEM;
	c->content = output->content;
	c->guarding = (struct kh_guarding){
		.context = output->context, .more = output->more, .more_count = output->more_count};
	enum kh_err e = kh_guarding_run(op, &c->guarding);
	return e == KH_OK ? kh_beforehand_want(op, compare, key, c) : e;
}

/* The blocks of the guard's list, as a list of ids. */
static struct kh_view name_blocks(struct kh_op *op, struct kh_view unattributed)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *ids = yyjson_mut_arr(doc);
	yyjson_val *list = NULL, *item;
	struct kh_view json = KH_LIT("[]");
	size_t i, max;

	if (kh_json_read(op->arena, unattributed, &list, NULL) != KH_OK)
		return json;
	yyjson_arr_foreach (list, i, max, item) {
		struct kh_view id = kh_json_str(kh_json_get(item, "block"));
		yyjson_mut_val *last = yyjson_mut_arr_get_last(ids); /* several results of one search have one block */
		if (last == NULL || !yyjson_mut_equals_strn(last, id.p, id.n))
			yyjson_mut_arr_add_strn(doc, ids, id.p, id.n);
	}
	return kh_json_write(op->arena, ids, &json) == KH_OK ? json : KH_LIT("[]");
}

enum kh_err kh_context_output_prepare(struct kh_prepare *at, void *call)
{
	const struct kh_context_output *output = call;

	return kh_seal_prepare(at, kh_tainted_wrap(output->content), false);
}

enum kh_err kh_context_output_run(struct kh_op *op, void *call)
{
	struct kh_context_output *output = call;
	struct kh_context_row *context = NULL;
	const struct kh_seal_read *read = NULL;
	struct kh_block_row *row = NULL;
	struct chain chain;
	enum kh_err e = kh_find_context(op, output->context, &context);

	if (e == KH_OK)
		e = kh_context_check_host(op, context);
	if (e == KH_OK)
		e = find_chain(op, output, context, &chain);
	if (e == KH_OK)
		e = guard(op, output, context);
	if (e == KH_OK && output->again)
		return KH_OK;
	if (e == KH_OK)
		e = kh_seal_find(op, kh_tainted_wrap(output->content), false, &read);
	if (e == KH_OK)
		e = kh_txn_new(op->txn, KH_TABLE_BLOCKS, &row);
	if (e == KH_OK)
		e = fill(op, output, &chain, read, row);
	if (e != KH_OK)
		return e;
	kh_context_give(context, row);
	e = kh_op_event(op, KH_AUDIT_CONTEXT_BLOCK, NULL,
			kh_arena_printf(op->arena,
					"{\"copies\":%s,\"event\":\"output\",\"flagged\":%s,\"size\":%zu,"
					"\"unattributed\":%.*s}",
					output->copies ? "true" : "false", chain.flagged ? "true" : "false",
					output->content.n, KH_FMT(name_blocks(op, output->unattributed))));
	if (e != KH_OK)
		return e;
	output->id = kh_op_id(op, KH_ID_BLOCK, row->id);
	output->flagged = chain.flagged;
	return kh_arena_check(op->arena);
}
