/* Pipes and packets.  Trusts neither side to read, to write or to end. */
#include "executor/stream.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

void kh_stream_share(const struct kh_job *job, const int pipes[3])
{
	for (int i = 0; i < 3 && job->pool->kit->is_root; i++)
		if (pipes[i] >= 0)
			(void)fchmod(pipes[i], 0666);
}

size_t kh_stream_feed(struct kh_job *job)
{
	size_t taken = 0;

	if (job->input_n > 0 && job->in >= 0) {
		ssize_t n = write(job->in, job->input + job->input_at, job->input_n - job->input_at);
		if (n > 0)
			taken = (size_t)n;
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			kh_job_close(&job->in);
		job->input_at += taken;
	}
	if (job->in < 0 || job->input_at == job->input_n)
		job->input_at = job->input_n = 0;
	if (job->fed && job->input_n == 0)
		kh_job_close(&job->in);
	return taken;
}

size_t kh_stream_read(int *fd, char *bytes, size_t size)
{
	ssize_t n = *fd >= 0 ? read(*fd, bytes, size) : -1;

	if (n > 0)
		return (size_t)n;
	if (*fd >= 0 && (n == 0 || (errno != EAGAIN && errno != EINTR)))
		kh_job_close(fd);
	return 0;
}

/* As kh_stream_read(), without the secrets of a server.  What may be the beginning of one waits for the rest of it, so
 * there is room for that besides SIZE. */
static size_t read_veiled(struct kh_job *job, int *fd, char *bytes, size_t size)
{
	struct kh_job_serve *serve = &job->serve;

	if (serve->veil.n == 0)
		return kh_stream_read(fd, bytes, size);
	if (size < 2 * sizeof(serve->held))
		size = 2 * sizeof(serve->held);
	memcpy(bytes, serve->held, serve->held_n);
	size_t got = kh_stream_read(fd, bytes + serve->held_n, size - serve->held_n);
	if (got == 0 && *fd >= 0)
		return 0;
	size_t n = serve->held_n + got;
	size_t out = kh_veil_lines(&serve->veil, &serve->covering, *fd < 0, bytes, n);
	serve->held_n = n - out;
	memcpy(serve->held, bytes + out, serve->held_n);
	return out;
}

size_t kh_stream_relay(struct kh_job *job, int *fd, enum kh_message_type type, size_t most)
{
	char *bulk = job->to_parent + KH_MESSAGE_HEADER;
	struct kh_message_out out;
	struct kh_view packet;

	if (*fd < 0 || !kh_job_flush(job))
		return 0;
	size_t n = read_veiled(job, fd, bulk, most < KH_MESSAGE_BULK ? most : KH_MESSAGE_BULK);
	if (job->limits.output > 0 && n > job->limits.output - job->used) {
		n = (size_t)(job->limits.output - job->used);
		kh_job_end(job, KH_FAULT_OUTPUT, "more than %llu bytes of output",
			   (unsigned long long)job->limits.output);
	}
	if (n == 0)
		return 0;
	job->used += n;
	kh_message_begin(&out, job->to_parent, sizeof(job->to_parent), type);
	kh_message_bulk(&out, kh_view_of(bulk, n));
	if (kh_message_end(&out, &packet) == KH_OK)
		job->to_parent_n = packet.n;
	(void)kh_job_flush(job);
	return n;
}
