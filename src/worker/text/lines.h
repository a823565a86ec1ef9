/*
 * Text as it is given to a Reader: valid UTF-8, no control characters except newline and tab, runs of meaningless
 * blanks collapsed, line breaks as in the layout.  Pure.
 */
#ifndef KH_WORKER_TEXT_LINES_H
#define KH_WORKER_TEXT_LINES_H

#include "base/buf.h"

struct kh_lines {
	struct kh_buf *out;
	unsigned breaks; /* newlines to write before the next character */
	bool blank;      /* a blank is to be written before the next character of this line */
};

void kh_lines_init(struct kh_lines *lines, struct kh_buf *out);

/* Adds TEXT; runs of blanks and newlines become one blank, and none at the beginning or end of a line. */
void kh_lines_flow(struct kh_lines *lines, struct kh_view text);

/* Adds TEXT as it is, with its newlines and blanks. */
void kh_lines_keep(struct kh_lines *lines, struct kh_view text);

/* The text that follows begins on a new line (1), or after an empty line (2). */
void kh_lines_break(struct kh_lines *lines, unsigned count);

/* The text that follows in this line begins after a tab. */
void kh_lines_tab(struct kh_lines *lines);

#endif
