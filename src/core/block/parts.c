/* Takes parts of hostile lines. */
#include "core/block/parts.h"

#include "core/screen/fold.h"

static bool is_word(char c)
{
	return kh_fold_plain[(unsigned char)c] != 0;
}

struct kh_view kh_parts_field(struct kh_view v, size_t n)
{
	for (size_t at = 0; at < v.n; at++) {
		size_t from = at;
		while (at < v.n && is_word(v.p[at]))
			at++;
		if (at > from && n-- == 0)
			return kh_view_sub(v, from, at);
	}
	return KH_LIT("");
}

struct kh_view kh_parts_field_from_end(struct kh_view v, size_t n)
{
	for (size_t at = v.n; at > 0; at -= at > 0) {
		size_t end = at;
		while (at > 0 && is_word(v.p[at - 1]))
			at--;
		if (at < end && n-- == 0)
			return kh_view_sub(v, at, end);
	}
	return KH_LIT("");
}

void kh_parts_backwards(struct kh_buf *out, struct kh_view v)
{
	for (size_t i = v.n; i > 0; i--)
		kh_buf_byte(out, v.p[i - 1]);
}

void kh_parts_swapped(struct kh_buf *out, struct kh_view v)
{
	for (size_t end = v.n; end > 0;) {
		size_t from = end;
		while (from > 0 && v.p[from - 1] != '\t')
			from--;
		kh_buf_add(out, kh_view_sub(v, from, end));
		kh_buf_byte(out, ' ');
		end = from > 0 ? from - 1 : 0;
	}
}

void kh_parts_letters(struct kh_buf *out, struct kh_view v)
{
	for (size_t i = 0; i < v.n; i++) {
		if (!kh_ascii_is_digit(v.p[i]))
			kh_buf_byte(out, v.p[i]);
	}
}
