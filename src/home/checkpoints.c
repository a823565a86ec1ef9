/*
 * Checkpoints.  A witness file is not trusted to be whole: what it must have is in the last signed checkpoint.  If the
 * file cannot be written, or was replaced by an empty one, an alert is recorded.
 */
#include "home/checkpoints.h"

#include "base/emit.h"
#include "store/txn.h"
#include "store/witness.h"

#define MEMORY ((size_t)1 << 30) /* a checkpoint names every chain that has grown; a witness may have many lines */
#define TRIES  8                 /* if other processes store checkpoints at the same time */

static enum kh_err no_memory(enum kh_err e, struct kh_error *err)
{
	return e == KH_ENOMEM ? kh_error_set(err, e, "out_of_memory", "out of memory") : e;
}

enum kh_err kh_checkpoints_init(struct kh_checkpoints *c, struct kh_store *store, const struct kh_checkpoint_key *key,
				const struct kh_config_audit *audit, struct kh_arena *arena, struct kh_error *err)
{
	*c = (struct kh_checkpoints){.store = store, .key = key, .syslog = audit->witness_syslog == KH_CONFIG_TRUE};
	if (audit->witness_file.n == 0)
		return KH_OK;
	c->name = kh_arena_printf(arena, "file:%.*s", KH_FMT(audit->witness_file));
	c->path = c->name.p != NULL ? kh_view_from(c->name, sizeof("file:") - 1) : c->name;
	return c->name.p != NULL ? KH_OK : no_memory(KH_ENOMEM, err);
}

/* --- what happened to a witness ----------------------------------------------------------------------------------- */

struct alert {
	struct kh_arena *arena;
	const char *code;
	struct kh_view witness;
	int64_t now, checkpoint;
};

static enum kh_err record_alert(struct kh_txn *txn, void *arg)
{
	const struct alert *alert = arg;
	struct kh_audit audit = {.kind = KH_AUDIT_ALERT, .at = alert->now};
	struct kh_emit what;

	kh_txn_use_arena(txn, alert->arena);
	kh_emit_begin(&what, alert->arena, 8192);
	kh_emit_object(&what);
	kh_emit_add_int(&what, "checkpoint", alert->checkpoint);
	kh_emit_add_word(&what, "code", alert->code);
	kh_emit_add(&what, "witness", alert->witness);
	kh_emit_end(&what);
	enum kh_err e = kh_emit_finish(&what, &audit.what);
	return e == KH_OK ? kh_txn_event(txn, &audit) : e;
}

