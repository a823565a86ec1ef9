/*
 * How many may ask a Reader at once, in one process: the others wait for their turn, within their own time.  From any
 * thread.
 */
#ifndef KH_READER_TURNS_H
#define KH_READER_TURNS_H

#include "base/alloc.h"

struct kh_turns;

/* LIMIT: 1 or more.  NULL where memory ran out. */
struct kh_turns *kh_turns_new(const struct kh_alloc *alloc, uint64_t limit);
void kh_turns_free(struct kh_turns *turns); /* nobody waits or has a turn; NULL is fine */

/* Waits for a turn until DEADLINE_MS of the monotonic clock; false where it did not come.  NULL: always. */
bool kh_turns_take(struct kh_turns *turns, int64_t deadline_ms);
void kh_turns_give(struct kh_turns *turns);

#endif
