/*
 * Rates and quotas (SPEC B9, E5) as pure functions of a small state and the time.
 *
 * A rate of N a period means: never more than N in any stretch of time as long as the period, wherever it begins.  The
 * period is cut into KH_QUOTA_PARTS parts; a call is admitted if the parts that overlap the last period hold fewer than
 * N. That is too strict by at most one part.  If time goes backwards, no call is forgotten.  Integers only; no sequence
 * of calls overflows.
 */
#ifndef KH_CORE_POLICY_QUOTA_H
#define KH_CORE_POLICY_QUOTA_H

#include "base/arena.h"

#define KH_QUOTA_PARTS 8
#define KH_QUOTA_MAX   1000000 /* the largest N */

#define KH_QUOTA_SECOND INT64_C(1000000)
#define KH_QUOTA_MINUTE (60 * KH_QUOTA_SECOND)
#define KH_QUOTA_HOUR   (3600 * KH_QUOTA_SECOND)

struct kh_rate {
	int64_t period; /* microseconds; 0: no rate was given */
	uint32_t count; /* 0: denied */
};

/* "0", "N" (an hour) or "N/second|minute|hour", N at most KH_QUOTA_MAX, in plain digits. */
bool kh_quota_parse(struct kh_view text, struct kh_rate *ret_rate);

/* The text of a rate, as kh_quota_parse() reads it; "none" for no rate.  {NULL, 0} on failure. */
struct kh_view kh_quota_text(struct kh_arena *arena, struct kh_rate rate);

/* The rate that allows fewer calls in the long run; any rate is stricter than none. */
struct kh_rate kh_quota_stricter(struct kh_rate a, struct kh_rate b);

/*
 * The state of a rate that a store keeps.  All zero: nothing used yet.  Plain numbers; the store chooses the byte
 * order.
 */
struct kh_quota {
	int64_t period;                    /* of the rate that it counts for */
	int64_t part;                      /* the newest part: time / (period / KH_QUOTA_PARTS) */
	uint32_t used[KH_QUOTA_PARTS + 1]; /* calls in the newest part, the one before it, ... */
};

/*
 * True if one more call is within RATE at NOW (microseconds since 1970).  If not, *RET_WAIT is the time until one is.
 */
bool kh_quota_admits(const struct kh_quota *quota, struct kh_rate rate, int64_t now, int64_t *ret_wait);

/* Counts one call at NOW.  Call it only after kh_quota_admits() returned true, in the same transaction. */
void kh_quota_take(struct kh_quota *quota, struct kh_rate rate, int64_t now);

/* How many calls count at NOW. */
uint64_t kh_quota_used(const struct kh_quota *quota, struct kh_rate rate, int64_t now);

/* For a plain quota: true if USED + MORE <= LIMIT, without overflow. */
bool kh_quota_fits(uint64_t used, uint64_t more, uint64_t limit);

/* True if USED is PERCENT or more of LIMIT: time to warn. */
bool kh_quota_warns(uint64_t used, uint64_t limit, unsigned percent);

#endif
