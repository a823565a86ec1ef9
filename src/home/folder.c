/* The home folder.  Trusts only what the kernel says of owners and modes.  Does not follow a link in place of a
 * secret. */
#include "home/folder.h"

#include "home/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHERS      077 /* the mode bits of the group and of all others */
#define SECRET_SIZE 4096

static enum kh_err no_memory(struct kh_error *err)
{
	return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
}

/* Returns the value of an environment variable; NULL if it is empty or not set. */
static const char *variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

/* What is started later, in another working directory, gets paths below it. */
static enum kh_err make_absolute(struct kh_arena *arena, struct kh_view path, struct kh_view *ret_path,
				 struct kh_error *err)
{
	char here[PATH_MAX];

	if (getcwd(here, sizeof(here)) == NULL)
		return kh_error_set(err, KH_EINPUT, "home_unreadable", "the working directory: %s", strerror(errno));
	*ret_path = kh_arena_printf(arena, "%s/%.*s", here[1] != '\0' ? here : "", KH_FMT(path));
	return ret_path->p != NULL ? KH_OK : no_memory(err);
}

enum kh_err kh_folder_path(struct kh_arena *arena, const char *named, struct kh_view *ret_path, struct kh_error *err)
{
	const char *home = variable("KEYHOLE_HOME"), *data = variable("XDG_DATA_HOME"), *user = variable("HOME");
	struct kh_view path;

	if (named != NULL && named[0] == '\0')
		return kh_error_set(err, KH_EINPUT, "bad_option", "--home needs the name of a folder");
	if (named != NULL || home != NULL)
		path = kh_arena_printf(arena, "%s", named != NULL ? named : home);
	else if (data != NULL && data[0] == '/')
		path = kh_arena_printf(arena, "%s/keyhole", data);
	else if (user != NULL)
		path = kh_arena_printf(arena, "%s/.local/share/keyhole", user);
	else
		return kh_error_set(err, KH_EINPUT, "home_unknown",
				    "which home folder? Name it with --home DIR, or set KEYHOLE_HOME");
	if (path.p != NULL && path.p[0] != '/')
		return make_absolute(arena, path, ret_path, err);
	if (path.p == NULL)
		return no_memory(err);
	*ret_path = path;
	return KH_OK;
}

/* Checks that the folder is the caller's own. */
static enum kh_err check_folder(struct kh_view quoted, int fd, struct kh_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return kh_error_set(err, KH_EINPUT, "home_unreadable", "%.*s: %s", KH_FMT(quoted), strerror(errno));
	if (st.st_uid != geteuid())
		return kh_error_set(
			err, KH_EREFUSED, "home_unsafe",
			"%.*s belongs to user %u, and you are user %u: use a folder of your own (--home DIR)",
			KH_FMT(quoted), (unsigned)st.st_uid, (unsigned)geteuid());
	if ((st.st_mode & OTHERS) != 0)
		return kh_error_set(err, KH_EREFUSED, "home_unsafe",
				    "%.*s has mode %04o, so that others may use what is in it: chmod 700 it",
				    KH_FMT(quoted), (unsigned)st.st_mode & 07777);
	return KH_OK;
}

enum kh_err kh_folder_open(struct kh_arena *arena, struct kh_view path, struct kh_folder *ret_folder,
			   struct kh_error *err)
{
	struct kh_view quoted = kh_arena_quote(arena, path);

