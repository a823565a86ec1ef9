/*
 * Splits text into tokens.  A byte's class decides.  Characters beyond ASCII are letters, except for punctuation and
 * symbols, which are recognized by their first bytes alone (Latin-1 signs, U+2000 to U+2FFF, CJK punctuation).
 */
#include "reader/tokens.h"

#include "reader/cue.h"

enum class { OTHER, LETTER, DIGIT, BLANK, LINE, HIGH };

static const unsigned char classes[256] = {
	['\t'] = BLANK,        [' '] = BLANK,          ['\r'] = BLANK,         ['\n'] = LINE,
	['0' ... '9'] = DIGIT, ['A' ... 'Z'] = LETTER, ['a' ... 'z'] = LETTER, [0x80 ... 0xff] = HIGH,
};

struct cutter {
	struct kh_arena *arena;
	struct kh_view text;
	struct kh_tokens out;
	size_t cap;
	size_t at;
	uint32_t sentence, line;
	bool glued, first;
	bool stop; /* the last token was a full stop, an exclamation or a question mark */
};

static enum class class_at(const struct cutter *c, size_t i) {
	return i < c->text.n ? (enum class)classes[(unsigned char)c->text.p[i]] : LINE;
}

/*
 * True for a raised, lowered or circled digit or a fraction.  It is a letter here, so that a number that it is glued to
 * is part of something else: in 10^6 with a small six there is no 10.
 */
static bool is_small_digit(struct kh_view v)
{
	unsigned char a = (unsigned char)v.p[0], b = v.n > 1 ? (unsigned char)v.p[1] : 0;
	unsigned char last = v.n > 2 ? (unsigned char)v.p[2] : 0;

	if (a == 0xc2)
		return b == 0xb2 || b == 0xb3 || b == 0xb9 || (b >= 0xbc && b <= 0xbe);
	if (a != 0xe2)
		return false;
	return (b == 0x81 && (last == 0xb0 || (last >= 0xb4 && last <= 0xbb))) || (b == 0x82 && last <= 0x8b) ||
	       (b == 0x85 && last >= 0x90 && last <= 0x9f) || b == 0x91 || (b == 0x92 && last <= 0x9b) ||
	       (b == 0x93 && last >= 0xaa) || (b == 0x9d && last >= 0xb6) || (b == 0x9e && last <= 0x93);
}

/* The length in bytes of a mark beyond ASCII at I, 0 if there is a letter. */
static size_t high_mark(const struct cutter *c, size_t i)
{
	unsigned char a = (unsigned char)c->text.p[i];
	unsigned char b = i + 1 < c->text.n ? (unsigned char)c->text.p[i + 1] : 0;

	if (is_small_digit(kh_view_from(c->text, i)))
		return 0;
	if (a == 0xc2 && b != 0xaa && b != 0xba && b != 0xb5)
		return i + 1 < c->text.n ? 2 : 1;
	if (a == 0xe2 || (a == 0xe3 && b == 0x80) || (a == 0xef && b == 0xbc))
		return i + 2 < c->text.n ? 3 : c->text.n - i;
	return 0;
}

/* Blanks beyond ASCII: U+00A0, U+2000 to U+200B, U+202F, U+3000; their length in bytes, or 0. */
static size_t high_blank(const struct cutter *c, size_t i)
{
	struct kh_view v = kh_view_from(c->text, i);

	if (kh_view_starts(v, KH_LIT("\xc2\xa0")))
		return 2;
	if (kh_view_starts(v, KH_LIT("\xe2\x80\xaf")) || kh_view_starts(v, KH_LIT("\xe3\x80\x80")))
		return 3;
	if (v.n >= 3 && kh_view_starts(v, KH_LIT("\xe2\x80")) && (unsigned char)v.p[2] <= 0x8b)
		return 3;
	return 0;
}

/* The length in bytes of an apostrophe between letters at I, or 0. */
static size_t apostrophe(const struct cutter *c, size_t i)
{
	size_t n = c->text.p[i] == '\'' ? 1 : kh_view_starts(kh_view_from(c->text, i), KH_LIT("\xe2\x80\x99")) ? 3 : 0;
	return n > 0 && i + n < c->text.n && class_at(c, i + n) == LETTER ? n : 0;
}

