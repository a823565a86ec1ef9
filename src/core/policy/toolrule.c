/*
 * Checks rules about upstream tools.  A key that has no meaning in its place is refused, because an operator could take
 * it for protection.
 */
#include "core/policy/toolrule.h"

#include "core/policy/field.h"
#include "core/policy/match.h"

#define IS_POINTER "a JSON pointer such as /state or /items/*/state, with * for every item at most once"
#define IS_VALUE   "a value of 1 to 64 letters, digits and _ . -"

#define VALUES  256  /* of an enum, as in a query (B3) */
#define ITEMS   1000 /* of an array */
#define POINTER 256  /* bytes */

const struct kh_words kh_toolrule_results_words =
	KH_WORDS([KH_RESULTS_SEALED] = "sealed", [KH_RESULTS_TYPED] = "typed", [KH_RESULTS_TRUSTED] = "trusted",
		 [KH_RESULTS_FENCED] = "fenced");
const struct kh_words kh_toolrule_elicitation_words =
	KH_WORDS([KH_ELICITATION_DECLINE] = "decline", [KH_ELICITATION_ASK] = "ask");

/* How many steps of a pointer are `*`. */
static size_t count_stars(struct kh_view pointer)
{
	struct kh_view rest = kh_view_from(pointer, 1), step;
	size_t stars = 0;

	while (kh_view_split(&rest, '/', &step))
		stars += kh_view_eq(step, KH_LIT("*"));
	return stars;
}

/* RFC 6901: each step after a slash; `~` only as ~0 or ~1. */
static bool is_pointer(struct kh_view text)
{
	if (text.n == 0 || text.p[0] != '/')
		return false;
	for (size_t i = 0; i < text.n; i++) {
		bool is_escape = text.p[i] != '~' || (i + 1 < text.n && (text.p[i + 1] == '0' || text.p[i + 1] == '1'));
		if ((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f || !is_escape)
			return false;
	}
	return count_stars(text) <= 1;
}

static bool is_value(struct kh_view text)
{
	return text.n >= 1 && text.n <= 64 && kh_view_is_word(text, "_.-");
}

/* Makes bounds that are left out recognisable: the least is past the greatest. */
static void start_member(const struct kh_outline *node, void *item)
{
	(void)node;
	*(struct kh_policy_member *)item = (struct kh_policy_member){.min = KH_SCHEMA_WHOLE, .max = -KH_SCHEMA_WHOLE};
}

static const struct kh_schema_field member_fields[] = {
	TEXT(kh_policy_member, name, true, 1, 64, kh_match_is_name, IS_NAME),
	TEXT(kh_policy_member, pointer, true, 1, POINTER, is_pointer, IS_POINTER),
	{FIELD(kh_policy_member, type, WORD), .needed = true, .words = &kh_policy_type_words},
	TEXTS(kh_policy_member, values, false, VALUES, is_value, IS_VALUE),
	WHOLE(kh_policy_member, min),
	WHOLE(kh_policy_member, max),
	NUMBER(kh_policy_member, most, 1, ITEMS),
};
const struct kh_shape kh_toolrule_member = LINED(member_fields, kh_policy_member, start_member);

struct walk {
	const struct kh_outline_source *source;
	struct kh_error *err;
	size_t rule; /* index */
};

static enum kh_err refuse(const struct walk *w, unsigned line, struct kh_view what, const char *expected)
{
	struct kh_view whole = kh_arena_printf(w->source->arena, "policy.tools[%zu]%.*s", w->rule, KH_FMT(what));

	return kh_outline_error(w->source, line, SIZE_MAX, whole, kh_view_str(expected), w->err);
}

static bool has_twice(const struct kh_texts *texts)
{
	for (size_t i = 1; i < texts->n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (kh_view_eq_nocase(texts->at[i], texts->at[j]))
				return true;
		}
	}
	return false;
}

/* Refuses keys that are not of the member's type. */
static enum kh_err check_strange(const struct walk *w, const struct kh_policy_member *m, struct kh_view path)
{
	bool has_bounds = m->min != KH_SCHEMA_WHOLE || m->max != -KH_SCHEMA_WHOLE;
	bool has_items = m->type == KH_POLICY_TYPE_LENGTH || count_stars(m->pointer) > 0;

	if (m->values.at != NULL && m->type != KH_POLICY_TYPE_ENUM)
		return refuse(w, m->line, kh_arena_printf(w->source->arena, "%.*s: values", KH_FMT(path)),
			      "them only for type enum");
	if (has_bounds && m->type != KH_POLICY_TYPE_INTEGER)
		return refuse(w, m->line, kh_arena_printf(w->source->arena, "%.*s: min or max", KH_FMT(path)),
			      "them only for type integer");
	if (m->most > 0 && !has_items)
		return refuse(w, m->line, kh_arena_printf(w->source->arena, "%.*s: most", KH_FMT(path)),
			      "it only for type length, or beside a pointer with *");
	if (m->most == 0 && has_items)
		return refuse(w, m->line, path, "the key most in it, the most items that the array may have");
	return KH_OK;
}

