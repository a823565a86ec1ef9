/*
 * Fetches.  Trusts the parent for what is granted, and nobody for where it leads.  A redirect is a URL from outside: it
 * goes through all steps again, from parsing to checking to connecting, or back to the parent.
 */
#include "executor/fetch.h"

#include "base/clock.h"
#include "executor/post.h"
#include "executor/reach.h"
#include "wire/channel.h"
#include "wire/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Goes to job->where. */
static void go(struct kh_job *job)
{
	if (job->where.plain && !job->fetch.plain)
		kh_job_end(job, KH_FAULT_SCHEME, "http, and the request grants https only");
	else
		kh_reach_begin(job);
}

static enum kh_err read_fetch(struct kh_job *job, const struct kh_message *message, struct kh_error *err)
{
	return kh_request_read_fetch(message, &job->fetch, err);
}

static void begin(struct kh_job *job)
{
	struct kh_error err = {0};

	kh_job_grant(job, &job->fetch.limits, job->fetch.host, job->fetch.hosts);
	if (kh_reach_url(job->fetch.url, job->url, &job->where, &err) == KH_OK)
		go(job);
	else
		kh_job_end(job, KH_FAULT_URL, "%s", err.detail);
}

bool kh_fetch_authority(struct kh_job *job, struct kh_view authority, int *ret_fd)
{
	char path[KH_MESSAGE_TEXT + 1];
	struct stat st;

	*ret_fd = -1;
	if (authority.n == 0)
		return true;
	memcpy(path, authority.p, authority.n);
	path[authority.n] = '\0';
	*ret_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (*ret_fd >= 0 && fstat(*ret_fd, &st) == 0 && S_ISREG(st.st_mode))
		return true;
	kh_job_end(job, KH_FAULT_TLS, "the file of certificates: %s", *ret_fd < 0 ? strerror(errno) : "not a file");
	kh_job_close(ret_fd);
	return false;
}

/* Starts a worker of its own to speak over the connection. */
static void talk(struct kh_job *job)
{
	struct kh_message_out out;
	int64_t now = kh_clock_us();
	int fds[2] = {job->connection, -1};

	if (!kh_fetch_authority(job, job->fetch.authority, &fds[1]))
		return;
	if (kh_post_take(job, KH_PROFILE_HTTP)) {
		kh_message_begin(&out, job->to_parent, sizeof(job->to_parent), KH_MESSAGE_TRANSFER);
		kh_message_number(&out, KH_FIELD_WALL,
				  now < job->deadline_us ? (uint64_t)(job->deadline_us - now) / 1000 + 1 : 1);
		kh_message_number(&out, KH_FIELD_OUTPUT, job->limits.output);
		kh_message_text(&out, KH_FIELD_URL, kh_view_str(job->url));
		kh_message_number(&out, KH_FIELD_METHOD, job->fetch.method);
		for (size_t i = 0; i < job->fetch.headers; i++)
			kh_message_text(&out, KH_FIELD_HEADER, job->fetch.header[i]);
		job->worker_state = KH_STATE_TRANSFER_HEAD;
		job->phase = KH_JOB_TALK;
		(void)kh_post_send(job, &out, fds, fds[1] >= 0 ? 2 : 1);
	}
	kh_job_close(&fds[1]);
	kh_job_close(&job->connection);
}

static bool is_redirect(uint64_t status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/*
 * True if TO leads to a granted place: the same host, and the same port or, with another scheme, that scheme's own
 * port.  From http to https always, back only if http is granted.
 */
static bool is_within(const struct kh_job *job, const struct kh_url *to)
{
	const struct kh_url *from = &job->where;
	bool same_port = to->plain == from->plain ? to->port == from->port : to->port == (to->plain ? 80 : 443);

	return kh_view_eq_nocase(from->host, to->host) && same_port && (!to->plain || job->fetch.plain);
}

/* True if HEAD is a redirect that is followed (or one too many); false if HEAD goes to the parent. */
static bool follow(struct kh_job *job, const struct kh_message *head)
{
	struct kh_view location = head->text[KH_FIELD_LOCATION];
	struct kh_url to;

	if (!is_redirect(head->number[KH_FIELD_STATUS]) || location.n == 0 || job->fetch.method != KH_METHOD_GET ||
	    job->fetch.redirects == 0)
		return false;
	/* Compared in normalized form, as the URL that it comes from is. */
	if (kh_reach_url(location, job->next_url, &to, NULL) != KH_OK || !is_within(job, &to))
		return false;
	if (job->redirects++ == job->fetch.redirects) {
		kh_job_end(job, KH_FAULT_REDIRECTS, "more than %u redirects", job->fetch.redirects);
		return true;
	}
	kh_post_drop(job);
	memcpy(job->url, job->next_url, sizeof(job->url));
	if (kh_url_read_web(kh_view_str(job->url), true, &job->where, NULL) == KH_OK)
		go(job);
	else
		kh_job_end(job, KH_FAULT_URL, "%s", kh_fault_about(KH_FAULT_URL));
	return true;
}

/* HEAD for the parent: what the worker sent, and the URL that it came from. */
static void pass_head(struct kh_job *job, const struct kh_message *head)
{
	char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_HEAD);
	kh_message_text(&out, KH_FIELD_URL, kh_view_str(job->url));
	kh_message_number(&out, KH_FIELD_STATUS, head->number[KH_FIELD_STATUS]);
	if (head->has[KH_FIELD_HEADERS])
		kh_message_text(&out, KH_FIELD_HEADERS, head->text[KH_FIELD_HEADERS]);
	if (head->has[KH_FIELD_LOCATION])
		kh_message_text(&out, KH_FIELD_LOCATION, head->text[KH_FIELD_LOCATION]);
	if (kh_message_end(&out, &packet) != KH_OK) {
		kh_job_end(job, KH_FAULT_HEADERS, "the headers do not fit in a message");
		return;
	}
	memcpy(job->to_parent, packet.p, packet.n);
	job->to_parent_n = packet.n;
	explicit_bzero(buffer, packet.n); /* every sandbox forked from now on has a copy of the stack */
}

