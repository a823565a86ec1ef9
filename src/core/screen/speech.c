/* Judges answers and names.  The input is hostile; the tables and thresholds are ours. */
#include "core/screen/speech.h"

#include "base/utf8.h"
#include "core/screen/lexicon.h"

#include <utf8proc.h>

#define WORDS_MAX   64 /* a longer text is not an answer */
#define ENOUGH      4  /* points */
#define UNSPACED    12 /* characters of a sentence without blanks */
#define PARTS       5  /* of a word in it */
#define LONG_PART   20 /* letters of a word that no name has */
#define LONG_NAME   6  /* words */
#define SHORT_NAME  64 /* bytes of a given name or a surname */
#define LONG_ORDER  6  /* words of a text that begins with a verb and is no title */
#define REPEATED    5  /* times that a word is repeated in no answer */
#define LONG_ANSWER 30 /* words: from this length on, length alone is enough */

struct token {
	struct kh_view word;
	unsigned kinds;
	bool begins; /* a clause begins here */
	bool number; /* has a digit */
	bool quoted; /* is after a quotation mark */
	bool colon;  /* is after a colon */
	bool comma;  /* is after a comma, and nothing stronger */
};

struct sentence {
	struct token at[WORDS_MAX];
	size_t n;
	size_t ends; /* sentence ends with words after them */
	bool question, colon, address, quotes;
};

static bool in_word(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || (unsigned char)c >= 0x80 || c == '\'';
}

static bool ends_clause(char c)
{
	return c == '.' || c == '!' || c == '?' || c == ':' || c == ';' || c == '"' || c == '(' || c == '\n' ||
	       c == '*' || c == '#' || c == '>' || c == ']' || c == ')' || c == '}' || c == '-' || c == ',' ||
	       c == '|' || c == '/';
}

/* What WORD can be.  An infinitive of German is a polite order: "bitte berechnen". */
static unsigned kinds_of_word(struct kh_view word)
{
	const unsigned order = KH_WORD_COMMAND | KH_WORD_FOREIGN;
	unsigned kinds = kh_lexicon_find(word);
	bool infinitive = kinds == 0 && word.n > 5 && word.p[word.n - 1] == 'n' &&
			  (kh_lexicon_find(kh_view_sub(word, 0, word.n - 1)) & order) == order;

	return infinitive ? order : kinds;
}

static void add_token(struct sentence *s, struct token t)
{
	while (t.word.n > 0 && t.word.p[0] == '\'')
		t.word = kh_view_from(t.word, 1), t.quoted = true;
	while (t.word.n > 0 && t.word.p[t.word.n - 1] == '\'')
		t.word.n--;
	if (t.word.n == 0 || s->n == WORDS_MAX)
		return;
	for (size_t i = 0; i < t.word.n; i++)
		t.number = t.number || kh_ascii_is_digit(t.word.p[i]);
	t.kinds = kinds_of_word(t.word);
	s->quotes = s->quotes || t.quoted;
	s->at[s->n++] = t;
}

/* True if the dot after the last word does not end a sentence: "E. E. Hale", "U.S. state", "St. Louis". */
static bool is_abbreviation(const struct sentence *s)
{
	return s->n > 0 && s->at[s->n - 1].word.n <= 2 && !s->at[s->n - 1].number;
}

static void tokenise(struct kh_view text, struct sentence *s)
{
	struct token next = {.begins = true};
	bool ended = false;

	*s = (struct sentence){.n = 0};
	for (size_t at = 0; at < text.n && s->n < WORDS_MAX;) {
		size_t end = at;
		while (end < text.n && in_word(text.p[end]))
			end++;
		if (end > at) {
			s->ends += ended;
			next.word = kh_view_sub(text, at, end);
			add_token(s, next);
			next = (struct token){.begins = false};
			ended = false;
			at = end;
			continue;
		}
		char c = text.p[at++];
		bool blank_next = at >= text.n || text.p[at] == ' ';
		next.begins = next.begins || (ends_clause(c) &&
					      (blank_next || c == '"' || c == '(' || c == ':' || c == '>' || c == '*'));
		next.comma = c == ',' || (next.comma && c == ' ');
		next.quoted = next.quoted || c == '"';
		next.colon = next.colon || (c == ':' && blank_next);
		ended = ended || (c == '.' && blank_next && !is_abbreviation(s)) ||
			((c == '!' || c == '?') && blank_next);
		s->question = s->question || c == '?';
		s->colon = s->colon || (c == ':' && blank_next);
		s->address = s->address || c == '@';
	}
}

