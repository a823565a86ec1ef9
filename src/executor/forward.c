/*
 * The executor's side of a forwarder.  Trusts the forwarder for nothing but the bytes that it counts: its messages are
 * checked by the table, it has as many questions at once as it may, and it cannot name a host.
 */
#include "executor/forward.h"

#include "base/clock.h"
#include "executor/forwarder.h"
#include "executor/post.h"
#include "executor/reach.h"
#include "wire/channel.h"
#include "wire/greeting.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIAL_US  20000000
#define JUDGE_US 5000000
#define STOP_US  3000000

/* Ports on which a client speaks TLS from its first byte. */
static bool is_tls_port(int port)
{
	static const int ports[] = {443, 465, 636, 853, 989, 990, 993, 995, 5061, 5671, 6697, 8443, 8883};

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (ports[i] == port)
			return true;
	return false;
}

/* The first refusal is told at the end, because a program may hide it. */
static void note(struct kh_job *job, size_t index, const char *what, const char *why)
{
	if (job->forward.note[0] == '\0')
		snprintf(job->forward.note, sizeof(job->forward.note), "%.*s: %s%s%s", KH_FMT(job->run.network[index]),
			 what, why[0] != '\0' ? ": " : "", why);
}

/* True for the job of an upstream: its worker asks, and there is no forwarder. */
static bool asks_itself(const struct kh_job *job)
{
	return job->kind != NULL && job->kind->worker_ends != NULL;
}

static void lose(struct kh_job *owner)
{
	kh_job_end(owner, KH_FAULT_WORKER, "%s", asks_itself(owner) ? "the worker is gone" : "the forwarder is gone");
}

/* Answers the forwarder of the owner, or its worker. */
static void answer(struct kh_job *job, struct kh_message_out *out, const int *fds, size_t count)
{
	const struct kh_job *owner = job->owner;
	int asker = asks_itself(owner) ? owner->slot->worker : owner->forward.channel;

	if (kh_channel_say(asker, out, fds, count) != KH_IO_DONE)
		lose(job->owner);
}

static void answer_dial(struct kh_job *job, enum kh_fault fault)
{
	char buffer[512];
	struct kh_message_out out;

	if (job->owner == NULL || job->told)
		return;
	job->told = true;
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_DIALED);
	kh_message_number(&out, KH_FIELD_FAULT, fault);
	/* A forwarder tells nobody; the worker of an upstream does. */
	if (asks_itself(job->owner) && fault != KH_FAULT_NONE)
		kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(job->detail));
	kh_message_number(&out, KH_FIELD_TICKET, job->ticket);
	answer(job, &out, &job->connection, fault == KH_FAULT_NONE ? 1 : 0);
}

static void use_dialed(struct kh_job *job)
{
	answer_dial(job, KH_FAULT_NONE);
	kh_job_end(job, KH_FAULT_NONE, "%s", "");
}

static void tell_dialed(struct kh_job *job)
{
	if (job->owner != NULL && job->fault != KH_FAULT_NONE && !asks_itself(job->owner))
		note(job->owner, job->index, kh_fault_name(job->fault), job->detail);
	answer_dial(job, job->fault != KH_FAULT_NONE ? job->fault : KH_FAULT_WORKER);
}

static const struct kh_job_kind dial_kind = {.use = use_dialed, .tell = tell_dialed};

static void answer_judge(struct kh_job *job, enum kh_greeting verdict)
{
	char buffer[128];
	struct kh_message_out out;

	if (job->owner == NULL || job->told)
		return;
	job->told = true;
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_JUDGED);
	kh_message_number(&out, KH_FIELD_TICKET, job->ticket);
	kh_message_number(&out, KH_FIELD_VERDICT, verdict);
	answer(job, &out, NULL, 0);
}

/* True if a connection to item INDEX that begins like this is not passed on. */
static bool is_refused(const struct kh_job *owner, size_t index, enum kh_greeting verdict)
{
	struct kh_view name;
	int port = 0;

	if (verdict != KH_GREETING_NOT_TLS)
		return verdict != KH_GREETING_MATCHES;
	return !kh_request_target(owner->run.network[index], &name, &port) || is_tls_port(port);
}

static void step_judge(struct kh_job *job)
{
	struct kh_message message;

	if (!kh_post_receive(job, &message))
		return;
	enum kh_greeting verdict = (enum kh_greeting)message.number[KH_FIELD_VERDICT];
	if (job->owner != NULL && is_refused(job->owner, job->index, verdict))
		note(job->owner, job->index, "refused", kh_greeting_about(verdict));
	answer_judge(job, verdict);
	kh_job_end(job, KH_FAULT_NONE, "%s", "");
}

static size_t watch_judge(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us)
{
	(void)wake_us;
	return kh_job_watch(watch, n, job->slot != NULL && !job->slot->gone ? job->slot->worker : -1, POLLIN);
}

