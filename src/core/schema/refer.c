/* Resolves references.  Nothing is fetched: what a reference leads to is a schema of the same text, or a fault. */
#include "core/schema/refer.h"

#include <stdlib.h>

#define IN_PLACE 64 /* schemas within each other for one value */

static int compare_nodes(const void *a, const void *b)
{
	struct kh_node *x, *y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x->val > y->val) - (x->val < y->val);
}

/* The node that was made of VAL, or NULL. */
static const struct kh_node *node_of(const struct kh_compiling *c, yyjson_val *val)
{
	struct kh_node wanted = {.val = val};
	const struct kh_node *key = &wanted;
	struct kh_node **found = bsearch(&key, c->nodes, c->n_nodes, sizeof(struct kh_node *), compare_nodes);

	return found != NULL ? *found : NULL;
}

/* TEXT, part of a URI, with %XX replaced; {NULL, 0} if there is no memory. */
static struct kh_view percent_decoded(struct kh_arena *arena, struct kh_view text)
{
	char *p = kh_arena_alloc(arena, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; p != NULL && i < text.n; i++) {
		int high = text.p[i] == '%' && i + 2 < text.n ? kh_ascii_hex(text.p[i + 1]) : -1;
		int low = high >= 0 ? kh_ascii_hex(text.p[i + 2]) : -1;
		p[n++] = low >= 0 ? (char)(high << 4 | low) : text.p[i];
		i += low >= 0 ? 2 : 0;
	}
	return (struct kh_view){p, n};
}

/* What a pointer leads to in the schema's JSON; NULL if it leads nowhere. */
static yyjson_val *value_at(struct kh_compiling *c, struct kh_view pointer)
{
	yyjson_val *val = c->schema->val;
	struct kh_view token;
	size_t index;

	while (val != NULL && kh_pointer_next(c->arena, &pointer, &token)) {
		if (token.p == NULL)
			return NULL;
		if (yyjson_is_obj(val))
			val = yyjson_obj_getn(val, token.p, token.n);
		else
			val = kh_pointer_index(token, &index) ? yyjson_arr_get(val, index) : NULL;
	}
	return val;
}

static const struct kh_node *find(struct kh_compiling *c, struct kh_view ref)
{
	struct kh_view name = percent_decoded(c->arena, kh_view_from(ref, 1));

	if (name.p == NULL)
		return NULL;
	if (name.n == 0 || name.p[0] == '/')
		return node_of(c, value_at(c, name));
	for (size_t i = 0; i < c->n_anchors; i++) {
		if (kh_view_eq(c->anchors[i].name, name))
			return c->anchors[i].node;
	}
	return NULL;
}

static void resolve(struct kh_compiling *c, struct kh_node *node)
{
	const struct kh_pointer at = {node->at, KH_LIT("$ref"), 0};
	struct kh_view shown = kh_arena_quote(c->errors->arena, node->ref_text);

	if (node->ref_text.n == 0 || node->ref_text.p[0] != '#') {
		kh_compile_fault(c, &at, "schema_reference",
				 "%.*s leads out of the schema; only \"#\", \"#/...\" and anchors are followed",
				 KH_FMT(shown));
		return;
	}
	node->ref = find(c, node->ref_text);
	if (node->ref == NULL)
		kh_compile_fault(c, &at, "schema_reference", "%.*s does not lead to a schema here", KH_FMT(shown));
}

static uint64_t count(struct kh_compiling *c, const struct kh_node *node, unsigned depth);

/* Adds what CHILD costs to OWN, which compares the same value with it. */
static void include(struct kh_compiling *c, struct kh_node *own, const struct kh_node *child, unsigned depth,
		    uint64_t *cost)
{
	if (child == NULL)
		return;
	*cost += count(c, child, depth);
	if (child->height >= own->height)
		own->height = child->height + 1;
}

static void include_list(struct kh_compiling *c, struct kh_node *own, const struct kh_node_list *list, unsigned depth,
			 uint64_t *cost)
{
	for (size_t i = 0; i < list->n; i++)
		include(c, own, list->at[i], depth, cost);
}

static uint64_t count_within(struct kh_compiling *c, struct kh_node *own, unsigned depth)
{
	const struct kh_node *const single[] = {own->ref, own->no, own->when, own->then, own->otherwise};
	uint64_t cost = 1;

	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		include(c, own, single[i], depth, &cost);
	include_list(c, own, &own->all, depth, &cost);
	include_list(c, own, &own->any, depth, &cost);
	include_list(c, own, &own->one, depth, &cost);
	for (size_t i = 0; i < own->n_names; i++)
		include(c, own, own->names[i].also, depth, &cost);
	return cost;
}

/* The schemas that a value is compared with if it is compared with NODE, or a bit more than KH_SCHEMA_COST. */
static uint64_t count(struct kh_compiling *c, const struct kh_node *node, unsigned depth)
{
	struct kh_node *own = (struct kh_node *)(uintptr_t)node; /* const is for those who come after */

	if (own == NULL || c->is_refused)
		return 0;
	if (own->cost == UINT64_MAX) {
		kh_compile_fault(c, own->at, "schema_reference", "refers to itself without going into the value");
		return 0;
	}
	if (own->cost == 0 && depth < IN_PLACE) {
		own->cost = UINT64_MAX;
		uint64_t cost = count_within(c, own, depth + 1);
		own->cost = cost < KH_SCHEMA_COST ? cost : KH_SCHEMA_COST + 1;
	}
	if (own->cost == 0 || own->height >= IN_PLACE) {
		kh_compile_fault(c, own->at, "schema_limit", "more than %d schemas within each other for one value",
				 IN_PLACE);
		return 0;
	}
	return own->cost;
}

void kh_refer_all(struct kh_compiling *c)
{
	qsort(c->nodes, c->n_nodes, sizeof(struct kh_node *), compare_nodes);
	for (size_t i = 0; i < c->n_nodes; i++) {
		if (c->nodes[i]->ref_text.p != NULL)
			resolve(c, c->nodes[i]);
	}
	for (size_t i = 0; i < c->n_nodes && !c->is_refused; i++) {
		if (count(c, c->nodes[i], 0) > KH_SCHEMA_COST)
			kh_compile_fault(c, c->nodes[i]->at, "schema_limit",
					 "a value is compared with more than %d schemas", KH_SCHEMA_COST);
	}
}
