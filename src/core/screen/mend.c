/*
 * Mends spelling.  The text is hostile.  Every search is a walk in the lexicon, whose branches are the letters that
 * words really go on with, so a word costs a few microseconds at most; words, bytes and letters of a word are bounded.
 */
#include "core/screen/mend.h"

#include "base/utf8.h"
#include "core/screen/lexicon.h"

#include <limits.h>

#define WORDS_MAX   64 /* of which one shows the language */
#define WORD_MAX    48 /* letters of a word that is looked at; an answer's words have at most 40 */
#define WRONG_MIN   4  /* letters of a word that may have any one letter wrong; a shorter one may only lack one */
#define LONG_WORD   5  /* letters of a word that hardly becomes a name by accident */
#define ENDLESS     24 /* letters of a word that must be several */
#define GLUED_MIN   5  /* letters of a word that may be several */
#define DERIVED_MIN 4  /* letters of a word that another is made of */

struct mender {
	struct kh_view text;
	struct kh_mended *ret;
	char *out;
	size_t n;
	size_t strange; /* words that stay although nobody knows them */
	bool foreign;   /* words of other languages count */
	bool freely;    /* words that are near those of the lexicon are mended, too */
};

/* ---- one letter wrong ---- */

/* The best word that was found, and how much it matters. */
struct best {
	struct kh_view word;
	unsigned rank;
	bool foreign; /* words of other languages count */
	bool any;     /* any letter may be wrong; if false, only one may be missing, or two in the wrong order */
};

/* How much a word of these KINDS matters.  Words that are only names are not what anyone hides. */
static unsigned rank_of(unsigned kinds, bool foreign)
{
	const unsigned orders = KH_WORD_COMMAND | KH_WORD_PLEA;
	const unsigned topics = KH_WORD_META | KH_WORD_SECRET | KH_WORD_MODEL;
	const unsigned frame = KH_WORD_YOU | KH_WORD_ASK | KH_WORD_AUX | KH_WORD_OBJECT | KH_WORD_LINK | KH_WORD_SELF;

	if ((kinds & KH_WORD_FOREIGN) != 0)
		return !foreign ? 0 : (kinds & orders) != 0 ? 2 : 1;
	if ((kinds & orders) != 0)
		return (kinds & KH_WORD_PLEA) != 0 ? 7 : 6;
	if ((kinds & topics) != 0)
		return 5;
	return (kinds & frame) != 0 ? 4 : (kinds & ~(unsigned)KH_WORD_NAME) != 0 ? 3 : 0;
}

/* Offers the word that goes on from NODE with REST. */
static void offer(struct best *best, uint32_t node, struct kh_view rest)
{
	struct kh_view word;

	for (size_t i = 0; i < rest.n; i++) {
		if (!kh_lexicon_step(&node, rest.p[i]))
			return;
	}
	unsigned rank = rank_of(kh_lexicon_word(node, &word), best->foreign);
	if (rank > best->rank)
		best->word = word, best->rank = rank;
}

/* True if the last letter of WORD may be an ending: "ignored" is not "ignore" with a letter too many. */
static bool is_ending(struct kh_view word)
{
	return strchr("sdrny", word.p[word.n - 1]) != NULL;
}

/* Tries all words that have the first I letters of WORD, which lead to NODE, and the wrong letter then. */
static void offer_at(struct best *best, uint32_t node, struct kh_view word, size_t i)
{
	if (best->any && i < word.n && (i + 1 < word.n || !is_ending(word)))
		offer(best, node, kh_view_from(word, i + 1));
	if (i + 1 < word.n && word.p[i] != word.p[i + 1]) {
		uint32_t swapped = node;
		if (kh_lexicon_step(&swapped, word.p[i + 1]) && kh_lexicon_step(&swapped, word.p[i]))
			offer(best, swapped, kh_view_from(word, i + 2));
	}
	for (uint32_t letters = kh_lexicon_letters(node); letters != 0; letters &= letters - 1) {
		uint32_t next = node;
		(void)kh_lexicon_step(&next, (char)('a' + __builtin_ctz(letters)));
		offer(best, next, kh_view_from(word, i));
		if (best->any && i < word.n)
			offer(best, next, kh_view_from(word, i + 1));
	}
}

