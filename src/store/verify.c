/*
 * Verification: one pass over all events, in order, on a snapshot.
 *
 * Nothing in the store is trusted.  The one assumption is that a checkpoint's signature cannot be made without the key.
 * An event is checked without parsing it: its bytes must have its hash, and must begin with the head that follows from
 * its columns and its chain.  The fold checks what the events say about the state.
 */
#include "store/verify.h"

#include "store/checkpoint.h"
#include "store/fold.h"
#include "store/hasher.h"
#include "store/witness.h"

#include <stdio.h>

#define HEAD_LIMIT     4096
#define SCRATCH        (256U << 20)
#define PROGRESS_EVERY 8192
#define MANY           4096 /* from this number of events on, starting a thread pays off */

struct pass {
	struct kh_verify *v;
	struct kh_txn *txn;
	struct kh_error *err;
	enum kh_err failed; /* the failure that stopped the pass */
	struct kh_fold *fold;
	struct kh_hasher *hasher;
	struct kh_chains chains;
	struct kh_arena heads, scratch; /* for the expected head; for one event or checkpoint */
	struct kh_buf head;
	int64_t last;  /* the event seen last */
	int64_t total; /* number of events in the store */
	struct kh_digest key;
	unsigned format;        /* of the next event (audit.h) */
	struct kh_chain system; /* the system's chain so far */
	/* the checkpoint that comes next */
	struct kh_arena ahead;
	struct kh_checkpoint next;
	bool waits;
	int64_t checkpoints;     /* number of checkpoints in the store */
	struct kh_digest before; /* hash of the previous one */
	size_t touched;          /* chains with events since the previous one */
};

