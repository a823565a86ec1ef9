/*
 * Canonical JSON (RFC 8785).
 *
 * Strings are escaped as yyjson does it.  This file adds the order of members (by UTF-16 code units, which differs from
 * byte order only for characters past U+FFFF) and the form of numbers (ECMAScript's Number::toString).
 */
#include "base/canonical.h"

#include "base/decimal.h"
#include "base/emit.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#define EXACT (INT64_C(1) << 53) /* integers below it are all doubles */

/*
 * Compares by UTF-16 code units.  That is the order of code points, except that characters past U+FFFF come before
 * U+E000..U+FFFF.
 */
static int compare_utf16(struct kh_view a, struct kh_view b)
{
	size_t i = 0;

	while (i < a.n && i < b.n && a.p[i] == b.p[i])
		i++;
	if (i == a.n || i == b.n)
		return (a.n > b.n) - (a.n < b.n);
	unsigned char x = (unsigned char)a.p[i], y = (unsigned char)b.p[i];
	/*
	 * Lead bytes 0xf0.. (past U+FFFF) against 0xee, 0xef (U+E000..U+FFFF): the former are surrogates in UTF-16,
	 * which are the smaller units.
	 */
	if (x >= 0xf0 && y >= 0xee && y < 0xf0)
		return -1;
	if (y >= 0xf0 && x >= 0xee && x < 0xf0)
		return 1;
	return x < y ? -1 : 1;
}

static int compare_members(const void *a, const void *b)
{
	yyjson_val *x, *y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return compare_utf16(kh_json_str(x), kh_json_str(y));
}

/* ECMA-262, Number::toString: K digits, the decimal point after the first E of them. */
static void put_real(struct kh_buf *out, double value)
{
	char digits[KH_DECIMAL_DIGITS];
	int k, e;

	if (value == 0) {
		kh_buf_byte(out, '0');
		return;
	}
	if (value < 0)
		kh_buf_byte(out, '-');
	k = kh_decimal_shortest(fabs(value), digits, &e);
	if (k <= e && e <= 21) {
		kh_buf_add(out, kh_view_of(digits, (size_t)k));
		for (int i = k; i < e; i++)
			kh_buf_byte(out, '0');
	} else if (0 < e && e <= 21) {
		kh_buf_printf(out, "%.*s.%.*s", e, digits, k - e, digits + e);
	} else if (-6 < e && e <= 0) {
		kh_buf_lit(out, "0.");
		for (int i = e; i < 0; i++)
			kh_buf_byte(out, '0');
		kh_buf_add(out, kh_view_of(digits, (size_t)k));
	} else {
		kh_buf_byte(out, digits[0]);
		if (k > 1)
			kh_buf_printf(out, ".%.*s", k - 1, digits + 1);
		kh_buf_printf(out, "e%c%d", e > 0 ? '+' : '-', abs(e - 1));
	}
}

/*
 * True if every parser reads the digits TEXT, which were written for VAL, as the same number.  Past 2^53 a double is
 * not always the integer that its digits say: readers that take integers and readers that take doubles would differ.
 * From 2^64 on no parser takes an integer.
 */
static bool is_exact(struct kh_view text, yyjson_val *val)
{
	double magnitude = fabs(yyjson_get_num(val));
	char digits[24];

	if (magnitude < 0x1p53)
		return true;
	if (magnitude >= 0x1p64)
		return !yyjson_is_int(val);
	uint64_t integer = (uint64_t)magnitude;
	uint64_t given = yyjson_is_sint(val) ? -(uint64_t)yyjson_get_sint(val) : yyjson_get_uint(val);
	snprintf(digits, sizeof(digits), "%" PRIu64, integer);
	return (!yyjson_is_int(val) || given == integer) &&
	       kh_view_eq(kh_view_from(text, text.p[0] == '-'), kh_view_str(digits));
}

static enum kh_err put_number(struct kh_buf *out, yyjson_val *val, struct kh_error *err)
{
	size_t from = out->n;
	int64_t integer;

	if (kh_json_int(val, &integer) && integer < EXACT && integer > -EXACT) {
		kh_emit_integer(out, integer);
		return KH_OK;
	}
	put_real(out, yyjson_get_num(val));
	if (out->err == KH_OK && !is_exact(kh_view_of(out->p + from, out->n - from), val))
		return kh_error_set(err, KH_EREFUSED, "number_inexact",
				    "an integer past 2^53 that a double does not hold has no canonical form; write it "
				    "as a string");
	return KH_OK;
}

static enum kh_err put(struct kh_buf *out, yyjson_val *val, unsigned depth, struct kh_error *err);

