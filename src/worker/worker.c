/*
 * What all workers share: their end of the channel, their confinement, reading whole files.
 *
 * Trusts the executor.  Guarantees: every message that is sent is in the table of messages, and a worker that cannot be
 * confined or whose channel is broken ends without doing anything.
 */
#include "worker/worker.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define FIRST_READ 65536

bool kh_worker_confine(enum kh_filter_kind kind)
{
	struct kh_error err = {.detail = ""};
	struct kh_filter *filter = NULL;

	if (kh_filter_new(kind, &kh_alloc_system, &filter, &err) != KH_OK) {
		fprintf(stderr, "keyhole worker: %s\n", err.detail);
		return false;
	}
	int e = kh_filter_install(filter);
	if (e != 0)
		fprintf(stderr, "keyhole worker: installing the filter: %s\n", strerror(e));
	kh_filter_free(filter);
	return e == 0;
}

int kh_worker_left(int64_t deadline)
{
	if (deadline < 0)
		return -1;
	int64_t left = deadline - kh_clock_ms();
	if (left < 0)
		return 0;
	return left < INT_MAX ? (int)left : INT_MAX;
}

bool kh_worker_receive(struct kh_worker *worker, int64_t deadline, struct kh_message *ret_message,
		       int ret_fds[KH_MESSAGE_FDS], size_t *ret_fd_count)
{
	struct kh_view packet;

	return kh_channel_receive_wait(worker->channel, worker->in_buffer, &packet, ret_fds, ret_fd_count,
				       kh_worker_left(deadline)) == KH_IO_DONE &&
	       kh_message_read(packet, *ret_fd_count, &worker->state, ret_message, NULL) == KH_OK;
}

void kh_worker_begin(struct kh_worker *worker, enum kh_message_type type)
{
	kh_message_begin(&worker->out, worker->out_buffer, sizeof(worker->out_buffer), type);
}

enum kh_io kh_worker_send(struct kh_worker *worker, int64_t deadline)
{
	struct kh_view packet;

	if (kh_message_end(&worker->out, &packet) != KH_OK)
		return KH_IO_BROKEN;
	return kh_channel_send_wait(worker->channel, packet, NULL, 0, kh_worker_left(deadline));
}

int kh_worker_done(struct kh_worker *worker, enum kh_fault fault, const char *detail)
{
	kh_worker_begin(worker, KH_MESSAGE_DONE);
	kh_message_number(&worker->out, KH_FIELD_FAULT, fault);
	if (detail[0] != '\0')
		kh_message_text(&worker->out, KH_FIELD_DETAIL, kh_view_str(detail));
	/* The executor ends a worker whose time is over; until then it may be slow. */
	return kh_worker_send(worker, -1) == KH_IO_DONE ? 0 : 1;
}

bool kh_worker_read(int fd, size_t most, struct kh_view *ret_bytes)
{
	size_t n = 0, cap = 0;
	char *bytes = NULL;

	for (;;) {
		if (n == cap) {
			size_t want = cap > 0 ? cap * 2 : FIRST_READ;
			char *more = kh_alloc_system.resize(kh_alloc_system.ctx, bytes, cap, want);
			if (more == NULL)
				break;
			bytes = more;
			cap = want;
		}
		ssize_t got = read(fd, bytes + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0 && n <= most) {
			*ret_bytes = kh_view_of(bytes, n);
			return true;
		}
		if (got <= 0)
			break;
		n += (size_t)got;
		if (n > most)
			break;
	}
	kh_alloc_free(&kh_alloc_system, bytes, cap);
	return false;
}

void kh_worker_unread(struct kh_view bytes)
{
	char *p;

	memcpy(&p, &bytes.p, sizeof(p)); /* it was not const when it was read */
	kh_alloc_free(&kh_alloc_system, p, bytes.n);
}

struct kh_view kh_worker_load(const char *path, size_t most)
{
	struct kh_view bytes = KH_LIT("");
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return bytes;
	if (!kh_worker_read(fd, most, &bytes))
		bytes = KH_LIT("");
	close(fd);
	return bytes;
}
