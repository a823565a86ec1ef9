/*
 * Seals content from outside.  It is opened here once, to be checked and hashed, outside of the transaction; inside it
 * is bound to its attribution, and goes into the store.
 */
#include "engine/context/seal.h"

#include "core/block/block.h"
#include "core/comm/attribution.h"
#include "core/comm/origin.h"
#include "engine/state/find.h"
#include "engine/state/staged.h"

#define MEMORY (1U << 20) /* bytes for the normal form of a piece of content */

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* In memory of its own, because it is not needed afterwards. */
static enum kh_err digest_normal(struct kh_prepare *at, struct kh_view content, struct kh_digest *ret_digest)
{
	struct kh_arena own;

	kh_arena_init(&own, kh_engine_alloc(at->engine), MEMORY);
	enum kh_err e = kh_origin_normal(&own, content, ret_digest);
	kh_arena_done(&own);
	return e;
}

static enum kh_err read_content(struct kh_prepare *at, void *work)
{
	struct kh_seal_read *read = work;
	struct kh_view content = kh_tainted_open(read->content);

	if (content.n > KH_BLOCK_CONTENT_MAX)
		read->e = kh_error_set(&read->err, KH_ELIMIT, "too_large", "content has %zu bytes, the limit is %zu",
				       content.n, (size_t)KH_BLOCK_CONTENT_MAX);
	else
		read->e = kh_attribution_content(at->arena, content, &read->digests, &read->err);
	if (read->e == KH_OK && read->put)
		return digest_normal(at, content, &read->normal);
	return read->e == KH_ENOMEM ? KH_ENOMEM : KH_OK;
}

static struct kh_seal_read *new_read(struct kh_arena *arena, struct kh_tainted content, bool put,
				     struct kh_view *ret_key)
{
	struct kh_seal_read *read = KH_NEW(arena, struct kh_seal_read);

	if (read != NULL)
		*read = (struct kh_seal_read){.content = content, .put = put};
	*ret_key = kh_arena_printf(arena, "%zx %zu %d", (size_t)kh_tainted_address(content), kh_tainted_size(content),
				   put);
	return ret_key->p != NULL ? read : NULL;
}

enum kh_err kh_seal_prepare(struct kh_prepare *at, struct kh_tainted content, bool put)
{
	struct kh_view key;
	struct kh_seal_read *read = new_read(at->arena, content, put, &key);

	return read != NULL ? kh_beforehand_do(at, read_content, key, read) : KH_ENOMEM;
}

enum kh_err kh_seal_find(struct kh_op *op, struct kh_tainted content, bool put, const struct kh_seal_read **ret_read)
{
	struct kh_view key;
	struct kh_seal_read *wanted = new_read(op->arena, content, put, &key);
	const struct kh_seal_read *read = wanted != NULL ? kh_beforehand_find(op, read_content, key) : NULL;

	if (read == NULL)
		return wanted != NULL ? kh_beforehand_want(op, read_content, key, wanted) : KH_ENOMEM;
	if (read->e != KH_OK) {
		*op->err = read->err;
		return read->e;
	}
	*ret_read = read;
	return kh_txn_know(op->txn, kh_tainted_open(content), &read->digests.hash);
}

/* --- sealing ------------------------------------------------------------------------------------------------------ */

/* The attribution of what was READ in the form that the next event will record, and its canonical JSON. */
static enum kh_err attribute(struct kh_op *op, struct kh_seal *seal, const struct kh_seal_read *read,
			     struct kh_view *ret_json)
{
	struct kh_attribution attribution = {
		.operation = seal->operation,
		.put_by = seal->giver,
		.session_id = kh_op_id(op, KH_ID_TASK, seal->task->id),
		.source = seal->source,
		.timestamp = seal->slot != 0 ? seal->slot : op->now,
	};
	int64_t event = 0;
	enum kh_err e = kh_txn_next_event(op->txn, &event);

