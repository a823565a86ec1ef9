/*
 * Schemas (U5, U7): whatever the two lines of an input are, a schema and a value, the schema is held with a reason or
 * compiled; the same check has the same result; a value fits if nothing is reported, and only then; what a schema says
 * of a member is true of every value that fits it.
 */
#include "fuzz.h"

#include "core/schema/schema.h"

/* The member of VALUE at one step, or NULL. */
static yyjson_val *member_of(yyjson_val *value, struct kh_view name)
{
	return yyjson_is_obj(value) ? yyjson_obj_getn(value, name.p, name.n) : NULL;
}

static bool is_listed(const struct kh_schema_member *type, struct kh_view value)
{
	for (size_t i = 0; i < type->n_values; i++) {
		if (kh_view_eq(type->values[i], value))
			return true;
	}
	return false;
}

/* A value that fits, and what is found in it. */
struct fitting {
	struct kh_arena *arena;
	const struct kh_schema *schema;
	yyjson_val *value;
};

/* What is listed is found in a value that fits and has it, and what is found is of its type. */
static bool check_member(void *ctx, struct kh_view name, const struct kh_schema_member *type)
{
	const struct fitting *f = ctx;
	struct kh_schema_found found;
	bool is_found = kh_schema_typed(f->schema, f->arena, name, f->value, &found);
	yyjson_val *val = kh_view_find(name, KH_LIT("."), 0) == SIZE_MAX ? member_of(f->value, name) : NULL;
	int64_t number;

	HOLDS(type->kind != KH_SCHEMA_ARRAY && name.n <= 64);
	/* An integer that is not written as one, such as 1.0, fits a schema and is no answer. */
	HOLDS(is_found || val == NULL || (yyjson_is_num(val) && !kh_json_int(val, &number)) ||
	      kh_arena_check(f->arena) != KH_OK);
	if (!is_found)
		return true;
	HOLDS(found.type.kind == type->kind && found.type.n_values == type->n_values);
	HOLDS(type->kind != KH_SCHEMA_BOOLEAN || yyjson_is_bool(found.value));
	HOLDS(type->kind != KH_SCHEMA_ENUM || is_listed(type, kh_json_str(found.value)));
	HOLDS(type->kind != KH_SCHEMA_FORMAT || (yyjson_is_str(found.value) && yyjson_get_len(found.value) <= 64));
	if (found.value == NULL)
		number = found.number;
	else if (type->kind == KH_SCHEMA_INTEGER)
		HOLDS(kh_json_int(found.value, &number));
	HOLDS(type->kind != KH_SCHEMA_INTEGER || (number >= type->min && number <= type->max));
	return true;
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
		kh_schema_typed_each(schema, arena, check_member, &(struct fitting){arena, schema, value});
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
