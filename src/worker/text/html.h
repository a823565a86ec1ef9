/*
 * Converts a page to text, from the tree that libgumbo makes with the algorithm of HTML5: so a page means here what it
 * means in a browser, however broken it is.
 *
 * Scripts, styles, templates, `noscript` and the head except for its title are left out, because people do not read
 * them.  Everything else is kept, also what a style sheet would hide: whoever asks about a page must see what an
 * attacker put there only for machines.  Blocks become lines, cells are preceded by tabs, a link is its text and its
 * target in brackets.
 */
#ifndef KH_WORKER_TEXT_HTML_H
#define KH_WORKER_TEXT_HTML_H

#include "base/buf.h"
#include "worker/text/parser.h"

/* Adds the text of HTML, which is UTF-8, to OUT.  The tree is in the arena.  KH_ENOMEM if that is not enough. */
enum kh_err kh_html_text(const struct kh_parser *gumbo, struct kh_arena *arena, struct kh_view html,
			 struct kh_buf *out) KH_CHECKED;

#endif
