/*
 * Members by name.  A name is read by the schema alone, to one list of steps or to none; then the value, which is hostile,
 * is followed by these steps.  So a value cannot decide what a name means.
 */
#include "core/schema/typed.h"

#include "core/schema/compile.h"
#include "core/schema/format.h"
#include "core/schema/place.h"

#define STEPS  32   /* of a name, which has at most 64 bytes */
#define NAME   64   /* bytes of a name that is listed: a query can have no longer one (B3) */
#define LEVELS 8    /* of members that are listed */
#define PLACES 4096 /* that are looked at for a list */

enum what { THE_VALUE, THE_LENGTH, THE_COUNT };

/* Items that an array may have. */
struct range {
	int64_t min, max;
};

struct step {
	struct kh_view name; /* of a member; p NULL: an item, of an array of so many: */
	size_t index;
	struct range items;
};

/* What a name means. */
struct meaning {
	struct step steps[STEPS];
	size_t n;
	enum what what;
	size_t n_outer;       /* steps to the array that is measured; the rest goes on from each of its items */
	struct range items;   /* that it may have */
	struct kh_view value; /* that is counted */
	struct kh_schema_member type;
};

/* --- names -------------------------------------------------------------------------------------------------------- */

/* A name that is read: where it has led to, and what is left of it. */
struct naming {
	struct kh_place place;
	struct kh_view rest;
	struct meaning *meaning;
};

/* Takes BYTES and a dot off what is left; false: nothing follows the dot. */
static bool take(struct naming *n, size_t bytes)
{
	if (bytes == n->rest.n) {
		n->rest = KH_LIT("");
		return true;
	}
	n->rest = kh_view_from(n->rest, bytes + 1);
	return n->rest.n > 0;
}

static size_t find_dot(struct kh_view text, size_t from)
{
	size_t at = kh_view_find(text, KH_LIT("."), from);

	return at != SIZE_MAX ? at : text.n;
}

static bool add_step(struct meaning *m, struct step step)
{
	if (m->n == STEPS)
		return false;
	m->steps[m->n++] = step;
	return true;
}

/* Goes to the one member that can be meant. */
static bool enter_member(struct naming *n)
{
	struct kh_view name = {NULL, 0};
	struct kh_place inner;
	size_t end = 0;

	do {
		end = find_dot(n->rest, end > 0 ? end + 1 : 0);
		struct kh_view own = kh_view_sub(n->rest, 0, end);
		if (!kh_place_member(&n->place, own, &inner))
			continue;
		if (name.p != NULL)
			return false;
		name = own;
	} while (end > 0 && end < n->rest.n);
	if (name.n == 0 || !kh_place_member(&n->place, name, &inner))
		return false;
	n->place = inner;
	return add_step(n->meaning, (struct step){.name = name}) && take(n, name.n);
}

/* Goes to an item; or to all of them, to measure or to count. */
static bool enter_array(struct naming *n, const struct kh_schema_member *array)
{
	struct kh_view token = kh_view_sub(n->rest, 0, find_dot(n->rest, 0));
	bool counts = kh_view_eq(token, KH_LIT("count")), measures = kh_view_eq(n->rest, KH_LIT("length"));
	struct range items = {array->min, array->max};
	struct kh_place inner;
	size_t index = 0;

	if (counts || measures) {
		if (n->meaning->what != THE_VALUE)
			return false;
		n->meaning->what = counts ? THE_COUNT : THE_LENGTH;
		n->meaning->n_outer = n->meaning->n;
		n->meaning->items = items;
		if (measures)
			return true;
		if (!kh_place_is_even(&n->place))
			return false;
	} else if (!kh_pointer_index(token, &index) ||
		   !add_step(n->meaning, (struct step){.index = index, .items = items})) {
		return false;
	}
	if (!kh_place_item(&n->place, index, &inner))
		return false;
	n->place = inner;
	return take(n, token.n);
}

static bool is_listed(const struct kh_schema_member *type, struct kh_view value)
{
	if (type->kind == KH_SCHEMA_BOOLEAN)
		return kh_view_eq(value, KH_LIT("true")) || kh_view_eq(value, KH_LIT("false"));
	for (size_t i = 0; i < type->n_values; i++) {
		if (kh_view_eq(type->values[i], value))
			return type->kind == KH_SCHEMA_ENUM;
	}
	return false;
}

static bool as_number(struct meaning *m)
{
	m->type = (struct kh_schema_member){.kind = KH_SCHEMA_INTEGER, .max = m->items.max};
	return true;
}

/*
 * Reads NAME into *M; false: it means nothing.  A place is an array, or has a type by itself, or may have members, so each
 * part of a name has one meaning at most.
 */
