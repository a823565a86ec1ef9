/*
 * Rules: the table, the automata made from it, and scanning with them.  The patterns are ours or the administrator's,
 * never an attacker's; the scanned text is hostile.  Vectorscan takes its memory from malloc, because it has one
 * allocator for the whole process.
 */
#include "core/screen/rules.h"

#include "core/screen/automata.h"
#include "core/screen/prescan.h"
#include "core/screen/screen.h"

#define RULE(name, code, severity, triggers, pattern, positive, negative) \
	{name, code, KH_SEVERITY_##severity, triggers, pattern, positive, negative},
static const struct kh_rule builtin[] = {
#include "core/screen/rules.def"
};
#undef RULE

#define BUILTIN_COUNT (sizeof(builtin) / sizeof(builtin[0]))
#define RULES_MAX     4096
#define WIDTH_MAX     512 /* bytes before the end of a match that are searched for its beginning */

#define CHUNK        32768 /* bytes that are searched for triggers at a time, so that they stay in the cache */
#define NEAR         128   /* bytes before and after a trigger that all rules scan */
#define BLOCK        KH_PRESCAN_BLOCK
#define CHUNK_BLOCKS (CHUNK / BLOCK)

/* The built-in rules as the build compiled them: prebuilt_all, prebuilt_triggers, prebuilt_always. */
#include "rules.inc"

struct kh_rules {
	struct kh_alloc alloc;
	struct kh_automata automata;
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

/* Takes the automata of the build; false if this machine cannot run them.  Only for the built-in rules. */
static bool take_prebuilt(struct kh_automata *a)
{
	if (hs_deserialize_database((const char *)prebuilt_all, sizeof(prebuilt_all), &a->all) == HS_SUCCESS &&
	    hs_deserialize_database((const char *)prebuilt_triggers, sizeof(prebuilt_triggers), &a->triggers) ==
		    HS_SUCCESS &&
	    (sizeof(prebuilt_always) == 1 || /* there may be no such rules */
	     hs_deserialize_database((const char *)prebuilt_always, sizeof(prebuilt_always), &a->always) == HS_SUCCESS))
		return true;
	kh_automata_done(a);
	return false;
}

enum kh_err kh_rules_new(const struct kh_alloc *alloc, const struct kh_rule *extra, size_t extra_count,
			 struct kh_rules **ret_rules, struct kh_error *err)
{
	const struct kh_alloc *from = alloc ? alloc : &kh_alloc_system;
	enum kh_err e = check_extra(extra, extra_count, err);

	if (e != KH_OK)
		return e;
	struct kh_rules *rules = kh_alloc_zero(from, sizeof(*rules));
	if (rules == NULL)
		return KH_ENOMEM;
	rules->alloc = *from;
	rules->extra = extra;
	rules->extra_count = extra_count;
	if (extra_count > 0 || !take_prebuilt(&rules->automata))
		e = kh_automata_compile(from, (struct kh_rule_table){builtin, BUILTIN_COUNT, extra, extra_count}, NULL,
					&rules->automata, err);
	if (e == KH_OK)
		*ret_rules = rules;
	else
		kh_rules_free(rules);
	return e;
}

void kh_rules_free(struct kh_rules *rules)
{
	if (rules == NULL)
		return;
	kh_automata_done(&rules->automata);
	struct kh_alloc alloc = rules->alloc;
	kh_alloc_free(&alloc, rules, sizeof(*rules));
}

void *kh_rules_scratch_new(const struct kh_rules *rules)
{
	hs_scratch_t *scratch = NULL;

	if (hs_alloc_scratch(rules->automata.all, &scratch) == HS_SUCCESS &&
	    hs_alloc_scratch(rules->automata.triggers, &scratch) == HS_SUCCESS &&
	    (rules->automata.always == NULL || hs_alloc_scratch(rules->automata.always, &scratch) == HS_SUCCESS))
		return scratch;
	hs_free_scratch(scratch);
	return NULL;
}

void kh_rules_scratch_free(void *scratch)
{
	hs_free_scratch(scratch);
}

/* A part of the text being scanned. */
struct part {
	const struct kh_rules_sink *sink;
	size_t offset; /* of the part in the text */
	bool ended;
};

static int on_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *ctx)
{
	struct part *part = ctx;

	(void)from;
	(void)flags;
	part->ended = part->sink->found(part->sink->ctx, id, part->offset + (size_t)to);
	return part->ended;
}

/* Scans bytes [start, end) of TEXT as if there were no others. */
static enum kh_err scan_part(const hs_database_t *database, void *scratch, struct kh_view text, size_t start,
			     size_t end, struct part *part)
{
	struct kh_view v = kh_view_sub(text, start, end);

	part->offset = start;
	if (v.n == 0 || part->ended)
		return KH_OK;
	if (v.n > UINT32_MAX)
		return KH_ELIMIT;
	hs_error_t e = hs_scan(database, v.p, (unsigned)v.n, 0, scratch, on_match, part);
	return e == HS_SUCCESS || e == HS_SCAN_TERMINATED ? KH_OK : KH_ENOMEM;
}

enum kh_err kh_rules_scan(const struct kh_rules *rules, void *scratch, struct kh_view text,
			  const struct kh_rules_sink *sink)
{
	struct part part = {.sink = sink};

	return scan_part(rules->automata.all, scratch, text, 0, text.n, &part);
}

/* The neighbourhoods of a chunk: one mark for each block, with some before the chunk and after it. */
struct chunk {
	const struct kh_rules_sink *sink;
	size_t first; /* block of the text that mark BEFORE stands for */
	unsigned char marks[CHUNK_BLOCKS + 2 * (NEAR / BLOCK) + 2];
};

#define BEFORE (NEAR / BLOCK) /* marks before the chunk's own */

/* Marks WIDTH blocks before and after mark I. */
static void mark(struct chunk *c, size_t i, size_t width)
{
	size_t low = i > width ? i - width : 0;
	size_t high = i + width < sizeof(c->marks) - 1 ? i + width : sizeof(c->marks) - 1;

	memset(c->marks + low, 1, high - low + 1);
}

static int on_trigger(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *ctx)
{
	struct chunk *c = ctx;

	(void)from;
	(void)flags;
	if (!c->sink->enough(c->sink->ctx, id))
		mark(c, BEFORE + ((size_t)to - 1) / BLOCK, BEFORE);
	return 0;
}

static bool is_word(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || c == '_';
}

/*
 * An offset at or before START at which the text can be cut without making a rule match that would not match otherwise:
 * the last letter of a word, so that neither a line nor the next word begins there.
 */
static size_t cut(struct kh_view text, size_t start)
{
	for (size_t i = start; i > 0 && start - i < BLOCK; i--) {
		if (is_word(text.p[i]) && !is_word(text.p[i + 1]))
			return i;
	}
	return start < BLOCK ? 0 : start;
}

/* Scans each run of marked blocks with the rules. */
static enum kh_err scan_marked(const struct kh_rules *rules, void *scratch, struct kh_view text, const struct chunk *c,
			       struct part *part)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < sizeof(c->marks) && e == KH_OK; i++) {
		size_t from = i;
		while (i < sizeof(c->marks) && c->marks[i])
			i++;
		if (i == from)
			continue;
		/* The first marks may be for blocks before the beginning of the text. */
		size_t start = c->first + from > BEFORE ? (c->first + from - BEFORE) * BLOCK : 0;
		size_t end = c->first + i > BEFORE ? (c->first + i - BEFORE) * BLOCK : 0;
		e = scan_part(rules->automata.all, scratch, text, start + 1 < text.n ? cut(text, start) : start, end,
			      part);
	}
	return e;
}

