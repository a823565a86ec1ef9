/* Finds the nearest name.  Names and words are short, so three rows of a table on the stack are enough. */
#include "base/nearest.h"

#include <string.h>

#define LONGEST 32 /* bytes of a word or a name; no command or option is longer */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns the distance of two texts of at most LONGEST bytes, counting a swap of neighbours as one (optimal string
 * alignment). */
static size_t distance(struct kh_view a, struct kh_view b)
{
	size_t before[LONGEST + 1] = {0}, last[LONGEST + 1], row[LONGEST + 1];

	for (size_t j = 0; j <= b.n; j++)
		last[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t replaced = last[j - 1] + (a.p[i - 1] == b.p[j - 1] ? 0 : 1);
			row[j] = least(replaced, least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
		memcpy(before, last, sizeof(before));
		memcpy(last, row, (b.n + 1) * sizeof(row[0]));
	}
	return last[b.n];
}

void kh_nearest_begin(struct kh_nearest *n, struct kh_view word)
{
	*n = (struct kh_nearest){.word = word, .distance = word.n / 3 + 1};
}

void kh_nearest_try(struct kh_nearest *n, struct kh_view name)
{
	if (n->word.n == 0 || n->word.n > LONGEST || name.n > LONGEST)
		return;
	size_t d = distance(n->word, name);
	if (d < n->distance) {
		n->distance = d;
		n->name = name;
	}
}
