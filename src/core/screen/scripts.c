/* Judges answers and names by their scripts.  The input is hostile; the thresholds are ours. */
#include "core/screen/scripts.h"

#include "base/utf8.h"
#include "core/screen/lexicon.h"

#include <utf8proc.h>

#define WORDS_MAX 64 /* a longer text is not an answer */
#define UNSPACED  12 /* characters of a sentence without blanks */
#define PARTS     5  /* of a word in it */
#define LONG_PART 20 /* letters of a word that no name has */

/* Scripts that do not put blanks between words. */
static bool is_unspaced(uint32_t c)
{
	return (c >= 0x0e00 && c <= 0x0eff) || (c >= 0x1000 && c <= 0x109f) || (c >= 0x1780 && c <= 0x17ff) ||
	       (c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x9fff) || (c >= 0x20000 && c <= 0x3ffff);
}

static bool is_letter(uint32_t c)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);

	return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

/* Greek, Cyrillic, Armenian and Cherokee have letters that look like Latin ones. */
static bool is_lookalike(uint32_t c)
{
	return (c >= 0x370 && c <= 0x58f) || (c >= 0x13a0 && c <= 0x13ff) || (c >= 0xab70 && c <= 0xabbf);
}

/* The scripts that a text is in, counted by words. */
struct scripts {
	size_t words;    /* with letters of another script than Latin */
	size_t unspaced; /* characters of scripts without blanks */
	size_t mixed;    /* words of Latin letters and look-alikes */
	size_t known;    /* words of other scripts that are in the lexicon */
	size_t longest;  /* letters of such a word */
	bool asks;       /* one of them means an order or a secret */
	bool has_order;  /* the same inside of a word without blanks */
};

/* Whether a part of WORD, of up to PARTS characters, means an order or a secret. */
static bool has_order(struct kh_view word)
{
	for (size_t from = 0; from < word.n;) {
		uint32_t c;
		size_t first = kh_utf8_decode(word, from, &c), end = from;
		for (size_t n = 0, len; n < PARTS && (len = kh_utf8_decode(word, end, &c)) > 0; n++) {
			end += len;
			if ((kh_lexicon_find(kh_view_sub(word, from, end)) & (KH_WORD_COMMAND | KH_WORD_SECRET)) != 0)
				return true;
		}
		from += first > 0 ? first : 1;
	}
	return false;
}

static void read_word(struct scripts *s, struct kh_view word)
{
	bool other = false, latin = false, alike = false;
	size_t letters = 0, unspaced = s->unspaced;

	for (size_t at = 0; at < word.n;) {
		uint32_t c;
		size_t len = kh_utf8_decode(word, at, &c);
		if (len == 0)
			break;
		latin = latin || (c < 0x80 && kh_ascii_is_alpha((char)c));
		alike = alike || is_lookalike(c);
		other = other || (c >= 0x370 && is_letter(c));
		s->unspaced += is_unspaced(c);
		letters++;
		at += len;
	}
	s->words += other;
	s->longest = other && letters > s->longest ? letters : s->longest;
	s->mixed += latin && alike;
	s->has_order = s->has_order || (s->unspaced > unspaced && s->unspaced <= UNSPACED && has_order(word));
	unsigned kinds = other ? kh_lexicon_find(word) : 0;
	s->known += kinds != 0;
	s->asks = s->asks || (kinds & (KH_WORD_COMMAND | KH_WORD_SECRET)) != 0;
}

static struct scripts read_scripts(struct kh_view folded)
{
	struct scripts s = {0};
	struct kh_view word;

	while (s.words < WORDS_MAX && kh_lexicon_next(&folded, &word))
		read_word(&s, word);
	return s;
}

struct kh_speech kh_scripts_judge(struct kh_view folded)
{
	struct scripts s = read_scripts(folded);

	if (s.mixed > 0)
		return (struct kh_speech){"encoded", "mixed_scripts", KH_SEVERITY_MEDIUM};
	if (s.words >= 5 || s.unspaced >= UNSPACED || s.known >= 2 || (s.asks && s.words > 1) ||
	    (s.has_order && s.unspaced >= PARTS))
		return (struct kh_speech){"unreadable", "other_script", KH_SEVERITY_LOW};
	return (struct kh_speech){.code = NULL};
}

struct kh_speech kh_scripts_judge_name(struct kh_view folded)
{
	struct scripts s = read_scripts(folded);

	/* A name has three words, rarely more; in scripts without blanks it has six characters. */
	if (s.words >= 4 || s.unspaced > 6 || s.known > 0 || s.longest >= LONG_PART)
		return (struct kh_speech){"name", "not_a_name", KH_SEVERITY_LOW};
	return (struct kh_speech){.code = NULL};
}