static bool is(const struct token *t, const char *word)
{
	return kh_view_eq(t->word, kh_view_str(word));
}

static unsigned kinds_at(const struct sentence *s, size_t i)
{
	return i < s->n ? s->at[i].kinds : 0;
}

/* Words that may come before the verb of an order: "please", "now", "and then". */
static bool is_lead(const struct token *t)
{
	static const char *const leads[] = {"and",  "then", "now",   "also",     "just",     "but",    "so",
					    "ok",   "okay", "next",  "first",    "finally",  "simply", "always",
					    "only", "yes",  "again", "strictly", "securely", "todo",   "must"};

	if ((t->kinds & KH_WORD_PLEA) != 0)
		return true;
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		if (is(t, leads[i]))
			return true;
	}
	return false;
}

static bool foreign(unsigned kinds)
{
	return (kinds & KH_WORD_FOREIGN) != 0;
}

/* The points for a clause that begins at I being an order. */
static unsigned order(const struct sentence *s, size_t i)
{
	bool lead = false, negated = false;

	while (i < s->n && is_lead(&s->at[i]) && i + 1 < s->n) {
		lead = lead || (s->at[i].kinds & KH_WORD_PLEA) != 0;
		i++;
	}
	if (i + 1 < s->n && is(&s->at[i], "do") && is(&s->at[i + 1], "not"))
		negated = true, i += 2;
	else if (i < s->n && (is(&s->at[i], "dont") || is(&s->at[i], "don't") || is(&s->at[i], "never")))
		negated = true, i++;
	unsigned verb = kinds_at(s, i), next = kinds_at(s, i + 1);
	bool command = (verb & KH_WORD_COMMAND) != 0, maybe = (verb & KH_WORD_MAYBE) != 0;
	/* A number after a word that can also be a noun belongs to the noun: "order 4711". */
	bool object = (next & (KH_WORD_OBJECT | KH_WORD_LINK | KH_WORD_YOU | KH_WORD_SELF)) != 0 ||
		      (i + 1 < s->n && ((s->at[i + 1].number && !maybe) || s->at[i + 1].quoted));

	if (!command && !maybe)
		return 0;
	if (negated || (lead && command))
		return command ? 4 : 1;
	if (lead)
		return object ? 2 : 1;
	if (command && !maybe)
		return object || (foreign(verb) && i + 1 < s->n) || (i == 0 && s->n >= LONG_ORDER)
			       ? 4
			       : (s->n - i >= 5  ? 3
				  : i + 1 < s->n ? 2
						 : 1);
	return object ? (command ? 3U : 2U) + (s->n - i >= 6) : 0;
}

/* "can you", "I want you to", "would you mind": the points of a request at I. */
static unsigned request(const struct sentence *s, size_t i)
{
	unsigned here = kinds_at(s, i), next = kinds_at(s, i + 1);

	if ((here & KH_WORD_AUX) != 0 && i + 2 < s->n && is(&s->at[i + 1], "you"))
		return 3;
	if (is(&s->at[i], "you") && s->at[i].begins && (next & KH_WORD_AUX) != 0)
		return 2;
	if ((is(&s->at[i], "need") || is(&s->at[i], "want") || is(&s->at[i], "like")) && (next & KH_WORD_YOU) != 0)
		return 3;
	if ((here & KH_WORD_COMMAND) != 0 &&
	    (is(&s->at[i], "tell") || is(&s->at[i], "give") || is(&s->at[i], "show")) && i + 1 < s->n &&
	    is(&s->at[i + 1], "me"))
		return 2;
	return 0;
}

/* The points of a question without its mark, at the beginning of a clause. */
static unsigned question(const struct sentence *s, size_t i)
{
	unsigned here = kinds_at(s, i), next = kinds_at(s, i + 1);

	if ((here & KH_WORD_ASK) != 0)
		return (next & KH_WORD_AUX) != 0 ? 3 : 1;
	if ((here & KH_WORD_AUX) != 0 && (next & (KH_WORD_YOU | KH_WORD_SELF | KH_WORD_OBJECT)) != 0)
		return 2;
	return 0;
}

/* Whether a word comes many times in a row, as in texts that wear a model down. */
static bool repeats(const struct sentence *s)
{
	size_t times = 1;

	for (size_t i = 1; i < s->n && times < REPEATED; i++)
		times = kh_view_eq(s->at[i].word, s->at[i - 1].word) ? times + 1 : 1;
	return times >= REPEATED;
}

