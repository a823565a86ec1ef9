/*
 * Rules: from the table to one Hyperscan automaton.  The patterns are ours or the administrator's, never an attacker's;
 * the text they run over is.  Hyperscan takes its memory from malloc, as its allocator is one for the whole process.
 */
#include "core/screen/rules.h"

#include "core/screen/prescan.h"
#include "core/screen/screen.h"

#include <hs.h>

/* What a row says instead of literals: each match has a symbol; or it is only looked for in close reading. */
#define SYMBOL ""
#define CLOSE  ""
#define RULE(name, code, severity, triggers, pattern, positive, negative) \
	{name, code, KH_SEVERITY_##severity, triggers, pattern, positive, negative},
static const struct kh_rule builtin[] = {
#include "core/screen/rules.def"
};
#undef RULE

#define BUILTIN_COUNT (sizeof(builtin) / sizeof(builtin[0]))
#define RULES_MAX     4096
#define FLAGS         (HS_FLAG_CASELESS | HS_FLAG_MULTILINE)
#define WIDTH_MAX     512 /* bytes before its end in which the beginning of a match is looked for */

#define CHUNK        32768 /* bytes that are searched for triggers at a time: they stay in the cache */
#define OVERLAP      64    /* no trigger is longer */
#define NEAR         128   /* bytes before and after a trigger that are read closely */
#define BLOCK        KH_PRESCAN_BLOCK
#define CHUNK_BLOCKS (CHUNK / BLOCK)

struct kh_rules {
	struct kh_alloc alloc;
	hs_database_t *all;      /* every rule */
	hs_database_t *triggers; /* the literals; ids are the rules' */
	hs_database_t *always;   /* rules without triggers; NULL where there are none */
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

/* Patterns on their way to Hyperscan. */
struct list {
	const struct kh_alloc *alloc;
	const char **text;
	size_t *length;
	unsigned *flags, *ids;
	size_t n, cap;
};

static void list_done(struct list *l)
{
	kh_alloc_free(l->alloc, l->text, l->cap * sizeof(*l->text));
	kh_alloc_free(l->alloc, l->length, l->cap * sizeof(*l->length));
	kh_alloc_free(l->alloc, l->flags, l->cap * sizeof(*l->flags));
	kh_alloc_free(l->alloc, l->ids, l->cap * sizeof(*l->ids));
}

static enum kh_err list_init(struct list *l, const struct kh_alloc *alloc, size_t cap)
{
	*l = (struct list){.alloc = alloc, .cap = cap};
	l->text = kh_alloc_array(alloc, cap, sizeof(*l->text));
	l->length = kh_alloc_array(alloc, cap, sizeof(*l->length));
	l->flags = kh_alloc_array(alloc, cap, sizeof(*l->flags));
	l->ids = kh_alloc_array(alloc, cap, sizeof(*l->ids));
	if (l->text != NULL && l->length != NULL && l->flags != NULL && l->ids != NULL)
		return KH_OK;
	list_done(l);
	return KH_ENOMEM;
}

static void list_add(struct list *l, struct kh_view text, unsigned flags, size_t id)
{
	l->text[l->n] = text.p;
	l->length[l->n] = text.n;
	l->flags[l->n] = flags;
	l->ids[l->n++] = (unsigned)id;
}

/* What Hyperscan said, with the name of the rule. */
static enum kh_err compile_error(const struct list *l, hs_compile_error_t *why, const struct kh_rule *extra,
				 struct kh_error *err)
{
	enum kh_err e = KH_ENOMEM;

	if (why != NULL && why->expression >= 0 && (size_t)why->expression < l->n)
		e = kh_error_set(err, KH_EINPUT, "bad_rule", "rule %.64s: %.160s",
				 rule_at(extra, l->ids[why->expression])->name, why->message);
	hs_free_compile_error(why);
	return e;
}

static enum kh_err compile_patterns(const struct kh_alloc *alloc, const struct kh_rule *extra, size_t count,
				    bool only_always, hs_database_t **ret, struct kh_error *err)
{
	hs_compile_error_t *why = NULL;
	struct list l;
	enum kh_err e = list_init(&l, alloc, count);

	if (e != KH_OK)
		return e;
	for (size_t i = 0; i < count; i++) {
		if (!only_always || rule_at(extra, i)->triggers == NULL)
			list_add(&l, kh_view_str(rule_at(extra, i)->pattern), FLAGS, i);
	}
	if (l.n > 0 &&
	    hs_compile_multi(l.text, l.flags, l.ids, (unsigned)l.n, HS_MODE_BLOCK, NULL, ret, &why) != HS_SUCCESS)
		e = compile_error(&l, why, extra, err);
	list_done(&l);
	return e;
}

static size_t count_triggers(const struct kh_rule *extra, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const char *p = rule_at(extra, i)->triggers;
		for (n += p != NULL; p != NULL && *p; p++)
			n += *p == '|';
	}
	return n;
}

/*
 * The triggers, each as a literal.  That there are some hundreds of them does not slow Hyperscan down: from about
 * eighty on it uses another engine, which is twice as fast as the one for fewer.
 */
static enum kh_err compile_triggers(const struct kh_alloc *alloc, const struct kh_rule *extra, size_t count,
				    hs_database_t **ret, struct kh_error *err)
{
	hs_compile_error_t *why = NULL;
	struct list l;
	enum kh_err e = list_init(&l, alloc, count_triggers(extra, count));

	if (e != KH_OK)
		return e;
	for (size_t i = 0; i < count; i++) {
		const char *triggers = rule_at(extra, i)->triggers;
		struct kh_view rest = triggers ? kh_view_str(triggers) : (struct kh_view){NULL, 0}, piece;
		while (kh_view_split(&rest, '|', &piece)) {
			if (piece.n > 0 && piece.n <= OVERLAP)
				list_add(&l, piece, HS_FLAG_CASELESS, i);
		}
	}
	if (hs_compile_lit_multi(l.text, l.flags, l.ids, l.length, (unsigned)l.n, HS_MODE_BLOCK, NULL, ret, &why) !=
	    HS_SUCCESS)
		e = compile_error(&l, why, extra, err);
	list_done(&l);
	return e;
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
	if (rules == NULL)
		return KH_ENOMEM;
	rules->alloc = *from;
	rules->extra = extra;
	rules->extra_count = extra_count;
	e = compile_patterns(from, extra, count, false, &rules->all, err);
	if (e == KH_OK)
		e = compile_patterns(from, extra, count, true, &rules->always, err);
	if (e == KH_OK)
		e = compile_triggers(from, extra, count, &rules->triggers, err);
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
	hs_free_database(rules->all);
	hs_free_database(rules->triggers);
	hs_free_database(rules->always);
	struct kh_alloc alloc = rules->alloc;
	kh_alloc_free(&alloc, rules, sizeof(*rules));
}

void *kh_rules_scratch_new(const struct kh_rules *rules)
{
	hs_scratch_t *scratch = NULL;

	if (hs_alloc_scratch(rules->all, &scratch) == HS_SUCCESS &&
	    hs_alloc_scratch(rules->triggers, &scratch) == HS_SUCCESS &&
	    (rules->always == NULL || hs_alloc_scratch(rules->always, &scratch) == HS_SUCCESS))
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

	return scan_part(rules->all, scratch, text, 0, text.n, &part);
}

/* The neighbourhoods of a chunk: one mark for each block, with some before the chunk and after it. */
struct chunk {
	const struct kh_rules_sink *sink;
	size_t first; /* block of the text that mark 0 stands for */
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
 * A place at or before START where cutting the text makes no rule match that would not: the last letter of a word, so
 * that neither a line nor the next word begins there.
 */
static size_t cut(struct kh_view text, size_t start)
{
	for (size_t i = start; i > 0 && start - i < BLOCK; i--) {
		if (is_word(text.p[i]) && !is_word(text.p[i + 1]))
			return i;
	}
	return start < BLOCK ? 0 : start;
}

/* The rules over each run of marked blocks. */
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
		/* The first marks may stand for blocks before the text. */
		size_t start = c->first + from > BEFORE ? (c->first + from - BEFORE) * BLOCK : 0;
		size_t end = c->first + i > BEFORE ? (c->first + i - BEFORE) * BLOCK : 0;
		e = scan_part(rules->all, scratch, text, start + 1 < text.n ? cut(text, start) : start, end, part);
	}
	return e;
}

enum kh_err kh_rules_search(const struct kh_rules *rules, void *scratch, struct kh_view text,
			    const unsigned char *blocks, const struct kh_rules_sink *sink)
{
	struct part part = {.sink = sink};
	enum kh_err e = KH_OK;

	if (rules->always != NULL)
		e = scan_part(rules->always, scratch, text, 0, text.n, &part);
	for (size_t at = 0; at < text.n && e == KH_OK && !part.ended; at += CHUNK) {
		size_t from = at > OVERLAP ? at - OVERLAP : 0, end = text.n - at < CHUNK ? text.n : at + CHUNK;
		struct chunk c = {.sink = sink, .first = from / BLOCK};
		struct kh_view v = kh_view_sub(text, from, end);
		if (hs_scan(rules->triggers, v.p, (unsigned)v.n, 0, scratch, on_trigger, &c) != HS_SUCCESS)
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

/* True where the rule still matches up to END when the text begins at START only. */
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
