/* Names and types of members, as many as there is room for. */
#include "engine/upstream/askable.h"

#include "base/buf.h"

#define BEGIN "BCPQuery to Reader `typed` knows of its result: "
#define ITEMS " Other items by index; ARRAY.count.VALUE, ARRAY.count.MEMBER.VALUE."
#define ROOM  (KH_ASKABLE_MOST - (sizeof(BEGIN) - 1) - (sizeof(ITEMS) - 1) - 6)
#define ONE   100 /* bytes of one member: longer lists of values are left out */

struct telling {
	struct kh_arena *arena;
	const struct kh_policy_rule *rule;
	struct kh_buf buf;
	bool has_items, is_full;
};

/* Adds NAME and its type; false: there is no room. */
static bool add(struct telling *t, struct kh_view name, struct kh_view type)
{
	struct kh_view one = kh_arena_printf(t->arena, "%s%.*s %.*s", t->buf.n > 0 ? "; " : "", KH_FMT(name),
					     KH_FMT(type));

	t->is_full = t->is_full || t->buf.n + one.n > ROOM;
	if (!t->is_full)
		kh_buf_add(&t->buf, one);
	return !t->is_full;
}

static struct kh_view range(struct kh_arena *arena, int64_t min, int64_t max)
{
	return kh_arena_printf(arena, "%lld..%lld", (long long)min, (long long)max);
}

/* "open|closed"; if that is long, how many there are. */
static struct kh_view values(struct kh_arena *arena, const struct kh_view *all, size_t n)
{
	struct kh_view text = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, ONE);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			kh_buf_byte(&buf, '|');
		kh_buf_add(&buf, all[i]);
	}
	return kh_buf_end(&buf, &text) == KH_OK ? text : kh_arena_printf(arena, "enum of %zu", n);
}

/* --- the rule's --------------------------------------------------------------------------------------------------- */

static struct kh_view rule_type(struct kh_arena *arena, const struct kh_policy_member *member)
{
	if (member->type == KH_POLICY_TYPE_ENUM)
		return values(arena, member->values.at, member->values.n);
	if (member->type == KH_POLICY_TYPE_INTEGER)
		return range(arena, member->min, member->max);
	if (member->type == KH_POLICY_TYPE_LENGTH)
		return range(arena, 0, (int64_t)member->most);
	return kh_view_str(kh_words_name(&kh_policy_type_words, member->type));
}

static void add_member(struct telling *t, const struct kh_policy_member *member)
{
	struct kh_view type = rule_type(t->arena, member);

	if (member->type == KH_POLICY_TYPE_LENGTH || member->most == 0) {
		(void)add(t, member->name, type);
		return;
	}
	t->has_items = true;
	(void)add(t, kh_arena_printf(t->arena, "%.*s.length", KH_FMT(member->name)),
		  range(t->arena, 0, (int64_t)member->most));
	(void)add(t, kh_arena_printf(t->arena, "%.*s.0", KH_FMT(member->name)), type);
}

/* --- the schema's ------------------------------------------------------------------------------------------------- */

/* Whether the rule counts for NAME: it has a member of this name, or of one that this begins with and a dot. */
static bool is_rules(const struct kh_policy_rule *rule, struct kh_view name)
{
	const struct kh_policy_member *all = rule->fields.at;

	for (size_t i = 0; i < rule->fields.n; i++) {
		if (kh_view_starts(name, all[i].name) && (name.n == all[i].name.n || name.p[all[i].name.n] == '.'))
			return true;
	}
	return false;
}

/* Whether a query has a word for the format; *RET_WORD is it. */
static bool has_word(const char *format, const char **ret_word)
{
	*ret_word = strcmp(format, "date-time") == 0 ? "datetime" : format;
	return strcmp(format, "date-time") == 0 || strcmp(format, "date") == 0 || strcmp(format, "time") == 0;
}

static bool add_typed(void *ctx, struct kh_view name, const struct kh_schema_member *type)
{
	struct telling *t = ctx;
	struct kh_view text = KH_LIT("boolean");
	const char *word = NULL;

	if (is_rules(t->rule, name) || (type->kind == KH_SCHEMA_FORMAT && !has_word(type->format, &word)))
		return true;
	if (type->kind == KH_SCHEMA_ENUM)
		text = values(t->arena, type->values, type->n_values);
	else if (type->kind == KH_SCHEMA_INTEGER)
		text = range(t->arena, type->min, type->max);
	else if (word != NULL)
		text = kh_view_str(word);
	t->has_items = t->has_items || kh_view_ends(name, KH_LIT(".length"));
	return add(t, name, text);
}

struct kh_view kh_askable_text(struct kh_arena *arena, const struct kh_policy_rule *rule,
			       const struct kh_schema *schema)
{
	struct telling t = {.arena = arena, .rule = rule};
	const struct kh_policy_member *members = rule->fields.at;
	struct kh_view told = {NULL, 0};

	kh_buf_init(&t.buf, arena, KH_ASKABLE_MOST);
	for (size_t i = 0; i < rule->fields.n; i++)
		add_member(&t, &members[i]);
	if (schema != NULL && !t.is_full)
		kh_schema_typed_each(schema, arena, add_typed, &t);
	if (kh_buf_end(&t.buf, &told) != KH_OK || told.n == 0)
		return KH_LIT("");
	return kh_arena_printf(arena, BEGIN "%.*s%s%s", KH_FMT(told), t.is_full ? "; ..." : ".",
			       t.has_items ? ITEMS : "");
}
