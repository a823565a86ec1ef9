/* Parts of a line that a call sent (pieces.h), by words or by characters.  A line is folded (fold.h). */
#ifndef KH_CORE_BLOCK_PARTS_H
#define KH_CORE_BLOCK_PARTS_H

#include "base/buf.h"

/* The N-th word of V, from its beginning or its end; empty if it has no more than N. */
struct kh_view kh_parts_field(struct kh_view v, size_t n);
struct kh_view kh_parts_field_from_end(struct kh_view v, size_t n);

void kh_parts_backwards(struct kh_buf *out, struct kh_view v);

/* What stands between tabs, the last first. */
void kh_parts_swapped(struct kh_buf *out, struct kh_view v);

/* V without its digits. */
void kh_parts_letters(struct kh_buf *out, struct kh_view v);

#endif
