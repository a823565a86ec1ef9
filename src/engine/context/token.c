/*
 * Tokens.  A secret passes through here twice: when it is made, on its way to whoever asked for it, and when it is
 * checked.  Only its hash is kept.  The table of operations decides about roles; here is what the table cannot express:
 * a host makes only controllers and their hooks, and sees only what it made.
 */
#include "engine/context/token.h"

#include "core/comm/attribution.h"
#include "core/policy/match.h"
#include "engine/state/allowance.h"
#include "engine/state/each.h"
#include "engine/state/find.h"

#include <sodium.h>

#define TEXT_SIZE    85                 /* "kh-", 17 bytes of public id, "-", 64 of secret */
#define FIRST        1                  /* the token that the store was created with: an admin's */
#define LATEST       (INT64_C(1) << 53) /* the latest time that every column can hold */
#define READERS_TOLD 64                 /* agents that a Controller is told can be asked */

/* --- the text ----------------------------------------------------------------------------------------------------- */

struct kh_view kh_token_text(struct kh_arena *arena, const unsigned char id_key[16], int64_t id,
			     const unsigned char secret[32])
{
	struct kh_view name = kh_publicid_text(arena, id_key, KH_ID_TOKEN, id);
	struct kh_digest bytes;

	memcpy(bytes.bytes, secret, sizeof(bytes.bytes));
	struct kh_view hex = kh_canonical_hex(arena, &bytes);
	sodium_memzero(&bytes, sizeof(bytes));
	if (name.p == NULL || hex.p == NULL)
		return (struct kh_view){NULL, 0};
	return kh_arena_printf(arena, "kh-%.*s-%.*s", KH_FMT(name), KH_FMT(hex));
}

struct kh_token_claim kh_token_read(const struct kh_engine *engine, struct kh_view text)
{
	struct kh_token_claim claim = {.id = 0};
	struct kh_digest secret;

	if (text.n != TEXT_SIZE || !kh_view_starts(text, KH_LIT("kh-")) || text.p[20] != '-' ||
	    !kh_publicid_parse(kh_engine_id_key(engine), KH_ID_TOKEN, kh_view_sub(text, 3, 20), &claim.id) ||
	    !kh_attribution_parse_digest(kh_view_from(text, 21), &secret))
		return (struct kh_token_claim){.id = 0};
	claim.hash = kh_canonical_digest(kh_view_of((const char *)secret.bytes, sizeof(secret.bytes)));
	sodium_memzero(&secret, sizeof(secret));
	return claim;
}

static bool is_living(const struct kh_token_row *token, int64_t now)
{
	return token->revoked_at == 0 && (token->expires_at == 0 || now < token->expires_at);
}

/* The token of the context that HOOK is for. */
static enum kh_err peek_served(struct kh_txn *txn, const struct kh_token_row *hook, struct kh_token_row *ret_token)
{
	struct kh_context_row context;
	enum kh_err e = kh_txn_peek(txn, KH_TABLE_CONTEXTS, hook->context, &context);

	return e == KH_OK ? kh_txn_peek(txn, KH_TABLE_TOKENS, context.token, ret_token) : e;
}

/*
 * Whether the host that made TOKEN, if there is one, may still act.  Of a hook: whether the token of its context is valid,
 * and that one's host; a host makes hooks only for contexts of its own.
 */
static enum kh_err has_living_host(struct kh_txn *txn, const struct kh_token_row *token, int64_t now, bool *ret_yes)
{
	struct kh_token_row parent, served;
	enum kh_err e = KH_OK;

	*ret_yes = true;
	if (token->role == KH_ROLE_HOOK) {
		e = peek_served(txn, token, &served);
		*ret_yes = e == KH_OK && is_living(&served, now);
		token = &served;
	}
	if (!*ret_yes || token->role != KH_ROLE_CONTROLLER || token->parent <= FIRST)
		return e; /* the common case in every call: no other row is read */
	e = kh_txn_peek(txn, KH_TABLE_TOKENS, token->parent, &parent);
	if (e == KH_OK)
		*ret_yes = parent.role != KH_ROLE_HOST || is_living(&parent, now);
	return e;
}

enum kh_err kh_token_check(struct kh_txn *txn, const struct kh_token_claim *claim, int64_t now,
			   struct kh_token_row **ret_token)
{
	struct kh_token_row *token = NULL;
	bool yes = false;

