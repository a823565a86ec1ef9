/*
 * Puts together what calls sent before and what a call sends now (K7), in the ways in which content can be sent in
 * pieces: in their order and in the opposite one, each backwards, with a counter, a random value or padding before or
 * behind the piece, at a fixed place, with other calls in between, each encoded or all of them, over several parameters.
 *
 * A match has to include something of the present call, and a run that counts is short.  So each way needs only the end
 * of what was sent, and all ways together cost little, however much was sent.
 */
#ifndef KH_CORE_BLOCK_PIECES_H
#define KH_CORE_BLOCK_PIECES_H

#include "core/block/compare.h"

#define KH_PIECES_LINE 2100 /* bytes of a line that are read */

/*
 * The texts of LINES (sent.h) and PRESENT, the line that the call would add.  OF: which text of the comparison they
 * belong to.  They are added to the *RET_COUNT texts of *RET_TEXTS, which has room for *RET_CAP.
 */
struct kh_pieces {
	struct kh_compare_joined *at;
	size_t n, cap;
	struct kh_view lines, present; /* that were put together last */
};
enum kh_err kh_pieces_join(struct kh_arena *arena, struct kh_view lines, struct kh_view present, size_t of,
			   struct kh_pieces *pieces) KH_CHECKED;

#endif
