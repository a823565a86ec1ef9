/*
 * Runs operations: checks the caller's token and role, and opens the transaction.  The only decision made here is who
 * may call what.
 */
#include "engine/engine.h"

#include "base/alloc.h"
#include "engine/operations.h"
#include "engine/state/beforehand.h"
#include "engine/state/inforce.h"
#include "engine/state/refusals.h"
#include "engine/state/staged.h"
#include "engine/state/tally.h"
#include "engine/state/toolbox.h"

#include <sodium.h>

#define BOOK (1U << 20) /* bytes of an arena for the engine's own bookkeeping */

/* --- one call ----------------------------------------------------------------------------------------------------- */

struct job {
	struct kh_engine *engine;
	bool own;       /* the caller is Keyhole itself */
	bool rehearses; /* (beforehand.h) */
	struct kh_token_claim token;
	const struct kh_operations_entry *entry; /* NULL: not an operation that a token can call */
	kh_engine_fn *fn;
	void *call;
	struct kh_arena *arena;
	struct kh_error *err;
	struct kh_error ours; /* used if the caller wants no error text, because the operation still needs one */
	struct kh_beforehand own_prepared, *prepared; /* a rehearsal's are those of its job */
	enum kh_err refused;                          /* the operation was refused, and that is recorded */
	bool noted;                                   /* likewise, or a part of it was */
};

static int64_t tick(struct kh_engine *engine)
{
	int64_t now = kh_engine_now(engine);

	if (now > engine->last)
		engine->last = now;
	return engine->last;
}

/* Records that the call was refused; the caller is told what *ERR has. */
static enum kh_err refuse(struct kh_op *op, struct job *job, const char *operation, enum kh_err why)
{
	struct kh_view what = kh_arena_printf(op->arena, "{\"code\":\"%s\",\"operation\":\"%s\"}", op->err->code,
					      operation != NULL ? operation : "");

	job->refused = why;
	return kh_refusals_add(op, KH_AUDIT_REFUSED, NULL, what);
}

static enum kh_err authorise(struct kh_op *op, struct job *job, bool *ret_yes)
{
	const struct kh_operations_entry *entry = job->entry;
	enum kh_err e = kh_token_check(op->txn, &job->token, op->now, &op->caller);

	*ret_yes = false;
	if (op->rehearses) {
		*ret_yes = e == KH_OK && entry != NULL && (entry->roles & KH_ROLE_BIT(op->caller->role)) != 0;
		return e == KH_OK && !*ret_yes ? KH_EREFUSED : e;
	}
	if (e == KH_EREFUSED) {
		kh_error_set(op->err, e, "unauthorised", "the token is not valid");
		return refuse(op, job, entry != NULL ? entry->name : NULL, e);
	}
	if (e != KH_OK)
		return e;
	if (entry == NULL || !(entry->roles & KH_ROLE_BIT(op->caller->role))) {
		kh_error_set(op->err, KH_EREFUSED, "forbidden", "a token with the role %s cannot do this",
			     kh_words_name(&kh_policy_role_words, op->caller->role));
		return refuse(op, job, entry != NULL ? entry->name : NULL, KH_EREFUSED);
	}
	*ret_yes = true;
	return KH_OK;
}

static enum kh_err run_job(struct kh_txn *txn, void *arg)
{
	struct job *job = arg;
	const struct kh_inforce *ruling = atomic_load(&job->engine->ruling);
	struct kh_op op = {
		.engine = job->engine,
		.txn = txn,
		.arena = job->arena,
		.policy = ruling->policy,
		.prepared = job->prepared,
		.above = &kh_operations_above,
		.rehearses = job->rehearses,
		.now = job->rehearses ? kh_engine_now(job->engine) : tick(job->engine),
		.err = job->err,
	};
	bool yes = true;
	enum kh_err e = KH_OK;

	job->refused = KH_OK;
	job->prepared->wanted = NULL;
	if (job->prepared->ruling != NULL && job->prepared->ruling != ruling)
		job->prepared->done = NULL;
	kh_txn_use_arena(txn, job->arena);
	kh_txn_use_contents(txn, job->prepared->staged);
	if (!job->own)
		e = authorise(&op, job, &yes);
	if (e == KH_OK && yes) {
		e = job->fn(&op, job->call);
		job->refused = op.refused;
	}
	if (e == KH_ECHANGED && job->prepared->wanted != NULL) {
		kh_refusals_undo(&op);
		op.noted = false;
	}
	job->noted = op.noted;
	if (e == KH_OK)
		e = kh_arena_check(job->arena);
	return e;
}

