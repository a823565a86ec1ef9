/*
 * The formats that are checked.  Each is a subset of what its standard allows if that has no bound: a fraction of a
 * second has at most nine digits.  A format that is not here is an annotation, as the standard wants it.
 */
#ifndef KH_CORE_SCHEMA_FORMAT_H
#define KH_CORE_SCHEMA_FORMAT_H

#include "core/schema/node.h"

struct kh_format_row {
	const char *name;
	const char *expected; /* for messages */
	unsigned types;       /* that it says something of: a string or a number */
	bool is_finite;       /* strings of it are finitely many, and too plain to carry other text */
	bool (*fits)(struct kh_view text);
	int64_t min, max; /* for numbers */
};

/* NULL if NAME is not checked. */
const struct kh_format_row *kh_schema_format_find(struct kh_view name);

/* Whether VAL, which is of one of the row's types, is of the format. */
bool kh_schema_format_fits(const struct kh_format_row *row, const yyjson_val *val);

#endif
