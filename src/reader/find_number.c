/*
 * A number is a run of digit tokens and the marks between them, without blanks.  kh_number_read() decides what it
 * means; this file decides only where it begins and ends, and what is not a number.
 */
#include "reader/find_number.h"

#include "core/bcp/currency.h"
#include "core/bcp/date.h"
#include "core/bcp/number.h"

#define MATCH 40
#define PARTS 16 /* tokens of a number: eight groups */

static bool word_number(struct kh_view word, int64_t *ret_number)
{
	static const struct {
		struct kh_view word;
		int64_t number;
	} words[] = {
		{KH_LIT_INIT("zero"), 0},       {KH_LIT_INIT("one"), 1},       {KH_LIT_INIT("two"), 2},
		{KH_LIT_INIT("three"), 3},      {KH_LIT_INIT("four"), 4},      {KH_LIT_INIT("five"), 5},
		{KH_LIT_INIT("six"), 6},        {KH_LIT_INIT("seven"), 7},     {KH_LIT_INIT("eight"), 8},
		{KH_LIT_INIT("nine"), 9},       {KH_LIT_INIT("ten"), 10},      {KH_LIT_INIT("eleven"), 11},
		{KH_LIT_INIT("twelve"), 12},    {KH_LIT_INIT("dozen"), 12},    {KH_LIT_INIT("thirteen"), 13},
		{KH_LIT_INIT("fourteen"), 14},  {KH_LIT_INIT("fifteen"), 15},  {KH_LIT_INIT("sixteen"), 16},
		{KH_LIT_INIT("seventeen"), 17}, {KH_LIT_INIT("eighteen"), 18}, {KH_LIT_INIT("nineteen"), 19},
		{KH_LIT_INIT("twenty"), 20},    {KH_LIT_INIT("thirty"), 30},   {KH_LIT_INIT("forty"), 40},
		{KH_LIT_INIT("fifty"), 50},     {KH_LIT_INIT("sixty"), 60},    {KH_LIT_INIT("hundred"), 100},
	};
	/* The set of their first letters, which rules out most words quickly. */
	static const uint32_t firsts = 1U << ('z' - 'a') | 1U << ('o' - 'a') | 1U << ('t' - 'a') | 1U << ('f' - 'a') |
				       1U << ('s' - 'a') | 1U << ('e' - 'a') | 1U << ('n' - 'a') | 1U << ('d' - 'a') |
				       1U << ('h' - 'a');

	if (word.n < 3 || word.n > 9 || !kh_ascii_is_alpha(word.p[0]) ||
	    !(firsts >> (kh_ascii_lower(word.p[0]) - 'a') & 1))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].word.n == word.n && kh_ascii_lower(word.p[1]) == words[i].word.p[1] &&
		    kh_view_eq_nocase(word, words[i].word)) {
			*ret_number = words[i].number;
			return true;
		}
	}
	return false;
}

static bool is_number(const struct kh_tokens *t, size_t i)
{
	return i < t->n && t->at[i].kind == KH_TOKEN_NUMBER;
}

/* The last token of the digits that begin at I: 1 , 200 . 50 are five tokens. */
static size_t digits_end(const struct kh_tokens *t, size_t i)
{
	size_t last = i;

	while (last - i < PARTS && is_number(t, last + 2) && t->at[last + 1].glued && t->at[last + 2].glued &&
	       (kh_tokens_mark(t, last + 1, ',') || kh_tokens_mark(t, last + 1, '.') ||
		kh_tokens_mark(t, last + 1, '\'')))
		last += 2;
	return last;
}

/* True if the token before I, or the one after LAST, makes the tokens between them a part of something else. */
static bool is_part(const struct kh_tokens *t, size_t i, size_t last)
{
	static const char joints[] = "/:-_@#=";
	const struct kh_token *before = i > 0 ? &t->at[i - 1] : NULL,
			      *behind = last + 1 < t->n ? &t->at[last + 1] : NULL;

	if (before != NULL && t->at[i].glued) {
		if (before->kind != KH_TOKEN_MARK)
			return true;
		char mark = t->text.p[before->at];
		if (memchr(joints, mark, sizeof(joints) - 1) != NULL && before->glued && !kh_tokens_mark(t, i - 1, '#'))
			return true;
		if ((mark == '.' || mark == ',') && before->glued)
			return true;
	}
	if (behind != NULL && behind->glued) {
		if (behind->kind == KH_TOKEN_WORD)
			return true;
		bool goes_on = last + 2 < t->n && t->at[last + 2].glued && t->at[last + 2].kind != KH_TOKEN_MARK;
		if (goes_on && memchr(joints, t->text.p[behind->at], sizeof(joints) - 1) != NULL)
			return true;
	}
	return false;
}