static struct kh_token *push(struct cutter *c, enum kh_token_kind kind, size_t start, size_t end)
{
	struct kh_token *at = kh_arena_more(c->arena, c->out.at, c->out.n, &c->cap, sizeof(*at));

	if (at == NULL)
		return NULL;
	c->out.at = at;
	struct kh_token *token = &c->out.at[c->out.n++];
	*token = (struct kh_token){.at = (uint32_t)start,
				   .n = (uint32_t)(end - start),
				   .sentence = c->sentence,
				   .line = c->line,
				   .kind = kind,
				   .glued = c->glued,
				   .first = c->first};
	c->glued = true;
	c->first = c->stop = false;
	c->at = end;
	return token;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Capital letters beyond ASCII that European names begin with: Latin-1, Latin Extended-A, Greek, Cyrillic. */
static bool is_high_upper(struct kh_view word)
{
	unsigned char a = (unsigned char)word.p[0], b = word.n > 1 ? (unsigned char)word.p[1] : 0;

	if (a == 0xc3)
		return b >= 0x80 && b <= 0x9e;
	if (a == 0xc4 || a == 0xc5) {
		unsigned c = (a & 0x1fU) << 6 | (b & 0x3fU);
		bool odd = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e); /* there, capitals are odd */
		return c <= 0x17e && (c & 1) == odd;
	}
	return (a == 0xce && b >= 0x86 && b <= 0xab) || (a == 0xd0 && b >= 0x80 && b <= 0xaf);
}

/* not, no, never, nor, none, neither, nothing, without, cannot, and every word in n't. */
static bool negates(struct kh_view word)
{
	char first = kh_ascii_lower(word.p[0]);

	if (word.n < 2 || word.n > 10)
		return false;
	char last = kh_ascii_lower(word.p[word.n - 1]);
	if (last == 't' && word.n > 3 &&
	    ((word.p[word.n - 2] == '\'' && kh_ascii_lower(word.p[word.n - 3]) == 'n') ||
	     kh_view_ends(word, KH_LIT("n\xe2\x80\x99t"))))
		return true;
	return (first == 'n' || first == 'w' || first == 'c' || first == 'u') &&
	       kh_tokens_is_one(word, KH_LIT("not|no|never|nor|none|neither|nothing|without|cannot|unable"));
}

static void cut_word(struct cutter *c)
{
	size_t end = c->at, n;

	for (; end < c->text.n; end += n) {
		enum class class = class_at(c, end);
		n = 1;
		if (class == LETTER || (class == HIGH && high_mark(c, end) == 0))
			continue;
		n = end > c->at ? apostrophe(c, end) : 0;
		if (n == 0)
			break;
	}
	struct kh_token *token = push(c, KH_TOKEN_WORD, c->at, end);
	if (token == NULL)
		return;
	struct kh_view word = kh_view_sub(c->text, token->at, end);
	token->stem = kh_cue_stem(word);
	token->capital = is_upper(word.p[0]) || ((unsigned char)word.p[0] >= 0xc3 && is_high_upper(word));
	token->shout = word.n > 1 && is_upper(word.p[0]) && is_upper(word.p[1]) && is_upper(word.p[word.n - 1]);
	token->negates = negates(word);
}

static void cut_number(struct cutter *c)
{
	size_t end = c->at;

	while (class_at(c, end) == DIGIT)
		end++;
	push(c, KH_TOKEN_NUMBER, c->at, end);
}

/* "Mr.", "e.g.", "J.": a full stop after them does not end a sentence. */
static bool is_short_form(const struct cutter *c)
{
	const struct kh_token *last = &c->out.at[c->out.n - 1];
	struct kh_view word = kh_view_of(c->text.p + last->at, last->n);

	if (c->out.n == 0 || last->kind != KH_TOKEN_WORD)
		return false;
	return word.n == 1 || kh_tokens_is_one(word, KH_LIT("mr|mrs|ms|dr|prof|st|no|vs|inc|ltd|approx|jr|sr"));
}

