/* A rolling window of hours.  What is read from a store is checked: hours ascend, and no mark is above the next. */
#include "core/policy/window.h"

#include <stdio.h>

#define HOUR    INT64_C(3600000000)
#define MOST    (UINT64_C(1) << 53) /* the largest number that a column holds */
#define NUMBERS 4

_Static_assert((KH_WINDOW_HOURS + 1) * NUMBERS * (sizeof("9007199254740992") - 1 + 1) < KH_WINDOW_TEXT,
	       "the text of the largest window fits");

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a < MOST && b < MOST - a ? a + b : MOST;
}

static struct kh_window_sums subtract(struct kh_window_sums a, struct kh_window_sums b)
{
	return (struct kh_window_sums){a.bits - b.bits, a.escalations - b.escalations, a.put - b.put};
}

/* The hour of NOW, or the newest mark's if that is later. */
static int64_t hour_of(const struct kh_window *window, int64_t now)
{
	int64_t hour = (now > 0 ? now : 0) / HOUR;

	return window->n > 0 && window->marks[window->n - 1].hour > hour ? window->marks[window->n - 1].hour : hour;
}

/* How many marks are too old at HOUR. */
static size_t count_old(const struct kh_window *window, int64_t hour)
{
	size_t old = 0;

	while (old < window->n && window->marks[old].hour < hour - KH_WINDOW_HOURS)
		old++;
	return old;
}

/* Drops what is too old, and counts from the first mark that stays. */
static void forget(struct kh_window *window, size_t old)
{
	struct kh_window_sums base = old < window->n ? window->marks[old].before : window->sums;

	window->n -= old;
	for (size_t i = 0; i < window->n; i++) {
		window->marks[i] = window->marks[i + old];
		window->marks[i].before = subtract(window->marks[i].before, base);
	}
	for (size_t i = window->n; i < window->n + old; i++)
		window->marks[i] = (struct kh_window_mark){0};
	window->sums = subtract(window->sums, base);
}

void kh_window_add(struct kh_window *window, int64_t now, struct kh_window_sums more)
{
	int64_t hour = hour_of(window, now);

	if (more.bits == 0 && more.escalations == 0 && more.put == 0)
		return;
	forget(window, count_old(window, hour));
	if (window->n == 0 || window->marks[window->n - 1].hour < hour)
		window->marks[window->n++] = (struct kh_window_mark){hour, window->sums};
	window->sums.bits = sum(window->sums.bits, more.bits);
	window->sums.escalations = sum(window->sums.escalations, more.escalations);
	window->sums.put = sum(window->sums.put, more.put);
}

struct kh_window_sums kh_window_used(const struct kh_window *window, int64_t now)
{
	size_t old = count_old(window, hour_of(window, now));

	return subtract(window->sums, old < window->n ? window->marks[old].before : window->sums);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

size_t kh_window_write(const struct kh_window *window, char ret_text[KH_WINDOW_TEXT])
{
	size_t n = 0;

	for (size_t i = 0; i < window->n; i++) {
		const struct kh_window_mark *mark = &window->marks[i];
		n += (size_t)snprintf(ret_text + n, KH_WINDOW_TEXT - n, "%s%lld %llu %llu %llu", i > 0 ? ";" : "",
				      (long long)mark->hour, (unsigned long long)mark->before.bits,
				      (unsigned long long)mark->before.escalations,
				      (unsigned long long)mark->before.put);
	}
	return n;
}

static bool read_mark(struct kh_view text, struct kh_window_mark *ret_mark)
{
	struct kh_view rest = text, piece;
	int64_t at[NUMBERS];
	size_t n = 0;

	while (kh_view_split(&rest, ' ', &piece)) {
		if (n == NUMBERS || !kh_view_int(piece, &at[n]) || at[n] < 0 || at[n] > (int64_t)MOST)
			return false;
		n++;
	}
	if (n != NUMBERS)
		return false;
	*ret_mark = (struct kh_window_mark){at[0], {(uint64_t)at[1], (uint64_t)at[2], (uint64_t)at[3]}};
	return true;
}

static bool is_below(const struct kh_window_sums *a, const struct kh_window_sums *b)
{
	return a->bits <= b->bits && a->escalations <= b->escalations && a->put <= b->put;
}

bool kh_window_read(struct kh_view text, struct kh_window_sums sums, struct kh_window *ret_window)
{
	struct kh_window window = {.sums = sums};
	struct kh_view rest = text, piece;

	while (text.n > 0 && kh_view_split(&rest, ';', &piece)) {
		struct kh_window_mark *mark = &window.marks[window.n];
		if (window.n == KH_WINDOW_HOURS + 1 || !read_mark(piece, mark))
			return false;
		if (window.n > 0 && (mark[-1].hour >= mark->hour || !is_below(&mark[-1].before, &mark->before)))
			return false;
		window.n++;
	}
	const struct kh_window_sums none = {0};
	if (!is_below(window.n > 0 ? &window.marks[window.n - 1].before : &none, &sums) ||
	    (window.n == 0 && !is_below(&sums, &none)))
		return false;
	*ret_window = window;
	return true;
}