enum kh_err kh_rules_search(const struct kh_rules *rules, void *scratch, struct kh_view text,
			    const unsigned char *blocks, const struct kh_rules_sink *sink)
{
	struct part part = {.sink = sink};
	enum kh_err e = KH_OK;

	if (rules->automata.always != NULL)
		e = scan_part(rules->automata.always, scratch, text, 0, text.n, &part);
	for (size_t at = 0; at < text.n && e == KH_OK && !part.ended; at += CHUNK) {
		size_t from = at > KH_AUTOMATA_TRIGGER ? at - KH_AUTOMATA_TRIGGER : 0,
		       end = text.n - at < CHUNK ? text.n : at + CHUNK;
		struct chunk c = {.sink = sink, .first = from / BLOCK};
		struct kh_view v = kh_view_sub(text, from, end);
		if (hs_scan(rules->automata.triggers, v.p, (unsigned)v.n, 0, scratch, on_trigger, &c) != HS_SUCCESS)
			return KH_ENOMEM;
		for (size_t i = 0; i < (v.n + BLOCK - 1) / BLOCK; i++) {
			if ((blocks[c.first + i] & KH_PRESCAN_SYMBOL) != 0)
				mark(&c, BEFORE + i, 1);
		}
		e = scan_marked(rules, scratch, text, &c, &part);
	}
	return e;
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

/* True if the rule still matches up to END if the text begins at START. */
static bool matches_from(const struct kh_rules *rules, void *scratch, struct kh_view text, size_t id, size_t start,
			 size_t end)
{
	struct wanted w = {id, end - start, false};
	struct kh_rules_sink sink = {.found = on_wanted, .ctx = &w};

	return kh_rules_scan(rules, scratch, kh_view_sub(text, start, end), &sink) == KH_OK && w.seen;
}

size_t kh_rules_start(const struct kh_rules *rules, void *scratch, struct kh_view text, size_t id, size_t end)
{
	size_t low = end > WIDTH_MAX ? end - WIDTH_MAX : 0, high = end;

	/* The rule matches from LOW (or LOW is out of reach), and does not match from HIGH. */
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		if (matches_from(rules, scratch, text, id, mid, end))
			low = mid;
		else
			high = mid;
	}
	return low;
}
