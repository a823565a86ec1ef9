/*
 * Mounts, with the file-descriptor calls of Linux 5.12 and later.  Runs with the capabilities of the namespace's first
 * process, while nothing hostile runs in it.
 *
 * Host paths are looked up below the host's root with RESOLVE_IN_ROOT, so that an absolute symbolic link leads to where
 * it leads on the host; in a job's paths no link is allowed.  All of a job's folders are opened first and mounted only
 * after the host's root is gone, so that links in them cannot lead to the host.
 */
#include "sandbox/root.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OLD "/old" /* mount point of the host's root while the sandbox is made */

#define READ_ONLY (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define WRITABLE  (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

/* An opened folder or file of the host, before it is mounted at its place. */
struct folder {
	int tree; /* a detached mount */
	bool is_dir;
	char place[PATH_MAX];
};

static int host_open(const struct kh_root *root, const char *path, uint64_t links)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | links};

	return (int)syscall(SYS_openat2, root->host, path, &how, sizeof(how));
}

/* A detached mount of FD, with ATTR set; -1 and errno. */
static int clone_tree(int fd, unsigned flags, uint64_t attr, int idmap)
{
	struct mount_attr set = {.attr_set = attr};
	int tree = open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | flags);

	if (tree < 0)
		return -1;
	if (idmap >= 0) {
		set.attr_set |= MOUNT_ATTR_IDMAP;
		set.userns_fd = (__u64)idmap;
	}
	if (mount_setattr(tree, "", AT_EMPTY_PATH | flags, &set, sizeof(set)) == 0)
		return tree;
	int e = errno;
	close(tree);
	errno = e;
	return -1;
}

/* Opens folder NAME of AT, which is closed, and makes it if it does not exist; -1 and errno. */
static int enter(int at, const char *name)
{
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, at, name, &how, sizeof(how));

	if (fd < 0 && errno == ENOENT && mkdirat(at, name, 0755) == 0)
		fd = (int)syscall(SYS_openat2, at, name, &how, sizeof(how));
	int e = errno;
	close(at);
	errno = e;
	return fd;
}

/*
 * Opens the folder of the sandbox that PATH is in, making the missing parts, and stores PATH's last component in NAME;
 * -1 and errno.  One of the job's folders may be on the way, with links that a program left there: links of /proc would
 * lead to descriptors of this process, and so out of the sandbox.
 */
static int open_parent(const char *path, char name[NAME_MAX + 1])
{
	struct kh_view rest = kh_view_str(path), step;
	int at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	name[0] = '\0';
	while (at >= 0 && kh_view_split(&rest, '/', &step)) {
		if (step.n == 0 || kh_view_eq(step, KH_LIT(".")))
			continue;
		if (name[0] != '\0')
			at = enter(at, name);
		if (step.n > NAME_MAX) {
			close(at);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, step.p, step.n);
		name[step.n] = '\0';
	}
	return at;
}

/* Moves TREE to PLACE; the folder or empty file that it covers is made if it does not exist. */
static int put_in_place(int tree, const char *place, bool is_dir)
{
	char name[NAME_MAX + 1];
	int at = open_parent(place, name), e = 0;

	if (at < 0 ||
	    ((is_dir ? mkdirat(at, name, 0755) : mknodat(at, name, S_IFREG | 0444, 0)) < 0 && errno != EEXIST) ||
	    move_mount(tree, "", at, name, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		e = errno;
	if (at >= 0)
		close(at);
	close(tree);
	return e;
}

static int put_link(const char *target, const char *place)
{
	char name[NAME_MAX + 1];
	int at = open_parent(place, name);
	int e = at < 0 || symlinkat(target, at, name) < 0 ? errno : 0;

	if (at >= 0)
		close(at);
	return e;
}

/* Shows the host's PATH at the same place here: a link as a link, anything else mounted read-only. */
static int show_host_path(const struct kh_root *root, const char *path)
{
	char target[PATH_MAX];
	struct stat st;

	if (fstatat(root->host, path + 1, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlinkat(root->host, path + 1, target, sizeof(target) - 1);
		if (n < 0)
			return errno;
		target[n] = '\0';
		return put_link(target, path);
	}
	int fd = host_open(root, path, RESOLVE_NO_MAGICLINKS);
	if (fd < 0)
		return errno;
	int tree = clone_tree(fd, AT_RECURSIVE, READ_ONLY, -1);
	int e = tree < 0 ? errno : 0;
	close(fd);
	return e ? e : put_in_place(tree, path, S_ISDIR(st.st_mode));
}

static int make_devices(const struct kh_root *root)
{
	static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
	static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
					       {"/proc/self/fd/0", "/dev/stdin"},
					       {"/proc/self/fd/1", "/dev/stdout"},
					       {"/proc/self/fd/2", "/dev/stderr"},
					       {"/tmp", "/dev/shm"}};

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		int fd = host_open(root, devices[i], RESOLVE_NO_MAGICLINKS);
		if (fd < 0)
			return errno;
		int tree = clone_tree(fd, 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, -1);
		int e = tree < 0 ? errno : put_in_place(tree, devices[i], false);
		close(fd);
		if (e)
			return e;
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (symlink(links[i][0], links[i][1]) < 0)
			return errno;
	}
	return 0;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444);
	if (fd < 0)
		return errno;
	ssize_t n = write(fd, text, strlen(text));
	close(fd);
	return n == (ssize_t)strlen(text) ? 0 : EIO;
}

