/*
 * When a delivery is released (SPEC B17).  The slots of a query double: 50 ms, 100 ms, 200 ms, ... after it was asked,
 * and the last one is its deadline.  What is ready between two slots waits for the next, so that time tells the
 * Controller one of kh_release_slots() values and no more.  All times are microseconds.
 */
#ifndef KH_CORE_POLICY_RELEASE_H
#define KH_CORE_POLICY_RELEASE_H

#include "base/view.h"

#define KH_RELEASE_FIRST INT64_C(50000)

/* The number of slots of a query with this time to its deadline: at least 1. */
unsigned kh_release_slots(int64_t deadline);

/*
 * How long after the query a delivery that is ready after READY is released, for a query with this DEADLINE (both
 * counted from the query).  Never after the deadline: what is ready later than that has expired.
 */
int64_t kh_release_at(int64_t ready, int64_t deadline);

#endif
