/*
 * Mounts, with the file-descriptor calls of Linux 5.12 and later.  Runs with the capabilities of the namespace's first
 * process, while nothing hostile runs in it.
 */
#include "sandbox/tree.h"

#include "base/view.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST 3 /* 0, 1 and 2 are always open, so no call that made a descriptor answers one of them */

static int checked(int fd)
{
	if (fd < 0 || fd >= FIRST)
		return fd;
	errno = EPROTO;
	return -1;
}

static int close_for(int fd, int error)
{
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

static int open_path(int at, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags, .resolve = resolve};

	return checked((int)syscall(SYS_openat2, at, path, &how, sizeof(how)));
}

int kh_tree_host(int host, const char *path, uint64_t links)
{
	return open_path(host, path, 0, RESOLVE_IN_ROOT | links);
}

/* The flags of a mount are the first bits of those that statfs(2) answers. */
static bool has_flags(int tree, uint64_t attr)
{
	struct statfs fs = {0};

	return fstatfs(tree, &fs) == 0 && ((uint64_t)fs.f_flags & attr) == attr;
}

/* True if the files of TREE have other owners than those of FD, of which it is a copy, as IDMAP wants it. */
static bool is_shifted(int tree, int fd)
{
	struct stat a = {0}, b = {0};

	return fstat(tree, &a) == 0 && fstat(fd, &b) == 0 && a.st_ino == b.st_ino &&
	       (a.st_uid != b.st_uid || a.st_gid != b.st_gid);
}

static bool shift(int tree, int fd, int idmap)
{
	struct mount_attr set = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (__u64)idmap};

	if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &set, sizeof(set)) < 0 &&
	    mount_setattr(tree, "", AT_EMPTY_PATH, &set, sizeof(set)) < 0)
		return false;
	if (is_shifted(tree, fd))
		return true;
	errno = EPROTO;
	return false;
}

int kh_tree_clone(int fd, uint64_t attr, int idmap)
{
	struct mount_attr set = {.attr_set = attr};
	int tree = checked(
		open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | (unsigned)AT_RECURSIVE));

	if (tree < 0)
		return -1;
	if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &set, sizeof(set)) < 0)
		return close_for(tree, errno);
	if (!has_flags(tree, attr))
		return close_for(tree, EPROTO);
	return idmap < 0 || shift(tree, fd, idmap) ? tree : close_for(tree, errno);
}

