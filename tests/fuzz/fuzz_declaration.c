/* Declarations (E3): accepted ones name a registered operation with its parameters; messages quote, never repeat. */
#include "core/comm/operations.h"
#include "fuzz.h"

#include "core/comm/declaration.h"

static void check_accepted(struct kh_arena *arena, const struct kh_declaration *declaration)
{
	struct kh_operation_name name;

	HOLDS(kh_operation_find(arena, &kh_operations_own, declaration->operation.full, &name, NULL) == KH_OK);
	HOLDS(name.operation == declaration->operation.operation);
	/* E3: some part of a justification is there, and long enough. */
	HOLDS(declaration->reason.n >= 10 || declaration->user_request.n >= 10);
	HOLDS(declaration->phase.p == NULL || kh_view_eq(declaration->phase, KH_LIT("execution")));
	for (size_t i = 0; i < declaration->parameter_count; i++) {
		const struct kh_parameter *parameter = &declaration->parameters[i];
		HOLDS(parameter->value != NULL);
		/* What it does not use is a text of the document's format, and nothing else. */
		HOLDS(kh_declaration_uses(declaration, parameter) ||
		      (yyjson_is_str(parameter->value) &&
		       (kh_view_eq(parameter->name, KH_LIT("query")) || kh_view_eq(parameter->name, KH_LIT("url")) ||
			kh_view_eq(parameter->name, KH_LIT("scope")))));
	}
}

static void check(struct kh_arena *arena, yyjson_val *root, struct kh_view session_id)
{
	struct kh_declarations list = {.at = NULL};
	struct kh_reasons errors, review;

	kh_reasons_init(&errors, arena);
	kh_reasons_init(&review, arena);
	HOLDS(kh_declaration_check(arena, kh_fuzz_screen(), root, session_id, &list, &errors, &review) == KH_OK);
	kh_fuzz_reasons(&errors);
	kh_fuzz_reasons(&review);
	HOLDS((errors.n == 0) == (list.n > 0));
	HOLDS(list.n <= KH_DECLARATIONS_MAX);
	for (size_t i = 0; i < list.n; i++) {
		check_accepted(arena, &list.at[i]);
		HOLDS(session_id.n == 0 || list.at[i].session_id.p == NULL ||
		      kh_view_eq(list.at[i].session_id, session_id));
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	kh_fuzz_screen();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	yyjson_val *root = NULL;
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	if (kh_json_read(&arena, kh_fuzz_view(data, size), &root, NULL) == KH_OK) {
		check(&arena, root, (struct kh_view){NULL, 0});
		check(&arena, root, KH_LIT("s1"));
	}
	kh_arena_done(&arena);
	return 0;
}
