/* Finds what a query is about. */
#include "engine/query/about.h"

#include "base/canonical.h"

/* Adds a thing by its name, once. */
static enum kh_err add_thing(struct kh_op *op, struct kh_view name, uint64_t bytes, struct kh_about *about)
{
	struct kh_about_thing **end = &about->things;

	while (*end != NULL && !kh_view_eq((*end)->name, name))
		end = &(*end)->next;
	if (*end != NULL)
		return KH_OK;
	*end = KH_NEW(op->arena, struct kh_about_thing);
	if (*end == NULL || name.p == NULL)
		return KH_ENOMEM;
	(*end)->name = name;
	(*end)->bytes = bytes;
	return KH_OK;
}

enum kh_err kh_about_add(struct kh_op *op, const struct kh_block_row *block, struct kh_about *about)
{
	struct kh_view hash = kh_canonical_hex(op->arena, &block->content_hash);
	enum kh_err e = add_thing(op, kh_arena_printf(op->arena, "block:%lld", (long long)block->id), 0, about);

	/* The Controller was given what was delivered. */
	if (e == KH_OK && block->kind == KH_BLOCK_DELIVERY)
		e = add_thing(op, kh_arena_printf(op->arena, "content:%.*s", KH_FMT(hash)), 0, about);
	if (e == KH_OK && block->origin.n > 0)
		e = add_thing(op, kh_arena_printf(op->arena, "origin:%.*s", KH_FMT(block->origin)), 0, about);
	return e;
}

enum kh_err kh_about_send(struct kh_op *op, int64_t block, struct kh_view reader, uint64_t bytes,
			  struct kh_about *about)
{
	struct kh_view name = kh_arena_printf(op->arena, "sent:%.*s:%lld", KH_FMT(reader), (long long)block);

	return add_thing(op, name, bytes, about);
}

uint64_t kh_about_bytes(const struct kh_about *about)
{
	uint64_t bytes = 0;

	for (const struct kh_about_thing *t = about->things; t != NULL; t = t->next)
		bytes += t->row == NULL ? t->bytes : 0;
	return bytes;
}

enum kh_err kh_about_find(struct kh_op *op, const struct kh_task_row *task, struct kh_view need, struct kh_about *about)
{
	enum kh_err e = need.n > 0 ? add_thing(op, kh_arena_printf(op->arena, "need:%.*s", KH_FMT(need)), 0, about)
				   : KH_OK;

	for (struct kh_about_thing *t = about->things; e == KH_OK && t != NULL; t = t->next) {
		size_t count = 0;
		int64_t *ids;
		e = kh_txn_find(op->txn, KH_INDEX_NEEDS, task->id, t->name, 0, 1, &ids, &count);
		if (e == KH_OK && count > 0)
			e = kh_txn_load(op->txn, KH_TABLE_NEEDS, ids[0], &t->row);
		if (e == KH_OK && t->row != NULL && (about->lowest == 0 || t->row->lowest < about->lowest))
			about->lowest = (unsigned)t->row->lowest;
	}
	return e;
}

static enum kh_err ask_first(struct kh_op *op, const struct kh_task_row *task, struct kh_about_thing *thing,
			     unsigned category)
{
	enum kh_err e = kh_txn_new(op->txn, KH_TABLE_NEEDS, &thing->row);

	if (e != KH_OK)
		return e;
	thing->row->task = task->id;
	thing->row->name = thing->name;
	thing->row->lowest = category;
	return KH_OK;
}

enum kh_err kh_about_asked(struct kh_op *op, const struct kh_task_row *task, struct kh_about *about, unsigned category)
{
	enum kh_err e = KH_OK;

	for (struct kh_about_thing *t = about->things; e == KH_OK && t != NULL; t = t->next) {
		if (t->row == NULL)
			e = ask_first(op, task, t, category);
		else if (category < t->row->lowest)
			t->row->lowest = category;
	}
	return e;
}
