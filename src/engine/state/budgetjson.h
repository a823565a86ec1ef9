/* A budget, as far as the caller may see it (B8, B16). */
#ifndef KH_ENGINE_STATE_BUDGETJSON_H
#define KH_ENGINE_STATE_BUDGETJSON_H

#include "base/json.h"
#include "engine/state/limits.h"

/* Adds MICROBITS as bits, exactly: 6906892 is 6.906892. */
void kh_budgetjson_bits(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key,
			uint64_t microbits);

/* Adds `budget` with its parts, and `words`, to OBJ. */
void kh_budgetjson_add(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj,
		       const struct kh_limits_budget *limits);

#endif
