/*
 * Loads the closure of a call.  Keyhole's own records say what a context was given (K5): its blocks since the last
 * reset, and everything that these are tainted by (influence.h).  A sealed block that no query was about and no output
 * names has influenced nothing.
 */
#include "engine/comm/weigh.h"

#include "base/utf8.h"
#include "core/comm/operations.h"
#include "engine/comm/sending.h"
#include "engine/context/giver.h"
#include "engine/context/influence.h"

#define GIVEN   "given"           /* the member that has what a controller put in */
#define ENDS    (16U << 10)       /* bytes of each end of a text that are kept of what was sent */
#define CONTENT (32U << 20)       /* bytes of content loaded for one call: all callers share the machine's memory */
#define MEMORY  ((size_t)1 << 30) /* bytes for one comparison */

/* --- the closure -------------------------------------------------------------------------------------------------- */

/* Who wrote a block, if it counts.  Text counts as the user's or the operator's only if nothing has influenced it. */
static bool counts(const struct kh_block_row *row, enum kh_verify_from *ret_from)
{
	bool own = row->trust != KH_UNTRUSTED && row->kind == KH_BLOCK_HOST &&
		   (row->tainted_by.n == 0 || kh_view_eq(row->tainted_by, KH_LIT("[]")));

	*ret_from = own ? KH_VERIFY_OWN : row->kind == KH_BLOCK_DELIVERY ? KH_VERIFY_DELIVERY : KH_VERIFY_WORLD;
	return own || row->trust == KH_UNTRUSTED;
}

static enum kh_err load_sources(struct kh_op *op, const struct kh_closure *closure, struct kh_weigh *weigh)
{
	struct kh_block_row *row;
	size_t bytes = 0;
	enum kh_err e = KH_OK;

	weigh->sources = KH_NEW_N(op->arena, struct kh_verify_source, closure->n + 1);
	weigh->origins = KH_NEW_N(op->arena, struct kh_view, closure->n + 1);
	weigh->count = 0;
	weigh->taint = closure->taint;
	if (weigh->sources == NULL || weigh->origins == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; e == KH_OK && i < closure->n; i++) {
		struct kh_verify_source *source = &weigh->sources[weigh->count];
		if (closure->at[i].trust != KH_UNTRUSTED && closure->at[i].kind != KH_BLOCK_HOST)
			continue; /* an output, or what a rule vets: its content is not needed */
		e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, closure->at[i].id, &row);
		if (e != KH_OK || !counts(row, &source->from))
			continue;
		bytes += row->content.n + row->prints.n;
		if (bytes > CONTENT) {
			weigh->too_much = true;
			break;
		}
		source->id = kh_op_id(op, KH_ID_BLOCK, row->id);
		source->source = row->source;
		source->content = row->content;
		source->prints = row->prints;
		weigh->origins[weigh->count++] = row->origin;
	}
	return e;
}

/* --- what a controller put in, and a query sends out --------------------------------------------------------------- */

/* Content, source and origin of each of BLOCKS that a controller put in, in turn. */
static enum kh_err collect(struct kh_op *op, const int64_t *blocks, size_t count, struct kh_view **ret_texts,
			   struct kh_view **ret_origins, size_t *ret_count)
{
	struct kh_view *texts = KH_NEW_N(op->arena, struct kh_view, 2 * count + 1);
	struct kh_view *origins = KH_NEW_N(op->arena, struct kh_view, count + 1);
	struct kh_block_row row, *whole;
	struct kh_giver giver;
	size_t n = 0;
	enum kh_err e = texts != NULL && origins != NULL ? KH_OK : KH_ENOMEM;

