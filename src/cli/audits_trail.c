/* Reading events.  Shows only what the store has, in its order.  Nothing here checks that it is true: `audit verify`
 * does. */
#include "cli/audits_trail.h"

#include "cli/eventtext.h"
#include "cli/progress.h"
#include "store/txn.h"

#include <stdio.h>
#include <time.h>

#define TOGETHER  32768 /* bytes that are written at once */
#define LAST_MOST 100000
#define STEP_MS   250 /* milliseconds between checks for new events */

struct reading;
typedef enum kh_err read_fn(struct kh_txn *txn, struct reading *r);
typedef void write_fn(struct kh_eventline *line, const struct kh_audit_entry *entry, struct kh_buf *buf);

/* The state of reading events. */
struct reading {
	struct kh_frame *f;
	const struct kh_audits_trail_args *args;
	struct kh_eventline line;
	struct kh_eventfilter filter;
	read_fn *read;
	write_fn *write;
	struct kh_arena arena; /* for output that is not yet written */
	struct kh_buf buf;
	int64_t after, seen; /* where to begin; the newest that was seen */
	int64_t *ring;       /* ids of the last events that match */
	uint64_t passed;
	bool lost, failed; /* output cannot be written; out of memory */
};

static bool flush(struct reading *r)
{
	struct kh_view text;

	if (kh_buf_end(&r->buf, &text) != KH_OK) {
		r->failed = true;
		return false;
	}
	r->lost = text.n > 0 && !kh_frame_say(r->f, text);
	kh_arena_clear(&r->arena);
	kh_buf_init(&r->buf, &r->arena, KH_FRAME_TEXT);
	return !r->lost;
}

static bool write_entry(const struct kh_audit_entry *entry, void *arg)
{
	struct reading *r = arg;

	r->seen = entry->id;
	if (!kh_eventfilter_passes(&r->filter, &r->line, entry))
		return true;
	r->write(&r->line, entry, &r->buf);
	return r->buf.n < TOGETHER || flush(r);
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

	for (uint64_t i = from; i < r->passed && e == KH_OK && !r->lost; i++) {
		struct kh_audit_entry entry;
		e = kh_audit_get(txn, &r->arena, r->ring[i % r->args->last], &entry);
		if (e == KH_OK) {
			r->write(&r->line, &entry, &r->buf);
			flush(r);
		}
	}
	return e;
}

/* Reads the events after r->after that match. */
static enum kh_err read_on(struct kh_txn *txn, struct reading *r)
{
	enum kh_err e = kh_audit_read(txn, r->after, write_entry, r);

	if (e == KH_OK && !r->lost && !r->failed)
		flush(r);
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

	bool is_id = word.n == 17 && word.p[0] == 'e' && kh_view_is_word(word, "");
	if (!kh_publicid_parse(r->line.id_key, KH_ID_EVENT, word, &id) && !is_id)
		return kh_error_set(txn->err, KH_EINPUT, "bad_option",
				    "EVENT is the id of an event: e and 16 hexadecimal digits");
	if (id > 0)
		e = kh_audit_get(txn, &r->f->arena, id, &entry);
	if (e == KH_EUNKNOWN)
		kh_error_set(txn->err, e, "unknown_event", "there is no event %.*s", KH_FMT(word));
	if (e != KH_OK)
		return e;
	r->write(&r->line, &entry, &r->buf);
	flush(r);
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

static int end(struct reading *r, enum kh_err e)
{
	kh_arena_done(&r->arena);
	if (e == KH_OK && r->failed)
		e = KH_ENOMEM;
	if (e == KH_ENOMEM)
		kh_error_set(&r->f->err, e, "out_of_memory", "out of memory");
	if (e != KH_OK)
		return kh_frame_fail(r->f);
	return r->lost ? KH_FRAME_UNUSABLE : KH_FRAME_DONE;
}

static void begin(struct reading *r, struct kh_frame *f, write_fn *write)
{
	*r = (struct reading){.f = f, .args = f->args, .write = write};
	kh_arena_init(&r->arena, NULL, KH_FRAME_TEXT * 2);
	kh_buf_init(&r->buf, &r->arena, KH_FRAME_TEXT);
}

/* --- tail --------------------------------------------------------------------------------------------------------- */

int kh_audits_trail_tail(struct kh_frame *f)
{
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000};
	const struct kh_audits_trail_args *a = f->args;
	struct reading r;

	if (a->last > LAST_MOST)
		return KH_FRAME_REFUSE(f, "bad_option", "-n is at most %d: `audit export` has all", LAST_MOST);
	begin(&r, f, f->options.json ? kh_eventline_json : kh_eventtext_text);
	enum kh_err e = go(&r, read_last);
	while (e == KH_OK && a->follow && !r.lost && !r.failed) {
		nanosleep(&step, NULL);
		r.after = r.seen;
		e = go(&r, read_on);
	}
	return end(&r, e);
}

/* --- export ------------------------------------------------------------------------------------------------------- */

int kh_audits_trail_export(struct kh_frame *f)
{
	const struct kh_audits_trail_args *a = f->args;
	struct kh_progress progress = {0};
	struct reading r;

	if (a->format != NULL && strcmp(a->format, "jsonl") != 0 && strcmp(a->format, "cef") != 0)
		return KH_FRAME_REFUSE(f, "bad_option", "--format is jsonl or cef");
	begin(&r, f, a->format != NULL && strcmp(a->format, "cef") == 0 ? kh_eventtext_cef : kh_eventline_json);
	if (!f->out->escapes)
		kh_progress_start(&progress, "exporting");
	enum kh_err e = go(&r, read_on);
	if (!f->out->escapes)
		kh_progress_stop(&progress);
	return end(&r, e);
}

/* --- show --------------------------------------------------------------------------------------------------------- */

int kh_audits_trail_show(struct kh_frame *f)
{
	struct reading r;

	begin(&r, f, f->options.json ? kh_eventline_json : kh_eventtext_whole);
	return end(&r, go(&r, read_one));
}
