/*
 * Reading the record.  A transaction decides whether the caller may read, as for every operation.  The reading itself
 * happens outside the store's thread, because it would keep that thread busy.
 */
#include "engine/audit/audittrail.h"

#define LINES (256U << 20) /* bytes for one event at most, if memory permits */

/* Reads the id of an event.  The ids of events that are not there are refused like any other text. */
static enum kh_err find_number(struct kh_op *op, struct kh_audittrail *trail)
{
	struct kh_view id = trail->only.n > 0 ? trail->only : trail->after;
	int64_t next = 0;
	enum kh_err e = kh_txn_next_event(op->txn, &next);

	trail->number = 0;
	if (e != KH_OK)
		return e;
	if (id.n == 0) {
		if (trail->last > 0 && next - 1 > (int64_t)trail->last)
			trail->number = next - 1 - (int64_t)trail->last;
		return KH_OK;
	}
	if (kh_publicid_parse(kh_engine_id_key(op->engine), KH_ID_EVENT, id, &trail->number) && trail->number > 0 &&
	    trail->number < next)
		return KH_OK;
	if (trail->only.n > 0)
		return kh_error_set(op->err, KH_EUNKNOWN, "unknown_event", "there is no event %.*s",
				    KH_FMT(kh_arena_quote(op->arena, id)));
	return kh_error_member(
		op->err, KH_LIT("after"),
		kh_error_set(op->err, KH_EINPUT, "bad_value", "expected the id of an event, as `next` has it"));
}

enum kh_err kh_audittrail_run(struct kh_op *op, void *call)
{
	struct kh_audittrail *trail = call;

	if (trail->limit < 1 || trail->limit > KH_AUDITTRAIL_LIMIT)
		return kh_error_set(op->err, KH_EINPUT, "out_of_range", "a page has 1 to %d events",
				    KH_AUDITTRAIL_LIMIT);
	enum kh_err e = find_number(op, trail);
	return e == KH_OK ? kh_eventfilter_read(&trail->filter, kh_engine_id_key(op->engine), op->err) : e;
}

struct reading {
	struct kh_audittrail *trail;
	struct kh_arena *arena;
	struct kh_error *err;
	struct kh_eventline line;
	struct kh_buf buf;
	size_t looks;
	int64_t last;
	bool stopped; /* it stopped before the end */
};

static bool take(const struct kh_audit_entry *entry, void *arg)
{
	struct reading *r = arg;
	struct kh_audittrail *trail = r->trail;

	if (trail->count == trail->limit || r->looks == KH_AUDITTRAIL_LOOKS || r->buf.n >= KH_AUDITTRAIL_BYTES) {
		r->stopped = true;
		return false;
	}
	r->looks++;
	r->last = entry->id;
	if (!kh_eventfilter_passes(&trail->filter, &r->line, entry))
		return true;
	kh_eventline_json(&r->line, entry, &r->buf);
	trail->count++;
	return true;
}

static enum kh_err take_one(struct kh_txn *txn, struct reading *r)
{
	struct kh_audit_entry entry;
	enum kh_err e = kh_audit_get(txn, r->arena, r->trail->number, &entry);

	if (e == KH_EUNKNOWN)
		return kh_error_set(r->err, e, "unknown_event", "the record lacks this event");
	if (e == KH_OK) {
		kh_eventline_whole(&r->line, &entry, &r->buf);
		r->trail->count = 1;
	}
	return e;
}

static enum kh_err read_events(struct kh_txn *txn, void *arg)
{
	struct reading *r = arg;

	kh_txn_use_arena(txn, r->arena);
	enum kh_err e = kh_eventline_init(&r->line, txn);
	if (e != KH_OK)
		return e;
	e = r->trail->only.n > 0 ? take_one(txn, r) : kh_audit_read(txn, r->trail->number, take, r);
	if (e == KH_OK)
		e = kh_arena_check(&r->line.arena);
	kh_eventline_done(&r->line);
	return e;
}

enum kh_err kh_audittrail_finish(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err)
{
	struct kh_audittrail *trail = call;
	struct reading r = {.trail = trail, .arena = arena, .err = err};

	trail->count = 0;
	kh_buf_init(&r.buf, arena, LINES);
	enum kh_err e = kh_store_read(kh_engine_store(engine), read_events, &r, err);
	if (e == KH_OK)
		e = kh_buf_end(&r.buf, &trail->lines);
	if (e == KH_ENOMEM)
		return kh_error_set(err, e, "out_of_memory", "out of memory");
	if (e == KH_OK)
		trail->next = r.stopped ? kh_publicid_text(arena, kh_engine_id_key(engine), KH_ID_EVENT, r.last)
					: KH_LIT("");
	return e == KH_OK && trail->next.p == NULL ? kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory") : e;
}
