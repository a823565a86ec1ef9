/*
 * Finds the charset of a text: by its byte order mark, by its declared type, by its own declaration (the `meta` of a
 * page), in this order.  Labels are those of the WHATWG Encoding Standard, so that "latin1" means the same as in
 * browsers.  Pure.
 */
#ifndef KH_WORKER_TEXT_CHARSET_H
#define KH_WORKER_TEXT_CHARSET_H

#include "base/view.h"

/* The charset of LABEL as iconv(3) names it; NULL if it is not known.  "UTF-8" is one of them. */
const char *kh_charset_find(struct kh_view label);

/* The INDEX-th name that kh_charset_find() can return, without UTF-8; NULL past the end. */
const char *kh_charset_at(size_t index);

/*
 * The charset of BYTES, whose declared type is TYPE (a Content-Type; may be empty); HTML: a page, which may declare its
 * charset itself.  "UTF-8" if no known charset is declared.  *RET_MARK: the length of its byte order mark in bytes.
 */
const char *kh_charset_of(struct kh_view type, struct kh_view bytes, bool html, size_t *ret_mark);

#endif
