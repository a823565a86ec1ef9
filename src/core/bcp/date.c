/*
 * Reads dates and times.
 *
 * The text is split into at most a dozen tokens: runs of letters, runs of digits, single other characters.  A date is
 * then one of a few sequences of tokens; everything that is not exactly one of them is refused.
 */
#include "core/bcp/date.h"

#define TOKENS 16

enum token_kind { WORD, NUMBER, MARK };

struct token {
	enum token_kind kind;
	struct kh_view text;
	int value;  /* of a number */
	bool glued; /* nothing is between it and the token before */
};

struct tokens {
	struct token at[TOKENS];
	size_t n;
};

static const char *const month_names[] = {"january", "february", "march",     "april",   "may",      "june",
					  "july",    "august",   "september", "october", "november", "december"};
static const char *const weekday_names[] = {"monday", "tuesday",  "wednesday", "thursday",
					    "friday", "saturday", "sunday"};

/* The same in German, French, Spanish, Italian, Portuguese and Dutch, with abbreviations that are not other words. */
static const char *const foreign_months[] = {
	"januar|j\xc3\xa4nner|janvier|janv|enero|ene|gennaio|janeiro|januari",
	"februar|feber|f\xc3\xa9vrier|f\xc3\xa9vr|f\xc3\xa9v|febrero|febbraio|fevereiro|fev|februari",
	"m\xc3\xa4rz|m\xc3\xa4r|mars|marzo|mar\xc3\xa7o|maart|mrt",
	"avril|avr|abril|abr|aprile",
	"mai|mayo|maggio|maio|mei",
	"juni|juin|junio|giugno|giu|junho",
	"juli|juillet|juil|julio|luglio|lug|julho",
	"ao\xc3\xbbt|aout|agosto|augustus",
	"septembre|septiembre|settembre|setembro",
	"oktober|okt|octobre|octubre|ottobre|outubro",
	"novembre|noviembre|novembro",
	("dezember|dez|d\xc3\xa9"
	 "cembre|d\xc3\xa9"
	 "c|diciembre|dicembre|dezembro")};
static const char *const foreign_weekdays[] = {"montag|lundi|lunes|luned\xc3\xac|segunda|maandag",
					       "dienstag|mardi|martes|marted\xc3\xac|ter\xc3\xa7"
					       "a|dinsdag",
					       "mittwoch|mercredi|mi\xc3\xa9rcoles|mercoled\xc3\xac|quarta|woensdag",
					       "donnerstag|jeudi|jueves|gioved\xc3\xac|quinta|donderdag",
					       "freitag|vendredi|viernes|venerd\xc3\xac|sexta|vrijdag",
					       "samstag|sonnabend|samedi|s\xc3\xa1"
					       "bado|sabato|zaterdag",
					       "sonntag|dimanche|domingo|domenica|zondag"};

/* What an answer may abbreviate further, although in running text these are other words. */
static const char *const short_months[] = {"gen|j\xc3\xa4n", "febr",    "mrz", "",   "mag", "", "", "ago",
					   "set|sett",       "out|ott", "",    "dic"};
static const char *const short_weekdays[] = {"mo|lun|seg|ma",
					     "di|ter",
					     "mi|mer|mi\xc3\xa9|qua|wo",
					     "do|jeu|jue|gio|qui",
					     "fr|ven|vie|sex|vr",
					     ("sa|sam|s\xc3\xa1"
					      "b|sab|za"),
					     "so|dim|dom|zo"};

/* Like kh_view_eq_nocase(), for the letters of Latin-1 too. */
static bool is_same_word(struct kh_view word, struct kh_view name)
{
	if (word.n != name.n)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		unsigned char a = (unsigned char)kh_ascii_lower(word.p[i]), b = (unsigned char)name.p[i];
		bool capital = i > 0 && (unsigned char)word.p[i - 1] == 0xc3 && a >= 0x80 && a <= 0x9e;
		if (a + (capital ? 0x20 : 0) != b)
			return false;
	}
	return true;
}

/* The row of ROWS, of names separated by '|', that WORD is in; from 1, 0 for none. */
static int row_of(struct kh_view word, const char *const *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct kh_view names = kh_view_str(rows[i]), name;
		while (kh_view_split(&names, '|', &name)) {
			if (is_same_word(word, name))
				return (int)i + 1;
		}
	}
	return 0;
}

static bool is(const struct token *token, const char *word)
{
	return kh_view_eq_nocase(token->text, kh_view_str(word));
}

/*
 * The index of WORD among NAMES, by the whole name or its first three letters (and "sept", "tues", "thur", "thurs");
 * from 1.
 */
