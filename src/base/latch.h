/*
 * A latch: one thread waits until another has set it.  It belongs to the one who waits and is set once, so it needs no
 * lock, and it cannot be set in vain: whoever waits looks at the word itself, before and after every sleep.
 */
#ifndef KH_BASE_LATCH_H
#define KH_BASE_LATCH_H

#include <stdint.h>

struct kh_latch {
	uint32_t set; /* zero: not yet */
};

/* Returns when LATCH is set: at once if it was set before.  What the setter did before is then seen. */
void kh_latch_wait(struct kh_latch *latch);

/* LATCH may be gone when this returns, because whoever waited for it goes on. */
void kh_latch_set(struct kh_latch *latch);

#endif
