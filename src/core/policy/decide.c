/*
 * The gates, one function each.  A gate passes a call only after it has checked it; every case that it does not know is
 * denied.  Text from agents is quoted in all messages.
 */
#include "core/policy/decide.h"

#include "base/buf.h"
#include "core/comm/operations.h"
#include "core/comm/phase.h"
#include "core/policy/allot.h"
#include "core/policy/hosttool.h"

#define WARN_PERCENT 80
#define SENTENCE     160 /* bytes of the sentence of a gate that passes */

const struct kh_words kh_decide_gate_words = KH_WORDS(
	[KH_GATE_DECLARATION] = "declaration", [KH_GATE_REGISTRATION] = "registration", [KH_GATE_PHASE] = "phase",
	[KH_GATE_PERMISSION] = "permission", [KH_GATE_TRUST_TIER] = "trust_tier", [KH_GATE_QUOTA] = "quota",
	[KH_GATE_RATE] = "rate", [KH_GATE_TAINT] = "taint", [KH_GATE_RISK] = "risk", [KH_GATE_APPROVAL] = "approval");

struct walk {
	struct kh_arena *arena;
	const struct kh_policy *policy;
	const struct kh_decide_request *request;
	const struct kh_decide_state *state;
	int64_t now;
	struct kh_decision *decision;
	struct kh_view name;        /* the operation's, in full */
	struct kh_error unknown;    /* why it has no row */
	struct kh_permit_call call; /* with the operation's row */
	bool own;                   /* Keyhole's own operation, which touches nothing outside */
	const struct kh_policy_rule *rule;
	struct kh_view path; /* of the rule */
	enum kh_tier tier;
	enum kh_ruling table; /* the ruling of the taint x risk table */
};

static void say(struct walk *w, struct kh_decide_answer *a, enum kh_ruling ruling, const char *code, const char *fmt,
		...) __attribute__((format(printf, 5, 6)));

static void say(struct walk *w, struct kh_decide_answer *a, enum kh_ruling ruling, const char *code, const char *fmt,
		...)
{
	va_list args;

	va_start(args, fmt);
	a->why = kh_arena_vprintf(w->arena, fmt, args);
	va_end(args);
	a->ruling = ruling;
	a->code = code;
}

/*
 * The same without printf, because it runs for every call that passes: each $ of PATTERN stands for the next of PARTS.
 */
static void tell(struct walk *w, struct kh_decide_answer *a, const char *pattern, const struct kh_view *parts)
{
	char text[SENTENCE];
	size_t n = 0;

	for (const char *p = pattern; *p != '\0' && n < sizeof(text); p++) {
		if (*p != '$') {
			text[n++] = *p;
			continue;
		}
		size_t more = parts->n < sizeof(text) - n ? parts->n : sizeof(text) - n;
		if (more > 0) /* a part for which there was no memory is empty; the arena remembers that */
			memcpy(text + n, parts->p, more);
		n += more;
		parts++;
	}
	a->why = kh_arena_dup(w->arena, kh_view_of(text, n));
	a->ruling = KH_ALLOW;
	a->code = "pass";
}

/* The gate passes, with WHY as its only message. */
static void pass(struct kh_decide_answer *a, struct kh_view why)
{
	a->why = why;
	a->ruling = KH_ALLOW;
	a->code = "pass";
}

#define DIGITS 20

static struct kh_view decimal(uint64_t n, char ret_digits[DIGITS])
{
	size_t at = DIGITS;

	do
		ret_digits[--at] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	return kh_view_of(ret_digits + at, DIGITS - at);
}

/* The gate decides by the operation's rule. */
static void by_rule(struct walk *w, struct kh_decide_answer *a)
{
	a->rule = w->path;
	a->line = w->rule->line;
}

static void gate_declaration(struct walk *w, struct kh_decide_answer *a)
{
	if (w->own) {
		pass(a, KH_LIT("Keyhole's own operation needs no declaration"));
		return;
	}
	switch (w->request->declared) {
	case KH_DECLARED_OK:
		pass(a, KH_LIT("the declaration is complete"));
		return;
	case KH_DECLARED_ASSUMED:
		pass(a, KH_LIT("no declaration was given; a good one is assumed"));
		return;
	case KH_DECLARED_SCREENED:
		say(w, a, KH_ALLOW, "declaration_screened", "the declaration has findings: a human decides");
		return;
	case KH_DECLARED_BAD:
		say(w, a, KH_DENY, "declaration_invalid", "the declaration was refused: %.*s",
		    KH_FMT(w->request->declared_why));
		return;
	case KH_DECLARED_NOT:
		break;
	}
	say(w, a, KH_DENY, "declaration_required", "an external operation has to be declared first");
}

