/* Tokens over HTTP.  A secret is sent once, in the answer to the caller who had it made, and is wiped from this
 * call's memory. */
#include "http/rest/tokens.h"

#include "base/canonical.h"
#include "base/timestamp.h"
#include "engine/context/token.h"
#include "engine/task/revoke.h"

enum kh_err kh_rest_tokens_list(struct kh_rest_call *call)
{
	struct kh_token_list tokens = {
		.all = kh_rest_call_query(call, "all")->number != 0,
		.after = kh_rest_call_query(call, "after")->text,
	};

	return kh_rest_call_list(call, kh_token_list_run, &tokens, &tokens.json, &tokens.next);
}

static void wipe(struct kh_view secret)
{
	if (secret.p != NULL)
		explicit_bzero((void *)(uintptr_t)secret.p, secret.n);
}

static enum kh_err reply_created(struct kh_rest_call *call, const struct kh_token_create *token)
{
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);
	struct kh_view json = {NULL, 0};

	kh_json_add(call->doc, obj, "id", token->id);
	kh_json_add(call->doc, obj, "name", token->name);
	yyjson_mut_obj_add_str(call->doc, obj, "role", kh_words_name(&kh_policy_role_words, token->role));
	if (token->context.n > 0)
		kh_json_add(call->doc, obj, "context", token->context);
	if (token->expires_at != 0)
		kh_json_add(call->doc, obj, "expires_at", kh_timestamp_text(call->arena, token->expires_at));
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
	const struct kh_who *who = &call->who;
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);

	yyjson_mut_obj_add_str(call->doc, obj, "id", who->id);
	yyjson_mut_obj_add_str(call->doc, obj, "name", who->name);
	yyjson_mut_obj_add_str(call->doc, obj, "role", kh_words_name(&kh_policy_role_words, who->role));
	if (who->context[0] != '\0')
		yyjson_mut_obj_add_str(call->doc, obj, "context", who->context);
	if (who->expires_at != 0)
		kh_json_add(call->doc, obj, "expires_at", kh_timestamp_text(call->arena, who->expires_at));
	return kh_rest_call_reply_object(call, obj);
}

enum kh_err kh_rest_tokens_policy(struct kh_rest_call *call)
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
