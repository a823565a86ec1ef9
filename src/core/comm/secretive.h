/*
 * Whether words ask for a secret: a password, a token, a key, a PIN (U3).  By lists of words in several languages,
 * compared without case, accents, look-alikes, digits for letters, gaps and signs, so that `P4ss-w o r d` is one.
 * A list is never whole: a human decides all the same.
 */
#ifndef KH_CORE_COMM_SECRETIVE_H
#define KH_CORE_COMM_SECRETIVE_H

#include "base/arena.h"

/* Whether TEXT, a name or a title, names a secret: it has a word of either list, or is a short one written with gaps. */
enum kh_err kh_secretive_name(struct kh_arena *arena, struct kh_view text, bool *ret_yes) KH_CHECKED;

/* Whether TEXT, of any length, has a word that means nothing but a secret: "key" and "pin" alone do not count. */
enum kh_err kh_secretive_text(struct kh_arena *arena, struct kh_view text, bool *ret_yes) KH_CHECKED;

#endif
