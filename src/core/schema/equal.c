/* Comparison of values.  Both may be hostile: each step is counted, and no choice of names or items avoids that. */
#include "core/schema/equal.h"

#include "base/decimal.h"

#include <stdlib.h>

/* Takes N steps and one more; false if there are not so many. */
static bool spend(uint64_t *steps, size_t n)
{
	bool is_enough = n < *steps;

	*steps = is_enough ? *steps - n - 1 : 0;
	return is_enough;
}

static bool equal_numbers(yyjson_val *a, yyjson_val *b)
{
	if (!yyjson_is_real(a) && !yyjson_is_real(b))
		return yyjson_get_uint(a) == yyjson_get_uint(b) &&
		       (yyjson_is_sint(a) && yyjson_get_sint(a) < 0) == (yyjson_is_sint(b) && yyjson_get_sint(b) < 0);
	return kh_decimal_cmp(kh_decimal_of(a), kh_decimal_of(b)) == 0;
}

static bool equal(yyjson_val *a, yyjson_val *b, unsigned depth, uint64_t *steps);

static bool equal_arrays(yyjson_val *a, yyjson_val *b, unsigned depth, uint64_t *steps)
{
	yyjson_arr_iter x = yyjson_arr_iter_with(a), y = yyjson_arr_iter_with(b);
	yyjson_val *item;

	if (yyjson_arr_size(a) != yyjson_arr_size(b))
		return false;
	while ((item = yyjson_arr_iter_next(&x)) != NULL) {
		if (!equal(item, yyjson_arr_iter_next(&y), depth + 1, steps))
			return false;
	}
	return true;
}

static bool equal_objects(yyjson_val *a, yyjson_val *b, unsigned depth, uint64_t *steps)
{
	yyjson_obj_iter x = yyjson_obj_iter_with(a);
	yyjson_val *key, *other;

	if (yyjson_obj_size(a) != yyjson_obj_size(b))
		return false;
	while ((key = yyjson_obj_iter_next(&x)) != NULL) {
		if (!spend(steps, yyjson_obj_size(b)))
			return false;
		other = yyjson_obj_getn(b, yyjson_get_str(key), yyjson_get_len(key));
		if (other == NULL || !equal(yyjson_obj_iter_get_val(key), other, depth + 1, steps))
			return false;
	}
	return true;
}

static bool equal(yyjson_val *a, yyjson_val *b, unsigned depth, uint64_t *steps)
{
	if (depth > KH_JSON_DEPTH)
		*steps = 0;
	if (!spend(steps, 0) || yyjson_get_type(a) != yyjson_get_type(b))
		return false;
	if (yyjson_is_str(a))
		return spend(steps, yyjson_get_len(a) / 64) && kh_view_eq(kh_json_str(a), kh_json_str(b));
	if (yyjson_is_num(a))
		return equal_numbers(a, b);
	if (yyjson_is_arr(a))
		return equal_arrays(a, b, depth, steps);
	if (yyjson_is_obj(a))
		return equal_objects(a, b, depth, steps);
	return yyjson_is_null(a) || yyjson_get_bool(a) == yyjson_get_bool(b);
}

bool kh_equal_values(yyjson_val *a, yyjson_val *b, uint64_t *steps)
{
	return equal(a, b, 0, steps);
}

static uint64_t mix(uint64_t h)
{
	h = (h ^ h >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t hash_text(struct kh_view v)
{
	uint64_t h = v.n;

	for (size_t i = 0; i < v.n; i++)
		h = (h ^ (unsigned char)v.p[i]) * UINT64_C(0x100000001b3);
	return mix(h);
}

/* The same for values that are equal.  Others may share one, which costs time alone. */
static uint64_t hash(yyjson_val *val, unsigned depth, uint64_t *steps)
{
	uint64_t h = yyjson_get_type(val);
	yyjson_val *item;

	if (depth > KH_JSON_DEPTH)
		*steps = 0;
	if (!spend(steps, yyjson_is_str(val) ? yyjson_get_len(val) / 8 : 0))
		return 0;
	if (yyjson_is_str(val))
		return hash_text(kh_json_str(val));
	if (yyjson_is_num(val)) {
		struct kh_decimal d = kh_decimal_of(val);
		return mix(mix(d.digits) + (uint64_t)(int64_t)d.exponent * 2 + (d.negative ? 1 : 0));
	}
	if (yyjson_is_arr(val)) {
		yyjson_arr_iter iter = yyjson_arr_iter_with(val);
		while ((item = yyjson_arr_iter_next(&iter)) != NULL)
			h = mix(h + hash(item, depth + 1, steps));
	} else if (yyjson_is_obj(val)) {
		yyjson_obj_iter iter = yyjson_obj_iter_with(val);
		while ((item = yyjson_obj_iter_next(&iter)) != NULL)
			h += mix(hash_text(kh_json_str(item)) ^ hash(yyjson_obj_iter_get_val(item), depth + 1, steps));
	} else {
		h += yyjson_get_bool(val) ? 1 : 0;
	}
	return mix(h);
}

struct hashed {
	uint64_t hash;
	size_t index;
	yyjson_val *val;
};

static int compare_hashed(const void *a, const void *b)
{
	struct hashed x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x.hash != y.hash ? (x.hash > y.hash) - (x.hash < y.hash) : (x.index > y.index) - (x.index < y.index);
}

/* Room for N items; NULL if there is no memory. */
static struct hashed *items_new(struct kh_arena *arena, struct kh_equal_room *room, size_t n)
{
	if (room->p == NULL || n > room->size / sizeof(struct hashed)) {
		room->p = KH_NEW_N(arena, struct hashed, 2 * n + 1);
		room->size = (2 * n + 1) * sizeof(struct hashed);
	}
	return room->p;
}

enum kh_err kh_equal_repeated(struct kh_arena *arena, struct kh_equal_room *room, yyjson_val *arr, uint64_t *steps,
			      size_t *ret_index)
{
	size_t n = yyjson_arr_size(arr), i, max, found = SIZE_MAX;
	struct hashed *items = items_new(arena, room, n);
	yyjson_val *item;

	if (items == NULL)
		return KH_ENOMEM;
	yyjson_arr_foreach (arr, i, max, item)
		items[i] = (struct hashed){hash(item, 0, steps), i, item};
	if (n > 1)
		qsort(items, n, sizeof(*items), compare_hashed);
	for (i = 0; i<n && * steps> 0; i++) {
		for (size_t k = i + 1; k < n && items[k].hash == items[i].hash && *steps > 0; k++) {
			if (!kh_equal_values(items[i].val, items[k].val, steps))
				continue;
			found = items[k].index < found ? items[k].index : found;
			break; /* what is the same as both is found from K on */
		}
	}
	*ret_index = found;
	return KH_OK;
}
