/*
 * What of a file goes into the index: its text and its title.  Pure.
 */
#ifndef KH_WORKER_SEARCH_TEXT_H
#define KH_WORKER_SEARCH_TEXT_H

#include "base/arena.h"
#include "worker/text/parser.h"

#define KH_SEARCH_TEXT_PAGE  (16U << 20) /* bytes of a page's text at most: one with more is none */
#define KH_SEARCH_TEXT_TITLE 200         /* bytes of a title at most */

struct kh_search_text {
	struct kh_view title; /* the first line that says something; of HTML its title; may be empty */
	struct kh_view body;  /* valid UTF-8 */
};

/*
 * The text of BYTES, the contents of a file called NAME; of a page (.html, .htm, .xhtml) what kh_html_text() makes of
 * it, where there is a parser: GUMBO may be NULL.  False if it is no text: it has a NUL byte, or too much of it is
 * neither UTF-8 nor anything that could be read.  What is not UTF-8 becomes U+FFFD.  KH_ENOMEM.
 */
enum kh_err kh_search_text_make(struct kh_arena *arena, const struct kh_parser *gumbo, struct kh_view bytes,
				struct kh_view name, struct kh_search_text *ret_text, bool *ret_is_text) KH_CHECKED;

/* TEXT, any bytes, as valid UTF-8 with U+FFFD for what is not. */
struct kh_view kh_search_text_valid(struct kh_arena *arena, struct kh_view text);

#endif
