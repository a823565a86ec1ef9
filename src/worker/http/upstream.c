/*
 * The loop of the worker for an upstream server.  Trusts the executor.  Guarantees: each call that it takes ends with
 * DONE on its own channel, or with the end of the channel; no call waits for another.
 */
#include "worker/http/upstream.h"

#include "base/clock.h"

#include <stdio.h>
#include <unistd.h>

#define WAIT_MS 60000 /* libcurl wakes up earlier if it has a reason */

struct loop {
	struct kh_http_site *site;
	struct kh_http_call *calls[KH_UPSTREAM_CALLS];
	size_t count;
	int64_t idle_since_ms; /* if there is no call */
	bool is_over;
};

/* Says on CHANNEL that there is no room for its call. */
static void refuse(struct loop *loop, int channel)
{
	struct kh_message_out out;

	kh_message_begin(&out, loop->site->buffer, KH_MESSAGE_MAX, KH_MESSAGE_DONE);
	kh_message_number(&out, KH_FIELD_FAULT, KH_FAULT_BUSY);
	kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(kh_fault_about(KH_FAULT_BUSY)));
	(void)!kh_channel_say(channel, &out, NULL, 0);
	close(channel);
}

static void take_call(struct loop *loop, int channel)
{
	struct kh_http_call *call = loop->count < KH_UPSTREAM_CALLS ? kh_http_call_new(loop->site, channel) : NULL;

	if (call == NULL) {
		refuse(loop, channel);
		return;
	}
	loop->calls[loop->count++] = call;
	kh_http_call_hear(call); /* its ASK was there before */
}

/* A connection that nobody waits for any more is closed. */
static void take_dialed(struct loop *loop, const struct kh_message *message, int socket)
{
	enum kh_fault fault = (enum kh_fault)message->number[KH_FIELD_FAULT];

	for (size_t i = 0; i < loop->count; i++) {
		struct kh_http_call *call = loop->calls[i];
		if (call->phase == KH_HTTP_CALL_DIALING && call->ticket == message->number[KH_FIELD_TICKET]) {
			kh_http_call_dialed(call, socket, fault != KH_FAULT_NONE ? fault : KH_FAULT_CONNECT,
					    message->text[KH_FIELD_DETAIL]);
			return;
		}
	}
	if (socket >= 0)
		close(socket);
}

/* Takes one message of the executor; false if there is none. */
static bool hear_executor(struct loop *loop)
{
	struct kh_worker *worker = loop->site->worker;
	struct kh_message message;
	int fds[KH_MESSAGE_FDS];
	struct kh_view packet;
	size_t count = 0;
	enum kh_io io = kh_channel_receive(worker->channel, worker->in_buffer, &packet, fds, &count);

	if (io == KH_IO_AGAIN)
		return false;
	if (io != KH_IO_DONE || kh_message_read(packet, count, &worker->state, &message, NULL) != KH_OK)
		loop->is_over = true;
	else if (message.type == KH_MESSAGE_CALL)
		take_call(loop, fds[0]);
	else
		take_dialed(loop, &message, count > 0 ? fds[0] : -1);
	return !loop->is_over;
}

/* What libcurl has finished. */
static void take_finished(struct loop *loop)
{
	const struct kh_curl *curl = &loop->site->curl;
	int left;

	for (CURLMsg *m; (m = curl->multi_info_read(loop->site->multi, &left)) != NULL;) {
		CURLcode code = m->data.result;
		char *ctx = NULL;
		if (m->msg != CURLMSG_DONE || curl->easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &ctx) != CURLE_OK)
			continue;
		for (size_t i = 0; i < loop->count; i++)
			if ((char *)loop->calls[i] == ctx)
				kh_http_call_ended(loop->calls[i], code);
	}
}

static void step_calls(struct loop *loop)
{
	for (size_t i = 0; i < loop->count;) {
		kh_http_call_step(loop->calls[i]);
		if (loop->calls[i]->phase != KH_HTTP_CALL_OVER) {
			i++;
			continue;
		}
		kh_http_call_free(loop->calls[i]);
		loop->calls[i] = loop->calls[--loop->count];
		loop->idle_since_ms = kh_clock_ms();
	}
}

/* How long nothing needs to be done, if nothing comes. */
static int64_t left_ms(const struct loop *loop)
{
	int64_t left = WAIT_MS;

	for (size_t i = 0; i < loop->count; i++)
		left = kh_http_call_left(loop->calls[i], left);
	if (loop->count > 0)
		return left;
	int64_t idle = loop->idle_since_ms + loop->site->idle_ms - kh_clock_ms();
	return idle < left ? (idle > 0 ? idle : 0) : left;
}

static void await(struct loop *loop)
{
	struct curl_waitfd watch[1 + KH_UPSTREAM_CALLS];
	size_t n = loop->count;

	watch[0] = (struct curl_waitfd){.fd = loop->site->worker->channel, .events = CURL_WAIT_POLLIN};
	for (size_t i = 0; i < n; i++) {
		bool waits = !kh_outlet_is_empty(&loop->calls[i]->out);
		watch[1 + i] = (struct curl_waitfd){
			.fd = loop->calls[i]->channel,
			.events = (short)(CURL_WAIT_POLLIN | (waits ? CURL_WAIT_POLLOUT : 0))};
	}
	if (loop->site->curl.multi_poll(loop->site->multi, watch, (unsigned)(1 + n), (int)left_ms(loop), NULL) !=
	    CURLM_OK) {
		loop->is_over = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (watch[1 + i].revents & CURL_WAIT_POLLIN)
			kh_http_call_hear(loop->calls[i]);
	while (watch[0].revents != 0 && hear_executor(loop))
		;
}

static int follow(struct kh_http_site *site)
{
	struct loop loop = {.site = site, .idle_since_ms = kh_clock_ms()};
	int running;

	while (!loop.is_over) {
		step_calls(&loop);
		if (site->curl.multi_perform(site->multi, &running) != CURLM_OK)
			break;
		take_finished(&loop);
		step_calls(&loop);
		if (loop.count == 0 && kh_clock_ms() >= loop.idle_since_ms + site->idle_ms)
			break;
		await(&loop);
	}
	while (loop.count > 0)
		kh_http_call_free(loop.calls[--loop.count]);
	return loop.is_over ? 1 : kh_worker_done(site->worker, KH_FAULT_NONE, "");
}

/* Waits for SERVE and serves. */
static int serve(struct kh_http_site *site)
{
	struct kh_message message;
	int fds[KH_MESSAGE_FDS];
	size_t count;

	if (!kh_worker_receive(site->worker, -1, &message, fds, &count))
		return 1;
	const char *wrong = kh_http_site_serve(site, &message, count > 0 ? fds[0] : -1);
	explicit_bzero(site->worker->in_buffer, sizeof(site->worker->in_buffer)); /* secrets were in it */
	if (count > 0)
		close(fds[0]);
	return wrong == NULL ? follow(site) : kh_worker_done(site->worker, KH_FAULT_REQUEST, wrong);
}

int kh_worker_http_upstream(int channel)
{
	static struct kh_http_site site; /* too large for a stack */
	struct kh_worker worker = {.channel = channel, .state = KH_STATE_WORKER_NEW};
	struct kh_error err = {.detail = ""};

	if (kh_http_site_init(&site, &worker, &err) != KH_OK) {
		fprintf(stderr, "keyhole worker: %s\n", err.detail);
		return 1;
	}
	if (!kh_worker_confine(KH_FILTER_HTTP))
		return 1;
	int status = serve(&site);
	kh_http_site_done(&site);
	return status;
}
