/*
 * The growing buffer.  Doubles its size within its limit.  The bytes that an earlier kh_buf_end() returned stay valid in
 * the arena.
 */
#include "base/buf.h"

#include "base/utf8.h"

#include <stdio.h>

void kh_buf_init(struct kh_buf *buf, struct kh_arena *arena, size_t limit)
{
	*buf = (struct kh_buf){.arena = arena, .limit = limit};
}

static bool reserve(struct kh_buf *buf, size_t more)
{
	if (buf->err != KH_OK)
		return false;
	if (more > buf->limit - buf->n) {
		buf->err = KH_ELIMIT;
		return false;
	}
	size_t want = buf->n + more;
	if (want <= buf->cap)
		return true;
	size_t cap = buf->cap < 64 ? 64 : buf->cap <= buf->limit / 2 ? buf->cap * 2 : buf->limit;
	if (cap > buf->limit)
		cap = buf->limit; /* so that the buffer never holds more than its limit */
	if (cap < want)
		cap = want;
	char *p = kh_arena_grow(buf->arena, buf->p, buf->n, cap);
	if (p == NULL) {
		buf->err = KH_ENOMEM;
		return false;
	}
	buf->p = p;
	buf->cap = cap;
	return true;
}

void kh_buf_add(struct kh_buf *buf, struct kh_view v)
{
	if (v.n == 0 || !reserve(buf, v.n))
		return;
	memcpy(buf->p + buf->n, v.p, v.n);
	buf->n += v.n;
}

void kh_buf_char(struct kh_buf *buf, uint32_t c)
{
	char p[4];

	kh_buf_add(buf, kh_view_of(p, kh_utf8_encode(c, p)));
}

void kh_buf_repair(struct kh_buf *buf, struct kh_view bytes)
{
	size_t bad;

	while (bytes.n > 0 && (bad = kh_utf8_invalid(bytes)) != SIZE_MAX) {
		kh_buf_add(buf, kh_view_sub(bytes, 0, bad));
		kh_buf_char(buf, 0xfffd);
		bytes = kh_view_from(bytes, bad + 1);
	}
	kh_buf_add(buf, bytes);
}

void kh_buf_percent(struct kh_buf *buf, struct kh_view text, const char *plain)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (kh_ascii_is_alpha((char)c) || kh_ascii_is_digit((char)c) || memchr(plain, c, strlen(plain)) != NULL)
			kh_buf_byte(buf, (char)c);
		else
			kh_buf_add(
				buf,
				kh_view_of((char[]){'%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15]}, 3));
	}
}

void kh_buf_printf(struct kh_buf *buf, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	struct kh_view v = kh_arena_vprintf(buf->arena, fmt, args);
	va_end(args);
	if (v.p == NULL && buf->err == KH_OK)
		buf->err = KH_ENOMEM;
	kh_buf_add(buf, v);
}

enum kh_err kh_buf_end(const struct kh_buf *buf, struct kh_view *ret_v)
{
	if (buf->err != KH_OK)
		return buf->err;
	*ret_v = kh_view_of(buf->p ? buf->p : "", buf->n);
	return KH_OK;
}
