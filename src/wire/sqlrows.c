/* Rows into JSON.  A row that does not fit is removed as a whole. */
#include "wire/sqlrows.h"

#include "base/emit.h"
#include "base/json.h"
#include "base/utf8.h"

#include <math.h>

#define EXACT    (INT64_C(1) << 53)
#define TAIL     32  /* bytes kept free for the closing part */
#define REAL_MAX 400 /* bytes of a number with a fraction or an exponent; a longer one is a string */

void kh_sqlrows_init(struct kh_sqlrows *rows, struct kh_arena *arena, size_t most_rows, size_t bytes)
{
	*rows = (struct kh_sqlrows){.most = most_rows};
	kh_buf_init(&rows->buf, arena, bytes + TAIL);
	kh_buf_lit(&rows->buf, "{\"columns\":[");
}

/* Text as a JSON string, with U+FFFD for each byte that is not part of a character. */
static void put_text(struct kh_buf *buf, struct kh_view text)
{
	/* Usually the length alone shows that a text does not fit. */
	if (text.n > buf->limit) {
		buf->err = buf->err == KH_OK ? KH_ELIMIT : buf->err;
		return;
	}
	if (kh_utf8_invalid(text) == SIZE_MAX) {
		kh_emit_string(buf, text);
		return;
	}
	struct kh_buf clean;
	kh_buf_init(&clean, buf->arena, 3 * text.n);
	kh_buf_repair(&clean, text);
	struct kh_view v;
	enum kh_err e = kh_buf_end(&clean, &v);
	if (e == KH_OK)
		kh_emit_string(buf, v);
	else if (buf->err == KH_OK)
		buf->err = e;
}

/* Puts the comma between two values. */
static void separate(struct kh_sqlrows *rows)
{
	if (rows->any)
		kh_buf_byte(&rows->buf, ',');
	rows->any = true;
}

void kh_sqlrows_column(struct kh_sqlrows *rows, struct kh_view name)
{
	separate(rows);
	put_text(&rows->buf, name);
}

static void end_columns(struct kh_sqlrows *rows)
{
	if (!rows->in_rows)
		kh_buf_lit(&rows->buf, "],\"rows\":[");
	rows->in_rows = true;
}

bool kh_sqlrows_begin(struct kh_sqlrows *rows)
{
	end_columns(rows);
	rows->no_room = rows->no_room || rows->buf.err == KH_ELIMIT;
	if (rows->rows == rows->most)
		rows->truncated = true;
	if (rows->truncated || rows->buf.err != KH_OK)
		return false;
	rows->start = rows->buf.n;
	if (rows->rows > 0)
		kh_buf_byte(&rows->buf, ',');
	kh_buf_byte(&rows->buf, '[');
	rows->any = false;
	return true;
}

void kh_sqlrows_null(struct kh_sqlrows *rows)
{
	separate(rows);
	kh_buf_lit(&rows->buf, "null");
}

void kh_sqlrows_bool(struct kh_sqlrows *rows, bool value)
{
	separate(rows);
	kh_buf_add(&rows->buf, value ? KH_LIT("true") : KH_LIT("false"));
}

void kh_sqlrows_int(struct kh_sqlrows *rows, int64_t value)
{
	bool exact = value >= -EXACT && value <= EXACT;
	char digits[KH_EMIT_INTEGER];
	struct kh_view text = kh_view_of(digits, (size_t)(kh_emit_put_integer(digits, value) - digits));

	separate(rows);
	if (exact)
		kh_buf_add(&rows->buf, text);
	else
		kh_emit_string(&rows->buf, text);
}

void kh_sqlrows_real(struct kh_sqlrows *rows, double value)
{
	yyjson_mut_val val = {.tag = YYJSON_TYPE_NUM | YYJSON_SUBTYPE_REAL, .uni.f64 = value};
	char memory[1024];
	yyjson_alc alc;
	size_t n = 0;
	char *text;

	separate(rows);
	if (isnan(value)) {
		kh_buf_lit(&rows->buf, "\"NaN\"");
	} else if (isinf(value)) {
		kh_buf_add(&rows->buf, value > 0 ? KH_LIT("\"Infinity\"") : KH_LIT("\"-Infinity\""));
	} else if (yyjson_alc_pool_init(&alc, memory, sizeof(memory)) &&
		   (text = yyjson_mut_val_write_opts(&val, YYJSON_WRITE_NOFLAG, &alc, &n, NULL)) != NULL) {
		kh_buf_add(&rows->buf, kh_view_of(text, n));
	} else if (rows->buf.err == KH_OK) {
		rows->buf.err = KH_ENOMEM;
	}
}

