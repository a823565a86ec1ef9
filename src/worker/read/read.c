/*
 * The worker that reads a file.
 *
 * The path comes from an agent, and somebody else may be changing the folder.  The kernel ensures that the file is
 * below the folder, in the same call that opens it (openat2, RESOLVE_BENEATH), so there is no race between checking and
 * opening.  Nothing is opened that could block or react: a FIFO does not block, and there are no devices.
 */
#include "worker/read/read.h"

#include "worker/read/tree.h"
#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRIES 64 /* the kernel wants another try if something was moved during the lookup */

/* A member of the job as a path for the kernel; false if it is not one. */
static bool take_path(const struct kh_worker_job *job, const char *member, char ret_path[PATH_MAX])
{
	struct kh_view path = kh_json_str(kh_json_get(job->root, member));

	if (path.p == NULL || path.n >= PATH_MAX || memchr(path.p, '\0', path.n) != NULL)
		return false;
	memcpy(ret_path, path.p, path.n);
	ret_path[path.n] = '\0';
	return true;
}

static int open_below(int at, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = resolve | RESOLVE_NO_MAGICLINKS};
	int fd = -1;

	for (int i = 0; i < TRIES; i++) {
		fd = (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return fd;
}

/* Opens the file; its descriptor, or -1 and errno. */
static int open_file(const char *folder, const char *path)
{
	const uint64_t flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

	if (path[0] == '\0')
		return open_below(AT_FDCWD, folder, flags, RESOLVE_NO_SYMLINKS);
	int at = open_below(AT_FDCWD, folder, O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
	if (at < 0)
		return -1;
	int fd = open_below(at, path, flags, RESOLVE_BENEATH);
	int e = errno;
	close(at);
	errno = e;
	return fd;
}

static enum kh_err refuse(int error, struct kh_error *err)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
	case ENAMETOOLONG:
		return kh_error_set(err, KH_EREFUSED, "not_found", "there is no such file");
	case EXDEV:
		return kh_error_set(err, KH_EREFUSED, "outside_folder", "the path leads out of the folder");
	case ELOOP:
		return kh_error_set(err, KH_EREFUSED, "outside_folder",
				    "the path has too many symbolic links, or one that is not followed");
	case ENXIO:
	case ENODEV:
		return kh_error_set(err, KH_EREFUSED, "not_a_file", "not a regular file");
	case EAGAIN:
		return kh_error_set(err, KH_EREFUSED, "file_changed", "the folders on the way changed all the time");
	default:
		return kh_error_set(err, KH_EREFUSED, "not_readable", "opening the file: %s", strerrordesc_np(error));
	}
}

/* Reads all of FD, which must be a file of at most MOST bytes. */
static enum kh_err read_file(int fd, uint64_t most, struct kh_view *ret_bytes, struct kh_error *err)
{
	struct stat before, after;

	if (fstat(fd, &before) < 0 || !S_ISREG(before.st_mode))
		return kh_error_set(err, KH_EREFUSED, "not_a_file", "not a regular file");
	if ((uint64_t)before.st_size > most)
		return kh_error_set(err, KH_EREFUSED, "too_large", "the file has more than %llu bytes",
				    (unsigned long long)most);
	errno = 0;
	if (!kh_worker_read(fd, most, ret_bytes)) {
		if (errno != 0)
			return kh_error_set(err, KH_EREFUSED, "not_readable", "reading the file: %s",
					    strerrordesc_np(errno));
		return kh_error_set(err, KH_EREFUSED, "too_large", "the file has more than %llu bytes",
				    (unsigned long long)most);
	}
	/* Files of the kernel have size 0.  Any other file must have the size that was read. */
	if (fstat(fd, &after) < 0 || (after.st_size > 0 && (uint64_t)after.st_size != ret_bytes->n) ||
	    before.st_mtim.tv_sec != after.st_mtim.tv_sec || before.st_mtim.tv_nsec != after.st_mtim.tv_nsec)
		return kh_error_set(err, KH_EREFUSED, "file_changed", "the file changed while it was read");
	return KH_OK;
}

/* Writes the digest of what the job's folder is. */
static enum kh_err write_digest(const struct kh_worker_job *job, struct kh_error *err)
{
	char folder[PATH_MAX];
	struct kh_digest digest;

	if (!take_path(job, "folder", folder) || folder[0] != '/')
		return kh_error_set(err, KH_EINPUT, "job_refused", "a job without folder");
	int fd = open_file(folder, "");
	if (fd < 0)
		return refuse(errno, err);
	enum kh_err e = kh_tree_digest(fd, job->arena, &digest, err);
	close(fd);
	if (e != KH_OK)
		return e;
	struct kh_view hex = kh_canonical_hex(job->arena, &digest);
	return hex.p != NULL ? kh_worker_job_write(job, hex, err) : KH_ENOMEM;
}

enum kh_err kh_worker_read_run(const struct kh_worker_job *job, struct kh_error *err)
{
	char folder[PATH_MAX], path[PATH_MAX];
	struct kh_view bytes = {NULL, 0};
	int64_t most = 0;

	if (yyjson_is_true(kh_json_get(job->root, "digest")))
		return write_digest(job, err);
	if (!take_path(job, "folder", folder) || folder[0] != '/' || !take_path(job, "path", path) ||
	    !kh_json_int(kh_json_get(job->root, "most"), &most) || most < 0)
		return kh_error_set(err, KH_EINPUT, "job_refused", "a job without folder, path and most");
	int fd = open_file(folder, path);
	if (fd < 0)
		return refuse(errno, err);
	enum kh_err e = read_file(fd, (uint64_t)most, &bytes, err);
	close(fd);
	if (e == KH_OK)
		e = kh_worker_job_write(job, bytes, err);
	kh_worker_unread(bytes);
	return e;
}
