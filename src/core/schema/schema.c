/* A compiled schema's life. */
#include "core/schema/schema.h"

#include "core/schema/refer.h"

static enum kh_err compile(struct kh_schema *schema, struct kh_reasons *errors)
{
	struct kh_compiling c;
	enum kh_err e;

	kh_compile_begin(&c, schema, errors);
	if (!schema->arena.failed)
		kh_refer_all(&c);
	e = kh_arena_check(&schema->arena);
	return e == KH_OK && c.is_refused ? KH_EREFUSED : e;
}

static enum kh_err fill(struct kh_schema *schema, struct kh_view text, struct kh_reasons *errors)
{
	struct kh_error err = {.offset = SIZE_MAX};
	enum kh_err e;

	if (text.n > KH_SCHEMA_SIZE) {
		kh_reasons_add(errors, "schema_limit", KH_LIT(""), "expected at most %u bytes, not %zu", KH_SCHEMA_SIZE,
			       text.n);
		return KH_ELIMIT;
	}
	e = kh_json_read(&schema->arena, text, &schema->val, &err);
	if (e == KH_OK)
		return compile(schema, errors);
	if (e != KH_ENOMEM)
		kh_reasons_add(errors, err.code, KH_LIT(""), "%s", err.detail);
	return e;
}

enum kh_err kh_schema_new(const struct kh_alloc *alloc, struct kh_view text, struct kh_schema **ret_schema,
			  struct kh_reasons *errors)
{
	const struct kh_alloc *used = alloc != NULL ? alloc : &kh_alloc_system;
	struct kh_schema *schema = kh_alloc_zero(used, sizeof(*schema));
	enum kh_err e;

	if (schema == NULL)
		return KH_ENOMEM;
	schema->alloc = *used;
	kh_arena_init(&schema->arena, &schema->alloc, KH_SCHEMA_MEMORY);
	kh_reasons_init(&schema->notes, &schema->arena);
	e = fill(schema, text, errors);
	if (kh_arena_check(errors->arena) != KH_OK)
		e = KH_ENOMEM;
	if (e == KH_OK)
		*ret_schema = schema;
	else
		kh_schema_free(schema);
	return e;
}

void kh_schema_free(struct kh_schema *schema)
{
	if (schema == NULL)
		return;
	struct kh_alloc alloc = schema->alloc;
	kh_arena_done(&schema->arena);
	kh_alloc_free(&alloc, schema, sizeof(*schema));
}

enum kh_err kh_schema_canonical(const struct kh_schema *schema, struct kh_arena *arena, struct kh_view *ret_text,
				struct kh_error *err)
{
	return kh_canonical_json(arena, schema->val, ret_text, err);
}

const struct kh_reasons *kh_schema_notes(const struct kh_schema *schema)
{
	return &schema->notes;
}