static bool bad(struct pass *p, const char *code, int64_t event, int64_t chain, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Notes what is wrong, the first time only; always returns false. */
static bool bad(struct pass *p, const char *code, int64_t event, int64_t chain, const char *fmt, ...)
{
	va_list args;

	if (p->v->code != NULL)
		return false;
	p->v->code = code;
	p->v->event = event;
	p->v->chain = chain;
	va_start(args, fmt);
	p->v->detail = kh_arena_vprintf(p->v->arena, fmt, args);
	va_end(args);
	return false;
}

static bool stop(struct pass *p, enum kh_err e)
{
	p->failed = e;
	return false;
}

static long long num(int64_t n)
{
	return (long long)n;
}

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

/* Reads checkpoint NUMBER, and makes every check that does not need the events. */
static bool look_ahead(struct pass *p, int64_t number, int64_t last)
{
	struct kh_backend_checkpoint stored;

	p->waits = false;
	if (number > p->checkpoints)
		return true;
	kh_arena_clear(&p->ahead);
	enum kh_err e = p->txn->backend->checkpoint(p->txn, &p->ahead, number, &stored);
	if (e == KH_EUNKNOWN)
		return bad(p, "checkpoint_missing", last, 0, "checkpoint %lld is missing", num(number));
	if (e == KH_OK && !kh_checkpoint_signed(stored.body, stored.signature, &p->key))
		return bad(p, "checkpoint_signature", last, 0, "checkpoint %lld was not signed with the store's key",
			   num(number));
	if (e == KH_OK)
		e = kh_checkpoint_parse(&p->ahead, stored.body, &p->next, p->err);
	if (e != KH_OK && e != KH_EINPUT)
		return stop(p, e);
	if (e != KH_OK || p->next.n != number || p->next.last <= last ||
	    memcmp(&p->next.prev, &p->before, sizeof(p->before)) != 0 ||
	    memcmp(&p->next.store, &p->key, sizeof(p->key)) != 0)
		return bad(p, "checkpoint_order", last, 0, "checkpoint %lld does not follow the one before it",
			   num(number));
	p->before = kh_canonical_digest(stored.body);
	p->waits = true;
	p->touched = 0;
	return true;
}

/* All events that the checkpoint covers have been seen: its heads must be exactly the heads of their chains. */
static bool check_heads(struct pass *p)
{
	const struct kh_checkpoint *c = &p->next;

	for (size_t i = 0; i < c->count; i++) {
		const struct kh_chains_head *want = &c->heads[i], *has = kh_chains_get(&p->chains, want->number);
		if (has == NULL)
			return stop(p, KH_ENOMEM);
		if (has->chain.n != want->chain.n || has->mark != (uint64_t)c->n ||
		    memcmp(&has->chain.head, &want->chain.head, sizeof(want->chain.head)) != 0)
			return bad(p, "checkpoint_heads", has->chain.last, want->number,
				   "chain %lld does not end as checkpoint %lld signed it: an event after checkpoint "
				   "%lld was written anew",
				   num(want->number), num(c->n), num(c->n - 1));
	}
	if (p->touched != c->count)
		return bad(p, "checkpoint_heads", c->last, 0, "checkpoint %lld signed other chains than there are",
			   num(c->n));
	p->v->checkpoints++;
	p->v->covered = c->last;
	return look_ahead(p, c->n + 1, c->last);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* task.listed and task.unlisted name a task, and the latter the head of its chain. */
static bool check_listing(struct pass *p, const struct kh_audit_entry *entry, bool listed)
{
	int64_t task = 0, n = 0;
	yyjson_val *root;

	kh_arena_clear(&p->scratch);
	enum kh_err e = kh_json_read(&p->scratch, entry->body, &root, NULL);
	if (e == KH_ENOMEM)
		return stop(p, e);
	yyjson_val *what = e == KH_OK ? kh_json_get(root, "what") : NULL;
	if (!kh_json_int(kh_json_get(what, "task"), &task) || task <= 0)
		return bad(p, "event_malformed", entry->id, entry->chain, "event %lld does not name its task",
			   num(entry->id));
	struct kh_chains_head *head = kh_chains_get(&p->chains, task);
	if (head == NULL)
		return stop(p, KH_ENOMEM);
	if (listed) {
		head->listed = true;
		return true;
	}
	struct kh_view hex = kh_canonical_hex(&p->scratch, &head->chain.head);
	if (hex.p == NULL)
		return stop(p, KH_ENOMEM);
	if (!kh_json_int(kh_json_get(what, "n"), &n) || n != head->chain.n ||
	    !kh_view_eq(kh_json_str(kh_json_get(what, "head")), hex))
		return bad(p, "event_link", head->chain.last, task,
			   "event %lld says another end of chain %lld than it had", num(entry->id), num(task));
	return true;
}

/* Checks the columns of an event and its place in the chain.  The hasher checks its hash meanwhile. */
static bool check_entry(struct pass *p, const struct kh_audit_entry *entry, const struct kh_chain *chain)
{
	struct kh_view body = entry->body, expected;

	if (entry->n != chain->n + 1 || entry->prev != chain->last)
		return bad(p, "event_link", entry->id, entry->chain,
			   "event %lld is not the one after event %lld of its chain", num(entry->id), num(chain->last));
	p->head.n = 0;
	p->head.err = KH_OK;
	kh_audit_head(&p->head, entry, &chain->head);
	enum kh_err e = kh_buf_end(&p->head, &expected);
	if (e == KH_ENOMEM)
		return stop(p, e);
	if (e == KH_OK && kh_view_starts(body, expected) &&
	    kh_view_starts(kh_view_from(body, expected.n), KH_LIT(",\"set\":[")) && kh_view_ends(body, KH_LIT("}")))
		return true;
	size_t prev = e == KH_OK ? kh_view_find(expected, KH_LIT(",\"prev\":\""), 0) : SIZE_MAX;
	size_t seen = prev != SIZE_MAX ? prev + sizeof(",\"prev\":\"\"") - 1 + 2 * KH_DIGEST_SIZE : SIZE_MAX;
	if (seen != SIZE_MAX && kh_view_starts(body, kh_view_sub(expected, 0, seen)))
		return bad(p, "event_link", entry->id, entry->chain,
			   "event %lld does not name the end that the system's chain had", num(entry->id));
	if (prev != SIZE_MAX && kh_view_starts(body, kh_view_sub(expected, 0, prev)))
		return bad(p, "event_link", entry->id, entry->chain,
			   "event %lld names another hash than event %lld before it has: one of the two was changed",
			   num(entry->id), num(chain->last));
	return bad(p, "event_columns", entry->id, entry->chain, "event %lld and its columns differ", num(entry->id));
}

/*
 * The format of an event: that of the first one in a new store; in an old one format 1, until `store.upgraded`.  Then
 * which head of the system's chain it has to name: none that the events before it have named.
 */
static struct kh_audit_entry expect(struct pass *p, const struct kh_audit_entry *stored,
				    const struct kh_chains_head *head)
{
	struct kh_audit_entry entry = *stored;

	if (p->last == 0)
		p->format = kh_audit_format(entry.body);
	else if (entry.chain == 0 && kh_view_eq(entry.kind, KH_LIT("store.upgraded")))
		p->format = KH_AUDIT_FORMAT;
	entry.format = p->format;
	if (p->format == KH_AUDIT_FORMAT && entry.chain != 0 && head->seen != p->system.n)
		entry.seen = &p->system;
	return entry;
}

/* Notes where its chain ends now. */
static void follow(struct pass *p, const struct kh_audit_entry *entry, struct kh_chains_head *head)
{
	uint64_t mark = p->waits ? (uint64_t)p->next.n : UINT64_MAX;

	p->touched += head->mark != mark;
	head->mark = mark;
	head->chain = (struct kh_chain){.n = entry->n, .last = entry->id, .head = entry->hash};
	if (entry->seen != NULL)
		head->seen = entry->seen->n;
	if (entry->chain == 0)
		p->system = head->chain;
	p->last = entry->id;
	p->v->events++;
	p->v->bytes += entry->body.n;
}

static bool take(const struct kh_audit_entry *stored, void *arg)
{
	struct pass *p = arg;
	struct kh_verify *v = p->v;

	if (stored->id != p->last + 1)
		return bad(p, "event_missing", p->last + 1, 0, "event %lld is missing", num(p->last + 1));
	struct kh_chains_head *head = kh_chains_get(&p->chains, stored->chain);
	if (head == NULL)
		return stop(p, KH_ENOMEM);
	const struct kh_audit_entry expected = expect(p, stored, head), *entry = &expected;
	if (!kh_hasher_give(p->hasher, entry) || !check_entry(p, entry, &head->chain))
		return false;
	follow(p, entry, head);
	if (entry->chain == 0 && kh_view_ends(entry->kind, KH_LIT("listed")) &&
	    !check_listing(p, entry, kh_view_eq(entry->kind, KH_LIT("task.listed"))))
		return false;
	if (p->fold != NULL) {
		enum kh_err e = kh_fold_take(p->fold, entry, v, p->err);
		if (e != KH_OK || v->code != NULL)
			return stop(p, e);
	}
	if (v->progress != NULL && v->events % PROGRESS_EVERY == 0)
		v->progress(v->ctx, v->events, (uint64_t)p->total);
	return !p->waits || p->next.last != entry->id || check_heads(p);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static bool check_end(struct pass *p, int64_t number, const struct kh_chain *row)
{
	struct kh_chains_head *head = kh_chains_get(&p->chains, number);

	if (head == NULL)
		return stop(p, KH_ENOMEM);
	head->mark = 0; /* it has a row */
	if (head->chain.n == row->n && head->chain.last == row->last &&
	    memcmp(&head->chain.head, &row->head, sizeof(row->head)) == 0)
		return true;
	if (head->chain.n < row->n)
		return bad(p, "event_missing", head->chain.last, number,
			   "chain %lld has %lld events, but had %lld: some are missing after event %lld", num(number),
			   num(head->chain.n), num(row->n), num(head->chain.last));
	return bad(p, "chain_end", head->chain.last, number, "chain %lld does not end where its row says", num(number));
}

static bool check_task(const void *row, void *arg)
{
	const struct kh_task_row *task = row;
	struct pass *p = arg;

	if (!check_end(p, task->id, &task->chain))
		return false;
	const struct kh_chains_head *head = kh_chains_get(&p->chains, task->id);
	if (head == NULL)
		return stop(p, KH_ENOMEM);
	if (head->seen != task->audit_seen)
		return bad(p, "chain_end", head->chain.last, task->id,
			   "the row of task %lld says another end of the system's chain than its events",
			   num(task->id));
	return true;
}

static void check_ends(struct pass *p)
{
	struct kh_system_row system;

	p->failed = p->txn->backend->get(p->txn, KH_TABLE_SYSTEM, 1, &system);
	if (p->failed == KH_EUNKNOWN) {
		p->failed = KH_OK;
		if (p->v->events > 0)
			bad(p, "chain_end", 0, 0, "the store has no system row");
		return;
	}
	for (size_t i = 0; i < p->chains.cap; i++)
		p->chains.at[i].mark = 1;
	if (p->failed != KH_OK || !check_end(p, 0, &system.chain))
		return;
	enum kh_err e = p->txn->backend->each(p->txn, KH_TABLE_TASKS, check_task, p);
	if (p->failed == KH_OK)
		p->failed = e;
	if (p->failed != KH_OK || p->v->code != NULL)
		return;
	for (size_t i = 0; i < p->chains.cap; i++) {
		const struct kh_chains_head *head = &p->chains.at[i];
		if (!head->there || head->number == 0)
			continue;
		if (head->chain.n == 0)
			bad(p, "chain_missing", 0, head->number, "task %lld was opened, but has no events",
			    num(head->number));
		else if (head->mark != 0)
			bad(p, "chain_end", head->chain.last, head->number, "task %lld has events, but no row",
			    num(head->number));
		else if (!head->listed)
			bad(p, "chain_unlisted", head->chain.last, head->number,
			    "task %lld has events, but the system's chain does not list it", num(head->number));
	}
	p->v->chains = p->chains.n;
}

/* --- witness ------------------------------------------------------------------------------------------------------ */

/* Every line is whole, and the store's checkpoint of its number. */
static void compare_lines(struct pass *p)
{
	struct kh_error why = {.code = NULL};
	struct kh_witness_seen seen;

	p->failed = kh_witness_check(p->txn, p->v->witness, &p->scratch, &seen, &why);
	if (p->failed == KH_ECHANGED) {
		p->failed = KH_OK;
		bad(p, why.code, p->v->covered, 0, "%s", why.detail);
	}
	p->v->compared = seen.compared;
	p->v->witnessed = seen.last;
}

/* The last checkpoint says which checkpoints the witness had: all of them must still be there. */
static void check_whole(struct pass *p)
{
	struct kh_checkpoint last;
	struct kh_digest hash;
	int64_t missing = 0;

	kh_arena_clear(&p->scratch);
	p->failed = kh_checkpoint_last(p->txn, &p->scratch, &last, &hash);
	for (size_t i = 0; p->failed == KH_OK && i < last.witness_count; i++) {
		const struct kh_checkpoint_witness *w = &last.witnesses[i];
		if (!kh_view_eq(w->name, p->v->witness_name))
			continue;
		p->failed = kh_witness_missing(p->v->witness, w->first, w->seen, &p->scratch, &missing);
		if (p->failed == KH_OK && missing != 0)
			bad(p, "witness_incomplete", p->v->covered, 0,
			    "the witness has had the checkpoints %lld to %lld, and lacks %lld now", num(w->first),
			    num(w->seen), num(missing));
	}
}

static void check_witness(struct pass *p)
{
	compare_lines(p);
	if (p->failed == KH_OK && p->v->code == NULL && p->v->witness_name.n > 0)
		check_whole(p);
	if (p->failed == KH_OK && p->v->compared == 0 && (p->v->witness.n > 0 || p->v->witness_name.n == 0))
		bad(p, "witness_unreadable", 0, 0, "the witness has no checkpoint that can be read");
}

/* --- the database itself ------------------------------------------------------------------------------------------ */

/*
 * Rows are compared as the tables have them.  An index that leaves a row out would hide it from everything but this
 * comparison, so the indexes are checked too.
 */
static void check_database(struct pass *p)
{
	struct kh_view why = {NULL, 0};

	p->failed = p->txn->backend->agrees(p->txn, &why);
	if (p->failed == KH_OK && why.n > 0)
		bad(p, "store_corrupt", p->last, 0, "the database does not agree with itself: %.*s",
		    KH_FMT(kh_arena_quote(p->v->arena, why)));
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

/* Finds the expected key, and how many checkpoints and events there are. */
static bool prepare(struct pass *p)
{
	struct kh_system_row system;
	struct kh_backend_checkpoint stored;
	enum kh_err e = p->txn->backend->last_event(p->txn, &p->total);

	if (e == KH_OK)
		e = p->txn->backend->get(p->txn, KH_TABLE_SYSTEM, 1, &system);
	if (e == KH_OK) {
		p->key = system.audit_key;
		if (p->v->audit_key != NULL && memcmp(p->v->audit_key, &p->key, sizeof(p->key)) != 0)
			return bad(p, "audit_key_other", 0, 0, "the store names another key than the one expected");
	}
	if (e != KH_OK && e != KH_EUNKNOWN)
		return stop(p, e);
	e = p->txn->backend->checkpoint(p->txn, &p->scratch, 0, &stored);
	if (e != KH_OK && e != KH_EUNKNOWN)
		return stop(p, e);
	p->checkpoints = e == KH_OK ? stored.id : 0;
	return look_ahead(p, 1, 0);
}

/* An event with a wrong hash is reported instead of a fault that was found after it, which may follow from it. */
static void check_hashes(struct pass *p)
{
	int64_t chain, id = kh_hasher_end(p->hasher, &chain);

	if (id == 0 || (p->v->code != NULL && p->v->event < id))
		return;
	p->v->code = NULL;
	bad(p, "event_changed", id, chain, "event %lld does not have its hash", num(id));
}

static void look(struct pass *p)
{
	if (!prepare(p))
		return;
	p->failed = kh_hasher_new(p->v->arena->alloc, p->total > MANY, &p->hasher);
	if (p->failed != KH_OK)
		return;
	enum kh_err e = kh_audit_read(p->txn, 0, take, p);
	if (p->failed == KH_OK)
		p->failed = e;
	if (p->failed == KH_OK)
		check_hashes(p);
	if (p->failed == KH_OK && p->v->code == NULL && p->waits)
		bad(p, "event_missing", p->last, 0, "checkpoint %lld covers events up to %lld: some are missing",
		    num(p->next.n), num(p->next.last));
	if (p->failed == KH_OK && p->v->code == NULL)
		check_ends(p);
	if (p->failed == KH_OK && p->v->code == NULL && p->v->has_witness)
		check_witness(p);
	if (p->failed == KH_OK && p->v->code == NULL && p->fold != NULL)
		p->failed = kh_fold_compare(p->fold, p->txn, p->v, p->err);
	if (p->failed == KH_OK && p->v->code == NULL && p->fold != NULL)
		check_database(p);
}

static enum kh_err run(struct kh_txn *txn, void *arg)
{
	struct pass *p = arg;

	p->txn = txn;
	if (txn->arena == NULL)
		kh_txn_use_arena(txn, p->v->arena);
	look(p);
	return p->failed;
}

/* A database that cannot be read is a finding of the verification, too. */
static enum kh_err judge_failure(struct pass *p, enum kh_err e)
{
	if (e != KH_ESTORE || p->err->code == NULL || strcmp(p->err->code, "store_corrupt") != 0)
		return e;
	bad(p, "store_corrupt", p->last, 0, "after event %lld: %s", num(p->last), p->err->detail);
	return KH_OK;
}

enum kh_err kh_verify_store(struct kh_store *store, struct kh_verify *verify, struct kh_error *err)
{
	const struct kh_alloc *alloc = verify->arena->alloc;
	struct kh_error own;
	struct pass p = {.v = verify, .err = err != NULL ? err : &own};
	enum kh_err e = KH_OK;

	verify->good = false;
	verify->code = NULL;
	verify->event = verify->chain = verify->covered = verify->witnessed = 0;
	verify->compared = 0;
	verify->events = verify->chains = verify->checkpoints = verify->rows = verify->bytes = 0;
	kh_chains_init(&p.chains, alloc);
	kh_arena_init(&p.heads, alloc, 2 * HEAD_LIMIT);
	kh_arena_init(&p.scratch, alloc, SCRATCH);
	kh_arena_init(&p.ahead, alloc, SIZE_MAX / 2);
	kh_buf_init(&p.head, &p.heads, HEAD_LIMIT);
	if (verify->state)
		e = kh_fold_new(alloc, &p.fold, p.err);
	if (e == KH_OK)
		e = judge_failure(&p, kh_store_read(store, run, &p, p.err));
	if (e == KH_OK)
		e = kh_arena_check(verify->arena);
	kh_hasher_free(p.hasher);
	kh_fold_free(p.fold);
	kh_arena_done(&p.ahead);
	kh_arena_done(&p.scratch);
	kh_arena_done(&p.heads);
	kh_chains_done(&p.chains);
	verify->good = e == KH_OK && verify->code == NULL;
	return e;
}