	if (quoted.p == NULL)
		return no_memory(err);
	int fd = open(path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return kh_error_set(err, KH_EUNKNOWN, "home_missing",
				    "there is no home folder %.*s: `keyhole init` makes one, --home DIR names another",
				    KH_FMT(quoted));
	if (fd < 0)
		return kh_error_set(err, KH_EINPUT, "home_unreadable", "%.*s: %s", KH_FMT(quoted), strerror(errno));
	enum kh_err e = check_folder(quoted, fd, err);
	if (e != KH_OK) {
		close(fd);
		return e;
	}
	*ret_folder = (struct kh_folder){path, fd};
	return KH_OK;
}

void kh_folder_close(struct kh_folder *folder)
{
	if (folder->fd >= 0)
		close(folder->fd);
	folder->fd = -1;
}

struct kh_view kh_folder_file(const struct kh_folder *folder, struct kh_arena *arena, const char *name)
{
	return kh_arena_printf(arena, "%.*s/%s", KH_FMT(folder->path), name);
}

bool kh_folder_has(const struct kh_folder *folder, const char *name)
{
	struct stat st;

	return fstatat(folder->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Reads all of FD and closes it; NAME is fit for a message. */
static enum kh_err read_all(struct kh_arena *arena, int fd, struct kh_view name, struct kh_view *ret_text,
			    struct kh_error *err)
{
	FILE *file = fdopen(fd, "r");

	if (file == NULL) {
		close(fd);
		return no_memory(err);
	}
	enum kh_err e = kh_file_read(file, arena, ret_text);
	int why = errno;
	fclose(file);
	if (e == KH_EINPUT)
		return kh_error_set(err, e, "file_unreadable", "%.*s: %s", KH_FMT(name), strerror(why));
	return e == KH_OK ? KH_OK : kh_error_set(err, e, "file_unreadable", "%.*s: %s", KH_FMT(name), kh_err_name(e));
}

/* Opens a plain file only, because a pipe or a device could block us for ever. */
static enum kh_err open_plain(int folder, const char *name, int flags, struct kh_view quoted, int *ret_fd,
			      struct stat *ret_st, struct kh_error *err)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);

	if (fd < 0 && errno == ENOENT)
		return kh_error_set(err, KH_EUNKNOWN, "file_missing", "there is no file %.*s", KH_FMT(quoted));
	if (fd < 0)
		return kh_error_set(err, KH_EINPUT, "file_unreadable", "%.*s: %s", KH_FMT(quoted), strerror(errno));
	if (fstat(fd, ret_st) != 0 || !S_ISREG(ret_st->st_mode)) {
		close(fd);
		return kh_error_set(err, KH_EINPUT, "file_unreadable", "%.*s is not a plain file", KH_FMT(quoted));
	}
	*ret_fd = fd;
	return KH_OK;
}

enum kh_err kh_folder_read(const struct kh_folder *folder, struct kh_arena *arena, const char *name,
			   struct kh_view *ret_text, struct kh_error *err)
{
	struct kh_view path = kh_arena_quote(arena, kh_folder_file(folder, arena, name));
	struct stat st;
	int fd;

	if (path.p == NULL)
		return no_memory(err);
	enum kh_err e = open_plain(folder->fd, name, 0, path, &fd, &st, err);
	if (e == KH_EUNKNOWN)
		return kh_error_set(err, e, "home_incomplete",
				    "the home folder has no %s: %.*s; `keyhole init` makes a whole one", name,
				    KH_FMT(path));
	return e == KH_OK ? read_all(arena, fd, path, ret_text, err) : e;
}

/* Reads FD and closes it: straight into the arena, so that there is one copy to be wiped.  A text that is too long
 * is not a secret of one line. */
static enum kh_err read_line(struct kh_arena *arena, int fd, struct kh_view *ret_text, struct kh_error *err)
{
	char *line = kh_arena_alloc(arena, SECRET_SIZE);
	size_t n = 0;
	ssize_t got;

	if (line == NULL) {
		close(fd);
		return no_memory(err);
	}
	while (n < SECRET_SIZE && (got = read(fd, line + n, SECRET_SIZE - n)) > 0)
		n += (size_t)got;
	close(fd);
	*ret_text = n < SECRET_SIZE ? kh_view_trim(kh_view_of(line, n)) : kh_view_of(NULL, 0);
	return KH_OK;
}

static enum kh_err read_secret(int folder, struct kh_arena *arena, const char *name, struct kh_view quoted,
			       struct kh_view *ret_text, struct kh_error *err)
{
	struct kh_view text;
	struct stat st;
	int fd;

