/*
 * Rows of a database as JSON (wire/sqlrows.h): the input is a list of columns and values.  Whatever they are, the result
 * is strict JSON of the promised form, with no more rows and bytes than the caps, and complete unless it says otherwise.
 *
 * The first two bytes are the caps.  Then a byte for what comes: c a column, n null, t true, i and r eight bytes of an
 * integer or a double, s, x and d a text, blob or number with its length before it; anything else ends a row.
 */
#include "fuzz.h"

#include "wire/sqlrows.h"

static struct kh_view take(struct kh_view *rest, size_t n)
{
	struct kh_view bytes = kh_view_sub(*rest, 0, n);

	*rest = kh_view_from(*rest, n);
	return bytes;
}

static struct kh_view take_text(struct kh_view *rest)
{
	struct kh_view n = take(rest, 1);

	return take(rest, n.n > 0 ? (unsigned char)n.p[0] : 0);
}

static void put_value(struct kh_sqlrows *rows, char kind, struct kh_view *rest)
{
	struct kh_view bytes;
	int64_t integer = 0;
	double real = 0;

	switch (kind) {
	case 'n':
		kh_sqlrows_null(rows);
		break;
	case 't':
		kh_sqlrows_bool(rows, rest->n % 2 == 0);
		break;
	case 'i':
		bytes = take(rest, 8);
		memcpy(&integer, bytes.p, bytes.n);
		kh_sqlrows_int(rows, integer);
		break;
	case 'r':
		bytes = take(rest, 8);
		memcpy(&real, bytes.p, bytes.n);
		kh_sqlrows_real(rows, real);
		break;
	case 's':
		kh_sqlrows_text(rows, take_text(rest));
		break;
	case 'x':
		kh_sqlrows_blob(rows, take_text(rest));
		break;
	default:
		kh_sqlrows_digits(rows, take_text(rest));
	}
}

/* A row of as many values as there are columns; what the input does not give is null. */
static bool put_row(struct kh_sqlrows *rows, size_t columns, struct kh_view *rest)
{
	if (!kh_sqlrows_begin(rows))
		return false;
	for (size_t i = 0; i < columns; i++) {
		struct kh_view kind = take(rest, 1);
		put_value(rows,
			  kind.n > 0 && strchr("ntirsxd", kind.p[0]) != NULL && kind.p[0] != '\0' ? kind.p[0] : 'n',
			  rest);
	}
	return kh_sqlrows_end(rows);
}

static void check_json(struct kh_arena *arena, struct kh_view json, size_t columns, size_t most)
{
	yyjson_val *root = NULL, *row, *value, *list;
	size_t i, k, n, m;

	HOLDS(kh_json_read(arena, json, &root, NULL) == KH_OK);
	HOLDS(yyjson_arr_size(kh_json_get(root, "columns")) == columns);
	HOLDS(yyjson_is_bool(kh_json_get(root, "truncated")));
	list = kh_json_get(root, "rows");
	HOLDS(yyjson_is_arr(list) && yyjson_arr_size(list) <= most);
	yyjson_arr_foreach (list, i, n, row) {
		HOLDS(yyjson_arr_size(row) == columns);
		yyjson_arr_foreach (row, k, m, value)
			HOLDS(!yyjson_is_ctn(value));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_sqlrows rows;
	struct kh_error err = {0};
	struct kh_arena arena;
	struct kh_view json, rest;
	size_t columns = 0, given = 0, kept = 0;

	if (size < 2)
		return 0;
	size_t most = data[0] % 8 + 1U, bytes = data[1] * 4U + 64U;
	rest = kh_fuzz_view(data + 2, size - 2);
	kh_fuzz_begin(&arena);
	kh_sqlrows_init(&rows, &arena, most, bytes);
	while (rest.n > 0 && rest.p[0] == 'c') {
		rest = kh_view_from(rest, 1);
		kh_sqlrows_column(&rows, take_text(&rest));
		columns++;
	}
	while (rest.n > 0) {
		given++;
		if (columns == 0)
			rest = kh_view_from(rest, 1); /* a row without values takes nothing */
		if (!put_row(&rows, columns, &rest))
			break;
		kept++;
	}
	enum kh_err e = kh_sqlrows_json(&rows, &json, &err);
	HOLDS(e == KH_OK || e == KH_ELIMIT);
	if (e == KH_OK) {
		HOLDS(json.n <= bytes + 32); /* the closing part comes on top */
		check_json(&arena, json, columns, most);
		HOLDS(rows.rows == kept && rows.truncated == (kept < given));
	} else {
		kh_fuzz_error(&err);
	}
	kh_arena_done(&arena);
	return 0;
}