static unsigned at_most(unsigned points, unsigned most)
{
	return points < most ? points : most;
}

static unsigned length_points(size_t words)
{
	return words >= LONG_ANSWER ? ENOUGH : words > 20 ? 3 : words > 16 ? 2 : words > 12 ? 1 : 0;
}

static unsigned points(const struct sentence *s)
{
	unsigned orders = 0, requests = 0, questions = 0, you = 0, meta = 0, model = 0, secret = 0, plea = 0;

	for (size_t i = 0; i < s->n; i++) {
		unsigned kinds = s->at[i].kinds;
		if (s->at[i].begins) {
			unsigned o = order(s, i);
			/* In the middle of a text a clause is less certainly an order, except after a colon. */
			orders += i == 0 || o < 2 || s->at[i].colon ? o : o - 1;
			/* After a comma, "who was" is part of a statement. */
			questions += s->at[i].comma ? 0 : question(s, i);
		}
		requests += request(s, i);
		you += (kinds & KH_WORD_YOU) != 0;
		/* "your message": what is said of it is said to who writes it. */
		requests += (kinds & KH_WORD_YOU) != 0 && (kinds_at(s, i + 1) & KH_WORD_META) != 0 ? 2 : 0;
		meta += (kinds & KH_WORD_META) != 0;
		model += (kinds & KH_WORD_MODEL) != 0;
		secret += (kinds & KH_WORD_SECRET) != 0;
		plea += (kinds & KH_WORD_PLEA) != 0;
	}
	/* A word or two is a name or a title, unless it is clearly an order. */
	if (s->n < 3)
		return s->question || (s->n == 2 && orders >= ENOUGH) ? ENOUGH : 0;
	/* An order about what a model has or does is more certainly one. */
	orders += orders >= 2 && meta + secret > 0;
	unsigned evidence = orders + requests + at_most(questions, 3) + at_most(you, 2) + at_most(meta, 3) +
			    at_most(model, 2) + at_most(secret, 2) + at_most(plea, 1) + (s->question ? ENOUGH : 0) +
			    (s->address && s->n > 3) + (repeats(s) ? ENOUGH : 0);
	/* More than one sentence, a colon or a quotation count only if there is other evidence of a request. */
	if (evidence > 0)
		evidence += (s->ends > 1 ? 2U : s->ends > 0) + (s->colon && s->n > 6) + (s->quotes && s->n > 6);
	return evidence + length_points(s->n);
}

/* Running text in a language that is not English, or in none that is known. */
static bool unreadable(const struct sentence *s)
{
	size_t others = 0, known = 0, letters = 0;

	for (size_t i = 0; i < s->n; i++) {
		others += foreign(s->at[i].kinds);
		known += s->at[i].kinds != 0 || s->at[i].number;
		letters += !s->at[i].number;
	}
	if (others >= 2 && letters >= 4 && others * 5 >= letters)
		return true;
	return letters >= 10 && known * 8 < s->n;
}

struct kh_speech kh_speech_judge(struct kh_view skeleton)
{
	struct sentence s;

	tokenise(skeleton, &s);
	unsigned p = points(&s);
	if (s.question)
		return (struct kh_speech){"question", "question", KH_SEVERITY_MEDIUM};
	if (p >= ENOUGH)
		return (struct kh_speech){"instruction", "asks_for_something",
					  p >= 2 * ENOUGH ? KH_SEVERITY_HIGH : KH_SEVERITY_MEDIUM};
	if (unreadable(&s))
		return (struct kh_speech){"unreadable", "other_language", KH_SEVERITY_LOW};
	return (struct kh_speech){.code = NULL};
}

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

struct kh_speech kh_speech_script(struct kh_view folded)
{
	struct scripts s = read_scripts(folded);

	if (s.mixed > 0)
		return (struct kh_speech){"encoded", "mixed_scripts", KH_SEVERITY_MEDIUM};
	if (s.words >= 5 || s.unspaced >= UNSPACED || s.known >= 2 || (s.asks && s.words > 1) ||
	    (s.has_order && s.unspaced >= PARTS))
		return (struct kh_speech){"unreadable", "other_script", KH_SEVERITY_LOW};
	return (struct kh_speech){.code = NULL};
}

/* The points against word T in a name, if it is a word that names do not have. */
static unsigned not_a_name(const struct token *t)
{
	if (t->kinds == 0 || t->word.n == 1 || (t->kinds & (KH_WORD_NAME | KH_WORD_PARTICLE)) != 0)
		return 0;
	/* Short words of one language can be names in another. */
	return t->kinds == KH_WORD_FOREIGN && t->word.n <= 3 ? 1 : 2;
}

