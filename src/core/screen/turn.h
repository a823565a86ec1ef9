/* Text in rot13 and backwards, as disguised or encoded text may be (S2). */
#ifndef KH_CORE_SCREEN_TURN_H
#define KH_CORE_SCREEN_TURN_H

#include "base/arena.h"

/* V backwards, by characters; in the arena.  Empty if there is no memory. */
struct kh_view kh_turn_reverse(struct kh_arena *arena, struct kh_view v);

/* V in rot13 (every ASCII letter moved by 13); in the arena.  Empty if there is no memory. */
struct kh_view kh_turn_rot13(struct kh_arena *arena, struct kh_view v);

#endif