void kh_sqlrows_text(struct kh_sqlrows *rows, struct kh_view bytes)
{
	separate(rows);
	put_text(&rows->buf, bytes);
}

void kh_sqlrows_blob(struct kh_sqlrows *rows, struct kh_view bytes)
{
	static const char digits[] = "0123456789abcdef";

	separate(rows);
	kh_buf_lit(&rows->buf, "\"\\\\x");
	for (size_t i = 0; i < bytes.n && rows->buf.err == KH_OK; i++) {
		unsigned char c = (unsigned char)bytes.p[i];

		kh_buf_byte(&rows->buf, digits[c >> 4]);
		kh_buf_byte(&rows->buf, digits[c & 15]);
	}
	kh_buf_byte(&rows->buf, '"');
}

static size_t digits_at(struct kh_view v, size_t at)
{
	size_t n = 0;

	while (at + n < v.n && kh_ascii_is_digit(v.p[at + n]))
		n++;
	return n;
}

/* True if V, a number with a fraction or an exponent, is in a double's range.  If not, no reader of JSON would take it. */
static bool is_in_range(struct kh_view v)
{
	char text[REAL_MAX + 1];

	if (v.n > REAL_MAX)
		return false;
	memcpy(text, v.p, v.n);
	text[v.n] = '\0';
	return yyjson_read_number(text, &(yyjson_val){0}, YYJSON_READ_NOFLAG, NULL, NULL) != NULL;
}

/* True if all of V is a number of RFC 8259 that a double holds as it is written: an integer within 2^53, or a number
 * with a fraction or an exponent. */
static bool is_number(struct kh_view v)
{
	size_t at = v.n > 0 && v.p[0] == '-', n = digits_at(v, at);
	int64_t whole;

	if (n == 0 || (n > 1 && v.p[at] == '0'))
		return false;
	at += n;
	if (at == v.n)
		return kh_view_int(v, &whole) && whole >= -EXACT && whole <= EXACT;
	if (v.p[at] == '.') {
		n = digits_at(v, at + 1);
		if (n == 0)
			return false;
		at += 1 + n;
	}
	if (at < v.n && (v.p[at] == 'e' || v.p[at] == 'E')) {
		at++;
		at += at < v.n && (v.p[at] == '+' || v.p[at] == '-');
		n = digits_at(v, at);
		if (n == 0)
			return false;
		at += n;
	}
	return at == v.n && is_in_range(v);
}

void kh_sqlrows_digits(struct kh_sqlrows *rows, struct kh_view number)
{
	if (!is_number(number)) {
		kh_sqlrows_text(rows, number);
		return;
	}
	separate(rows);
	kh_buf_add(&rows->buf, number);
}

bool kh_sqlrows_end(struct kh_sqlrows *rows)
{
	kh_buf_byte(&rows->buf, ']');
	if (rows->buf.err == KH_ELIMIT || (rows->buf.err == KH_OK && rows->buf.n > rows->buf.limit - TAIL)) {
		rows->buf.err = KH_OK;
		rows->buf.n = rows->start;
		rows->truncated = true;
		rows->no_room = rows->rows == 0;
		return false;
	}
	rows->rows++;
	return rows->buf.err == KH_OK;
}

enum kh_err kh_sqlrows_json(struct kh_sqlrows *rows, struct kh_view *ret_json, struct kh_error *err)
{
	end_columns(rows);
	if (rows->no_room || rows->buf.err == KH_ELIMIT)
		return kh_error_set(err, KH_ELIMIT, "result_too_large", "%s is larger than the %zu bytes of a result",
				    rows->in_rows && rows->start > 0 ? "the first row alone" : "the list of columns",
				    rows->buf.limit - TAIL);
	kh_buf_add(&rows->buf, rows->truncated ? KH_LIT("],\"truncated\":true}") : KH_LIT("],\"truncated\":false}"));
	return kh_buf_end(&rows->buf, ret_json);
}
