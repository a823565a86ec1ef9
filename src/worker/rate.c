/* A rate.  See rate.h. */
#include "worker/rate.h"

#define SECOND_US 1000000

void kh_worker_rate_init(struct kh_worker_rate *rate, int64_t a_second)
{
	/* The clock of a sandbox begins at 0, and the first second counts as if nothing had come before it. */
	*rate = (struct kh_worker_rate){.share_us = SECOND_US / a_second, .ready_us = INT64_MIN / 2};
}

int64_t kh_worker_rate_take(struct kh_worker_rate *rate, size_t count, int64_t now_us)
{
	if (rate->ready_us < now_us - SECOND_US)
		rate->ready_us = now_us - SECOND_US;
	rate->ready_us += (int64_t)count * rate->share_us;
	return kh_worker_rate_left(rate, now_us);
}

int64_t kh_worker_rate_left(const struct kh_worker_rate *rate, int64_t now_us)
{
	return rate->ready_us > now_us ? rate->ready_us - now_us : 0;
}
