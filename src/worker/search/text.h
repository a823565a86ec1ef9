/*
 * The part of a file that goes into the index: its text and its title.  Pure.
 */
#ifndef KH_WORKER_SEARCH_TEXT_H
#define KH_WORKER_SEARCH_TEXT_H

#include "base/arena.h"
#include "worker/text/parser.h"

#define KH_SEARCH_TEXT_PAGE  (16U << 20) /* most bytes of a page's text; a page with more is not indexed as one */
#define KH_SEARCH_TEXT_TITLE 200         /* most bytes of a title */

struct kh_search_text {
	struct kh_view title; /* the first line with content; for HTML its title; may be empty */
	struct kh_view body;  /* valid UTF-8 */
};

/*
 * The text of BYTES, the content of a file called NAME.  For a page (.html, .htm, .xhtml) it is the result of
 * kh_html_text(), if there is a parser: GUMBO may be NULL.  Text in UTF-16 (utf16.h) is converted first.  False if it is
 * not text: it has a NUL byte, or too much of it is neither UTF-8 nor readable otherwise.  Bytes that are not UTF-8
 * become U+FFFD.  KH_ENOMEM.
 */
enum kh_err kh_search_text_make(struct kh_arena *arena, const struct kh_parser *gumbo, struct kh_view bytes,
				struct kh_view name, struct kh_search_text *ret_text, bool *ret_is_text) KH_CHECKED;

/* TEXT, any bytes, as valid UTF-8 with U+FFFD for invalid bytes. */
struct kh_view kh_search_text_valid(struct kh_arena *arena, struct kh_view text);

#endif