/* The few files of /etc for users and name lookup: our own, not the host's. */
static int write_etc(void)
{
	mkdir("/etc", 0755);
	int e = write_file("/etc/passwd", "keyhole:x:1000:1000::/tmp:/usr/sbin/nologin\n");
	if (e == 0)
		e = write_file("/etc/group", "keyhole:x:1000:\n");
	if (e == 0)
		e = write_file("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n");
	return e;
}

static void tmp_options(uint64_t size, char *options, size_t room)
{
	snprintf(options, room, "mode=1777,size=%" PRIu64 ",nr_inodes=%" PRIu64, size, size / 1024 + 64);
}

/* Makes /tmp with PROFILE's size, and in it the folder that becomes /work if the job has no folder for it. */
static int make_tmp(enum kh_profile profile)
{
	char options[96];

	tmp_options(kh_profile_limits(profile)->disk, options, sizeof(options));
	if (mkdir("/tmp", 0755) < 0 || mount("tmp", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, options) < 0 ||
	    mkdir("/tmp/work", 0755) < 0 || chmod("/tmp/work", 01777) < 0)
		return errno;
	return 0;
}

/* Sets /tmp and /work as JOB wants them. */
static int fit_tmp(enum kh_profile profile, const struct kh_message *job)
{
	char options[96];
	uint64_t size = job->number[KH_FIELD_DISK];

	tmp_options(size, options, sizeof(options));
	if (size != kh_profile_limits(profile)->disk &&
	    mount(NULL, "/tmp", NULL, MS_REMOUNT | MS_NOSUID | MS_NODEV, options) < 0)
		return errno;
	if (job->has[KH_FIELD_WORK])
		return rmdir("/tmp/work") < 0 ? errno : 0;
	/* A mount, not a link, because the job may mount another folder over /tmp. */
	int tree = open_tree(AT_FDCWD, "/tmp/work", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	return tree < 0 ? errno : put_in_place(tree, "/work", true);
}

/* Makes an empty root of our own, with the host's root below OLD. */
static int pivot(struct kh_root *root)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("keyhole", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m,nr_inodes=4096") < 0 ||
	    chdir("/tmp") < 0 || mkdir("." OLD, 0700) < 0 || syscall(SYS_pivot_root, ".", "." OLD) < 0 ||
	    chdir("/") < 0)
		return errno;
	root->host = open(OLD, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root->host < 0 ? errno : 0;
}

int kh_root_prepare(struct kh_root *root, enum kh_profile profile, enum kh_part *ret_part)
{
	int e = pivot(root);

	*ret_part = KH_PART_ROOT;
	if (e)
		return e;
	*ret_part = KH_PART_MOUNT;
	for (const char *const *path = kh_profile_paths(profile); *path && e == 0; path++)
		e = show_host_path(root, *path);
	if (e == 0)
		e = make_devices(root);
	if (e == 0)
		e = write_etc();
	if (e == 0)
		e = make_tmp(profile);
	root->profile = profile;
	if (e)
		return e;
	*ret_part = KH_PART_PID;
	if (kh_profile_has_proc(profile) &&
	    (mkdir("/proc", 0555) < 0 ||
	     mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "subset=pid,hidepid=2") < 0))
		return errno;
	return 0;
}

/*
 * Opens PATH of the host as FOLDER.  If the executor is root, an id-mapped mount makes root's files belong to the
 * worker.  On a file system that does not support this, files can still be read as their modes permit, but not written.
 */
static int open_folder(const struct kh_root *root, struct kh_view path, const char *place, bool writable,
		       struct folder *folder, unsigned *owner)
{
	uint64_t attr = writable ? WRITABLE : READ_ONLY;
	struct stat st;
	char text[PATH_MAX];

