/*
 * Content whose letters stand among others within one call (K7), put together again: one of two, three or four letters
 * or words counts; each word or each string of the call has some at a fixed place; a counter stands beside each; only
 * one of two or three strings counts.
 */
#ifndef KH_CORE_BLOCK_STREWN_H
#define KH_CORE_BLOCK_STREWN_H

#include "base/arena.h"

/* TEXT is folded (fold.h). */
typedef enum kh_err kh_strewn_fn(void *ctx, struct kh_view text);

/* Calls FN for each text that COUNT TEXTS may be put together to.  Each is to be read backwards, too. */
enum kh_err kh_strewn_each(struct kh_arena *arena, const struct kh_view *texts, size_t count, kh_strewn_fn *fn,
			   void *ctx) KH_CHECKED;

#endif
