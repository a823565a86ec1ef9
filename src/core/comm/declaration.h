/*
 * Declarations (E3): an agent says which external information it needs and why; it cannot run anything itself.  Three
 * forms are read into the same struct:
 *
 *   full      {"operation","parameters":{...},"justification":{"user_request","missing_knowledge","expected_use"},
 *              "phase","session_id"}
 *   short     {"operation", <its parameters>, "reason"}, with "phase" and "session_id" if the agent knows them
 *             (and parts of both: `parameters` with a `reason`, parameters beside a `justification`;
 *             `execution_phase` is `phase`; `query`, `url` and `scope` may stand in any of them)
 *   others'   {"external_info":{"required":true,"declarations":[{"action","target","reason","params",...}]}}
 *
 * A declaration is refused as a whole, with a list of everything that is wrong with it: unknown members, parameters
 * that do not fit the operation, a justification of filler words.  A declaration that reads like an attack is not
 * refused but marked, and a human decides.
 */
#ifndef KH_CORE_COMM_DECLARATION_H
#define KH_CORE_COMM_DECLARATION_H

#include "core/comm/parameter.h"

struct kh_screen;

#define KH_DECLARATION_PART_MAX 2000 /* bytes of a part of the justification */
#define KH_DECLARATIONS_MAX     16   /* in one message of the form external_info */

struct kh_declaration {
	struct kh_operation_name operation;
	struct kh_parameter *parameters;
	size_t parameter_count;

	/* The justification: these three in the full form, `reason` alone in the others. */
	struct kh_view user_request, missing_knowledge, expected_use;
	struct kh_view reason;

	/* Empty if not given: bound at admission. */
	struct kh_view phase, session_id;
};

struct kh_declarations {
	struct kh_declaration *at;
	size_t n;
};

/*
 * Reads IN in any of the forms and checks it.  Everything that is wrong goes to ERRORS; *RET_DECLARATIONS (at least
 * one) is written only if ERRORS stays empty.  If SESSION_ID is not empty, a session_id that is given must be exactly
 * that, and may be left out.  If SCREEN is not NULL, its findings of severity medium or higher go to REVIEW as
 * `screened`, and a human verifies the declaration.  Borrows from IN.  Fails only for lack of memory.
 */
enum kh_err kh_declaration_check(struct kh_arena *arena, struct kh_screen *screen, yyjson_val *in,
				 struct kh_view session_id, struct kh_declarations *ret_declarations,
				 struct kh_reasons *errors, struct kh_reasons *review) KH_CHECKED;

/* False for `query`, `url` or `scope` of an operation that has no such parameter: they are recorded, and no more. */
bool kh_declaration_uses(const struct kh_declaration *declaration, const struct kh_parameter *parameter);

/* The parameters that the operation uses as an object, or those that it does not use. */
enum kh_err kh_declaration_write(struct kh_arena *arena, const struct kh_declaration *declaration, bool used,
				 yyjson_val **ret_object, struct kh_error *err) KH_CHECKED;

/* Parameter NAME of a declaration, or NULL. */
yyjson_val *kh_declaration_parameter(const struct kh_declaration *declaration, const char *name);

#endif