/* One run.  *RET_AGAIN: it wanted something, which is there now. */
static enum kh_err run_once(struct job *job, struct kh_prepare *at, bool *ret_again)
{
	struct kh_error stores = {0};
	enum kh_err e = kh_store_run(job->engine->settings.store, run_job, job, &stores);

	if (e != KH_OK && stores.code != NULL) /* the store's own error takes precedence */
		*job->err = stores;
	if (e != KH_OK && job->noted)
		atomic_store(&job->engine->refusals->unsure, true);
	*ret_again = e == KH_ECHANGED && job->prepared->wanted != NULL;
	if (*ret_again) {
		e = kh_beforehand_work(at);
		kh_beforehand_leave(at);
	}
	return e != KH_OK ? e : job->refused;
}

static enum kh_err run_often(struct job *job, struct kh_prepare *at)
{
	enum kh_err e = KH_OK;
	bool again = true;

	for (unsigned i = 0; e == KH_OK && again; i++) {
		if (i == KH_BEFOREHAND_RUNS)
			return kh_error_set(job->err, KH_ESTORE, "busy", "what it is about changes too fast");
		e = run_once(job, at, &again);
	}
	return e;
}

typedef enum kh_err read_fn(struct kh_store *store, kh_store_fn *fn, void *arg);

/* Runs it on the caller's thread, on rows that READ finds.  A run that would change or record something fails. */
static enum kh_err rehearse(const struct job *job, read_fn *read, struct kh_error *err)
{
	struct job trial = *job;

	trial.rehearses = true;
	trial.err = err;
	enum kh_err e = read(job->engine->settings.store, run_job, &trial);
	return e == KH_OK ? trial.refused : e;
}

/*
 * Finds out what the operation wants, and does it, as often as is likely to help.  If that is not possible now, its first
 * run finds out.  Work that fails is no reason to fail either: it may have been given rows that were changed meanwhile.
 */
static enum kh_err do_what_is_wanted(const struct job *job, struct kh_prepare *at)
{
	enum kh_err e = KH_OK;
	struct kh_error err;

	for (unsigned i = 0; i < at->rehearse && e == KH_OK; i++) {
		e = rehearse(job, kh_store_read_soon, &err);
		if (e == KH_ENOMEM || job->prepared->wanted == NULL)
			break;
		at->err = &err;
		e = kh_beforehand_work(at);
		at->err = job->err;
	}
	return e == KH_ENOMEM ? e : KH_OK;
}

/*
 * An operation that only reads, most times, need not wait for its turn, if all that it reads is in memory.  What it
 * refuses is recorded, and what it finds due is told, when it is run in turn.
 */
static bool has_read(const struct job *job)
{
	struct kh_error err;

	return kh_operations_reads(job->fn) && rehearse(job, kh_store_read_kept, &err) == KH_OK;
}

/* Of kh_prepare. */
static enum kh_err load(struct kh_prepare *at, bool snapshot, kh_engine_fn *fn, void *call, struct kh_arena *arena)
{
	struct job job = {
		.engine = at->engine,
		.own = true,
		.rehearses = snapshot,
		.fn = fn,
		.call = call,
		.arena = arena,
		.err = at->err,
	};
	struct kh_store *store = at->engine->settings.store;

	job.prepared = &job.own_prepared;
	return snapshot ? kh_store_read(store, run_job, &job, at->err) : kh_store_run(store, run_job, &job, at->err);
}

static enum kh_err run(struct job *job)
{
	struct kh_prepare at = {
		.engine = job->engine,
		.arena = job->arena,
		.prepared = &job->own_prepared,
		.came = kh_engine_now(job->engine),
		.load = load,
	};
	const struct kh_operations_entry *entry = job->entry;
	enum kh_err e = KH_OK;

	if (job->err == NULL)
		job->err = &job->ours;
	job->prepared = &job->own_prepared;
	at.err = job->err;
	if (entry != NULL && entry->prepare != NULL && (job->own || entry->roles != 0))
		e = entry->prepare(&at, job->call);
	if (e == KH_OK)
		e = do_what_is_wanted(job, &at);
	kh_beforehand_leave(&at);
	if (e == KH_OK && !has_read(job))
		e = run_often(job, &at);
	kh_staged_end(job->engine, job->prepared, e == KH_OK);
	if (e == KH_OK && entry != NULL && entry->finish != NULL)
		e = entry->finish(job->engine, job->arena, job->call, job->err);
	return e;
}

/* Not recorded, unlike other refusals: the room is for the end of what was begun. */
static bool is_low(const struct kh_engine *engine, kh_engine_fn *fn)
{
	const struct kh_engine_settings *settings = &engine->settings;

	return settings->is_low != NULL && kh_operations_begins(fn) && settings->is_low(settings->room);
}

