/*
 * Which members of an object, or items of an array, a schema has looked at: for unevaluatedProperties and
 * unevaluatedItems.  Each schema that is compared with a value has marks of its own; if the value fits, they count for
 * the schema around it too.  Marks are a stack within the state of a check.
 */
#ifndef KH_CORE_SCHEMA_MARKS_H
#define KH_CORE_SCHEMA_MARKS_H

#include "core/schema/report.h"

struct kh_marks {
	size_t at; /* word of the stack */
	size_t n;  /* marks; 0: nobody asks for them */
};

/* N marks, none of them set; what came before stays.  Without memory the check fails and there are none. */
struct kh_marks kh_marks_push(struct kh_checking *c, size_t n);

/* Gives back MARKS, which were the last, and what came after. */
void kh_marks_pop(struct kh_checking *c, struct kh_marks marks);

/* Sets the marks of FROM in TO as well.  Both are of the same value; either may have none. */
void kh_marks_merge(struct kh_checking *c, struct kh_marks to, struct kh_marks from);

static inline void kh_marks_set(struct kh_checking *c, struct kh_marks marks, size_t i)
{
	if (i < marks.n)
		c->bits[marks.at + i / 64] |= UINT64_C(1) << i % 64;
}

static inline bool kh_marks_has(const struct kh_checking *c, struct kh_marks marks, size_t i)
{
	return i < marks.n && (c->bits[marks.at + i / 64] >> i % 64 & 1) != 0;
}

#endif
