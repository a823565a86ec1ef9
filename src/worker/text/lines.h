/*
 * Text as it is put out for a Reader: valid UTF-8, no control character but newline and tab, blanks that mean nothing
 * made one, lines where the layout has them.  Pure.
 */
#ifndef KH_WORKER_TEXT_LINES_H
#define KH_WORKER_TEXT_LINES_H

#include "base/buf.h"

struct kh_lines {
	struct kh_buf *out;
	unsigned breaks; /* newlines that come before the next character */
	bool blank;      /* one comes before the next character of this line */
};

void kh_lines_init(struct kh_lines *lines, struct kh_buf *out);

/* Adds TEXT; runs of blanks and newlines become one blank, and none stands at the beginning or end of a line. */
void kh_lines_flow(struct kh_lines *lines, struct kh_view text);

/* Adds TEXT as it is, with its newlines and blanks. */
void kh_lines_keep(struct kh_lines *lines, struct kh_view text);

/* What comes next stands on a line of its own (1), or with an empty one between (2). */
void kh_lines_break(struct kh_lines *lines, unsigned count);

/* What comes next in this line stands behind a tab. */
void kh_lines_tab(struct kh_lines *lines);

#endif
