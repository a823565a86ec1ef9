/* Reading events.  Shows only what the store has, in its order.  Nothing here checks that it is true: `audit verify`
 * does. */
#include "cli/audits_trail.h"

#include "cli/audits_far.h"
#include "cli/progress.h"
#include "engine/audit/audittrail.h"
#include "store/txn.h"

#include <stdio.h>
#include <time.h>

#define STEP_MS 250 /* milliseconds between checks for new events */
#define FAR_S   1   /* seconds between them at a gateway */

struct reading;
typedef enum kh_err read_fn(struct kh_txn *txn, struct reading *r);

/* The state of reading events: of the home's store, or of a gateway's. */
struct reading {
	struct kh_frame *f;
	const struct kh_audits_trail_args *args;
	struct kh_eventout out;
	struct kh_audits_far far; /* of a gateway */
	/* of the store */
	struct kh_eventline line;
	struct kh_eventfilter filter;
	read_fn *read;
	int64_t after, seen; /* where to begin; the newest that was seen */
	int64_t *ring;       /* ids of the last events that match */
	uint64_t passed;
};

/* --- the home's store --------------------------------------------------------------------------------------------- */

static void put(struct reading *r, const struct kh_audit_entry *entry)
{
	struct kh_eventtext event;

	if (r->out.write == NULL) {
		kh_eventline_json(&r->line, entry, &r->out.buf);
		return;
	}
	kh_eventtext_of(&r->line, entry, &event);
	r->out.write(&event, &r->out.buf);
}

static bool write_entry(const struct kh_audit_entry *entry, void *arg)
{
	struct reading *r = arg;

	r->seen = entry->id;
	if (!kh_eventfilter_passes(&r->filter, &r->line, entry))
		return true;
	put(r, entry);
	return kh_eventout_step(&r->out);
}

/* Remembers the ids of the last events that match. */
static bool remember(const struct kh_audit_entry *entry, void *arg)
{
	struct reading *r = arg;

	r->seen = entry->id;
	if (kh_eventfilter_passes(&r->filter, &r->line, entry))
		r->ring[r->passed++ % r->args->last] = entry->id;
	return true;
}

static enum kh_err write_remembered(struct kh_txn *txn, struct reading *r)
{
	uint64_t from = r->passed > r->args->last ? r->passed - r->args->last : 0;
	enum kh_err e = KH_OK;

	for (uint64_t i = from; i < r->passed && e == KH_OK && !r->out.lost; i++) {
		struct kh_audit_entry entry;
		e = kh_audit_get(txn, &r->out.arena, r->ring[i % r->args->last], &entry);
		if (e == KH_OK) {
			put(r, &entry);
			kh_eventout_flush(&r->out);
		}
	}
	return e;
}

/* Reads the events after r->after that match. */
static enum kh_err read_on(struct kh_txn *txn, struct reading *r)
{
	enum kh_err e = kh_audit_read(txn, r->after, write_entry, r);

	if (e == KH_OK)
		kh_eventout_flush(&r->out);
	return e;
}

/* Reads the last events that match. */
static enum kh_err read_last(struct kh_txn *txn, struct reading *r)
{
	int64_t next = 0;
	enum kh_err e = kh_txn_next_event(txn, &next);

	r->ring = KH_NEW_N(&r->f->arena, int64_t, r->args->last);
	if (r->ring == NULL)
		return KH_ENOMEM;
	/* Without a filter, the id of the first one is known. */
	int64_t after = kh_eventfilter_is_empty(&r->filter) ? next - 1 - (int64_t)r->args->last : 0;
	if (e == KH_OK)
		e = kh_audit_read(txn, after > 0 ? after : 0, remember, r);
	return e == KH_OK ? write_remembered(txn, r) : e;
}

/* Reads one event, whatever it is. */
static enum kh_err read_one(struct kh_txn *txn, struct reading *r)
{
	struct kh_view word = kh_view_str(r->f->words[0]);
	struct kh_audit_entry entry;
	int64_t id = 0;
	enum kh_err e = KH_EUNKNOWN;

	if (kh_publicid_parse(r->line.id_key, KH_ID_EVENT, word, &id) && id > 0)
		e = kh_audit_get(txn, &r->f->arena, id, &entry);
	if (e == KH_EUNKNOWN)
		kh_error_set(txn->err, e, "unknown_event", "there is no event %.*s", KH_FMT(word));
	if (e != KH_OK)
		return e;
	if (r->out.write == NULL)
		kh_eventline_whole(&r->line, &entry, &r->out.buf);
	else
		put(r, &entry);
	kh_eventout_flush(&r->out);
	return KH_OK;
}