	if (claim->id == 0)
		return KH_EREFUSED;
	enum kh_err e = kh_txn_load(txn, KH_TABLE_TOKENS, claim->id, &token);
	if (e == KH_EUNKNOWN)
		return KH_EREFUSED;
	if (e != KH_OK)
		return e;
	if (sodium_memcmp(claim->hash.bytes, token->secret.bytes, sizeof(claim->hash.bytes)) != 0 ||
	    !is_living(token, now))
		return KH_EREFUSED;
	e = has_living_host(txn, token, now, &yes);
	if (e != KH_OK)
		return e;
	if (!yes)
		return KH_EREFUSED;
	*ret_token = token;
	return KH_OK;
}

/* --- create ------------------------------------------------------------------------------------------------------- */

enum kh_err kh_token_is_reader(struct kh_op *op, struct kh_view name, bool *ret_yes)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_TOKENS_NAMED, .text = name};
	struct kh_token_row token;

	*ret_yes = false;
	while (!*ret_yes && kh_each_peek(&each, KH_TABLE_TOKENS, &token))
		*ret_yes = token.role == KH_ROLE_READER && is_living(&token, op->now);
	return each.e;
}

enum kh_err kh_token_readers(struct kh_op *op, struct kh_view **ret_names, size_t *ret_count)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_TOKENS_READERS};
	struct kh_token_row token;
	size_t count = 0;
	const struct kh_reader *configured = kh_engine_readers(op->engine, &count);
	struct kh_view *names = KH_NEW_N(op->arena, struct kh_view, count + READERS_TOLD);

	if (names == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < count; i++)
		names[i] = configured[i].name;
	for (size_t left = READERS_TOLD; left > 0 && kh_each_peek(&each, KH_TABLE_TOKENS, &token);) {
		if (!is_living(&token, op->now))
			continue;
		names[count++] = token.name;
		left--;
	}
	*ret_names = names;
	*ret_count = count;
	return each.e;
}

/* A query's target names a Reader, so a Reader's name must be unique. */
static enum kh_err check_reader_name(struct kh_op *op, struct kh_view name)
{
	bool taken;

	if (kh_view_eq(name, KH_LIT("extract")) || kh_engine_reader(op->engine, name) != NULL)
		return kh_error_set(op->err, KH_EREFUSED, "name_taken", "a configured Reader has this name");
	enum kh_err e = kh_token_is_reader(op, name, &taken);
	if (e == KH_OK && taken)
		return kh_error_set(op->err, KH_EREFUSED, "name_taken", "another Reader has this name");
	return e;
}

static enum kh_err check_create(struct kh_op *op, const struct kh_token_create *create)
{
	enum kh_err e = KH_OK;

	if (!kh_match_is_name(create->name))
		e = kh_error_set(op->err, KH_EINPUT, "bad_name",
				 "the name does not match [A-Za-z_][A-Za-z0-9_.-]{0,63}");
	else if (create->role > KH_ROLE_HOOK)
		e = kh_error_set(op->err, KH_EINPUT, "bad_value", "there is no such role");
	else if (create->expires_at != 0 && (create->expires_at <= op->now || create->expires_at > LATEST))
		e = kh_error_set(op->err, KH_EINPUT, "out_of_range", "the expiry is not in the time to come");
	else if (create->bits != 0 && create->role != KH_ROLE_CONTROLLER)
		e = kh_error_set(op->err, KH_EINPUT, "bad_value", "only a controller has a budget");
	else if (create->of.n != 0 && create->role != KH_ROLE_HOOK)
		e = kh_error_set(op->err, KH_EINPUT, "bad_value", "only a hook is made for a context that is there");
	else if (create->of.n == 0 && create->role == KH_ROLE_HOOK)
		e = kh_error_set(op->err, KH_EINPUT, "missing", "a hook is made for a context: name it");
	else if (sodium_is_zero(create->secret, sizeof(create->secret)))
		e = kh_error_set(op->err, KH_EINPUT, "missing", "the secret is not random");
	else if (create->role == KH_ROLE_READER)
		e = check_reader_name(op, create->name);
	return e;
}

/* Makes a controller's context: nothing seen, nothing spent. */
static enum kh_err make_context(struct kh_op *op, uint64_t bits, struct kh_token_row *token)
{
	uint64_t most = op->policy->budgets.context_bits;
	struct kh_context_row *context;
	enum kh_err e = kh_txn_new(op->txn, KH_TABLE_CONTEXTS, &context);

