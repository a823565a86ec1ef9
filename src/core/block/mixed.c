/* Puts together what was taken apart.  Texts are hostile; the work is linear in their size. */
#include "core/block/mixed.h"

#include "core/screen/fold.h"

static bool is_part(char c, bool blanks)
{
	return blanks ? !kh_ascii_is_blank(c) : kh_fold_plain[(unsigned char)c] != 0;
}

void kh_mixed_turned(struct kh_buf *out, struct kh_view text, bool blanks)
{
	for (size_t at = 0; at < text.n; at++) {
		size_t from = at;
		while (at < text.n && is_part(text.p[at], blanks))
			at++;
		for (size_t i = at; i > from; i--)
			kh_buf_byte(out, text.p[i - 1]);
		kh_buf_byte(out, ' ');
	}
}

void kh_mixed_values(struct kh_buf *out, struct kh_view text)
{
	struct kh_view pair;

	while (kh_view_split(&text, '&', &pair)) {
		const char *sign = memchr(pair.p, '=', pair.n);
		if (sign != NULL)
			kh_buf_add(out, kh_view_from(pair, (size_t)(sign - pair.p) + 1));
	}
}

void kh_mixed_letters(struct kh_buf *out, const struct kh_view *texts, size_t n)
{
	bool more = true;

	for (size_t i = 0; more; i++) {
		more = false;
		for (size_t k = 0; k < n; k++) {
			if (i >= texts[k].n)
				continue;
			kh_buf_byte(out, texts[k].p[i]);
			more = true;
		}
	}
}

/* Takes the next word of *REST; false if there is none. */
static bool next_word(struct kh_view *rest, struct kh_view *ret_word)
{
	while (kh_view_split(rest, ' ', ret_word)) {
		if (ret_word->n > 0)
			return true;
	}
	return false;
}

void kh_mixed_words(struct kh_buf *out, const struct kh_view *texts, size_t n)
{
	struct kh_view rest[KH_MIXED_TEXTS], word;
	bool more = true;

	for (size_t k = 0; k < n && k < KH_MIXED_TEXTS; k++)
		rest[k] = texts[k];
	while (more) {
		more = false;
		for (size_t k = 0; k < n && k < KH_MIXED_TEXTS; k++) {
			if (!next_word(&rest[k], &word))
				continue;
			kh_buf_add(out, word);
			kh_buf_byte(out, ' ');
			more = true;
		}
	}
}