/* The word of the lexicon that WORD is with one letter wrong; its length is 0 if there is none. */
static struct kh_view one_wrong(const struct mender *m, struct kh_view word)
{
	struct best best = {.foreign = m->foreign, .any = word.n >= WRONG_MIN || (m->freely && word.n > 2)};
	uint32_t node = 0;

	if (!kh_lexicon_may_be_near(word))
		return best.word;
	for (size_t i = 0; i <= word.n; i++) {
		offer_at(&best, node, word, i);
		if (i == word.n || !kh_lexicon_step(&node, word.p[i]))
			break;
	}
	return best.word;
}

/* ---- letters doubled ---- */

/* Offers the words that WORD is, from its letter I on, if any letters that stand twice or more are meant once. */
static void offer_squeezed(struct best *best, uint32_t node, struct kh_view word, size_t i)
{
	size_t run = 1;

	if (i == word.n) {
		offer(best, node, KH_LIT(""));
		return;
	}
	while (i + run < word.n && word.p[i + run] == word.p[i])
		run++;
	for (size_t k = 0; k < run && kh_lexicon_step(&node, word.p[i]); k++)
		offer_squeezed(best, node, word, i + run);
}

/* Halves every run of the same letter into OUT, if all of them can be halved. */
static size_t halve(struct kh_view word, char out[WORD_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < word.n; i += 2) {
		if (i + 1 == word.n || word.p[i] != word.p[i + 1])
			return 0;
		out[n++] = word.p[i];
	}
	return n;
}

/* ---- words without blanks ---- */

/* The best way to part the first letters of a word: its cost, and the length of its last part. */
struct part {
	unsigned cost;
	unsigned char last;
	bool known; /* the last part is a word */
	bool plea;  /* it is what a request begins with */
};

#define COST_WORD    4
#define COST_LITTLE  5 /* of a word of one or two letters, which are in every text by accident */
#define COST_STRANGE 8 /* of a part that is no word, and three more for each letter */
#define STRANGE_MIN  3 /* letters of such a part: of a word that is not in the lexicon */
#define STRANGE_MAX  14
#define LENGTH       30 /* tenths of letters that a part must have on average; parts of a single word are shorter */

static bool may_be_glued(unsigned kinds, size_t n, bool foreign)
{
	if (n == 1)
		return (kinds & (KH_WORD_OBJECT | KH_WORD_SELF)) != 0;
	return (foreign || (kinds & KH_WORD_FOREIGN) == 0) && (kinds & ~(unsigned)KH_WORD_NAME) != 0;
}

static void better(struct part *at, unsigned cost, size_t last, unsigned kinds)
{
	if (cost < at->cost)
		*at = (struct part){cost, (unsigned char)last, kinds != 0, (kinds & KH_WORD_PLEA) != 0};
}

/* The parts that can come after the first I letters of WORD. */
static void part_at(struct kh_view word, bool foreign, struct part parts[WORD_MAX + 1], size_t i)
{
	unsigned cost = parts[i].cost;
	uint32_t node = 0;

	for (size_t end = i; end < word.n && kh_lexicon_step(&node, word.p[end]); end++) {
		struct kh_view found;
		unsigned kinds = kh_lexicon_word(node, &found);
		if (kinds != 0 && may_be_glued(kinds, found.n, foreign))
			better(&parts[end + 1], cost + (found.n > 2 ? COST_WORD : COST_LITTLE), found.n, kinds);
	}
	/* After a part that is no word comes a word. */
	for (size_t n = STRANGE_MIN; n <= STRANGE_MAX && i + n <= word.n && (i == 0 || parts[i].known); n++)
		better(&parts[i + n], cost + COST_STRANGE + 3 * (unsigned)n, n, 0);
}

/* Finds the cheapest way to part WORD.  PARTS has an entry for each number of letters. */
static void part_word(struct kh_view word, bool foreign, struct part parts[WORD_MAX + 1])
{
	parts[0] = (struct part){.cost = 0};
	for (size_t i = 1; i <= word.n; i++)
		parts[i] = (struct part){.cost = UINT_MAX};
	for (size_t i = 0; i < word.n; i++) {
		if (parts[i].cost < UINT_MAX)
			part_at(word, foreign, parts, i);
	}
}

