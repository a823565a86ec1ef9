/*
 * What a token took over any 24 hours (SPEC G4, B6, B19): bits, escalations, content put in.  Pure.
 *
 * A rolling window with a mark for each hour in which something was taken: what the sums were when that hour began.
 * The sums count from the oldest mark, so what was taken since an hour began is a subtraction.  Used is what was taken
 * since the beginning of the hour 24 hours ago, so the window is at least 24 and less than 25 hours long: too strict by
 * less than an hour, and never too lax.  If time goes backwards, nothing is forgotten.
 *
 * The sums change with every call and are columns of their own; the marks change once an hour.
 */
#ifndef KH_CORE_POLICY_WINDOW_H
#define KH_CORE_POLICY_WINDOW_H

#include "base/view.h"

#define KH_WINDOW_HOURS 24
#define KH_WINDOW_TEXT  2048 /* bytes that any text of marks fits into */

struct kh_window_sums {
	uint64_t bits; /* microbits */
	uint64_t escalations;
	uint64_t put; /* bytes */
};

struct kh_window_mark {
	int64_t hour; /* since 1970 */
	struct kh_window_sums before;
};

/* All zero: nothing was taken. */
struct kh_window {
	struct kh_window_sums sums; /* since the first mark */
	struct kh_window_mark marks[KH_WINDOW_HOURS + 1];
	size_t n;
};

/* Adds MORE at NOW (microseconds since 1970).  No sum gets larger than 2^53. */
void kh_window_add(struct kh_window *window, int64_t now, struct kh_window_sums more);

/* What counts at NOW. */
struct kh_window_sums kh_window_used(const struct kh_window *window, int64_t now);

/* The marks as text, "hour bits escalations put;...": how many bytes of RET_TEXT.  An empty window has none. */
size_t kh_window_write(const struct kh_window *window, char ret_text[KH_WINDOW_TEXT]);

/* The window with these sums and marks; false: they are not what kh_window_write() writes. */
bool kh_window_read(struct kh_view text, struct kh_window_sums sums, struct kh_window *ret_window);

#endif