enum kh_err kh_engine_call(struct kh_engine *engine, struct kh_token_claim token, kh_engine_fn *fn, void *call,
			   struct kh_arena *arena, struct kh_error *err)
{
	if (is_low(engine, fn))
		return kh_error_set(err, KH_ESTORE, "disk_low",
				    "the disk of the store has less room than is kept free; nothing was done");
	struct job job = {
		.engine = engine,
		.token = token,
		.entry = kh_operations_find(fn),
		.fn = fn,
		.call = call,
		.arena = arena,
		.err = err,
	};

	return run(&job);
}

enum kh_err kh_engine_own(struct kh_engine *engine, kh_engine_fn *fn, void *call, struct kh_arena *arena,
			  struct kh_error *err)
{
	struct job job = {
		.engine = engine,
		.own = true,
		.entry = kh_operations_find(fn),
		.fn = fn,
		.call = call,
		.arena = arena,
		.err = err,
	};

	return run(&job);
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static enum kh_err start(struct kh_op *op, void *call)
{
	struct kh_engine *engine = call;
	struct kh_system_row *system;
	struct kh_emit what;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_SYSTEM, 1, &system);

	if (e == KH_EUNKNOWN || (e == KH_OK && system->id_key.n != KH_PUBLICID_KEY))
		return kh_error_set(op->err, KH_ESTORE, "store_corrupt", "the store has no system row");
	if (e != KH_OK)
		return e;
	memcpy(engine->id_key, system->id_key.p, KH_PUBLICID_KEY);
	if (system->format != KH_AUDIT_FORMAT) { /* this event is the first of the new format */
		system->format = KH_AUDIT_FORMAT;
		e = kh_op_event(op, KH_AUDIT_UPGRADED, NULL, KH_LIT(""));
	}
	if (e != KH_OK)
		return e;
	system->policy = op->policy->digest;
	kh_op_describe(op, &what);
	kh_emit_add_int(&what, "holder", kh_store_holder(engine->settings.store));
	kh_emit_add(&what, "version", engine->settings.version);
	return kh_op_event(op, KH_AUDIT_STARTED, NULL, kh_op_described(op, &what));
}

static enum kh_err stop(struct kh_op *op, void *call)
{
	const struct kh_engine *engine = call;
	enum kh_err e = kh_refusals_write(op, true);

	if (e != KH_OK)
		return e;
	return kh_op_event(
		op, KH_AUDIT_STOPPED, NULL,
		kh_arena_printf(op->arena, "{\"holder\":%lld}", (long long)kh_store_holder(engine->settings.store)));
}

struct change {
	struct kh_engine *engine;
	struct kh_inforce *ruling;
	bool in_force;
};

/* Records the change.  Nothing is in force yet, because a change counts only when it is durable. */
static enum kh_err record_change(struct kh_op *op, void *call)
{
	const struct change *change = call;
	struct kh_system_row *system;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_SYSTEM, 1, &system);

	if (e != KH_OK)
		return e;
	system->policy = change->ruling->policy->digest;
	return kh_op_event(op, KH_AUDIT_RELOADED, NULL, KH_LIT(""));
}

/* Runs on the store's thread, between operations. */
static enum kh_err put_in_force(struct kh_op *op, void *call)
{
	struct change *change = call;

	(void)op;
	change->ruling->before = atomic_load(&change->engine->ruling);
	atomic_store(&change->engine->ruling, change->ruling);
	change->in_force = true;
	return KH_OK;
}

enum kh_err kh_engine_reload(struct kh_engine *engine, const struct kh_policy *policy, const struct kh_reader *readers,
			     size_t reader_count, const struct kh_errand_tools *tools, struct kh_error *err)
{
	const struct kh_alloc *alloc = engine->settings.alloc;
	struct change change = {.engine = engine};
	struct kh_inforce from = {.policy = policy, .readers = readers, .reader_count = reader_count, .tools = tools};
	struct kh_arena arena;
	enum kh_err e = kh_inforce_new(alloc, &from, &change.ruling, err);

	if (e != KH_OK)
		return e;
	kh_arena_init(&arena, alloc, BOOK);
	e = kh_engine_own(engine, record_change, &change, &arena, err);
	if (e == KH_OK)
		e = kh_engine_own(engine, put_in_force, &change, &arena, err);
	if (!change.in_force)
		kh_inforce_free(alloc, change.ruling);
	kh_arena_done(&arena);
	return e;
}