bool kh_find_number_small(const struct kh_tokens *tokens, size_t i, int64_t *ret_number, size_t *ret_last)
{
	struct kh_number number;
	const char *problem;

	if (tokens->at[i].kind == KH_TOKEN_WORD) {
		*ret_last = i;
		return word_number(kh_tokens_text(tokens, i), ret_number);
	}
	if (tokens->at[i].kind != KH_TOKEN_NUMBER)
		return false;
	size_t last = digits_end(tokens, i);
	if (is_part(tokens, i, last) || !kh_number_read(kh_tokens_span(tokens, i, last), &number, &problem) ||
	    number.places != 0)
		return false;
	*ret_number = number.value;
	*ret_last = last;
	return true;
}

/* Extends the number by "million", "k" or "%" after token LAST. */
static size_t scale_end(const struct kh_tokens *t, size_t last)
{
	static const struct kh_view scales = KH_LIT_INIT("million|billion|thousand|trillion|mio|bn|k|m");
	bool scale = kh_tokens_among(t, last + 1, scales) && t->at[last + 1].line == t->at[last].line &&
		     (t->at[last + 1].n > 1 || t->at[last + 1].glued);

	return scale ? last + 1 : last;
}

/*
 * True if token I continues the number before it in a way that is not read here: a raised digit, or a scale of another
 * language.  What is before it is no number then.
 */
static bool goes_on(const struct kh_tokens *t, size_t i)
{
	static const struct kh_view scales = KH_LIT_INIT(
		"millionen|milliarde|milliarden|mrd|mia|billionen|billiarde|billiarden|trillionen|millions|billions|"
		"trillions|milliard|milliards|millones|billones|milhoes|bilhoes|milioni|miliardi|miljard|miljoen|"
		"lakh|lakhs|crore|crores");

	if (i >= t->n || t->at[i].kind != KH_TOKEN_WORD || t->at[i].line != t->at[i - 1].line)
		return false;
	unsigned char first = (unsigned char)t->text.p[t->at[i].at];
	return (t->at[i].glued && (first == 0xc2 || first == 0xe2)) || kh_tokens_among(t, i, scales);
}

/* The number that begins at token I, with its decimals, scale ("million") and percent sign; PLAIN: a whole one. */
static bool number_at(const struct kh_tokens *tokens, size_t i, bool plain, size_t *ret_last)
{
	struct kh_number number;
	const char *problem;
	int64_t small;

	if (tokens->at[i].kind == KH_TOKEN_WORD && word_number(kh_tokens_text(tokens, i), &small)) {
		*ret_last = i;
		return !tokens->at[i].glued;
	}
	if (tokens->at[i].kind != KH_TOKEN_NUMBER)
		return false;
	size_t last = digits_end(tokens, i), end = scale_end(tokens, last);
	if (is_part(tokens, i, end) || goes_on(tokens, end + 1) ||
	    !kh_number_read(kh_tokens_span(tokens, i, end), &number, &problem))
		return false;
	if (!plain && end == last && kh_tokens_mark(tokens, last + 1, '%') && tokens->at[last + 1].glued)
		end++;
	*ret_last = end;
	return !plain || number.places == 0;
}

static bool is_currency(const struct kh_tokens *t, size_t i)
{
	struct kh_view code;
	unsigned digits;

	if (i >= t->n || t->at[i].kind == KH_TOKEN_NUMBER || t->at[i].n > 24)
		return false;
	/* Codes are in capitals: "all" and "try" are ordinary words. */
	if (t->at[i].kind == KH_TOKEN_WORD && t->at[i].n == 3 && !t->at[i].shout)
		return false;
	if (t->at[i].kind == KH_TOKEN_MARK && t->at[i].n == 1 && t->text.p[t->at[i].at] != '$')
		return false;
	return kh_currency_find(kh_tokens_text(t, i), &code, &digits);
}

