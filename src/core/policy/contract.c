/* `keyhole policy explain`: reads a request strictly, decides it, and writes the decision gate by gate. */
#include "core/policy/contract.h"

#include "core/comm/declaration.h"
#include "core/policy/config.h"
#include "core/policy/decide.h"

#define CODE "request_invalid"

/* The members of a request, in the order of the documentation. */

static const struct kh_words member_words = KH_WORDS("operation", "parameters", "phase", "planned", "role", "agent",
						     "declaration", "reached", "taint", "suspicious", "verified",
						     "granted", "admin", "origins", "usage", "now");
static const struct kh_words usage_words = KH_WORDS("egress_bytes", "running", "calls", "pending");
static const struct kh_words verified_words =
	KH_WORDS([KH_VERIFIED_NOT] = "not", [KH_VERIFIED_PASSED] = "passed", [KH_VERIFIED_FAILED] = "failed");

struct request {
	struct kh_call *call;
	yyjson_val *in;
	struct kh_error *err;
	struct kh_decide_request decide;
	struct kh_decide_state state;
	uint64_t calls;
	int64_t now;
};

static enum kh_err refuse(struct request *r, const char *member, struct kh_view expected)
{
	return kh_error_member(r->err, kh_view_str(member),
			       kh_error_set(r->err, KH_EINPUT, CODE, "%s: expected %.*s", member, KH_FMT(expected)));
}

static enum kh_err check_members(struct request *r, yyjson_val *obj, const char *name, const struct kh_words *known)
{
	struct kh_arena *arena = r->call->arena;
	struct kh_view list = kh_words_list(arena, known);
	unsigned which;

	if (!yyjson_is_obj(obj))
		return refuse(r, name, KH_LIT("an object"));
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);
	for (yyjson_val *key; (key = yyjson_obj_iter_next(&iter)) != NULL;) {
		struct kh_view quoted = kh_arena_quote(arena, kh_json_str(key));
		if (!kh_words_parse(known, kh_json_str(key), &which))
			return kh_error_set(r->err, KH_EINPUT, CODE, "%s: unknown member %.*s: expected %.*s", name,
					    KH_FMT(quoted), KH_FMT(list));
	}
	return KH_OK;
}

/* Reads a word of a table; *RET_VALUE stays unchanged if the member is left out. */
static enum kh_err take_word(struct request *r, const char *member, const struct kh_words *words, unsigned *ret_value)
{
	yyjson_val *val = kh_json_get(r->in, member);

	if (val == NULL || kh_words_parse(words, kh_json_str(val), ret_value))
		return KH_OK;
	return refuse(r, member, kh_words_list(r->call->arena, words));
}

static enum kh_err take_bool(struct request *r, const char *member, bool *ret_value)
{
	yyjson_val *val = kh_json_get(r->in, member);

	if (val != NULL && !yyjson_is_bool(val))
		return refuse(r, member, KH_LIT("true or false"));
	if (val != NULL)
		*ret_value = yyjson_get_bool(val);
	return KH_OK;
}

static enum kh_err take_number(struct request *r, yyjson_val *obj, const char *member, uint64_t *ret_value)
{
	yyjson_val *val = kh_json_get(obj, member);
	int64_t n;

	if (val == NULL)
		return KH_OK;
	if (!kh_json_int(val, &n) || n < 0)
		return refuse(r, member, KH_LIT("an integer from 0"));
	*ret_value = (uint64_t)n;
	return KH_OK;
}

static enum kh_err take_text(struct request *r, const char *member, struct kh_view *ret_text)
{
	yyjson_val *val = kh_json_get(r->in, member);

	if (val != NULL && !yyjson_is_str(val))
		return refuse(r, member, KH_LIT("text"));
	if (val != NULL)
		*ret_text = kh_json_str(val);
	return KH_OK;
}

/* Reads the counts that a request claims: {"egress_bytes","running","calls","pending"}. */
static enum kh_err take_usage(struct request *r)
{
	yyjson_val *usage = kh_json_get(r->in, "usage");
	enum kh_err e = usage ? check_members(r, usage, "usage", &usage_words) : KH_OK;

