/* Members and items: one walk over an object's members finds their schemas, what is missing and what is too much. */
#include "core/schema/contents.h"

#include "base/nearest.h"
#include "base/utf8.h"

#define NO_MARKS ((struct kh_marks){0, 0})

/* COUNT against the bounds of the schema, in things called WHAT. */
static bool check_count(struct kh_checking *c, const struct kh_check_pair *p, uint64_t min, uint64_t max,
			const char *what)
{
	size_t count = yyjson_get_len(p->val);

	if (count < min)
		return kh_report(c, p->at, count == 0 ? "empty" : "too_few", "expected %llu %s or more, not %zu",
				 (unsigned long long)min, what, count);
	if (count > max)
		return kh_report(c, p->at, "too_many", "expected at most %llu %s, not %zu", (unsigned long long)max,
				 what, count);
	return true;
}

/* A member that the schema does not allow at all. */
static bool report_stranger(struct kh_checking *c, const struct kh_node *node, struct kh_view name,
			    const struct kh_pointer *at)
{
	struct kh_nearest near;

	kh_nearest_begin(&near, name);
	for (size_t i = 0; i < node->n_names; i++) {
		if (node->names[i].schema != NULL && kh_utf8_is_visible(node->names[i].name))
			kh_nearest_try(&near, node->names[i].name);
	}
	if (near.name.n == 0)
		return kh_report(c, at, "unknown_member", "there is no such member here");
	struct kh_view meant = kh_arena_quote(c->arena, near.name);
	return kh_report(c, at, "unknown_member", "there is no such member here; did you mean %.*s?", KH_FMT(meant));
}

/* A member against the patterns that its name matches; how many did is added to *MATCHED. */
static bool check_patterns(struct kh_checking *c, const struct kh_check_pair *p, struct kh_view name, yyjson_val *val,
			   const struct kh_pointer *at, size_t *matched)
{
	bool is_good = true, is_found = false;

	for (size_t i = 0; i < p->node->n_patterns && c->e == KH_OK && (is_good || !c->is_quiet); i++) {
		const struct kh_node_pattern *pattern = &p->node->patterns[i];
		enum kh_err e = kh_regex_search(pattern->regex, &c->regex_room, name, &c->steps, &is_found);
		if (e != KH_OK)
			c->e = e;
		if (e != KH_OK || !is_found)
			continue;
		++*matched;
		is_good = kh_schema_check_node(c, pattern->schema, val, at, NO_MARKS) && is_good;
	}
	return is_good && c->e == KH_OK;
}

/* The name of a member, as a string of its own.  Faults are reported at the member. */
static bool check_name(struct kh_checking *c, const struct kh_check_pair *p, yyjson_val *key,
		       const struct kh_pointer *at)
{
	bool was_quiet = c->is_quiet, is_good;

	if (p->node->member_names == NULL)
		return true;
	c->is_quiet = true;
	is_good = kh_schema_check_node(c, p->node->member_names, key, at, NO_MARKS);
	c->is_quiet = was_quiet;
	return is_good || kh_report(c, at, "bad_name", "the name of this member is not one that is allowed here");
}

/* The member at INDEX.  SEEN has a mark for each name of the schema. */
static bool check_member(struct kh_checking *c, const struct kh_check_pair *p, yyjson_val *key, size_t index,
			 struct kh_marks seen)
{
	struct kh_view name = kh_json_str(key);
	const struct kh_pointer at = {p->at, name, 0};
	const struct kh_node_name *own = kh_node_find(p->node, name);
	yyjson_val *val = yyjson_obj_iter_get_val(key);
	bool is_good = kh_report_spend(c, 1) && check_name(c, p, key, &at);
	size_t matched = 0;

