/* Parses queries and writes them in FTS syntax.  The query is the Controller's, who may try anything. */
#include "wire/search_match.h"

#include "base/buf.h"
#include "base/utf8.h"

/* True if a tokenizer would find a word in TERM. */
static bool says_something(struct kh_view term)
{
	uint32_t c;

	for (size_t at = 0, n; at < term.n; at += n) {
		n = kh_utf8_decode(term, at, &c);
		if (n == 0)
			n = 1;
		else if (c < 0x80 ? kh_ascii_is_alpha((char)c) || kh_ascii_is_digit((char)c)
				  : kh_utf8_is_plain(c) && !kh_utf8_is_space(c))
			return true;
	}
	return false;
}

static void add_term(struct kh_search_match *match, struct kh_view term)
{
	term = kh_utf8_cut(term, KH_SEARCH_MATCH_BYTES);
	if (!says_something(term))
		return;
	for (size_t i = 0; i < match->count; i++)
		if (kh_view_eq_nocase(match->term[i], term))
			return;
	if (match->count < KH_SEARCH_MATCH_TERMS)
		match->term[match->count++] = term;
	else
		match->left_out++;
}

static void add_words(struct kh_search_match *match, struct kh_view text)
{
	struct kh_view word;

	while (kh_view_split(&text, ' ', &word))
		if (word.n > 0)
			add_term(match, word);
}

/* A copy in which control characters and Unicode blanks are plain spaces, because the table's texts end at a NUL. */
static enum kh_err plain(struct kh_arena *arena, struct kh_view query, struct kh_view *ret_text)
{
	struct kh_buf buf;
	uint32_t c;

	kh_buf_init(&buf, arena, query.n);
	for (size_t at = 0, n; at < query.n; at += n) {
		n = kh_utf8_decode(query, at, &c);
		bool blank = n == 0 || c < 0x20 || c == 0x7f || kh_utf8_is_space(c);
		n = n > 0 ? n : 1;
		kh_buf_add(&buf, blank ? KH_LIT(" ") : kh_view_sub(query, at, at + n));
	}
	return kh_buf_end(&buf, ret_text);
}

enum kh_err kh_search_match_read(struct kh_arena *arena, struct kh_view query, struct kh_search_match *ret_match)
{
	struct kh_view text = {NULL, 0};
	enum kh_err e = plain(arena, query, &text);

	if (e != KH_OK)
		return e;
	*ret_match = (struct kh_search_match){.count = 0};
	for (size_t at = 0; at < text.n;) {
		size_t open = kh_view_find(text, KH_LIT("\""), at);
		size_t close = open == SIZE_MAX ? SIZE_MAX : kh_view_find(text, KH_LIT("\""), open + 1);
		add_words(ret_match, kh_view_sub(text, at, open));
		if (open == SIZE_MAX)
			break;
		if (close != SIZE_MAX)
			add_term(ret_match, kh_view_trim(kh_view_sub(text, open + 1, close)));
		at = close != SIZE_MAX ? close + 1 : open + 1;
	}
	return KH_OK;
}

enum kh_err kh_search_match_write(struct kh_arena *arena, const struct kh_search_match *match, bool any,
				  struct kh_view *ret_text)
{
	struct kh_buf buf;

	kh_buf_init(&buf, arena, SIZE_MAX);
	for (size_t i = 0; i < match->count; i++) {
		if (i > 0)
			kh_buf_add(&buf, any ? KH_LIT(" OR ") : KH_LIT(" "));
		kh_buf_byte(&buf, '"');
		kh_buf_add(&buf, match->term[i]); /* a term has no quote in it: a quote ends the term */
		kh_buf_byte(&buf, '"');
	}
	return kh_buf_end(&buf, ret_text);
}
