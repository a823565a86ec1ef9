/*
 * Programs, and workers that take a job.  Their output is bytes, which are not parsed here.
 */
#include "executor/run.h"

#include "executor/forward.h"
#include "executor/memory.h"
#include "executor/reach.h"
#include "executor/stream.h"

static void take_streams(struct kh_job *job, int streams[3])
{
	job->in = streams[0];
	job->out = streams[1];
	job->errs = streams[2];
	for (int i = 0; i < 3; i++)
		streams[i] = -1;
}

/* Sends the job to its sandbox, with pipes and, if there is one, the connection. */
static void start_program(struct kh_job *job)
{
	int ours[3], theirs[4] = {-1, -1, -1, job->connection};
	bool ok = kh_pool_pipes(ours, theirs);

	take_streams(job, ours);
	kh_stream_share(job, theirs);
	if (!ok)
		kh_job_end(job, KH_FAULT_BUSY, "no more descriptors");
	else if (!kh_pool_start(job->slot, &job->run, theirs, job->connection >= 0 ? 4 : 3, job->to_parent) &&
		 job->slot->broken)
		kh_job_end_part(job, job->slot->broken, job->slot->error);
	for (int i = 0; i < 3; i++)
		kh_job_close(&theirs[i]);
	kh_job_close(&job->connection);
}

/* Starts it in a sandbox of its own.  If a worker already runs in that sandbox, it waits for input. */
static void start(struct kh_job *job)
{
	enum kh_part part = KH_PART_NONE;
	int error = 0;

	job->phase = KH_JOB_RUN;
	kh_memory_begin(job);
	job->slot = kh_pool_take(job->pool, job->run.profile, kh_pool_kind(&job->run), &part, &error);
	if (job->slot == NULL)
		kh_job_end_part(job, part, error);
	else if (job->slot->stream[0] >= 0)
		take_streams(job, job->slot->stream);
	else
		start_program(job);
}

static enum kh_err read_run(struct kh_job *job, const struct kh_message *message, struct kh_error *err)
{
	return kh_request_read_run(message, &job->run, err);
}

static void begin(struct kh_job *job)
{
	kh_job_grant(job, &job->run.limits, job->run.host, job->run.hosts);
	if (job->run.connect.n > 0)
		kh_reach_begin_at(job, job->run.connect);
	else
		start(job);
}

void kh_run_end(struct kh_job *job)
{
	const struct kh_slot *slot = job->slot;

	if (slot->broken != KH_PART_NONE) {
		kh_job_end_part(job, slot->broken, slot->error);
	} else if (slot->status < 0) {
		kh_job_end(job, KH_FAULT_WORKER, "%s", slot->spent ? KH_JOB_SPENT : "the sandbox was killed");
	} else {
		job->status = slot->status;
		job->has_status = true;
		kh_job_end(job, KH_FAULT_NONE, "%s", "");
	}
}

bool kh_run_is_over(const struct kh_job *job)
{
	return job->kind == &kh_run_kind && kh_profile_takes_job(job->run.profile) && job->slot->status >= 0 &&
	       job->slot->broken == KH_PART_NONE;
}

static void step(struct kh_job *job)
{
	kh_memory_look(job);
	if (job->phase != KH_JOB_RUN)
		return;
	kh_forward_step(job);
	kh_job_take_input(job);
	(void)kh_stream_feed(job);
	/* Errors first, because there is little of them. */
	for (int n = 0; n < KH_JOB_TURN && job->phase == KH_JOB_RUN; n++)
		if (kh_stream_relay(job, &job->errs, KH_MESSAGE_ERRORS, SIZE_MAX) == 0)
			break;
	for (int n = 0; n < KH_JOB_TURN && job->phase == KH_JOB_RUN; n++)
		if (kh_stream_relay(job, &job->out, KH_MESSAGE_OUTPUT, SIZE_MAX) == 0)
			break;
	if (job->phase == KH_JOB_RUN && (job->slot->gone || kh_run_is_over(job)) && job->out < 0 && job->errs < 0 &&
	    job->to_parent_n == 0)
		kh_run_end(job);
}

static size_t watch_streams(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us)
{
	(void)wake_us;
	if (job->input_n > 0)
		n = kh_job_watch(watch, n, job->in, POLLOUT);
	if (job->to_parent_n == 0) {
		n = kh_job_watch(watch, n, job->out, POLLIN);
		n = kh_job_watch(watch, n, job->errs, POLLIN);
	}
	return n;
}

const struct kh_job_kind kh_run_kind = {
	.read = read_run, .begin = begin, .use = start, .step = step, .watch = watch_streams};
