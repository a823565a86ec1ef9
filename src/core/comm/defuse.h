/*
 * Defusing (E11): fenced content must not be able to speak the fence's own language.  Wherever a text holds the marker,
 * in any spelling that a reader could take for it, the rendered copy says "[marker defused]" instead.  The content
 * itself is kept as it is.
 */
#ifndef KH_CORE_COMM_DEFUSE_H
#define KH_CORE_COMM_DEFUSE_H

#include "base/arena.h"

/*
 * TEXT (valid UTF-8) without the marker: neither exactly nor in another case, in full-width or look-alike letters, with
 * invisible characters, accents, blanks or punctuation between its letters.  TEXT itself where there is none.  Linear.
 */
enum kh_err kh_defuse_text(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_text) KH_CHECKED;

#endif
