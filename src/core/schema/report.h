/* The state of one check, and how it says what is wrong with a value. */
#ifndef KH_CORE_SCHEMA_REPORT_H
#define KH_CORE_SCHEMA_REPORT_H

#include "core/schema/compile.h"
#include "core/schema/equal.h"
#include "core/schema/regex.h"

struct kh_checking {
	const struct kh_schema *schema;
	struct kh_arena *arena;
	struct kh_reasons *errors;
	size_t before; /* errors that were there already */
	uint64_t steps;
	unsigned depth;
	bool is_quiet; /* only whether it fits is asked: nothing is reported, and the first fault ends it */
	enum kh_err e; /* KH_ENOMEM, KH_ELIMIT: the check has failed as such */

	struct kh_regex_room regex_room;
	struct kh_equal_room equal_room;
	uint64_t *bits; /* marks.h */
	size_t n_bits, bits_cap;
};

/* Whether a fault would be reported. */
static inline bool kh_report_is_wanted(const struct kh_checking *c)
{
	return !c->is_quiet && c->e == KH_OK && c->errors->n < c->before + KH_SCHEMA_ERRORS;
}

/* Reports what is wrong at a place of the value; false, for the one who returns it. */
#define kh_report(c, where, code, ...)                                                                    \
	(kh_report_is_wanted(c)                                                                           \
		 ? kh_reasons_add((c)->errors, (code), kh_pointer_text((c)->arena, (where)), __VA_ARGS__) \
		 : (void)0,                                                                               \
	 false)

/* Takes N steps; false if the check has failed, maybe by that. */
bool kh_report_spend(struct kh_checking *c, uint64_t n);

/* VAL for a message: short values themselves, of others what they are. */
struct kh_view kh_report_value(struct kh_arena *arena, yyjson_val *val);

/* The values of an enum for a message, as many as fit. */
struct kh_view kh_report_values(struct kh_arena *arena, yyjson_val *list);

#endif
