/*
 * Looks often while something changes, and seldom if nothing does: there may be hundreds of servers that only wait.  In
 * between the machine's own count is read, once for all of them; if it rises, one of them may be why.
 */
#include "executor/memory.h"

#include "base/clock.h"
#include "sandbox/usage.h"

/* Between two looks: if something changes, and if it has not for long. */
#define LOOK_US        50000
#define REST_US        200000
#define SERVER_REST_US 2000000

#define GLANCE_US 200000      /* between two looks at the machine */
#define RISEN     (64 * 1024) /* KiB */
#define TURN_US   500

void kh_memory_begin(struct kh_job *job)
{
	if (job->pool->kit->cgroup.has_memory || kh_profile_takes_job(job->run.profile))
		return;
	job->pause_us = LOOK_US;
	job->look_us = job->due_us = kh_clock_us() + LOOK_US;
}

/* What the machine has, as it was at most half a glance ago. */
static uint64_t glance(int64_t now_us)
{
	static int64_t at_us = INT64_MIN / 2;
	static uint64_t kib;

	if (now_us - at_us > GLANCE_US / 2) {
		kib = kh_usage_of_machine();
		at_us = now_us;
	}
	return kib;
}

/* When the next of those is looked at that the machine's count makes suspect: one after the other, so that others are
 * served in between. */
static int64_t next_turn(int64_t now_us)
{
	static int64_t last_us;

	last_us = (last_us > now_us ? last_us : now_us) + TURN_US;
	return last_us;
}

/* True if the memory of the job's program is to be looked at now.  If the machine's has risen, it will be soon. */
static bool is_due(struct kh_job *job, int64_t now_us)
{
	uint64_t machine = glance(now_us);

	if (now_us >= job->due_us) {
		job->machine = machine;
		return true;
	}
	bool is_suspect = machine > job->machine + RISEN || machine == 0;
	int64_t turn_us = is_suspect ? next_turn(now_us) : INT64_MAX;
	if (turn_us < job->due_us)
		job->due_us = turn_us;
	if (is_suspect || machine < job->machine)
		job->machine = machine;
	return false;
}

/* At once for all jobs, so that one wake-up is enough for them. */
static int64_t next_glance(int64_t now_us)
{
	return now_us - now_us % GLANCE_US + GLANCE_US;
}

static void look(struct kh_job *job)
{
	int64_t rest = job->run.profile == KH_PROFILE_SERVER ? SERVER_REST_US : REST_US;
	uint64_t before = job->kib;

	if (kh_usage_exceeds(job->slot->sandbox.pid, job->limits.memory, &job->kib))
		kh_job_end(job, KH_FAULT_WORKER, KH_JOB_SPENT);
	job->pause_us = job->kib != before ? LOOK_US : job->pause_us < rest / 2 ? 2 * job->pause_us : rest;
	job->due_us = kh_clock_us() + job->pause_us;
}

void kh_memory_look(struct kh_job *job)
{
	int64_t now_us = kh_clock_us();

	if (now_us < job->look_us || job->slot->gone)
		return;
	if (is_due(job, now_us))
		look(job);
	job->look_us = next_glance(now_us);
	if (job->due_us < job->look_us)
		job->look_us = job->due_us;
}
