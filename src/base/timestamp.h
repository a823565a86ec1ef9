/*
 * Time as text: RFC 3339 in UTC ("2026-01-31T10:30:00Z"), for attributions, grants and the audit.  Time itself is a
 * number, microseconds since 1970; nothing here reads a clock, a time zone or a locale.
 */
#ifndef KH_BASE_TIMESTAMP_H
#define KH_BASE_TIMESTAMP_H

#include "base/arena.h"

/*
 * 1970-01-01T00:00:00Z is 0; this is one microsecond after the last time that has a text, 9999-12-31T23:59:59.999999Z.
 */
#define KH_TIMESTAMP_END INT64_C(253402300800000000)

/*
 * The text of TIME, with a fraction only if there is one and without zeros at its end: each time has exactly one text.
 * {NULL, 0} for a time before 1970 or after 9999, and on failure (which marks the arena).
 */
struct kh_view kh_timestamp_text(struct kh_arena *arena, int64_t time);

/*
 * Reads exactly "YYYY-MM-DDThh:mm:ssZ", with a fraction of 1 to 6 digits: capital T and Z, no other zone, no leap
 * second, a date that exists, years 1970 to 9999.  False for anything else.
 */
bool kh_timestamp_parse(struct kh_view text, int64_t *ret_time);

#endif
