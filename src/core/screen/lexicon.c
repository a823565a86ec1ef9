/* Looks words up in a tree, or by binary search if they are not in ASCII.  The words are hostile; the table is not. */
#include "core/screen/lexicon.h"

#include "core/screen/lexicon_hash.h"

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

#define COUNT (sizeof(table) / sizeof(table[0]))

/* The words in ASCII as a tree, made by the build (prebuild-lexicon): node 0 is the beginning. */
struct node {
	uint32_t letters; /* a bit for each letter that words go on with; OWN */
	uint16_t base;    /* the place of the node for 'a', if there is one; the other letters follow */
	uint16_t parent;  /* whose node this is */
	uint16_t word;    /* the word that ends here, and 1 */
};
static const struct node tree[] = {
#include "lexicon.inc"
};

static const uint64_t hashed[KH_LEXICON_HASH_WORDS] = {
#include "lexicon_hash.inc"
};

#define OWN (UINT32_C(1) << 31) /* what ends here is a word of its own that is near one of the table */

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

bool kh_lexicon_step(uint32_t *node, char c)
{
	unsigned letter = (unsigned)(unsigned char)c - 'a';
	uint32_t next = tree[*node].base + letter;

	if (letter >= 26 || tree[next].parent != *node)
		return false;
	*node = next;
	return true;
}

uint32_t kh_lexicon_letters(uint32_t node)
{
	return tree[node].letters & ~OWN;
}

unsigned kh_lexicon_word(uint32_t node, struct kh_view *ret_word)
{
	size_t word = tree[node].word;

	if (word == 0)
		return 0;
	*ret_word = kh_view_str(table[word - 1].word);
	return table[word - 1].kinds;
}

/* The node at the end of WORD, which is in ASCII; 0 if there is none. */
static uint32_t walk(struct kh_view word)
{
	uint32_t node = 0;

	for (size_t i = 0; i < word.n; i++) {
		if (!kh_lexicon_step(&node, word.p[i]))
			return 0;
	}
	return node;
}

/* The same for words in other scripts, which come last in the table. */
static unsigned find_other(struct kh_view word)
{
	size_t low = 0, high = COUNT;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = kh_view_cmp(kh_view_str(table[mid].word), word);
		if (c == 0)
			return table[mid].kinds;
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return 0;
}

unsigned kh_lexicon_find(struct kh_view word)
{
	char buf[WORD_MAX];
	struct kh_view v = {buf, plain(word, buf)}, found;

	if (v.n > 0 && (unsigned char)v.p[0] >= 0x80)
		return find_other(v);
	return kh_lexicon_word(walk(v), &found);
}

bool kh_lexicon_is_spelled(struct kh_view word)
{
	char buf[WORD_MAX];
	const struct node *end = &tree[walk((struct kh_view){buf, plain(word, buf)})];

	return end->word != 0 || (end->letters & OWN) != 0;
}

bool kh_lexicon_may_be_near(struct kh_view word)
{
	struct kh_lexicon_hash hashes[KH_LEXICON_HASH_MOST + 1];
	bool near = false;

	if (word.n > KH_LEXICON_HASH_MOST)
		return false;
	kh_lexicon_hash_all(word.p, word.n, hashes);
	for (size_t i = 0; i <= word.n; i++)
		near = near || (hashed[hashes[i].at] & hashes[i].bits) == hashes[i].bits;
	return near;
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

/* True if a digit stands beside WORD, which was taken from ALL with REST left: it is part of a number or code. */
static bool is_beside_digit(struct kh_view all, struct kh_view word, struct kh_view rest)
{
	return (word.p > all.p && kh_ascii_is_digit(word.p[-1])) || (rest.n > 0 && kh_ascii_is_digit(rest.p[0]));
}

size_t kh_lexicon_known(struct kh_view text, size_t *ret_words)
{
	struct kh_view all = text, word;
	size_t known = 0, words = 0;

	while (words < COUNT_MAX && kh_lexicon_next(&text, &word)) {
		words++;
		/* Words of one letter are in every language, so they show nothing. */
		known += word.n > 1 && !is_beside_digit(all, word, text) && kh_lexicon_find(word) != 0;
	}
	*ret_words = words;
	return known;
}

bool kh_lexicon_is_sorted(void)
{
	struct kh_view word;

	for (size_t i = 0; i < COUNT; i++) {
		if (i > 0 && kh_view_cmp(kh_view_str(table[i - 1].word), kh_view_str(table[i].word)) >= 0)
			return false;
		if ((table[i].word[0] & 0x80) == 0 && kh_lexicon_word(walk(kh_view_str(table[i].word)), &word) == 0)
			return false;
	}
	return true;
}