	for (size_t i = 0; i < count && e == KH_OK; i++) {
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, blocks[i], &row);
		if (e == KH_OK)
			e = kh_giver_find(op, &row, &giver);
		if (e != KH_OK || !giver.put || giver.role != KH_ROLE_CONTROLLER)
			continue;
		e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, row.id, &whole);
		if (e != KH_OK)
			continue;
		origins[n / 2] = whole->origin;
		texts[n++] = whole->content;
		texts[n++] = whole->source;
	}
	*ret_texts = texts;
	*ret_origins = origins;
	*ret_count = n;
	return e;
}

/* Of a long text only the ends are kept (sent.h); the store's thread copies no more than these. */
static void add_ends(yyjson_mut_doc *doc, yyjson_mut_val *list, struct kh_view text)
{
	struct kh_view head = kh_utf8_cut(text, ENDS);
	size_t from = text.n > 2 * ENDS ? text.n - ENDS : head.n;

	while (from < text.n && ((unsigned char)text.p[from] & 0xC0) == 0x80)
		from++;
	yyjson_mut_arr_add_strn(doc, list, head.p, head.n);
	if (from < text.n)
		yyjson_mut_arr_add_strn(doc, list, text.p + from, text.n - from);
}

enum kh_err kh_weigh_with(struct kh_op *op, const int64_t *blocks, size_t count, yyjson_val **words)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *all = yyjson_val_mut_copy(doc, *words), *list = yyjson_mut_arr(doc);
	struct kh_view *texts = NULL, *origins = NULL;
	size_t n = 0;
	enum kh_err e = all != NULL ? collect(op, blocks, count, &texts, &origins, &n) : KH_ENOMEM;

	if (e != KH_OK || n == 0)
		return e;
	for (size_t i = 0; i < n; i++)
		add_ends(doc, list, texts[i]);
	yyjson_mut_obj_add_val(doc, all, GIVEN, list);
	return kh_json_freeze(op->arena, all, words, op->err);
}

/*
 * Whether a query sends source AT itself: it is about that block, or the same Controller put in the same text twice.  That
 * others put in or got the same makes no difference: it would show that a guess is right.
 */
static bool is_sent(struct kh_op *op, const struct kh_weigh *weigh, size_t at, const struct kh_view *given)
{
	for (size_t k = 0; k < weigh->block_count; k++) {
		if (kh_view_eq(weigh->sources[at].id, kh_op_id(op, KH_ID_BLOCK, weigh->blocks[k])))
			return true;
	}
	for (size_t i = 0; i < weigh->given_count / 2; i++) {
		if (given[i].n > 0 && kh_view_eq(weigh->origins[at], given[i]))
			return true;
	}
	return false;
}

/* Of what a query is about, what a controller put in; and the blocks that it is compared with: all others. */
static enum kh_err load_given(struct kh_op *op, struct kh_weigh *weigh)
{
	struct kh_view *origins = NULL;
	enum kh_err e = collect(op, weigh->blocks, weigh->block_count, &weigh->given, &origins, &weigh->given_count);

	weigh->others = KH_NEW_N(op->arena, struct kh_verify_source, weigh->count + 1);
	if (e != KH_OK || weigh->others == NULL)
		return e == KH_OK ? KH_ENOMEM : e;
	weigh->other_count = 0;
	for (size_t i = 0; i < weigh->count; i++) {
		if (!is_sent(op, weigh, i, origins))
			weigh->others[weigh->other_count++] = weigh->sources[i];
	}
	return kh_weigh_with(op, weigh->blocks, weigh->block_count, &weigh->sending);
}

/* --- loading and comparing ---------------------------------------------------------------------------------------- */

enum kh_err kh_weigh_run(struct kh_op *op, void *call)
{
	struct kh_weigh *weigh = call;
	struct kh_context_row *context = NULL;
	struct kh_closure closure;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, weigh->context, &context);

	if (e == KH_OK)
		e = kh_influence_find(op, context, NULL, 0, &closure);
	if (e == KH_OK)
		e = load_sources(op, &closure, weigh);
	weigh->sending = weigh->parameters;
	if (e == KH_OK && weigh->blocks != NULL)
		e = load_given(op, weigh);
	if (e == KH_OK)
		e = kh_sending_load(op, context->token, weigh->operation, weigh->sending, &weigh->sent,
				    &weigh->sent_count, &weigh->calls);
	if (e != KH_OK)
		return e;
	kh_engine_prints_key(op->engine, weigh->key);
	weigh->last_block = context->last_block;
	return kh_arena_check(op->arena);
}