/* The number of the mount that NAME of AT is in, in *RET_ID; and whether it is the topmost of it. */
static bool mount_of(int at, const char *name, uint64_t *ret_id, bool *ret_is_top)
{
	struct statx st = {0};

	if (statx(at, name, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_MNT_ID, &st) != 0)
		return false;
	if ((st.stx_mask & STATX_MNT_ID) == 0 || (st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0) {
		errno = EPROTO;
		return false;
	}
	*ret_id = st.stx_mnt_id;
	*ret_is_top = (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
	return true;
}

int kh_tree_put(int tree, int at, const char *name)
{
	uint64_t wanted = 0, id = 0;
	bool is_top = false;
	int e = 0;

	if (!mount_of(tree, "", &wanted, &is_top) || move_mount(tree, "", at, name, MOVE_MOUNT_F_EMPTY_PATH) < 0 ||
	    !mount_of(at, name, &id, &is_top))
		e = errno;
	else if (id != wanted || !is_top)
		e = EPROTO; /* it is not there */
	close(tree);
	return e;
}

static bool is_own(const struct kh_tree_own *own, int fd)
{
	struct stat st = {0};

	return fstat(fd, &st) == 0 && (st.st_dev == own->root || st.st_dev == own->tmp);
}

/* Makes the folder FD, which is NAME of AT, a mount of itself, unless it is one.  Returns it anew; FD is closed. */
static int hold(int at, const char *name, int fd)
{
	uint64_t id;
	bool is_top = false;

	if (!mount_of(fd, "", &id, &is_top))
		return close_for(fd, errno);
	if (is_top)
		return fd;
	int tree = checked(
		open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | (unsigned)AT_RECURSIVE));
	int e = tree < 0 ? errno : kh_tree_put(tree, at, name);
	close(fd);
	return e ? close_for(-1, e) : open_path(at, name, O_DIRECTORY, RESOLVE_NO_SYMLINKS);
}

/* Opens folder NAME of AT, which is closed; makes it if it is missing and AT is the sandbox's own. */
static int enter(const struct kh_tree_own *own, int at, const char *name, bool guarded)
{
	int fd = open_path(at, name, O_DIRECTORY, RESOLVE_NO_SYMLINKS);

	if (fd < 0 && errno == ENOENT && is_own(own, at) && mkdirat(at, name, 0755) == 0)
		fd = open_path(at, name, O_DIRECTORY, RESOLVE_NO_SYMLINKS);
	if (fd >= 0 && guarded)
		fd = hold(at, name, fd);
	int e = errno;
	close(at);
	errno = e;
	return fd;
}

/* The folder of PLACE in one step, if it is there; NAME as in kh_tree_parent(). */
static int find_parent(const char *place, char name[NAME_MAX + 1])
{
	char folder[PATH_MAX];
	const char *last = strrchr(place, '/');
	size_t n = last == NULL ? 0 : (size_t)(last - place);

	if (last == NULL || last[1] == '\0' || strlen(last + 1) > NAME_MAX || n >= sizeof(folder)) {
		errno = ENOENT;
		return -1;
	}
	memcpy(folder, place, n);
	folder[n] = '\0';
	memcpy(name, last + 1, strlen(last + 1) + 1);
	return open_path(AT_FDCWD, n == 0 ? "/" : folder, O_DIRECTORY, RESOLVE_NO_SYMLINKS);
}

int kh_tree_parent(const struct kh_tree_own *own, const char *place, const char *guard, char name[NAME_MAX + 1])
{
	int found = guard == NULL ? find_parent(place, name) : -1;

	if (found >= 0 || (guard == NULL && errno != ENOENT))
		return found;
	struct kh_view rest = kh_view_str(place), step;
	int at = open_path(AT_FDCWD, "/", O_DIRECTORY, 0);
	size_t guarded = guard != NULL ? strlen(guard) : SIZE_MAX, length = 0;

	name[0] = '\0';
	while (at >= 0 && kh_view_split(&rest, '/', &step)) {
		if (step.n == 0)
			continue;
		if (name[0] != '\0')
			at = enter(own, at, name, length > guarded);
		if (step.n > NAME_MAX)
			return close_for(at, ENAMETOOLONG);
		memcpy(name, step.p, step.n);
		name[step.n] = '\0';
		length += step.n + 1;
	}
	return at;
}

/* Makes the empty file or folder that a mount will cover. */
static int make_place(const struct kh_tree_own *own, int at, const char *name, bool is_dir)
{
	struct stat st = {0};

	if (is_own(own, at)) {
		if ((is_dir ? mkdirat(at, name, 0755) : mknodat(at, name, S_IFREG | 0444, 0)) == 0)
			return 0;
		if (errno != EEXIST)
			return errno;
	}
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno;
	return S_ISLNK(st.st_mode) ? ELOOP : 0;
}

int kh_tree_place(const struct kh_tree_own *own, int tree, const char *place, bool is_dir, const char *guard)
{
	char name[NAME_MAX + 1];
	int at = kh_tree_parent(own, place, guard, name);
	int e = at < 0 ? errno : make_place(own, at, name, is_dir);

	if (e)
		close(tree);
	else
		e = kh_tree_put(tree, at, name);
	if (at >= 0)
		close(at);
	return e;
}

int kh_tree_link(const struct kh_tree_own *own, const char *target, const char *place)
{
	char name[NAME_MAX + 1];
	struct stat st = {0};
	int at = kh_tree_parent(own, place, NULL, name), e = 0;

	if (at < 0 || symlinkat(target, at, name) < 0 || fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		e = errno;
	else if (!S_ISLNK(st.st_mode))
		e = EPROTO;
	if (at >= 0)
		close(at);
	return e;
}