	if (e == KH_OK)
		attribution.audit_id = kh_op_id(op, KH_ID_EVENT, event);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	if (e == KH_OK)
		e = kh_attribution_of(op->arena, &attribution, &read->digests, op->err);
	if (e == KH_OK)
		e = kh_attribution_canonical(op->arena, &attribution, ret_json);
	if (e == KH_OK)
		seal->digest = attribution.digest;
	return e;
}

/*
 * B19: what makes SEAL the same thing as another.  What the context's Controller put in, it knows: its normal form.  What
 * somebody else put in, it does not know: the source that the giver stated.
 */
static struct kh_view origin_of(struct kh_op *op, const struct kh_seal *seal, const struct kh_seal_read *read)
{
	struct kh_digest digest = read->normal;
	int64_t by = op->caller != NULL ? op->caller->id : 0;

	if (seal->declaration != 0)
		return seal->origin;
	if (by != seal->context->token && seal->source.n == 0)
		return KH_LIT("");
	if (by != seal->context->token)
		digest = kh_canonical_digest(seal->source);
	return kh_arena_printf(op->arena, "%s %lld %.*s", KH_ATTRIBUTION_PUT, (long long)by,
			       KH_FMT(kh_canonical_hex(op->arena, &digest)));
}

/* Links ROW into its context and task, where nobody finds it yet. */
static void link_block(struct kh_context_row *context, const struct kh_task_row *task, struct kh_block_row *row)
{
	row->context = context->id;
	row->task = task->id;
	row->prev = context->last_block;
	row->told = -1;
	context->last_block = row->id;
}

void kh_seal_tell(struct kh_context_row *context, struct kh_task_row *task, struct kh_block_row *row)
{
	context->blocks++;
	row->told = ++task->blocks;
	if (task->first_block == 0 || row->id < task->first_block)
		task->first_block = row->id;
}

enum kh_err kh_seal_block(struct kh_op *op, struct kh_seal *seal)
{
	struct kh_block_spec spec = {
		.source = seal->source,
		.content = kh_tainted_open(seal->content),
		.trust = seal->vetted ? KH_VETTED : KH_UNTRUSTED,
		.type = KH_DATA,
		.taint = seal->context->taint,
	};
	const struct kh_seal_read *read = NULL;
	struct kh_block_row *row = NULL;
	struct kh_view attribution = {NULL, 0};

	if (seal->task->blocks >= KH_SEAL_BLOCKS_MAX)
		return kh_error_set(op->err, KH_EREFUSED, "too_many_blocks",
				    "the task has %d blocks, and takes no more", KH_SEAL_BLOCKS_MAX);
	/* Every possible refusal comes before a row is made. */
	enum kh_err e = kh_seal_find(op, seal->content, seal->declaration == 0, &read);
	if (e == KH_OK)
		e = attribute(op, seal, read, &attribution);
	if (e != KH_OK || read == NULL)
		return e;
	spec.hash = &read->digests.hash;
	e = kh_txn_new(op->txn, KH_TABLE_BLOCKS, &row);
	/* The constructor makes the block: labels come from nowhere else (I-1). */
	if (e == KH_OK)
		e = kh_op_make_block(op, &spec, NULL, row);
	if (e == KH_OK)
		e = kh_staged_find(op, row->content);
	if (e != KH_OK)
		return e;
	row->kind = KH_BLOCK_SEALED;
	row->tainted_by = KH_LIT("[]");
	row->attribution = attribution;
	row->origin = origin_of(op, seal, read);
	row->put = seal->put;
	row->declaration = seal->declaration;
	row->expires_at = kh_engine_keep_until(op->engine, op->now);
	if (seal->put_by != 0)
		row->put_by = seal->put_by;
	link_block(seal->context, seal->task, row);
	if (seal->slot != 0)
		row->created_at = seal->slot;
	else
		kh_seal_tell(seal->context, seal->task, row);
	seal->row = row;
	return KH_OK;
}
