/*
 * Servers.  Neither the server nor the worker that reads its output is trusted, not even to read, to write or to end.
 * What the executor keeps of them is bounded: a packet each way, the newest of standard error, the worker's last line.
 */
#include "executor/serve.h"

#include "base/clock.h"
#include "executor/forward.h"
#include "executor/memory.h"
#include "executor/run.h"
#include "executor/stream.h"
#include "executor/variables.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPAN_S    10 /* over which a rate is averaged */
#define SPAN_US   10000000
#define LEAST     4096    /* bytes that are worth a read, if the rate is spent */
#define LINGER_US 2000000 /* for a server that has closed its output to end */

/* --- rates -------------------------------------------------------------------------------------------------------- */

/* When so much has drained that a read is worth it. */
static int64_t ready_us(const struct kh_job_meter *meter, uint64_t rate)
{
	uint64_t most = rate * SPAN_S, least = most < LEAST ? most : LEAST;

	if (meter->level + least <= most)
		return meter->at_us;
	return meter->at_us + (int64_t)((meter->level + least - most) * 1000000 / rate) + 1;
}

/* How many bytes may come now. */
static size_t allowance(struct kh_job_meter *meter, uint64_t rate, int64_t now_us)
{
	int64_t passed = now_us - meter->at_us < SPAN_US ? now_us - meter->at_us : SPAN_US;
	uint64_t fallen = passed > 0 ? rate * (uint64_t)passed / 1000000 : 0;

	if (now_us < ready_us(meter, rate))
		return 0;
	if (fallen > 0) {
		meter->level = fallen < meter->level ? meter->level - fallen : 0;
		meter->at_us = now_us;
	}
	return (size_t)(rate * SPAN_S - meter->level);
}

/* --- standard error ----------------------------------------------------------------------------------------------- */

static void keep(struct kh_job *job, struct kh_view bytes)
{
	while (bytes.n > 0) {
		size_t at = job->serve.written % sizeof(job->kept), room = sizeof(job->kept) - at;
		struct kh_view piece = kh_view_sub(bytes, 0, room);

		memcpy(job->kept + at, piece.p, piece.n);
		job->serve.written += piece.n;
		bytes = kh_view_from(bytes, piece.n);
	}
}

static void take_errors(struct kh_job *job, int64_t now_us)
{
	char piece[16384];

	for (int n = 0; n < KH_JOB_TURN && job->errs >= 0; n++) {
		size_t most = allowance(&job->serve.errors, job->run.rates.output, now_us);
		size_t got = most > 0 ? kh_stream_read(&job->errs, piece, most < sizeof(piece) ? most : sizeof(piece))
				      : 0;
		if (got == 0)
			break;
		job->serve.errors.level += got;
		keep(job, kh_view_of(piece, got));
	}
}

/* Adds what is kept to OUT, oldest first, and how much there was. */
static void add_kept(const struct kh_job *job, struct kh_message_out *out)
{
	char text[KH_MESSAGE_TAIL], room[KH_MESSAGE_TAIL];
	uint64_t written = job->serve.written;
	size_t at = written % sizeof(text), n = written < sizeof(text) ? (size_t)written : sizeof(text);

	if (n < sizeof(text)) {
		memcpy(text, job->kept, n);
	} else {
		memcpy(text, job->kept + at, sizeof(text) - at);
		memcpy(text + sizeof(text) - at, job->kept, at);
	}
	kh_veil_text(&job->serve.veil, text, n, room);
	kh_message_text(out, KH_FIELD_KEPT, kh_view_of(text, n));
	kh_message_number(out, KH_FIELD_WRITTEN, written);
	explicit_bzero(text, n); /* a sandbox is a copy of this process */
}

void kh_serve_report(const struct kh_job *job, struct kh_message_out *out)
{
	if (job->fault == KH_FAULT_MESSAGE)
		kh_message_text(out, KH_FIELD_REASON, kh_view_of(job->serve.why, job->serve.why_n));
	add_kept(job, out);
}

static void answer_recall(struct kh_job *job)
{
	struct kh_message_out out;
	struct kh_view packet;

	if (!job->serve.recalled || !kh_job_flush(job))
		return;
	job->serve.recalled = false;
	kh_message_begin(&out, job->to_parent, sizeof(job->to_parent), KH_MESSAGE_KEPT);
	kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(job->forward.note));
	if (job->run.networks > 0) {
		kh_message_number(&out, KH_FIELD_SENT, job->forward.sent);
		kh_message_number(&out, KH_FIELD_SPENT, job->forward.is_spent);
	}
	add_kept(job, &out);
	if (kh_message_end(&out, &packet) == KH_OK)
		job->to_parent_n = packet.n;
	(void)kh_job_flush(job);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static void close_ends(int fds[4])
{
	for (int i = 0; i < 4; i++)
		kh_job_close(&fds[i]);
}