/* True if WORD is one word, made of another: "collection", "attachments".  What it is made with is no word by itself, so
 * it is not what is left of a text without blanks. */
static bool is_derived(struct kh_view word)
{
	static const char *const endings[] = {"ion",   "ions", "ation", "ations", "ment",   "ments", "ive",
					      "ively", "or",   "ors",   "ance",   "ances",  "able",  "ably",
					      "ness",  "ure",  "ures",  "lation", "lations"};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		struct kh_view ending = kh_view_str(endings[i]);
		if (word.n >= ending.n + DERIVED_MIN && kh_view_ends(word, ending) &&
		    kh_lexicon_find(kh_view_sub(word, 0, word.n - ending.n)) != 0)
			return true;
	}
	return false;
}

/* ---- the text ---- */

static void put(struct mender *m, char c, size_t from)
{
	m->ret->origin[m->n] = (uint32_t)from;
	m->out[m->n++] = c;
}

/* Writes the word MEANT for the LEN bytes at FROM. */
static void put_word(struct mender *m, struct kh_view meant, size_t from, size_t len)
{
	for (size_t i = 0; i < meant.n; i++)
		put(m, meant.p[i], from + (i < len ? i : len - 1));
}

/* The borders between the parts of WORD.  False if it does not read like several words. */
static bool find_borders(struct kh_view word, bool foreign, bool border[WORD_MAX + 1], size_t *ret_known)
{
	struct part parts[WORD_MAX + 1];
	size_t known = 0, all = 0, letters = 0;
	bool plea = false;

	part_word(word, foreign, parts);
	if (parts[word.n].cost == UINT_MAX)
		return false;
	for (size_t at = word.n; at > 0; at -= parts[at].last) {
		border[at] = true;
		all++;
		known += parts[at].known;
		plea = plea || parts[at].plea;
		letters += parts[at].known ? parts[at].last : 0;
	}
	*ret_known = known;
	if (all == 2 && (known == 2 || (plea && word.n - letters > STRANGE_MIN)))
		return true;
	return known >= 2 && letters * 2 >= word.n && word.n * 10 >= all * LENGTH;
}

/* Writes the parts of WORD with blanks between them.  False if it is one word. */
static bool put_parts(struct mender *m, struct kh_view word, size_t from, size_t len)
{
	bool border[WORD_MAX + 1] = {false};
	size_t known;

	if (!find_borders(word, m->foreign, border, &known))
		return false;
	for (size_t i = 0; i < word.n; i++) {
		size_t origin = from + (i < len ? i : len - 1);
		if (border[i] && i > 0)
			put(m, ' ', origin);
		put(m, word.p[i], origin);
	}
	m->ret->glued += known;
	m->ret->most_glued = known > m->ret->most_glued ? known : m->ret->most_glued;
	return true;
}

/* Writes PLAIN, a word of letters only that is not known, as it may be meant; it is LEN bytes at FROM.  False: as is. */
static bool put_mended(struct mender *m, struct kh_view plain, size_t from, size_t len)
{
	char half[WORD_MAX];
	struct kh_view halved = {half, plain.n >= 4 ? halve(plain, half) : 0};
	struct best best = {.foreign = m->foreign};

	if (halved.n > 0) {
		m->ret->doubled++;
		if (kh_lexicon_is_spelled(halved) || !put_mended(m, halved, from, len))
			put_word(m, halved, from, len);
		return true;
	}
	if (plain.n >= WRONG_MIN)
		offer_squeezed(&best, 0, plain, 0);
	m->ret->doubled += best.rank > 0;
	if (best.rank == 0 && plain.n >= (m->freely ? 2 : 3)) {
		best.word = one_wrong(m, plain);
		m->ret->wrong += best.word.n > 0;
		m->ret->long_wrong += best.word.n >= LONG_WORD;
	}
	if (best.word.n > 0) {
		put_word(m, best.word, from, len);
		return true;
	}
	if (plain.n < GLUED_MIN || kh_lexicon_is_spelled(plain) || is_derived(plain))
		return false;
	return put_parts(m, plain, from, len);
}

