/*
 * Jobs that wait for long are parked: their descriptors are in one epoll set, so that the executor's loop costs the same
 * whether two servers are idle or two hundred.
 *
 * A descriptor's number says nothing about which file it is, and a set does not notice when a number is used again.
 * Therefore a job is parked only while it opens no descriptor (kh_job_serve.is_steady): every number that it has is then
 * that of the file which was put into the set.
 */
#ifndef KH_EXECUTOR_PARKING_H
#define KH_EXECUTOR_PARKING_H

#include "executor/executor.h"
#include "executor/job.h"

#define KH_PARKING_JOBS (KH_EXECUTOR_JOBS + KH_EXECUTOR_SERVERS)

struct kh_parking {
	int epoll;
	size_t count;                          /* of those that are parked */
	unsigned char parked[KH_PARKING_JOBS]; /* for each job */
	int64_t wake_us[KH_PARKING_JOBS];      /* its next deadline, if it is */
	struct {
		size_t n;
		struct pollfd at[KH_JOB_WATCHES]; /* what is in the set */
	} watched[KH_PARKING_JOBS];
};

/* False with errno if there is no such set. */
bool kh_parking_init(struct kh_parking *parking) KH_CHECKED;

static inline bool kh_parking_has(const struct kh_parking *parking, size_t index)
{
	return parking->parked[index] != 0;
}

/* After each step of JOB, the INDEX-th: parks it, renews what it waits for, or takes it out. */
void kh_parking_renew(struct kh_parking *parking, size_t index, const struct kh_job *job);

/* Lowers *WAKE_US to the next deadline of all. */
void kh_parking_wake(const struct kh_parking *parking, int64_t *wake_us);

/* The jobs that have something to do, because of a descriptor, if HAS_EVENTS, or of the time; returns how many. */
size_t kh_parking_ready(struct kh_parking *parking, bool has_events, size_t ret_ready[KH_PARKING_JOBS]);

#endif
