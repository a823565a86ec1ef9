/* Writes canonical JSON straight into a buffer. canonical.c uses its functions for strings and integers too. */
#include "base/emit.h"

#define EXACT (INT64_C(1) << 53)

/*
 * Sets a bit for each of eight bytes that is less than 0x20, a quote or a backslash.  Only the lowest bit set is
 * reliable.
 */
static uint64_t special(uint64_t eight)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	uint64_t quotes = eight ^ ones * '"', backslashes = eight ^ ones * '\\';

	return (((eight - ones * 0x20) & ~eight) | ((quotes - ones) & ~quotes) |
		((backslashes - ones) & ~backslashes)) &
	       high;
}

/* How many bytes from FROM on need no escape in a JSON string. */
static size_t count_plain(struct kh_view text, size_t from)
{
	size_t i = from;

	for (uint64_t eight; text.n - i >= sizeof(eight); i += sizeof(eight)) {
		memcpy(&eight, text.p + i, sizeof(eight));
		if (special(eight) != 0)
			break;
	}
	for (; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c < 0x20 || c == '"' || c == '\\')
			break;
	}
	return i - from;
}

static void escape(struct kh_buf *buf, unsigned char c)
{
	static const char escapes[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

	if (c == '"' || c == '\\')
		kh_buf_byte(buf, '\\'), kh_buf_byte(buf, (char)c);
	else if (c < sizeof(escapes) && escapes[c])
		kh_buf_byte(buf, '\\'), kh_buf_byte(buf, escapes[c]);
	else
		kh_buf_printf(buf, "\\u%04x", c);
}

void kh_emit_string(struct kh_buf *buf, struct kh_view text)
{
	kh_buf_byte(buf, '"');
	for (size_t i = 0; i < text.n; i++) {
		size_t plain = count_plain(text, i);
		kh_buf_add(buf, kh_view_sub(text, i, i + plain));
		i += plain;
		if (i < text.n)
			escape(buf, (unsigned char)text.p[i]);
	}
	kh_buf_byte(buf, '"');
}

char *kh_emit_put_integer(char *p, int64_t value)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
				    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char digits[20] __attribute__((uninitialized));
	size_t at = sizeof(digits);
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	if (value < 0)
		*p++ = '-';
	for (; left >= 10; left /= 100) {
		at -= 2;
		memcpy(digits + at, pairs + left % 100 * 2, 2);
	}
	if (left > 0 || at == sizeof(digits))
		digits[--at] = (char)('0' + left);
	memcpy(p, digits + at, sizeof(digits) - at);
	return p + sizeof(digits) - at;
}

char *kh_emit_put_digest(char *p, const struct kh_digest *digest)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < KH_DIGEST_SIZE; i++) {
		*p++ = hex[digest->bytes[i] >> 4];
		*p++ = hex[digest->bytes[i] & 15];
	}
	return p;
}

/* The integer is within +-2^53, so its digits are plain decimal and no shortest form has to be searched. */
void kh_emit_integer(struct kh_buf *buf, int64_t value)
{
	char digits[KH_EMIT_INTEGER] __attribute__((uninitialized));

	kh_buf_add(buf, kh_view_of(digits, (size_t)(kh_emit_put_integer(digits, value) - digits)));
}

void kh_emit_init(struct kh_emit *emit, struct kh_buf *buf)
{
	*emit = (struct kh_emit){.buf = buf};
}

void kh_emit_begin(struct kh_emit *emit, struct kh_arena *arena, size_t limit)
{
	kh_emit_init(emit, &emit->own);
	kh_buf_init(&emit->own, arena, limit);
}

enum kh_err kh_emit_finish(const struct kh_emit *emit, struct kh_view *ret_text)
{
	return emit->buf->arena->failed ? KH_ENOMEM : kh_buf_end(emit->buf, ret_text);
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

/* Writes what comes before a value: a comma, if it is an array element and not the first. */
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
	char hex[KH_DIGEST_SIZE * 2];

	value(emit);
	kh_emit_put_digest(hex, digest);
	kh_buf_byte(emit->buf, '"');
	kh_buf_add(emit->buf, kh_view_of(hex, sizeof(hex)));
	kh_buf_byte(emit->buf, '"');
}

void kh_emit_raw(struct kh_emit *emit, struct kh_view json)
{
	value(emit);
	kh_buf_add(emit->buf, json);
}

void kh_emit_add(struct kh_emit *emit, const char *name, struct kh_view text)
{
	kh_emit_key(emit, name);
	kh_emit_text(emit, text);
}

void kh_emit_add_word(struct kh_emit *emit, const char *name, const char *word)
{
	kh_emit_add(emit, name, kh_view_str(word));
}

void kh_emit_add_int(struct kh_emit *emit, const char *name, int64_t number)
{
	kh_emit_key(emit, name);
	kh_emit_int(emit, number);
}

void kh_emit_add_bool(struct kh_emit *emit, const char *name, bool yes)
{
	kh_emit_key(emit, name);
	kh_buf_add(emit->buf, yes ? KH_LIT("true") : KH_LIT("false"));
}

void kh_emit_add_digest(struct kh_emit *emit, const char *name, const struct kh_digest *digest)
{
	kh_emit_key(emit, name);
	kh_emit_digest(emit, digest);
}

void kh_emit_add_raw(struct kh_emit *emit, const char *name, struct kh_view json)
{
	kh_emit_key(emit, name);
	kh_emit_raw(emit, json);
}
