/*
 * B5: kh_bits_log2(n) microbits are enough for n things: 2^(microbits/10^6) >= n for every n of 64 bits.
 *
 * The result, as a function of n, is a staircase.  It never falls (proved on paper below), so it is enough to look at
 * the first n of each step that there has to be: for each whole k the smallest n with n > 2^(k/10^6), where the result
 * must be k + 1 or more.  There are 64 * 10^6 such k, and all are tried.  2^(r/10^6) for r in 0..10^6-1 is computed as
 * an interval of 256-bit fixed-point numbers, rounded outwards, so that n is known for certain.
 *
 * It never falls: let a < b.  Where they have different integer parts of log2 the whole bits differ, and the part
 * behind the point never makes a full bit.  Where they have the same, both are scaled by the same shift.  Each round
 * squares and truncates, which keeps the order; while the digits are equal both are shifted alike, which keeps it too;
 * and at the first difference the smaller number has the digit 0.  What is added and clamped at the end is the same for
 * all.
 */
#include "core/bcp/bits.h"
#include "prove.h"

#include <stdbool.h>

#define STEPS 1000000U
#define LIMBS 4

/* A number in [0, 4): 254 binary places.  limb[0] is the lowest. */
struct fixed {
	uint64_t limb[LIMBS];
};

static const struct fixed one = {{0, 0, 0, UINT64_C(1) << 62}};
static const struct fixed two = {{0, 0, 0, UINT64_C(1) << 63}};
static const struct fixed two_and_more = {{1, 0, 0, UINT64_C(1) << 63}};

static int compare(const struct fixed *a, const struct fixed *b)
{
	for (int i = LIMBS; i-- > 0;) {
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	}
	return 0;
}

static void add_one(struct fixed *a)
{
	for (int i = 0; i < LIMBS && ++a->limb[i] == 0; i++)
		;
}

/* a * b, which is below 4, rounded down, or up where UP. */
static struct fixed multiply(const struct fixed *a, const struct fixed *b, bool up)
{
	uint64_t product[2 * LIMBS] = {0};
	struct fixed result;
	bool rest = false;

	for (int i = 0; i < LIMBS; i++) {
		uint64_t carry = 0;
		for (int k = 0; k < LIMBS; k++) {
			unsigned __int128 sum = (unsigned __int128)a->limb[i] * b->limb[k] + product[i + k] + carry;
			product[i + k] = (uint64_t)sum;
			carry = (uint64_t)(sum >> 64);
		}
		product[i + LIMBS] = carry;
	}
	/* 508 places to 254: two bits less than half of it all. */
	PROVE(product[2 * LIMBS - 1] >> 62 == 0, "a product of 4 or more");
	for (int i = 0; i < LIMBS; i++)
		result.limb[i] = product[i + LIMBS] << 2 | product[i + LIMBS - 1] >> 62;
	for (int i = 0; i < LIMBS - 1; i++)
		rest |= product[i] != 0;
	rest |= product[LIMBS - 1] << 2 != 0;
	if (up && rest)
		add_one(&result);
	return result;
}

/* base^STEPS, rounded, or something above 2 where it passes 2 on the way.  base is below 2. */
static struct fixed power(const struct fixed *base, bool up)
{
	struct fixed result = one;

	for (uint32_t bit = 1U << 19; bit > 0; bit >>= 1) {
		result = multiply(&result, &result, up);
		if (compare(&result, &two) < 0 && (STEPS & bit))
			result = multiply(&result, base, up);
		if (compare(&result, &two) >= 0 && bit > 1)
			return two_and_more;
	}
	return result;
}

/* Bounds of 2^(1/10^6), as close as they get, bit by bit: LOW is surely not above it, HIGH surely not below. */
static void find_root(struct fixed *ret_low, struct fixed *ret_high)
{
	struct fixed low = one, high = one;

	for (int place = 253; place >= 0; place--) {
		struct fixed more = low;
		more.limb[place / 64] |= UINT64_C(1) << (place % 64);
		struct fixed p = power(&more, true);
		if (compare(&p, &two) <= 0)
			low = more;
		more = high;
		more.limb[place / 64] |= UINT64_C(1) << (place % 64);
		p = power(&more, false);
		if (compare(&p, &two) < 0)
			high = more;
	}
	add_one(&high);
	*ret_low = low;
	*ret_high = high;
}

