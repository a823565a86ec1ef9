/*
 * A date begins at a number, a month or a weekday; it is the longest run of tokens from there that kh_date_read()
 * accepts.
 */
#include "reader/find_date.h"

#include "core/bcp/date.h"

#define DATE_TOKENS 8
#define TIME_TOKENS 9
#define JOINT       5  /* tokens between a date and its time */
#define MATCH       40 /* the bonus for matching surroundings */

/* True if a number directly follows a word or a joint: then it is part of something longer. */
static bool begins_inside(const struct kh_tokens *t, size_t i)
{
	if (i == 0)
		return false;
	const struct kh_token *before = &t->at[i - 1];
	/* "31 February 2026" is not a date, and "February 2026" is not what was meant. */
	if (t->at[i].kind == KH_TOKEN_WORD && before->kind == KH_TOKEN_NUMBER && before->n <= 2 &&
	    before->line == t->at[i].line && kh_date_month_of(kh_tokens_text(t, i)))
		return true;
	if (!t->at[i].glued)
		return false;
	if (before->kind != KH_TOKEN_MARK)
		return !(before->kind == KH_TOKEN_WORD && before->n == 1 && t->text.p[before->at] == 'T');
	return before->n == 1 && memchr("/-_.:", t->text.p[before->at], 5) != NULL && before->glued;
}

static bool ends_inside(const struct kh_tokens *t, size_t last, bool numeric)
{
	const struct kh_token *next = last + 1 < t->n ? &t->at[last + 1] : NULL;

	if (next == NULL || !next->glued)
		return false;
	if (next->kind == KH_TOKEN_NUMBER || (next->kind == KH_TOKEN_WORD && !kh_tokens_word(t, last + 1, KH_LIT("T"))))
		return true;
	bool joint = next->kind == KH_TOKEN_MARK && next->n == 1 && memchr("/-.", t->text.p[next->at], 3) != NULL;
	return numeric && joint && last + 2 < t->n && t->at[last + 2].glued && t->at[last + 2].kind == KH_TOKEN_NUMBER;
}

/* A month or weekday of another language, which may have no capital: a number is at most two tokens away. */
static bool is_foreign(const struct kh_tokens *t, size_t i)
{
	bool near = false;

	for (size_t k = i < 2 ? 0 : i - 2; k <= i + 2 && k < t->n; k++)
		near |= t->at[k].kind == KH_TOKEN_NUMBER;
	return near && kh_date_is_foreign(kh_tokens_text(t, i));
}

/* "may" and "march" are also ordinary words; months and weekdays have capitals. */
static bool is_named(const struct kh_tokens *t, size_t i)
{
	static const char threes[] = "janfebmaraprmayjunjulaugsepoctnovdecmontuewedthufrisatsun";

	if (i >= t->n || t->at[i].kind != KH_TOKEN_WORD || t->at[i].n < 3)
		return false;
	if (is_foreign(t, i))
		return true;
	if (!t->at[i].capital || t->at[i].n > 9)
		return false;
	struct kh_view word = kh_tokens_text(t, i);
	char a = kh_ascii_lower(word.p[0]), b = kh_ascii_lower(word.p[1]), c = kh_ascii_lower(word.p[2]);
	for (size_t k = 0; k < sizeof(threes) - 1; k += 3) {
		if (threes[k] == a && threes[k + 1] == b && threes[k + 2] == c)
			return kh_date_month_of(word) || kh_date_weekday_of(word);
	}
	return false;
}

/*
 * True if a year follows token LAST.  A date that leaves it out is cut short: the whole is no date
 * ("29 February 2023"), or is one only without its weekday, which is another day's.
 */
static bool year_follows(const struct kh_tokens *t, size_t last)
{
	size_t next = last + 1 + (size_t)kh_tokens_mark(t, last + 1, ',');

	return next < t->n && t->at[next].kind == KH_TOKEN_NUMBER && t->at[next].n == 4 &&
	       t->at[next].line == t->at[last].line;
}

