/*
 * The steps that make a root, each followed by a look at what it did (tree.h says why).  The first look is the one that
 * matters most: until it is certain that / is a fresh tmpfs of ours, nothing is written anywhere.
 *
 * Host paths are looked up below the host's root with RESOLVE_IN_ROOT, so that an absolute symbolic link leads to where
 * it leads on the host; in a job's paths no link is allowed.  All of a job's folders are opened first and mounted only
 * after the host's root is gone, so that links in them cannot lead to the host.
 */
#include "sandbox/root.h"

#include "sandbox/gitsafe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OLD  "/old"       /* mount point of the host's root while the sandbox is made */
#define WORK "/tmp/.work" /* what is /work if the job names no folder for it */

/* Shows the host's PATH at the same place here: a link as a link, anything else mounted read-only. */
static int show_host_path(const struct kh_root *root, const char *path)
{
	char target[PATH_MAX];
	struct stat st = {0};

	if (fstatat(root->host, path + 1, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlinkat(root->host, path + 1, target, sizeof(target) - 1);
		if (n < 0)
			return errno;
		target[n] = '\0';
		return kh_tree_link(&root->own, target, path);
	}
	int fd = kh_tree_host(root->host, path, RESOLVE_NO_MAGICLINKS);
	if (fd < 0)
		return errno;
	int tree = kh_tree_clone(fd, KH_TREE_READ_ONLY, -1);
	int e = tree < 0 ? errno : 0;
	close(fd);
	return e ? e : kh_tree_place(&root->own, tree, path, S_ISDIR(st.st_mode), NULL);
}

/*
 * A pipe with a name that all may write to, as far as modes and mounts go.  Only Landlock refuses it, so that one open
 * shows whether Landlock is in force (kh_root_is_fenced).
 */
static int make_refused(void)
{
	struct stat st = {0};

	if (mknod(KH_ROOT_REFUSED, S_IFIFO | 0200, 0) < 0 || chmod(KH_ROOT_REFUSED, 0222) < 0 ||
	    stat(KH_ROOT_REFUSED, &st) < 0)
		return errno;
	return S_ISFIFO(st.st_mode) && (st.st_mode & 0777) == 0222 ? 0 : EPROTO;
}

bool kh_root_is_fenced(void)
{
	int fd = open(KH_ROOT_REFUSED, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 && errno == EACCES; /* not ENXIO, "no reader" */
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
		int fd = kh_tree_host(root->host, devices[i], RESOLVE_NO_MAGICLINKS);
		if (fd < 0)
			return errno;
		int tree = kh_tree_clone(fd, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, -1);
		int e = tree < 0 ? errno : kh_tree_place(&root->own, tree, devices[i], false, NULL);
		close(fd);
		if (e)
			return e;
	}
	int e = 0;
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]) && e == 0; i++)
		e = kh_tree_link(&root->own, links[i][0], links[i][1]);
	return e ? e : make_refused();
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd <= STDERR_FILENO)
		return fd < 0 ? errno : EPROTO;
	ssize_t n = write(fd, text, strlen(text));
	close(fd);
	return n == (ssize_t)strlen(text) ? 0 : EIO;
}

/* The few files of /etc for users and name lookup: our own, not the host's. */
static int write_etc(void)
{
	if (mkdir("/etc", 0755) < 0 && errno != EEXIST)
		return errno;
	int e = write_file("/etc/passwd", "keyhole:x:1000:1000::/tmp:/usr/sbin/nologin\n");
	if (e == 0)
		e = write_file("/etc/group", "keyhole:x:1000:\n");
	if (e == 0)
		e = write_file("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n");
	return e;
}

/* For programs: one may be git.  A granted /etc is mounted over it. */
static int write_gitconfig(enum kh_profile profile, const struct kh_grants *grants)
{
	const char *text = kh_profile_is_program(profile) ? kh_gitsafe_text(grants) : NULL;

	return text != NULL ? write_file("/etc/gitconfig", text) : 0;
}

static void tmp_options(uint64_t size, char *options, size_t room)
{
	snprintf(options, room, "mode=1777,size=%" PRIu64 ",nr_inodes=%" PRIu64, size, size / 1024 + 64);
}

int kh_root_check_fresh(const char *path, dev_t other, dev_t *ret_dev)
{
	struct statfs fs = {0};
	struct stat st = {0};

	if (statfs(path, &fs) < 0 || stat(path, &st) < 0)
		return errno;
	*ret_dev = st.st_dev;
	return fs.f_type == TMPFS_MAGIC && st.st_dev != 0 && st.st_dev != other ? 0 : EPROTO;
}