/* The smallest integer above 2^WHOLE * x, for x in (LOW, HIGH): their bits above the point must agree. */
static uint64_t first_above(const struct fixed *low, const struct fixed *high, unsigned whole)
{
	/* WHOLE + 1 bits, from the top but one down; 2^63 * x still fits into 64. */
	uint64_t a = low->limb[3] << 1 | low->limb[2] >> 63, b = high->limb[3] << 1 | high->limb[2] >> 63;

	a >>= 63 - whole;
	b >>= 63 - whole;
	PROVE(a == b, "2^(r/10^6) is not known closely enough at 2^%u", whole);
	return a + 1;
}

static void prove_bound(void)
{
	struct fixed low, high, x_low = one, x_high = one;
	uint64_t tried = 0;

	find_root(&low, &high);
	struct fixed p = power(&low, true), q = power(&high, false);
	PROVE(compare(&p, &two) <= 0 && compare(&q, &two) >= 0, "the root of 2 is not between its bounds");
	for (uint32_t r = 0; r < STEPS; r++) {
		for (unsigned whole = 0; whole < 64; whole++) {
			uint64_t k = (uint64_t)whole * STEPS + r;
			/* r == 0 is a power of two itself: the first above it is the next number. */
			uint64_t n = r == 0 ? (UINT64_C(1) << whole) + 1 : first_above(&x_low, &x_high, whole);
			if (n == 0)
				continue; /* 2^64: no number of 64 bits is above */
			PROVE(kh_bits_log2(n) > k, "log2(%llu) is more than %llu microbits", (unsigned long long)n,
			      (unsigned long long)k);
			tried++;
		}
		x_low = multiply(&x_low, &low, false);
		x_high = multiply(&x_high, &high, true);
	}
	for (unsigned whole = 0; whole < 64; whole++)
		PROVE(kh_bits_log2(UINT64_C(1) << whole) == whole * KH_MICROBIT, "2^%u", whole);
	PROVE(kh_bits_log2(UINT64_MAX) == 64 * KH_MICROBIT, "2^64 - 1");
	PROVED("B5 2^(kh_bits_log2(n)/10^6) >= n for every n in 1..2^64-1: at all %llu steps of the staircase",
	       (unsigned long long)tried);
}

static void prove_monotone(void)
{
	uint64_t before = 0, n = 1;

	for (; n <= 1U << 22; n++) {
		uint64_t now = kh_bits_log2(n);
		PROVE(now >= before, "log2(%llu) is less than the one before", (unsigned long long)n);
		before = now;
	}
	uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
	for (uint32_t i = 0; i < 4000000; i++) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		n = (random >> (random >> 58)) | 1;
		PROVE(n == UINT64_MAX || kh_bits_log2(n + 1) >= kh_bits_log2(n), "%llu", (unsigned long long)n);
	}
	PROVED("B5 kh_bits_log2 never falls: argued in proof_bits.c, tried for n in 1..2^22 and 4000000 pairs n, n+1");
}

static void prove_width(void)
{
	for (unsigned bits = 0; bits < 64; bits++) {
		uint64_t n = UINT64_C(1) << bits;
		PROVE(kh_bits_width(n) == bits, "2^%u", bits);
		PROVE(kh_bits_width(n + 1) == bits + 1, "2^%u + 1", bits);
		PROVE(bits == 0 || kh_bits_width(n - 1) == (n == 2 ? 0 : bits), "2^%u - 1", bits);
	}
	for (uint64_t n = 1; n <= 1U << 20; n++) {
		unsigned width = kh_bits_width(n);
		PROVE(UINT64_C(1) << width >= n && (width == 0 || UINT64_C(1) << (width - 1) < n), "%llu",
		      (unsigned long long)n);
	}
	PROVED("B7 kh_bits_width(n) is the smallest w with 2^w >= n, for n in 1..2^20 and around every power of two");
}

int main(void)
{
	prove_monotone();
	prove_width();
	prove_bound();
	return 0;
}