/* HEADED: the response has begun already. */
static void take_message(struct kh_job *job, const struct kh_message *message, bool headed)
{
	if (message->type == KH_MESSAGE_HEAD) {
		if (!follow(job, message))
			pass_head(job, message);
	} else if (message->type == KH_MESSAGE_OUTPUT) {
		if (job->used + message->bulk.n > job->limits.output) {
			kh_job_end(job, KH_FAULT_OUTPUT, "more than %llu bytes",
				   (unsigned long long)job->limits.output);
			return;
		}
		job->used += message->bulk.n;
		job->to_parent_n = KH_MESSAGE_HEADER + message->bulk.n; /* the same packet is passed on */
	} else if (!kh_claim_may((enum kh_fault)message->number[KH_FIELD_FAULT], headed)) {
		kh_job_end(job, KH_FAULT_WORKER, "the worker claims what is not its to say");
	} else {
		enum kh_fault fault = (enum kh_fault)message->number[KH_FIELD_FAULT];
		const char *claim = kh_claim_find(message->text[KH_FIELD_DETAIL]);
		kh_job_end(job, fault, "%s", claim ? claim : fault == KH_FAULT_NONE ? "" : kh_fault_about(fault));
	}
}

/* The body of a POST: packets go to the worker as they came.  A dead worker is noticed when it is read from. */
static void feed_worker(struct kh_job *job)
{
	char buffer[KH_MESSAGE_HEADER];
	struct kh_message_out out;

	kh_job_take_input(job);
	if (job->phase != KH_JOB_TALK)
		return;
	if (job->fetch.method != KH_METHOD_POST) {
		if (job->input_n > 0)
			kh_job_end(job, KH_FAULT_REQUEST, "input for a request that has no body");
		return;
	}
	if (job->input_n > 0 &&
	    kh_channel_send(job->slot->worker, kh_view_of(job->input, job->input_n), NULL, 0) != KH_IO_AGAIN)
		job->input_n = 0;
	if (job->input_n > 0 || !job->fed || job->told)
		return;
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_INPUT_END);
	job->told = kh_channel_say(job->slot->worker, &out, NULL, 0) != KH_IO_AGAIN;
}

static void step(struct kh_job *job)
{
	struct kh_message message;
	bool headed = job->worker_state == KH_STATE_TRANSFER_BODY;

	feed_worker(job);
	for (int i = 0; i < KH_JOB_TURN && job->phase == KH_JOB_TALK; i++) {
		if (!kh_job_flush(job) || !kh_post_receive(job, &message))
			break;
		take_message(job, &message, headed);
		headed = job->worker_state == KH_STATE_TRANSFER_BODY;
	}
}

static size_t watch_worker(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us)
{
	short events = 0;

	(void)wake_us;
	if (job->to_parent_n == 0)
		events |= POLLIN;
	if (job->input_n > 0 || (job->fetch.method == KH_METHOD_POST && job->fed && !job->told))
		events |= POLLOUT;
	/* A dead worker is waited for by its pidfd, because its channel would wake us for ever. */
	if (events && job->slot && job->slot->worker >= 0 && !job->slot->gone)
		watch[n++] = (struct pollfd){.fd = job->slot->worker, .events = events};
	return n;
}

const struct kh_job_kind kh_fetch_kind = {
	.read = read_fetch, .begin = begin, .use = talk, .step = step, .watch = watch_worker};
