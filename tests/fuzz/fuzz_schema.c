/*
 * Schemas (U5, U7): whatever the two lines of an input are, a schema and a value, the schema is held with a reason or
 * compiled; the same check has the same result; a value fits if nothing is reported, and only then; what a schema says
 * of a member is true of every value that fits it.
 */
#include "fuzz.h"

#include "base/decimal.h"
#include "core/schema/schema.h"

/* The member of VALUE at one step, or NULL. */
static yyjson_val *member_of(yyjson_val *value, struct kh_view name)
{
	return yyjson_is_obj(value) ? yyjson_obj_getn(value, name.p, name.n) : NULL;
}

static bool is_of(const struct kh_schema_member *member, yyjson_val *val)
{
	int64_t number = yyjson_is_arr(val) ? (int64_t)yyjson_arr_size(val) : 0;
	bool is_number = yyjson_is_num(val) && kh_decimal_int(kh_decimal_of(val), &number);

	switch (member->kind) {
	case KH_SCHEMA_BOOLEAN:
		return yyjson_is_bool(val);
	case KH_SCHEMA_ENUM:
		for (size_t i = 0; i < member->n_values; i++) {
			if (kh_view_eq(member->values[i], kh_json_str(val)))
				return true;
		}
		return false;
	case KH_SCHEMA_INTEGER:
		return is_number && number >= member->min && number <= member->max;
	case KH_SCHEMA_FORMAT:
		return yyjson_is_str(val) && yyjson_get_len(val) <= 64;
	case KH_SCHEMA_ARRAY:
		return yyjson_is_arr(val) && number >= member->min && number <= member->max;
	}
	return false;
}

/* A value that fits: each member that has a type is of it, and one that is required is there. */
static void check_types(struct kh_arena *arena, const struct kh_schema *schema, yyjson_val *value)
{
	static const char *const names[] = {"a", "b", "c"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct kh_view pointer = kh_arena_printf(arena, "/%s", names[i]);
		yyjson_val *val = member_of(value, kh_view_str(names[i]));
		struct kh_schema_member member;
		if (kh_schema_typed(schema, arena, pointer, &member, NULL) != KH_OK)
			continue;
		HOLDS(val != NULL || !member.is_required);
		HOLDS(val == NULL || is_of(&member, val));
	}
}

static void check_value(struct kh_arena *arena, const struct kh_schema *schema, struct kh_view text)
{
	struct kh_reasons errors, again;
	yyjson_val *value = NULL;

	if (kh_json_read(arena, text, &value, NULL) != KH_OK)
		return;
	kh_reasons_init(&errors, arena);
	kh_reasons_init(&again, arena);
	enum kh_err e = kh_schema_check(schema, arena, value, &errors);
	HOLDS(e == KH_OK || e == KH_EREFUSED || e == KH_ELIMIT);
	HOLDS((e == KH_OK) == (errors.n == 0) && errors.n <= KH_SCHEMA_ERRORS);
	kh_fuzz_reasons(&errors);
	HOLDS(kh_schema_check(schema, arena, value, &again) == e && again.n == errors.n);
	if (e == KH_OK)
		check_types(arena, schema, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size), line;
	struct kh_schema *schema = NULL;
	struct kh_reasons errors;
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	kh_reasons_init(&errors, &arena);
	if (!kh_view_split(&text, '\n', &line))
		line = text;
	enum kh_err e = kh_schema_new(NULL, line, &schema, &errors);
	HOLDS((e == KH_OK) == (errors.n == 0) && errors.n <= KH_SCHEMA_ERRORS);
	kh_fuzz_reasons(&errors);
	if (e == KH_OK) {
		struct kh_view canonical;
		kh_fuzz_reasons(kh_schema_notes(schema));
		while (kh_view_split(&text, '\n', &line))
			check_value(&arena, schema, line);
		if (kh_schema_canonical(schema, &arena, &canonical, NULL) == KH_OK) {
			struct kh_schema *same = NULL;
			HOLDS(kh_schema_new(NULL, canonical, &same, &errors) == KH_OK || canonical.n > KH_SCHEMA_SIZE);
			kh_schema_free(same);
		}
	}
	kh_schema_free(schema);
	kh_arena_done(&arena);
	return 0;
}