/* The first token of a sign or code before the number at I ("$", "US$", "EUR"), or I. */
static size_t prefix_of(const struct kh_tokens *t, size_t i)
{
	if (i == 0 || t->at[i - 1].line != t->at[i].line)
		return i;
	if (kh_tokens_mark(t, i - 1, '$') && i > 1 && t->at[i - 2].shout && t->at[i - 2].n <= 3 && t->at[i - 1].glued)
		return i - 2;
	if (t->at[i - 1].kind == KH_TOKEN_MARK && t->at[i - 1].n == 1)
		return kh_tokens_mark(t, i - 1, '$') ? i - 1 : i;
	bool code = t->at[i - 1].kind == KH_TOKEN_WORD && t->at[i - 1].n == 3 && t->at[i - 1].shout;
	return (code || t->at[i - 1].n == 2 || t->at[i - 1].n == 3) && is_currency(t, i - 1) ? i - 1 : i;
}

/* The same after the number, in one word or two ("US dollars"): its last token, or LAST. */
static size_t suffix_of(const struct kh_tokens *t, size_t last)
{
	size_t next = last + 1;

	if (next >= t->n || t->at[next].line != t->at[last].line)
		return last;
	if (is_currency(t, next))
		return next;
	bool two = t->at[next].kind == KH_TOKEN_WORD && t->at[next].capital && next + 1 < t->n &&
		   t->at[next + 1].line == t->at[last].line && t->at[next + 1].kind == KH_TOKEN_WORD;
	struct kh_view code;
	unsigned digits;
	return two && kh_currency_find(kh_tokens_span(t, next, next + 1), &code, &digits) ? next + 1 : last;
}

struct amount {
	struct kh_number number;
	struct kh_view code;
	struct kh_range range;
};

/* An amount with its currency around the number at token I.  Expensive: it searches the list of currencies. */
static bool amount_at(struct kh_arena *arena, const struct kh_tokens *t, size_t i, struct amount *ret)
{
	const char *problem;

	if (!is_number(t, i) || (i > 0 && t->at[i].glued && t->at[i - 1].kind != KH_TOKEN_MARK && !t->at[i - 1].shout))
		return false;
	/* If "1.200 EUR" is not accepted as a number, the rest of it is not one either. */
	if (i > 1 && t->at[i].glued && t->at[i - 1].glued && is_number(t, i - 2))
		return false;
	size_t last = scale_end(t, digits_end(t, i)), first = prefix_of(t, i), end = suffix_of(t, last);
	if (goes_on(t, last + 1))
		return false;
	if (end > last) {
		ret->range = (struct kh_range){first, end + 1};
		if (kh_number_read_amount(arena, kh_tokens_span(t, first, end), &ret->number, &ret->code, &problem))
			return true;
	}
	ret->range = (struct kh_range){first, last + 1};
	return first < i &&
	       kh_number_read_amount(arena, kh_tokens_span(t, first, last), &ret->number, &ret->code, &problem);
}

/* The malus for other meanings of a number: a day, a year, the place in a list, a price. */
static int other_meaning(const struct kh_spot *spot, size_t i, size_t last)
{
	const struct kh_tokens *t = spot->tokens;
	int malus = 0;

	if (i > 0 && t->at[i - 1].kind == KH_TOKEN_WORD && kh_date_month_of(kh_tokens_text(t, i - 1)))
		malus += 2 * MATCH;
	if (last + 1 < t->n && t->at[last + 1].kind == KH_TOKEN_WORD &&
	    (kh_date_month_of(kh_tokens_text(t, last + 1)) ||
	     kh_tokens_among(t, last + 1, KH_LIT("am|pm|st|nd|rd|th"))))
		malus += 2 * MATCH;
	if (t->at[i].first && (kh_tokens_mark(t, last + 1, '.') || kh_tokens_mark(t, last + 1, ')')))
		malus += 2 * MATCH;
	if (i == last && t->at[i].n == 4 && (t->text.p[t->at[i].at] == '2' || t->text.p[t->at[i].at] == '1') &&
	    !kh_spot_asks(spot, KH_LIT("year")))
		malus += MATCH;
	if (i > 0 && (kh_tokens_mark(t, i - 1, '$') || kh_tokens_mark(t, i - 1, '#')))
		malus += MATCH / 2;
	if (t->at[i].kind == KH_TOKEN_WORD && kh_tokens_among(t, i, KH_LIT("one")))
		malus += MATCH; /* "no one", "one of them" */
	if (kh_mail_within(spot->mail->date, i))
		malus += 2 * MATCH;
	return malus;
}

