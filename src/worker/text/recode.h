/*
 * Converts text of other charsets to UTF-8, with the C library's iconv(3).
 *
 * Its converters are files that it loads on first use.  So a worker opens all of the list (charset.h) before it is
 * confined and can open no more files.
 */
#ifndef KH_WORKER_TEXT_RECODE_H
#define KH_WORKER_TEXT_RECODE_H

#include "base/buf.h"

#include <iconv.h>

#define KH_RECODE_CHARSETS 40

struct kh_recode {
	iconv_t converter[KH_RECODE_CHARSETS]; /* in the order of kh_charset_at(); (iconv_t)-1 if there is none */
	size_t count;
};

/* Opens all that this system has, for as long as the process lives; missing ones are skipped. */
void kh_recode_init(struct kh_recode *recode);

/* Adds BYTES, which are in CHARSET (a name of charset.h), to OUT as UTF-8.  Invalid bytes become U+FFFD; if there is no
 * converter, so does everything that is not UTF-8. */
void kh_recode_add(const struct kh_recode *recode, const char *charset, struct kh_view bytes, struct kh_buf *out);

#endif
