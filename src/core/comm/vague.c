/*
 * Counts meaningful words.  It uses a small list and no statistics, so that a person can see the reason for a result.
 */
#include "core/comm/vague.h"

#include "base/utf8.h"
#include "core/screen/normalise.h"

#define TELLING_MAX 16 /* different words that are counted; more than enough, because two suffice */
#define LONG_RUN \
	6 /* characters of a non-ASCII word that count as two words: some scripts put no blanks between words \
	   */

/* Words that could be in any reason. */
/* clang-format off */
static const char *const fillers[] = {
	"a", "about", "access", "again", "all", "also", "am", "an", "and", "another", "any", "anything", "are",
	"as", "ask", "asked", "asks", "at", "be", "because", "being", "better", "but", "by", "can", "could",
	"data", "do", "does", "etc", "everything", "external", "fetch", "find", "for", "from", "fulfil",
	"fulfill", "further", "general", "get", "give", "good", "has", "have", "help", "helpful", "helps",
	"her", "here", "him", "his", "how", "i", "if", "in", "info", "information", "input", "is", "it", "its",
	"just", "know", "knowledge", "like", "look", "make", "many", "may", "me", "might", "misc", "missing",
	"more", "must", "my", "necessary", "need", "needed", "needs", "no", "none", "not", "now", "of", "ok",
	"on", "one", "or", "other", "our", "please", "purpose", "purposes", "query", "question", "reason",
	"reasons", "relevant", "request", "requested", "requests", "require", "required", "requires", "said",
	"search", "see", "should", "so", "some", "someone", "something", "stuff", "such", "task", "test",
	"testing", "that", "the", "their", "them", "then", "there", "these", "they", "thing", "things", "this",
	"those", "to", "too", "unknown", "us", "use", "used", "useful", "user", "users", "uses", "using",
	"various", "very", "want", "wanted", "wants", "was", "we", "were", "what", "when", "where", "which",
	"whatever", "who", "why", "will", "with", "would", "yes", "you", "your",
};
/* clang-format on */

static bool is_filler(struct kh_view word)
{
	size_t same = 1;

	for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++) {
		if (kh_view_eq(word, kh_view_str(fillers[i])))
			return true;
	}
	/* "xxxxxxxx" and a single letter say nothing either; a single digit may. */
	while (same < word.n && word.p[same] == word.p[0])
		same++;
	return same == word.n && kh_ascii_is_alpha(word.p[0]);
}

/* ASCII punctuation and all white space separate words; all other characters are part of them. */
static bool parts(uint32_t c)
{
	return kh_utf8_is_space(c) || (c < 0x80 && !kh_ascii_is_alpha((char)c) && !kh_ascii_is_digit((char)c));
}

struct words {
	struct kh_view telling[TELLING_MAX];
	struct kh_vague count;
};

static void add_word(struct words *words, struct kh_view word)
{
	size_t seen = 0;

	words->count.words++;
	if (is_filler(word))
		return;
	while (seen < words->count.telling && seen < TELLING_MAX && !kh_view_eq(words->telling[seen], word))
		seen++;
	if (seen < words->count.telling || seen == TELLING_MAX)
		return;
	words->telling[seen] = word;
	words->count.telling++;
	if (!kh_utf8_is_ascii(word) && kh_utf8_length(word) >= LONG_RUN && words->count.telling < TELLING_MAX) {
		words->telling[words->count.telling] = word;
		words->count.telling++;
	}
}

enum kh_err kh_vague_measure(struct kh_arena *arena, struct kh_view text, struct kh_vague *ret)
{
	struct words words = {.count = {0}};
	struct kh_view key;
	size_t start = 0, len;
	uint32_t c;
	enum kh_err e = kh_normalise_key(arena, text, &key);

	if (e != KH_OK)
		return e;
	for (size_t at = 0; (len = kh_utf8_decode(key, at, &c)) > 0; at += len) {
		words.count.characters++;
		if (!parts(c))
			continue;
		if (at > start)
			add_word(&words, kh_view_sub(key, start, at));
		start = at + len;
	}
	if (key.n > start)
		add_word(&words, kh_view_from(key, start));
	*ret = words.count;
	return KH_OK;
}
