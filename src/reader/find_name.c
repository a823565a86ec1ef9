/*
 * A name is one to five capitalised words in a row, possibly with the small words of names ("van", "de la") inside.  It
 * is not a month, and not a word of the list below: words that letters often capitalise but that are not names.
 */
#include "reader/find_name.h"

#include "base/buf.h"
#include "core/bcp/code.h"
#include "core/bcp/date.h"

#define NAME_WORDS 5
#define MATCH      40

static bool is_no_name(const struct kh_tokens *t, size_t i)
{
	static const struct kh_view words = KH_LIT_INIT(
		"project|team|meeting|report|company|group|department|client|minutes|agenda|plan|phase|street|road|inc|"
		"ltd|"
		"gmbh|corp|llc|bank|university|hotel|restaurant|security|support|service|services|training|product|"
		"customer|development|marketing|sales|board|office|room|hall|invoice|order|account|please|thanks|thank|"
		"regards|best|dear|hello|hi|hey|subject|re|fwd|date|time|location|attendees|action|items|note|notes|"
		"today|tomorrow|yesterday|morning|monday|new|all|everyone|colleagues|sir|madam|sincerely|cheers|kind|"
		"yours|north|south|east|west|data|review|update|updates|conference|workshop|center|centre|school|"
		"committee|council|ministry|hospital|airport|station|avenue|square|park|building|floor|house|city|"
		"email|"
		"mail|phone|tel|fax|website|www|http|https|version|chapter|section|table|figure|page|id|pm|am|ok|usd|"
		"eur|"
		"however|therefore|also|yes|no|not|welcome|congratulations|payment|total|amount|status|priority|title|"
		"description|summary|overview|organizer|participants|name|mr|mrs|ms|dr|prof|looking|let|just|great|"
		"good");

	if (t->at[i].n < 2 || kh_cue_is_empty(t->at[i].stem) || kh_tokens_among(t, i, words))
		return true;
	struct kh_view word = kh_tokens_text(t, i);
	/* "May" and "April" are names, but far more often dates. */
	return kh_date_weekday_of(word) != 0 || kh_date_month_of(word) != 0;
}

static bool is_capital(const struct kh_tokens *t, size_t i)
{
	return i < t->n && t->at[i].kind == KH_TOKEN_WORD && t->at[i].capital;
}

/* "van", "de la": only if a capital follows. */
static size_t skip_particles(const struct kh_tokens *t, size_t i)
{
	size_t k = i;

	while (k < t->n && k - i < 3 &&
	       kh_tokens_among(t, k, KH_LIT("van|von|de|der|den|la|le|di|da|dos|del|bin|al|el|ter")))
		k++;
	return k;
}

size_t kh_find_name_end(const struct kh_tokens *tokens, size_t i)
{
	size_t end = i;

	for (size_t words = 0; words < NAME_WORDS; words++) {
		size_t next = end > i ? skip_particles(tokens, end) : end;
		/* "Anna-Lena" */
		if (end > i && kh_tokens_mark(tokens, end, '-') && tokens->at[end].glued &&
		    is_capital(tokens, end + 1) && tokens->at[end + 1].glued)
			next = end + 1;
		/* "J. Smith", "John F. Kennedy" */
		bool initial = is_capital(tokens, next) && tokens->at[next].n == 1 &&
			       kh_tokens_mark(tokens, next + 1, '.') && is_capital(tokens, next + 2) &&
			       tokens->at[next + 2].line == tokens->at[i].line;
		if (!is_capital(tokens, next) || tokens->at[next].line != tokens->at[i].line ||
		    (!initial && is_no_name(tokens, next)))
			break;
		end = initial ? next + 2 : next + 1;
		/* "Lily's party" */
		struct kh_view word = kh_tokens_text(tokens, next);
		if (kh_view_ends(word, KH_LIT("'s")) || kh_view_ends(word, KH_LIT("\xe2\x80\x99s")))
			break;
	}
	return end;
}

/* True if a bullet or a list number stands before token I: it begins an item. */
static bool is_bullet(const struct kh_tokens *t, size_t i)
{
	return i > 0 && t->at[i - 1].kind == KH_TOKEN_MARK && (t->at[i - 1].first || (i > 1 && t->at[i - 2].first)) &&
	       !kh_tokens_mark(t, i - 1, ':') && !kh_tokens_mark(t, i - 1, ',');
}

/* A common word that is capitalised because it begins a sentence: "Book the room". */
static bool is_common(const struct kh_tokens *t, size_t i)
{
	char word[16];
	struct kh_view text = kh_tokens_text(t, i);

	if (text.n > sizeof(word))
		return false;
	for (size_t k = 0; k < text.n; k++)
		word[k] = kh_ascii_lower(text.p[k]);
	return kh_code_word(kh_view_of(word, text.n)) >= 0;
}

