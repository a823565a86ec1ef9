/*
 * Rates as counters over parts of a period.  Does not trust stored state: every index is clamped, every sum has 64
 * bits.
 */
#include "core/policy/quota.h"

#define SLOTS (KH_QUOTA_PARTS + 1) /* any stretch of one period overlaps at most this many parts */

static const struct {
	struct kh_view word;
	int64_t period;
} units[] = {
	{KH_LIT_INIT("second"), KH_QUOTA_SECOND},
	{KH_LIT_INIT("minute"), KH_QUOTA_MINUTE},
	{KH_LIT_INIT("hour"), KH_QUOTA_HOUR},
};

#define UNITS (sizeof(units) / sizeof(units[0]))

bool kh_quota_parse(struct kh_view text, struct kh_rate *ret_rate)
{
	struct kh_rate rate = {.period = KH_QUOTA_HOUR};
	struct kh_view rest = text, count, unit;
	int64_t n;

	if (!kh_view_split(&rest, '/', &count) || !kh_view_int(count, &n) || n < 0 || n > KH_QUOTA_MAX ||
	    count.p[0] == '-')
		return false;
	if (kh_view_split(&rest, '/', &unit)) {
		size_t i = 0;
		while (i < UNITS && !kh_view_eq(units[i].word, unit))
			i++;
		if (i == UNITS || rest.p != NULL)
			return false;
		rate.period = units[i].period;
	}
	rate.count = (uint32_t)n;
	*ret_rate = rate;
	return true;
}

struct kh_view kh_quota_text(struct kh_arena *arena, struct kh_rate rate)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (units[i].period == rate.period)
			return kh_arena_printf(arena, "%u/%.*s", rate.count, KH_FMT(units[i].word));
	}
	return kh_arena_dup(arena, KH_LIT("none"));
}

struct kh_rate kh_quota_stricter(struct kh_rate a, struct kh_rate b)
{
	if (a.period <= 0 || b.period <= 0)
		return a.period <= 0 ? b : a;
	/* a.count / a.period <= b.count / b.period; counts are at most 2^32, periods 2^32 microseconds. */
	return (__int128)a.count * b.period <= (__int128)b.count * a.period ? a : b;
}

/* The state at NOW: parts that are too old are dropped; time never goes backwards. */
static struct kh_quota advance(const struct kh_quota *quota, struct kh_rate rate, int64_t now)
{
	int64_t part = (now > 0 ? now : 0) / (rate.period / KH_QUOTA_PARTS);
	struct kh_quota at = {.period = rate.period, .part = part};

	if (quota->period != rate.period) {
		/* The policy has changed.  Earlier calls count as made just now, so that none is forgotten. */
		uint64_t used = 0;
		for (size_t i = 0; i < SLOTS; i++)
			used += quota->used[i];
		at.used[0] = used < UINT32_MAX ? (uint32_t)used : UINT32_MAX;
		return at;
	}
	if (quota->part > part)
		at.part = part = quota->part;
	/*
	 * Unsigned, because a stored part may be anything, and the difference of two int64 may not fit into an int64.
	 */
	uint64_t passed = (uint64_t)part - (uint64_t)quota->part;
	for (uint64_t i = 0; passed < SLOTS && i < SLOTS - passed; i++)
		at.used[i + passed] = quota->used[i];
	return at;
}

static uint64_t sum(const struct kh_quota *quota)
{
	uint64_t used = 0;

	for (size_t i = 0; i < SLOTS; i++)
		used += quota->used[i];
	return used;
}

bool kh_quota_admits(const struct kh_quota *quota, struct kh_rate rate, int64_t now, int64_t *ret_wait)
{
	if (rate.period <= 0)
		return true;
	struct kh_quota at = advance(quota, rate, now);
	uint64_t used = sum(&at);
	if (used < rate.count)
		return true;
	/* The oldest parts expire first: wait until enough calls have expired. */
	int64_t length = rate.period / KH_QUOTA_PARTS, end;
	*ret_wait = rate.period;
	for (size_t i = SLOTS; i-- > 0 && rate.count > 0;) {
		used -= at.used[i];
		if (used >= rate.count)
			continue;
		if (!__builtin_add_overflow(at.part, (int64_t)(SLOTS - i), &end) &&
		    !__builtin_mul_overflow(end, length, &end) && !__builtin_sub_overflow(end, now, &end))
			*ret_wait = end;
		break;
	}
	return false;
}

void kh_quota_take(struct kh_quota *quota, struct kh_rate rate, int64_t now)
{
	if (rate.period <= 0)
		return;
	*quota = advance(quota, rate, now);
	if (quota->used[0] < UINT32_MAX)
		quota->used[0]++;
}

uint64_t kh_quota_used(const struct kh_quota *quota, struct kh_rate rate, int64_t now)
{
	if (rate.period <= 0)
		return 0;
	struct kh_quota at = advance(quota, rate, now);
	return sum(&at);
}

bool kh_quota_fits(uint64_t used, uint64_t more, uint64_t limit)
{
	uint64_t total;

	return !__builtin_add_overflow(used, more, &total) && total <= limit;
}

bool kh_quota_warns(uint64_t used, uint64_t limit, unsigned percent)
{
	return (unsigned __int128)used * 100 >= (unsigned __int128)limit * percent;
}
