/* The state of a rate (core/policy/quota.h) as a text, for the store: "period part used used ...", plain numbers. */
#ifndef KH_ENGINE_STATE_QUOTATEXT_H
#define KH_ENGINE_STATE_QUOTATEXT_H

#include "core/policy/quota.h"

/* {NULL, 0} on failure, which marks the arena. */
struct kh_view kh_quotatext_write(struct kh_arena *arena, const struct kh_quota *quota);

/* An empty text is a rate that is unused.  False for anything that kh_quotatext_write() did not write. */
bool kh_quotatext_read(struct kh_view text, struct kh_quota *ret_quota);

#endif