	if (path.n >= sizeof(text) || strlen(place ? place : "") >= sizeof(folder->place))
		return ENAMETOOLONG;
	memcpy(text, path.p, path.n);
	text[path.n] = '\0';
	memcpy(folder->place, place ? place : text, strlen(place ? place : text) + 1);
	/* No links at all, because another program may be writing to a folder on the path right now. */
	int fd = host_open(root, text, RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return errno;
	int e = fstat(fd, &st) < 0 ? errno : 0;
	if (e == 0 && !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		e = ENOTDIR;
	if (e == 0) {
		bool shift = root->idmap >= 0 && st.st_uid == 0;
		folder->is_dir = S_ISDIR(st.st_mode);
		folder->tree = clone_tree(fd, shift ? 0 : AT_RECURSIVE, attr, shift ? root->idmap : -1);
		if (folder->tree < 0 && shift && !writable)
			folder->tree = clone_tree(fd, AT_RECURSIVE, attr, -1);
		/* A file system without id-mapped mounts answers EINVAL, which is too vague. */
		e = folder->tree >= 0 ? 0 : shift && errno == EINVAL ? EOPNOTSUPP : errno;
		if (writable && *owner == 0)
			*owner = st.st_uid;
	}
	close(fd);
	return e;
}

static int open_list(const struct kh_root *root, const struct kh_message *job, enum kh_message_field field,
		     bool writable, struct folder *folders, size_t *count, unsigned *owner)
{
	struct kh_view path;
	size_t cursor = 0;
	int e = 0;

	while (e == 0 && kh_message_item(job, field, &cursor, &path)) {
		if (*count == KH_ROOT_FOLDERS)
			return E2BIG;
		e = open_folder(root, path, NULL, writable, &folders[*count], owner);
		*count += e == 0;
		/* Our own worker reports a missing file itself, and files of a database come and go. */
		if (e == ENOENT && !writable && kh_profile_takes_job(root->profile))
			e = 0;
	}
	return e;
}

static int open_folders(const struct kh_root *root, const struct kh_message *job, struct folder *folders, size_t *count,
			unsigned *owner)
{
	int e = 0;

	if (job->has[KH_FIELD_WORK]) {
		e = open_folder(root, job->text[KH_FIELD_WORK], "/work", true, &folders[*count], owner);
		*count += e == 0;
	}
	if (e == 0 && job->has[KH_FIELD_CACHE]) {
		e = open_folder(root, job->text[KH_FIELD_CACHE], "/cache", false, &folders[*count], owner);
		*count += e == 0;
	}
	if (e == 0)
		e = open_list(root, job, KH_FIELD_READ, false, folders, count, owner);
	if (e == 0)
		e = open_list(root, job, KH_FIELD_WRITE, true, folders, count, owner);
	return e;
}

static size_t depth(const char *path)
{
	struct kh_view rest = kh_view_str(path), step;
	size_t n = 0;

	while (kh_view_split(&rest, '/', &step))
		n += step.n > 0 && !kh_view_eq(step, KH_LIT("."));
	return n;
}

/* Mounts all folders, parents first, so that a folder below another one is on top of it, whichever is writable. */
static int place_folders(const struct folder *folders, size_t count)
{
	int e = 0;

	for (size_t level = 1, left = count; left > 0; level++) {
		for (size_t i = 0; i < count && e == 0; i++) {
			if (depth(folders[i].place) != level)
				continue;
			e = put_in_place(folders[i].tree, folders[i].place, folders[i].is_dir);
			left--;
		}
		if (e)
			return e;
	}
	return 0;
}

int kh_root_finish(struct kh_root *root, const struct kh_message *job, unsigned *ret_owner, enum kh_part *ret_part)
{
	static struct folder folders[KH_ROOT_FOLDERS]; /* not shared: this process is a copy of the executor */
	struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
	size_t count = 0;
	unsigned owner = 0;

	*ret_part = KH_PART_FOLDER;
	int e = open_folders(root, job, folders, &count, &owner);
	if (e)
		return e;
	*ret_part = KH_PART_ROOT;
	close(root->host);
	if (umount2(OLD, MNT_DETACH) < 0 || rmdir(OLD) < 0)
		return errno;
	*ret_part = KH_PART_MOUNT;
	e = fit_tmp(root->profile, job);
	if (e)
		return e;
	*ret_part = KH_PART_FOLDER;
	e = place_folders(folders, count);
	if (e)
		return e;
	*ret_part = KH_PART_ROOT;
	if (mount_setattr(AT_FDCWD, "/", 0, &read_only, sizeof(read_only)) < 0)
		return errno;
	*ret_owner = owner;
	return 0;
}