	if (own != NULL)
		kh_marks_set(c, seen, (size_t)(own - p->node->names));
	if (own != NULL && own->schema != NULL) {
		matched++;
		is_good = kh_schema_check_node(c, own->schema, val, &at, NO_MARKS) && is_good;
	}
	is_good = check_patterns(c, p, name, val, &at, &matched) && is_good;
	if (matched == 0 && p->node->additional != NULL) {
		matched++;
		if (p->node->additional->is_bool && !p->node->additional->is_true)
			return report_stranger(c, p->node, name, &at);
		is_good = kh_schema_check_node(c, p->node->additional, val, &at, NO_MARKS) && is_good;
	}
	if (matched > 0)
		kh_marks_set(c, p->marks, index);
	return is_good;
}

static bool report_missing(struct kh_checking *c, const struct kh_check_pair *p, const struct kh_node_name *own,
			   const char *why)
{
	const struct kh_pointer at = {p->at, own->name, 0};

	if (!kh_report_is_wanted(c))
		return false;
	if (own->schema == NULL || own->schema->types == 0)
		return kh_report(c, &at, "missing", "%s", why);
	struct kh_view type = kh_node_types_text(c->arena, own->schema->types);
	return kh_report(c, &at, "missing", "%s: %.*s", why, KH_FMT(type));
}

/* What must be there, always or because another member is. */
static bool check_presence(struct kh_checking *c, const struct kh_check_pair *p, size_t index, struct kh_marks seen)
{
	const struct kh_node_name *own = &p->node->names[index];
	bool is_good = true;

	if (!kh_marks_has(c, seen, index))
		return !own->is_required || report_missing(c, p, own, "it must be there");
	for (size_t i = 0; i < own->n_needs; i++) {
		const struct kh_node_name *other = &p->node->names[own->needs[i]];
		if (!kh_marks_has(c, seen, own->needs[i]))
			is_good = report_missing(c, p, other, "it must be there, because a member that needs it is");
	}
	if (own->also != NULL && (is_good || !c->is_quiet))
		is_good = kh_schema_check_node(c, own->also, p->val, p->at, p->marks) && is_good;
	return is_good;
}

static bool has_member_rules(const struct kh_node *node)
{
	return node->n_names > 0 || node->n_patterns > 0 || node->additional != NULL || node->member_names != NULL;
}

bool kh_contents_members(struct kh_checking *c, const struct kh_check_pair *p)
{
	yyjson_val *key;
	size_t index = 0;

	if ((p->types & KH_NODE_OBJECT) == 0)
		return true;
	bool is_good = check_count(c, p, p->node->min_members, p->node->max_members, "members");
	if (!has_member_rules(p->node))
		return is_good;
	struct kh_marks seen = kh_marks_push(c, p->node->n_names);
	yyjson_obj_iter iter = yyjson_obj_iter_with(p->val);
	while (c->e == KH_OK && (is_good || !c->is_quiet) && (key = yyjson_obj_iter_next(&iter)) != NULL)
		is_good = check_member(c, p, key, index++, seen) && is_good;
	for (size_t i = 0; i < p->node->n_names && c->e == KH_OK && (is_good || !c->is_quiet); i++)
		is_good = check_presence(c, p, i, seen) && is_good;
	kh_marks_pop(c, seen);
	return is_good && c->e == KH_OK;
}

/* The schema of the item at INDEX; NULL if there is none. */
static const struct kh_node *item_schema(const struct kh_node *node, size_t index)
{
	return index < node->first.n ? node->first.at[index] : node->items;
}

static bool check_each(struct kh_checking *c, const struct kh_check_pair *p)
{
	bool is_good = true;
	yyjson_val *item;
	size_t i, n;

	if (p->node->first.n == 0 && p->node->items == NULL)
		return true;
	yyjson_arr_foreach (p->val, i, n, item) {
		const struct kh_node *schema = item_schema(p->node, i);
		const struct kh_pointer at = {p->at, {NULL, 0}, i};
		if (schema == NULL || c->e != KH_OK || (!is_good && c->is_quiet))
			break;
		is_good = kh_schema_check_node(c, schema, item, &at, NO_MARKS) && is_good;
		kh_marks_set(c, p->marks, i);
	}
	return is_good;
}