static void gate_registration(struct walk *w, struct kh_decide_answer *a)
{
	if (w->own || w->call.operation != NULL)
		pass(a, KH_LIT("the operation is registered"));
	else
		say(w, a, KH_DENY, w->unknown.code, "%s", w->unknown.detail);
}

static void gate_phase(struct walk *w, struct kh_decide_answer *a)
{
	struct kh_error err;

	if (kh_phase_allows(w->arena, w->name, w->request->phase, &err) == KH_OK)
		pass(a, KH_LIT("the phase admits it"));
	else
		say(w, a, KH_DENY, err.code, "%s", err.detail);
}

/* Whether the network mode lets the call out. */
static bool network_admits(const struct walk *w)
{
	if (!kh_permit_is_network(&w->call, w->tier) || w->policy->network == KH_NETWORK_ON)
		return true;
	return w->policy->network == KH_NETWORK_READONLY && w->rule->effects == KH_EFFECT_NONE;
}

static void gate_permission(struct walk *w, struct kh_decide_answer *a)
{
	struct kh_error err;

	by_rule(w, a);
	if (w->rule->permission != KH_PERMISSION_ALLOW) {
		say(w, a, KH_DENY, "OPERATION_NOT_ALLOWED", "the rule denies it");
	} else if (!(w->rule->roles & 1U << w->request->role)) {
		say(w, a, KH_DENY, "role_not_allowed", "the rule does not name the role %s",
		    kh_words_name(&kh_policy_role_words, w->request->role));
	} else if (!network_admits(w)) {
		a->rule = KH_LIT("policy.network");
		a->line = 0;
		say(w, a, KH_DENY, "NETWORK_MODE_BLOCKED", "the network is %s",
		    w->policy->network == KH_NETWORK_OFF ? "off" : "for reading only, and this has effects");
	} else if (kh_permit_arguments(w->arena, w->rule, &w->call, &err) != KH_OK) {
		say(w, a, KH_DENY, err.code, "%s", err.detail);
	} else {
		pass(a, KH_LIT("the rule allows the operation and its arguments"));
	}
}

static void gate_trust_tier(struct walk *w, struct kh_decide_answer *a)
{
	const struct kh_tier_limits *limits = kh_tier_limits(w->tier);
	const char *tier = kh_words_name(&kh_tier_words, w->tier);

	by_rule(w, a);
	w->decision->limits = kh_allot_of(w->policy, w->rule, w->call.operation, w->call.parameters);
	if (w->decision->limits.seconds > limits->seconds)
		w->decision->limits.seconds = limits->seconds;
	if (w->call.upstream != NULL && w->decision->limits.seconds > w->call.upstream->seconds)
		w->decision->limits.seconds = w->call.upstream->seconds;
	w->decision->needs_admin = kh_tier_needs_admin(w->tier, w->rule->effects);
	if (w->rule->effects > limits->effects)
		say(w, a, KH_DENY, "tier_effects", "tier %s permits no effects of the kind %s", tier,
		    kh_words_name(&kh_tier_effect_words, w->rule->effects));
	else
		tell(w, a, "tier $$",
		     (struct kh_view[]){kh_view_str(tier),
					w->decision->needs_admin ? KH_LIT(": an admin has to approve") : KH_LIT("")});
}

static void gate_quota(struct walk *w, struct kh_decide_answer *a)
{
	const struct kh_tier_limits *limits = kh_tier_limits(w->tier);
	uint64_t used = w->state->egress_bytes, more = kh_permit_egress(&w->call), limit = w->policy->egress_bytes;
	char digits[3][DIGITS];

	if (!kh_quota_fits(w->state->running, 1, limits->concurrent)) {
		by_rule(w, a);
		say(w, a, KH_DENY, "concurrent_exceeded", "%llu calls are running, tier %s permits %u",
		    (unsigned long long)w->state->running, kh_words_name(&kh_tier_words, w->tier), limits->concurrent);
		return;
	}
	a->rule = KH_LIT("policy.egress_bytes");
	if (more > 0 && !kh_quota_fits(used, more, limit)) {
		say(w, a, KH_DENY, "egress_exceeded", "%llu bytes would go out after %llu, the task may send %llu",
		    (unsigned long long)more, (unsigned long long)used, (unsigned long long)limit);
		return;
	}
	w->decision->egress_bytes = more;
	w->decision->warn = (more > 0 && kh_quota_warns(used + more, limit, WARN_PERCENT)) ||
			    kh_quota_warns(w->state->running + 1, limits->concurrent, WARN_PERCENT);
	tell(w, a, "$ bytes go out, $ of $ are used",
	     (struct kh_view[]){decimal(more, digits[0]), decimal(used, digits[1]), decimal(limit, digits[2])});
}

