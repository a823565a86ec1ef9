/*
 * Compiles rules to Vectorscan's automata.  The patterns are ours or the administrator's, never an attacker's.
 * Vectorscan takes its memory from malloc, because it has one allocator for the whole process.
 */
#include "core/screen/automata.h"

#define KH_AUTOMATA_FLAGS (HS_FLAG_CASELESS | HS_FLAG_MULTILINE)

static size_t rule_count(struct kh_rule_table rules)
{
	return rules.builtin_count + rules.extra_count;
}

static const struct kh_rule *rule_at(struct kh_rule_table rules, size_t id)
{
	return id < rules.builtin_count ? &rules.builtin[id] : &rules.extra[id - rules.builtin_count];
}

/* The patterns as Vectorscan's compiler takes them. */
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

/* Reports Vectorscan's error, with the name of the rule. */
static enum kh_err compile_error(const struct list *l, hs_compile_error_t *why, struct kh_rule_table rules,
				 struct kh_error *err)
{
	enum kh_err e = KH_ENOMEM;

	if (why != NULL && why->expression >= 0 && (size_t)why->expression < l->n)
		e = kh_error_set(err, KH_EINPUT, "bad_rule", "rule %.64s: %.160s",
				 rule_at(rules, l->ids[why->expression])->name, why->message);
	hs_free_compile_error(why);
	return e;
}

static enum kh_err compile_patterns(const struct kh_alloc *alloc, struct kh_rule_table rules,
				    const hs_platform_info_t *target, bool only_always, hs_database_t **ret,
				    struct kh_error *err)
{
	hs_compile_error_t *why = NULL;
	struct list l;
	enum kh_err e = list_init(&l, alloc, rule_count(rules));

	if (e != KH_OK)
		return e;
	for (size_t i = 0; i < rule_count(rules); i++) {
		if (!only_always || rule_at(rules, i)->triggers == NULL)
			list_add(&l, kh_view_str(rule_at(rules, i)->pattern), KH_AUTOMATA_FLAGS, i);
	}
	if (l.n > 0 &&
	    hs_compile_multi(l.text, l.flags, l.ids, (unsigned)l.n, HS_MODE_BLOCK, target, ret, &why) != HS_SUCCESS)
		e = compile_error(&l, why, rules, err);
	list_done(&l);
	return e;
}

static size_t count_triggers(struct kh_rule_table rules)
{
	size_t n = 0;

	for (size_t i = 0; i < rule_count(rules); i++) {
		const char *p = rule_at(rules, i)->triggers;
		for (n += p != NULL; p != NULL && *p; p++)
			n += *p == '|';
	}
	return n;
}

/*
 * Compiles the triggers, each as a literal.  There are some hundreds of them, but that does not slow Vectorscan down:
 * from about eighty on it uses another engine, which is twice as fast as the one for fewer.
 */
static enum kh_err compile_triggers(const struct kh_alloc *alloc, struct kh_rule_table rules,
				    const hs_platform_info_t *target, hs_database_t **ret, struct kh_error *err)
{
	hs_compile_error_t *why = NULL;
	struct list l;
	enum kh_err e = list_init(&l, alloc, count_triggers(rules));

	if (e != KH_OK)
		return e;
	for (size_t i = 0; i < rule_count(rules); i++) {
		const char *triggers = rule_at(rules, i)->triggers;
		struct kh_view rest = triggers ? kh_view_str(triggers) : (struct kh_view){NULL, 0}, piece;
		while (kh_view_split(&rest, '|', &piece)) {
			if (piece.n > 0 && piece.n <= KH_AUTOMATA_TRIGGER)
				list_add(&l, piece, HS_FLAG_CASELESS, i);
		}
	}
	if (hs_compile_lit_multi(l.text, l.flags, l.ids, l.length, (unsigned)l.n, HS_MODE_BLOCK, target, ret, &why) !=
	    HS_SUCCESS)
		e = compile_error(&l, why, rules, err);
	list_done(&l);
	return e;
}

enum kh_err kh_automata_compile(const struct kh_alloc *alloc, struct kh_rule_table rules,
				const hs_platform_info_t *target, struct kh_automata *ret, struct kh_error *err)
{
	struct kh_automata a = {0};
	enum kh_err e = compile_patterns(alloc, rules, target, false, &a.all, err);

	if (e == KH_OK)
		e = compile_patterns(alloc, rules, target, true, &a.always, err);
	if (e == KH_OK)
		e = compile_triggers(alloc, rules, target, &a.triggers, err);
	if (e == KH_OK)
		*ret = a;
	else
		kh_automata_done(&a);
	return e;
}

void kh_automata_done(struct kh_automata *a)
{
	hs_free_database(a->all);
	hs_free_database(a->triggers);
	hs_free_database(a->always);
	*a = (struct kh_automata){0};
}
