/*
 * Text of other charsets as UTF-8, by the C library's iconv(3).
 *
 * Its converters are files that it loads when one is asked for.  A worker that can open nothing any more has asked for
 * all of the list (charset.h) before.
 */
#ifndef KH_WORKER_TEXT_RECODE_H
#define KH_WORKER_TEXT_RECODE_H

#include "base/buf.h"

#include <iconv.h>

#define KH_RECODE_CHARSETS 40

struct kh_recode {
	iconv_t converter[KH_RECODE_CHARSETS]; /* in the order of kh_charset_at(); (iconv_t)-1 where there is none */
	size_t count;
};

/* Opens all that this system has; those that it lacks are left out. */
void kh_recode_init(struct kh_recode *recode);
void kh_recode_done(struct kh_recode *recode);

/* Adds BYTES, which are of CHARSET (a name of charset.h), to OUT as UTF-8.  What is not valid, and all that is not
 * UTF-8 where there is no converter for it, becomes U+FFFD. */
void kh_recode_add(const struct kh_recode *recode, const char *charset, struct kh_view bytes, struct kh_buf *out);

#endif