	if (e == KH_OK)
		e = take_number(r, usage, "egress_bytes", &r->state.egress_bytes);
	if (e == KH_OK)
		e = take_number(r, usage, "running", &r->state.running);
	if (e == KH_OK)
		e = take_number(r, usage, "calls", &r->calls);
	if (e == KH_OK)
		e = take_number(r, usage, "pending", &r->state.pending);
	/*
	 * These calls have no time, so they count as made just now: the state has no period, as after a changed rate.
	 */
	r->state.quota.used[0] = r->calls < UINT32_MAX ? (uint32_t)r->calls : UINT32_MAX;
	return e;
}

/* {"b003":"www.example.com",...} */
static enum kh_err take_origins(struct request *r)
{
	yyjson_val *val = kh_json_get(r->in, "origins"), *key;
	struct kh_permit_origin *origins = KH_NEW_N(r->call->arena, struct kh_permit_origin, yyjson_obj_size(val));
	size_t n = 0;

	if (val != NULL && !yyjson_is_obj(val))
		return refuse(r, "origins", KH_LIT("an object of block ids and where they came from"));
	yyjson_obj_iter iter = yyjson_obj_iter_with(val);
	while (origins != NULL && (key = yyjson_obj_iter_next(&iter)) != NULL) {
		yyjson_val *origin = yyjson_obj_iter_get_val(key);
		if (!yyjson_is_str(origin))
			return refuse(r, "origins", KH_LIT("text for each block"));
		origins[n++] = (struct kh_permit_origin){.block = kh_json_str(key), .origin = kh_json_str(origin)};
	}
	r->decide.origins = origins;
	r->decide.origin_count = n;
	return KH_OK;
}

static bool declares(const struct kh_declarations *list, struct kh_view operation)
{
	for (size_t i = 0; i < list->n; i++) {
		if (kh_view_eq(list->at[i].operation.full, operation))
			return true;
	}
	return false;
}

/* Reads the declaration as src/core/comm does.  If there is none, a good one is assumed, because this only explains. */
static enum kh_err take_declaration(struct request *r)
{
	yyjson_val *val = kh_json_get(r->in, "declaration");
	struct kh_arena *arena = r->call->arena;
	struct kh_declarations list = {.at = NULL};
	struct kh_reasons errors, review;

	r->decide.declared = KH_DECLARED_ASSUMED;
	if (val == NULL)
		return KH_OK;
	kh_reasons_init(&errors, arena);
	kh_reasons_init(&review, arena);
	enum kh_err e = kh_declaration_check(arena, r->call->screen, val, KH_LIT(""), &list, &errors, &review);
	if (e != KH_OK)
		return kh_error_set(r->err, e, NULL, "the declaration could not be checked");
	r->decide.declared = review.n > 0 ? KH_DECLARED_SCREENED : KH_DECLARED_OK;
	if (errors.n > 0) {
		r->decide.declared = KH_DECLARED_BAD;
		r->decide.declared_why = kh_arena_printf(arena, "%.*s%s%.*s", KH_FMT(errors.at[0].member),
							 errors.at[0].member.n ? ": " : "",
							 KH_FMT(errors.at[0].detail));
	} else if (!declares(&list, kh_decide_name(arena, r->decide.operation))) {
		r->decide.declared = KH_DECLARED_BAD;
		r->decide.declared_why = KH_LIT("it declares another operation");
	}
	return KH_OK;
}

static enum kh_err take_words(struct request *r)
{
	unsigned role = KH_ROLE_CONTROLLER, taint = KH_TAINT_LOW, reached = KH_TIER_2, verified = KH_VERIFIED_NOT;
	enum kh_err e = take_word(r, "role", &kh_policy_role_words, &role);

	if (e == KH_OK)
		e = take_word(r, "taint", &kh_label_taint_words, &taint);
	if (e == KH_OK)
		e = take_word(r, "reached", &kh_tier_words, &reached);
	if (e == KH_OK)
		e = take_word(r, "verified", &verified_words, &verified);
	r->decide.role = role;
	r->decide.taint = taint;
	r->decide.reached = reached;
	r->decide.verified = verified;
	return e;
}

static enum kh_err take_request(struct request *r)
{
	uint64_t now = r->call->now > 0 ? (uint64_t)r->call->now : 0;
	enum kh_err e = check_members(r, r->in, "request", &member_words);