/* The last token of the date that begins at token I. */
static bool date_at(const struct kh_tokens *t, size_t i, size_t *ret_last, struct kh_date *ret_date)
{
	bool number = t->at[i].kind == KH_TOKEN_NUMBER && t->at[i].n <= 4;
	const char *problem;

	if ((!number && !is_named(t, i)) || begins_inside(t, i))
		return false;
	/* A number needs a joint or a month within the next words; else no date begins there. */
	size_t end = i;
	bool month = !number;
	while (end + 1 < t->n && end + 1 - i < DATE_TOKENS && t->at[end + 1].line == t->at[i].line) {
		end++;
		month |= is_named(t, end);
		if (t->at[end].kind == KH_TOKEN_WORD && !is_named(t, end) && t->at[end].n > 3)
			break;
	}
	/* Three numbers with marks between them, or a month's name. */
	bool marks = number && i + 2 < t->n && t->at[i + 1].glued && t->at[i + 2].glued &&
		     t->at[i + 2].kind == KH_TOKEN_NUMBER;
	if (!month && !marks)
		return false;
	for (size_t last = end; last > i; last--) {
		if (t->at[last].kind == KH_TOKEN_MARK || ends_inside(t, last, !month) ||
		    (t->at[last].kind == KH_TOKEN_WORD && !is_named(t, last) && t->at[last].n > 2))
			continue;
		if (kh_date_read(kh_tokens_span(t, i, last), ret_date, &problem)) {
			*ret_last = last;
			return ret_date->year != 0 || !year_follows(t, last);
		}
	}
	return false;
}

/* "10:00 - 11:30" is a range; "10:00:00-05:00" and "10:00 UTC-5" have a zone. */
static bool is_zone(const struct kh_tokens *t, size_t first, size_t last, const struct kh_time *time)
{
	for (size_t i = first + 1; i <= last; i++) {
		if (kh_tokens_mark(t, i, '-'))
			return time->second >= 0 || kh_tokens_among(t, i - 1, KH_LIT("utc|gmt")) ||
			       (first > 0 && t->at[first].glued && kh_tokens_among(t, first - 1, KH_LIT("t")));
	}
	return true;
}

static bool time_at(const struct kh_tokens *t, size_t i, size_t *ret_last, struct kh_time *ret_time)
{
	const char *problem;
	bool word = kh_tokens_among(t, i, KH_LIT("noon|midnight"));

	if (!word && (t->at[i].kind != KH_TOKEN_NUMBER || t->at[i].n > 2))
		return false;
	if (i > 0 && t->at[i].glued && !word) {
		const struct kh_token *before = &t->at[i - 1];
		char mark = t->text.p[before->at];
		bool part = before->kind == KH_TOKEN_MARK ? (mark == ':' || mark == '.' || mark == '+' || mark == '$')
							  : !kh_tokens_among(t, i - 1, KH_LIT("t"));
		if (part)
			return false;
	}
	size_t end = i;
	while (end + 1 < t->n && end + 1 - i < TIME_TOKENS && t->at[end + 1].line == t->at[i].line)
		end++;
	for (size_t last = end + 1; last-- > i;) {
		bool stop = kh_tokens_mark(t, last, '.') && last > i && kh_tokens_among(t, last - 1, KH_LIT("m"));
		if ((t->at[last].kind == KH_TOKEN_MARK && !stop) || ends_inside(t, last, true))
			continue;
		if (kh_date_read_time(kh_tokens_span(t, i, last), ret_time, &problem) &&
		    is_zone(t, i, last, ret_time)) {
			*ret_last = last;
			return true;
		}
	}
	return false;
}

/* True if a word or a dash before token I makes it the end of a range. */
static bool is_range_end(const struct kh_tokens *t, size_t i)
{
	return i > 0 && (kh_tokens_mark(t, i - 1, '-') || kh_tokens_among(t, i - 1, KH_LIT("to|until|till|through")) ||
			 (t->at[i - 1].kind == KH_TOKEN_MARK && t->at[i - 1].n == 3 &&
			  (unsigned char)t->text.p[t->at[i - 1].at] == 0xe2));
}

/* Only a question about sending means the date of the mail itself. */
static bool surroundings(const struct kh_spot *spot, size_t first, int *ret_bonus)
{
	bool sending = kh_spot_asks(spot, KH_LIT("sent|received|send|mail|email|message|letter|written|dated"));

	if (kh_mail_within(spot->mail->date, first)) {
		if (!sending && spot->specific > 0)
			return false;
		*ret_bonus += 4 * MATCH;
	}
	if (is_range_end(spot->tokens, first))
		*ret_bonus += spot->last ? 3 * MATCH : spot->begin ? -3 * MATCH : -MATCH / 4;
	return true;
}

