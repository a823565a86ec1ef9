/* A stack of bits.  It grows and moves, so marks are places in it and not addresses. */
#include "core/schema/marks.h"

struct kh_marks kh_marks_push(struct kh_checking *c, size_t n)
{
	size_t words = n / 64 + 1, wanted = c->n_bits + words;
	struct kh_marks marks = {c->n_bits, n};

	if (!kh_report_spend(c, words))
		return (struct kh_marks){0, 0};
	if (wanted > c->bits_cap) {
		uint64_t *bits = kh_arena_grow(c->arena, c->bits, c->bits_cap * sizeof(*bits),
					       wanted * 2 * sizeof(*bits));
		if (bits == NULL) {
			c->e = KH_ENOMEM;
			return (struct kh_marks){0, 0};
		}
		c->bits = bits;
		c->bits_cap = wanted * 2;
	}
	memset(c->bits + c->n_bits, 0, words * sizeof(*c->bits));
	c->n_bits = wanted;
	return marks;
}

void kh_marks_pop(struct kh_checking *c, struct kh_marks marks)
{
	if (c->e == KH_OK)
		c->n_bits = marks.at;
}

void kh_marks_merge(struct kh_checking *c, struct kh_marks to, struct kh_marks from)
{
	for (size_t i = 0; to.n > 0 && i < (from.n + 63) / 64; i++)
		c->bits[to.at + i] |= c->bits[from.at + i];
}