	if (e != KH_OK)
		return e;
	context->token = token->id;
	context->budget = kh_budget_new((bits != 0 && bits < most ? bits : most) * KH_MICROBIT);
	if (bits != 0)
		context->budget.own = context->budget.budget;
	context->created_at = op->now;
	token->context = context->id;
	return KH_OK;
}

enum kh_err kh_token_create_run(struct kh_op *op, void *call)
{
	struct kh_token_create *create = call;
	struct kh_context_row *served = NULL;
	struct kh_token_row *token;

	if (kh_op_host(op) != 0 && create->role != KH_ROLE_CONTROLLER && create->role != KH_ROLE_HOOK)
		return kh_op_refuse(op, KH_AUDIT_REFUSED, NULL,
				    KH_LIT("{\"code\":\"forbidden\",\"operation\":\"token.create\"}"),
				    kh_error_set(op->err, KH_EREFUSED, "forbidden",
						 "a host makes tokens of controllers and their hooks alone"));
	enum kh_err e = check_create(op, create);
	if (e == KH_OK && create->role == KH_ROLE_HOOK)
		e = kh_find_context(op, create->of, &served);
	if (e == KH_OK)
		e = kh_txn_new(op->txn, KH_TABLE_TOKENS, &token);
	if (e != KH_OK)
		return e;
	token->name = create->name;
	token->role = create->role;
	token->parent = op->caller != NULL ? op->caller->id : 0;
	token->secret = kh_canonical_digest(kh_view_of((const char *)create->secret, sizeof(create->secret)));
	token->created_at = op->now;
	token->expires_at = create->expires_at;
	token->context = served != NULL ? served->id : 0;
	if (token->role == KH_ROLE_CONTROLLER)
		e = make_context(op, create->bits, token);
	if (e == KH_OK)
		e = kh_op_event(op, KH_AUDIT_TOKEN_CREATED, NULL, KH_LIT(""));
	if (e != KH_OK)
		return e;
	create->text = kh_token_text(op->arena, kh_engine_id_key(op->engine), token->id, create->secret);
	create->id = kh_op_id(op, KH_ID_TOKEN, token->id);
	create->context = token->context != 0 ? kh_op_id(op, KH_ID_CONTEXT, token->context) : KH_LIT("");
	return kh_arena_check(op->arena);
}

/* --- list --------------------------------------------------------------------------------------------------------- */

static enum kh_err add_token(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *list,
			     const struct kh_token_row *token)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list);
	const char *state = token->revoked_at != 0 ? "revoked" : is_living(token, op->now) ? "living" : "expired";

	kh_json_add(doc, obj, "id", kh_op_id(op, KH_ID_TOKEN, token->id));
	kh_json_add(doc, obj, "name", token->name);
	kh_json_add(doc, obj, "role", kh_view_str(kh_words_name(&kh_policy_role_words, token->role)));
	kh_json_add(doc, obj, "state", kh_view_str(state));
	kh_op_add_id(op, doc, obj, "context", KH_ID_CONTEXT, token->context);
	kh_op_add_id(op, doc, obj, "made_by", KH_ID_TOKEN, token->parent);
	kh_op_add_time(op, doc, obj, "created_at", token->created_at);
	kh_op_add_time(op, doc, obj, "expires_at", token->expires_at);
	kh_op_add_time(op, doc, obj, "revoked_at", token->revoked_at);
	return token->role == KH_ROLE_CONTROLLER || token->role == KH_ROLE_HOST ? kh_allowance_show(op, doc, obj, token)
										: KH_OK;
}

enum kh_err kh_token_list_run(struct kh_op *op, void *call)
{
	struct kh_page *list = call;
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *root = yyjson_mut_arr(doc);
	struct kh_each each = {.op = op, .index = KH_INDEX_TOKENS, .e = kh_arena_check(op->arena)};
	int64_t host = kh_op_host(op);
	struct kh_token_row token;
	bool more = false;

	if (list->after.n > 0 && !kh_op_number(op, KH_ID_TOKEN, list->after, &each.id))
		return kh_find_none(op, list->after, "unknown_token", KH_EUNKNOWN);
	while (!more && kh_each_peek(&each, KH_TABLE_TOKENS, &token)) {
		if ((host != 0 && token.parent != host) || (!list->all && !is_living(&token, op->now)))
			continue;
		if (yyjson_mut_arr_size(root) == KH_TOKEN_LIST)
			more = true;
		else
			each.e = add_token(op, doc, root, &token);
	}
	return each.e == KH_OK ? kh_op_page(op, root, more, list) : each.e;
}