static bool day_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	struct kh_date date = {0};
	size_t last;

	if (!date_at(spot->tokens, i, &last, &date))
		return false;
	*ret_range = (struct kh_range){i, last + 1};
	/* A month alone says less than a day. */
	*ret_bonus = date.day != 0 ? MATCH / 2 : 0;
	return surroundings(spot, i, ret_bonus);
}

static bool clock_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	struct kh_time time;
	size_t last;

	if (!time_at(spot->tokens, i, &last, &time))
		return false;
	*ret_range = (struct kh_range){i, last + 1};
	return surroundings(spot, i, ret_bonus);
}

/* The token after what may be between a date and its time, from I. */
static size_t skip_joint(const struct kh_tokens *t, size_t i)
{
	size_t k = i;

	while (k < t->n && k - i < JOINT &&
	       (kh_tokens_among(t, k, KH_LIT("at|on|from|by|t|starting|and|around|between")) ||
		kh_tokens_mark(t, k, ',') || kh_tokens_mark(t, k, '-') || kh_tokens_mark(t, k, '@') ||
		kh_tokens_mark(t, k, '(') || is_named(t, k)) &&
	       !(is_named(t, k) && kh_date_month_of(kh_tokens_text(t, k))))
		k++;
	return k;
}

struct both {
	struct kh_date date;
	struct kh_time time;
	size_t last;
};

static bool both_at(const struct kh_tokens *t, size_t i, struct both *ret)
{
	size_t last, next;

	if (date_at(t, i, &last, &ret->date)) {
		next = skip_joint(t, last + 1);
		return ret->date.day > 0 && next < t->n && time_at(t, next, &ret->last, &ret->time);
	}
	if (!time_at(t, i, &last, &ret->time))
		return false;
	next = skip_joint(t, last + 1);
	/* A range of times may come before its date: "10:00 - 11:00 on May 5". */
	if (is_range_end(t, next) && next < t->n && time_at(t, next, &last, &(struct kh_time){0}))
		next = skip_joint(t, last + 1);
	return next < t->n && date_at(t, next, &ret->last, &ret->date) && ret->date.day > 0;
}

static bool both_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	struct both both;

	if (!both_at(spot->tokens, i, &both))
		return false;
	*ret_range = (struct kh_range){i, both.last + 1};
	return surroundings(spot, i, ret_bonus);
}

static struct kh_view write_both(struct kh_spot *spot, const struct kh_date *date, const struct kh_time *time)
{
	struct kh_view day = kh_date_write(spot->arena, date), clock = kh_date_write_time(spot->arena, time);

	if (spot->arena->failed)
		return kh_view_of(NULL, 0);
	return kh_arena_printf(spot->arena, "%.*sT%.*s", KH_FMT(day), KH_FMT(clock));
}

bool kh_find_date_day(struct kh_spot *spot, struct kh_view *ret_text)
{
	struct kh_range range;
	struct kh_date date = {0};
	size_t last;

	if (!kh_spot_best(spot, day_candidate, &range) || !date_at(spot->tokens, range.first, &last, &date))
		return false;
	*ret_text = kh_date_write(spot->arena, &date);
	return true;
}

bool kh_find_date_clock(struct kh_spot *spot, struct kh_view *ret_text)
{
	struct kh_range range;
	struct kh_time time;
	size_t last;

	if (!kh_spot_best(spot, clock_candidate, &range) || !time_at(spot->tokens, range.first, &last, &time))
		return false;
	*ret_text = kh_date_write_time(spot->arena, &time);
	return true;
}

bool kh_find_date_both(struct kh_spot *spot, struct kh_view *ret_text)
{
	struct kh_range range, clock;
	struct both both;
	size_t last;

	if (kh_spot_best(spot, both_candidate, &range) && both_at(spot->tokens, range.first, &both)) {
		*ret_text = write_both(spot, &both.date, &both.time);
		return true;
	}
	if (!kh_spot_best(spot, day_candidate, &range) || !kh_spot_best(spot, clock_candidate, &clock) ||
	    !date_at(spot->tokens, range.first, &last, &both.date) || both.date.day == 0 ||
	    !time_at(spot->tokens, clock.first, &last, &both.time))
		return false;
	const struct kh_token *a = &spot->tokens->at[range.first], *b = &spot->tokens->at[clock.first];
	if (a->sentence != b->sentence && a->line + 1 < b->line)
		return false;
	*ret_text = write_both(spot, &both.date, &both.time);
	return true;
}
