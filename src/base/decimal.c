/* Exact decimals.  Products of 64 bits are taken in 128; nothing here rounds. */
#include "base/decimal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAIN 21 /* digits of a number that is written without an exponent */

int kh_decimal_shortest(double value, char digits[KH_DECIMAL_DIGITS], int *ret_exponent)
{
	char room[512];
	yyjson_alc alc;
	yyjson_val val = {.tag = YYJSON_TYPE_NUM | YYJSON_SUBTYPE_REAL, .uni.f64 = value};
	int n = 0, point = -1, exponent = 0, zeros = 0;
	size_t length = 0, i = 0;

	/* yyjson knows the shortest digits, but tells them only as text. */
	bool is_ready = yyjson_alc_pool_init(&alc, room, sizeof(room));
	const char *text = is_ready ? yyjson_val_write_opts(&val, YYJSON_WRITE_NOFLAG, &alc, &length, NULL) : NULL;
	assert(text != NULL);
	for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
		if (text[i] == '.')
			point = n;
		else if (n < KH_DECIMAL_DIGITS - 1)
			digits[n++] = text[i];
	}
	if (point < 0)
		point = n;
	if (i < length)
		exponent = (int)strtol(text + i + 1, NULL, 10);
	while (zeros < n - 1 && digits[zeros] == '0')
		zeros++;
	while (n > zeros + 1 && digits[n - 1] == '0')
		n--;
	memmove(digits, digits + zeros, (size_t)(n - zeros));
	*ret_exponent = point - zeros + exponent;
	return n - zeros;
}

static struct kh_decimal stripped(uint64_t digits, int32_t exponent, bool negative)
{
	if (digits == 0)
		return (struct kh_decimal){0, 0, false};
	for (; digits % 10 == 0; exponent++)
		digits /= 10;
	return (struct kh_decimal){digits, exponent, negative};
}

static struct kh_decimal of_real(double value)
{
	char text[KH_DECIMAL_DIGITS];
	uint64_t digits = 0;
	int exponent, n;

	if (value == 0)
		return (struct kh_decimal){0, 0, false};
	n = kh_decimal_shortest(fabs(value), text, &exponent);
	for (int i = 0; i < n; i++)
		digits = digits * 10 + (uint64_t)(text[i] - '0');
	return stripped(digits, exponent - n, value < 0);
}

struct kh_decimal kh_decimal_of(const yyjson_val *val)
{
	yyjson_val *v = (yyjson_val *)(uintptr_t)val; /* yyjson's accessors do not write */

	if (yyjson_is_real(v))
		return of_real(yyjson_get_real(v));
	if (yyjson_is_sint(v) && yyjson_get_sint(v) < 0)
		return stripped(-(uint64_t)yyjson_get_sint(v), 0, true);
	return stripped(yyjson_get_uint(v), 0, false);
}

static int count_digits(uint64_t digits)
{
	int n = 0;

	for (; digits > 0; digits /= 10)
		n++;
	return n;
}

/* Compares without the signs.  Neither is zero. */
static int cmp_size(struct kh_decimal a, struct kh_decimal b)
{
	int n = count_digits(a.digits), m = count_digits(b.digits);
	int order = n + a.exponent - (m + b.exponent);
	unsigned __int128 x = a.digits, y = b.digits;

	if (order != 0)
		return order;
	for (; n < m; n++)
		x *= 10;
	for (; m < n; m++)
		y *= 10;
	return (x > y) - (x < y);
}

int kh_decimal_cmp(struct kh_decimal a, struct kh_decimal b)
{
	if (a.digits == 0 || b.digits == 0 || a.negative != b.negative) {
		int x = a.digits == 0 ? 0 : a.negative ? -1 : 1;
		int y = b.digits == 0 ? 0 : b.negative ? -1 : 1;
		return x - y;
	}
	return a.negative ? cmp_size(b, a) : cmp_size(a, b);
}

bool kh_decimal_is_multiple(struct kh_decimal a, struct kh_decimal of)
{
	int32_t exponent = a.exponent - of.exponent;

	if (a.digits == 0)
		return true;
	/* A has no zero at its end, so it is not ten times anything. */
	if (exponent < 0)
		return false;
	unsigned __int128 rest = a.digits % of.digits;
	for (int32_t i = 0; i < exponent && rest != 0; i++)
		rest = rest * 10 % of.digits;
	return rest == 0;
}

bool kh_decimal_int(struct kh_decimal d, int64_t *ret_value)
{
	uint64_t most = (uint64_t)INT64_MAX + (d.negative ? 1 : 0), value = d.digits;

	if (d.exponent < 0 || d.exponent > PLAIN || value > most)
		return false;
	for (int32_t i = 0; i < d.exponent; i++) {
		if (value > most / 10)
			return false;
		value *= 10;
	}
	*ret_value = d.negative ? (int64_t)-value : (int64_t)value;
	return true;
}

void kh_decimal_text(struct kh_decimal d, char text[KH_DECIMAL_TEXT])
{
	const char *sign = d.negative ? "-" : "";
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, d.digits), point = n + d.exponent;

	if (d.exponent >= 0 && point <= PLAIN)
		snprintf(text, KH_DECIMAL_TEXT, "%s%s%.*s", sign, digits, (int)d.exponent, "000000000000000000000");
	else if (d.exponent < 0 && point > 0)
		snprintf(text, KH_DECIMAL_TEXT, "%s%.*s.%s", sign, point, digits, digits + point);
	else if (d.exponent < 0 && point > -6)
		snprintf(text, KH_DECIMAL_TEXT, "%s0.%.*s%s", sign, -point, "000000", digits);
	else
		snprintf(text, KH_DECIMAL_TEXT, "%s%.1s%s%se%d", sign, digits, n > 1 ? "." : "", digits + 1, point - 1);
}