/* Starts the worker with OUTPUT, what the server writes, as its descriptor 3, and tells it the bounds. */
static void start_reader(struct kh_job *job, int output)
{
	struct kh_run run = {.profile = KH_PROFILE_MCP, .limits = *kh_profile_limits(KH_PROFILE_MCP)};
	int ours[4] = {-1, -1, -1, -1}, theirs[4] = {-1, -1, -1, -1};
	const struct kh_rates *rates = &job->run.rates;
	char text[128];

	int n = snprintf(text, sizeof(text), "{\"message_bytes\":%llu,\"a_second\":%llu}\n",
			 (unsigned long long)rates->longest, (unsigned long long)rates->messages);
	run.limits.cpu_s = 0;
	run.rates.processor = rates->processor;
	bool ok = kh_pool_pipes(ours, theirs) && write(ours[0], text, (size_t)n) == n;
	theirs[3] = output;
	if (!ok)
		kh_job_end(job, KH_FAULT_BUSY, "no more descriptors");
	else if (!kh_pool_start(job->serve.reader, &run, theirs, 4, job->to_parent) && job->serve.reader->broken)
		kh_job_end_part(job, job->serve.reader->broken, job->serve.reader->error);
	theirs[3] = -1;
	if (job->phase == KH_JOB_RUN) {
		job->out = ours[1];
		job->serve.reason = ours[2];
		ours[1] = ours[2] = -1;
	}
	close_ends(ours);
	close_ends(theirs);
}

/* Starts the server with VARIABLES, a file, if there is one; and the worker. */
static void start_server(struct kh_job *job, int variables)
{
	int ours[4] = {-1, -1, -1, -1}, theirs[4] = {-1, -1, -1, -1};
	bool ok = kh_pool_pipes(ours, theirs);

	kh_stream_share(job, theirs);
	theirs[3] = variables;
	if (!ok)
		kh_job_end(job, KH_FAULT_BUSY, "no more descriptors");
	else if (!kh_pool_start(job->slot, &job->run, theirs, variables >= 0 ? 4 : 3, job->to_parent) &&
		 job->slot->broken)
		kh_job_end_part(job, job->slot->broken, job->slot->error);
	theirs[3] = -1;
	close_ends(theirs);
	if (job->phase == KH_JOB_RUN) {
		job->in = ours[0];
		job->errs = ours[2];
		ours[0] = ours[2] = -1;
		start_reader(job, ours[1]);
	}
	close_ends(ours);
}

/* Takes a sandbox; NULL: the job has ended. */
static struct kh_slot *take_slot(struct kh_job *job, enum kh_profile profile, enum kh_pool_kind kind)
{
	enum kh_part part = KH_PART_NONE;
	int error = 0;
	struct kh_slot *slot = kh_pool_take(job->pool, profile, kind, &part, &error);

	if (slot == NULL)
		kh_job_end_part(job, part, error);
	return slot;
}

static enum kh_err read_server(struct kh_job *job, const struct kh_message *message, struct kh_error *err)
{
	return kh_request_read_run(message, &job->run, err);
}

static void begin(struct kh_job *job)
{
	struct kh_error err = {0};
	int variables = -1;

	kh_job_grant(job, &job->run.limits, job->run.host, job->run.hosts);
	job->state = KH_STATE_SERVING;
	job->phase = KH_JOB_RUN;
	kh_memory_begin(job);
	job->serve.moved_us = job->serve.output.at_us = job->serve.errors.at_us = kh_clock_us();
	if (kh_variables_write(&job->run, &job->serve.veil, &variables, &err) != KH_OK) {
		kh_job_end(job, err.err == KH_EREFUSED ? KH_FAULT_SECRET : KH_FAULT_BUSY, "%s", err.detail);
		return;
	}
	job->slot = take_slot(job, KH_PROFILE_SERVER, KH_POOL_SERVER);
	if (job->slot != NULL)
		job->serve.reader = take_slot(job, KH_PROFILE_MCP, KH_POOL_MCP);
	if (job->serve.reader != NULL)
		start_server(job, variables);
	kh_job_close(&variables);
}

/* --- while it runs ------------------------------------------------------------------------------------------------ */

static void feed(struct kh_job *job, int64_t now_us)
{
	for (int n = 0; n < KH_JOB_TURN && job->phase == KH_JOB_RUN; n++) {
		kh_job_take_input(job);
		if (job->input_n == 0)
			break;
		if (kh_stream_feed(job) == 0)
			return;
		job->serve.moved_us = now_us;
	}
	(void)kh_stream_feed(job); /* the end of input, perhaps */
}