static int name_of(struct kh_view word, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct kh_view name = kh_view_str(names[i]);
		if (kh_view_eq_nocase(word, name) || kh_view_eq_nocase(word, kh_view_sub(name, 0, 3)))
			return (int)i + 1;
		bool longer = names[i][0] == 't' || (names[i][0] == 's' && names[i][1] == 'e');
		if (longer && (word.n == 4 || word.n == 5) && kh_view_eq_nocase(word, kh_view_sub(name, 0, word.n)))
			return (int)i + 1;
	}
	return 0;
}

int kh_date_month_of(struct kh_view word)
{
	return name_of(word, month_names, 12);
}

int kh_date_weekday_of(struct kh_view word)
{
	return name_of(word, weekday_names, 7);
}

bool kh_date_is_foreign(struct kh_view word)
{
	return row_of(word, foreign_months, 12) != 0 || row_of(word, foreign_weekdays, 7) != 0;
}

/* The same in any of the languages that dates are read in. */
static int any_month(struct kh_view word)
{
	int month = kh_date_month_of(word);

	if (month == 0)
		month = row_of(word, foreign_months, 12);
	return month != 0 ? month : row_of(word, short_months, 12);
}

static int any_weekday(struct kh_view word)
{
	int weekday = kh_date_weekday_of(word);

	if (weekday == 0)
		weekday = row_of(word, foreign_weekdays, 7);
	return weekday != 0 ? weekday : row_of(word, short_weekdays, 7);
}

static bool is_letter(char c)
{
	return kh_ascii_is_alpha(c) || ((unsigned char)c & 0x80);
}

static int number_of(struct kh_view digits)
{
	int value = 0;

	for (size_t i = 0; i < digits.n; i++)
		value = value * 10 + (digits.p[i] - '0');
	return value;
}

/* Splits TEXT into tokens; false if it has too many or a number of more than 4 digits. */
static bool cut(struct kh_view text, struct tokens *ret)
{
	size_t at = 0;
	bool glued = false;

	ret->n = 0;
	while (at < text.n) {
		size_t start = at;
		if (text.p[at] == ' ') {
			at++;
			glued = false;
			continue;
		}
		struct token token = {.kind = MARK, .glued = glued};
		if (is_letter(text.p[at])) {
			token.kind = WORD;
			while (at < text.n && is_letter(text.p[at]))
				at++;
		} else if (kh_ascii_is_digit(text.p[at])) {
			token.kind = NUMBER;
			while (at < text.n && kh_ascii_is_digit(text.p[at]))
				at++;
		} else {
			at++;
		}
		token.text = kh_view_sub(text, start, at);
		if (ret->n == TOKENS || (token.kind == NUMBER && token.text.n > 4))
			return false;
		token.value = token.kind == NUMBER ? number_of(token.text) : 0;
		ret->at[ret->n++] = token;
		glued = true;
	}
	return true;
}

static void drop(struct tokens *t, size_t i)
{
	memmove(&t->at[i], &t->at[i + 1], (t->n - i - 1) * sizeof(t->at[0]));
	t->n--;
}

static int days_in(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	/* Without a year the 29th of February is valid. */
	bool leap = year == 0 || (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));

	return days[month - 1] + (month == 2 && leap);
}

int kh_date_weekday(const struct kh_date *date)
{
	/* Days since Monday 0001-01-01, with the year counted from March so that leap days come last. */
	int shift = date->month <= 2;
	int y = date->year - shift, m = date->month + (shift ? 12 : 0) - 3;
	int days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + date->day - 307;

	return (days + 7) % 7 + 1;
}

static bool complete(int year, int month, int day, int weekday, struct kh_date *ret_date, const char **ret_problem)
{
	struct kh_date date = {year, month, day};

	if (month < 1 || month > 12 || day < 0 || (day > 0 && day > days_in(year, month))) {
		*ret_problem = "no such date";
		return false;
	}
	if (weekday != 0 && day == 0) {
		*ret_problem = "a weekday needs a day";
		return false;
	}
	/* Without a year there is nothing to compare it with: it is dropped. */
	if (weekday != 0 && year != 0 && kh_date_weekday(&date) != weekday) {
		*ret_problem = "the weekday is not that of the date";
		return false;
	}
	*ret_date = date;
	return true;
}

static bool is_year(const struct token *token)
{
	return token->kind == NUMBER && token->text.n == 4 && token->value >= 1000;
}

static bool is_day(const struct token *token)
{
	return token->kind == NUMBER && token->text.n <= 2;
}

/*
 * Reads three numbers with the same mark between them: the year first, or the year last if day and month cannot be
 * confused.
 */
