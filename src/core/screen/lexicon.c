/* Looks words up in a sorted table by binary search.  The words are hostile; the table is not. */
#include "core/screen/lexicon.h"

#define COUNT_MAX 256
#define WORD_MAX  48 /* no word in the table is longer */

struct word {
	const char *word;
	unsigned kinds;
};

#define COMMAND           KH_WORD_COMMAND
#define MAYBE             KH_WORD_MAYBE
#define OBJECT            KH_WORD_OBJECT
#define LINK              KH_WORD_LINK
#define YOU               KH_WORD_YOU
#define SELF              KH_WORD_SELF
#define ASK               KH_WORD_ASK
#define AUX               KH_WORD_AUX
#define META              KH_WORD_META
#define MODEL             KH_WORD_MODEL
#define SECRET            KH_WORD_SECRET
#define PLEA              KH_WORD_PLEA
#define ENGLISH           KH_WORD_ENGLISH
#define NAME              KH_WORD_NAME
#define FOREIGN           KH_WORD_FOREIGN
#define PARTICLE          KH_WORD_PARTICLE
#define WORD(word, kinds) {word, kinds},
static const struct word table[] = {
#include "core/screen/lexicon.def"
#include "core/screen/lexicon_scripts.def"
};

/* Writes WORD without apostrophes to BUF; returns its length, or 0 if it is too long to be known. */
static size_t plain(struct kh_view word, char *buf)
{
	size_t n = 0;

	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] == '\'')
			continue;
		if (n == WORD_MAX)
			return 0;
		buf[n++] = word.p[i];
	}
	return n;
}

unsigned kh_lexicon_find(struct kh_view word)
{
	char buf[WORD_MAX];
	struct kh_view v = {buf, plain(word, buf)};
	size_t low = 0, high = sizeof(table) / sizeof(table[0]);

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = kh_view_cmp(kh_view_str(table[mid].word), v);
		if (c == 0)
			return table[mid].kinds;
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return 0;
}

static bool is_letter(char c)
{
	return kh_ascii_is_alpha(c) || (unsigned char)c >= 0x80;
}

bool kh_lexicon_next(struct kh_view *rest, struct kh_view *ret_word)
{
	size_t start = 0, end;

	while (start < rest->n && !is_letter(rest->p[start]))
		start++;
	for (end = start; end < rest->n && (is_letter(rest->p[end]) || rest->p[end] == '\''); end++)
		;
	*ret_word = kh_view_sub(*rest, start, end);
	*rest = kh_view_from(*rest, end);
	return end > start;
}

size_t kh_lexicon_known(struct kh_view text, size_t *ret_words)
{
	struct kh_view word;
	size_t known = 0, words = 0;

	while (words < COUNT_MAX && kh_lexicon_next(&text, &word)) {
		words++;
		/* Words of one letter are in every language, so they show nothing. */
		known += word.n > 1 && kh_lexicon_find(word) != 0;
	}
	*ret_words = words;
	return known;
}

bool kh_lexicon_is_sorted(void)
{
	for (size_t i = 1; i < sizeof(table) / sizeof(table[0]); i++) {
		if (kh_view_cmp(kh_view_str(table[i - 1].word), kh_view_str(table[i].word)) >= 0)
			return false;
	}
	return true;
}