/* Records an alert in the system's chain.  If that fails, the store itself has failed and says so elsewhere. */
static void raise(struct kh_checkpoints *c, const char *code, int64_t number, int64_t now, struct kh_arena *arena)
{
	struct alert alert = {.arena = arena, .code = code, .witness = c->name, .now = now, .checkpoint = number};
	struct kh_error err;

	(void)!kh_store_run(c->store, record_alert, &alert, &err);
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

struct lines {
	struct kh_arena *arena;
	int64_t from, to;
	struct kh_view text;
};

static enum kh_err gather(struct kh_txn *txn, void *arg)
{
	struct lines *l = arg;
	struct kh_buf buf;
	struct kh_view line;
	enum kh_err e = KH_OK;

	kh_txn_use_arena(txn, l->arena);
	kh_buf_init(&buf, l->arena, MEMORY);
	for (int64_t n = l->from; n <= l->to && e == KH_OK; n++) {
		e = kh_checkpoint_line(txn, n, l->arena, &line);
		if (e == KH_OK && buf.n > 0)
			kh_buf_byte(&buf, '\n');
		if (e == KH_OK)
			kh_buf_add(&buf, line);
	}
	return e == KH_OK ? kh_buf_end(&buf, &l->text) : e;
}

/*
 * Appends to the witness file what it has not got yet: checkpoint NUMBER, and those before it that could not be sent.
 * An empty file that has had checkpoints is a new one: logrotate has renamed the old one, or somebody removed it.
 */
static enum kh_err send_file(struct kh_checkpoints *c, int64_t number, int64_t now, struct kh_arena *arena,
			     struct kh_error *err)
{
	struct lines l = {.arena = arena, .from = number, .to = number};
	int64_t has = 0;
	enum kh_err e = kh_witness_last(c->path.p, arena, &has, err);

	if (e != KH_OK)
		return e;
	if (has > 0)
		l.from = has + 1;
	else if (c->seen > 0 && c->seen < number)
		l.from = c->seen + 1;
	if (l.from <= number)
		e = kh_store_read(c->store, gather, &l, err);
	if (e == KH_OK && l.text.n > 0)
		e = kh_witness_file(c->path.p, l.text, err);
	if (e != KH_OK)
		return e;
	if (has == 0 && c->seen > 0)
		raise(c, "witness_replaced", number, now, arena);
	if (has == 0)
		c->first = l.from;
	else if (c->first == 0)
		c->first = has;
	c->seen = number > has ? number : has;
	kh_store_count(c->store, &(struct kh_store_figures){
					 .witness_lines = l.from <= number ? (uint64_t)(number - l.from + 1) : 0});
	return KH_OK;
}

/* Sends the checkpoint to every witness, even if sending to another one failed. */
static enum kh_err send(struct kh_checkpoints *c, const struct kh_checkpoint_made *made, int64_t now,
			struct kh_arena *arena, struct kh_error *err)
{
	if (c->syslog)
		kh_witness_syslog(made->line);
	if (c->path.n == 0)
		return KH_OK;
	bool was_broken = c->broken;
	enum kh_err e = send_file(c, made->n, now, arena, err);
	c->broken = e != KH_OK;
	if (c->broken)
		kh_store_count(c->store, &(struct kh_store_figures){.witness_failures = 1, .witness_broken = 1});
	if (c->broken && !was_broken)
		raise(c, "witness_failed", made->n, now, arena);
	return e;
}

/* --- making ------------------------------------------------------------------------------------------------------- */

struct making {
	struct kh_checkpoints *c;
	struct kh_arena *arena;
	struct kh_chains chains;
	struct kh_checkpoint next;
	struct kh_checkpoint_witness witness;
	struct kh_checkpoint_made made;
	bool has_heads;
};

/* On a snapshot, in the calling thread: the last checkpoint, and the heads since, unless they are known. */
static enum kh_err look(struct kh_txn *txn, void *arg)
{
	struct making *m = arg;
	struct kh_checkpoint last;

	kh_txn_use_arena(txn, m->arena);
	enum kh_err e = kh_checkpoint_last(txn, m->arena, &last, &m->c->hash);
	if (e != KH_OK)
		return e;
	m->c->n = last.n;
	m->c->last = last.last;
	return kh_checkpoint_heads(txn, last.last, &m->chains, &m->next.last);
}

/* Leaves out heads that the last checkpoint has signed: the record was read while events came in. */
static void leave_out(struct kh_chains *chains, int64_t covered)
{
	size_t n = 0;

	kh_chains_sort(chains);
	for (size_t i = 0; i < chains->n; i++) {
		if (chains->at[i].chain.last > covered)
			chains->at[n++] = chains->at[i];
	}
	chains->n = n;
}

static enum kh_err begin(struct making *m, int64_t now, struct kh_error *err)
{
	struct kh_checkpoints *c = m->c;
	enum kh_err e = KH_OK;

	kh_chains_init(&m->chains, NULL);
	bool known = c->heads != NULL && kh_heads_take(c->heads, c->last, &m->chains, &m->next.last);
	if (!known)
		e = kh_store_read(c->store, look, m, err);
	if (e != KH_OK)
		return e;
	leave_out(&m->chains, c->last);
	m->witness = (struct kh_checkpoint_witness){c->name, c->first, c->seen};
	m->next = (struct kh_checkpoint){.at = now,
					 .last = m->next.last,
					 .n = c->n + 1,
					 .prev = c->hash,
					 .heads = m->chains.at,
					 .count = m->chains.n,
					 .witnesses = &m->witness,
					 .witness_count = c->seen > 0 ? 1 : 0};
	return KH_OK;
}

static enum kh_err add(struct kh_txn *txn, void *arg)
{
	struct making *m = arg;

	kh_txn_use_arena(txn, m->arena);
	return kh_checkpoint_add(txn, m->c->key, &m->made, m->arena);
}

/* Signs what was begun, and stores it.  Nothing is done if nothing is new. */
static enum kh_err finish(struct making *m, struct kh_error *err)
{
	struct kh_checkpoints *c = m->c;

	if (m->next.count == 0)
		return KH_OK;
	enum kh_err e = kh_checkpoint_sign(&m->next, c->key, m->arena, &m->made);
	if (e == KH_OK)
		e = kh_store_run(c->store, add, m, err);
	if (e != KH_OK)
		return no_memory(e, err);
	c->n = m->made.n;
	c->last = m->made.last;
	c->hash = kh_canonical_digest(m->made.body);
	kh_store_count(c->store, &(struct kh_store_figures){.checkpoints = 1, .witness_broken = c->broken});
	return KH_OK;
}

static enum kh_err try_once(struct making *m, int64_t now, struct kh_error *err)
{
	enum kh_err e = begin(m, now, err);

	if (e == KH_OK)
		e = finish(m, err);
	kh_chains_done(&m->chains);
	if (m->c->heads != NULL && e == KH_OK)
		kh_heads_cover(m->c->heads, m->c->last);
	else if (m->c->heads != NULL)
		kh_heads_forget(m->c->heads);
	return e;
}

enum kh_err kh_checkpoints_make(struct kh_checkpoints *c, int64_t now, struct kh_arena *arena, struct kh_view *ret_line,
				struct kh_error *err)
{
	struct making m = {.c = c, .arena = arena};
	enum kh_err e = KH_ECHANGED;

	for (int i = 0; i < TRIES && e == KH_ECHANGED; i++)
		e = try_once(&m, now, err);
	if (e == KH_OK && m.made.n > 0)
		e = send(c, &m.made, now, arena, err);
	if (e == KH_OK)
		*ret_line = m.made.n > 0 ? m.made.line : KH_LIT("");
	return e;
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

struct comparing {
	struct kh_checkpoints *c;
	struct kh_arena *arena;
	struct kh_view lines, witnessed;
	struct kh_arena *scratch;
	struct kh_checkpoint_witness had;
	struct kh_error *err;
};

/* What the last checkpoint says of the witness; and every line that it has is compared. */
static enum kh_err look_up(struct kh_txn *txn, void *arg)
{
	struct comparing *k = arg;
	struct kh_checkpoint last;
	struct kh_digest hash;
	struct kh_witness_seen seen;

	kh_txn_use_arena(txn, k->arena);
	enum kh_err e = kh_checkpoint_last(txn, k->arena, &last, &hash);
	if (e != KH_OK)
		return e;
	for (size_t i = 0; i < last.witness_count; i++) {
		if (kh_view_eq(last.witnesses[i].name, k->c->name))
			k->had = last.witnesses[i];
	}
	return kh_witness_check(txn, k->lines, k->scratch, &seen, k->err);
}

static enum kh_err check_whole(const struct comparing *k, struct kh_error *err)
{
	int64_t missing = 0;
	enum kh_err e = k->had.seen > 0 ? kh_witness_missing(k->lines, k->had.first, k->had.seen, k->arena, &missing)
					: KH_OK;

	if (e == KH_OK && missing != 0)
		return kh_error_set(err, KH_ECHANGED, "witness_incomplete",
				    "the witness file has had the checkpoints %lld to %lld, and lacks %lld now",
				    (long long)k->had.first, (long long)k->had.seen, (long long)missing);
	return e;
}

static enum kh_err compare(struct comparing *k, struct kh_error *err)
{
	struct kh_checkpoints *c = k->c;
	enum kh_err e = kh_witness_read(c->path.p, k->arena, &k->lines, err);

	if (e == KH_OK)
		k->witnessed = kh_witness_last_line(k->lines, k->arena, &c->first);
	if (e == KH_OK)
		e = kh_arena_check(k->arena);
	if (e == KH_OK)
		e = kh_store_read(c->store, look_up, k, err);
	if (e == KH_OK && k->witnessed.n == 0 && kh_view_trim(k->lines).n > 0)
		e = kh_witness_compare(k->arena, k->witnessed, KH_LIT(""), err); /* text, and no checkpoint in it */
	if (e == KH_OK)
		e = check_whole(k, err);
	if (e != KH_OK)
		return e;
	c->seen = k->witnessed.n > 0 ? kh_witness_number(k->arena, k->witnessed) : 0;
	if (k->had.seen > 0)
		c->first = k->had.first;
	return kh_arena_check(k->arena);
}

enum kh_err kh_checkpoints_compare(struct kh_checkpoints *c, struct kh_error *err)
{
	struct kh_arena arena, scratch;
	struct comparing k = {.c = c, .arena = &arena, .scratch = &scratch, .err = err};

	if (c->path.n == 0)
		return KH_OK;
	kh_arena_init(&arena, NULL, MEMORY);
	kh_arena_init(&scratch, NULL, MEMORY);
	enum kh_err e = no_memory(compare(&k, err), err);
	kh_arena_done(&scratch);
	kh_arena_done(&arena);
	return e;
}
