/*
 * Reads dates and times as people write them, strictly, and writes them as ISO 8601 (B11).
 *
 * Guarantee: a date that does not exist, a weekday that does not fit, and a form that can mean two different days
 * (03/04/2026, 1/2/26) are refused.
 */
#ifndef KH_CORE_BCP_DATE_H
#define KH_CORE_BCP_DATE_H

#include "base/arena.h"

struct kh_date {
	int year;  /* 0: not given */
	int month; /* 1-12 */
	int day;   /* 0: not given */
};

struct kh_time {
	int hour, minute;
	int second; /* -1: not given */
	bool zoned;
	bool dashed; /* its zone is a bare "-10:00", which can be the end of a range */
	int offset;  /* minutes east of UTC */
};

/* All of TEXT (any case) as a date or a time of day.  False and a description of the problem if it is not one. */
bool kh_date_read(struct kh_view text, struct kh_date *ret_date, const char **ret_problem);
bool kh_date_read_time(struct kh_view text, struct kh_time *ret_time, const char **ret_problem);

/* Both, in either order, with "at", "on", "T" or a comma between. */
bool kh_date_read_both(struct kh_view text, struct kh_date *ret_date, struct kh_time *ret_time,
		       const char **ret_problem);

/* "2026-03-15", "--03-15" without a year, "2026-03" without a day; "14:30", "14:30:15", "14:30Z", "14:30+02:00". */
struct kh_view kh_date_write(struct kh_arena *arena, const struct kh_date *date);
struct kh_view kh_date_write_time(struct kh_arena *arena, const struct kh_time *time);

/* 1 Monday .. 7 Sunday.  The date is complete. */
int kh_date_weekday(const struct kh_date *date);

/* 1-12 for a month's English name or its first three letters, 1-7 for a weekday's; 0 for anything else.  Any case. */
int kh_date_month_of(struct kh_view word);
int kh_date_weekday_of(struct kh_view word);

/* True if WORD is a month or a weekday in German, French, Spanish, Italian, Portuguese or Dutch. */
bool kh_date_is_foreign(struct kh_view word);

#endif