static void take_output(struct kh_job *job, int64_t now_us)
{
	for (int n = 0; n < KH_JOB_TURN && job->phase == KH_JOB_RUN && job->out >= 0; n++) {
		size_t most = allowance(&job->serve.output, job->run.rates.output, now_us);
		size_t got = most > 0 ? kh_stream_relay(job, &job->out, KH_MESSAGE_OUTPUT, most) : 0;
		if (got == 0)
			break;
		job->serve.output.level += got;
		job->serve.moved_us = now_us;
	}
}

/* What the worker says is for humans; more than there is room for is dropped. */
static void take_reason(struct kh_job *job)
{
	struct kh_job_serve *serve = &job->serve;
	char piece[KH_MESSAGE_REASON];
	size_t got;

	while ((got = kh_stream_read(&serve->reason, piece, sizeof(piece))) > 0) {
		struct kh_view bytes = kh_view_sub(kh_view_of(piece, got), 0, sizeof(serve->why) - serve->why_n);
		memcpy(serve->why + serve->why_n, bytes.p, bytes.n);
		serve->why_n += bytes.n;
	}
}

/* The worker has ended, and not because the output has. */
static void end_refused(struct kh_job *job)
{
	const struct kh_slot *reader = job->serve.reader;
	char room[sizeof(job->serve.why)];

	kh_veil_reason(&job->serve.veil, job->serve.why, job->serve.why_n, room);
	if (job->slot->status >= 0) {
		job->status = job->slot->status;
		job->has_status = true;
	}
	if (reader->broken != KH_PART_NONE)
		kh_job_end_part(job, reader->broken, reader->error);
	else if (reader->status >= 0 && WIFEXITED(reader->status) && job->serve.why_n > 0)
		kh_job_end(job, KH_FAULT_MESSAGE, "%s", "");
	else
		kh_job_end(job, KH_FAULT_WORKER, "the worker that reads its output %s",
			   reader->spent ? "used more memory than it may" : "was killed");
}

/* Ends the job if the server or its worker has ended, and everything that came of them was passed on. */
static void end_if_over(struct kh_job *job, int64_t now_us)
{
	const struct kh_slot *reader = job->serve.reader;

	if (job->out >= 0 || job->serve.reason >= 0 || job->to_parent_n > 0 || (reader->status < 0 && !reader->gone))
		return;
	if (reader->status != 0)
		end_refused(job);
	else if (job->slot->gone && job->errs < 0)
		kh_run_end(job);
	else if (job->serve.closed_us == 0)
		job->serve.closed_us = now_us;
	else if (!job->slot->gone && now_us >= job->serve.closed_us + LINGER_US)
		kh_job_end(job, KH_FAULT_WORKER, "the server closed its output and did not end");
}

static void step(struct kh_job *job)
{
	int64_t now_us = kh_clock_us();

	kh_memory_look(job);
	if (job->phase != KH_JOB_RUN)
		return;
	kh_forward_step(job);
	job->serve.is_steady = job->run.networks == 0 || job->forward.pid > 0;
	feed(job, now_us);
	take_errors(job, now_us);
	take_reason(job);
	take_output(job, now_us);
	answer_recall(job);
	if (job->phase == KH_JOB_RUN)
		end_if_over(job, now_us);
	if (job->phase == KH_JOB_RUN && now_us >= job->serve.moved_us + (int64_t)job->run.rates.idle_ms * 1000)
		kh_job_end(job, KH_FAULT_IDLE, "%s", "");
}

/* Adds FD if METER is not spent, else the time when it is not any more. */
static size_t watch_metered(const struct kh_job *job, const struct kh_job_meter *meter, int fd, struct pollfd *watch,
			    size_t n, int64_t *wake_us)
{
	int64_t ready = ready_us(meter, job->run.rates.output);

	if (fd >= 0 && ready > kh_clock_us()) {
		if (ready < *wake_us)
			*wake_us = ready;
		return n;
	}
	return kh_job_watch(watch, n, fd, POLLIN);
}

static size_t watch_server(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us)
{
	int64_t idle = job->serve.moved_us + (int64_t)job->run.rates.idle_ms * 1000;
	bool lingers = job->serve.closed_us > 0 && !job->slot->gone;
	int64_t linger = lingers ? job->serve.closed_us + LINGER_US : INT64_MAX;

	if (job->input_n > 0)
		n = kh_job_watch(watch, n, job->in, POLLOUT);
	if (job->to_parent_n == 0)
		n = watch_metered(job, &job->serve.output, job->out, watch, n, wake_us);
	n = watch_metered(job, &job->serve.errors, job->errs, watch, n, wake_us);
	n = kh_job_watch(watch, n, job->serve.reason, POLLIN);
	if (idle < *wake_us)
		*wake_us = idle;
	if (linger < *wake_us)
		*wake_us = linger;
	return n;
}

const struct kh_job_kind kh_serve_kind = {.read = read_server, .begin = begin, .step = step, .watch = watch_server};