static void close_engine(struct kh_engine *engine)
{
	struct kh_inforce *before;

	for (struct kh_inforce *ruling = atomic_load(&engine->ruling); ruling != NULL; ruling = before) {
		before = ruling->before;
		kh_inforce_free(engine->settings.alloc, ruling);
	}
	pthread_cond_destroy(&engine->given);
	pthread_cond_destroy(&engine->shared);
	pthread_mutex_destroy(&engine->lock);
	sodium_memzero(engine->id_key, sizeof(engine->id_key));
	kh_tally_free(engine->tally);
	kh_toolbox_free(engine->toolbox);
	kh_alloc_free(engine->settings.alloc, engine->refusals, sizeof(*engine->refusals));
	kh_alloc_free(engine->settings.alloc, engine, sizeof(*engine));
}

enum kh_err kh_engine_new(const struct kh_engine_settings *settings, struct kh_engine **ret_engine,
			  struct kh_error *err)
{
	const struct kh_alloc *alloc = settings->alloc != NULL ? settings->alloc : &kh_alloc_system;
	struct kh_engine *engine = kh_alloc_zero(alloc, sizeof(*engine));
	struct kh_inforce from = {.policy = settings->policy,
				  .readers = settings->readers,
				  .reader_count = settings->reader_count,
				  .tools = settings->tools};
	struct kh_inforce *ruling = NULL;
	struct kh_arena arena;

	if (engine == NULL)
		return KH_ENOMEM;
	engine->settings = *settings;
	engine->settings.alloc = alloc;
	kh_arena_init(&arena, alloc, BOOK);
	pthread_mutex_init(&engine->lock, NULL);
	pthread_cond_init(&engine->given, NULL);
	pthread_cond_init(&engine->shared, NULL);
	engine->refusals = kh_alloc_zero(alloc, sizeof(*engine->refusals));
	engine->tally = kh_tally_new(alloc);
	engine->toolbox = kh_toolbox_new(alloc);
	bool has_all = engine->refusals != NULL && engine->tally != NULL && engine->toolbox != NULL;
	enum kh_err e = has_all ? kh_inforce_new(alloc, &from, &ruling, err) : KH_ENOMEM;
	atomic_init(&engine->ruling, ruling);
	if (e == KH_OK)
		e = kh_engine_own(engine, start, engine, &arena, err);
	kh_arena_done(&arena);
	if (e != KH_OK) {
		close_engine(engine);
		return e;
	}
	*ret_engine = engine;
	return KH_OK;
}

void kh_engine_free(struct kh_engine *engine)
{
	struct kh_arena arena;

	if (engine == NULL)
		return;
	kh_arena_init(&arena, engine->settings.alloc, BOOK);
	/* A stop that cannot be recorded is like a crash: the next start records what it finds. */
	(void)!kh_engine_own(engine, stop, engine, &arena, NULL);
	kh_arena_done(&arena);
	close_engine(engine);
}

/* --- a new store -------------------------------------------------------------------------------------------------- */

struct creation {
	struct kh_arena *arena;
	const struct kh_digest *audit_key;
	const unsigned char *random;
	int64_t now;
	struct kh_view admin;
};

static enum kh_err create(struct kh_txn *txn, void *arg)
{
	struct creation *c = arg;
	struct kh_system_row *system;
	struct kh_token_row *admin;

	kh_txn_use_arena(txn, c->arena);
	enum kh_err e = kh_txn_new(txn, KH_TABLE_SYSTEM, &system);
	if (e == KH_OK)
		e = kh_txn_new(txn, KH_TABLE_TOKENS, &admin);
	if (e != KH_OK)
		return e;
	system->created_at = c->now;
	system->id_key = kh_view_of((const char *)c->random, KH_PUBLICID_KEY);
	system->audit_key = *c->audit_key;
	system->format = KH_AUDIT_FORMAT;
	admin->name = KH_LIT("admin");
	admin->role = KH_ROLE_ADMIN;
	admin->created_at = c->now;
	admin->secret = kh_canonical_digest(kh_view_of((const char *)c->random + 32, 32));
	c->admin = kh_token_text(c->arena, c->random, admin->id, c->random + 32);
	struct kh_audit audit = {.kind = KH_AUDIT_STORE_CREATED, .at = c->now};
	e = kh_arena_check(c->arena);
	return e == KH_OK ? kh_txn_event(txn, &audit) : e;
}

enum kh_err kh_engine_create(struct kh_store *store, struct kh_arena *arena, const struct kh_digest *audit_key,
			     const unsigned char random[64], int64_t now, struct kh_view *ret_admin,
			     struct kh_error *err)
{
	struct creation c = {.arena = arena, .audit_key = audit_key, .random = random, .now = now};
	enum kh_err e = kh_store_run(store, create, &c, err);

	if (e == KH_OK)
		*ret_admin = c.admin;
	return e;
}
