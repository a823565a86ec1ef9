/*
 * Computes bits with integer arithmetic.
 *
 * log2 of a number that is not a power of two is found one binary digit at a time.  The number is scaled to [1, 2).
 * Squaring doubles its logarithm; the next digit is 1 if the square is 2 or more.  56 digits are far more than a
 * microbit needs.  Truncation only makes the result smaller: by less than one unit in the last place for the digits
 * that are not computed, and by less than another for what the squares lose.  SLACK compensates for both before
 * rounding up, so that the result is an upper bound for every number (tests/proofs/proof_bits.c).
 */
#include "core/bcp/bits.h"

#define FIRST_SLOT_MS 50
#define DIGITS        56
#define SLACK         2

uint64_t kh_bits_log2(uint64_t n)
{
	unsigned whole = 63U - (unsigned)__builtin_clzll(n);
	uint64_t x = n << (63U - whole); /* in [1, 2), 63 binary places */
	uint64_t fraction = 0;

	if ((n & (n - 1)) == 0)
		return whole * KH_MICROBIT;
	for (unsigned i = 0; i < DIGITS; i++) {
		unsigned __int128 square = (unsigned __int128)x * x; /* in [1, 4), 126 places */
		unsigned digit = (unsigned)(square >> 127);
		x = (uint64_t)(square >> (63U + digit));
		fraction = fraction << 1 | digit;
	}
	uint64_t part = (uint64_t)((unsigned __int128)(fraction + SLACK) * KH_MICROBIT >> DIGITS) + 1;
	/* N is below the next power of two, so the result must not exceed that power's logarithm. */
	return whole * KH_MICROBIT + (part < KH_MICROBIT ? part : KH_MICROBIT);
}

unsigned kh_bits_width(uint64_t n)
{
	return n <= 1 ? 0 : 64U - (unsigned)__builtin_clzll(n - 1);
}

unsigned kh_bits_slots(uint64_t deadline_ms)
{
	unsigned count = 1; /* the slot at the deadline */

	for (uint64_t slot = FIRST_SLOT_MS; slot < deadline_ms && count < 64; slot *= 2)
		count++;
	return count;
}

uint64_t kh_bits_slot(uint64_t ready_ms, uint64_t deadline_ms)
{
	uint64_t slot = FIRST_SLOT_MS;

	while (slot < ready_ms && slot < deadline_ms && slot < UINT64_MAX / 2)
		slot *= 2;
	return slot < deadline_ms ? slot : deadline_ms;
}

/* The slot of a decision that comes after SLOT. */
static uint64_t next_decision(uint64_t slot)
{
	return slot + (slot / 8 > FIRST_SLOT_MS ? slot / 8 : FIRST_SLOT_MS);
}

unsigned kh_bits_decision_slots(uint64_t limit_ms)
{
	unsigned count = 1; /* the slot at the limit */

	for (uint64_t slot = FIRST_SLOT_MS; slot < limit_ms; slot = next_decision(slot))
		count++;
	return count;
}

uint64_t kh_bits_decision_slot(uint64_t ready_ms, uint64_t limit_ms)
{
	uint64_t slot = FIRST_SLOT_MS;

	while (slot < ready_ms && slot < limit_ms)
		slot = next_decision(slot);
	return slot < limit_ms ? slot : limit_ms;
}