struct kh_speech kh_speech_name(struct kh_view skeleton)
{
	struct sentence s;
	unsigned against = 0;

	tokenise(skeleton, &s);
	bool named = false;
	for (size_t i = 0; i < s.n; i++) {
		against += not_a_name(&s.at[i]);
		named = named || (s.at[i].kinds & (KH_WORD_NAME | KH_WORD_PARTICLE)) != 0;
	}
	/* A name of many words has one among them that shows it. */
	against += s.n >= LONG_NAME && !named ? 2 : 0;
	if (against >= 2)
		return (struct kh_speech){"name", "not_a_name", KH_SEVERITY_LOW};
	return (struct kh_speech){.code = NULL};
}

/* The length of the white space that V begins with. */
static size_t blanks(struct kh_view v)
{
	size_t at = 0;
	uint32_t c;

	for (size_t len; (len = kh_utf8_decode(v, at, &c)) > 0 && kh_utf8_is_space(c);)
		at += len;
	return at;
}

/* V without the white space around it.  What is longer than a name is cut, because the rest of it may be very long. */
static struct kh_view trimmed(struct kh_view v)
{
	size_t first = blanks(v), end = first;

	for (size_t at = first; at < v.n && end - first <= SHORT_NAME;) {
		uint32_t c;
		size_t len = kh_utf8_decode(v, at, &c);
		at += len ? len : 1;
		if (len == 0 || !kh_utf8_is_space(c))
			end = at;
	}
	return kh_view_sub(v, first, end);
}

/* What WORD can be, in any case. */
static unsigned kinds_of(struct kh_view word)
{
	char lower[SHORT_NAME];

	if (word.n > sizeof(lower))
		return 0;
	for (size_t i = 0; i < word.n; i++)
		lower[i] = kh_ascii_lower(word.p[i]);
	return kh_lexicon_find(kh_view_of(lower, word.n));
}

bool kh_speech_is_surname(struct kh_view name, size_t start, size_t end)
{
	unsigned kinds = kinds_of(kh_view_sub(name, start, end)) & KH_WORD_NAME;
	struct kh_view rest = kh_view_from(name, end);

	/* Asked of every match in a text of any length, so what decides for most of them is looked at first. */
	return kinds != 0 && blanks(rest) == rest.n && (kinds_of(trimmed(kh_view_sub(name, 0, start))) & kinds) != 0;
}

struct kh_speech kh_speech_name_script(struct kh_view folded)
{
	struct scripts s = read_scripts(folded);

	/* A name has three words, rarely more; in scripts without blanks it has six characters. */
	if (s.words >= 4 || s.unspaced > 6 || s.known > 0 || s.longest >= LONG_PART)
		return (struct kh_speech){"name", "not_a_name", KH_SEVERITY_LOW};
	return (struct kh_speech){.code = NULL};
}

struct kh_speech kh_speech_mended(const struct kh_mended *mended)
{
	size_t changed = mended->wrong + mended->doubled;
	struct sentence s;

	tokenise(mended->text, &s);
	unsigned p = points(&s);
	if (p >= ENOUGH)
		return (struct kh_speech){"instruction", "asks_for_something", KH_SEVERITY_MEDIUM};
	/* Three words of a name can be near other words by accident, but then they are short ones. */
	if (changed * 5 >= mended->words * 2 && changed + (mended->long_wrong + mended->doubled >= 2) >= 4)
		return (struct kh_speech){"encoded", "misspelled", KH_SEVERITY_LOW};
	if (mended->most_glued >= 4 || mended->glued >= 6 || mended->endless)
		return (struct kh_speech){"encoded", "glued", KH_SEVERITY_LOW};
	return (struct kh_speech){.code = NULL};
}

struct kh_speech kh_speech_mended_name(const struct kh_mended *mended)
{
	const unsigned telling = KH_WORD_COMMAND | KH_WORD_PLEA | KH_WORD_META | KH_WORD_SECRET | KH_WORD_YOU;
	struct sentence s;
	size_t against = 0;

	tokenise(mended->text, &s);
	for (size_t i = 0; i < s.n; i++)
		against += (s.at[i].kinds & telling) != 0 && (s.at[i].kinds & KH_WORD_NAME) == 0 && s.at[i].word.n >= 4;
	if (against >= 2)
		return (struct kh_speech){"name", "not_a_name", KH_SEVERITY_LOW};
	return (struct kh_speech){.code = NULL};
}
