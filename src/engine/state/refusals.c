/* Counts repeated refusals. */
#include "engine/state/refusals.h"

#include "engine/state/inforce.h"
#include "engine/state/op.h"
#include "engine/state/tally.h"

#include <stdio.h>

static struct kh_refusals *of(struct kh_op *op)
{
	return op->engine->refusals;
}

static struct kh_refusals_entry *find(struct kh_refusals *all, const struct kh_digest *key)
{
	for (size_t i = 0; i < all->n; i++) {
		if (memcmp(&all->at[i].key, key, sizeof(*key)) == 0)
			return &all->at[i];
	}
	return NULL;
}

static size_t count_exact(const struct kh_refusals *all, int64_t by)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += all->at[i].by == by && all->at[i].exact;
	return n;
}

static void copy_word(char to[KH_REFUSALS_WORD], yyjson_val *what, const char *name)
{
	struct kh_view word = kh_json_str(kh_json_get(what, name));

	snprintf(to, KH_REFUSALS_WORD, "%.*s", KH_FMT(word));
}

/* What is known of a refusal, with the key of exactly it. */
static struct kh_refusals_entry describe(struct kh_op *op, enum kh_audit_kind kind, const struct kh_task_row *task,
					 struct kh_view what)
{
	struct kh_refusals_entry entry = {.kind = kind,
					  .by = op->caller != NULL ? op->caller->id : 0,
					  .task = task != NULL ? task->id : 0,
					  .exact = true};
	bool gates = kind == KH_AUDIT_DECLARATION_DENIED;
	yyjson_val *root = NULL;

	if (kh_json_read(op->arena, what, &root, NULL) == KH_OK) {
		copy_word(entry.code, root, "code");
		copy_word(entry.operation, root, "operation");
	}
	kh_tally_add(kh_engine_tally(op->engine), gates ? KH_TALLY_DENIED : KH_TALLY_REFUSED,
		     gates ? kh_json_str(kh_json_get(root, "gate")) : kh_view_str(entry.code), KH_LIT(""), 1);
	entry.key = kh_canonical_digest(kh_arena_printf(op->arena, "%d %lld %lld %.*s", (int)kind, (long long)entry.by,
							(long long)entry.task, KH_FMT(what)));
	return entry;
}

/* The same for all refusals of this caller with the same code, of the same operation. */
static void make_coarse(struct kh_op *op, struct kh_refusals_entry *entry)
{
	entry->exact = false;
	entry->task = 0;
	entry->key = kh_canonical_digest(kh_arena_printf(op->arena, "%d %lld %s %s", (int)entry->kind,
							 (long long)entry->by, entry->operation, entry->code));
}

/* What a run has noted, to be undone if it is run again. */
struct kh_refusals_mark {
	struct kh_refusals_mark *next;
	size_t at;
	bool added; /* a new entry; else one more of a known one */
};

static void mark(struct kh_op *op, size_t at, bool added)
{
	struct kh_refusals_mark *made = KH_NEW(op->arena, struct kh_refusals_mark);

	if (made != NULL)
		*made = (struct kh_refusals_mark){.next = op->marks, .at = at, .added = added};
	op->marks = made;
}

void kh_refusals_undo(struct kh_op *op)
{
	struct kh_refusals *all = of(op);

	for (const struct kh_refusals_mark *m = op->marks; m != NULL; m = m->next) { /* the newest first */
		if (m->added) {
			all->n = m->at;
		} else {
			all->at[m->at].count--;
			all->counted--;
		}
	}
	op->marks = NULL;
}

/* True if it was counted; false if it has to be recorded, and is known from now on. */
static bool is_counted(struct kh_op *op, struct kh_refusals *all, struct kh_refusals_entry *entry)
{
	struct kh_refusals_entry *known = find(all, &entry->key);

	if (known == NULL && count_exact(all, entry->by) >= KH_REFUSALS_EXACT) {
		make_coarse(op, entry);
		known = find(all, &entry->key);
	}
	if (known != NULL) {
		known->count++;
		known->last = op->now;
		all->counted++;
		mark(op, (size_t)(known - all->at), false);
		return true;
	}
	if (all->n < KH_REFUSALS_MOST) {
		mark(op, all->n, true);
		all->at[all->n++] = *entry;
	}
	return false;
}

/* What was recorded may not have become durable, so it counts as new.  What was counted stays counted. */
static void forget(struct kh_refusals *all)
{
	for (size_t i = 0; i < all->n; i++)
		memset(&all->at[i].key, 0, sizeof(all->at[i].key));
}

enum kh_err kh_refusals_add(struct kh_op *op, enum kh_audit_kind kind, struct kh_task_row *task, struct kh_view what)
{
	struct kh_refusals *all = of(op);

	op->noted = true;
	if (atomic_exchange(&all->unsure, false))
		forget(all);
	if (all->counted == 0 && op->now - all->began >= KH_REFUSALS_PERIOD) {
		all->n = 0;
		all->began = op->now;
	}
	struct kh_refusals_entry entry = describe(op, kind, task, what);
	enum kh_err e = kh_arena_check(op->arena);
	if (e != KH_OK || (!kh_txn_has_changed(op->txn) && is_counted(op, all, &entry)))
		return e;
	return kh_op_event(op, kind, task, what);
}

static void write_entry(struct kh_op *op, struct kh_emit *emit, const struct kh_refusals_entry *entry)
{
	kh_emit_object(emit);
	kh_emit_add(emit, "by", entry->by != 0 ? kh_op_id(op, KH_ID_TOKEN, entry->by) : KH_LIT(""));
	kh_emit_add_word(emit, "code", entry->code);
	kh_emit_add_int(emit, "count", (int64_t)entry->count);
	kh_emit_add_word(emit, "kind", kh_words_name(&kh_audit_kind_words, entry->kind));
	kh_emit_add_int(emit, "last", entry->last);
	kh_emit_add_word(emit, "operation", entry->operation);
	kh_emit_add(emit, "task", entry->task != 0 ? kh_op_id(op, KH_ID_TASK, entry->task) : KH_LIT(""));
	kh_emit_end(emit);
}

enum kh_err kh_refusals_write(struct kh_op *op, bool now_all)
{
	struct kh_refusals *all = of(op);
	struct kh_emit what;

	if (all->counted == 0 || (!now_all && op->now - all->began < KH_REFUSALS_PERIOD))
		return KH_OK;
	kh_op_describe(op, &what);
	kh_emit_add_int(&what, "from", all->began);
	kh_emit_key(&what, "refusals");
	kh_emit_array(&what);
	for (size_t i = 0; i < all->n; i++) {
		if (all->at[i].count > 0)
			write_entry(op, &what, &all->at[i]);
	}
	kh_emit_end(&what);
	kh_emit_add_int(&what, "to", op->now);
	kh_emit_add_int(&what, "total", (int64_t)all->counted);
	enum kh_err e = kh_op_event(op, KH_AUDIT_REFUSALS, NULL, kh_op_described(op, &what));
	if (e == KH_OK) {
		all->n = 0;
		all->counted = 0;
		all->began = op->now;
	}
	return e;
}
