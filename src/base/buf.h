/*
 * A growing buffer in an arena, with a limit that is set at its init.  Appending returns no error: the first append that
 * does not fit marks the buffer, later ones do nothing, and kh_buf_end() reports the failure.
 */
#ifndef KH_BASE_BUF_H
#define KH_BASE_BUF_H

#include "base/arena.h"

struct kh_buf {
	struct kh_arena *arena;
	char *p;
	size_t n, cap, limit;
	enum kh_err err;
};

void kh_buf_init(struct kh_buf *buf, struct kh_arena *arena, size_t limit);
void kh_buf_add(struct kh_buf *buf, struct kh_view v);
void kh_buf_char(struct kh_buf *buf, uint32_t c); /* as UTF-8 */
void kh_buf_printf(struct kh_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Any bytes as UTF-8, with U+FFFD for each that is not part of a character. */
void kh_buf_repair(struct kh_buf *buf, struct kh_view bytes);

/* Text for a URL: each byte that is neither an ASCII letter, a digit nor one of PLAIN as %XX. */
void kh_buf_percent(struct kh_buf *buf, struct kh_view text, const char *plain);

/* The bytes appended so far.  KH_ENOMEM, or KH_ELIMIT if the limit was passed. */
enum kh_err kh_buf_end(const struct kh_buf *buf, struct kh_view *ret_v) KH_CHECKED;

/* Inline because it is called most often. */
static inline void kh_buf_byte(struct kh_buf *buf, char c)
{
	if (buf->err == KH_OK && buf->n < buf->cap)
		buf->p[buf->n++] = c;
	else
		kh_buf_add(buf, kh_view_of(&c, 1));
}

#define kh_buf_lit(buf, s) kh_buf_add((buf), KH_LIT(s))

#endif
