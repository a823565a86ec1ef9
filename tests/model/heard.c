/* Two runs that were to be the same, and are not. */
#include "world.h"

#include <stdio.h>

#define SHOWN 900 /* bytes of each */

void world_show_difference(const struct heard *a, const struct heard *b)
{
	size_t at = 0, line = 0;

	while (at < a->n && at < b->n && a->at[at] == b->at[at]) {
		if (a->at[at] == '\n')
			line = at + 1;
		at++;
	}
	printf("  after %zu equal bytes:\n  < %.*s\n  > %.*s\n", at, (int)(a->n - line < SHOWN ? a->n - line : SHOWN),
	       a->at + line, (int)(b->n - line < SHOWN ? b->n - line : SHOWN), b->at + line);
}