static void gate_rate(struct walk *w, struct kh_decide_answer *a)
{
	static const struct kh_rate network = {KH_QUOTA_MINUTE, 10}; /* E5 */
	struct kh_rate rate = w->rule->rate;
	char digits[DIGITS];
	int64_t wait = 0;

	by_rule(w, a);
	if (rate.period == 0 && kh_permit_is_network(&w->call, w->tier))
		rate = network;
	rate = kh_quota_stricter(rate, kh_tier_limits(w->tier)->rate);
	struct kh_view text = kh_quota_text(w->arena, rate);
	uint64_t used = kh_quota_used(&w->state->quota, rate, w->now);
	w->decision->rate = rate;
	if (!kh_quota_admits(&w->state->quota, rate, w->now, &wait)) {
		w->decision->retry_after = wait;
		say(w, a, KH_DENY, "rate_limited", "the rate is %.*s; again in %lld seconds", KH_FMT(text),
		    (long long)wait / KH_QUOTA_SECOND + 1);
		return;
	}
	w->decision->warn = w->decision->warn || kh_quota_warns(used + 1, rate.count, WARN_PERCENT);
	tell(w, a, "the rate is $, $ used", (struct kh_view[]){text, decimal(used, digits)});
}

/* "policy.taint_risk.high.low": the cell that decides. */
static void by_cell(struct walk *w, struct kh_decide_answer *a)
{
	static const struct kh_view cells[3][3] = {
#define ROW(taint, name)                                                                    \
	[taint] = {[KH_RISK_LOW] = KH_LIT_INIT("policy.taint_risk." name ".low"),           \
		   [KH_RISK_MODERATE] = KH_LIT_INIT("policy.taint_risk." name ".moderate"), \
		   [KH_RISK_HIGH] = KH_LIT_INIT("policy.taint_risk." name ".high")}
		ROW(KH_TAINT_LOW, "low"), ROW(KH_TAINT_MEDIUM, "medium"), ROW(KH_TAINT_HIGH, "high")};

	a->rule = cells[w->request->taint][w->rule->risk];
	a->line = w->policy->taint_risk.line;
}

static void gate_taint(struct walk *w, struct kh_decide_answer *a)
{
	const char *taint = kh_words_name(&kh_label_taint_words, w->request->taint),
		   *risk = kh_words_name(&kh_risk_words, w->rule->risk);

	by_cell(w, a);
	w->table = kh_risk_decide(&w->policy->taint_risk, w->request->taint, w->rule->risk, w->request->suspicious);
	if (w->table == KH_DENY)
		say(w, a, KH_DENY, "taint_denied", "taint %s x risk %s: deny", taint, risk);
	else
		tell(w, a, "taint $ x risk $: $",
		     (struct kh_view[]){kh_view_str(taint), kh_view_str(risk),
					kh_view_str(kh_words_name(&kh_risk_ruling_words, w->table))});
}

static void gate_risk(struct walk *w, struct kh_decide_answer *a)
{
	by_cell(w, a);
	if (w->request->verified == KH_VERIFIED_FAILED)
		say(w, a, KH_DENY, "verification_failed", "the verification did not allow it");
	else if (w->table == KH_ALLOW)
		pass(a, KH_LIT("no verification is needed"));
	else if (w->request->verified == KH_VERIFIED_PASSED)
		pass(a, KH_LIT("the verification allowed it"));
	else
		say(w, a, KH_VERIFY, "verification_required", "%s",
		    w->request->suspicious ? "its arguments have findings: it has to be verified"
					   : "it has to be verified");
}

/* Why a human has to be asked, or NULL; *RET_CODE goes with it. */
static const char *asks(const struct walk *w, const char **ret_code)
{
	*ret_code = "APPROVAL_REQUIRED";
	if (w->request->declared == KH_DECLARED_SCREENED)
		return "the declaration has findings";
	if (w->decision->needs_admin)
		return "its tier needs an admin's approval";
	if (w->rule->approval == KH_APPROVAL_ASK)
		return "the rule asks for an approval";
	if (w->rule->approval == KH_APPROVAL_BY_RISK && w->rule->risk != KH_RISK_LOW)
		return "an operation of more than low risk is asked";
	if (!w->request->planned) {
		*ret_code = "OUTBOUND_REQUIRES_APPROVAL";
		return "the plan does not name it";
	}
	return NULL;
}

static void gate_approval(struct walk *w, struct kh_decide_answer *a)
{
	const char *code, *why = asks(w, &code);

	by_rule(w, a);
	if (why == NULL)
		pass(a, KH_LIT("no approval is needed"));
	else if (w->request->granted && (w->request->admin || !w->decision->needs_admin))
		say(w, a, KH_ALLOW, "REQUEST_APPROVED", "a grant covers it");
	else if (!kh_quota_fits(w->state->pending, 1, w->policy->approvals.max_pending))
		say(w, a, KH_DENY, "approvals_pending", "%s, and %llu approvals of the task are pending already", why,
		    (unsigned long long)w->state->pending);
	else
		say(w, a, KH_ASK, code, "%s", why);
}

