/* The only file that reads a clock of the system. */
#include "base/clock.h"

#include <time.h>

static int64_t microseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t kh_clock_ms(void)
{
	return microseconds(CLOCK_MONOTONIC) / 1000;
}

int64_t kh_clock_us(void)
{
	return microseconds(CLOCK_MONOTONIC);
}

int64_t kh_clock_wall_us(void)
{
	return microseconds(CLOCK_REALTIME);
}
