/*
 * Finds the type of a member.  A value that fits a schema fits what the schema refers to and each of allOf as well, so
 * what any of these says counts; alternatives say nothing for certain.
 */
#include "core/schema/typed.h"

#include "core/schema/compile.h"
#include "core/schema/format.h"

#include <stdlib.h>

#define SCHEMAS 64 /* that hold for one member */
#define WORD    64 /* bytes of a value of an enum */

/* The schemas that all hold for a member. */
struct holding {
	const struct kh_node *at[SCHEMAS];
	size_t n;
};

/* Adds NODE and what holds with it.  A schema has no circle of these (refer.c). */
static void hold(struct holding *h, const struct kh_node *node)
{
	if (node == NULL || h->n == SCHEMAS)
		return;
	h->at[h->n++] = node;
	hold(h, node->ref);
	for (size_t i = 0; i < node->all.n; i++)
		hold(h, node->all.at[i]);
}

/* The types that a value of all of them can have, as bits. */
static unsigned types_of(const struct holding *h)
{
	unsigned types = KH_NODE_INTEGER * 2 - 1;

	for (size_t i = 0; i < h->n; i++) {
		unsigned own = h->at[i]->types;
		if (own != 0)
			types &= own | ((own & KH_NODE_NUMBER) != 0 ? KH_NODE_INTEGER : 0);
	}
	return types;
}

/* Goes to the member NAME of objects; false if there is none. */
static bool enter_member(const struct holding *h, struct kh_view name, struct holding *ret, bool *is_required)
{
	bool is_named = false;

	for (size_t i = 0; i < h->n; i++) {
		const struct kh_node_name *own = kh_node_find(h->at[i], name);
		if (own == NULL)
			continue;
		is_named = is_named || own->is_required;
		hold(ret, own->schema);
	}
	*is_required = *is_required && is_named && types_of(h) == KH_NODE_OBJECT;
	return ret->n > 0;
}

/* Goes to the item at INDEX of arrays. */
static bool enter_item(const struct holding *h, size_t index, struct holding *ret, bool *is_required)
{
	bool is_counted = false;

	for (size_t i = 0; i < h->n; i++) {
		const struct kh_node *node = h->at[i];
		is_counted = is_counted || node->min_items > index;
		hold(ret, index < node->first.n ? node->first.at[index] : node->items);
	}
	*is_required = *is_required && is_counted && types_of(h) == KH_NODE_ARRAY;
	return ret->n > 0;
}

static bool is_word(struct kh_view value)
{
	return value.n > 0 && value.n <= WORD && kh_view_is_word(value, "_.-");
}

static int compare_views(const void *a, const void *b)
{
	const struct kh_view *x = a, *y = b;

	return kh_view_cmp(*x, *y);
}

/* The values of LIST if all of them are words; false if one is not. */
static bool words_of(struct kh_arena *arena, yyjson_val *list, struct kh_schema_member *member)
{
	struct kh_view *values = KH_NEW_N(arena, struct kh_view, yyjson_arr_size(list));
	yyjson_val *item;
	size_t i, n, kept = 0;

	if (values == NULL || yyjson_arr_size(list) == 0)
		return false;
	yyjson_arr_foreach (list, i, n, item) {
		values[i] = kh_json_str(item);
		if (!is_word(values[i]))
			return false;
	}
	qsort(values, n, sizeof(*values), compare_views);
	for (i = 0; i < n; i++) {
		if (kept == 0 || !kh_view_eq(values[kept - 1], values[i]))
			values[kept++] = values[i];
	}
	member->values = values;
	member->n_values = kept;
	return true;
}

static bool as_enum(struct kh_arena *arena, const struct holding *h, struct kh_schema_member *member)
{
	member->kind = KH_SCHEMA_ENUM;
	for (size_t i = 0; i < h->n; i++) {
		struct kh_view *one = is_word(kh_json_str(h->at[i]->constant)) ? KH_NEW(arena, struct kh_view) : NULL;
		if (one != NULL) {
			*one = kh_json_str(h->at[i]->constant);
			member->values = one;
			member->n_values = 1;
			return true;
		}
		if (h->at[i]->listed != NULL && words_of(arena, h->at[i]->listed, member))
			return true;
	}
	return false;
}

/* Narrows *MIN to LIMIT + MORE if that is an integer. */
static bool raise_min(const struct kh_decimal *limit, int64_t more, int64_t *min)
{
	int64_t value;

	if (limit == NULL || !kh_decimal_int(*limit, &value) || __builtin_add_overflow(value, more, &value))
		return false;
	*min = value > *min ? value : *min;
	return true;
}

