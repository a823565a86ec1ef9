/*
 * One example of each registered operation: what the checklists of external-info.md are gone through with.  An
 * operation that is registered and has no example here fails every line that is "for every new external operation".
 */
#ifndef KH_TESTS_EXAMPLE_H
#define KH_TESTS_EXAMPLE_H

#include "core/comm/operation.h"

struct example {
	const char *operation;  /* the full name */
	const char *parameters; /* a JSON object that fits */
	const char *renamed;    /* how somebody would call it to get round the gate */
	const char *source;     /* that its attribution may have */
	struct {
		const char *parameters, *code; /* objects that do not fit, and what they are refused with */
	} bad[6];
};

/* The example of an entry of the table, or NULL. */
const struct example *example_of(const struct kh_operation *operation);

/* A declaration of it, in the full format, for SESSION; PART ("operation", "parameters", "justification") is left out
 * where it is not NULL. */
struct kh_view example_declaration(struct kh_arena *arena, const struct example *example, const char *session,
				   const char *part);

/* The same with other parameters. */
struct kh_view example_with(struct kh_arena *arena, const char *operation, const char *parameters, const char *session);

#define EXAMPLE_JUSTIFICATION                                                                                     \
	"{\"user_request\":\"What does product X cost in 2026?\",\"missing_knowledge\":\"The current list price " \
	"of product X.\",\"expected_use\":\"Quote the price with its source in the answer.\"}"

#endif
