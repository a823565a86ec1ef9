/*
 * The index.  The operator chooses the rules, a caller chooses names and agents.  A look-up costs one pass over the
 * caller's text and one step for each shape of rules, and no more.
 */
#include "core/policy/lookup.h"

#include "core/policy/match.h"
#include "core/policy/settings.h"

#define KEY_MAX 128 /* bytes of a glob, and so of a key */
#define NONE    UINT32_MAX

enum kind { WHOLE, HEAD, TAIL, ANY };

/* Text that every match of a glob has. */
struct key {
	enum kind kind;
	struct kh_view text;
};

/* The kinds and lengths of the keys of a name and of an agent, without their texts. */
struct shape {
	enum kind name_kind, agent_kind;
	uint32_t name_length, agent_length;
	uint32_t first; /* first rule with this shape */
};

/* One rule, under one of its agents. */
struct entry {
	uint64_t hash;
	uint32_t rule;
	uint32_t agent; /* index in the rule's agents; NONE: the rule is for everybody */
	uint32_t next;  /* entry of the same slot, of the same or a later rule */
};

struct kh_lookup {
	const struct kh_policy_rule *rules;
	struct shape *shapes;
	size_t shape_count;
	struct entry *entries;
	size_t entry_count;
	uint32_t *slots; /* first entry, or NONE */
	uint64_t mask;
};

static uint64_t step(uint64_t hash, unsigned char c)
{
	return (hash ^ c) * UINT64_C(0x100000001b3); /* FNV-1a */
}

#define START UINT64_C(0xcbf29ce484222325)

/*
 * Hashes a HEAD from the front and a TAIL from the back, so that one pass gives all heads of a text, and one all tails.
 */
static uint64_t hash_text(enum kind kind, struct kh_view text)
{
	uint64_t hash = START;

	for (size_t i = 0; i < text.n; i++)
		hash = step(hash, (unsigned char)text.p[kind == TAIL ? text.n - 1 - i : i]);
	return hash;
}

/* One hash of both keys.  The shape is part of it, so that "a" as a whole text differs from "a" as a head. */
static uint64_t join(const struct shape *shape, uint64_t name, uint64_t agent)
{
	uint64_t hash = name * UINT64_C(0x9e3779b97f4a7c15) + agent;

	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93) +
	       (uint64_t)(shape->name_kind * 4 + shape->agent_kind);
	return hash ^ hash >> 29;
}

static struct key key_of(struct kh_view glob)
{
	size_t first = kh_view_find(glob, KH_LIT("*"), 0), last = glob.n;

	if (first == SIZE_MAX)
		return (struct key){WHOLE, glob};
	while (glob.p[last - 1] != '*')
		last--;
	if (first >= glob.n - last)
		return (struct key){HEAD, kh_view_sub(glob, 0, first)};
	return (struct key){TAIL, kh_view_from(glob, last)};
}

static size_t count_entries(const struct kh_list *list)
{
	const struct kh_policy_rule *rules = list->at;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += rules[i].agents.n > 0 ? rules[i].agents.n : 1;
	return n;
}

/* The shape of these keys of rule RULE; it is added if there is none yet. */
static const struct shape *take_shape(struct kh_lookup *l, struct key name, struct key agent, uint32_t rule)
{
	struct shape shape = {.name_kind = name.kind, .agent_kind = agent.kind, .first = rule};

	/* All whole texts have the same shape, whatever their length. */
	shape.name_length = name.kind == WHOLE ? 0 : (uint32_t)name.text.n;
	shape.agent_length = agent.kind == WHOLE ? 0 : (uint32_t)agent.text.n;
	for (size_t i = 0; i < l->shape_count; i++) {
		const struct shape *s = &l->shapes[i];
		if (s->name_kind == shape.name_kind && s->agent_kind == shape.agent_kind &&
		    s->name_length == shape.name_length && s->agent_length == shape.agent_length)
			return s;
	}
	l->shapes[l->shape_count] = shape;
	return &l->shapes[l->shape_count++];
}

static void add_entry(struct kh_lookup *l, uint32_t rule, uint32_t agent)
{
	const struct kh_policy_rule *r = &l->rules[rule];
	struct key name_key = key_of(r->name), agent_key = {ANY, {NULL, 0}};

	if (agent != NONE)
		agent_key = key_of(r->agents.at[agent]);
	const struct shape *shape = take_shape(l, name_key, agent_key, rule);
	uint64_t hash = join(shape, hash_text(name_key.kind, name_key.text), hash_text(agent_key.kind, agent_key.text));
	l->entries[l->entry_count++] = (struct entry){.hash = hash, .rule = rule, .agent = agent, .next = NONE};
}

