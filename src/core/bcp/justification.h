/*
 * Justifications (B21).  A Controller says in its own words why a lower category is not enough.  If it uses the
 * Reader's words, the Reader may have talked it into the wider channel, so this is marked for the reviewer.
 */
#ifndef KH_CORE_BCP_JUSTIFICATION_H
#define KH_CORE_BCP_JUSTIFICATION_H

#include "base/arena.h"

#define KH_JUSTIFICATION_RUN 3 /* words in a row */

/*
 * The longest run of KH_JUSTIFICATION_RUN or more words that JUSTIFICATION shares with one of the DELIVERIES (compared
 * by their normal form); empty if there is none.
 */
enum kh_err kh_justification_repeats(struct kh_arena *arena, struct kh_view justification,
				     const struct kh_view *deliveries, size_t count,
				     struct kh_view *ret_run) KH_CHECKED;

#endif