static bool read_numeric(const struct tokens *t, int weekday, struct kh_date *ret_date, const char **ret_problem)
{
	const struct token *a = &t->at[0], *b = &t->at[2], *c = &t->at[4];
	char mark = t->at[1].text.p[0];

	if (t->at[3].text.p[0] != mark || (mark != '-' && mark != '/' && mark != '.') || !is_day(b)) {
		*ret_problem = "not a date";
		return false;
	}
	if (is_year(a) && is_day(c))
		return complete(a->value, b->value, c->value, weekday, ret_date, ret_problem);
	if (!is_day(a) || !is_year(c)) {
		*ret_problem = "not a date with a year of four digits";
		return false;
	}
	if (a->value <= 12 && b->value <= 12 && a->value != b->value) {
		*ret_problem = "day and month cannot be told apart";
		return false;
	}
	return a->value > 12 ? complete(c->value, b->value, a->value, weekday, ret_date, ret_problem)
			     : complete(c->value, a->value, b->value, weekday, ret_date, ret_problem);
}

/* True for a word that only joins the parts of a date: "le lundi 16 mars", "16 de marzo de 2026", "segunda-feira". */
static bool is_joint(const struct token *token)
{
	return token->kind == WORD && token->text.n <= sizeof("feira") - 1 &&
	       row_of(token->text, (const char *const[]){"the|de|del|di|le|il|el|den|der|am|vom|op|feira"}, 1) != 0;
}

/*
 * Drops tokens that say nothing: "the", "of" and their like, commas, the ordinals of days, and a full stop after a word
 * or a day ("Mar.", "15.").  WEEKDAY: one was taken off the beginning, and its comma or full stop is left.
 */
static void drop_filler(struct tokens *t, bool weekday)
{
	for (size_t i = 0; i < t->n;) {
		const struct token *token = &t->at[i], *before = i ? &t->at[i - 1] : NULL;
		if (token->kind == NUMBER) {
			i++;
			continue;
		}
		bool ordinal = before && before->kind == NUMBER && before->text.n <= 2 && token->glued &&
			       (is(token, "st") || is(token, "nd") || is(token, "rd") || is(token, "th") ||
				is(token, "er") || is(token, "o"));
		bool comma = (before || weekday) && is(token, ",");
		bool stop = is(token, ".") && (before ? before->kind != MARK : weekday) &&
			    !(i + 1 < t->n && t->at[i + 1].glued && t->at[i + 1].kind != MARK);
		bool hyphen = is(token, "-") && i + 1 < t->n && is(&t->at[i + 1], "feira");
		if (ordinal || comma || stop || hyphen || is(token, "of") || (is_joint(token) && i + 1 < t->n))
			drop(t, i);
		else
			i++;
	}
}

/* Takes a weekday off the beginning or the end. */
static int take_weekday(struct tokens *t)
{
	size_t ends[] = {0, t->n - 1};

	for (size_t i = 0; i < 2 && t->n > 1; i++) {
		int weekday = t->at[ends[i]].kind == WORD ? any_weekday(t->at[ends[i]].text) : 0;
		if (weekday != 0) {
			drop(t, ends[i]);
			return weekday;
		}
	}
	return 0;
}

bool kh_date_read(struct kh_view text, struct kh_date *ret_date, const char **ret_problem)
{
	struct tokens t;

	*ret_problem = "not a date";
	if (!cut(text, &t) || t.n == 0)
		return false;
	/* --03-15: our own form without a year */
	if (t.n == 5 && is(&t.at[0], "-") && is(&t.at[1], "-") && is_day(&t.at[2]) && is(&t.at[3], "-") &&
	    is_day(&t.at[4]))
		return t.at[4].value > 0 && complete(0, t.at[2].value, t.at[4].value, 0, ret_date, ret_problem);
	int weekday = t.n > 1 ? take_weekday(&t) : 0;
	drop_filler(&t, weekday != 0);
	if (weekday == 0 && t.n > 1) /* after "the", or before a full stop */
		weekday = take_weekday(&t);
	drop_filler(&t, weekday != 0);
	const struct token *a = &t.at[0], *b = &t.at[1], *c = &t.at[2];
	if (t.n == 5 && a->kind == NUMBER && b->kind == MARK && c->kind == NUMBER && t.at[3].kind == MARK &&
	    t.at[4].kind == NUMBER) {
		if (a->value == 0 || c->value == 0 || t.at[4].value == 0)
			return false;
		return read_numeric(&t, weekday, ret_date, ret_problem);
	}
	/* 2026-03, 15-Mar-2026 */
	if (t.n == 3 && is_year(a) && is(b, "-") && is_day(c) && c->text.n == 2 && c->value > 0)
		return complete(a->value, c->value, 0, weekday, ret_date, ret_problem);
	if (t.n == 5 && is(b, "-") && is(&t.at[3], "-") && c->kind == WORD) {
		drop(&t, 3);
		drop(&t, 1);
	}
	if (t.n < 2 || t.n > 3)
		return false;
	int month_a = a->kind == WORD ? any_month(a->text) : 0;
	int month_b = b->kind == WORD ? any_month(b->text) : 0;
	int year = t.n == 3 && is_year(c) ? c->value : 0;
	if (t.n == 2 && month_a && is_year(b))
		return complete(b->value, month_a, 0, weekday, ret_date, ret_problem);
	if (t.n == 3 && year == 0)
		return false;
	if (month_a && is_day(b) && b->value > 0)
		return complete(year, month_a, b->value, weekday, ret_date, ret_problem);
	if (is_day(a) && a->value > 0 && month_b)
		return complete(year, month_b, a->value, weekday, ret_date, ret_problem);
	return false;
}

