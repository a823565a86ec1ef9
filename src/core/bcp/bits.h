/*
 * Bits (B5, B8, B17).  All accounting is in whole microbits: each item is rounded up once and then summed, so sums are
 * exact, never drift, and are the same on every machine (integer arithmetic only).
 */
#ifndef KH_CORE_BCP_BITS_H
#define KH_CORE_BCP_BITS_H

#include <stdint.h>

#define KH_MICROBIT UINT64_C(1000000) /* microbits in a bit */

/* A word of text, as the protocol counts it. */
#define KH_BITS_WORD (11 * KH_MICROBIT)

/* What the Controller can tell apart about a query's end: at most eight outcomes (B8). */
#define KH_BITS_OUTCOME (3 * KH_MICROBIT)

/* A category-1 query of more than this counts as an escalation (B10). */
#define KH_BITS_ESCALATION (64 * KH_MICROBIT)

/* log2(N) in microbits, rounded up.  N must not be 0. */
uint64_t kh_bits_log2(uint64_t n);

/* The smallest whole number of bits that tells N things apart: ceil(log2(N)).  N must not be 0. */
unsigned kh_bits_width(uint64_t n);

/*
 * Release slots (B17): a delivery leaves at 50, 100, 200, ... ms after the query, the last one at the deadline.  How
 * many there are, and at what time the slot for something ready after READY_MS lies.
 */
unsigned kh_bits_slots(uint64_t deadline_ms);
uint64_t kh_bits_slot(uint64_t ready_ms, uint64_t deadline_ms);

#endif
