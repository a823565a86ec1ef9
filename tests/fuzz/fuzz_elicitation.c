/*
 * What an upstream server asks a human (U3), as it sends it.
 *
 * It is declined with a code that is known, or is a form: a schema of at most KH_ELICITATION_FIELDS fields that compiles,
 * and which nothing fits if a field is needed; and a text in which every line is one of ours, or stands behind a bar or in
 * quotes.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "core/comm/elicitation.h"
#include "core/schema/schema.h"

/* A line of ours: a heading, a field's name and type, or a quoted word of the server under it. */
static bool is_line(struct kh_view line)
{
	size_t colon = kh_view_find(line, KH_LIT(": "), 0);

	return kh_view_eq(line, KH_LIT("Message:")) || kh_view_eq(line, KH_LIT("Fields:")) ||
	       kh_view_starts(line, KH_LIT("| ")) || kh_view_starts(line, KH_LIT("  title: \"")) ||
	       kh_view_starts(line, KH_LIT("  description: \"")) || kh_view_starts(line, KH_LIT("  one of: \"")) ||
	       (colon <= 64 + sizeof(" (needed)") && kh_view_is_word(kh_view_sub(line, 0, colon), "_.- ()"));
}

static void check_text(struct kh_view text)
{
	struct kh_view line;

	HOLDS(kh_utf8_invalid(text) == SIZE_MAX && kh_view_ends(text, KH_LIT("\n")));
	text.n--;
	while (kh_view_split(&text, '\n', &line))
		HOLDS(is_line(line));
}

static void check_schema(struct kh_arena *arena, const struct kh_elicitation *form)
{
	yyjson_val *root, *none;
	struct kh_schema *schema = NULL;
	struct kh_reasons errors;
	struct kh_view values;
	struct kh_error err;

	HOLDS(kh_json_read(arena, form->schema, &root, &err) == KH_OK);
	HOLDS(yyjson_obj_size(kh_json_get(root, "properties")) <= KH_ELICITATION_FIELDS);
	kh_reasons_init(&errors, arena);
	HOLDS(kh_schema_new(NULL, form->schema, &schema, &errors) == KH_OK);
	HOLDS(kh_elicitation_values(arena, form->schema, kh_tainted_wrap(KH_LIT("{}")), &values, &err) == KH_OK);
	HOLDS(kh_json_read(arena, values, &none, &err) == KH_OK);
	HOLDS((kh_schema_check(schema, arena, none, &errors) == KH_OK) == (form->needed == 0));
	kh_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_elicitation form;
	struct kh_arena arena;
	struct kh_error err = {.offset = SIZE_MAX};

	kh_fuzz_begin(&arena);
	enum kh_err e = kh_elicitation_read(&arena, kh_tainted_wrap(kh_fuzz_view(data, size)), &form, &err);
	HOLDS(e == KH_OK || e == KH_EREFUSED);
	if (e == KH_OK) {
		check_text(form.text);
		check_schema(&arena, &form);
	} else {
		HOLDS(kh_view_starts(kh_view_str(err.code), KH_LIT("elicitation_")));
		kh_fuzz_error(&err);
	}
	kh_arena_done(&arena);
	return 0;
}
