/* Punycode.  The label is hostile: every sum is bounded, and anything that is not exactly a label is refused. */
#include "core/block/punycode.h"

#define BASE    36U
#define LOW     1U
#define HIGH    26U
#define SKEW    38U
#define DAMP    700U
#define BIAS    72U
#define INITIAL 128U
#define LAST    0x10ffffU

static uint32_t adapt(uint32_t delta, uint32_t count, bool first)
{
	uint32_t k = 0;

	delta = first ? delta / DAMP : delta / 2;
	delta += delta / count;
	for (; delta > (BASE - LOW) * HIGH / 2; k += BASE)
		delta /= BASE - LOW;
	return k + (BASE - LOW + 1) * delta / (delta + SKEW);
}

static uint32_t digit(char c)
{
	c = kh_ascii_lower(c);
	return c >= 'a' && c <= 'z' ? (uint32_t)(c - 'a') : kh_ascii_is_digit(c) ? (uint32_t)(c - '0') + 26 : BASE;
}

/* Reads one number of variable length from *AT on; false if there is none. */
static bool number(struct kh_view v, size_t *at, uint32_t bias, uint32_t *ret)
{
	uint64_t value = 0, weight = 1;

	for (uint32_t k = BASE;; k += BASE) {
		uint32_t d = *at < v.n ? digit(v.p[(*at)++]) : BASE;
		uint32_t t = k <= bias ? LOW : k >= bias + HIGH ? HIGH : k - bias;
		value += d * weight;
		if (d >= BASE || value > UINT32_MAX / 2)
			return false;
		if (d < t)
			break;
		weight *= BASE - t;
		if (weight > UINT32_MAX)
			return false;
	}
	*ret = (uint32_t)value;
	return true;
}

size_t kh_punycode_decode(struct kh_view label, uint32_t ret_chars[KH_PUNYCODE_MAX])
{
	size_t count = 0, at = 0, dash = label.n;
	uint32_t c = INITIAL, bias = BIAS, place = 0;

	while (dash > 0 && label.p[dash - 1] != '-')
		dash--;
	for (; dash > 0 && at + 1 < dash; at++) {
		if (count == KH_PUNYCODE_MAX || (unsigned char)label.p[at] >= 0x80)
			return 0;
		ret_chars[count++] = (unsigned char)label.p[at];
	}
	for (at = dash; at < label.n;) {
		uint32_t delta;
		if (count == KH_PUNYCODE_MAX || !number(label, &at, bias, &delta))
			return 0;
		uint32_t n = (uint32_t)count + 1;
		bias = adapt(delta, n, place == 0);
		delta += place;
		if (delta / n > LAST - c)
			return 0;
		c += delta / n;
		place = delta % n;
		memmove(ret_chars + place + 1, ret_chars + place, (count - place) * sizeof(*ret_chars));
		ret_chars[place++] = c;
		count++;
	}
	return count;
}