/* Reads, with the names of those who caused events at hand. */
static enum kh_err read_events(struct kh_txn *txn, void *arg)
{
	struct reading *r = arg;
	struct kh_error why;

	kh_txn_use_arena(txn, &r->f->arena);
	enum kh_err e = kh_eventline_init(&r->line, txn);
	if (e != KH_OK)
		return e;
	r->filter = r->args->wanted;
	e = kh_eventfilter_read(&r->filter, r->line.id_key, &why);
	if (e != KH_OK)
		kh_error_set(txn->err, e, "bad_option", "--%s: %s", why.member, why.detail);
	else
		e = r->read(txn, r);
	kh_eventline_done(&r->line);
	return e;
}

static enum kh_err go(struct reading *r, read_fn *read)
{
	r->read = read;
	return kh_store_read(r->f->home.store, read_events, r, &r->f->err);
}

/* --- either ------------------------------------------------------------------------------------------------------- */

static void begin(struct reading *r, struct kh_frame *f, kh_eventout_fn *write)
{
	*r = (struct reading){.f = f, .args = f->args};
	kh_eventout_init(&r->out, f, write);
	r->far = (struct kh_audits_far){.remote = f->remote, .wanted = &r->args->wanted, .out = &r->out};
}

static enum kh_err begin_tail(struct reading *r)
{
	if (r->f->remote != NULL)
		return kh_audits_far_last(&r->far, r->args->last, &r->f->arena, &r->f->err);
	return go(r, read_last);
}

static enum kh_err go_on(struct reading *r)
{
	if (r->f->remote != NULL)
		return kh_audits_far_on(&r->far, &r->f->err);
	r->after = r->seen;
	return go(r, read_on);
}

/* --- tail --------------------------------------------------------------------------------------------------------- */

int kh_audits_trail_tail(struct kh_frame *f)
{
	const struct timespec near = {.tv_nsec = STEP_MS * 1000000}, far = {.tv_sec = FAR_S};
	const struct kh_audits_trail_args *a = f->args;
	struct reading r;

	if (a->last > KH_AUDITTRAIL_LAST)
		return KH_FRAME_REFUSE(f, "bad_option", "-n is at most %d: `audit export` has all", KH_AUDITTRAIL_LAST);
	begin(&r, f, f->options.json ? NULL : kh_eventtext_text);
	enum kh_err e = begin_tail(&r);
	while (e == KH_OK && a->follow && !r.out.lost && !r.out.failed) {
		nanosleep(f->remote != NULL ? &far : &near, NULL);
		e = go_on(&r);
	}
	return kh_eventout_end(&r.out, e);
}

/* --- export ------------------------------------------------------------------------------------------------------- */

int kh_audits_trail_export(struct kh_frame *f)
{
	const struct kh_audits_trail_args *a = f->args;
	struct kh_progress progress = {0};
	struct reading r;

	if (a->format != NULL && strcmp(a->format, "jsonl") != 0 && strcmp(a->format, "cef") != 0)
		return KH_FRAME_REFUSE(f, "bad_option", "--format is jsonl or cef");
	begin(&r, f, a->format != NULL && strcmp(a->format, "cef") == 0 ? kh_eventtext_cef : NULL);
	if (!f->out->escapes)
		kh_progress_start(&progress, "exporting");
	enum kh_err e = go_on(&r);
	if (!f->out->escapes)
		kh_progress_stop(&progress);
	return kh_eventout_end(&r.out, e);
}

/* --- show --------------------------------------------------------------------------------------------------------- */

int kh_audits_trail_show(struct kh_frame *f)
{
	struct kh_view id = kh_view_str(f->words[0]);
	struct reading r;

	if (id.n != 17 || id.p[0] != 'e' || !kh_view_is_word(id, ""))
		return KH_FRAME_REFUSE(f, "bad_option", "EVENT is the id of an event: e and 16 hexadecimal digits");
	begin(&r, f, f->options.json ? NULL : kh_eventtext_whole);
	enum kh_err e = f->remote != NULL ? kh_audits_far_one(&r.far, id, &f->err) : go(&r, read_one);
	return kh_eventout_end(&r.out, e);
}