static enum kh_err put_object(struct kh_buf *out, yyjson_val *obj, unsigned depth, struct kh_error *err)
{
	size_t n = yyjson_obj_size(obj), filled = 0;
	yyjson_val **keys = KH_NEW_N(out->arena, yyjson_val *, n), *key;
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);
	enum kh_err e = KH_OK;

	if (keys == NULL)
		return KH_ENOMEM;
	while ((key = yyjson_obj_iter_next(&iter)) != NULL)
		keys[filled++] = key;
	if (filled > 1)
		qsort(keys, filled, sizeof(yyjson_val *), compare_members);
	kh_buf_byte(out, '{');
	for (size_t i = 0; i < filled && e == KH_OK; i++) {
		if (i > 0)
			kh_buf_byte(out, ',');
		kh_emit_string(out, kh_json_str(keys[i]));
		kh_buf_byte(out, ':');
		e = put(out, yyjson_obj_iter_get_val(keys[i]), depth + 1, err);
	}
	kh_buf_byte(out, '}');
	return e;
}

static enum kh_err put_array(struct kh_buf *out, yyjson_val *arr, unsigned depth, struct kh_error *err)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(arr);
	yyjson_val *item;
	enum kh_err e = KH_OK;

	kh_buf_byte(out, '[');
	for (bool first = true; e == KH_OK && (item = yyjson_arr_iter_next(&iter)) != NULL; first = false) {
		if (!first)
			kh_buf_byte(out, ',');
		e = put(out, item, depth + 1, err);
	}
	kh_buf_byte(out, ']');
	return e;
}

static enum kh_err put(struct kh_buf *out, yyjson_val *val, unsigned depth, struct kh_error *err)
{
	if (depth > KH_JSON_DEPTH)
		return kh_error_set(err, KH_ELIMIT, "json_depth", "nested more than %d deep", KH_JSON_DEPTH);
	if (yyjson_is_obj(val))
		return put_object(out, val, depth, err);
	if (yyjson_is_arr(val))
		return put_array(out, val, depth, err);
	if (yyjson_is_num(val))
		return put_number(out, val, err);
	if (yyjson_is_str(val)) {
		kh_emit_string(out, kh_json_str(val));
	} else if (yyjson_is_bool(val)) {
		kh_buf_add(out, yyjson_get_bool(val) ? KH_LIT("true") : KH_LIT("false"));
	} else {
		kh_buf_lit(out, "null");
	}
	return KH_OK;
}

enum kh_err kh_canonical_json(struct kh_arena *arena, yyjson_val *val, struct kh_view *ret_text, struct kh_error *err)
{
	struct kh_buf out;

	kh_buf_init(&out, arena, arena->limit);
	enum kh_err e = put(&out, val, 0, err);
	return e == KH_OK ? kh_buf_end(&out, ret_text) : e;
}

enum kh_err kh_canonical_mut(struct kh_arena *arena, yyjson_mut_val *val, struct kh_view *ret_text,
			     struct kh_error *err)
{
	yyjson_val *root;
	enum kh_err e = kh_json_freeze(arena, val, &root, err);

	return e == KH_OK ? kh_canonical_json(arena, root, ret_text, err) : e;
}

struct kh_digest kh_canonical_digest(struct kh_view bytes)
{
	struct kh_digest digest;

	crypto_generichash(digest.bytes, sizeof(digest.bytes), (const unsigned char *)bytes.p, bytes.n, NULL, 0);
	return digest;
}

_Static_assert(sizeof(struct kh_canonical_state) == sizeof(crypto_generichash_state), "its bytes");

void kh_canonical_begin(struct kh_canonical_state *state)
{
	crypto_generichash_state own;

	crypto_generichash_init(&own, NULL, 0, KH_DIGEST_SIZE);
	memcpy(state, &own, sizeof(own));
}

void kh_canonical_more(struct kh_canonical_state *state, struct kh_view bytes)
{
	crypto_generichash_state own;

	memcpy(&own, state, sizeof(own));
	crypto_generichash_update(&own, (const unsigned char *)bytes.p, bytes.n);
	memcpy(state, &own, sizeof(own));
}

struct kh_digest kh_canonical_end(struct kh_canonical_state *state)
{
	crypto_generichash_state own;
	struct kh_digest digest;

	memcpy(&own, state, sizeof(own));
	crypto_generichash_final(&own, digest.bytes, sizeof(digest.bytes));
	return digest;
}

struct kh_view kh_canonical_hex(struct kh_arena *arena, const struct kh_digest *digest)
{
	char *hex = kh_arena_alloc(arena, KH_DIGEST_SIZE * 2 + 1); /* with a NUL, because callers print it */

	if (hex == NULL)
		return (struct kh_view){NULL, 0};
	kh_emit_put_digest(hex, digest);
	return kh_view_of(hex, KH_DIGEST_SIZE * 2);
}
