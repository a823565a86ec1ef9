/* Revokes a token, and ends everything that depends on it. */
#include "engine/task/revoke.h"

#include "engine/query/settle.h"
#include "engine/state/each.h"
#include "engine/state/find.h"
#include "engine/task/task.h"

static enum kh_err fail_ask(struct kh_op *op, int64_t id)
{
	struct kh_effect_row *effect;
	struct kh_query_row *query;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_EFFECTS, id, &effect);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_QUERIES, effect->query, &query);
	if (e != KH_OK)
		return e;
	effect->state = KH_EFFECT_FAILED;
	effect->verdict = KH_LIT("reader_revoked");
	effect->ended_at = op->now;
	return kh_settle_ready(op, query, KH_OUTCOME_FAILED, "reader_revoked");
}

/* Fails what Reader NAME was asked and has not answered. */
static enum kh_err fail_asks(struct kh_op *op, struct kh_view name)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_EFFECTS_OPEN};
	struct kh_effect_row seen;

	while (kh_each_peek(&each, KH_TABLE_EFFECTS, &seen)) {
		if (kh_view_eq(seen.reader, name))
			each.e = fail_ask(op, seen.id);
	}
	return each.e;
}

/* Whether there is an admin other than TOKEN whose token does not expire. */
static enum kh_err has_other_admin(struct kh_op *op, const struct kh_token_row *token, bool *ret_yes)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_TOKENS};
	struct kh_token_row other;

	*ret_yes = false;
	while (!*ret_yes && kh_each_peek(&each, KH_TABLE_TOKENS, &other))
		*ret_yes = other.id != token->id && other.role == KH_ROLE_ADMIN && other.revoked_at == 0 &&
			   other.expires_at == 0;
	return each.e;
}

/* The token with this public id, if the caller may see it. */
static enum kh_err find_token(struct kh_op *op, struct kh_view id, struct kh_token_row **ret_token)
{
	struct kh_token_row *token = NULL;
	int64_t n = 0;
	enum kh_err e = kh_op_number(op, KH_ID_TOKEN, id, &n) ? KH_OK : KH_EUNKNOWN;

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TOKENS, n, &token);
	if (e == KH_OK && kh_op_host(op) != 0 && token->parent != kh_op_host(op))
		e = KH_EUNKNOWN;
	if (e != KH_OK)
		return kh_find_none(op, id, "unknown_token", e);
	*ret_token = token;
	return KH_OK;
}

enum kh_err kh_revoke_run(struct kh_op *op, void *call)
{
	const struct kh_revoke *revoke = call;
	struct kh_token_row *token = NULL;
	bool other = true;
	enum kh_err e = find_token(op, revoke->id, &token);

	if (e != KH_OK || token == NULL)
		return e;
	if (token->revoked_at != 0)
		return kh_error_set(op->err, KH_EREFUSED, "already_revoked", "the token was revoked before");
	if (token->role == KH_ROLE_ADMIN && token->expires_at == 0)
		e = has_other_admin(op, token, &other);
	if (e != KH_OK)
		return e;
	if (!other)
		return kh_error_set(op->err, KH_EREFUSED, "last_admin",
				    "no other admin's token would be left: make one first");
	token->revoked_at = op->now;
	e = kh_op_event(op, KH_AUDIT_TOKEN_REVOKED, NULL, KH_LIT(""));
	if (e == KH_OK && token->role == KH_ROLE_CONTROLLER)
		e = kh_task_close_all(op, token->context, "token_revoked");
	if (e == KH_OK && token->role == KH_ROLE_READER)
		e = fail_asks(op, token->name);
	return e == KH_OK ? kh_op_forget(op, token->id) : e;
}
