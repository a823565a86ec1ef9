/*
 * The prescan.  It reads sixteen bytes at a time, in the compiler's own vector types (gcc and clang have them on every
 * machine), and uses one bit for each byte if neighbours matter.
 */
#include "core/screen/prescan.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BLOCK      KH_PRESCAN_BLOCK
#define LEET_MIN   2 /* in a block */
#define SINGLE_MIN 5 /* prose has one or two, initials included */
#define DIGITS_MIN 8 /* pairs of hexadecimal have a digit each, mostly */

typedef unsigned char byte;
typedef byte lanes __attribute__((vector_size(16)));
typedef signed char signed_lanes __attribute__((vector_size(16)));

static lanes load(const byte *p)
{
	lanes v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * All ones in the lanes that hold one of COUNT bytes from LOW on.  The simplest machines can only compare signed bytes,
 * so the wanted values are moved to the lowest ones.
 */
static lanes within(lanes v, byte low, byte count)
{
	return (lanes)((signed_lanes)(lanes)(v - (byte)(low + 128)) < (signed char)(count - 128));
}

/* The highest bit of each lane. */
static uint64_t bits(lanes v)
{
#ifdef __SSE2__
	return (uint64_t)(unsigned)_mm_movemask_epi8((__m128i)v);
#else
	uint64_t half[2];

	memcpy(half, &v, sizeof(v));
	for (int i = 0; i < 2; i++)
		half[i] = ((half[i] & 0x8080808080808080U) >> 7) * 0x0102040810204080U >> 56;
	return half[0] | half[1] << 8;
#endif
}

/* A bit for each byte of a block. */
struct masks {
	uint64_t alpha, digit, packed;
	bool symbol, escape; /* one of the bytes is such a character */
};

static struct masks look(const byte *p, lanes *high, lanes *control)
{
	struct masks m = {0};
	lanes symbols = {0}, escapes = {0};

#pragma GCC unroll 4
	for (unsigned i = 0; i < BLOCK; i += sizeof(lanes)) {
		lanes v = load(p + i), folded = v | 0x20, alpha = within(folded, 'a', 26), digit = within(v, '0', 10);
		lanes equals = (lanes)(v == '='), backslash = (lanes)(v == '\\');
		/* The two columns of ASCII with the letters also have these signs: @ [ \ ] ^ _ ` { | } ~ */
		lanes symbol = (within(folded, 0x60, 32) & ~alpha) | within(v, '<', 3) | (lanes)(v == '#');
		lanes packed = alpha | digit | within(v, '+', 5) | (lanes)(v == '_'); /* + , - . / */
		m.alpha |= bits(alpha) << i;
		m.digit |= bits(digit) << i;
		m.packed |= bits(packed) << i;
		symbols |= symbol;
		escapes |= within(v, '%', 2) | equals | backslash;
		*high |= v;
		*control |= within(v, 0, '\t') | within(v, 0x0e, 0x20 - 0x0e);
	}
	m.symbol = bits(symbols) != 0;
	m.escape = bits(escapes) != 0;
	return m;
}

/* True if MASK has a run of 16 bits. */
static bool has_run(uint64_t mask)
{
	mask &= mask >> 1;
	mask &= mask >> 2;
	mask &= mask >> 4;
	return (mask & mask >> 8) != 0;
}

/* True if MASK has N bits or more. */
static bool has(uint64_t mask, unsigned n)
{
	while (n > 1 && mask != 0) {
		mask &= mask - 1;
		n--;
	}
	return mask != 0;
}

/* The second half of the block before, and the first half of this one. */
static uint64_t straddle(uint64_t before, uint64_t here)
{
	return before >> (BLOCK / 2) | here << (BLOCK / 2);
}

/* The flags that follow from the masks of a block and of the one before it. */
static byte judge(const struct masks *m, const struct masks *before)
{
	uint64_t word = m->alpha | m->digit;
	uint64_t leet = m->alpha << 1 & m->digit & m->alpha >> 1, single = m->alpha & ~(word << 1) & ~(word >> 1);
	bool packed = has_run(m->packed) || has_run(straddle(before->packed, m->packed));
	/* Without a single blank it is not text, in leet or otherwise. */
	if (m->packed == UINT64_MAX)
		leet = 0;
	bool digits = has(m->digit, DIGITS_MIN) || has(straddle(before->digit, m->digit), DIGITS_MIN);

	return (byte)((m->symbol ? KH_PRESCAN_SYMBOL : 0) | (m->escape ? KH_PRESCAN_ESCAPE : 0) |
		      (has(leet, LEET_MIN) ? KH_PRESCAN_LEET : 0) | (has(single, SINGLE_MIN) ? KH_PRESCAN_SINGLE : 0) |
		      (packed ? KH_PRESCAN_PACKED : 0) | (digits ? KH_PRESCAN_DIGITS : 0));
}

enum kh_err kh_prescan(struct kh_arena *arena, struct kh_view text, struct kh_prescan *ret)
{
	struct kh_prescan s = {.block_count = text.n / BLOCK + 1};
	struct masks before = {0};
	lanes high = {0}, control = {0};

	s.blocks = kh_arena_alloc(arena, s.block_count);
	if (s.blocks == NULL)
		return KH_ENOMEM;
	for (size_t b = 0; b < s.block_count; b++) {
		byte last[BLOCK];
		const byte *p = (const byte *)text.p + b * BLOCK;
		if (b + 1 == s.block_count) {
			memset(last, ' ', sizeof(last));
			if (text.n % BLOCK > 0)
				memcpy(last, p, text.n % BLOCK);
			p = last;
		}
		struct masks m = look(p, &high, &control);
		s.blocks[b] = judge(&m, &before);
		s.all |= s.blocks[b];
		before = m;
	}
	s.ascii = bits(high) == 0;
	s.controls = bits(control) != 0;
	*ret = s;
	return KH_OK;
}

bool kh_prescan_next(const struct kh_prescan *look, unsigned flags, size_t margin, size_t *at, size_t *ret_start,
		     size_t *ret_end)
{
	size_t i = *at;

	while (i < look->block_count && (look->blocks[i] & flags) == 0)
		i++;
	if (i >= look->block_count)
		return false;
	size_t first = i, last = i;
	for (; i < look->block_count && i - last <= 2 * margin + 1; i++) {
		if ((look->blocks[i] & flags) != 0)
			last = i;
	}
	*at = last + 1;
	*ret_start = (first > margin ? first - margin : 0) * BLOCK;
	*ret_end = (last + margin + 1) * BLOCK;
	return true;
}