/* Reads "am", "pm", "a.m." or "p.m." at token I: 0, 12, or -1 for none.  *RET_USED is the number of its tokens. */
static int half_of_day(const struct tokens *t, size_t i, size_t *ret_used)
{
	if (i < t->n && (is(&t->at[i], "am") || is(&t->at[i], "pm"))) {
		*ret_used = i + 1 < t->n && is(&t->at[i + 1], ".") ? 2 : 1;
		return is(&t->at[i], "pm") ? 12 : 0;
	}
	if (i + 2 < t->n && (is(&t->at[i], "a") || is(&t->at[i], "p")) && is(&t->at[i + 1], ".") &&
	    is(&t->at[i + 2], "m")) {
		*ret_used = i + 3 < t->n && is(&t->at[i + 3], ".") ? 4 : 3;
		return is(&t->at[i], "p") ? 12 : 0;
	}
	*ret_used = 0;
	return -1;
}

/* Reads Z, UTC, GMT, +02:00 or UTC+2 from token I to the end.  HALF: behind "am" or "pm". */
static bool read_zone(const struct tokens *t, size_t i, bool half, struct kh_time *time)
{
	if (i == t->n)
		return true;
	bool named = is(&t->at[i], "z") || is(&t->at[i], "utc") || is(&t->at[i], "gmt");
	time->zoned = true;
	if (named && ++i == t->n)
		return true;
	if (i + 1 >= t->n || !(is(&t->at[i], "+") || is(&t->at[i], "-")) || t->at[i + 1].kind != NUMBER)
		return false;
	int sign = is(&t->at[i], "-") ? -1 : 1;
	const struct token *hours = &t->at[i + 1];
	time->dashed = sign < 0 && !named;
	/* Two numbers on both sides of a dash are a range, unless the first is an hour as ISO 8601 writes it. */
	if (time->dashed && (!hours->glued || t->at[0].text.n != 2 || half))
		return false;
	int h = hours->text.n == 4 ? hours->value / 100 : hours->value;
	int m = hours->text.n == 4 ? hours->value % 100 : 0;
	i += 2;
	if (hours->text.n <= 2 && i + 2 == t->n && is(&t->at[i], ":") && t->at[i + 1].text.n == 2) {
		m = t->at[i + 1].value;
		i += 2;
	}
	time->offset = sign * (h * 60 + m);
	/* Every zone in use is a quarter of an hour, and at most 14 hours away; fewer forms carry fewer bits (B7). */
	return i == t->n && m < 60 && m % 15 == 0 && h * 60 + m <= 14 * 60 && hours->text.n != 3;
}