static bool read_name(const struct kh_schema *schema, struct kh_arena *arena, struct kh_view name, struct meaning *m)
{
	struct naming n = {.rest = name, .meaning = m};
	struct kh_schema_member type;

	*m = (struct meaning){.n = 0};
	kh_place_start(schema->root, &n.place);
	while (n.rest.n > 0) {
		bool is_typed = kh_place_type(&n.place, arena, &type);
		bool is_array = kh_place_types(&n.place) == KH_NODE_ARRAY;
		if (m->what == THE_COUNT && is_typed && !is_array) {
			m->value = n.rest;
			return is_listed(&type, n.rest) && as_number(m);
		}
		if (is_array ? !is_typed || !enter_array(&n, &type) : is_typed || !enter_member(&n))
			return false;
		if (m->what == THE_LENGTH)
			return as_number(m);
	}
	return m->what == THE_VALUE && kh_place_type(&n.place, arena, &m->type) && m->type.kind != KH_SCHEMA_ARRAY;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static bool has_items(yyjson_val *array, struct range items)
{
	int64_t size = (int64_t)yyjson_arr_size(array);

	return yyjson_is_arr(array) && size >= items.min && size <= items.max;
}

/* What is there; NULL: nothing. */
static yyjson_val *follow(const struct meaning *m, size_t from, size_t to, yyjson_val *value)
{
	for (size_t i = from; i < to; i++) {
		const struct step *step = &m->steps[i];
		if (step->name.p != NULL)
			value = yyjson_obj_getn(value, step->name.p, step->name.n);
		else
			value = has_items(value, step->items) ? yyjson_arr_get(value, step->index) : NULL;
	}
	return value;
}

static bool is_of(const struct kh_schema_member *type, yyjson_val *value)
{
	int64_t number;

	switch (type->kind) {
	case KH_SCHEMA_BOOLEAN:
		return yyjson_is_bool(value);
	case KH_SCHEMA_ENUM:
		return yyjson_is_str(value) && is_listed(type, kh_json_str(value));
	case KH_SCHEMA_INTEGER:
		return kh_json_int(value, &number) && number >= type->min && number <= type->max;
	case KH_SCHEMA_FORMAT:
		return yyjson_is_str(value) &&
		       kh_schema_format_fits(kh_schema_format_find(kh_view_str(type->format)), value);
	case KH_SCHEMA_ARRAY:
		break;
	}
	return false;
}

static bool is_value(yyjson_val *value, struct kh_view text)
{
	if (yyjson_is_bool(value))
		return kh_view_eq(text, yyjson_get_bool(value) ? KH_LIT("true") : KH_LIT("false"));
	return yyjson_is_str(value) && kh_view_eq(kh_json_str(value), text);
}

static int64_t count_equal(const struct meaning *m, yyjson_val *array)
{
	int64_t count = 0;
	yyjson_val *item;
	size_t i, max;

	yyjson_arr_foreach (array, i, max, item)
		count += is_value(follow(m, m->n_outer, m->n, item), m->value);
	return count;
}

bool kh_schema_typed(const struct kh_schema *schema, struct kh_arena *arena, struct kh_view name, yyjson_val *value,
		     struct kh_schema_found *ret_found)
{
	struct kh_schema_found found = {.value = NULL};
	struct meaning m;

	if (!read_name(schema, arena, name, &m))
		return false;
	yyjson_val *at = follow(&m, 0, m.what == THE_VALUE ? m.n : m.n_outer, value);
	found.type = m.type;
	if (m.what == THE_VALUE ? !is_of(&m.type, at) : !has_items(at, m.items))
		return false;
	if (m.what == THE_VALUE)
		found.value = at;
	else
		found.number = m.what == THE_COUNT ? count_equal(&m, at) : (int64_t)yyjson_arr_size(at);
	*ret_found = found;
	return true;
}

/* --- a list ------------------------------------------------------------------------------------------------------- */

struct listing {
	const struct kh_schema *schema;
	struct kh_arena *arena;
	kh_schema_member_fn *fn;
	void *ctx;
	unsigned left; /* places that may still be looked at; 0: it is over */
};

/* Whether a query can have this name (B3). */
static bool is_name(struct kh_view name)
{
	return name.n > 0 && name.n <= NAME && kh_view_is_word(name, "_.-") && !kh_ascii_is_digit(name.p[0]) &&
	       name.p[0] != '.' && name.p[0] != '-';
}

/* What is read anew has the meaning that a query would find. */
static void tell(struct listing *l, const struct kh_place *place, struct kh_view name)
{
	bool is_array = kh_place_types(place) == KH_NODE_ARRAY;
	struct kh_view whole = is_array ? kh_arena_printf(l->arena, "%.*s.length", KH_FMT(name)) : name;
	struct meaning m;

	if (is_name(whole) && read_name(l->schema, l->arena, whole, &m) && !l->fn(l->ctx, whole, &m.type))
		l->left = 0;
}

static bool was_listed(const struct kh_place *place, size_t before, struct kh_view name)
{
	for (size_t i = 0; i < before; i++) {
		if (kh_node_find(place->at[i], name) != NULL)
			return true;
	}
	return false;
}

/* Tells of what is LEVELS below PLACE, whose name is NAME. */
static void list(struct listing *l, const struct kh_place *place, struct kh_view name, unsigned levels)
{
	struct kh_place inner;

	if (l->left == 0 || name.n > NAME)
		return;
	l->left--;
	if (levels == 0) {
		tell(l, place, name);
		return;
	}
	if (kh_place_types(place) == KH_NODE_ARRAY) {
		if (kh_place_item(place, 0, &inner))
			list(l, &inner, kh_arena_printf(l->arena, "%.*s.0", KH_FMT(name)), levels - 1);
		return;
	}
	for (size_t i = 0; i < place->n; i++) {
		for (size_t k = 0; l->left > 0 && k < place->at[i]->n_names; k++) {
			struct kh_view own = place->at[i]->names[k].name;
			if (was_listed(place, i, own) || !kh_place_member(place, own, &inner))
				continue;
			list(l, &inner,
			     name.n == 0 ? own : kh_arena_printf(l->arena, "%.*s.%.*s", KH_FMT(name), KH_FMT(own)),
			     levels - 1);
		}
	}
}

void kh_schema_typed_each(const struct kh_schema *schema, struct kh_arena *arena, kh_schema_member_fn *fn, void *ctx)
{
	struct listing l = {.schema = schema, .arena = arena, .fn = fn, .ctx = ctx, .left = PLACES};
	struct kh_place root;

	kh_place_start(schema->root, &root);
	for (unsigned levels = 1; levels <= LEVELS; levels++)
		list(&l, &root, KH_LIT(""), levels);
}