/* Goes from the last entry to the first, so that each slot lists its rules in order. */
static void fill_slots(struct kh_lookup *l)
{
	for (size_t i = 0; i <= l->mask; i++)
		l->slots[i] = NONE;
	for (size_t i = l->entry_count; i-- > 0;) {
		uint32_t *slot = &l->slots[l->entries[i].hash & l->mask];
		l->entries[i].next = *slot;
		*slot = (uint32_t)i;
	}
}

const struct kh_lookup *kh_lookup_new(struct kh_arena *arena, const struct kh_list *rules)
{
	struct kh_lookup *l = KH_NEW(arena, struct kh_lookup);
	size_t n = count_entries(rules), slots = 1;

	while (slots < n * 2)
		slots *= 2;
	if (l == NULL)
		return NULL;
	*l = (struct kh_lookup){.rules = rules->at,
				.shapes = KH_NEW_N(arena, struct shape, n),
				.entries = KH_NEW_N(arena, struct entry, n),
				.slots = KH_NEW_N(arena, uint32_t, slots),
				.mask = slots - 1};
	if (l->shapes == NULL || l->entries == NULL || l->slots == NULL)
		return NULL;
	for (size_t i = 0; i < rules->n; i++) {
		size_t agents = l->rules[i].agents.n;
		if (agents == 0)
			add_entry(l, (uint32_t)i, NONE);
		for (size_t j = 0; j < agents; j++)
			add_entry(l, (uint32_t)i, (uint32_t)j);
	}
	fill_slots(l);
	return l;
}

/* A text that is looked up, with the hashes of its heads and tails. */
struct wanted {
	struct kh_view text;
	size_t n; /* bytes of it that can be in a key */
	uint64_t heads[KEY_MAX + 1], tails[KEY_MAX + 1];
};

static void want(struct wanted *w, struct kh_view text)
{
	w->text = text;
	w->n = text.n < KEY_MAX ? text.n : KEY_MAX;
	w->heads[0] = w->tails[0] = START;
	for (size_t i = 0; i < w->n; i++) {
		w->heads[i + 1] = step(w->heads[i], (unsigned char)text.p[i]);
		w->tails[i + 1] = step(w->tails[i], (unsigned char)text.p[text.n - 1 - i]);
	}
}

/*
 * The hash of the part of the text that such a key would match; false if the text is too short, or too long for a whole
 * one.
 */
static bool hash_wanted(const struct wanted *w, enum kind kind, uint32_t length, uint64_t *ret_hash)
{
	if (length > w->n || (kind == WHOLE && w->text.n > KEY_MAX))
		return false;
	*ret_hash = kind == TAIL ? w->tails[length] : w->heads[kind == WHOLE ? w->n : length];
	return true;
}

static bool is_match(const struct kh_lookup *l, const struct entry *e, struct kh_view name, struct kh_view agent)
{
	const struct kh_policy_rule *rule = &l->rules[e->rule];

	return kh_match_glob(rule->name, name) && (e->agent == NONE || kh_match_glob(rule->agents.at[e->agent], agent));
}

size_t kh_lookup_find(const struct kh_lookup *l, struct kh_view name, struct kh_view agent)
{
	struct wanted w_name, w_agent;
	uint32_t best = NONE;

	want(&w_name, name);
	want(&w_agent, agent);
	for (size_t i = 0; i < l->shape_count && l->shapes[i].first < best; i++) {
		const struct shape *shape = &l->shapes[i];
		uint64_t a, b = START;
		if (!hash_wanted(&w_name, shape->name_kind, shape->name_length, &a) ||
		    (shape->agent_kind != ANY && !hash_wanted(&w_agent, shape->agent_kind, shape->agent_length, &b)))
			continue;
		uint64_t hash = join(shape, a, b);
		for (uint32_t at = l->slots[hash & l->mask]; at != NONE && l->entries[at].rule < best;
		     at = l->entries[at].next) {
			if (l->entries[at].hash == hash && is_match(l, &l->entries[at], name, agent))
				best = l->entries[at].rule;
		}
	}
	return best == NONE ? SIZE_MAX : best;
}