	r->decide.phase = KH_LIT("execution");
	r->decide.planned = true;
	r->decide.parameters = kh_json_get(r->in, "parameters");
	if (e == KH_OK && !yyjson_is_str(kh_json_get(r->in, "operation")))
		e = refuse(r, "operation", KH_LIT("the name of an operation or tool"));
	if (e == KH_OK && r->decide.parameters != NULL && !yyjson_is_obj(r->decide.parameters))
		e = refuse(r, "parameters", KH_LIT("an object"));
	if (e == KH_OK)
		e = take_text(r, "operation", &r->decide.operation);
	if (e == KH_OK)
		e = take_text(r, "phase", &r->decide.phase);
	if (e == KH_OK)
		e = take_text(r, "agent", &r->decide.agent);
	if (e == KH_OK)
		e = take_bool(r, "planned", &r->decide.planned);
	if (e == KH_OK)
		e = take_bool(r, "suspicious", &r->decide.suspicious);
	if (e == KH_OK)
		e = take_bool(r, "granted", &r->decide.granted);
	if (e == KH_OK)
		e = take_bool(r, "admin", &r->decide.admin);
	if (e == KH_OK)
		e = take_number(r, r->in, "now", &now);
	if (e == KH_OK)
		e = take_words(r);
	if (e == KH_OK)
		e = take_usage(r);
	if (e == KH_OK)
		e = take_origins(r);
	r->now = (int64_t)now;
	return e ? e : take_declaration(r);
}

static void add_answer(yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct kh_decide_answer *a)
{
	kh_json_add(doc, obj, "rule", a->rule);
	if (a->line > 0)
		yyjson_mut_obj_add_uint(doc, obj, "line", a->line);
	yyjson_mut_obj_add_str(doc, obj, "code", a->code);
	kh_json_add(doc, obj, "why", a->why);
}

static yyjson_mut_val *explanation(struct kh_call *call, const struct kh_decision *d)
{
	yyjson_mut_doc *doc = call->doc;
	yyjson_mut_val *out = yyjson_mut_obj(doc), *list;

	yyjson_mut_obj_add_str(doc, out, "decision", kh_words_name(&kh_risk_ruling_words, d->ruling));
	yyjson_mut_obj_add_str(doc, out, "gate", kh_words_name(&kh_decide_gate_words, d->deciding->gate));
	add_answer(doc, out, d->deciding);
	if (d->retry_after > 0)
		yyjson_mut_obj_add_int(doc, out, "retry_after_ms", (d->retry_after + 999) / 1000);
	list = yyjson_mut_obj_add_arr(doc, out, "gates");
	for (size_t i = 0; i < d->count; i++) {
		const struct kh_decide_answer *a = &d->answers[i];
		yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list);
		yyjson_mut_obj_add_str(doc, obj, "gate", kh_words_name(&kh_decide_gate_words, a->gate));
		yyjson_mut_obj_add_str(doc, obj, "result",
				       a->ruling == KH_ALLOW ? "pass"
							     : kh_words_name(&kh_risk_ruling_words, a->ruling));
		add_answer(doc, obj, a);
	}
	return out;
}

enum kh_err kh_policy_contract_explain(struct kh_call *call, struct kh_view text, struct kh_view file,
				       yyjson_val *request, yyjson_mut_val **ret_out, struct kh_error *err)
{
	struct request r = {.call = call, .in = request, .err = err};
	const struct kh_policy *policy;
	struct kh_decision decision;
	struct kh_error why;
	yyjson_mut_val *out;
	enum kh_err e = take_request(&r);

	if (e != KH_OK)
		return e;
	e = kh_config_policy(call->arena, text, file, &policy, &why);
	if (e == KH_OK)
		e = kh_decide_run(call->arena, policy, &r.decide, &r.state, r.now, &decision);
	if (kh_arena_check(call->arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to explain a policy");
	if (e == KH_OK) {
		out = explanation(call, &decision);
	} else {
		why.offset = SIZE_MAX; /* the offset is in the policy's file, which is not this call's input */
		out = yyjson_mut_obj(call->doc);
		yyjson_mut_obj_add_val(call->doc, out, "error", kh_json_error(call->doc, &why));
	}
	if (kh_arena_check(call->arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to explain a policy");
	*ret_out = out;
	return KH_OK;
}
