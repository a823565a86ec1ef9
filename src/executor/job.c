/*
 * Requests: taking one, running a program for it, ending it.  Trusts the parent to be itself and nothing else: what
 * comes over a request's channel is checked by the table, and a channel that breaks it loses its request.  What a
 * program puts out is bytes; nobody here looks into them.
 */
#include "executor/job.h"

#include "base/clock.h"
#include "executor/fetch.h"
#include "executor/reach.h"
#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_PATIENCE_US 10000000 /* that a channel may be open without a request */

uint64_t kh_job_now(void)
{
	return (uint64_t)kh_clock_us();
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void kh_job_begin(struct kh_job *job, struct kh_pool *pool, int channel)
{
	job->phase = KH_JOB_NEW;
	job->channel = channel;
	job->state = KH_STATE_REQUEST_NEW;
	job->pool = pool;
	job->slot = NULL;
	job->in = job->out = job->errs = job->connection = -1;
	job->begun_us = kh_job_now();
	job->deadline_us = job->begun_us + REQUEST_PATIENCE_US;
	job->used = 0;
	job->fed = job->told = job->has_status = job->cancelled = false;
	job->to_parent_n = job->input_at = job->input_n = 0;
	job->redirects = 0;
	job->is_run = false;
}

/* The job is over: everything that was said in it is wiped, keys of model endpoints among it. */
static void release(struct kh_job *job)
{
	close_fd(&job->channel);
	explicit_bzero(job, sizeof(*job));
}

void kh_job_end(struct kh_job *job, enum kh_fault fault, const char *fmt, ...)
{
	va_list args;

	if (job->phase >= KH_JOB_STOPPING)
		return; /* the first reason is the one that counts */
	va_start(args, fmt);
	vsnprintf(job->detail, sizeof(job->detail), fmt, args);
	va_end(args);
	job->fault = fault;
	job->phase = KH_JOB_STOPPING;
	close_fd(&job->in);
	close_fd(&job->out);
	close_fd(&job->errs);
	close_fd(&job->connection);
	if (job->slot && !job->slot->gone)
		kh_sandbox_kill(&job->slot->sandbox);
}

void kh_job_end_part(struct kh_job *job, enum kh_part part, int error)
{
	enum kh_fault fault = KH_FAULT_INCOMPLETE;

	if (part == KH_PART_NONE) {
		kh_job_end(job, KH_FAULT_BUSY, "more sandboxes at once than there is room for");
		return;
	}
	if (part == KH_PART_PROGRAM)
		fault = KH_FAULT_PROGRAM;
	else if (part == KH_PART_FOLDER || part == KH_PART_DESCRIPTORS || part == KH_PART_LIMITS ||
		 part == KH_PART_CGROUP || error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM)
		fault = KH_FAULT_SANDBOX;
	/* What the errno means here, where its text alone would leave one guessing (root.c). */
	bool unmapped = part == KH_PART_FOLDER && error == EOPNOTSUPP;
	kh_job_end(job, fault, "%s: %s%s", kh_part_name(part), strerror(error),
		   unmapped ? ": its file system has no idmapped mounts, so a folder of root's cannot be written to"
			    : "");
}

bool kh_job_flush(struct kh_job *job)
{
	if (job->to_parent_n == 0)
		return true;
	enum kh_io io = kh_channel_send(job->channel, kh_view_of(job->to_parent, job->to_parent_n), NULL, 0);
	if (io == KH_IO_AGAIN)
		return false;
	if (io != KH_IO_DONE)
		job->cancelled = true;
	job->to_parent_n = 0;
	return true;
}

/* The next message of the parent, into BUFFER; true where there is one that is permitted now. */
static bool receive(struct kh_job *job, char *buffer, struct kh_message *ret_message)
{
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;
	struct kh_view packet;
	struct kh_error err = {0};
	enum kh_io io = kh_channel_receive(job->channel, buffer, &packet, fds, &count);

	if (io == KH_IO_AGAIN)
		return false;
	if (io == KH_IO_CLOSED) {
		job->cancelled = true;
		kh_job_end(job, KH_FAULT_CANCELLED, "closed");
		return false;
	}
	for (size_t i = 0; io == KH_IO_DONE && i < count; i++)
		close(fds[i]); /* no message of a request carries any */
	if (io != KH_IO_DONE || kh_message_read(packet, count, &job->state, ret_message, &err) != KH_OK) {
		job->state = KH_STATE_ENDED;
		kh_job_end(job, KH_FAULT_REQUEST, "%s", io == KH_IO_DONE ? err.detail : "not a message");
		return false;
	}
	return true;
}

void kh_job_take_input(struct kh_job *job)
{
	struct kh_message message;

	if (job->input_n > 0 || job->fed || !receive(job, job->input, &message))
		return;
	if (message.type == KH_MESSAGE_INPUT_END) {
		job->fed = true;
		return;
	}
	job->input_at = KH_MESSAGE_HEADER;
	job->input_n = KH_MESSAGE_HEADER + message.bulk.n;
}

static void take_streams(struct kh_job *job, int streams[3])
{
	job->in = streams[0];
	job->out = streams[1];
	job->errs = streams[2];
	for (int i = 0; i < 3; i++)
		streams[i] = -1;
}

/* Sends the job to its sandbox, with pipes and, where there is one, the connection. */
static void start_program(struct kh_job *job)
{
	int ours[3], theirs[4] = {-1, -1, -1, job->connection};
	bool ok = kh_pool_pipes(ours, theirs);

	take_streams(job, ours);
	if (!ok)
		kh_job_end(job, KH_FAULT_BUSY, "no more descriptors");
	else if (!kh_pool_start(job->slot, &job->run, theirs, job->connection >= 0 ? 4 : 3, job->to_parent) &&
		 job->slot->broken)
		kh_job_end_part(job, job->slot->broken, job->slot->error);
	for (int i = 0; i < 3; i++)
		close_fd(&theirs[i]);
	close_fd(&job->connection);
}

/* In a sandbox of its own; where a worker runs in that already, it waits for input. */
static void start_run(struct kh_job *job)
{
	enum kh_part part = KH_PART_NONE;
	int error = 0;

	job->phase = KH_JOB_RUN;
	job->slot = kh_pool_take(job->pool, job->run.profile, kh_pool_kind(&job->run), &part, &error);
	if (job->slot == NULL)
		kh_job_end_part(job, part, error);
	else if (job->slot->stream[0] >= 0)
		take_streams(job, job->slot->stream);
	else
		start_program(job);
}

void kh_job_reached(struct kh_job *job)
{
	if (job->is_run)
		start_run(job);
	else
		kh_fetch_talk(job);
}

static void begin_run(struct kh_job *job, const struct kh_message *message)
{
	struct kh_error err = {0};

	if (kh_request_read_run(message, &job->run, &err) != KH_OK) {
		kh_job_end(job, KH_FAULT_REQUEST, "%s", err.detail);
		return;
	}
	job->limits = job->run.limits;
	job->deadline_us = job->begun_us + job->limits.wall_ms * 1000;
	job->is_run = true;
	job->granted = job->run.host;
	job->granted_count = job->run.hosts;
	if (job->run.connect.n > 0)
		kh_reach_begin_at(job, job->run.connect);
	else
		start_run(job);
}

static void take_request(struct kh_job *job)
{
	struct kh_message message;

	if (!receive(job, job->request, &message))
		return;
	if (message.type == KH_MESSAGE_RUN)
		begin_run(job, &message);
	else
		kh_fetch_begin(job, &message);
}

/* Input to the program.  One that does not read it any more is no fault: the rest is taken and thrown away. */
static void feed_program(struct kh_job *job)
{
	if (job->input_n > 0 && job->in >= 0) {
		ssize_t n = write(job->in, job->input + job->input_at, job->input_n - job->input_at);
		if (n > 0)
			job->input_at += (size_t)n;
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			close_fd(&job->in);
	}
	if (job->in < 0 || job->input_at == job->input_n)
		job->input_at = job->input_n = 0;
	if (job->fed && job->input_n == 0)
		close_fd(&job->in);
}

/* One piece of what comes out of *FD, on its way to the parent as TYPE; false where there is none now. */
static bool relay_output(struct kh_job *job, int *fd, enum kh_message_type type)
{
	char *bulk = job->to_parent + KH_MESSAGE_HEADER;
	struct kh_message_out out;
	struct kh_view packet;

	if (*fd < 0 || !kh_job_flush(job))
		return false;
	ssize_t n = read(*fd, bulk, KH_MESSAGE_BULK);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		close_fd(fd);
		return false;
	}
	if (job->used + (uint64_t)n > job->limits.output) {
		n = (ssize_t)(job->limits.output - job->used);
		kh_job_end(job, KH_FAULT_OUTPUT, "more than %llu bytes of output",
			   (unsigned long long)job->limits.output);
	}
	if (n == 0)
		return false;
	job->used += (uint64_t)n;
	kh_message_begin(&out, job->to_parent, sizeof(job->to_parent), type);
	kh_message_bulk(&out, kh_view_of(bulk, (size_t)n));
	if (kh_message_end(&out, &packet) == KH_OK)
		job->to_parent_n = packet.n;
	return kh_job_flush(job);
}

