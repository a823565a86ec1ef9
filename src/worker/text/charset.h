/*
 * Which charset a text is in: by its byte order mark, by what was said of it, by what it says of itself (the `meta` of
 * a page), in this order.  Labels are those of the WHATWG Encoding Standard, so that "latin1" means what browsers take
 * it for.  Pure.
 */
#ifndef KH_WORKER_TEXT_CHARSET_H
#define KH_WORKER_TEXT_CHARSET_H

#include "base/view.h"

/* The charset of LABEL as iconv(3) names it; NULL if it is none that is known.  "UTF-8" is one of them. */
const char *kh_charset_find(struct kh_view label);

/* The INDEX-th name that kh_charset_find() can give, without UTF-8; NULL past the end. */
const char *kh_charset_at(size_t index);

/*
 * The charset of BYTES, of which TYPE was said (a Content-Type; may be empty); HTML: a page, which may say it itself.
 * "UTF-8" where nobody says anything that is known.  *RET_MARK: how many bytes its byte order mark has.
 */
const char *kh_charset_of(struct kh_view type, struct kh_view bytes, bool html, size_t *ret_mark);

#endif
