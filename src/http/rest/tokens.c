/* Tokens over HTTP.  A secret is sent once, in the answer to the caller who had it made, and is wiped from this
 * call's memory. */
#include "http/rest/tokens.h"

#include "engine/context/render_token.h"
#include "engine/task/revoke.h"

static void wipe(struct kh_view secret)
{
	if (secret.p != NULL)
		explicit_bzero((void *)(uintptr_t)secret.p, secret.n);
}

static enum kh_err reply_created(struct kh_rest_call *call, const struct kh_token_create *token)
{
	yyjson_mut_val *obj = kh_render_token_created(call->doc, call->arena, token);
	struct kh_view json = {NULL, 0};

	kh_json_add(call->doc, obj, "token", token->text);
	enum kh_err e = kh_json_write(call->arena, obj, &json);
	if (e == KH_OK)
		e = kh_rest_call_reply(call, json);
	wipe(json);
	return e;
}

enum kh_err kh_rest_tokens_create(struct kh_rest_call *call)
{
	struct kh_token_create token = {
		.name = kh_rest_call_body(call, "name")->text,
		.role = (enum kh_role)kh_rest_call_body(call, "role")->word,
		.of = kh_rest_call_body(call, "context")->text,
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

enum kh_err kh_rest_tokens_revoke(struct kh_rest_call *call)
{
	struct kh_revoke token = {.id = kh_http_request_segment(call->r, "token")};
	enum kh_err e = kh_rest_call_run(call, kh_revoke_run, &token);

	return e == KH_OK ? kh_rest_call_reply_nothing(call) : e;
}

enum kh_err kh_rest_tokens_me(struct kh_rest_call *call)
{
	return kh_rest_call_reply_object(call, kh_render_token_who(call->doc, call->arena, &call->who));
}

enum kh_err kh_rest_tokens_policy(struct kh_rest_call *call)
{
	const struct kh_policy *in_force = kh_engine_policy(kh_gateway_engine(call->gateway));
	struct kh_view json;
	enum kh_err e = kh_policy_json(call->arena, in_force, &json, &call->err);

	return e == KH_OK ? kh_rest_call_reply(call, json) : e;
}