	if (quoted.p == NULL)
		return no_memory(err);
	enum kh_err e = open_plain(folder, name, folder == AT_FDCWD ? 0 : O_NOFOLLOW, quoted, &fd, &st, err);
	if (e != KH_OK)
		return e;
	if ((st.st_uid != geteuid() && st.st_uid != 0) || (st.st_mode & OTHERS) != 0) {
		close(fd);
		return kh_error_set(err, KH_EREFUSED, "secret_unsafe",
				    "%.*s holds a secret, and others may use it (owner %u, mode %04o): chmod 600 it",
				    KH_FMT(quoted), (unsigned)st.st_uid, (unsigned)st.st_mode & 07777);
	}
	e = read_line(arena, fd, &text, err);
	if (e != KH_OK)
		return e;
	if (text.n == 0 || memchr(text.p, '\n', text.n) != NULL)
		return kh_error_set(err, KH_EINPUT, "secret_invalid", "%.*s does not hold one line", KH_FMT(quoted));
	*ret_text = text;
	return KH_OK;
}

enum kh_err kh_folder_secret(const struct kh_folder *folder, struct kh_arena *arena, const char *name,
			     struct kh_view *ret_text, struct kh_error *err)
{
	struct kh_view quoted = kh_arena_quote(arena, kh_folder_file(folder, arena, name));

	return read_secret(folder->fd, arena, name, quoted, ret_text, err);
}

enum kh_err kh_folder_secret_at(struct kh_arena *arena, const char *path, struct kh_view *ret_text,
				struct kh_error *err)
{
	return read_secret(AT_FDCWD, arena, path, kh_arena_quote(arena, kh_view_str(path)), ret_text, err);
}

/* Creates a file; fails if it exists. */
static enum kh_err make_file(int folder, const char *name, struct kh_view quoted, int *ret_fd, struct kh_error *err)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		return kh_error_set(err, KH_EREFUSED, "file_exists", "%.*s is there already: nothing was written",
				    KH_FMT(quoted));
	if (fd < 0)
		return kh_error_set(err, KH_EINPUT, "file_unwritable", "%.*s: %s", KH_FMT(quoted), strerror(errno));
	*ret_fd = fd;
	return KH_OK;
}

/* Writes the file and closes FD.  If it cannot be written whole, it is removed. */
static enum kh_err fill_file(int folder, const char *name, int fd, struct kh_view text, struct kh_error *err)
{
	bool done = kh_file_write(fd, text);
	int why = errno;

	if (close(fd) != 0 && done) {
		done = false;
		why = errno;
	}
	if (done)
		return KH_OK;
	unlinkat(folder, name, 0);
	return kh_error_set(err, KH_EINPUT, "file_unwritable", "writing a new file: %s", strerror(why));
}

enum kh_err kh_folder_write(const struct kh_folder *folder, const char *name, struct kh_view text, struct kh_error *err)
{
	int fd;
	enum kh_err e = make_file(folder->fd, name, kh_view_str(name), &fd, err);

	if (e == KH_OK)
		e = fill_file(folder->fd, name, fd, text, err);
	if (e != KH_OK || fsync(folder->fd) == 0)
		return e;
	e = kh_error_set(err, KH_EINPUT, "file_unwritable", "%s: %s", name, strerror(errno));
	unlinkat(folder->fd, name, 0);
	return e;
}

enum kh_err kh_folder_reserve(struct kh_arena *arena, const char *path, int *ret_fd, struct kh_error *err)
{
	struct kh_view quoted = kh_arena_quote(arena, kh_view_str(path));

	return quoted.p != NULL ? make_file(AT_FDCWD, path, quoted, ret_fd, err) : no_memory(err);
}

enum kh_err kh_folder_fill(int fd, const char *path, struct kh_view text, struct kh_error *err)
{
	return fill_file(AT_FDCWD, path, fd, text, err);
}

void kh_folder_discard(int fd, const char *path)
{
	close(fd);
	unlink(path);
}

enum kh_err kh_folder_make(const struct kh_folder *folder, const char *name, struct kh_error *err)
{
	struct stat st;

	if (mkdirat(folder->fd, name, 0700) != 0 && errno != EEXIST)
		return kh_error_set(err, KH_EINPUT, "file_unwritable",
				    "cannot make the folder %s in the home folder: %s", name, strerror(errno));
	if (fstatat(folder->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
	    st.st_uid != geteuid() || (st.st_mode & 077) != 0)
		return kh_error_set(err, KH_EREFUSED, "home_unsafe",
				    "%s in the home folder is not a folder of your own that nobody else may look into: "
				    "remove it, or chmod 700 it",
				    name);
	return KH_OK;
}
