/*
 * Bits (B5, B8, B17).  All accounting is in whole microbits: each item is rounded up once and then summed, so sums are
 * exact, never drift, and are the same on every machine (integer arithmetic only).
 */
#ifndef KH_CORE_BCP_BITS_H
#define KH_CORE_BCP_BITS_H

#include <stdint.h>

#define KH_MICROBIT UINT64_C(1000000) /* microbits in a bit */

/* The cost of a word of text in the protocol. */
#define KH_BITS_WORD (11 * KH_MICROBIT)

/* The Controller can distinguish at most eight outcomes of a query (B8). */
#define KH_BITS_OUTCOME (3 * KH_MICROBIT)

/* A category-1 query of more than this counts as an escalation (B10). */
#define KH_BITS_ESCALATION (64 * KH_MICROBIT)

/* log2(N) in microbits, rounded up.  N must not be 0. */
uint64_t kh_bits_log2(uint64_t n);

/* The smallest whole number of bits that can distinguish N things: ceil(log2(N)).  N must not be 0. */
unsigned kh_bits_width(uint64_t n);

/*
 * Release slots (B17): a delivery leaves at 50, 100, 200, ... ms after the query, the last one at the deadline.  The
 * number of slots, and the time of the slot for an answer that is ready after READY_MS.
 */
unsigned kh_bits_slots(uint64_t deadline_ms);
uint64_t kh_bits_slot(uint64_t ready_ms, uint64_t deadline_ms);

/*
 * The slots of a decision on an act, which may take a human minutes: 50, 100, ... 400 ms after it was asked for, and
 * from then on each an eighth later than the one before.  So nobody waits much longer than the decision took.
 */
unsigned kh_bits_decision_slots(uint64_t limit_ms);
uint64_t kh_bits_decision_slot(uint64_t ready_ms, uint64_t limit_ms);

#endif
