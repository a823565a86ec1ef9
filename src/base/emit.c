/* Canonical JSON written as it goes.  The strings and integers here are those of canonical.c too. */
#include "base/emit.h"

#include <sodium.h>

#define EXACT (INT64_C(1) << 53)

void kh_emit_string(struct kh_buf *buf, struct kh_view text)
{
	static const char escapes[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
	size_t from = 0;

	kh_buf_byte(buf, '"');
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		kh_buf_add(buf, kh_view_sub(text, from, i));
		from = i + 1;
		if (c == '"' || c == '\\')
			kh_buf_byte(buf, '\\'), kh_buf_byte(buf, (char)c);
		else if (c < sizeof(escapes) && escapes[c])
			kh_buf_byte(buf, '\\'), kh_buf_byte(buf, escapes[c]);
		else
			kh_buf_printf(buf, "\\u%04x", c);
	}
	kh_buf_add(buf, kh_view_from(text, from));
	kh_buf_byte(buf, '"');
}

/* An integer that every double holds: its digits need no search. */
void kh_emit_integer(struct kh_buf *buf, int64_t value)
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char digits[20];
	size_t at = sizeof(digits);

	if (value < 0)
		kh_buf_byte(buf, '-');
	do
		digits[--at] = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	kh_buf_add(buf, kh_view_of(digits + at, sizeof(digits) - at));
}

void kh_emit_init(struct kh_emit *emit, struct kh_buf *buf)
{
	*emit = (struct kh_emit){.buf = buf};
}

static void fail(struct kh_emit *emit)
{
	if (emit->buf->err == KH_OK)
		emit->buf->err = KH_EREFUSED;
}

void kh_emit_key(struct kh_emit *emit, const char *name)
{
	const char *last = emit->depth > 0 ? emit->level[emit->depth - 1].last : NULL;

	if (emit->depth == 0 || emit->level[emit->depth - 1].is_array || (last != NULL && strcmp(last, name) >= 0)) {
		fail(emit);
		return;
	}
	if (last != NULL)
		kh_buf_byte(emit->buf, ',');
	emit->level[emit->depth - 1].last = name;
	kh_emit_string(emit->buf, kh_view_str(name));
	kh_buf_byte(emit->buf, ':');
}

/* What stands before a value: a comma, where it is an element and not the first. */
static void value(struct kh_emit *emit)
{
	if (emit->depth == 0 || !emit->level[emit->depth - 1].is_array)
		return;
	if (emit->level[emit->depth - 1].any)
		kh_buf_byte(emit->buf, ',');
	emit->level[emit->depth - 1].any = true;
}

static void begin(struct kh_emit *emit, bool is_array)
{
	value(emit);
	if (emit->depth == KH_EMIT_DEPTH) {
		fail(emit);
		return;
	}
	emit->level[emit->depth].last = NULL;
	emit->level[emit->depth].any = false;
	emit->level[emit->depth++].is_array = is_array;
	kh_buf_byte(emit->buf, is_array ? '[' : '{');
}

void kh_emit_object(struct kh_emit *emit)
{
	begin(emit, false);
}

void kh_emit_array(struct kh_emit *emit)
{
	begin(emit, true);
}

void kh_emit_end(struct kh_emit *emit)
{
	if (emit->depth == 0) {
		fail(emit);
		return;
	}
	kh_buf_byte(emit->buf, emit->level[--emit->depth].is_array ? ']' : '}');
}

void kh_emit_int(struct kh_emit *emit, int64_t number)
{
	value(emit);
	if (number > EXACT || number < -EXACT)
		fail(emit);
	else
		kh_emit_integer(emit->buf, number);
}

void kh_emit_bool(struct kh_emit *emit, bool yes)
{
	value(emit);
	kh_buf_add(emit->buf, yes ? KH_LIT("true") : KH_LIT("false"));
}

void kh_emit_null(struct kh_emit *emit)
{
	value(emit);
	kh_buf_lit(emit->buf, "null");
}

void kh_emit_text(struct kh_emit *emit, struct kh_view text)
{
	value(emit);
	kh_emit_string(emit->buf, text);
}

void kh_emit_digest(struct kh_emit *emit, const struct kh_digest *digest)
{
	char hex[KH_DIGEST_SIZE * 2 + 1];

	value(emit);
	sodium_bin2hex(hex, sizeof(hex), digest->bytes, KH_DIGEST_SIZE);
	kh_buf_byte(emit->buf, '"');
	kh_buf_add(emit->buf, kh_view_of(hex, KH_DIGEST_SIZE * 2));
	kh_buf_byte(emit->buf, '"');
}

void kh_emit_raw(struct kh_emit *emit, struct kh_view json)
{
	value(emit);
	kh_buf_add(emit->buf, json);
}