static bool check_contains(struct kh_checking *c, const struct kh_check_pair *p)
{
	const struct kh_node *node = p->node;
	bool was_quiet = c->is_quiet;
	uint64_t found = 0;
	yyjson_val *item;
	size_t i, n;

	if (node->contains == NULL)
		return true;
	c->is_quiet = true;
	yyjson_arr_foreach (p->val, i, n, item) {
		if (!kh_schema_check_node(c, node->contains, item, p->at, NO_MARKS))
			continue;
		found++;
		if (node->contains_counts)
			kh_marks_set(c, p->marks, i);
	}
	c->is_quiet = was_quiet;
	if (found < node->min_contains)
		return kh_report(c, p->at, "too_few",
				 "expected %llu items or more of the kind that `contains` asks for, "
				 "not %llu",
				 (unsigned long long)node->min_contains, (unsigned long long)found);
	if (found > node->max_contains)
		return kh_report(c, p->at, "too_many",
				 "expected at most %llu items of the kind that `contains` asks "
				 "for, not %llu",
				 (unsigned long long)node->max_contains, (unsigned long long)found);
	return true;
}

static bool check_unique(struct kh_checking *c, const struct kh_check_pair *p)
{
	size_t index = SIZE_MAX;
	enum kh_err e;

	if (!p->node->is_unique)
		return true;
	e = kh_equal_repeated(c->arena, &c->equal_room, p->val, &c->steps, &index);
	if (e != KH_OK)
		c->e = e;
	if (!kh_report_spend(c, 0))
		return false;
	const struct kh_pointer at = {p->at, {NULL, 0}, index};
	return index == SIZE_MAX ||
	       kh_report(c, &at, "not_unique", "expected no item twice; an earlier one is the same");
}

bool kh_contents_items(struct kh_checking *c, const struct kh_check_pair *p)
{
	bool is_good;

	if ((p->types & KH_NODE_ARRAY) == 0)
		return true;
	is_good = check_count(c, p, p->node->min_items, p->node->max_items, "items");
	if (is_good || !c->is_quiet)
		is_good = check_each(c, p) && is_good;
	if (is_good || !c->is_quiet)
		is_good = check_contains(c, p) && is_good;
	if (is_good || !c->is_quiet)
		is_good = check_unique(c, p) && is_good;
	return is_good && c->e == KH_OK;
}

static bool unevaluated_members(struct kh_checking *c, const struct kh_check_pair *p)
{
	const struct kh_node *schema = p->node->unevaluated_members;
	yyjson_obj_iter iter = yyjson_obj_iter_with(p->val);
	bool is_good = true;
	yyjson_val *key;

	for (size_t i = 0; c->e == KH_OK && (key = yyjson_obj_iter_next(&iter)) != NULL; i++) {
		const struct kh_pointer at = {p->at, kh_json_str(key), 0};
		if (kh_marks_has(c, p->marks, i))
			continue;
		if (schema->is_bool && !schema->is_true)
			is_good = report_stranger(c, p->node, kh_json_str(key), &at);
		else
			is_good = kh_schema_check_node(c, schema, yyjson_obj_iter_get_val(key), &at, NO_MARKS) &&
				  is_good;
		kh_marks_set(c, p->marks, i);
	}
	return is_good;
}

static bool unevaluated_items(struct kh_checking *c, const struct kh_check_pair *p)
{
	bool is_good = true;
	yyjson_val *item;
	size_t i, n;

	yyjson_arr_foreach (p->val, i, n, item) {
		const struct kh_pointer at = {p->at, {NULL, 0}, i};
		if (kh_marks_has(c, p->marks, i))
			continue;
		is_good = kh_schema_check_node(c, p->node->unevaluated_items, item, &at, NO_MARKS) && is_good;
		kh_marks_set(c, p->marks, i);
	}
	return is_good;
}

bool kh_contents_unevaluated(struct kh_checking *c, const struct kh_check_pair *p)
{
	if (p->node->unevaluated_members != NULL && (p->types & KH_NODE_OBJECT) != 0)
		return unevaluated_members(c, p);
	if (p->node->unevaluated_items != NULL && (p->types & KH_NODE_ARRAY) != 0)
		return unevaluated_items(c, p);
	return true;
}
