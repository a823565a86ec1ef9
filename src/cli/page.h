/*
 * One page of an approval as a human reads it on a terminal (B15, A6).
 *
 * Lines that begin at the left edge are Keyhole's own.  All other text, the Controller's and the Reader's, is either
 * quoted in one of our lines, short and escaped, or stands behind a bar, line by line (kh_terminal_frame), so that no
 * text can look like a frame, a digest or a question of Keyhole's.
 */
#ifndef KH_CLI_PAGE_H
#define KH_CLI_PAGE_H

#include "base/buf.h"
#include "base/json.h"
#include "base/tainted.h"

/* Writes the page that approval.show returned: SHOWN is its JSON, TEXT its text.  The first page also has all that
 * is known about the approval. */
void kh_page_write(struct kh_buf *buf, yyjson_val *shown, struct kh_tainted text, size_t columns);

/* The same for what Readers sent for a query: SHOWN is what query.tries gave (engine/query/tries.h). */
void kh_page_tries(struct kh_buf *buf, yyjson_val *shown, size_t columns);

#endif
