/* `keyhole policy explain`: reads a request strictly, decides it, and writes the decision gate by gate. */
#include "core/policy/contract.h"

#include "core/comm/declaration.h"
#include "core/policy/config.h"
#include "core/policy/decide.h"

#define CODE     "request_invalid"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

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
	struct kh_view list = kh_words_list(r->call->arena, known);
	yyjson_val *stranger = kh_json_stranger(obj, known);

	if (!yyjson_is_obj(obj))
		return refuse(r, name, KH_LIT("an object"));
	if (stranger == NULL)
		return KH_OK;
	struct kh_view quoted = kh_arena_quote(r->call->arena, kh_json_str(stranger));
	return kh_error_set(r->err, KH_EINPUT, CODE, "%s: unknown member %.*s: expected %.*s", name, KH_FMT(quoted),
			    KH_FMT(list));
}

/* A member with one value, and where that goes in a struct request. */
struct member {
	const char *name;
	enum { TEXT, SWITCH, NUMBER, WORD } kind;
	size_t offset;
	const struct kh_words *words; /* of a WORD */
};

#define MEMBER(name, kind, at)                                 \
	{                                                      \
		name, kind, offsetof(struct request, at), NULL \
	}
#define CHOICE(name, at, words)                                    \
	{                                                          \
		name, WORD, offsetof(struct request, at), &(words) \
	}

static const struct member singles[] = {
	MEMBER("operation", TEXT, decide.operation),
	MEMBER("phase", TEXT, decide.phase),
	MEMBER("agent", TEXT, decide.agent),
	MEMBER("planned", SWITCH, decide.planned),
	MEMBER("suspicious", SWITCH, decide.suspicious),
	MEMBER("granted", SWITCH, decide.granted),
	MEMBER("admin", SWITCH, decide.admin),
	MEMBER("now", NUMBER, now),
	CHOICE("role", decide.role, kh_policy_role_words),
	CHOICE("taint", decide.taint, kh_label_taint_words),
	CHOICE("reached", decide.reached, kh_tier_words),
	CHOICE("verified", decide.verified, verified_words),
};

/* The counts that a request claims. */
static const struct member counts[] = {
	MEMBER("egress_bytes", NUMBER, state.egress_bytes),
	MEMBER("running", NUMBER, state.running),
	MEMBER("calls", NUMBER, calls),
	MEMBER("pending", NUMBER, state.pending),
};

/* Reads a member of OBJ; the request stays unchanged if it is left out. */
static enum kh_err take(struct request *r, yyjson_val *obj, const struct member *m)
{
	yyjson_val *val = kh_json_get(obj, m->name);
	void *at = (char *)r + m->offset;
	int64_t number;

	if (val == NULL)
		return KH_OK;
	switch (m->kind) {
	case TEXT:
		if (!yyjson_is_str(val))
			return refuse(r, m->name, KH_LIT("text"));
		*(struct kh_view *)at = kh_json_str(val);
		break;
	case SWITCH:
		if (!yyjson_is_bool(val))
			return refuse(r, m->name, KH_LIT("true or false"));
		*(bool *)at = yyjson_get_bool(val);
		break;
	case NUMBER:
		if (!kh_json_int(val, &number) || number < 0)
			return refuse(r, m->name, KH_LIT("an integer from 0"));
		*(uint64_t *)at = (uint64_t)number;
		break;
	case WORD:
		if (!kh_words_parse(m->words, kh_json_str(val), at))
			return refuse(r, m->name, kh_words_list(r->call->arena, m->words));
		break;
	}
	return KH_OK;
}

static enum kh_err take_all(struct request *r, yyjson_val *obj, const struct member *members, size_t count)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < count; i++)
		e = take(r, obj, &members[i]);
	return e;
}

static enum kh_err take_usage(struct request *r)
{
	yyjson_val *usage = kh_json_get(r->in, "usage");
	enum kh_err e = usage ? check_members(r, usage, "usage", &usage_words) : KH_OK;

	if (e == KH_OK)
		e = take_all(r, usage, counts, COUNT(counts));
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

static enum kh_err take_request(struct request *r)
{
	enum kh_err e = check_members(r, r->in, "request", &member_words);

	r->decide.parameters = kh_json_get(r->in, "parameters");
	if (e == KH_OK && !yyjson_is_str(kh_json_get(r->in, "operation")))
		e = refuse(r, "operation", KH_LIT("the name of an operation or tool"));
	if (e == KH_OK && r->decide.parameters != NULL && !yyjson_is_obj(r->decide.parameters))
		e = refuse(r, "parameters", KH_LIT("an object"));
	if (e == KH_OK)
		e = take_all(r, r->in, singles, COUNT(singles));
	if (e == KH_OK)
		e = take_usage(r);
	if (e == KH_OK)
		e = take_origins(r);
	return e == KH_OK ? take_declaration(r) : e;
}

static void add_answer(yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct kh_decide_answer *a)
{
	kh_json_add(doc, obj, "rule", a->rule);
	if (a->line > 0)
		yyjson_mut_obj_add_uint(doc, obj, "line", a->line);
	yyjson_mut_obj_add_str(doc, obj, "code", a->code);
	kh_json_add(doc, obj, "why", a->why);
}

static void add_limits(yyjson_mut_doc *doc, yyjson_mut_val *out, const struct kh_errand_limits *limits)
{
	yyjson_mut_val *obj = yyjson_mut_obj_add_obj(doc, out, "limits");

	yyjson_mut_obj_add_uint(doc, obj, "seconds", limits->seconds);
	yyjson_mut_obj_add_uint(doc, obj, "memory_bytes", limits->memory);
	yyjson_mut_obj_add_uint(doc, obj, "processes", limits->processes);
	yyjson_mut_obj_add_uint(doc, obj, "output_bytes", limits->output);
	yyjson_mut_obj_add_uint(doc, obj, "disk_bytes", limits->disk);
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
	if (d->limits.seconds > 0)
		add_limits(doc, out, &d->limits);
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
	struct request r = {.call = call,
			    .in = request,
			    .err = err,
			    .decide = {.phase = KH_LIT("execution"), .planned = true, .reached = KH_TIER_2},
			    .now = call->now > 0 ? call->now : 0};
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
