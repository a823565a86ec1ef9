/*
 * One page of an approval as a human reads it on a terminal (B15, A6).
 *
 * Lines that begin at the left edge are Keyhole's own.  Everybody else's words, the Controller's and the Reader's, are
 * either quoted in a line of ours, short and escaped, or stand behind a bar, line by line (kh_terminal_frame), so that
 * no text can pass for a frame, a digest or a question of Keyhole's.
 */
#ifndef KH_CLI_PAGE_H
#define KH_CLI_PAGE_H

#include "base/buf.h"
#include "base/json.h"
#include "base/tainted.h"

/*
 * Writes the page that approval.show gave: SHOWN is its JSON, TEXT its text.  With the first page comes all that is
 * known about the approval.
 */
void kh_page_write(struct kh_buf *buf, yyjson_val *shown, struct kh_tainted text, size_t columns);

#endif
