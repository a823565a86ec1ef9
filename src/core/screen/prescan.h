/*
 * A first, cheap scan of a text: finds the 64-byte blocks in which a closer scan could find something.  Because of it,
 * plain prose is screened at the speed of memory.
 */
#ifndef KH_CORE_SCREEN_PRESCAN_H
#define KH_CORE_SCREEN_PRESCAN_H

#include "base/arena.h"

#define KH_PRESCAN_BLOCK 64

enum {
	KH_PRESCAN_SYMBOL = 1,  /* one of # < = > @ [ \ ] ^ _ ` { | } ~ */
	KH_PRESCAN_ESCAPE = 2,  /* one of % & = \ */
	KH_PRESCAN_LEET = 4,    /* digits between letters, more than one */
	KH_PRESCAN_SINGLE = 8,  /* many single letters */
	KH_PRESCAN_PACKED = 16, /* a run of 16 base64 characters, which begins here or in the block before */
	KH_PRESCAN_DIGITS = 32, /* many digits, here and in the second half of the block before */
};

struct kh_prescan {
	unsigned char *blocks; /* the flags of each block */
	size_t block_count;
	unsigned char all; /* the flags of all blocks together */
	bool ascii;        /* no byte above 127 */
	bool controls;     /* a control character that is not white space */
};

enum kh_err kh_prescan(struct kh_arena *arena, struct kh_view text, struct kh_prescan *ret) KH_CHECKED;

/*
 * The next stretch of blocks that have one of FLAGS, from block *AT on, with MARGIN blocks around it: gives its bytes,
 * and moves *AT past it.  Stretches do not overlap.  False if there is none.
 */
bool kh_prescan_next(const struct kh_prescan *look, unsigned flags, size_t margin, size_t *at, size_t *ret_start,
		     size_t *ret_end);

#endif
