/*
 * A request's state, its channel to the parent, and its end.  Does not trust what the parent sends: the table of
 * messages checks what comes over a request's channel, and a channel that breaks the protocol loses its request.
 */
#include "executor/job.h"

#include "base/clock.h"
#include "wire/channel.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define REQUEST_PATIENCE_US 10000000 /* how long a channel may be open without a request */

void kh_job_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

struct kh_job *kh_job_find(const struct kh_job_house *house)
{
	const unsigned char *free = memchr(house->busy, 0, house->count);

	return free != NULL ? &house->jobs[free - house->busy] : NULL;
}

bool kh_job_has_room(const struct kh_job_house *house)
{
	return house->requests < house->most_requests && house->descriptors + KH_JOB_FILES <= house->most_descriptors;
}

/* Counts JOB, or counts it no more. */
static void count(struct kh_job_house *house, const struct kh_job *job, bool more)
{
	size_t *of = job->serve.is_counted ? &house->servers : &house->requests;
	size_t files = job->serve.is_counted ? KH_JOB_SERVER : KH_JOB_FILES;

	*of = more ? *of + 1 : *of - 1;
	house->descriptors = more ? house->descriptors + files : house->descriptors - files;
	house->busy[job - house->jobs] = more;
}

bool kh_job_admit(struct kh_job *job, bool is_server)
{
	struct kh_job_house *house = job->house;

	if (house == NULL)
		return true;
	count(house, job, false);
	job->serve.is_counted = is_server;
	count(house, job, true);
	if (house->requests <= house->most_requests && house->servers <= house->most_servers &&
	    house->descriptors <= house->most_descriptors)
		return true;
	kh_job_end(job, KH_FAULT_BUSY, "more requests at once than there is room for");
	return false;
}

/* Gives the pages of a job that is not one of the first back: there are seldom as many.  They are zero when they are used
 * again, as they were before. */
static void give_back(const struct kh_job_house *house, struct kh_job *job)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)job;
	uintptr_t begin = (at + page - 1) / page * page, end = (at + sizeof(*job)) / page * page;

	if ((size_t)(job - house->jobs) >= house->most_requests)
		(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void kh_job_release(struct kh_job *job)
{
	struct kh_job_house *house = job->house;
	size_t kept = job->serve.written < sizeof(job->kept) ? (size_t)job->serve.written : sizeof(job->kept);

	kh_job_close(&job->channel);
	if (house != NULL)
		count(house, job, false);
	if (job->owner != NULL)
		job->owner->forward.questions--;
	/* Keys of model endpoints are among it. */
	explicit_bzero(job->kept, kept);
	explicit_bzero(job, offsetof(struct kh_job, kept));
	if (house != NULL)
		give_back(house, job);
}

void kh_job_begin(struct kh_job *job, struct kh_job_house *house, struct kh_pool *pool, int channel)
{
	job->phase = KH_JOB_NEW;
	job->channel = channel;
	job->state = KH_STATE_REQUEST_NEW;
	job->pool = pool;
	job->slot = NULL;
	job->in = job->out = job->errs = job->connection = -1;
	job->begun_us = kh_clock_us();
	job->deadline_us = job->begun_us + REQUEST_PATIENCE_US;
	job->look_us = INT64_MAX;
	job->kib = 0;
	job->used = 0;
	job->fed = job->told = job->has_status = job->cancelled = false;
	job->to_parent_n = job->input_at = job->input_n = 0;
	job->redirects = 0;
	job->kind = NULL;
	job->forward = (struct kh_job_forward){.channel = -1, .pidfd = -1};
	job->serve = (struct kh_job_serve){.reason = -1};
	job->owner = NULL;
	job->house = house;
	if (house != NULL)
		count(house, job, true);
}

void kh_job_grant(struct kh_job *job, const struct kh_limits *limits, const struct kh_view *hosts, size_t count)
{
	job->limits = *limits;
	job->deadline_us = job->begun_us + (int64_t)limits->wall_ms * 1000;
	job->granted = hosts;
	job->granted_count = count;
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
	kh_job_close(&job->in);
	kh_job_close(&job->out);
	kh_job_close(&job->errs);
	kh_job_close(&job->connection);
	kh_job_close(&job->serve.reason);
	if (job->slot && !job->slot->gone)
		kh_sandbox_kill(&job->slot->sandbox);
	if (job->serve.reader && !job->serve.reader->gone)
		kh_sandbox_kill(&job->serve.reader->sandbox);
}

void kh_job_end_part(struct kh_job *job, enum kh_part part, int error)
{
	enum kh_fault fault = KH_FAULT_INCOMPLETE;

	if (part == KH_PART_NONE) {
		kh_job_end(job, KH_FAULT_BUSY, "more sandboxes at once than there is room for");
		return;
	}
	/* It depends on the moment whether the kernel says so at once, or kills it a little later. */
	if (part == KH_PART_CGROUP && error == EBUSY) {
		kh_job_end(job, KH_FAULT_WORKER, KH_JOB_SPENT);
		return;
	}
	if (part == KH_PART_PROGRAM)
		fault = KH_FAULT_PROGRAM;
	else if (part == KH_PART_FOLDER || part == KH_PART_DESCRIPTORS || part == KH_PART_LIMITS ||
		 part == KH_PART_CGROUP || error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM)
		fault = KH_FAULT_SANDBOX;
	if (job->slot != NULL && job->slot->why[0] != '\0') {
		kh_job_end(job, fault, "%s: %s", kh_part_name(part), job->slot->why);
		return;
	}
	/* These errnos get an explanation, because their own text would not be clear here. */
	if (error == EPROTO) {
		kh_job_end(job, fault, "%s: a system call claims to have set it up, and it is not there",
			   kh_part_name(part));
		return;
	}
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

bool kh_job_receive(struct kh_job *job, char *buffer, struct kh_message *ret_message)
{
	struct kh_error err = {0};
	enum kh_io io = kh_channel_hear(job->channel, buffer, &job->state, 0, ret_message, &err);

	if (io == KH_IO_CLOSED) {
		job->cancelled = true;
		kh_job_end(job, KH_FAULT_CANCELLED, "closed");
	} else if (io == KH_IO_BROKEN) {
		job->state = KH_STATE_ENDED;
		kh_job_end(job, KH_FAULT_REQUEST, "%s", err.code != NULL ? err.detail : "not a message");
	}
	return io == KH_IO_DONE;
}

bool kh_job_listens(const struct kh_job *job)
{
	return !job->fed || job->state == KH_STATE_SERVED;
}

void kh_job_take_input(struct kh_job *job)
{
	struct kh_message message;

	if (job->input_n > 0 || !kh_job_listens(job) || !kh_job_receive(job, job->input, &message))
		return;
	job->fed |= message.type == KH_MESSAGE_INPUT_END;
	job->serve.recalled |= message.type == KH_MESSAGE_RECALL;
	if (message.type != KH_MESSAGE_INPUT)
		return;
	job->input_at = KH_MESSAGE_HEADER;
	job->input_n = KH_MESSAGE_HEADER + message.bulk.n;
}

size_t kh_job_watch(struct pollfd *list, size_t n, int fd, short events)
{
	if (fd < 0)
		return n;
	list[n] = (struct pollfd){.fd = fd, .events = events};
	return n + 1;
}