/* What a controller put in is no call: its wording is the Reader's business.  What it shares with others is found. */
static enum kh_err compare_given(struct kh_screen *screen, struct kh_arena *arena, const struct kh_weigh *weigh,
				 struct kh_verify_request call, struct kh_verification *found)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *all = yyjson_mut_obj(doc), *list = yyjson_mut_obj_add_arr(doc, all, GIVEN);
	struct kh_verification more;

	if (weigh->given_count == 0)
		return KH_OK;
	for (size_t i = 0; i < weigh->given_count; i++)
		yyjson_mut_arr_add_strn(doc, list, weigh->given[i].p, weigh->given[i].n);
	call.sources = weigh->others;
	call.source_count = weigh->other_count;
	enum kh_err e = kh_json_freeze(arena, all, &call.arguments, NULL);
	if (e == KH_OK)
		e = kh_verify_call(screen, arena, &call, &more);
	for (size_t i = 0; e == KH_OK && i < more.reasons.n; i++) {
		if (!kh_view_starts(kh_view_str(more.reasons.at[i].code), KH_LIT("shared_")))
			continue;
		kh_reasons_add(&found->reasons, more.reasons.at[i].code, more.reasons.at[i].member, "%.*s",
			       KH_FMT(more.reasons.at[i].detail));
		found->suspicious = true;
	}
	return e;
}

/* The parameter of OPERATION that is a URI; empty: there is none. */
static struct kh_view uri_of(const struct kh_operation *operation, yyjson_val *parameters)
{
	const struct kh_parameter_spec *spec = operation != NULL ? kh_operation_of_kind(operation, KH_PARAMETER_URI)
								 : NULL;

	return spec != NULL ? kh_json_str(kh_json_get(parameters, spec->name)) : KH_LIT("");
}

enum kh_err kh_weigh_call(struct kh_screen *screen, struct kh_arena *arena, const struct kh_weigh *weigh,
			  struct kh_weighed *ret_weighed)
{
	const struct kh_operation *own = kh_operation_named(&kh_operations_own, weigh->operation);
	const struct kh_verify_request call = {
		.tool = weigh->operation,
		.is_own = own != NULL,
		.arguments = weigh->parameters,
		.uri = uri_of(own, weigh->parameters),
		.sent = weigh->sent,
		.sent_count = weigh->sent_count,
		.sources = weigh->sources,
		.source_count = weigh->count,
		.key = weigh->key,
		.taint = weigh->taint,
	};
	struct kh_verification found;
	enum kh_err e = kh_verify_call(screen, arena, &call, &found);

	if (e == KH_OK)
		e = compare_given(screen, arena, weigh, call, &found);
	/* What was not compared might have matched, so it is a finding. */
	if (e == KH_OK && weigh->too_much)
		kh_reasons_add(&found.reasons, "not_compared", KH_LIT(""),
			       "the agent has seen answers about more than %u MiB, which are too many to compare with",
			       CONTENT >> 20);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret_weighed = (struct kh_weighed){
			.last_block = weigh->last_block,
			.calls = weigh->calls,
			.suspicious = found.suspicious || weigh->too_much,
			.flagged = found.flagged || weigh->too_much,
			.reasons = found.reasons,
		};
	return e;
}

/* --- outside of the transaction ----------------------------------------------------------------------------------- */

struct comparing {
	struct kh_weigh weigh;
	int64_t token;
	bool snapshot;  /* the content is loaded on the caller's thread */
	bool waits;     /* for a share, if the token has too many; otherwise it is `full` */
	unsigned tries; /* this is the how-manieth */
	/* out */
	bool full;
	struct kh_weighed found;
};

