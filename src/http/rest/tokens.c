/* Tokens over HTTP.  A secret is sent once, in the answer to the caller who had it made, and is wiped from this
 * call's memory. */
#include "http/rest/tokens.h"

#include "base/canonical.h"
#include "base/timestamp.h"
#include "engine/context/token.h"
#include "engine/task/revoke.h"

static enum kh_err list(struct kh_rest_call *call)
{
	struct kh_token_list tokens = {
		.all = kh_rest_call_query(call, "all")->number != 0,
		.after = kh_rest_call_query(call, "after")->text,
	};
	struct kh_view next = {NULL, 0};
	enum kh_err e = kh_rest_call_run(call, kh_token_list_run, &tokens);

	if (e == KH_OK)
		e = kh_rest_call_last(call, tokens.json, tokens.more, &next);
	return e == KH_OK ? kh_rest_call_reply_list(call, tokens.json, next) : e;
}

static const struct kh_rest_member list_query[] = {
	{"all", KH_REST_FLAG, .about = "Also those that were revoked or have expired."},
	{"after", KH_REST_ID, .letter = 'k', .about = "Those made after this one: `next` of the page before."},
	{0},
};

static void wipe(struct kh_view secret)
{
	if (secret.p != NULL)
		explicit_bzero((void *)(uintptr_t)secret.p, secret.n);
}

static enum kh_err reply_created(struct kh_rest_call *call, const struct kh_token_create *token)
{
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_view json = {NULL, 0};

	kh_json_add(doc, obj, "id", token->id);
	kh_json_add(doc, obj, "name", token->name);
	yyjson_mut_obj_add_str(doc, obj, "role", kh_words_name(&kh_policy_role_words, token->role));
	if (token->context.n > 0)
		kh_json_add(doc, obj, "context", token->context);
	if (token->expires_at != 0)
		kh_json_add(doc, obj, "expires_at", kh_timestamp_text(call->arena, token->expires_at));
	kh_json_add(doc, obj, "token", token->text);
	enum kh_err e = kh_arena_check(call->arena);
	if (e == KH_OK)
		e = kh_json_write(call->arena, obj, &json);
	if (e == KH_OK)
		e = kh_rest_call_reply(call, json);
	wipe(json);
	return e;
}

static enum kh_err create(struct kh_rest_call *call)
{
	struct kh_token_create token = {
		.name = kh_rest_call_body(call, "name")->text,
		.role = (enum kh_role)kh_rest_call_body(call, "role")->word,
		.bits = (uint64_t)kh_rest_call_body(call, "bits")->number,
		.expires_at = kh_rest_call_body(call, "expires_at")->number,
	};

	kh_engine_random(kh_gateway_engine(call->gateway), token.secret, sizeof(token.secret));
	enum kh_err e = kh_rest_call_run(call, kh_token_create_run, &token);
	explicit_bzero(token.secret, sizeof(token.secret));
	if (e == KH_OK)
		e = reply_created(call, &token);
	wipe(token.text);
	return e;
}

static const struct kh_rest_member create_body[] = {
	{"name", KH_REST_TEXT, .required = true,
	 .about = "[A-Za-z_][A-Za-z0-9_.-]{0,63}; a Reader's is what queries name as their target."},
	{"role", KH_REST_WORD, .required = true, .words = &kh_policy_role_words,
	 .about = "A host makes controllers alone."},
	{"bits", KH_REST_NUMBER, .min = 1, .max = INT64_C(1000000000),
	 .about = "A smaller budget for a controller's context."},
	{"expires_at", KH_REST_TIME, .about = "Valid until then; until it is revoked where this is missing."},
	{0},
};

static enum kh_err revoke(struct kh_rest_call *call)
{
	struct kh_revoke token = {.id = kh_http_request_segment(call->r, "token")};
	enum kh_err e = kh_rest_call_run(call, kh_revoke_run, &token);

	if (e == KH_OK)
		kh_http_reply(call->r, 204, NULL, KH_LIT(""), NULL, 0);
	return e;
}

static enum kh_err me(struct kh_rest_call *call)
{
	const struct kh_who *who = &call->who;
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "id", who->id);
	yyjson_mut_obj_add_str(doc, obj, "name", who->name);
	yyjson_mut_obj_add_str(doc, obj, "role", kh_words_name(&kh_policy_role_words, who->role));
	if (who->context[0] != '\0')
		yyjson_mut_obj_add_str(doc, obj, "context", who->context);
	if (who->expires_at != 0)
		kh_json_add(doc, obj, "expires_at", kh_timestamp_text(call->arena, who->expires_at));
	return kh_rest_call_reply_object(call, 200, obj);
}

static enum kh_err policy(struct kh_rest_call *call)
{
	const struct kh_policy *in_force = kh_engine_policy(kh_gateway_engine(call->gateway));
	struct kh_view digest = kh_canonical_hex(call->arena, &in_force->digest), canonical, json;
	struct kh_buf buf;
	enum kh_err e = kh_policy_canonical(call->arena, in_force, &canonical, &call->err);

	if (e == KH_OK)
		e = kh_arena_check(call->arena);
	if (e != KH_OK)
		return e;
	kh_buf_init(&buf, call->arena, canonical.n + KH_REST_SMALL);
	kh_buf_lit(&buf, "{\"digest\":\"");
	kh_buf_add(&buf, digest);
	kh_buf_lit(&buf, "\",\"policy\":");
	kh_buf_add(&buf, canonical);
	kh_buf_byte(&buf, '}');
	e = kh_buf_end(&buf, &json);
	return e == KH_OK ? kh_rest_call_reply(call, json) : e;
}

static const struct kh_rest_route routes[] = {
	{
		.method = KH_HTTP_GET,
		.path = "/tokens",
		.name = "listTokens",
		.group = "tokens",
		.operation = kh_token_list_run,
		.summary = "List tokens",
		.about = "Without their secrets.  A host sees those that it made; at most 1000 at a time.",
		.query = list_query,
		.status = 200,
		.answer = "TokenList",
		.run = list,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/tokens",
		.name = "createToken",
		.group = "tokens",
		.operation = kh_token_create_run,
		.summary = "Make a token",
		.about = "One principal, and for a controller a fresh context.  `token` is shown this once.",
		.body = create_body,
		.limit = KH_REST_SMALL,
		.status = 201,
		.answer = "TokenCreated",
		.conflicts = true,
		.run = create,
	},
	{
		.method = KH_HTTP_DELETE,
		.path = "/tokens/{token}",
		.name = "revokeToken",
		.group = "tokens",
		.operation = kh_revoke_run,
		.summary = "Revoke a token",
		.about = "For good and at once.  A controller's open tasks are closed; what a Reader was asked fails.",
		.status = 204,
		.conflicts = true,
		.run = revoke,
	},
	{
		.method = KH_HTTP_GET,
		.path = "/me",
		.name = "getMe",
		.group = "about",
		.operation = kh_who_run,
		.summary = "Who the token says that the caller is",
		.about = "Its name, role, and a controller's context.",
		.status = 200,
		.answer = "Me",
		.fresh = true,
		.run = me,
	},
	{
		.method = KH_HTTP_GET,
		.path = "/policy",
		.name = "getPolicy",
		.group = "about",
		.operation = kh_who_run,
		.summary = "The policy in force",
		.about = "All of it, defaults included, and its digest: the version that grants are bound to.",
		.status = 200,
		.answer = "PolicyInForce",
		.fresh = true,
		.run = policy,
	},
};

const struct kh_rest_route *kh_rest_tokens_routes(size_t *ret_count)
{
	*ret_count = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
