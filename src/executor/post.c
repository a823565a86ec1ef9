/*
 * The executor's messages with a worker.  The table of messages checks what the worker sends; a worker that sends
 * anything else, or dies, ends the job.
 */
#include "executor/post.h"

#include "wire/channel.h"

#include <unistd.h>

void kh_post_drop(struct kh_job *job)
{
	if (job->slot)
		kh_pool_drop(job->pool, job->slot);
	job->slot = NULL;
}

bool kh_post_take(struct kh_job *job, enum kh_profile profile)
{
	enum kh_part part = KH_PART_NONE;
	int error = 0;

	enum kh_pool_kind kind = profile == KH_PROFILE_HTTP       ? KH_POOL_HTTP
				 : profile == KH_PROFILE_SNI      ? KH_POOL_SNI
				 : profile == KH_PROFILE_UPSTREAM ? KH_POOL_UPSTREAM
								  : KH_POOL_RESOLVE;

	kh_post_drop(job);
	job->slot = kh_pool_take(job->pool, profile, kind, &part, &error);
	if (job->slot == NULL)
		kh_job_end_part(job, part, error);
	return job->slot != NULL;
}

bool kh_post_send(struct kh_job *job, struct kh_message_out *out, const int *fds, size_t count)
{
	if (kh_channel_say(job->slot->worker, out, fds, count) == KH_IO_DONE)
		return true;
	kh_pool_look(job->pool, job->slot);
	if (job->slot->broken)
		kh_job_end_part(job, job->slot->broken, job->slot->error);
	else
		kh_job_end(job, KH_FAULT_WORKER, "the worker did not start");
	return false;
}

bool kh_post_receive(struct kh_job *job, struct kh_message *ret_message)
{
	int worker = job->slot->worker;
	enum kh_io io = worker < 0 ? KH_IO_CLOSED
				   : kh_channel_hear(worker, job->to_parent, &job->worker_state, 0, ret_message, NULL);

	if (io == KH_IO_BROKEN)
		kh_job_end(job, KH_FAULT_WORKER, "the worker sent what is no message of its table");
	if (io == KH_IO_CLOSED) {
		/* It died.  The reason may still arrive; without one it was killed. */
		if (job->slot->broken)
			kh_job_end_part(job, job->slot->broken, job->slot->error);
		else if (job->slot->gone)
			kh_job_end(job, KH_FAULT_WORKER, "the worker was killed (status %d)", job->slot->status);
		/* A worker that has only closed its channel would wake us for as long as it lives. */
		if (worker >= 0)
			close(worker);
		job->slot->worker = -1;
	}
	return io == KH_IO_DONE;
}
