/* The epoll set of jobs that wait.  An event too many is harmless: the job is stepped and finds nothing to do. */
#include "executor/parking.h"

#include "base/clock.h"
#include "executor/forward.h"
#include "executor/serve.h"
#include "executor/step.h"

#include <sys/epoll.h>

#define EVENTS 64 /* that are taken at once */

_Static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT, "poll and epoll have the same events");

bool kh_parking_init(struct kh_parking *parking)
{
	parking->epoll = epoll_create1(EPOLL_CLOEXEC);
	return parking->epoll >= 0;
}

static bool can_park(const struct kh_job *job)
{
	bool is_server = job->phase == KH_JOB_RUN && job->kind == &kh_serve_kind && job->serve.is_steady;
	/* What the job of an upstream has open when it talks stays so; the channels of calls only pass through. */
	bool is_upstream = job->phase == KH_JOB_TALK && job->kind != NULL && job->kind->worker_ends != NULL;

	return (is_server || is_upstream) && !kh_forward_waits(job);
}

/* The entry of LIST for FD; NULL if there is none. */
static const struct pollfd *find(const struct pollfd *list, size_t n, int fd)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].fd == fd)
			return &list[i];
	return NULL;
}

/* A descriptor that the job has closed has left the set by itself; that is no error. */
static void leave(const struct kh_parking *parking, int fd)
{
	(void)epoll_ctl(parking->epoll, EPOLL_CTL_DEL, fd, NULL);
}

static bool enter(const struct kh_parking *parking, size_t index, const struct pollfd *entry, int how)
{
	struct epoll_event event = {.events = (uint32_t)(unsigned short)entry->events, .data = {.u64 = index}};

	return epoll_ctl(parking->epoll, how, entry->fd, &event) == 0;
}

static void take_out(struct kh_parking *parking, size_t index)
{
	for (size_t i = 0; i < parking->watched[index].n; i++)
		leave(parking, parking->watched[index].at[i].fd);
	parking->watched[index].n = 0;
	parking->parked[index] = 0;
	parking->count--;
}

/* Puts into the set what differs from what is there.  False if the set does not take it. */
static bool put(struct kh_parking *parking, size_t index, const struct pollfd *now, size_t n)
{
	const struct pollfd *before = parking->watched[index].at;
	size_t count = parking->watched[index].n;
	bool ok = true;

	for (size_t i = 0; i < count; i++)
		if (find(now, n, before[i].fd) == NULL)
			leave(parking, before[i].fd);
	for (size_t i = 0; i < n && ok; i++) {
		const struct pollfd *known = find(before, count, now[i].fd);
		if (known == NULL)
			ok = enter(parking, index, &now[i], EPOLL_CTL_ADD);
		else if (known->events != now[i].events)
			ok = enter(parking, index, &now[i], EPOLL_CTL_MOD);
	}
	memcpy(parking->watched[index].at, now, n * sizeof(*now));
	parking->watched[index].n = n;
	return ok;
}

void kh_parking_renew(struct kh_parking *parking, size_t index, const struct kh_job *job)
{
	struct pollfd now[KH_JOB_WATCHES];
	int64_t wake_us = INT64_MAX;

	if (!can_park(job)) {
		if (parking->parked[index])
			take_out(parking, index);
		return;
	}
	if (!parking->parked[index]) {
		parking->parked[index] = 1;
		parking->count++;
	}
	size_t n = kh_step_watch(job, now, &wake_us);
	parking->wake_us[index] = wake_us;
	if (!put(parking, index, now, n))
		take_out(parking, index);
}

void kh_parking_wake(const struct kh_parking *parking, int64_t *wake_us)
{
	for (size_t i = 0, left = parking->count; i < KH_PARKING_JOBS && left > 0; i++) {
		if (!parking->parked[i])
			continue;
		left--;
		if (parking->wake_us[i] < *wake_us)
			*wake_us = parking->wake_us[i];
	}
}

size_t kh_parking_ready(struct kh_parking *parking, bool has_events, size_t ret_ready[KH_PARKING_JOBS])
{
	struct epoll_event events[EVENTS];
	unsigned char seen[KH_PARKING_JOBS] = {0};
	int got = has_events ? epoll_wait(parking->epoll, events, EVENTS, 0) : 0;
	int64_t now_us = kh_clock_us();
	size_t count = 0;

	for (int i = 0; i < got; i++)
		if (events[i].data.u64 < KH_PARKING_JOBS)
			seen[events[i].data.u64] = 1;
	for (size_t i = 0, left = parking->count; i < KH_PARKING_JOBS && left > 0; i++) {
		if (!parking->parked[i])
			continue;
		left--;
		if (seen[i] || parking->wake_us[i] <= now_us)
			ret_ready[count++] = i;
	}
	return count;
}