static enum kh_err check_member(const struct walk *w, const struct kh_policy_member *all, size_t i)
{
	const struct kh_policy_member *m = &all[i];
	struct kh_view path = kh_arena_printf(w->source->arena, ".fields[%zu]", i);

	for (size_t j = 0; j < i; j++) {
		if (kh_view_eq(m->name, all[j].name))
			return refuse(w, m->line,
				      kh_arena_printf(w->source->arena, "%.*s: the name stands twice", KH_FMT(path)),
				      "each name once");
	}
	if (m->type == KH_POLICY_TYPE_ENUM && m->values.n < 2)
		return refuse(w, m->line, path, "the key values in it, with two or more");
	if (m->type == KH_POLICY_TYPE_ENUM && has_twice(&m->values))
		return refuse(w, m->line, kh_arena_printf(w->source->arena, "%.*s.values", KH_FMT(path)),
			      "each value once, whatever the case of its letters");
	if (m->type == KH_POLICY_TYPE_INTEGER && m->min > m->max)
		return refuse(w, m->line, path, "the keys min and max in it, min not above max");
	return check_strange(w, m, path);
}

/* K11: Keyhole does not run the tools of a host, and never sees what they return before the host says it. */
static enum kh_err check_host(const struct walk *w, const struct kh_policy_rule *rule)
{
	struct kh_view server;
	bool is_hosts = kh_toolrule_server(rule->name, &server) && kh_view_eq(server, KH_LIT(KH_CONFIG_HOST));

	if (rule->own.n > 0 && !is_hosts)
		return refuse(w, rule->line, KH_LIT(": own"), "it only for the tools of a host, host__...");
	if (rule->own.n > 0 && rule->results != KH_RESULTS_TRUSTED)
		return refuse(w, rule->line, KH_LIT(": own"), "results: trusted beside it");
	if (is_hosts && (rule->results == KH_RESULTS_TYPED || rule->results == KH_RESULTS_FENCED))
		return refuse(w, rule->line, KH_LIT(".results"), "trusted or sealed for a host's own tool");
	if (is_hosts && rule->elicitation != KH_ELICITATION_DECLINE)
		return refuse(w, rule->line, KH_LIT(".elicitation"), "it only for upstream tools");
	return KH_OK;
}

static enum kh_err check_rule(const struct walk *w, const struct kh_policy *policy, const struct kh_policy_rule *rule)
{
	const struct kh_view *both = kh_schema_both(&rule->control_parameters, &rule->content_parameters);
	enum kh_err e = KH_OK;

	if (both != NULL)
		return refuse(w, rule->line,
			      kh_arena_printf(w->source->arena, ": %.*s in control_parameters and content_parameters",
					      KH_FMT(*both)),
			      "it in one of them");
	if (rule->fields.n > 0 && rule->results != KH_RESULTS_TYPED)
		return refuse(w, rule->line, KH_LIT(": fields"), "them only beside results: typed");
	if (rule->results == KH_RESULTS_FENCED && policy->fenced != KH_FENCED_ALLOW)
		return refuse(w, rule->line, KH_LIT(".results: fenced"), "fenced: allow in the policy beside it");
	e = check_host(w, rule);
	for (size_t i = 0; e == KH_OK && i < rule->fields.n; i++)
		e = check_member(w, rule->fields.at, i);
	return e;
}

enum kh_err kh_toolrule_check(const struct kh_outline_source *source, const struct kh_policy *policy,
			      struct kh_error *err)
{
	const struct kh_policy_rule *rules = policy->tools.at;
	struct walk w = {.source = source, .err = err};
	enum kh_err e = KH_OK;

	for (; e == KH_OK && w.rule < policy->tools.n; w.rule++)
		e = check_rule(&w, policy, &rules[w.rule]);
	return e;
}

bool kh_toolrule_server(struct kh_view name, struct kh_view *ret_server)
{
	size_t end = kh_view_find(name, KH_LIT("__"), 0);

	*ret_server = kh_view_sub(name, 0, end != SIZE_MAX ? end : name.n);
	return end != SIZE_MAX && memchr(name.p, '*', end) == NULL;
}

/* Whether the glob NAME can match a tool of SERVER: what stands before its first `*` agrees with `<server>__`. */
static bool may_be_of(struct kh_view name, struct kh_view server)
{
	const char *star = memchr(name.p, '*', name.n);
	size_t n = star != NULL ? (size_t)(star - name.p) : name.n;
	struct kh_view first = kh_view_sub(name, 0, n < server.n ? n : server.n);
	struct kh_view rest = kh_view_sub(name, first.n, n);

	return kh_view_starts(server, first) && (rest.n == 0 || kh_view_starts(KH_LIT("__"), kh_view_sub(rest, 0, 2)));
}

bool kh_toolrule_elicits(const struct kh_policy *policy, struct kh_view server)
{
	const struct kh_policy_rule *rules = policy->tools.at;

	for (size_t i = 0; i < policy->tools.n; i++) {
		if (rules[i].elicitation == KH_ELICITATION_ASK && may_be_of(rules[i].name, server))
			return true;
	}
	return false;
}
