/* Judges answers and names.  The input is hostile; the tables and thresholds are ours. */
#include "core/screen/speech.h"

#include "base/utf8.h"
#include "core/screen/acting.h"
#include "core/screen/lexicon.h"

#define WORDS_MAX   64  /* a longer text is not an answer */
#define ENOUGH      4   /* points */
#define LONG_NAME   6   /* words */
#define SHORT_NAME  64  /* bytes of a given name or a surname */
#define LONG_ORDER  6   /* words of a text that begins with a verb and is no title */
#define REPEATED    5   /* times that a word is repeated in no answer */
#define ROOM        256 /* bytes of words that are joined */
#define LEAST       6   /* letters of one */
#define LONG_ANSWER 30  /* words: from this length on, length alone is enough */

struct token {
	struct kh_view word;
	unsigned kinds;
	unsigned acting; /* acting.h */
	bool begins;     /* a clause begins here */
	bool number;     /* has a digit */
	bool quoted;     /* is after a quotation mark */
	bool colon;      /* is after a colon */
	bool comma;      /* is after a comma, and nothing stronger */
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
	t.acting = kh_acting_find(t.word);
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
	if ((is(&s->at[i], "need") || is(&s->at[i], "want") || is(&s->at[i], "like") || is(&s->at[i], "needs") ||
	     is(&s->at[i], "wants") || is(&s->at[i], "expects") || is(&s->at[i], "asks")) &&
	    (next & KH_WORD_YOU) != 0)
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

static unsigned acting_at(const struct sentence *s, size_t i)
{
	return i < s->n ? s->at[i].acting : 0;
}

/* True if word I may name somebody or something that no table has. */
static bool is_unknown(const struct sentence *s, size_t i)
{
	return i < s->n && s->at[i].acting == 0 && !s->at[i].number &&
	       (s->at[i].kinds == 0 || (s->at[i].kinds & KH_WORD_NAME) != 0);
}

/* True if word I is what is done something to: a deed, several things, or something abstract ("verification"). */
static bool is_object(const struct sentence *s, size_t i)
{
	static const char *const endings[] = {"ion", "ment", "ity", "ing", "ance", "ence"};
	struct kh_view word = s->at[i].word;

	if ((s->at[i].acting & KH_ACTING_DEED) != 0 ||
	    (s->at[i].kinds & (KH_WORD_OBJECT | KH_WORD_META | KH_WORD_SECRET | KH_WORD_YOU | KH_WORD_SELF)) != 0)
		return true;
	for (size_t k = 0; k < sizeof(endings) / sizeof(endings[0]); k++) {
		if (kh_view_ends(word, kh_view_str(endings[k])))
			return true;
	}
	char before = word.n > 3 && word.p[word.n - 1] == 's' ? word.p[word.n - 2] : 's';
	return before != 's' && before != 'i' && before != 'u';
}

/* True if word K, behind the verb VERB of acting at I that is a noun as often, shows that it is the verb. */
static bool shows_order(const struct sentence *s, size_t i, size_t k)
{
	unsigned verb = acting_at(s, i);
	const struct token *t = &s->at[k];

	if ((verb & KH_ACTING_OTHER) != 0 && (t->number || foreign(t->kinds) || (t->acting & KH_ACTING_DEED) != 0))
		return true;
	if ((t->acting & (KH_ACTING_DEED | KH_ACTING_GIVE)) == KH_ACTING_DEED)
		return true;
	if (k == i + 1 || (kinds_at(s, i + 1) & KH_WORD_LINK) != 0)
		return false;
	bool give = (verb & KH_ACTING_GIVE) != 0, named = is_unknown(s, k - 1);
	return (t->number && give && named) || (t->acting & KH_ACTING_SOON) != 0 ||
	       (named && k == i + 2 && (t->kinds & (KH_WORD_OBJECT | KH_WORD_LINK)) == KH_WORD_OBJECT) ||
	       (k + 1 < s->n && (is(t, "to") || (give && is(t, "with"))));
}

/*
 * True if the verb of acting at I has an object that makes it an order.  Of a word that is a noun as often, more must
 * follow than the object: how much, to whom, when, or what is done.
 */
static bool acts(const struct sentence *s, size_t i)
{
	unsigned verb = acting_at(s, i);

	if ((verb & KH_ACTING_VERB) == 0 || i + 1 >= s->n)
		return false;
	if ((verb & KH_ACTING_NOUN) == 0)
		return s->n == 2 ? is_object(s, 1) : (kinds_at(s, i + 1) & KH_WORD_LINK) == 0;
	for (size_t k = i + 1; k < s->n; k++) {
		if (shows_order(s, i, k))
			return true;
	}
	return false;
}

/* "agent pays mallory", "assistants only pay mallory": whom it is said to at I, and what is to be done. */
static bool tells_whom(const struct sentence *s, size_t i)
{
	for (size_t k = i + 1; (acting_at(s, i) & KH_ACTING_WHOM) != 0 && k <= i + 4 && k + 1 < s->n; k++) {
		bool form = (acting_at(s, k) & KH_ACTING_FORM) != 0 && is_unknown(s, k + 1);
		if (form || acts(s, k) || ((acting_at(s, k) & KH_ACTING_VERB) != 0 && is_unknown(s, k + 1)))
			return true;
	}
	return false;
}

/* "a transfer to mallory is needed": something is given to somebody, before word I. */
static bool is_given(const struct sentence *s, size_t i)
{
	const unsigned given = KH_ACTING_DEED | KH_ACTING_GIVE;

	for (size_t at = 0; at + 2 < i; at++) {
		if ((acting_at(s, at) & given) == given && is(&s->at[at + 1], "to") && is_unknown(s, at + 2))
			return true;
	}
	return false;
}

/* "must be paid today": the passive at I, and a time that is near. */
static bool is_due(const struct sentence *s, size_t i)
{
	const unsigned given = KH_ACTING_FORM | KH_ACTING_GIVE;
	bool soon = false;

	for (size_t k = i + 2; k < s->n; k++)
		soon = soon || (acting_at(s, k) & KH_ACTING_SOON) != 0;
	return soon && (acting_at(s, i + 1) & given) == given;
}

/*
 * "make sure to forward this", "todo: forward mail": the need of acting at I.  What somebody else must do, "applicants must
 * submit forms", is a statement.
 */
static bool needs(const struct sentence *s, size_t i)
{
	const struct token *t = &s->at[i];
	size_t k = i + 1;

	if ((t->acting & KH_ACTING_NEED) == 0)
		return false;
	if (is_given(s, i))
		return true;
	if (k + 1 < s->n && is(&s->at[k], "be"))
		return i > 0 && is_due(s, k);
	if (i > 0 && ((t->kinds & KH_WORD_AUX) != 0 || is(t, "need") || is(t, "needs") || is(t, "ought")))
		return false;
	k += k + 1 < s->n && is(&s->at[k], "to");
	return (acting_at(s, k) & KH_ACTING_VERB) != 0 && k + 1 < s->n && (kinds_at(s, k + 1) & KH_WORD_LINK) == 0;
}

/* The points for words of acting: an order at the beginning of a clause, what a model does, what must be done. */
static unsigned acting_points(const struct sentence *s)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t verb = i;
		while (s->at[i].begins && verb + 1 < s->n && is_lead(&s->at[verb]))
			verb++;
		if ((s->at[i].begins && acts(s, verb)) || tells_whom(s, i) || needs(s, i))
			return ENOUGH;
	}
	/* A verb that comes last, as in Turkish. */
	const unsigned order_ = KH_WORD_COMMAND | KH_WORD_FOREIGN;
	bool last = s->n > 2 && (s->at[s->n - 1].kinds & order_) == order_, other = false;
	for (size_t i = 0; last && i + 1 < s->n; i++)
		other = other || foreign(s->at[i].kinds);
	return last && other ? ENOUGH : 0;
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
	orders += acting_points(s);
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