/* The sandbox is gone and all that it put out is on its way. */
static void end_run(struct kh_job *job)
{
	const struct kh_slot *slot = job->slot;

	if (slot->broken != KH_PART_NONE) {
		kh_job_end_part(job, slot->broken, slot->error);
	} else if (slot->status < 0) {
		kh_job_end(job, KH_FAULT_WORKER, "the sandbox was killed%s",
			   slot->spent ? ": it used more memory than it may" : "");
	} else {
		job->status = slot->status;
		job->has_status = true;
		kh_job_end(job, KH_FAULT_NONE, "%s", "");
	}
}

/*
 * True where a worker of ours has ended and was waited for.  It cannot have started anything, so there is nobody left
 * but the first process of its sandbox, which ends too: taking the namespaces apart need not be waited for.
 */
static bool is_over(const struct kh_job *job)
{
	return job->is_run && kh_profile_takes_job(job->run.profile) && job->slot->status >= 0 &&
	       job->slot->broken == KH_PART_NONE;
}

static void step_run(struct kh_job *job)
{
	kh_job_take_input(job);
	feed_program(job);
	/* Errors first: there is little of them. */
	for (int n = 0; n < KH_JOB_TURN && job->phase == KH_JOB_RUN; n++)
		if (!relay_output(job, &job->errs, KH_MESSAGE_ERRORS))
			break;
	for (int n = 0; n < KH_JOB_TURN && job->phase == KH_JOB_RUN; n++)
		if (!relay_output(job, &job->out, KH_MESSAGE_OUTPUT))
			break;
	if (job->phase == KH_JOB_RUN && (job->slot->gone || is_over(job)) && job->out < 0 && job->errs < 0 &&
	    job->to_parent_n == 0)
		end_run(job);
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
	kh_message_number(&out, KH_FIELD_TIME, kh_job_now() - job->begun_us);
	kh_message_number(&out, KH_FIELD_USED, job->used);
	if (kh_message_end(&out, &packet) == KH_OK)
		job->to_parent_n = packet.n;
}

