/*
 * Rules: from the table to one Hyperscan automaton.  The patterns are ours or the administrator's, never an attacker's;
 * the text they run over is.  Hyperscan takes its memory from malloc, as its allocator is one for the whole process.
 */
#include "core/screen/rules.h"

#include "core/screen/screen.h"

#include <hs.h>

#define RULE(name, code, severity, pattern, positive, negative) \
	{name, code, KH_SEVERITY_##severity, pattern, positive, negative},
static const struct kh_rule builtin[] = {
#include "core/screen/rules.def"
};
#undef RULE

#define BUILTIN_COUNT (sizeof(builtin) / sizeof(builtin[0]))
#define RULES_MAX     4096
#define WIDTH_MAX     512 /* bytes before its end in which the beginning of a match is looked for */

/* The built-in rules as the build compiled them. */
static const unsigned char prebuilt[] = {
#include "rules.inc"
};

struct kh_rules {
	struct kh_alloc alloc;
	hs_database_t *database;
	const struct kh_rule *extra;
	size_t extra_count;
};

const struct kh_rule *kh_rules_builtin(size_t *ret_count)
{
	*ret_count = BUILTIN_COUNT;
	return builtin;
}

static const struct kh_rule *rule_at(const struct kh_rule *extra, size_t id)
{
	return id < BUILTIN_COUNT ? &builtin[id] : &extra[id - BUILTIN_COUNT];
}

size_t kh_rules_count(const struct kh_rules *rules)
{
	return BUILTIN_COUNT + rules->extra_count;
}

const struct kh_rule *kh_rules_at(const struct kh_rules *rules, size_t id)
{
	return rule_at(rules->extra, id);
}

static enum kh_err check_extra(const struct kh_rule *extra, size_t count, struct kh_error *err)
{
	if (count > RULES_MAX)
		return kh_error_set(err, KH_ELIMIT, "too_many_rules", "at most %d rules can be added", RULES_MAX);
	for (size_t i = 0; i < count; i++) {
		if (extra[i].severity == KH_SEVERITY_NONE || !kh_screen_code_exists(extra[i].code))
			return kh_error_set(err, KH_EINPUT, "bad_rule",
					    "rule %.64s: its code or severity does not exist", extra[i].name);
		for (size_t j = 0; j < BUILTIN_COUNT + i; j++) {
			if (strcmp(extra[i].name, rule_at(extra, j)->name) == 0)
				return kh_error_set(err, KH_EINPUT, "bad_rule", "rule %.64s: there is one of that name",
						    extra[i].name);
		}
	}
	return KH_OK;
}

/* The automaton of the build, where there are no other rules and this machine can run it. */
static bool take_prebuilt(struct kh_rules *rules)
{
	return rules->extra_count == 0 &&
	       hs_deserialize_database((const char *)prebuilt, sizeof(prebuilt), &rules->database) == HS_SUCCESS;
}

static enum kh_err compile(struct kh_rules *rules, const char **patterns, unsigned *flags, unsigned *ids, size_t count,
			   struct kh_error *err)
{
	hs_compile_error_t *why = NULL;

	for (size_t i = 0; i < count; i++) {
		patterns[i] = rule_at(rules->extra, i)->pattern;
		flags[i] = KH_RULES_FLAGS;
		ids[i] = (unsigned)i;
	}
	hs_error_t e = hs_compile_multi(patterns, flags, ids, (unsigned)count, HS_MODE_BLOCK, NULL, &rules->database,
					&why);
	if (e == HS_SUCCESS)
		return KH_OK;
	enum kh_err result = KH_ENOMEM;
	if (why != NULL && why->expression >= 0 && (size_t)why->expression < count)
		result = kh_error_set(err, KH_EINPUT, "bad_rule", "rule %.64s: %.160s",
				      rule_at(rules->extra, (size_t)why->expression)->name, why->message);
	hs_free_compile_error(why);
	return result;
}

enum kh_err kh_rules_new(const struct kh_alloc *alloc, const struct kh_rule *extra, size_t extra_count,
			 struct kh_rules **ret_rules, struct kh_error *err)
{
	const struct kh_alloc *from = alloc ? alloc : &kh_alloc_system;
	size_t count = BUILTIN_COUNT + extra_count;
	enum kh_err e = check_extra(extra, extra_count, err);

	if (e != KH_OK)
		return e;
	struct kh_rules *rules = kh_alloc_zero(from, sizeof(*rules));
	const char **patterns = kh_alloc_array(from, count, sizeof(*patterns));
	unsigned *flags = kh_alloc_array(from, count, 2 * sizeof(*flags));
	if (rules == NULL || patterns == NULL || flags == NULL) {
		e = KH_ENOMEM;
	} else {
		*rules = (struct kh_rules){*from, NULL, extra, extra_count};
		e = take_prebuilt(rules) ? KH_OK : compile(rules, patterns, flags, flags + count, count, err);
	}
	kh_alloc_free(from, patterns, count * sizeof(*patterns));
	kh_alloc_free(from, flags, count * 2 * sizeof(*flags));
	if (e == KH_OK)
		*ret_rules = rules;
	else
		kh_alloc_free(from, rules, sizeof(*rules));
	return e;
}

void kh_rules_free(struct kh_rules *rules)
{
	if (rules == NULL)
		return;
	hs_free_database(rules->database);
	struct kh_alloc alloc = rules->alloc;
	kh_alloc_free(&alloc, rules, sizeof(*rules));
}

void *kh_rules_scratch_new(const struct kh_rules *rules)
{
	hs_scratch_t *scratch = NULL;

	return hs_alloc_scratch(rules->database, &scratch) == HS_SUCCESS ? scratch : NULL;
}

void kh_rules_scratch_free(void *scratch)
{
	hs_free_scratch(scratch);
}

struct found {
	kh_rules_found *fn;
	void *ctx;
};

static int on_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *ctx)
{
	const struct found *found = ctx;

	(void)from;
	(void)flags;
	return found->fn(found->ctx, id, (size_t)to);
}

enum kh_err kh_rules_scan(const struct kh_rules *rules, void *scratch, struct kh_view text, kh_rules_found *found,
			  void *ctx)
{
	struct found match = {found, ctx};

	if (text.n == 0)
		return KH_OK;
	if (text.n > UINT32_MAX)
		return KH_ELIMIT;
	hs_error_t e = hs_scan(rules->database, text.p, (unsigned)text.n, 0, scratch, on_match, &match);
	return e == HS_SUCCESS || e == HS_SCAN_TERMINATED ? KH_OK : KH_ENOMEM;
}

struct wanted {
	size_t id, end;
	bool seen;
};

static bool on_wanted(void *ctx, size_t id, size_t end)
{
	struct wanted *w = ctx;

	w->seen = w->seen || (id == w->id && end == w->end);
	return w->seen;
}

/* True where the rule still matches up to END when the text begins at START only. */
static bool matches_from(const struct kh_rules *rules, void *scratch, struct kh_view text, size_t id, size_t start,
			 size_t end)
{
	struct wanted w = {id, end - start, false};

	return kh_rules_scan(rules, scratch, kh_view_sub(text, start, end), on_wanted, &w) == KH_OK && w.seen;
}

size_t kh_rules_start(const struct kh_rules *rules, void *scratch, struct kh_view text, size_t id, size_t end)
{
	size_t low = end > WIDTH_MAX ? end - WIDTH_MAX : 0, high = end;

	/* Matches from LOW (or beyond reach), does not from HIGH. */
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		if (matches_from(rules, scratch, text, id, mid, end))
			low = mid;
		else
			high = mid;
	}
	return low;
}
