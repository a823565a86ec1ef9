/*
 * Defusing (E11): fenced content must not be able to imitate the fence.  If a text holds the marker, in any spelling
 * that a reader could take for it, the rendered copy has "[marker defused]" instead.  The content itself is not
 * changed.
 */
#ifndef KH_CORE_COMM_DEFUSE_H
#define KH_CORE_COMM_DEFUSE_H

#include "base/arena.h"

/*
 * TEXT (valid UTF-8) without the marker in any spelling: exact, in another case, in full-width or look-alike letters,
 * or with invisible characters, accents, blanks or punctuation between its letters.  TEXT itself if it has no marker.
 * Linear.
 */
enum kh_err kh_defuse_text(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_text) KH_CHECKED;

#endif