static void cut_mark(struct cutter *c, size_t n)
{
	char mark = c->text.p[c->at];
	enum class next = class_at(c, c->at + n);
	bool stop = (mark == '.' || mark == '!' || mark == '?') && (next == BLANK || next == LINE) &&
		    !(mark == '.' && c->out.n > 0 && is_short_form(c));

	c->out.question |= mark == '?';
	c->out.link |= mark == ':' && kh_view_starts(kh_view_from(c->text, c->at), KH_LIT("://"));
	struct kh_token *token = push(c, KH_TOKEN_MARK, c->at, c->at + n);
	if (token == NULL)
		return;
	token->stem = (unsigned char)mark;
	if (mark == '|') { /* a table cell, or headers written on one line */
		c->line++;
		c->sentence++;
		c->first = true;
	}
	c->stop = stop;
}

/* At a line's end: the sentence continues if the next line begins with a lower-case letter. */
static void end_line(struct cutter *c)
{
	size_t next = c->at + 1;

	while (class_at(c, next) == BLANK)
		next++;
	char first = next < c->text.n ? c->text.p[next] : '\n';
	bool goes_on = first >= 'a' && first <= 'z' && !c->stop;
	c->at++;
	c->line++;
	c->glued = c->stop = false;
	c->first = true;
	c->sentence += !goes_on;
}

static void step(struct cutter *c)
{
	size_t n = 0; /* bytes of a mark */

	switch (class_at(c, c->at)) {
	case LINE:
		end_line(c);
		return;
	case BLANK:
		c->at++;
		c->glued = false;
		return;
	case HIGH:
		n = high_blank(c, c->at);
		if (n > 0) {
			c->at += n;
			c->glued = false;
			return;
		}
		n = high_mark(c, c->at);
		break;
	case OTHER:
		n = 1;
		break;
	case LETTER:
	case DIGIT:
		break;
	}
	/* A sentence ends before the token that follows its mark, so that the mark belongs to it. */
	if (c->stop && !c->glued) {
		c->sentence++;
		c->stop = false;
	}
	if (n > 0)
		cut_mark(c, n);
	else if (class_at(c, c->at) == DIGIT)
		cut_number(c);
	else
		cut_word(c);
}

struct kh_tokens kh_tokens_cut(struct kh_arena *arena, struct kh_view text)
{
	struct cutter c = {.arena = arena, .text = kh_view_sub(text, 0, KH_TOKENS_BYTES), .first = true};

	c.cap = c.text.n / 4 + 16;
	c.out.text = c.text;
	c.out.at = KH_NEW_N(arena, struct kh_token, c.cap);
	while (c.out.at != NULL && !arena->failed && c.at < c.text.n)
		step(&c);
	c.out.sentences = c.sentence + 1;
	c.out.lines = c.line + 1;
	if (arena->failed)
		c.out.n = 0;
	return c.out;
}

size_t kh_tokens_line_end(const struct kh_tokens *tokens, size_t i)
{
	size_t end = i;

	while (end < tokens->n && tokens->at[end].line == tokens->at[i].line)
		end++;
	return end;
}

size_t kh_tokens_sentence_end(const struct kh_tokens *tokens, size_t i)
{
	size_t end = i;

	while (end < tokens->n && tokens->at[end].sentence == tokens->at[i].sentence)
		end++;
	return end;
}

bool kh_tokens_is_one(struct kh_view word, struct kh_view words)
{
	struct kh_view piece;

	while (kh_view_split(&words, '|', &piece)) {
		if (kh_view_eq_nocase(word, piece))
			return true;
	}
	return false;
}

bool kh_tokens_among(const struct kh_tokens *tokens, size_t i, struct kh_view words)
{
	return i < tokens->n && tokens->at[i].kind == KH_TOKEN_WORD &&
	       kh_tokens_is_one(kh_tokens_text(tokens, i), words);
}