bool kh_date_read_time(struct kh_view text, struct kh_time *ret_time, const char **ret_problem)
{
	struct kh_time time = {.second = -1};
	struct tokens t;
	size_t i = 1, used;

	*ret_problem = "not a time of day";
	if (!cut(text, &t) || t.n == 0)
		return false;
	if (t.n > 1 && is(&t.at[0], "at"))
		drop(&t, 0);
	if (t.n == 1 && (is(&t.at[0], "noon") || is(&t.at[0], "midnight"))) {
		*ret_time = (struct kh_time){.hour = is(&t.at[0], "noon") ? 12 : 0, .second = -1};
		return true;
	}
	if (!is_day(&t.at[0]))
		return false;
	time.hour = t.at[0].value;
	bool minutes = t.n > 2 && (is(&t.at[1], ":") || is(&t.at[1], "h") || is(&t.at[1], ".")) &&
		       t.at[2].kind == NUMBER && t.at[2].text.n == 2;
	if (minutes) {
		time.minute = t.at[2].value;
		i = 3;
		if (i + 1 < t.n && is(&t.at[i], ":") && t.at[i + 1].kind == NUMBER && t.at[i + 1].text.n == 2) {
			time.second = t.at[i + 1].value;
			i += 2;
		}
	}
	int half = half_of_day(&t, i, &used);
	if (half >= 0 && (time.hour < 1 || time.hour > 12))
		return false;
	if (half >= 0)
		time.hour = time.hour % 12 + half;
	/* A bare number is not a time, and 14.30 could be a price. */
	if (half < 0 && (!minutes || is(&t.at[1], ".")))
		return false;
	if (!read_zone(&t, i + used, half >= 0, &time))
		return false;
	if (time.hour > 23 || time.minute > 59 || time.second > 59) {
		*ret_problem = "no such time of day";
		return false;
	}
	*ret_time = time;
	return true;
}

/* Reads TEXT[0, at) and TEXT[at, n) as date and time, in either order, without the words that join them. */
static bool read_split(struct kh_view text, size_t at, struct kh_date *ret_date, struct kh_time *ret_time,
		       const char **ret_problem)
{
	struct kh_view first = kh_view_trim(kh_view_sub(text, 0, at)), second = kh_view_trim(kh_view_from(text, at));
	const char *problem;

	if (first.n > 1 && first.p[first.n - 1] == ',')
		first = kh_view_trim(kh_view_sub(first, 0, first.n - 1));
	if (first.n > 3 && kh_view_eq_nocase(kh_view_from(first, first.n - 3), KH_LIT(" at")))
		first = kh_view_trim(kh_view_sub(first, 0, first.n - 3));
	if (second.n > 3 && kh_view_eq_nocase(kh_view_sub(second, 0, 3), KH_LIT("on ")))
		second = kh_view_trim(kh_view_from(second, 3));
	if (kh_date_read(first, ret_date, &problem) && kh_date_read_time(second, ret_time, ret_problem))
		return true;
	return kh_date_read_time(first, ret_time, &problem) && kh_date_read(second, ret_date, ret_problem);
}

bool kh_date_read_both(struct kh_view text, struct kh_date *ret_date, struct kh_time *ret_time,
		       const char **ret_problem)
{
	const char *problem = "not a date with a time of day";

	/* 2026-03-15T14:30 and our own --03-15T14:30 */
	for (size_t i = 7; i + 1 < text.n && i <= 10; i++) {
		if ((text.p[i] == 'T' || text.p[i] == 't') && kh_ascii_is_digit(text.p[i - 1]) &&
		    kh_ascii_is_digit(text.p[i + 1]) && kh_date_read(kh_view_sub(text, 0, i), ret_date, ret_problem) &&
		    kh_date_read_time(kh_view_from(text, i + 1), ret_time, ret_problem)) {
			ret_time->dashed = false; /* behind a "T" is one time with its zone (ISO 8601) */
			return ret_date->day > 0;
		}
	}
	for (size_t i = 1; i < text.n; i++) {
		if (text.p[i] == ' ' && read_split(text, i, ret_date, ret_time, ret_problem) && ret_date->day > 0) {
			ret_time->dashed = ret_time->dashed &&
					   ret_time->second < 0; /* "14:30:15 -0300", as in a mail */
			return true;
		}
	}
	*ret_problem = problem;
	return false;
}

struct kh_view kh_date_write(struct kh_arena *arena, const struct kh_date *date)
{
	if (date->year == 0)
		return kh_arena_printf(arena, "--%02d-%02d", date->month, date->day);
	if (date->day == 0)
		return kh_arena_printf(arena, "%04d-%02d", date->year, date->month);
	return kh_arena_printf(arena, "%04d-%02d-%02d", date->year, date->month, date->day);
}

struct kh_view kh_date_write_time(struct kh_arena *arena, const struct kh_time *time)
{
	int offset = time->offset < 0 ? -time->offset : time->offset;
	struct kh_view clock = kh_arena_printf(arena, "%02d:%02d", time->hour, time->minute);

	if (time->second >= 0)
		clock = kh_arena_printf(arena, "%.*s:%02d", KH_FMT(clock), time->second);
	if (time->zoned && offset == 0)
		clock = kh_arena_printf(arena, "%.*sZ", KH_FMT(clock));
	else if (time->zoned)
		clock = kh_arena_printf(arena, "%.*s%c%02d:%02d", KH_FMT(clock), time->offset < 0 ? '-' : '+',
					offset / 60, offset % 60);
	return clock;
}