/* Without a verdict it counts as another name, so it is refused on every port. */
static void tell_judged(struct kh_job *job)
{
	if (job->owner != NULL && !job->told)
		note(job->owner, job->index, kh_fault_name(job->fault), job->detail);
	answer_judge(job, KH_GREETING_OTHER);
}

static const struct kh_job_kind judge_kind = {.step = step_judge, .watch = watch_judge, .tell = tell_judged};

static void begin_judge(struct kh_job *job, struct kh_view first)
{
	struct kh_message_out out;
	struct kh_view name;
	int port;

	if (!kh_request_target(job->owner->run.network[job->index], &name, &port) ||
	    !kh_post_take(job, KH_PROFILE_SNI)) {
		kh_job_end(job, KH_FAULT_WORKER, "no worker for the first bytes");
		return;
	}
	kh_message_begin(&out, job->to_parent, sizeof(job->to_parent), KH_MESSAGE_GREETING);
	kh_message_text(&out, KH_FIELD_NAME, name);
	kh_message_text(&out, KH_FIELD_FIRST, first);
	job->worker_state = KH_STATE_JUDGING;
	job->phase = KH_JOB_TALK;
	(void)kh_post_send(job, &out, NULL, 0);
}

/* True if this one may have one more question now. */
static bool has_room(const struct kh_job *owner)
{
	return owner->house != NULL && owner->forward.questions < KH_FORWARDER_QUESTIONS &&
	       kh_job_has_room(owner->house);
}

/* A job that is free, for one more question. */
static struct kh_job *find_room(const struct kh_job *owner)
{
	return has_room(owner) ? kh_job_find(owner->house) : NULL;
}

/* Begins a question of OWNER's, with PATIENCE_US microseconds for it. */
static void begin_job(struct kh_job *owner, struct kh_job *job, const struct kh_job_kind *kind, uint64_t ticket,
		      int64_t patience_us)
{
	kh_job_begin(job, owner->house, owner->pool, -1);
	job->kind = kind;
	job->owner = owner;
	owner->forward.questions++;
	job->ticket = ticket;
	job->index = 0;
	job->deadline_us = job->begun_us + patience_us;
	job->granted = owner->granted;
	job->granted_count = owner->granted_count;
}

static void begin_question(struct kh_job *owner, struct kh_job *job, const struct kh_message *message)
{
	bool is_dial = message->type == KH_MESSAGE_DIAL;
	struct kh_view first = message->text[KH_FIELD_FIRST];
	size_t index = message->number[KH_FIELD_INDEX];

	begin_job(owner, job, is_dial ? &dial_kind : &judge_kind, message->number[KH_FIELD_TICKET],
		  is_dial ? DIAL_US : JUDGE_US);
	job->index = index;
	if (is_dial)
		kh_reach_begin_at(job, owner->run.network[index]);
	else
		begin_judge(job, first);
	job->house->step(job);
}

/* Takes what the worker of a job asks for.  A question that there is no room for stays in the channel. */
static void take_worker_questions(struct kh_job *job)
{
	struct kh_message message;
	struct kh_job *room;

	while (job->phase == KH_JOB_TALK && (room = find_room(job)) != NULL && kh_post_receive(job, &message)) {
		if (message.type != KH_MESSAGE_DIAL) {
			job->kind->worker_ends(job, &message);
			return;
		}
		begin_job(job, room, &dial_kind, message.number[KH_FIELD_TICKET], DIAL_US);
		kh_reach_begin_at(room, kh_view_str(job->next_url));
		room->house->step(room);
	}
}

static void take_tally(struct kh_job *job, const struct kh_message *message)
{
	job->forward.sent = message->number[KH_FIELD_SENT];
	job->forward.received = message->number[KH_FIELD_RECEIVED];
	job->forward.is_spent = message->number[KH_FIELD_SPENT] == 1;
	if (job->forward.is_spent)
		snprintf(job->forward.note, sizeof(job->forward.note),
			 "the program wanted to send more than %llu bytes; its connections were ended",
			 (unsigned long long)job->run.bytes_out);
}

/* Takes one message of the forwarder, for which ROOM is free; false if there is none. */
static bool take_message(struct kh_job *job, struct kh_job *room)
{
	struct kh_message message;
	enum kh_io io = kh_channel_hear(job->forward.channel, room->request, &job->forward.state, 0, &message, NULL);

	if (io == KH_IO_AGAIN)
		return false;
	if (io != KH_IO_DONE) {
		kh_job_close(&job->forward.channel);
		lose(job);
		return false;
	}
	if (message.type == KH_MESSAGE_TALLY)
		take_tally(job, &message);
	else if (message.number[KH_FIELD_INDEX] >= job->run.networks)
		lose(job);
	else if (job->phase < KH_JOB_STOPPING)
		begin_question(job, room, &message);
	return true;
}

