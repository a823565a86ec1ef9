/* Reading secrets.  What is read is in the caller's room and nowhere else: in no message, log or error. */
#include "executor/keyfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OTHERS 077 /* the mode bits of the group and of all others */

static enum kh_err refuse(struct kh_view name, const char *why, struct kh_error *err)
{
	return kh_error_set(err, KH_EREFUSED, "secret_refused", "%.*s: its file %s", KH_FMT(name), why);
}

/* Opens the file PATH of secret NAME, if nobody else may use it. */
static enum kh_err open_file(struct kh_view name, struct kh_view path, bool links, int *ret_fd, struct kh_error *err)
{
	char text[PATH_MAX];
	struct stat st = {0};
	const char *why = NULL;

	if (path.n >= sizeof(text))
		return refuse(name, "cannot be opened", err);
	snprintf(text, sizeof(text), "%.*s", KH_FMT(path));
	/* A FIFO would keep whoever opens it waiting.  A link may have come since the path was looked at. */
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
			       .resolve = links ? 0 : RESOLVE_NO_SYMLINKS};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, text, &how, sizeof(how));
	if (fd < 0)
		return refuse(name,
			      errno == ENOENT  ? "is not there"
			      : errno == ELOOP ? "is behind a symbolic link"
					       : "cannot be opened",
			      err);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		why = "is no plain file";
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		why = "belongs to somebody else";
	else if ((st.st_mode & OTHERS) != 0)
		why = "may be used by others: chmod 600 it";
	if (why == NULL) {
		*ret_fd = fd;
		return KH_OK;
	}
	close(fd);
	return refuse(name, why, err);
}

enum kh_err kh_keyfile_read(struct kh_view name, struct kh_view path, bool links, char *room, size_t cap,
			    struct kh_view *ret_value, struct kh_error *err)
{
	size_t n = 0;
	ssize_t got = 1;
	int fd = -1;
	enum kh_err e = open_file(name, path, links, &fd, err);

	if (e != KH_OK)
		return e;
	while (n < cap && (got = read(fd, room + n, cap - n)) > 0)
		n += (size_t)got;
	char more;
	bool is_longer = got > 0 && n == cap && read(fd, &more, 1) > 0;
	close(fd);
	struct kh_view value = kh_view_trim(kh_view_of(room, n));
	if (got < 0)
		return refuse(name, "cannot be read", err);
	if (is_longer)
		return refuse(name, "is too long", err);
	if (value.n == 0)
		return refuse(name, "is empty", err);
	if (memchr(value.p, '\0', value.n) != NULL)
		return refuse(name, "has a NUL byte", err);
	*ret_value = value;
	return KH_OK;
}