/* Joins words that a blank was put into, "ig nore": one of the two is no word, and both together are. */
static bool rejoin(struct sentence *s, char room[ROOM])
{
	size_t n = 0, used = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct token t = s->at[i];
		const struct token *next = i + 1 < s->n ? &s->at[i + 1] : NULL;
		bool fits = next != NULL && !next->begins && (t.kinds == 0 || next->kinds == 0) &&
			    t.word.n + next->word.n >= LEAST && t.word.n + next->word.n <= ROOM - used;
		if (fits) {
			memcpy(room + used, t.word.p, t.word.n);
			memcpy(room + used + t.word.n, next->word.p, next->word.n);
			struct kh_view both = kh_view_of(room + used, t.word.n + next->word.n);
			unsigned kinds = kinds_of_word(both), acting = kh_acting_find(both);
			if (kinds != 0 || acting != 0) {
				t.word = both;
				t.kinds = kinds;
				t.acting = acting;
				used += both.n;
				i++;
			}
		}
		s->at[n++] = t;
	}
	bool joined = n < s->n;
	s->n = n;
	return joined;
}

struct kh_speech kh_speech_judge(struct kh_view skeleton)
{
	struct sentence s;
	char room[ROOM];

	tokenise(skeleton, &s);
	unsigned p = points(&s);
	if (p < ENOUGH && rejoin(&s, room))
		p = points(&s);
	if (s.question)
		return (struct kh_speech){"question", "question", KH_SEVERITY_MEDIUM};
	if (p >= ENOUGH)
		return (struct kh_speech){"instruction", "asks_for_something",
					  p >= 2 * ENOUGH ? KH_SEVERITY_HIGH : KH_SEVERITY_MEDIUM};
	if (unreadable(&s))
		return (struct kh_speech){"unreadable", "other_language", KH_SEVERITY_LOW};
	return (struct kh_speech){.code = NULL};
}

/* Whether T is a word of acting that no name has.  Verbs that are nouns as often are surnames, too. */
static bool is_deed(const struct token *t)
{
	const unsigned verb = KH_ACTING_VERB | KH_ACTING_FORM;
	bool alone = (t->acting & (KH_ACTING_NOUN | KH_ACTING_GIVE)) != KH_ACTING_NOUN;

	if ((t->acting & (KH_ACTING_DEED | KH_ACTING_SIGN)) != 0)
		return true;
	return (t->acting & KH_ACTING_OTHER) == 0 && (t->acting & verb) != 0 && alone &&
	       ((t->acting & KH_ACTING_FORM) != 0 || (t->acting & KH_ACTING_NOUN) == 0);
}

/* The points against word T in a name, if it is a word that names do not have. */
static unsigned not_a_name(const struct token *t)
{
	if ((t->kinds & KH_WORD_NAME) == 0 && is_deed(t))
		return 2;
	/* One surname may be such a word, two words of a name are not. */
	if (t->kinds == 0 && (t->acting & (KH_ACTING_VERB | KH_ACTING_FORM)) != 0)
		return 1;
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