static bool candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	const struct kh_tokens *t = spot->tokens;
	size_t end = is_capital(t, i) && !(t->at[i].glued && i > 0 && t->at[i - 1].kind != KH_TOKEN_MARK)
			     ? kh_find_name_end(t, i)
			     : i;

	bool starts = i == 0 || t->at[i - 1].sentence != t->at[i].sentence || t->at[i].first || is_bullet(t, i);

	if (end == i || kh_mail_within(spot->mail->subject, i) || (starts && is_common(t, i)))
		return false;
	/* A part of an address or of a file's name. */
	if (end < t->n && t->at[end].glued &&
	    (kh_tokens_mark(t, end, '@') || kh_tokens_mark(t, end, '_') || t->at[end].kind != KH_TOKEN_MARK))
		return false;
	/* "Zurich Restaurant", "Tech Services": names of things. */
	if (is_capital(t, end) && t->at[end].line == t->at[i].line && is_no_name(t, end) && !t->at[end].glued)
		*ret_bonus -= 2 * MATCH;
	*ret_range = (struct kh_range){i, end};
	*ret_bonus += end - i >= 2 ? MATCH : starts ? -MATCH : 0;
	if (i > 0 &&
	    (kh_tokens_among(t, i - 1, KH_LIT("mr|mrs|ms|dr|prof")) ||
	     (i > 1 && kh_tokens_mark(t, i - 1, '.') && kh_tokens_among(t, i - 2, KH_LIT("mr|mrs|ms|dr|prof")))))
		*ret_bonus += MATCH;
	if (i > 0 && kh_tokens_among(t, i - 1, KH_LIT("in|at|near")))
		*ret_bonus -= MATCH;
	if (t->at[i].shout)
		*ret_bonus -= MATCH;
	if (kh_mail_within(spot->mail->greeting, i) || kh_mail_within(spot->mail->signature, i))
		*ret_bonus -= MATCH / 2;
	return true;
}

/* "emma.johnson" as "emma johnson"; false if an address contains no name. */
static bool name_of_address(struct kh_spot *spot, struct kh_view address, struct kh_view *ret_text)
{
	size_t at = kh_view_find(address, KH_LIT("@"), 0);
	struct kh_buf out;
	bool parted = false;

	if (at == SIZE_MAX || at == 0 || at > 64)
		return false;
	kh_buf_init(&out, spot->arena, 64);
	for (size_t i = 0; i < at; i++) {
		char c = address.p[i];
		bool joint = c == '.' || c == '_' || c == '-';
		if (!joint && !kh_ascii_is_alpha(c))
			return false;
		parted |= joint && i > 0 && i + 1 < at;
		kh_buf_byte(&out, joint ? ' ' : c);
	}
	return parted && kh_buf_end(&out, ret_text) == KH_OK;
}

/* The first name in a header: "Ann Lee <ann@example.org>", "\"Lee, Ann\" <...>", or a bare address. */
static bool name_of_header(struct kh_spot *spot, struct kh_range range, struct kh_view *ret_text)
{
	const struct kh_tokens *t = spot->tokens;

	for (size_t i = range.first; i < range.end; i++) {
		size_t end = is_capital(t, i) ? kh_find_name_end(t, i) : i;
		if (end > i && end <= range.end && !(end < t->n && t->at[end].glued && kh_tokens_mark(t, end, '@'))) {
			*ret_text = kh_tokens_span(t, i, end - 1);
			return true;
		}
		if (kh_tokens_mark(t, i, '<') || kh_tokens_mark(t, i, '@'))
			break;
	}
	if (range.end <= range.first)
		return false;
	struct kh_view header = kh_tokens_span(t, range.first, range.end - 1);
	size_t at = kh_view_find(header, KH_LIT("@"), 0);
	if (at == SIZE_MAX)
		return false;
	size_t start = at;
	while (start > 0 && memchr(" <,;\t\"", header.p[start - 1], 6) == NULL)
		start--;
	return name_of_address(spot, kh_view_from(header, start), ret_text);
}

static bool name_of_range(struct kh_spot *spot, struct kh_range range, struct kh_view *ret_text)
{
	size_t end = range.end > range.first ? kh_find_name_end(spot->tokens, range.first) : range.first;

	if (end == range.first || end > range.end || (end < range.end && is_no_name(spot->tokens, end)))
		return false;
	*ret_text = kh_tokens_span(spot->tokens, range.first, end - 1);
	return true;
}

static bool says(const struct kh_tokens *t, size_t i, struct kh_view first, struct kh_view second)
{
	return kh_tokens_among(t, i, first) && kh_tokens_among(t, i + 1, second);
}

/* "My name is Ann Lee", "I am Ann", "This is Ann". */
static bool introduced(struct kh_spot *spot, struct kh_view *ret_text)
{
	const struct kh_tokens *t = spot->tokens;

	for (size_t i = 0; i + 2 < t->n; i++) {
		size_t name = 0;
		if (kh_tokens_among(t, i, KH_LIT("i'm")))
			name = i + 1;
		else if ((i > 0 && kh_tokens_among(t, i - 1, KH_LIT("my")) &&
			  says(t, i, KH_LIT("name"), KH_LIT("is"))) ||
			 says(t, i, KH_LIT("i"), KH_LIT("am")) || says(t, i, KH_LIT("this"), KH_LIT("is")))
			name = i + 2;
		size_t end = name != 0 && name < t->n ? kh_find_name_end(t, name) : name;
		if (end > name) {
			*ret_text = kh_tokens_span(t, name, end - 1);
			return true;
		}
	}
	return false;
}

bool kh_find_name_person(struct kh_spot *spot, struct kh_view *ret_text)
{
	const struct kh_mail *mail = spot->mail;

	if (kh_spot_asks_sender(spot) && (name_of_header(spot, mail->from, ret_text) ||
					  name_of_range(spot, mail->signature, ret_text) || introduced(spot, ret_text)))
		return true;
	if (kh_spot_asks_recipient(spot) &&
	    (name_of_header(spot, mail->to, ret_text) || name_of_range(spot, mail->greeting, ret_text)))
		return true;
	if (!kh_spot_take(spot, candidate, ret_text))
		return false;
	if (kh_view_ends(*ret_text, KH_LIT("'s")))
		ret_text->n -= 2;
	else if (kh_view_ends(*ret_text, KH_LIT("\xe2\x80\x99s")))
		ret_text->n -= 4;
	return true;
}
