/*
 * A text split into tokens, once for all questions about it: words, numbers and single marks, each with its line and
 * sentence.  The text is hostile: any bytes, in any length; splitting is linear and every token lies within the text.
 */
#ifndef KH_READER_TOKENS_H
#define KH_READER_TOKENS_H

#include "base/arena.h"

enum kh_token_kind { KH_TOKEN_WORD, KH_TOKEN_NUMBER, KH_TOKEN_MARK };

struct kh_token {
	uint32_t at, n; /* offset and length in the text, in bytes */
	uint32_t stem;  /* of a word: as kh_cue_stem() returns it; of a mark: its first byte */
	uint32_t sentence, line;
	enum kh_token_kind kind : 8;
	bool capital : 1; /* a word that begins with a capital letter */
	bool shout : 1;   /* a word in capitals, at least two letters */
	bool glued : 1;   /* no blank stands before it, and it is not the first */
	bool negates : 1; /* not, never, without, isn't, ... */
	bool first : 1;   /* the first of its line */
};

struct kh_tokens {
	struct kh_view text;
	struct kh_token *at;
	size_t n;
	uint32_t sentences, lines;
	bool question, link; /* it asks something; it has a URL in it */
};

#define KH_TOKENS_BYTES (1U << 20) /* bytes of a text that are read; the rest is ignored */

/* Splits TEXT.  Out of memory marks the arena, and then there are no tokens. */
struct kh_tokens kh_tokens_cut(struct kh_arena *arena, struct kh_view text);

static inline struct kh_view kh_tokens_text(const struct kh_tokens *tokens, size_t i)
{
	return kh_view_of(tokens->text.p + tokens->at[i].at, tokens->at[i].n);
}

/* The bytes from token FIRST to token LAST, including those between them. */
static inline struct kh_view kh_tokens_span(const struct kh_tokens *tokens, size_t first, size_t last)
{
	return kh_view_sub(tokens->text, tokens->at[first].at, tokens->at[last].at + tokens->at[last].n);
}

/* True if token I exists and is the mark C. */
static inline bool kh_tokens_mark(const struct kh_tokens *tokens, size_t i, char c)
{
	return i < tokens->n && tokens->at[i].kind == KH_TOKEN_MARK && tokens->at[i].n == 1 &&
	       tokens->text.p[tokens->at[i].at] == c;
}

/* True if token I exists and is WORD, in any case. */
static inline bool kh_tokens_word(const struct kh_tokens *tokens, size_t i, struct kh_view word)
{
	return i < tokens->n && tokens->at[i].kind == KH_TOKEN_WORD &&
	       kh_view_eq_nocase(kh_tokens_text(tokens, i), word);
}

/* The token after the line, or after the sentence, of token I. */
size_t kh_tokens_line_end(const struct kh_tokens *tokens, size_t i);
size_t kh_tokens_sentence_end(const struct kh_tokens *tokens, size_t i);

/* True if WORD, in any case, is one of WORDS, separated by '|'. */
bool kh_tokens_is_one(struct kh_view word, struct kh_view words);

/* True if token I exists and is one of WORDS, lower case, separated by '|'. */
bool kh_tokens_among(const struct kh_tokens *tokens, size_t i, struct kh_view words);

#endif
