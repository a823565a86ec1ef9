/* A context in the form that its agent gets.  Content goes out only inside a block, which it cannot leave (K2). */
#include "engine/context/assemble.h"

#include "core/block/blockjson.h"
#include "core/block/prompt.h"
#include "core/block/xml.h"
#include "engine/context/given.h"
#include "engine/state/find.h"

/* The public ids of a JSON array of numbers. */
static enum kh_err read_references(struct kh_op *op, struct kh_view json, const struct kh_view **ret_ids,
				   size_t *ret_count)
{
	int64_t *numbers = NULL;
	size_t n = 0;
	enum kh_err e = kh_op_ids(op, json, &numbers, &n);

	if (e != KH_OK)
		return e;
	struct kh_view *ids = KH_NEW_N(op->arena, struct kh_view, n);
	for (size_t i = 0; i < n && ids != NULL; i++)
		ids[i] = kh_op_id(op, KH_ID_BLOCK, numbers[i]);
	*ret_ids = ids;
	*ret_count = n;
	return kh_arena_check(op->arena);
}

/* The Reader's taint, given that of its delivery, which is one step below (B23). */
static enum kh_taint step_up(enum kh_taint taint)
{
	return taint == KH_TAINT_LOW ? KH_TAINT_MEDIUM : KH_TAINT_HIGH;
}

static enum kh_err read_spec(struct kh_op *op, const struct kh_block_row *row, struct kh_block_spec *ret_spec)
{
	*ret_spec = (struct kh_block_spec){
		.id = kh_op_id(op, KH_ID_BLOCK, row->id),
		.source = row->source,
		.content = row->content,
		.trust = row->trust,
		.type = row->type,
		.taint = row->taint,
		.created_at = row->created_at,
	};
	return read_references(op, row->tainted_by, &ret_spec->tainted_by, &ret_spec->tainted_by_count);
}

static enum kh_err make_block(struct kh_arena *arena, const struct kh_block_row *row, const struct kh_block_spec *spec,
			      const struct kh_block **ret_block, struct kh_error *err)
{
	if (row->kind == KH_BLOCK_DELIVERY)
		return kh_block_delivery(arena, spec, step_up(row->taint), ret_block, err);
	if (row->kind == KH_BLOCK_HOST && row->trust == KH_UNTRUSTED)
		return kh_block_own(arena, spec, row->taint, ret_block, err);
	return kh_block_make(arena, spec, ret_block, err);
}

enum kh_err kh_context_assemble_outline(struct kh_op *op, const struct kh_block_row *row,
					const struct kh_block **ret_block)
{
	struct kh_block_spec spec;
	enum kh_err e = read_spec(op, row, &spec);

	return e == KH_OK ? make_block(op->arena, row, &spec, ret_block, op->err) : e;
}

/* --- in the transaction: what is to be written -------------------------------------------------------------------- */

struct kh_context_assemble_part {
	const struct kh_block_row *row;
	struct kh_block_spec spec;
};

static enum kh_err add_part(struct kh_op *op, struct kh_context_assemble *assemble, int64_t id)
{
	struct kh_context_assemble_part *part = &assemble->parts[assemble->count];
	struct kh_block_row *row = NULL;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, id, &row);

	if (e != KH_OK || row->purged_at != 0)
		return e;
	part->row = row;
	assemble->count++;
	return read_spec(op, row, &part->spec);
}

enum kh_err kh_context_assemble_run(struct kh_op *op, void *call)
{
	struct kh_context_assemble *assemble = call;
	struct kh_context_row *context = NULL;
	struct kh_given given;
	enum kh_err e = kh_find_context(op, assemble->context, &context);

	if (e == KH_OK)
		e = kh_given_find(op, context, false, &given);
	if (e != KH_OK)
		return e;
	assemble->count = 0;
	assemble->parts = KH_NEW_N(op->arena, struct kh_context_assemble_part, given.n);
	if (assemble->parts == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < given.n && e == KH_OK; i++)
		e = add_part(op, assemble, given.ids[i]);
	return e;
}

/* --- afterwards, in the caller's thread: content is hashed and written (D1) ---------------------------------------- */

static enum kh_err add_block(struct kh_arena *arena, struct kh_blocks *set, const struct kh_context_assemble_part *part,
			     struct kh_error *err)
{
	const struct kh_block *block = NULL;
	enum kh_err e = make_block(arena, part->row, &part->spec, &block, err);

	if (e == KH_OK && memcmp(&block->content_hash, &part->row->content_hash, sizeof(block->content_hash)) != 0)
		e = kh_error_set(err, KH_ECHANGED, "hash_mismatch", "a block is not what was put in");
	return e == KH_OK ? kh_blocks_put(set, block, err) : e;
}

static enum kh_err write_json(struct kh_arena *arena, const struct kh_blocks *set, struct kh_view *ret_text)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_val(doc, root, "blocks", kh_blockjson_write_all(doc, arena, set));
	enum kh_err e = kh_arena_check(arena);
	return e == KH_OK ? kh_json_write(arena, root, ret_text) : e;
}

enum kh_err kh_context_assemble_finish(struct kh_engine *engine, struct kh_arena *arena, void *call,
				       struct kh_error *err)
{
	struct kh_context_assemble *assemble = call;
	struct kh_blocks given, set;
	unsigned char seed[KH_BLOCKS_SEED];
	enum kh_err e = KH_OK;

	kh_engine_random(engine, seed, sizeof(seed));
	kh_blocks_init(&given, arena, seed);
	for (size_t i = 0; i < assemble->count && e == KH_OK; i++)
		e = add_block(arena, &given, &assemble->parts[i], err);
	if (e == KH_OK)
		e = kh_prompt_assemble(&given, arena, &set, err);
	if (e != KH_OK)
		return e;
	return assemble->xml ? kh_xml_write(arena, &set, &assemble->text) : write_json(arena, &set, &assemble->text);
}
