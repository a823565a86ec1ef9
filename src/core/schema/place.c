/* Finds out what all schemas that hold for a place say together. */
#include "core/schema/place.h"

#include "core/schema/format.h"

#include <stdlib.h>

#define WORD 64 /* bytes of a value of an enum */

/* Adds NODE and what holds with it.  A schema has no circle of these (refer.c). */
static void hold(struct kh_place *place, const struct kh_node *node)
{
	if (node == NULL || place->n == KH_PLACE_SCHEMAS)
		return;
	place->at[place->n++] = node;
	hold(place, node->ref);
	for (size_t i = 0; i < node->all.n; i++)
		hold(place, node->all.at[i]);
}

void kh_place_start(const struct kh_node *root, struct kh_place *ret_place)
{
	ret_place->n = 0;
	hold(ret_place, root);
}

unsigned kh_place_types(const struct kh_place *place)
{
	unsigned types = KH_NODE_INTEGER * 2 - 1;

	for (size_t i = 0; i < place->n; i++) {
		unsigned own = place->at[i]->types;
		if (own != 0)
			types &= own | ((own & KH_NODE_NUMBER) != 0 ? KH_NODE_INTEGER : 0);
	}
	return types;
}

bool kh_place_member(const struct kh_place *place, struct kh_view name, struct kh_place *ret_member)
{
	ret_member->n = 0;
	for (size_t i = 0; i < place->n; i++) {
		const struct kh_node_name *own = kh_node_find(place->at[i], name);
		if (own != NULL)
			hold(ret_member, own->schema);
	}
	return ret_member->n > 0;
}

bool kh_place_item(const struct kh_place *place, size_t index, struct kh_place *ret_item)
{
	ret_item->n = 0;
	for (size_t i = 0; i < place->n; i++) {
		const struct kh_node *node = place->at[i];
		hold(ret_item, index < node->first.n ? node->first.at[index] : node->items);
	}
	return ret_item->n > 0;
}

bool kh_place_is_even(const struct kh_place *place)
{
	size_t n = 0;

	for (size_t i = 0; i < place->n; i++)
		n += place->at[i]->first.n;
	return n == 0;
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

static bool as_enum(struct kh_arena *arena, const struct kh_place *place, struct kh_schema_member *member)
{
	member->kind = KH_SCHEMA_ENUM;
	for (size_t i = 0; i < place->n; i++) {
		struct kh_view constant = kh_json_str(place->at[i]->constant);
		struct kh_view *one = is_word(constant) ? KH_NEW(arena, struct kh_view) : NULL;
		if (one != NULL) {
			*one = constant;
			member->values = one;
			member->n_values = 1;
			return true;
		}
		if (place->at[i]->listed != NULL && words_of(arena, place->at[i]->listed, member))
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

static bool as_integer(const struct kh_place *place, struct kh_schema_member *member)
{
	bool has_min = false, has_max = false;

	*member = (struct kh_schema_member){.kind = KH_SCHEMA_INTEGER, .min = INT64_MIN, .max = INT64_MAX};
	for (size_t i = 0; i < place->n; i++) {
		const struct kh_node *node = place->at[i];
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

static bool as_format(const struct kh_place *place, struct kh_schema_member *member)
{
	for (size_t i = 0; i < place->n; i++) {
		if (place->at[i]->format == NULL || !place->at[i]->format->is_finite)
			continue;
		*member = (struct kh_schema_member){.kind = KH_SCHEMA_FORMAT, .format = place->at[i]->format->name};
		return true;
	}
	return false;
}

static bool as_array(const struct kh_place *place, struct kh_schema_member *member)
{
	uint64_t min = 0, max = UINT64_MAX;

	for (size_t i = 0; i < place->n; i++) {
		const struct kh_node *node = place->at[i], *rest = node->items;
		bool is_closed = rest != NULL && rest->is_bool && !rest->is_true;
		uint64_t most = is_closed && node->first.n < node->max_items ? node->first.n : node->max_items;
		min = node->min_items > min ? node->min_items : min;
		max = most < max ? most : max;
	}
	*member = (struct kh_schema_member){.kind = KH_SCHEMA_ARRAY, .min = (int64_t)min, .max = (int64_t)max};
	return max <= INT64_MAX && min <= max;
}

bool kh_place_type(const struct kh_place *place, struct kh_arena *arena, struct kh_schema_member *ret_member)
{
	struct kh_schema_member member = {.kind = KH_SCHEMA_BOOLEAN};
	unsigned types = kh_place_types(place);
	bool is_typed = types == KH_NODE_BOOLEAN;

	if ((types & KH_NODE_STRING) != 0)
		is_typed = as_enum(arena, place, &member) || (types == KH_NODE_STRING && as_format(place, &member));
	else if (types == KH_NODE_INTEGER)
		is_typed = as_integer(place, &member);
	else if (types == KH_NODE_ARRAY)
		is_typed = as_array(place, &member);
	if (is_typed)
		*ret_member = member;
	return is_typed;
}
