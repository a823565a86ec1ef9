/*
 * Upstream servers over HTTP.  Trusts the parent for what is granted, and the worker for nothing: it can ask for
 * connections to its one server, and say that it ends.
 */
#include "executor/upstream.h"

#include "executor/fetch.h"
#include "executor/keyfile.h"
#include "executor/post.h"
#include "executor/reach.h"
#include "wire/channel.h"
#include "wire/claim.h"

#include <stdio.h>
#include <unistd.h>

static enum kh_err read_upstream(struct kh_job *job, const struct kh_message *message, struct kh_error *err)
{
	return kh_upstream_read(message, &job->upstream, err);
}

/* Where connections go to; it stays in next_url, which is used for nothing else. */
static bool set_target(struct kh_job *job)
{
	bool is_v6 = memchr(job->where.host.p, ':', job->where.host.n) != NULL && job->where.host.p[0] != '[';
	int n = snprintf(job->next_url, sizeof(job->next_url), is_v6 ? "[%.*s]:%d" : "%.*s:%d", KH_FMT(job->where.host),
			 job->where.port);

	return n > 0 && (size_t)n < sizeof(job->next_url);
}

/* Adds the header whose value is in a file. */
static enum kh_err add_secret(struct kh_message_out *out, struct kh_view secret, struct kh_error *err)
{
	char value[KH_UPSTREAM_SECRET], line[KH_MESSAGE_TEXT];
	struct kh_view name, scheme, path, text;
	enum kh_err e = kh_upstream_secret(secret, &name, &scheme, &path)
				? kh_keyfile_read(name, path, true, value, sizeof(value), &text, err)
				: kh_error_set(err, KH_EINPUT, "bad_request", "a secret without a name");

	if (e == KH_OK) {
		int n = snprintf(line, sizeof(line), "%.*s: %.*s%.*s", KH_FMT(name), KH_FMT(scheme), KH_FMT(text));
		struct kh_view whole = kh_view_of(line, n > 0 && (size_t)n < sizeof(line) ? (size_t)n : 0);
		if (kh_request_header_wrong(whole) == NULL)
			kh_message_text(out, KH_FIELD_SECRET, whole);
		else
			e = kh_error_set(err, KH_EREFUSED, "secret_refused",
					 "%.*s: what is in its file cannot stand in a header", KH_FMT(name));
	}
	explicit_bzero(value, sizeof(value)); /* every sandbox forked from now on has a copy of the stack */
	explicit_bzero(line, sizeof(line));
	return e;
}

/* Tells the worker which server it is for. */
static void send_serve(struct kh_job *job, const int *fds, size_t count)
{
	const struct kh_upstream *upstream = &job->upstream;
	struct kh_error err = {.detail = ""};
	struct kh_message_out out;
	enum kh_err e = KH_OK;

	kh_message_begin(&out, job->to_parent, sizeof(job->to_parent), KH_MESSAGE_SERVE);
	kh_message_text(&out, KH_FIELD_URL, kh_view_str(job->url));
	for (size_t i = 0; i < upstream->headers; i++)
		kh_message_text(&out, KH_FIELD_HEADER, upstream->header[i]);
	for (size_t i = 0; i < upstream->secrets && e == KH_OK; i++)
		e = add_secret(&out, upstream->secret[i], &err);
	kh_message_number(&out, KH_FIELD_IDLE, upstream->idle_ms);
	kh_message_number(&out, KH_FIELD_LONGEST, upstream->message);
	kh_message_number(&out, KH_FIELD_MESSAGES, upstream->a_second);
	if (e == KH_OK)
		(void)kh_post_send(job, &out, fds, count);
	else
		kh_job_end(job, KH_FAULT_SECRET, "%s", err.detail);
	explicit_bzero(job->to_parent, sizeof(job->to_parent));
}

static void start(struct kh_job *job)
{
	int authority;

	if (!kh_fetch_authority(job, job->upstream.authority, &authority))
		return;
	if (kh_post_take(job, KH_PROFILE_UPSTREAM)) {
		job->worker_state = KH_STATE_CALLED;
		job->phase = KH_JOB_TALK;
		send_serve(job, &authority, authority >= 0 ? 1 : 0);
	}
	kh_job_close(&authority);
}

static void begin(struct kh_job *job)
{
	struct kh_error err = {.detail = ""};

	kh_job_grant(job, kh_profile_limits(KH_PROFILE_UPSTREAM), job->upstream.host, job->upstream.hosts);
	job->deadline_us = INT64_MAX; /* it lives as long as its channel */
	if (kh_reach_url(job->upstream.url, job->url, &job->where, &err) != KH_OK || !set_target(job))
		kh_job_end(job, KH_FAULT_URL, "%s", err.detail);
	else if (job->where.plain && !job->upstream.plain)
		kh_job_end(job, KH_FAULT_SCHEME, "http, and the request grants https only");
	else
		start(job);
}

/* Takes the channel of the next call from the parent, if the last one was passed on; false if there is none. */
static bool take_call(struct kh_job *job)
{
	struct kh_message message;
	int fds[KH_MESSAGE_FDS];
	struct kh_view packet;
	size_t count = 0;
	enum kh_io io = kh_channel_receive(job->channel, job->input, &packet, fds, &count);

	if (io == KH_IO_CLOSED)
		job->cancelled = true;
	if (io != KH_IO_DONE && io != KH_IO_BROKEN)
		return false;
	if (io == KH_IO_BROKEN || kh_message_read(packet, count, &job->state, &message, NULL) != KH_OK) {
		while (count > 0)
			close(fds[--count]);
		job->state = KH_STATE_ENDED;
		kh_job_end(job, KH_FAULT_REQUEST, "not a message");
		return false;
	}
	job->input_n = packet.n;
	job->connection = fds[0];
	return true;
}

/* Passes calls on to the worker.  One that it does not take any more ends when its channel is closed here. */
static void pass_calls(struct kh_job *job)
{
	for (int i = 0; i < KH_JOB_TURN && job->phase == KH_JOB_TALK; i++) {
		if (job->input_n == 0 && !take_call(job))
			return;
		if (job->slot->worker >= 0 && kh_channel_send(job->slot->worker, kh_view_of(job->input, job->input_n),
							      &job->connection, 1) == KH_IO_AGAIN)
			return;
		job->input_n = 0;
		kh_job_close(&job->connection);
	}
}

/* What a worker may say when it ends: that nobody called, or that it cannot serve. */
static void take_done(struct kh_job *job, const struct kh_message *message)
{
	enum kh_fault fault = (enum kh_fault)message->number[KH_FIELD_FAULT];
	const char *claim = kh_claim_find(message->text[KH_FIELD_DETAIL]);

	if (fault == KH_FAULT_NONE)
		kh_job_end(job, fault, "nobody called for as long as that may be");
	else
		kh_job_end(job, KH_FAULT_WORKER, "%s", claim != NULL ? claim : "the worker cannot serve");
}

static size_t watch_nothing(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us)
{
	(void)job;
	(void)watch;
	(void)wake_us;
	return n; /* forward.h */
}

const struct kh_job_kind kh_upstream_kind = {
	.read = read_upstream, .begin = begin, .step = pass_calls, .watch = watch_nothing, .worker_ends = take_done};
