/*
 * The worker that speaks HTTP: its side towards the executor's channel.  transfer.h has the exchange itself.
 *
 * Trusts the executor, and the certificates of its own root.  Guarantees: at most one HEAD, then OUTPUT within the cap,
 * then DONE; a detail is never text of the server.
 */
#include "worker/http/http.h"

#include "base/clock.h"
#include "worker/http/bytes.h"
#include "worker/http/trust.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

struct transfer {
	struct kh_worker *worker;
	int64_t deadline;
	struct kh_bytes body;
};

/* The executor may take its time, and the wall clock goes on. */
static enum kh_fault sent(enum kh_io io)
{
	if (io == KH_IO_DONE)
		return KH_FAULT_NONE;
	return io == KH_IO_AGAIN ? KH_FAULT_TIME : KH_FAULT_WORKER;
}

static enum kh_fault send_head(void *ctx, unsigned status, struct kh_view headers, struct kh_view location)
{
	struct transfer *transfer = ctx;
	struct kh_worker *worker = transfer->worker;

	kh_worker_begin(worker, KH_MESSAGE_HEAD);
	kh_message_number(&worker->out, KH_FIELD_STATUS, status);
	kh_message_text(&worker->out, KH_FIELD_HEADERS, headers);
	if (location.n > 0)
		kh_message_text(&worker->out, KH_FIELD_LOCATION, location);
	return sent(kh_worker_send(worker, transfer->deadline));
}

static enum kh_fault send_output(void *ctx, struct kh_view bytes)
{
	struct transfer *transfer = ctx;

	kh_worker_begin(transfer->worker, KH_MESSAGE_OUTPUT);
	kh_message_bulk(&transfer->worker->out, bytes);
	return sent(kh_worker_send(transfer->worker, transfer->deadline));
}

static enum kh_fault add_body(struct transfer *transfer, struct kh_view bytes)
{
	enum kh_err e = kh_bytes_add(&transfer->body, &kh_alloc_system, KH_REQUEST_BODY, bytes);

	return e == KH_OK ? KH_FAULT_NONE : e == KH_ELIMIT ? KH_FAULT_REQUEST : KH_FAULT_WORKER;
}

/* Receives the body of a POST from the channel, up to its end. */
static enum kh_fault receive_body(struct transfer *transfer)
{
	enum kh_fault fault = KH_FAULT_NONE;
	struct kh_message message;
	int fds[KH_MESSAGE_FDS];
	size_t fd_count;

	while (fault == KH_FAULT_NONE) {
		if (!kh_worker_receive(transfer->worker, transfer->deadline, &message, fds, &fd_count))
			return kh_worker_left(transfer->deadline) == 0 ? KH_FAULT_TIME : KH_FAULT_REQUEST;
		if (message.type == KH_MESSAGE_INPUT_END)
			return KH_FAULT_NONE;
		fault = add_body(transfer, message.bulk);
	}
	return fault;
}

/* The job in the message.  Its text is copied, because the messages of the body come into the same buffer. */
static bool take_job(const struct kh_message *message, struct kh_arena *arena, struct kh_transfer_job *job)
{
	struct kh_view line;
	size_t cursor = 0;

	if (!message->has[KH_FIELD_WALL] || !message->has[KH_FIELD_OUTPUT])
		return false;
	job->url = kh_arena_dup(arena, message->text[KH_FIELD_URL]);
	job->method = message->number[KH_FIELD_METHOD] == KH_METHOD_POST ? KH_METHOD_POST : KH_METHOD_GET;
	job->output = message->number[KH_FIELD_OUTPUT];
	while (kh_message_item(message, KH_FIELD_HEADER, &cursor, &line)) {
		if (job->headers == KH_REQUEST_HEADERS)
			return false;
		job->header[job->headers++] = kh_arena_dup(arena, line);
	}
	return kh_arena_check(arena) == KH_OK;
}

static int serve(struct kh_worker *worker, struct kh_transfer *http, struct kh_transfer_job *job,
		 struct transfer *transfer)
{
	struct kh_transfer_sink sink = {.ctx = transfer, .head = send_head, .output = send_output};
	enum kh_fault fault = job->method == KH_METHOD_POST ? receive_body(transfer) : KH_FAULT_NONE;
	const char *detail = "";

	if (fault != KH_FAULT_NONE)
		return kh_worker_done(worker, fault, "the body of the request is too long, or did not come");
	job->body = kh_bytes_view(&transfer->body);
	job->wall_ms = kh_worker_left(transfer->deadline);
	fault = kh_transfer_run(http, job, &sink, &detail);
	return kh_worker_done(worker, fault, detail);
}

int kh_worker_http_serve(struct kh_worker *worker, struct kh_transfer *http, struct kh_view authorities)
{
	struct kh_transfer_job job = {.authorities = authorities};
	struct transfer transfer = {.worker = worker};
	struct kh_message message;
	int fds[KH_MESSAGE_FDS], status;
	struct kh_arena arena;
	size_t fd_count;

	if (!kh_worker_receive(worker, -1, &message, fds, &fd_count))
		return 1;
	uint64_t wall = message.number[KH_FIELD_WALL];
	transfer.deadline = kh_clock_ms() + (int64_t)(wall < INT32_MAX ? wall : INT32_MAX);
	job.socket = fds[0];
	kh_arena_init(&arena, &kh_alloc_system, 4 * KH_MESSAGE_MAX);
	if (fd_count > 1 && !kh_worker_read(fds[1], KH_HTTP_TRUST_FILE, &job.authorities))
		status = kh_worker_done(worker, KH_FAULT_REQUEST, "the file of authorities cannot be read");
	else if (!take_job(&message, &arena, &job))
		status = kh_worker_done(worker, KH_FAULT_REQUEST, "not a request that is taken");
	else
		status = serve(worker, http, &job, &transfer);
	kh_bytes_free(&transfer.body, &kh_alloc_system);
	kh_arena_done(&arena);
	return status;
}

int kh_worker_http(int channel)
{
	struct kh_worker worker = {.channel = channel, .state = KH_STATE_WORKER_HTTP};
	struct kh_view authorities = kh_http_trust_system();
	struct kh_error err = {.detail = ""};
	struct kh_transfer *http = NULL;

	if (kh_transfer_new(&kh_alloc_system, &http, &err) != KH_OK) {
		fprintf(stderr, "keyhole worker: %s\n", err.detail);
		return 1;
	}
	if (!kh_worker_confine(KH_FILTER_HTTP) || !kh_transfer_trust(http, authorities))
		return 1;
	return kh_worker_http_serve(&worker, http, authorities);
}
