/*
 * What all workers that take a job share: from start to exit status.
 *
 * Trusts the job's author, which is the gateway.  Guarantees: the filter is in place before the first byte of the job
 * is read, and a worker that failed has reported it in one line.
 */
#include "worker/job.h"

#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define ARENA (400U << 20) /* the real limit is the profile's memory limit */

static bool write_all(int fd, struct kh_view bytes)
{
	while (bytes.n > 0) {
		ssize_t n = write(fd, bytes.p, bytes.n);
		if (n < 0 && errno != EINTR)
			return false;
		bytes = kh_view_from(bytes, n > 0 ? (size_t)n : 0);
	}
	return true;
}

enum kh_err kh_worker_job_write(const struct kh_worker_job *job, struct kh_view bytes, struct kh_error *err)
{
	if (write_all(job->out, bytes))
		return KH_OK;
	return kh_error_set(err, KH_EUNKNOWN, "not_taken", "nobody takes the result");
}

/* Writes the one line of a worker that failed. */
static int report(int fd, struct kh_arena *arena, const struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_view text = KH_LIT("{\"fault\":\"out_of_memory\",\"detail\":\"no memory is left\"}");

	kh_json_add(doc, root, "fault", kh_view_str(err->code != NULL ? err->code : kh_err_name(err->err)));
	kh_json_add(doc, root, "detail", kh_view_str(err->detail));
	(void)!kh_json_write(arena, root, &text);
	(void)(write_all(fd, text) && write_all(fd, KH_LIT("\n")));
	return 1;
}

/* Parses the job: an object, up to the first newline, and the bytes that follow. */
static enum kh_err read_job(int in, struct kh_view *ret_all, struct kh_worker_job *job, struct kh_error *err)
{
	struct kh_view all;

	if (!kh_worker_read(in, KH_WORKER_JOB_MAX, &all))
		return kh_error_set(err, KH_ELIMIT, "job_refused", "a job of more than %u bytes", KH_WORKER_JOB_MAX);
	*ret_all = all;
	const char *newline = all.n > 0 ? memchr(all.p, '\n', all.n) : NULL;
	size_t n = newline != NULL ? (size_t)(newline - all.p) : all.n;
	enum kh_err e = kh_json_read(job->arena, kh_view_sub(all, 0, n), &job->root, err);
	if (e == KH_OK && !yyjson_is_obj(job->root))
		e = kh_error_set(err, KH_EINPUT, "job_refused", "a job that is no object");
	job->bytes = kh_view_from(all, n + 1);
	return e;
}

int kh_worker_job_do(const struct kh_worker_job_kind *kind, int in, int out, int errors, int connection, int timed)
{
	struct kh_error err = {.err = KH_ENOMEM, .detail = "no memory is left"};
	struct kh_arena arena;
	struct kh_worker_job job = {.connection = connection, .out = out, .timed = timed, .arena = &arena};
	struct kh_view all = {NULL, 0};

	kh_arena_init(&arena, &kh_alloc_system, ARENA);
	enum kh_err e = read_job(in, &all, &job, &err);
	if (e == KH_OK)
		e = kind->run(&job, &err);
	int status = e == KH_OK ? 0 : report(errors, &arena, &err);
	kh_arena_done(&arena);
	kh_worker_unread(all);
	return status;
}

int kh_worker_job_serve(const struct kh_worker_job_kind *kind, const struct kh_filter *filter)
{
	bool connected = fcntl(KH_CHANNEL_INHERITED, F_GETFD) >= 0;
	struct kh_error err = {.detail = ""};
	struct kh_arena arena;

	if (kind->load != NULL && kind->load(connected, &err) != KH_OK) {
		kh_arena_init(&arena, &kh_alloc_system, 65536);
		int status = report(STDERR_FILENO, &arena, &err);
		kh_arena_done(&arena);
		return status;
	}
	if (filter != NULL ? kh_filter_install(filter) != 0 : !kh_worker_confine(kind->filter))
		return 1;
	return kh_worker_job_do(kind, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, connected ? KH_CHANNEL_INHERITED : -1,
				STDERR_FILENO);
}