/* Makes /tmp with the profile's size, and in it the folder that becomes /work if the job has no folder for it. */
static int make_tmp(struct kh_root *root)
{
	char options[96];
	struct stat st = {0};

	tmp_options(kh_profile_limits(root->profile)->disk, options, sizeof(options));
	if (mkdir("/tmp", 0755) < 0 || mount("tmp", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
		return errno;
	int e = kh_root_check_fresh("/tmp", root->own.root, &root->own.tmp);
	if (e)
		return e;
	if (mkdir(WORK, 0755) < 0 || chmod(WORK, 01777) < 0 || stat(WORK, &st) < 0)
		return errno;
	return (st.st_mode & 07777) == 01777 ? 0 : EPROTO;
}

static int resize_tmp(uint64_t size)
{
	char options[96];
	struct statfs fs = {0};

	tmp_options(size, options, sizeof(options));
	if (mount(NULL, "/tmp", NULL, MS_REMOUNT | MS_NOSUID | MS_NODEV, options) < 0 || statfs("/tmp", &fs) < 0)
		return errno;
	uint64_t block = (uint64_t)fs.f_bsize;
	return block > 0 && fs.f_blocks == (size + block - 1) / block ? 0 : EPROTO;
}

/* Sets /tmp and /work as JOB wants them. */
static int fit_tmp(const struct kh_root *root, const struct kh_message *job)
{
	uint64_t size = job->number[KH_FIELD_DISK];
	int e = size != kh_profile_limits(root->profile)->disk ? resize_tmp(size) : 0;

	if (e)
		return e;
	if (job->has[KH_FIELD_WORK])
		return rmdir(WORK) < 0 ? errno : 0;
	/* A mount, not a link, because the job may mount another folder over /tmp. */
	int fd = open(WORK, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int tree = fd < 0 ? -1 : kh_tree_clone(fd, KH_TREE_WRITABLE, -1);
	e = tree < 0 ? errno : kh_tree_place(&root->own, tree, "/work", true, NULL);
	if (fd >= 0)
		close(fd);
	return e;
}

/* There is no cheap way to look whether mounts are private.  So it is said by two system calls: if one of them does
 * nothing, the other does it. */
bool kh_root_part_mounts(void)
{
	struct mount_attr set = {.propagation = MS_PRIVATE};

	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &set, sizeof(set)) == 0;
}

static bool is_root_of(dev_t dev, const char *path)
{
	struct stat st = {0}, top = {0};

	return stat(path, &st) == 0 && stat("/", &top) == 0 && st.st_dev == dev && top.st_dev == dev &&
	       st.st_ino == top.st_ino;
}

/* Makes an empty root of our own, with the host's root below OLD. */
static int pivot(struct kh_root *root)
{
	struct stat before = {0}, host = {0};

	if (!kh_root_part_mounts() || stat("/tmp", &before) < 0 ||
	    mount("keyhole", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m,nr_inodes=4096") < 0)
		return errno;
	int e = kh_root_check_fresh("/tmp", before.st_dev, &root->own.root);
	if (e)
		return e;
	if (mkdir("/tmp" OLD, 0700) < 0 || syscall(SYS_pivot_root, "/tmp", "/tmp" OLD) < 0 || chdir("/") < 0)
		return errno;
	if (!is_root_of(root->own.root, "."))
		return EPROTO;
	root->host = open(OLD, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root->host < 0)
		return errno;
	return root->host > STDERR_FILENO && fstat(root->host, &host) == 0 && host.st_dev != root->own.root ? 0
													    : EPROTO;
}

int kh_root_prepare(struct kh_root *root, enum kh_profile profile, enum kh_part *ret_part)
{
	int e = pivot(root);

	*ret_part = KH_PART_ROOT;
	if (e)
		return e;
	*ret_part = KH_PART_MOUNT;
	root->profile = profile;
	for (const char *const *path = kh_profile_paths(profile); *path && e == 0; path++)
		e = show_host_path(root, *path);
	if (e == 0)
		e = make_devices(root);
	if (e == 0)
		e = write_etc();
	if (e == 0)
		e = make_tmp(root);
	if (e)
		return e;
	*ret_part = KH_PART_PID;
	return kh_profile_has_proc(profile) ? kh_procfs_mount(root->machine, kh_profile_limits(profile)->memory) : 0;
}

/* Tells the program how much memory JOB may have. */
static int fit_memory(const struct kh_root *root, const struct kh_message *job)
{
	uint64_t size = job->number[KH_FIELD_MEMORY];

	if (!kh_profile_has_proc(root->profile) || size == kh_profile_limits(root->profile)->memory)
		return 0;
	return kh_procfs_resize(root->machine, size);
}

/* Takes the host's root away. */
static int leave_host(struct kh_root *root)
{
	close(root->host);
	root->host = -1;
	if (umount2(OLD, MNT_DETACH) < 0 || rmdir(OLD) < 0)
		return errno;
	return access(OLD, F_OK) < 0 && errno == ENOENT ? 0 : EPROTO;
}

static int close_root(void)
{
	struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
	struct statfs fs = {0};

	if (mount_setattr(AT_FDCWD, "/", 0, &read_only, sizeof(read_only)) < 0 || statfs("/", &fs) < 0)
		return errno;
	return ((uint64_t)fs.f_flags & MOUNT_ATTR_RDONLY) != 0 ? 0 : EPROTO;
}

int kh_root_finish(struct kh_root *root, const struct kh_message *job, struct kh_grants *grants, enum kh_part *ret_part)
{
	*ret_part = KH_PART_FOLDER;
	int e = kh_grants_read(grants, root->profile, job);
	if (e == 0)
		e = kh_grants_open(grants, root->host, &root->ids);
	if (e)
		return e;
	*ret_part = KH_PART_ROOT;
	e = leave_host(root);
	if (e)
		return e;
	*ret_part = KH_PART_MOUNT;
	e = fit_tmp(root, job);
	if (e == 0)
		e = fit_memory(root, job);
	if (e == 0)
		e = write_gitconfig(root->profile, grants);
	if (e)
		return e;
	*ret_part = KH_PART_FOLDER;
	e = kh_grants_place(grants, &root->own);
	if (e)
		return e;
	*ret_part = KH_PART_ROOT;
	return close_root();
}
