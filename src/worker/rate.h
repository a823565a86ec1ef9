/* How fast something may come: a number of things in a second.  What was not used in the second before may be used now. */
#ifndef KH_WORKER_RATE_H
#define KH_WORKER_RATE_H

#include <stddef.h>
#include <stdint.h>

struct kh_worker_rate {
	int64_t share_us, ready_us; /* each thing takes a share of a second; when the next may come */
};

/* A_SECOND is from 1 to 1000000. */
void kh_worker_rate_init(struct kh_worker_rate *rate, int64_t a_second);

/* COUNT things came at NOW_US (kh_clock_us()).  Returns how long to wait before the next, in microseconds; 0: not at all. */
int64_t kh_worker_rate_take(struct kh_worker_rate *rate, size_t count, int64_t now_us);

/* How long to wait from NOW_US on, if nothing comes. */
int64_t kh_worker_rate_left(const struct kh_worker_rate *rate, int64_t now_us);

#endif
