/* Views: searching, trimming, splitting.  Pure.  Trusts the lengths of its arguments, but not their bytes. */
#include "base/view.h"

#include <stdint.h>

size_t kh_view_find(struct kh_view v, struct kh_view needle, size_t start)
{
	if (needle.n == 0)
		return start <= v.n ? start : SIZE_MAX;
	for (size_t at = start; at < v.n && needle.n <= v.n - at; at++) {
		const char *hit = memchr(v.p + at, needle.p[0], v.n - at - needle.n + 1);
		if (hit == NULL)
			return SIZE_MAX;
		at = (size_t)(hit - v.p);
		if (memcmp(hit, needle.p, needle.n) == 0)
			return at;
	}
	return SIZE_MAX;
}

struct kh_view kh_view_trim(struct kh_view v)
{
	while (v.n > 0 && kh_ascii_is_blank(v.p[0])) {
		v.p++;
		v.n--;
	}
	while (v.n > 0 && kh_ascii_is_blank(v.p[v.n - 1]))
		v.n--;
	return v;
}

bool kh_view_split(struct kh_view *rest, char sep, struct kh_view *ret_piece)
{
	if (rest->p == NULL)
		return false;
	const char *hit = memchr(rest->p, sep, rest->n);
	size_t n = hit ? (size_t)(hit - rest->p) : rest->n;

	*ret_piece = kh_view_of(rest->p, n);
	*rest = hit ? kh_view_of(hit + 1, rest->n - n - 1) : kh_view_of(NULL, 0);
	return true;
}

bool kh_view_eq_nocase(struct kh_view a, struct kh_view b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		if (kh_ascii_lower(a.p[i]) != kh_ascii_lower(b.p[i]))
			return false;
	}
	return true;
}

bool kh_view_int(struct kh_view v, int64_t *ret_value)
{
	bool negative = v.n > 0 && v.p[0] == '-';
	struct kh_view digits = kh_view_from(v, negative ? 1 : 0);
	int64_t value = 0;

	if (digits.n == 0 || digits.n > 19 || (digits.n > 1 && digits.p[0] == '0') || (negative && digits.p[0] == '0'))
		return false;
	for (size_t i = 0; i < digits.n; i++) {
		if (!kh_ascii_is_digit(digits.p[i]))
			return false;
		int digit = digits.p[i] - '0';
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, negative ? -digit : digit, &value))
			return false;
	}
	*ret_value = value;
	return true;
}

bool kh_view_is_word(struct kh_view v, const char *more)
{
	for (size_t i = 0; i < v.n; i++) {
		char c = v.p[i];
		if (!kh_ascii_is_alpha(c) && !kh_ascii_is_digit(c) && (c == '\0' || strchr(more, c) == NULL))
			return false;
	}
	return true;
}

bool kh_view_is_label(struct kh_view v)
{
	return v.n > 0 && v.n <= 63 && v.p[0] != '-' && v.p[v.n - 1] != '-' && kh_view_is_word(v, "-");
}

bool kh_view_is_id(struct kh_view v, size_t most)
{
	return v.n > 0 && v.n <= most && kh_view_is_word(kh_view_sub(v, 0, 1), "_") && kh_view_is_word(v, "_.:-");
}