/* True if WORD stays as it is. */
static bool stays(const struct mender *m, struct kh_view word)
{
	unsigned kinds;

	if (!m->freely)
		return kh_lexicon_is_spelled(word);
	kinds = kh_lexicon_find(word);
	return (kinds & ~(unsigned)(KH_WORD_NAME | KH_WORD_FOREIGN | KH_WORD_PARTICLE)) != 0;
}

/* Reads the word at [from, to) of the text: letters and apostrophes. */
static void mend_word(struct mender *m, size_t from, size_t to)
{
	struct kh_view word = kh_view_sub(m->text, from, to);
	char letters[WORD_MAX];
	size_t n = 0;

	m->ret->words++;
	for (size_t i = 0; i < word.n && n < WORD_MAX; i++) {
		if (word.p[i] != '\'')
			letters[n++] = word.p[i];
	}
	if (word.n <= WORD_MAX && n > 0 && !stays(m, word) && put_mended(m, kh_view_of(letters, n), from, word.n))
		m->ret->changed = true;
	else {
		m->strange += word.n >= WRONG_MIN && !kh_lexicon_is_spelled(word);
		put_word(m, word, from, word.n);
	}
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || c == '\'';
}

/* True for what a word has that is not an ASCII letter: it is left as it is. */
static bool is_other(char c)
{
	return (unsigned char)c >= 0x80 || kh_ascii_is_digit(c);
}

/*
 * True if a word of TEXT is one of another language, so that others may be, too.  A NAME of three words or more has to
 * be none in any language; with two, too many real names are near some word.
 */
static bool is_foreign(struct kh_view text, bool name)
{
	struct kh_view word;
	size_t n = 0;

	for (; n < WORDS_MAX && kh_lexicon_next(&text, &word); n++) {
		if ((kh_lexicon_find(word) & (KH_WORD_FOREIGN | KH_WORD_NAME | KH_WORD_PARTICLE)) == KH_WORD_FOREIGN)
			return true;
	}
	return name && n >= 3;
}

static bool is_endless(struct kh_view word)
{
	if (word.n < ENDLESS || kh_utf8_length(word) < ENDLESS)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		if (kh_ascii_is_digit(word.p[i]))
			return false;
	}
	return true;
}

static void mend(struct mender *m)
{
	for (size_t at = 0; at < m->text.n;) {
		size_t end = at;
		bool other = false;
		for (; end < m->text.n && (is_letter(m->text.p[end]) || is_other(m->text.p[end])); end++)
			other = other || is_other(m->text.p[end]);
		struct kh_view word = kh_view_sub(m->text, at, end);
		m->ret->endless = m->ret->endless || is_endless(word);
		if (end > at && !other)
			mend_word(m, at, end);
		else
			put_word(m, kh_view_sub(m->text, at, end > at ? end : at + 1), at, end > at ? end - at : 1);
		at = end > at ? end : at + 1;
	}
}

/* True if so many words are wrong that others will be, too, which happen to be words: "sand al yuor flies". */
static bool is_misspelled(const struct mender *m)
{
	size_t wrong = m->ret->wrong, odd = wrong + m->strange;

	return (wrong >= 2 && wrong * 3 >= m->ret->words) || (wrong >= 1 && odd >= 3 && odd * 2 >= m->ret->words);
}

enum kh_err kh_mend_text(struct kh_arena *arena, struct kh_view skeleton, bool name, struct kh_mended *ret)
{
	struct kh_view text = kh_view_sub(skeleton, 0, KH_MEND_MAX);
	size_t room = 2 * text.n + 2; /* a blank after each letter, or a letter more in each word */
	struct kh_mended mended = {.origin = KH_NEW_N(arena, uint32_t, room)};
	struct mender m = {.text = text, .ret = &mended, .out = kh_arena_alloc(arena, room)};

	if (mended.origin == NULL || m.out == NULL)
		return KH_ENOMEM;
	m.foreign = is_foreign(text, name);
	mend(&m);
	if (is_misspelled(&m)) {
		mended = (struct kh_mended){.origin = mended.origin};
		m.n = 0;
		m.freely = true;
		mend(&m);
	}
	mended.origin[m.n] = (uint32_t)text.n;
	mended.text = kh_view_of(m.out, m.n);
	*ret = mended;
	return KH_OK;
}