static bool figure(struct kh_spot *spot, size_t i, bool plain, struct kh_range *ret_range, int *ret_bonus)
{
	size_t last;

	if (!number_at(spot->tokens, i, plain, &last))
		return false;
	*ret_range = (struct kh_range){i, last + 1};
	*ret_bonus = -other_meaning(spot, i, last);
	/* "12 attendees": the counted thing comes right after the number. */
	if (last + 1 < spot->tokens->n && spot->tokens->at[last + 1].kind == KH_TOKEN_WORD) {
		const struct kh_cue *cue = kh_cue_find(&spot->set, spot->tokens->at[last + 1].stem);
		*ret_bonus += cue != NULL && cue->weight == KH_CUE_OWN ? 2 * MATCH : 0;
	}
	bool percent = kh_tokens_mark(spot->tokens, last, '%');
	if (percent != kh_spot_asks(spot, KH_LIT("percent|percentage|rate|share")))
		*ret_bonus -= MATCH / 2;
	return true;
}

static bool whole_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	return figure(spot, i, true, ret_range, ret_bonus);
}

static bool any_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	return figure(spot, i, false, ret_range, ret_bonus);
}

static bool amount_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	struct amount amount;

	(void)ret_bonus;
	if (spot->tokens->at[i].kind != KH_TOKEN_NUMBER || spot->budget == 0)
		return false;
	spot->budget--;
	if (!amount_at(spot->arena, spot->tokens, i, &amount))
		return false;
	*ret_range = (struct kh_range){i, amount.range.end};
	return true;
}

static bool write_number(struct kh_spot *spot, struct kh_range range, struct kh_view *ret_text)
{
	struct kh_number number = {0};
	const char *problem;
	bool percent = kh_tokens_mark(spot->tokens, range.end - 1, '%');

	if (!word_number(kh_tokens_text(spot->tokens, range.first), &number.value) &&
	    !kh_number_read(kh_tokens_span(spot->tokens, range.first, range.end - 1 - percent), &number, &problem))
		return false;
	*ret_text = kh_number_write(spot->arena, number, 0);
	if (percent && ret_text->p != NULL)
		*ret_text = kh_arena_printf(spot->arena, "%.*s%%", KH_FMT(*ret_text));
	return true;
}

bool kh_find_number_whole(struct kh_spot *spot, struct kh_view *ret_text)
{
	struct kh_range range;

	return kh_spot_best(spot, whole_candidate, &range) && write_number(spot, range, ret_text);
}

bool kh_find_number_any(struct kh_spot *spot, struct kh_view *ret_text)
{
	struct kh_range range;

	return kh_spot_best(spot, any_candidate, &range) && write_number(spot, range, ret_text);
}

bool kh_find_number_amount(struct kh_spot *spot, struct kh_view *ret_text)
{
	struct amount amount;
	struct kh_range range;

	if (!kh_spot_best(spot, amount_candidate, &range) ||
	    !amount_at(spot->arena, spot->tokens, range.first, &amount))
		return false;
	struct kh_view number = kh_number_write(spot->arena, amount.number, 2);
	if (number.p == NULL)
		return false;
	*ret_text = spot->max_words < 2
			    ? kh_arena_printf(spot->arena, "%.*s%.*s", KH_FMT(amount.code), KH_FMT(number))
			    : kh_arena_printf(spot->arena, "%.*s %.*s", KH_FMT(number), KH_FMT(amount.code));
	return true;
}
