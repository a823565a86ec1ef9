/* Errands in hand: a list under a lock, and a work for each, with an arena of its own. */
#include "gateway/errands.h"
#include "engine/comm/call.h"
#include "engine/comm/end.h"
#include "engine/deciding.h"
#include "engine/engine.h"

#include "base/alloc.h"

#include <pthread.h>
#include <sodium.h>

#define MEMORY ((size_t)1 << 30) /* of one errand */
#define AGAIN  INT64_C(1000000)  /* microseconds until a store that failed is tried again */

struct item {
	struct kh_work work; /* first: a work is its item */
	struct kh_errands *errands;
	struct item *next, **link;
	struct kh_arena arena;
	struct kh_declaration_row row; /* its id and task alone count */
	struct kh_comm_call act;       /* in the arena; KH_CALL_TRIAGE: decided again, and a model asked */
	struct kh_view token;          /* likewise, of KH_CALL_TRIAGE; wiped */
	bool lost;                     /* it was carried out, and what came of it could not be recorded */
};

struct kh_errands {
	struct kh_engine *engine;
	struct kh_works *works, *callers;
	pthread_mutex_t lock;
	struct item *first; /* all that are in hand */
};

static void free_item(struct item *item)
{
	const struct kh_alloc *alloc = kh_engine_alloc(item->errands->engine);

	if (item->token.n > 0)
		sodium_memzero((void *)(uintptr_t)item->token.p, item->token.n);
	kh_arena_done(&item->arena);
	kh_alloc_free(alloc, item, sizeof(*item));
}

static void end(struct item *item)
{
	struct kh_errands *errands = item->errands;

	pthread_mutex_lock(&errands->lock);
	*item->link = item->next;
	if (item->next != NULL)
		item->next->link = item->link;
	pthread_mutex_unlock(&errands->lock);
	kh_works_wake_chain(errands->callers, item->row.task);
	free_item(item);
}

static enum kh_work_next finish(struct item *item)
{
	end(item);
	return KH_WORK_DONE;
}

/*
 * A full disk: the operation took place, and its end has to be on the record before anybody can be told.  What came
 * back is given up, and the end is tried until the store takes it; at a stop it is left to the next start.
 */
static enum kh_work_next record_lost(struct item *item)
{
	struct kh_engine *engine = item->errands->engine;
	struct kh_comm_end lost = {
		.declaration = item->row.id,
		.result = {.end = KH_ERRAND_UNKNOWN,
			   .source = item->act.errand.operation,
			   .why = KH_LIT("what came of it could not be recorded")},
	};
	struct kh_arena arena;
	struct kh_error err;

	kh_arena_init(&arena, kh_engine_alloc(engine), MEMORY);
	enum kh_err e = kh_engine_own(engine, kh_comm_end_run, &lost, &arena, &err);
	kh_arena_done(&arena);
	if (e == KH_OK || kh_works_is_stopping(item->errands->works))
		return finish(item);
	item->lost = true;
	item->work.wake_at = kh_works_now() + AGAIN;
	return KH_WORK_WAIT;
}

static enum kh_work_next step(struct kh_work *work)
{
	struct item *item = (struct item *)work;
	struct kh_engine *engine = item->errands->engine;
	struct kh_error err;
	enum kh_err e = KH_OK;

	if (item->lost)
		return record_lost(item);
	if (item->act.next == KH_CALL_TRIAGE) {
		if (kh_works_is_stopping(item->errands->works))
			return finish(item);
		/* A store that fails here fails every call too, which is where it is told. */
		e = kh_deciding_call(engine, item->token, &item->act, &item->arena, &err);
	}
	if (e == KH_OK && item->act.next == KH_CALL_RUNS &&
	    kh_outbox_errand(engine, &item->act, &item->arena, &err) != KH_OK)
		return record_lost(item);
	return finish(item);
}

/* What is to be carried out, apart from the arena that it was decided in. */
static enum kh_err copy_act(struct item *item, struct kh_view token, const struct kh_comm_call *act,
			    struct kh_error *err)
{
	struct kh_arena *arena = &item->arena;
	yyjson_mut_doc *doc = kh_json_new(arena);
	struct kh_view text;
	enum kh_err e = KH_OK;