/* Copies the findings out of the memory that they were found in. */
static enum kh_err copy_found(struct kh_arena *arena, const struct kh_weighed *from, struct kh_weighed *ret_to)
{
	*ret_to = *from;
	kh_reasons_init(&ret_to->reasons, arena);
	for (size_t i = 0; i < from->reasons.n; i++)
		kh_reasons_add(&ret_to->reasons, from->reasons.at[i].code,
			       kh_arena_dup(arena, from->reasons.at[i].member), "%.*s",
			       KH_FMT(from->reasons.at[i].detail));
	return kh_arena_check(arena);
}

/* Loads and compares in an arena of its own, because that may be much and is not needed afterwards. */
static enum kh_err compare_in(struct kh_prepare *at, struct comparing *c, struct kh_arena *own)
{
	struct kh_screen *screen = kh_beforehand_screen(at);
	struct kh_weighed found;
	enum kh_err e = screen != NULL ? at->load(at, c->snapshot, kh_weigh_run, &c->weigh, own) : KH_ENOMEM;

	if (e != KH_OK)
		return e;
	e = kh_weigh_call(screen, own, &c->weigh, &found);
	if (e != KH_OK)
		return kh_error_set(at->err, e, "not_weighed", "what influenced the call could not be compared");
	return copy_found(at->arena, &found, &c->found);
}

static enum kh_err compare(struct kh_prepare *at, void *work)
{
	struct comparing *c = work;
	struct kh_arena own;

	c->full = !kh_engine_share_take(at->engine, c->token, false);
	if (c->full && !c->waits)
		return KH_OK;
	if (c->full) {
		kh_beforehand_leave(at); /* who waits keeps no screen from others */
		c->full = !kh_engine_share_take(at->engine, c->token, true);
	}
	kh_arena_init(&own, kh_engine_alloc(at->engine), MEMORY);
	enum kh_err e = compare_in(at, c, &own);
	kh_arena_done(&own);
	kh_engine_share_give(at->engine, c->token);
	return e;
}

static enum kh_err want(struct kh_op *op, const struct kh_context_row *context, const struct kh_weigh *words,
			unsigned tries, const struct kh_weighed **ret_weighed)
{
	struct kh_view key = kh_op_id(op, KH_ID_CONTEXT, context->id);
	const struct comparing *last = kh_beforehand_find(op, compare, key);
	struct comparing *next = KH_NEW(op->arena, struct comparing);
	int64_t calls = 0;
	enum kh_err e = kh_sending_count(op, context->token, &calls);

	*ret_weighed = NULL;
	if (e != KH_OK || next == NULL)
		return e != KH_OK ? e : KH_ENOMEM;
	if (last != NULL && !last->full && last->found.last_block == context->last_block &&
	    last->found.calls == calls) {
		*ret_weighed = &last->found;
		return KH_OK;
	}
	if (last != NULL && (last->full || last->tries == tries))
		return KH_OK;
	*next = (struct comparing){
		.weigh = *words,
		.token = context->token,
		.snapshot = op->rehearses,
		.waits = tries == 0,
		.tries = last != NULL ? last->tries + 1 : 1,
	};
	next->weigh.context = context->id;
	return kh_beforehand_want(op, compare, key, next);
}

enum kh_err kh_weigh_want(struct kh_op *op, const struct kh_context_row *context, struct kh_view operation,
			  yyjson_val *parameters, unsigned tries, const struct kh_weighed **ret_weighed)
{
	const struct kh_weigh words = {.operation = operation, .parameters = parameters};

	return want(op, context, &words, tries, ret_weighed);
}

enum kh_err kh_weigh_words(struct kh_op *op, const struct kh_context_row *context, const struct kh_weigh *words,
			   const struct kh_weighed **ret_weighed)
{
	return want(op, context, words, 0, ret_weighed);
}
