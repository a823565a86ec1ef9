/* Five keywords speak of members by name.  One table of all names makes checking an object one walk over its members. */
#include "core/schema/names.h"

#include <stdlib.h>

struct table {
	struct kh_compiling *c;
	struct kh_node *node;
	struct kh_node_name *at;
	size_t n, cap;
};

static const struct kh_pointer *keyword_at(struct table *t, const char *keyword)
{
	return kh_compile_step(t->c, t->node->at, kh_view_str(keyword), 0);
}

static void add(struct table *t, struct kh_view name)
{
	struct kh_node_name *at = kh_arena_more(t->c->arena, t->at, t->n, &t->cap, sizeof(*at));

	if (at == NULL)
		return;
	t->at = at;
	t->at[t->n++] = (struct kh_node_name){.name = name};
}

/* A list of names, none of them twice. */
static void add_list(struct table *t, yyjson_val *list, const struct kh_pointer *at)
{
	yyjson_val *item;
	size_t i, n;

	if (!yyjson_is_arr(list)) {
		kh_compile_expected(t->c, at, "a list of names", list);
		return;
	}
	yyjson_arr_foreach (list, i, n, item) {
		if (!yyjson_is_str(item))
			kh_compile_expected(t->c, at, "a list of names", item);
		else
			add(t, kh_json_str(item));
	}
}

/* The names in an object: its members, and those in the lists that they have. */
static void add_members(struct table *t, const char *keyword, bool has_lists, bool has_schemas)
{
	yyjson_val *obj = kh_json_get(t->node->val, keyword), *key, *val;
	const struct kh_pointer *at = keyword_at(t, keyword);
	size_t i, n;

	if (obj == NULL)
		return;
	if (!yyjson_is_obj(obj)) {
		kh_compile_expected(t->c, at, has_schemas ? "an object of schemas" : "an object of lists", obj);
		return;
	}
	yyjson_obj_foreach (obj, i, n, key, val) {
		add(t, kh_json_str(key));
		if (has_lists && (yyjson_is_arr(val) || !has_schemas))
			add_list(t, val, kh_compile_step(t->c, at, kh_json_str(key), 0));
	}
}

static int compare(const void *a, const void *b)
{
	const struct kh_node_name *x = a, *y = b;

	return kh_view_cmp(x->name, y->name);
}

static void sort(struct table *t)
{
	size_t kept = 0;

	if (t->n > 1)
		qsort(t->at, t->n, sizeof(*t->at), compare);
	for (size_t i = 0; i < t->n; i++) {
		if (kept == 0 || !kh_view_eq(t->at[kept - 1].name, t->at[i].name))
			t->at[kept++] = t->at[i];
	}
	t->node->names = t->at;
	t->node->n_names = kept;
}

static struct kh_node_name *entry(struct table *t, struct kh_view name)
{
	return &t->at[kh_node_find(t->node, name) - t->at];
}

static void fill_required(struct table *t)
{
	yyjson_val *item;
	size_t i, n;

	yyjson_arr_foreach (kh_json_get(t->node->val, "required"), i, n, item) {
		struct kh_node_name *own = entry(t, kh_json_str(item));
		if (own->is_required)
			kh_compile_fault(t->c, keyword_at(t, "required"), "schema_value", "a name stands there twice");
		own->is_required = true;
	}
}

static void fill_needs(struct table *t, struct kh_node_name *own, yyjson_val *list)
{
	size_t *needs = KH_NEW_N(t->c->arena, size_t, own->n_needs + yyjson_arr_size(list)), i, n;
	yyjson_val *item;

	if (needs == NULL)
		return;
	for (i = 0; i < own->n_needs; i++)
		needs[i] = own->needs[i];
	yyjson_arr_foreach (list, i, n, item)
		needs[own->n_needs + i] = (size_t)(entry(t, kh_json_str(item)) - t->at);
	own->needs = needs;
	own->n_needs += yyjson_arr_size(list);
}

/* The schemas, and lists of names, in the object of KEYWORD. */
static void fill_members(struct table *t, const char *keyword, bool is_property)
{
	yyjson_val *obj = kh_json_get(t->node->val, keyword), *key, *val;
	const struct kh_pointer *at = obj != NULL ? keyword_at(t, keyword) : NULL;
	size_t i, n;

	yyjson_obj_foreach (obj, i, n, key, val) {
		struct kh_node_name *own = entry(t, kh_json_str(key));
		if (yyjson_is_arr(val) && !is_property) {
			fill_needs(t, own, val);
			continue;
		}
		const struct kh_node *schema = kh_compile_node(t->c, val,
							       kh_compile_step(t->c, at, kh_json_str(key), 0));
		if (is_property)
			own->schema = schema;
		else if (own->also == NULL)
			own->also = schema;
		else
			kh_compile_fault(t->c, at, "schema_keyword",
					 "dependencies and dependentSchemas have one name both");
	}
}

void kh_names_read(struct kh_compiling *c, struct kh_node *node)
{
	struct table t = {.c = c, .node = node};
	yyjson_val *required = kh_json_get(node->val, "required");
	bool was_refused = c->is_refused;

	c->is_refused = false;
	add_members(&t, "properties", false, true);
	if (required != NULL)
		add_list(&t, required, keyword_at(&t, "required"));
	add_members(&t, "dependentRequired", true, false);
	add_members(&t, "dependentSchemas", false, true);
	add_members(&t, "dependencies", true, true);
	bool is_good = !c->is_refused && !c->arena->failed;
	c->is_refused = c->is_refused || was_refused;
	if (!is_good || t.n == 0)
		return;
	sort(&t);
	fill_required(&t);
	fill_members(&t, "properties", true);
	fill_members(&t, "dependentRequired", false);
	fill_members(&t, "dependentSchemas", false);
	fill_members(&t, "dependencies", false);
}