	item->act.next = act->next;
	item->row.id = act->look.row->id;
	item->row.task = act->look.row->task;
	item->act.look.row = &item->row;
	if (act->next == KH_CALL_TRIAGE) {
		item->token = kh_arena_dup(arena, token);
		item->act.declaration = kh_arena_dup(arena, act->look.id);
		return kh_arena_check(arena);
	}
	item->act.errand = act->errand;
	item->act.errand.operation = kh_arena_dup(arena, act->errand.operation);
	item->act.errand.task = kh_arena_dup(arena, act->errand.task);
	e = kh_json_write(arena, yyjson_val_mut_copy(doc, act->errand.parameters), &text);
	return e == KH_OK ? kh_json_read(arena, text, &item->act.errand.parameters, err) : e;
}

/* Begun, and nobody there to carry it out: that is an end too. */
static enum kh_err give_up(struct kh_errands *errands, const struct kh_comm_call *act, struct kh_error *err)
{
	struct kh_comm_end lost = {
		.declaration = act->look.row->id,
		.result = {.end = KH_ERRAND_FAILED,
			   .source = act->errand.operation,
			   .why = KH_LIT("the gateway stops, or has no memory left: it was not carried out")},
	};
	struct kh_arena arena;
	enum kh_err e = KH_OK;

	if (act->next == KH_CALL_RUNS) {
		kh_arena_init(&arena, kh_engine_alloc(errands->engine), MEMORY);
		e = kh_engine_own(errands->engine, kh_comm_end_run, &lost, &arena, err);
		kh_arena_done(&arena);
	}
	return e != KH_OK ? e : kh_error_set(err, KH_EREFUSED, "busy", "the gateway cannot carry it out now");
}

enum kh_err kh_errands_put(struct kh_errands *errands, struct kh_view token, const struct kh_comm_call *act,
			   struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(errands->engine);
	struct item *item = kh_alloc_zero(alloc, sizeof(*item));

	if (item == NULL)
		return give_up(errands, act, err);
	item->errands = errands;
	item->work.step = step;
	kh_arena_init(&item->arena, alloc, MEMORY);
	if (copy_act(item, token, act, err) != KH_OK) {
		free_item(item);
		return give_up(errands, act, err);
	}
	pthread_mutex_lock(&errands->lock);
	item->next = errands->first;
	item->link = &errands->first;
	if (item->next != NULL)
		item->next->link = &item->next;
	errands->first = item;
	pthread_mutex_unlock(&errands->lock);
	if (kh_works_add(errands->works, &item->work))
		return KH_OK;
	end(item);
	return give_up(errands, act, err);
}

bool kh_errands_has(struct kh_errands *errands, int64_t declaration)
{
	bool found = false;

	pthread_mutex_lock(&errands->lock);
	for (const struct item *item = errands->first; item != NULL && !found; item = item->next)
		found = item->row.id == declaration;
	pthread_mutex_unlock(&errands->lock);
	return found;
}

enum kh_err kh_errands_new(struct kh_engine *engine, unsigned threads, struct kh_works *callers,
			   struct kh_errands **ret_errands, struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(engine);
	struct kh_errands *errands = kh_alloc_zero(alloc, sizeof(*errands));

	if (errands == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	errands->engine = engine;
	errands->callers = callers;
	enum kh_err e = kh_works_new(&(struct kh_works_settings){.alloc = alloc, .threads = threads}, &errands->works,
				     err);
	if (e != KH_OK) {
		kh_alloc_free(alloc, errands, sizeof(*errands));
		return e;
	}
	pthread_mutex_init(&errands->lock, NULL);
	*ret_errands = errands;
	return KH_OK;
}

bool kh_errands_stop(struct kh_errands *errands, int64_t timeout_us)
{
	return kh_works_stop(errands->works, timeout_us);
}

void kh_errands_free(struct kh_errands *errands)
{
	if (errands == NULL)
		return;
	const struct kh_alloc *alloc = kh_engine_alloc(errands->engine);
	kh_works_free(errands->works);
	pthread_mutex_destroy(&errands->lock);
	kh_alloc_free(alloc, errands, sizeof(*errands));
}

struct kh_works_figures kh_errands_figures(const struct kh_errands *errands)
{
	return kh_works_figures(errands->works);
}
