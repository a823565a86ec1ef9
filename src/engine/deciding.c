/* Weighs and decides calls, compares and records outputs: one operation after the other, on the caller's thread. */
#include "engine/deciding.h"

#include "engine/context/guarding.h"
#include "engine/engine.h"

#define MEMORY ((size_t)1 << 30) /* bytes for one comparison */
#define TRIES  2                 /* beside others of the context, before a call waits for its turn */
#define MANY   256               /* in turn: who makes it fail now does not wait for a turn, and has one try less */

/* Copies the findings out of the memory that they were found in. */
static enum kh_err copy_weighed(struct kh_arena *arena, const struct kh_weighed *from, struct kh_weighed *ret_to)
{
	*ret_to = *from;
	kh_reasons_init(&ret_to->reasons, arena);
	for (size_t i = 0; i < from->reasons.n; i++)
		kh_reasons_add(&ret_to->reasons, from->reasons.at[i].code,
			       kh_arena_dup(arena, from->reasons.at[i].member), "%.*s",
			       KH_FMT(from->reasons.at[i].detail));
	return kh_arena_check(arena);
}

/* What is compared: a declaration, an earlier one by its id, or the words of a query. */
struct subject {
	const struct kh_comm_call *call; /* or */
	yyjson_val *query;
};

static enum kh_err read_subject(const struct subject *of, struct kh_arena *own, struct kh_weigh *weighs,
				struct kh_error *err)
{
	size_t bytes;

	if (of->call == NULL) {
		weighs->operation = KH_OUTWARD_OPERATION;
		weighs->query = of->query;
		return kh_outward_words(own, of->query, &weighs->parameters, &bytes, err);
	}
	weighs->task = of->call->task;
	weighs->declaration = of->call->declaration;
	return of->call->declaration.n == 0 ? kh_weigh_read(own, of->call->declare, weighs, err) : KH_OK;
}

/* Loads and compares in an arena of its own, because that may be much and is not needed afterwards. */
static enum kh_err weigh_in(struct kh_engine *engine, struct kh_screen *screen, struct kh_token_claim token,
			    const struct subject *of, struct kh_arena *own, struct kh_weighed *ret_weighed,
			    struct kh_error *err)
{
	struct kh_weigh weighs = {0};
	enum kh_err e = read_subject(of, own, &weighs, err);

	if (e == KH_OK)
		e = kh_engine_call(engine, token, kh_weigh_run, &weighs, own, err);
	if (e != KH_OK)
		return e;
	e = kh_weigh_call(screen, own, &weighs, ret_weighed);
	return e == KH_OK ? e : kh_error_set(err, e, "not_weighed", "what influenced the call could not be compared");
}

/* As many at once as the engine has screens; the others wait. */
static enum kh_err weigh(struct kh_engine *engine, struct kh_token_claim token, const struct subject *of,
			 struct kh_arena *arena, const struct kh_weighed **ret_weighed, struct kh_error *err)
{
	struct kh_engine_screen *screen = kh_engine_screen_take(engine);
	struct kh_weighed found, *copy = KH_NEW(arena, struct kh_weighed);
	struct kh_arena own;

	if (screen == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	kh_arena_init(&own, kh_engine_alloc(engine), MEMORY);
	enum kh_err e = copy != NULL ? weigh_in(engine, kh_engine_screen_of(screen), token, of, &own, &found, err)
				     : KH_ENOMEM;
	if (e == KH_OK)
		e = copy_weighed(arena, &found, copy);
	kh_arena_done(&own);
	kh_engine_screen_give(engine, screen);
	*ret_weighed = copy;
	return e;
}

static enum kh_err decide(struct kh_engine *engine, struct kh_token_claim token, struct kh_comm_call *call,
			  struct kh_arena *arena, struct kh_error *err)
{
	const struct subject of = {.call = call};
	enum kh_err e = weigh(engine, token, &of, arena, &call->weighed, err);

	return e == KH_OK ? kh_engine_call(engine, token, kh_comm_call_run, call, arena, err) : e;
}

static enum kh_err decide_often(struct kh_engine *engine, struct kh_token_claim token, struct kh_comm_call *call,
				unsigned tries, struct kh_arena *arena, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	call->next = KH_CALL_AGAIN;
	for (unsigned i = 0; e == KH_OK && call->next == KH_CALL_AGAIN && i < tries; i++)
		e = decide(engine, token, call, arena, err);
	return e;
}

enum kh_err kh_deciding_try(struct kh_engine *engine, struct kh_token_claim token, struct kh_comm_call *call,
			    struct kh_arena *arena, struct kh_error *err)
{
	return decide_often(engine, token, call, TRIES, arena, err);
}

enum kh_err kh_deciding_run(struct kh_engine *engine, struct kh_token_claim token, struct kh_comm_call *call,
			    struct kh_arena *arena, struct kh_error *err)
{
	enum kh_err e = decide_often(engine, token, call, MANY, arena, err);

	if (e == KH_OK && call->next == KH_CALL_AGAIN)
		e = kh_error_set(err, KH_ESTORE, "busy", "the context changes faster than a call is decided");
	return e;
}

enum kh_err kh_deciding_output(struct kh_engine *engine, struct kh_token_claim token, struct kh_context_output *output,
			       struct kh_arena *arena, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	output->again = true;
	for (unsigned i = 0; e == KH_OK && output->again; i++) {
		struct kh_guarding guarding = {
			.context = output->context, .more = output->more, .more_count = output->more_count};
		if (i == MANY)
			return kh_error_set(err, KH_ESTORE, "busy",
					    "the context changes faster than an output is compared");
		e = kh_engine_call(engine, token, kh_guarding_run, &guarding, arena, err);
		if (e == KH_OK)
			e = kh_guarding_compare(arena, &guarding, output->content, &output->unattributed,
						&output->copies, err);
		output->guarded = true;
		output->last_block = guarding.last_block;
		if (e == KH_OK)
			e = kh_engine_call(engine, token, kh_context_output_run, output, arena, err);
	}
	return e;
}

enum kh_err kh_deciding_admit(struct kh_engine *engine, struct kh_token_claim token, struct kh_admit *admit,
			      struct kh_arena *arena, struct kh_error *err)
{
	const struct subject of = {.query = admit->query};
	enum kh_err e = kh_engine_call(engine, token, kh_admit_run, admit, arena, err);

	for (unsigned i = 0; e == KH_OK && admit->again; i++) {
		if (i == MANY)
			return kh_error_set(err, KH_ESTORE, "busy",
					    "the context changes faster than a query is compared");
		e = weigh(engine, token, &of, arena, &admit->weighed, err);
		if (e == KH_OK)
			e = kh_engine_call(engine, token, kh_admit_run, admit, arena, err);
	}
	return e;
}
