/* Advances a job by its phase.  What each phase does is in run.c, reach.c and fetch.c. */
#include "executor/step.h"

#include "base/clock.h"
#include "executor/fetch.h"
#include "executor/forward.h"
#include "executor/reach.h"
#include "executor/run.h"
#include "executor/serve.h"
#include "executor/upstream.h"
#include "wire/channel.h"

static void take_request(struct kh_job *job)
{
	struct kh_message message;
	struct kh_error err = {0};

	if (!kh_job_receive(job, job->request, &message))
		return;
	bool is_server = message.type == KH_MESSAGE_RUN && message.number[KH_FIELD_PROFILE] == KH_PROFILE_SERVER;
	job->kind = is_server                             ? &kh_serve_kind
		    : message.type == KH_MESSAGE_RUN      ? &kh_run_kind
		    : message.type == KH_MESSAGE_UPSTREAM ? &kh_upstream_kind
							  : &kh_fetch_kind;
	if (!kh_job_admit(job, is_server || job->kind == &kh_upstream_kind))
		return;
	if (job->kind->read(job, &message, &err) == KH_OK)
		job->kind->begin(job);
	else
		kh_job_end(job, KH_FAULT_REQUEST, "%s", err.detail);
}

static void send_end(struct kh_job *job)
{
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, job->to_parent, sizeof(job->to_parent), KH_MESSAGE_END);
	if (job->has_status)
		kh_message_number(&out, KH_FIELD_STATUS, (uint64_t)job->status);
	kh_message_number(&out, KH_FIELD_FAULT, job->fault);
	if (job->detail[0] != '\0')
		kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(job->detail));
	else
		kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(job->forward.note));
	kh_message_number(&out, KH_FIELD_TIME, (uint64_t)(kh_clock_us() - job->begun_us));
	kh_message_number(&out, KH_FIELD_USED, job->used);
	if (job->kind != &kh_fetch_kind && job->run.networks > 0) {
		kh_message_number(&out, KH_FIELD_SENT, job->forward.sent);
		kh_message_number(&out, KH_FIELD_RECEIVED, job->forward.received);
		kh_message_number(&out, KH_FIELD_SPENT, job->forward.is_spent);
	}
	if (job->kind == &kh_serve_kind)
		kh_serve_report(job, &out);
	if (kh_message_end(&out, &packet) == KH_OK)
		job->to_parent_n = packet.n;
}

/* END is sent only after nothing of the request is left that could act, so that whoever gets it can rely on that. */
static void step_stopping(struct kh_job *job)
{
	/* A packet that still waits is sent meanwhile.  Otherwise its writable channel would wake us until the sandbox
	   is gone. */
	bool sent = job->cancelled || kh_job_flush(job);

	if (!kh_forward_stop(job) || (job->slot && !job->slot->gone && !kh_run_is_over(job)) ||
	    (job->serve.reader && !job->serve.reader->gone))
		return;
	if (job->slot)
		kh_pool_drop(job->pool, job->slot);
	if (job->serve.reader)
		kh_pool_drop(job->pool, job->serve.reader);
	job->slot = job->serve.reader = NULL;
	if (!sent)
		return;
	job->phase = KH_JOB_ENDING;
	if (!job->cancelled && job->kind != NULL && job->kind->tell != NULL)
		job->kind->tell(job);
	else if (!job->cancelled)
		send_end(job);
}

void kh_step(struct kh_job *job)
{
	if (job->slot)
		kh_pool_look(job->pool, job->slot);
	if (job->serve.reader)
		kh_pool_look(job->pool, job->serve.reader);
	if (kh_channel_closed(job->channel))
		job->cancelled = true;
	if (job->phase < KH_JOB_STOPPING && job->phase > KH_JOB_FREE && kh_clock_us() >= job->deadline_us)
		kh_job_end(job, KH_FAULT_TIME, "%s",
			   job->phase == KH_JOB_NEW ? "no request came" : "the wall clock ran out");
	if (job->phase == KH_JOB_NEW)
		take_request(job);
	if (job->phase == KH_JOB_LOOKUP || job->phase == KH_JOB_CONNECT)
		kh_reach_step(job);
	if (job->phase == KH_JOB_REACHED)
		job->kind->use(job);
	if (job->phase == KH_JOB_TALK)
		kh_forward_step(job);
	if (job->phase == KH_JOB_RUN || job->phase == KH_JOB_TALK)
		job->kind->step(job);
	if (job->cancelled)
		kh_job_end(job, KH_FAULT_CANCELLED, "closed");
	if (job->phase == KH_JOB_STOPPING)
		step_stopping(job);
	if (job->phase == KH_JOB_ENDING && (job->cancelled || kh_job_flush(job)))
		kh_job_release(job);
}

/* Events of the parent: hang-up always; input if there is room for it; writable if a packet waits. */
static short parent_events(const struct kh_job *job)
{
	bool wants_input = job->phase == KH_JOB_NEW || ((job->phase == KH_JOB_RUN || job->phase == KH_JOB_TALK) &&
							job->input_n == 0 && kh_job_listens(job));

	return (short)((wants_input ? POLLIN : 0) | (job->to_parent_n > 0 ? POLLOUT : 0));
}

static size_t watch_slot(const struct kh_slot *slot, struct pollfd *watch, size_t n)
{
	if (slot == NULL || slot->gone)
		return n;
	n = kh_job_watch(watch, n, slot->sandbox.pidfd, POLLIN);
	/* A sandbox that has nothing more to send would wake us until it has died. */
	return slot->state != KH_STATE_ENDED ? kh_job_watch(watch, n, slot->sandbox.channel, POLLIN) : n;
}

size_t kh_step_watch(const struct kh_job *job, struct pollfd *ret_watch, int64_t *wake_us)
{
	size_t n = kh_job_watch(ret_watch, 0, job->cancelled ? -1 : job->channel, parent_events(job));

	if (job->phase < KH_JOB_STOPPING && job->deadline_us < *wake_us)
		*wake_us = job->deadline_us;
	if (job->phase == KH_JOB_RUN && job->look_us < *wake_us)
		*wake_us = job->look_us;
	n = watch_slot(job->slot, ret_watch, n);
	n = watch_slot(job->serve.reader, ret_watch, n);
	if (job->phase == KH_JOB_RUN || job->phase == KH_JOB_TALK)
		n = job->kind->watch(job, ret_watch, n, wake_us);
	if (job->phase == KH_JOB_LOOKUP || job->phase == KH_JOB_CONNECT)
		n = kh_reach_watch(job, ret_watch, n, wake_us);
	return kh_forward_watch(job, ret_watch, n, wake_us);
}