static void take_messages(struct kh_job *job)
{
	struct kh_job *room;

	while (job->forward.channel >= 0 && (room = find_room(job)) != NULL && take_message(job, room))
		;
}

static bool fill(const struct kh_job *job, int channel, struct kh_forwarder *ret_forwarder)
{
	struct kh_forwarder with = {
		.kit = job->pool->kit, .channel = channel, .count = job->run.networks, .bytes_out = job->run.bytes_out};
	struct kh_view name;
	int port;

	for (size_t i = 0; i < with.count; i++) {
		if (!kh_request_target(job->run.network[i], &name, &port))
			return false;
		with.is_tls[i] = is_tls_port(port);
		with.listening[i] = job->slot->listening[i];
	}
	*ret_forwarder = with;
	return true;
}

static void start(struct kh_job *job)
{
	static struct kh_forwarder with; /* what the fork begins with: the memory of jobs is wiped in it */
	int ends[2];

	if (kh_channel_pair(ends, NULL) != KH_OK || !fill(job, ends[1], &with)) {
		kh_job_end(job, KH_FAULT_BUSY, "no more descriptors");
		return;
	}
	int pid = kh_sandbox_kit_clone(0, &job->forward.pidfd, -1);
	if (pid == 0)
		kh_forwarder_main(&with);
	close(ends[1]);
	kh_pool_unlisten(job->slot);
	if (pid < 0) {
		close(ends[0]);
		job->forward.pidfd = -1;
		kh_job_end(job, KH_FAULT_BUSY, "the forwarder cannot be started: %s", strerror(errno));
		return;
	}
	job->forward.pid = pid;
	job->forward.channel = ends[0];
	job->forward.state = KH_STATE_FORWARDING;
}

void kh_forward_step(struct kh_job *job)
{
	if (asks_itself(job)) {
		take_worker_questions(job);
		return;
	}
	if (job->run.networks == 0 || job->slot == NULL)
		return;
	if (job->forward.pid == 0 && job->slot->listens == job->run.networks)
		start(job);
	if (job->forward.pid > 0)
		take_messages(job);
}

/* What is watched of a worker that asks.  A dead one is waited for by its pidfd, because its channel would wake us for
 * ever. */
static size_t watch_asking(const struct kh_job *job, struct pollfd *watch, size_t n)
{
	short events = (short)((has_room(job) ? POLLIN : 0) | (job->input_n > 0 ? POLLOUT : 0));

	if (events == 0 || job->slot == NULL || job->slot->gone)
		return n;
	return kh_job_watch(watch, n, job->slot->worker, events);
}

size_t kh_forward_watch(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us)
{
	const struct kh_job_forward *forward = &job->forward;

	if (asks_itself(job) && job->phase == KH_JOB_TALK)
		return watch_asking(job, watch, n);

	if (forward->pid == 0)
		return n;
	/* A question that there is no room for stays in the channel. */
	if (has_room(job))
		n = kh_job_watch(watch, n, forward->channel, POLLIN);
	if (!forward->is_stopping)
		return n;
	if (forward->deadline_us < *wake_us)
		*wake_us = forward->deadline_us;
	return kh_job_watch(watch, n, forward->pidfd, POLLIN);
}

bool kh_forward_waits(const struct kh_job *job)
{
	return (job->forward.pid > 0 || asks_itself(job)) && !has_room(job);
}

/* Questions that are open do not matter any more. */
static void forget_questions(struct kh_job *job)
{
	for (size_t i = 0; job->house != NULL && i < job->house->count; i++) {
		struct kh_job *peer = &job->house->jobs[i];
		if (!job->house->busy[i] || peer->owner != job)
			continue;
		peer->owner = NULL;
		job->forward.questions--;
		kh_job_end(peer, KH_FAULT_CANCELLED, "closed");
		job->house->step(peer);
	}
}

bool kh_forward_stop(struct kh_job *job)
{
	struct kh_job_forward *forward = &job->forward;
	int64_t now = kh_clock_us();

	if (forward->pid == 0) {
		if (asks_itself(job))
			forget_questions(job);
		return true;
	}
	if (!forward->is_stopping) {
		forward->is_stopping = true;
		forward->deadline_us = job->fault == KH_FAULT_NONE ? now + STOP_US : now;
		forget_questions(job);
		if (forward->channel >= 0)
			shutdown(forward->channel, SHUT_WR);
	}
	take_messages(job); /* the last tally */
	if (now >= forward->deadline_us)
		syscall(SYS_pidfd_send_signal, forward->pidfd, SIGKILL, NULL, 0);
	if (waitpid(forward->pid, NULL, WNOHANG) == 0)
		return false;
	take_messages(job);
	kh_job_close(&forward->channel);
	kh_job_close(&forward->pidfd);
	forward->pid = 0;
	return true;
}
