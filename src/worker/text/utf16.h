/*
 * Text in UTF-16, without iconv(3), for workers that load no converters.  Pure.
 */
#ifndef KH_WORKER_TEXT_UTF16_H
#define KH_WORKER_TEXT_UTF16_H

#include "base/buf.h"

enum kh_utf16 { KH_UTF16_NOT, KH_UTF16_LITTLE, KH_UTF16_BIG };

/*
 * Whether BYTES are text in UTF-16, and in which order: by their byte order mark, else if most of their beginning is
 * plain Latin text.  *RET_MARK: the length of the mark in bytes.  The mark of UTF-32 is none of these.
 */
enum kh_utf16 kh_utf16_find(struct kh_view bytes, size_t *ret_mark);

/* Adds BYTES to OUT as UTF-8.  What is no character becomes U+FFFD: half of a pair, and a last odd byte. */
void kh_utf16_add(enum kh_utf16 order, struct kh_view bytes, struct kh_buf *out);

#endif