static bool lower_max(const struct kh_decimal *limit, int64_t more, int64_t *max)
{
	int64_t value;

	if (limit == NULL || !kh_decimal_int(*limit, &value) || __builtin_add_overflow(value, more, &value))
		return false;
	*max = value < *max ? value : *max;
	return true;
}

static bool as_integer(const struct holding *h, struct kh_schema_member *member)
{
	bool has_min = false, has_max = false;

	*member = (struct kh_schema_member){.kind = KH_SCHEMA_INTEGER, .min = INT64_MIN, .max = INT64_MAX};
	for (size_t i = 0; i < h->n; i++) {
		const struct kh_node *node = h->at[i];
		has_min = raise_min(node->least, 0, &member->min) || has_min;
		has_min = raise_min(node->above, 1, &member->min) || has_min;
		has_max = lower_max(node->most, 0, &member->max) || has_max;
		has_max = lower_max(node->below, -1, &member->max) || has_max;
		if (node->format != NULL && node->format->fits == NULL) {
			has_min = has_max = true;
			member->min = node->format->min > member->min ? node->format->min : member->min;
			member->max = node->format->max < member->max ? node->format->max : member->max;
		}
	}
	return has_min && has_max && member->min <= member->max;
}

static bool as_format(const struct holding *h, struct kh_schema_member *member)
{
	for (size_t i = 0; i < h->n; i++) {
		if (h->at[i]->format == NULL || !h->at[i]->format->is_finite)
			continue;
		*member = (struct kh_schema_member){.kind = KH_SCHEMA_FORMAT, .format = h->at[i]->format->name};
		return true;
	}
	return false;
}

static bool as_array(const struct holding *h, struct kh_schema_member *member)
{
	uint64_t min = 0, max = UINT64_MAX;

	for (size_t i = 0; i < h->n; i++) {
		const struct kh_node *node = h->at[i], *rest = node->items;
		bool is_closed = rest != NULL && rest->is_bool && !rest->is_true;
		uint64_t most = is_closed && node->first.n < node->max_items ? node->first.n : node->max_items;
		min = node->min_items > min ? node->min_items : min;
		max = most < max ? most : max;
	}
	*member = (struct kh_schema_member){.kind = KH_SCHEMA_ARRAY, .min = (int64_t)min, .max = (int64_t)max};
	return max <= INT64_MAX && min <= max;
}

static bool type_of(struct kh_arena *arena, const struct holding *h, struct kh_schema_member *member)
{
	unsigned types = types_of(h);

	*member = (struct kh_schema_member){.kind = KH_SCHEMA_BOOLEAN};
	if (types == KH_NODE_BOOLEAN)
		return true;
	if ((types & KH_NODE_STRING) != 0 && as_enum(arena, h, member))
		return true;
	if (types == KH_NODE_INTEGER)
		return as_integer(h, member);
	if (types == KH_NODE_STRING)
		return as_format(h, member);
	return types == KH_NODE_ARRAY && as_array(h, member);
}

enum kh_err kh_schema_typed(const struct kh_schema *schema, struct kh_arena *arena, struct kh_view pointer,
			    struct kh_schema_member *ret_member, struct kh_error *err)
{
	struct holding h = {.n = 0};
	struct kh_schema_member member;
	struct kh_view rest = pointer, token;
	bool is_required = true;
	size_t index;

	hold(&h, schema->root);
	while (kh_pointer_next(arena, &rest, &token)) {
		struct holding inner = {.n = 0};
		bool is_array = types_of(&h) == KH_NODE_ARRAY, is_there = false;
		if (token.p != NULL && !is_array)
			is_there = enter_member(&h, token, &inner, &is_required);
		else if (token.p != NULL && kh_pointer_index(token, &index))
			is_there = enter_item(&h, index, &inner, &is_required);
		if (!is_there)
			return kh_error_set(err, arena->failed ? KH_ENOMEM : KH_EUNKNOWN, "unknown_member",
					    "the schema has no such member");
		h = inner;
	}
	if (!type_of(arena, &h, &member))
		return kh_error_set(
			err, arena->failed ? KH_ENOMEM : KH_EREFUSED, "schema_untyped",
			"the schema does not say that it is a boolean, an enum of words, a bounded integer, "
			"a string of a finite format or an array of bounded length");
	member.is_required = is_required;
	*ret_member = member;
	return kh_arena_check(arena);
}
