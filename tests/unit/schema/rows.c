/* Runs the tables. */
#include "rows.h"

#include "base/buf.h"

struct kh_view kh_rows_text(struct kh_test *t, const char *text)
{
	struct kh_view copy = kh_arena_dup(&t->arena, kh_view_str(text));

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < copy.n; i++) {
		if (copy.p[i] == '\'')
			((char *)(uintptr_t)copy.p)[i] = '"';
	}
	return copy;
}

struct kh_schema *kh_rows_new(struct kh_test *t, const char *text)
{
	struct kh_view schema = kh_rows_text(t, text);
	struct kh_schema *made = NULL;
	struct kh_reasons errors;

	kh_reasons_init(&errors, &t->arena);
	enum kh_err e = kh_schema_new(&t->alloc, schema, &made, &errors);
	if (e != KH_OK && !t->fired)
		print_error("%s: %.*s\n", text, KH_FMT(kh_rows_reported(t, &errors)));
	must(t, e);
	return made;
}

struct kh_view kh_rows_reported(struct kh_test *t, const struct kh_reasons *errors)
{
	struct kh_view text = {"", 0};
	struct kh_buf buf;

	kh_buf_init(&buf, &t->arena, 4096);
	for (size_t i = 0; i < errors->n; i++) {
		kh_buf_printf(&buf, "%s%s %.*s", i > 0 ? ";" : "", errors->at[i].code, KH_FMT(errors->at[i].member));
		assert_true(errors->at[i].detail.n > 0 || t->fired);
	}
	must(t, kh_buf_end(&buf, &text));
	return text;
}

static void run_values(struct kh_test *t, const char *text, struct kh_schema *schema, yyjson_val *values, bool is_good)
{
	struct kh_reasons errors;
	yyjson_val *value;
	size_t i, n;

	yyjson_arr_foreach (values, i, n, value) {
		kh_reasons_init(&errors, &t->arena);
		enum kh_err e = kh_schema_check(schema, &t->arena, value, &errors);
		if (e == KH_ENOMEM)
			kh_schema_free(schema);
		if (e != (is_good ? KH_OK : KH_EREFUSED) && e != KH_ENOMEM)
			print_error("%s: %s value %zu: %s\n", text, is_good ? "good" : "bad", i, kh_err_name(e));
		if (is_good)
			must(t, e);
		else
			must_fail(t, KH_EREFUSED, e);
		assert_int_equal(errors.n > 0, !is_good);
	}
}

static void run_row(struct kh_test *t, const struct kh_row *row)
{
	yyjson_val *good = NULL, *bad = NULL;
	struct kh_schema *schema;

	must(t, kh_json_read(&t->arena, kh_rows_text(t, row->good), &good, &t->err));
	must(t, kh_json_read(&t->arena, kh_rows_text(t, row->bad), &bad, &t->err));
	schema = kh_rows_new(t, row->schema);
	run_values(t, row->schema, schema, good, true);
	run_values(t, row->schema, schema, bad, false);
	kh_schema_free(schema);
}

void kh_rows_run(struct kh_test *t, const struct kh_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		run_row(t, &rows[i]);
}