typedef void gate_fn(struct walk *w, struct kh_decide_answer *a);

static gate_fn *const table[KH_GATE_COUNT] = {
	[KH_GATE_DECLARATION] = gate_declaration,
	[KH_GATE_REGISTRATION] = gate_registration,
	[KH_GATE_PHASE] = gate_phase,
	[KH_GATE_PERMISSION] = gate_permission,
	[KH_GATE_TRUST_TIER] = gate_trust_tier,
	[KH_GATE_QUOTA] = gate_quota,
	[KH_GATE_RATE] = gate_rate,
	[KH_GATE_TAINT] = gate_taint,
	[KH_GATE_RISK] = gate_risk,
	[KH_GATE_APPROVAL] = gate_approval,
};

struct kh_view kh_decide_name(struct kh_arena *arena, struct kh_view name)
{
	size_t at = kh_view_find(name, KH_LIT("__"), 0);

	if (at == SIZE_MAX || kh_view_starts(name, KH_LIT("comm.")))
		return name;
	struct kh_view full = {NULL, 0};
	struct kh_buf buf;
	/* Not with printf, because a name may hold a NUL and must not be cut there. */
	kh_buf_init(&buf, arena, name.n + sizeof("comm.mcp.."));
	kh_buf_lit(&buf, "comm.mcp.");
	kh_buf_add(&buf, kh_view_sub(name, 0, at));
	kh_buf_byte(&buf, '.');
	kh_buf_add(&buf, kh_view_from(name, at + 2));
	return kh_buf_end(&buf, &full) == KH_OK ? full : (struct kh_view){NULL, 0};
}

/*
 * Picks the deciding answer: the denial, else the first that needs verification, else the first that needs approval,
 * else the last.
 */
static void conclude(struct kh_decision *d)
{
	static const enum kh_ruling order[] = {KH_DENY, KH_VERIFY, KH_ASK};

	d->ruling = KH_ALLOW;
	d->deciding = &d->answers[d->count - 1];
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		for (size_t j = 0; j < d->count; j++) {
			if (d->answers[j].ruling == order[i]) {
				d->ruling = order[i];
				d->deciding = &d->answers[j];
				return;
			}
		}
	}
}

/* The operation's row, and the server that it goes to; none if it is Keyhole's own operation or is not registered. */
static void find_row(struct walk *w)
{
	struct kh_operation_name found;

	if (w->own || kh_operation_find(w->arena, &kh_operations_own, w->name, &found, &w->unknown) != KH_OK)
		return;
	w->call.operation = found.operation;
	struct kh_view server = kh_operation_server(&kh_operations_own, w->name, w->request->parameters);
	if (server.n > 0)
		w->call.upstream = kh_settings_server(w->policy, server);
}

enum kh_err kh_decide_run(struct kh_arena *arena, const struct kh_policy *policy,
			  const struct kh_decide_request *request, const struct kh_decide_state *state, int64_t now,
			  struct kh_decision *ret_decision)
{
	struct kh_decision *d = ret_decision;
	struct walk w = {
		.arena = arena, .policy = policy, .request = request, .state = state, .now = now, .decision = d};

	*d = (struct kh_decision){.ruling = KH_DENY};
	w.own = kh_phase_is_own(request->operation);
	w.name = kh_decide_name(arena, request->operation);
	w.call = (struct kh_permit_call){
		.parameters = request->parameters, .origins = request->origins, .origin_count = request->origin_count};
	find_row(&w);
	w.call.is_remote = kh_permit_is_remote(policy, &w.call);
	w.rule = kh_policy_rule(policy, arena, w.name, request->agent, &w.path);
	w.tier = w.rule->tier == KH_TIER_AUTO && request->reached != KH_TIER_AUTO
			 ? request->reached
			 : kh_policy_tier(policy, w.rule, w.name, request->parameters);
	if (w.tier >= KH_TIER_2 && kh_hosttool_is(w.name))
		w.call.upstream = NULL; /* its rule says that it reaches the network: arguments count as sent */
	/* Keyhole's own operations stop after the phase gate, because they touch nothing outside. */
	for (unsigned gate = 0; gate < (w.own ? KH_GATE_PERMISSION : KH_GATE_COUNT); gate++) {
		struct kh_decide_answer *a = &d->answers[d->count++];
		*a = (struct kh_decide_answer){.gate = gate, .ruling = KH_DENY, .rule = KH_LIT("built in")};
		table[gate](&w, a);
		if (a->ruling == KH_DENY)
			break;
	}
	conclude(d);
	return kh_arena_check(arena);
}