/* END comes when nothing of the request is left that could act: whoever has it need not fear what it started. */
static void step_stopping(struct kh_job *job)
{
	/* What still waits is sent meanwhile: a channel that could take it would wake us for as long as the rest lives.
	 */
	bool sent = job->cancelled || kh_job_flush(job);

	if (job->slot && !job->slot->gone && !is_over(job))
		return;
	if (job->slot)
		kh_pool_drop(job->slot);
	job->slot = NULL;
	if (!sent)
		return;
	job->phase = KH_JOB_ENDING;
	if (!job->cancelled)
		send_end(job);
}

void kh_job_step(struct kh_job *job)
{
	if (job->slot)
		kh_pool_look(job->pool, job->slot);
	if (kh_channel_closed(job->channel))
		job->cancelled = true;
	if (job->phase < KH_JOB_STOPPING && job->phase > KH_JOB_FREE && kh_job_now() >= job->deadline_us)
		kh_job_end(job, KH_FAULT_TIME, "%s",
			   job->phase == KH_JOB_NEW ? "no request came" : "the wall clock ran out");
	if (job->phase == KH_JOB_NEW)
		take_request(job);
	if (job->phase == KH_JOB_RUN)
		step_run(job);
	else if (job->phase == KH_JOB_LOOKUP || job->phase == KH_JOB_CONNECT)
		kh_reach_step(job);
	if (job->phase == KH_JOB_TALK)
		kh_fetch_step(job);
	if (job->cancelled)
		kh_job_end(job, KH_FAULT_CANCELLED, "closed");
	if (job->phase == KH_JOB_STOPPING)
		step_stopping(job);
	if (job->phase == KH_JOB_ENDING && (job->cancelled || kh_job_flush(job)))
		release(job);
}

static size_t watch(struct pollfd *list, size_t n, int fd, short events)
{
	if (fd < 0)
		return n;
	list[n] = (struct pollfd){.fd = fd, .events = events};
	return n + 1;
}

/* The parent: its hanging up always; its input where there is room; room for a packet where one waits. */
static short parent_events(const struct kh_job *job)
{
	bool wants_input = job->phase == KH_JOB_NEW ||
			   ((job->phase == KH_JOB_RUN || job->phase == KH_JOB_TALK) && job->input_n == 0 && !job->fed);

	return (short)((wants_input ? POLLIN : 0) | (job->to_parent_n > 0 ? POLLOUT : 0));
}

size_t kh_job_watch(const struct kh_job *job, struct pollfd *ret_watch, uint64_t *wake_us)
{
	size_t n = watch(ret_watch, 0, job->cancelled ? -1 : job->channel, parent_events(job));
	bool free_to_send = job->to_parent_n == 0;

	if (job->phase < KH_JOB_STOPPING && job->deadline_us < *wake_us)
		*wake_us = job->deadline_us;
	if (job->slot && !job->slot->gone) {
		n = watch(ret_watch, n, job->slot->sandbox.pidfd, POLLIN);
		/* One that has nothing more to say would wake us for as long as it takes to die. */
		if (job->slot->state != KH_STATE_ENDED)
			n = watch(ret_watch, n, job->slot->sandbox.channel, POLLIN);
	}
	if (job->phase == KH_JOB_RUN) {
		if (job->input_n > 0)
			n = watch(ret_watch, n, job->in, POLLOUT);
		if (free_to_send) {
			n = watch(ret_watch, n, job->out, POLLIN);
			n = watch(ret_watch, n, job->errs, POLLIN);
		}
	}
	if (job->phase == KH_JOB_LOOKUP || job->phase == KH_JOB_CONNECT)
		n = kh_reach_watch(job, ret_watch, n, wake_us);
	if (job->phase == KH_JOB_TALK)
		n = kh_fetch_watch(job, ret_watch, n);
	return n;
}
