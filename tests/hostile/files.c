/* Files: what is visible outside of what was granted, what can be written, and every way around by links, .. and /proc.
 */
#include "hostile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

static bool opens(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* ARGUMENT...: paths of the host's that were not granted. */
static const char *hidden(struct hostile *h)
{
	static const char *const paths[] = {
		"/etc/shadow",
		"/etc/gshadow",
		"/etc/sudoers",
		"/etc/hostname",
		"/etc/machine-id",
		"/etc/fstab",
		"/etc/ssh",
		"/root",
		"/home",
		"/boot",
		"/var",
		"/var/log",
		"/var/run",
		"/run",
		"/srv",
		"/opt",
		"/mnt",
		"/media",
		"/sys",
		"/sys/kernel",
		"/sys/fs/cgroup",
		"/sys/class/net",
		"/old",
		"/lost+found",
		"/proc/kcore",
		"/proc/kmsg",
		"/proc/keys",
		"/proc/kallsyms",
		"/proc/modules",
		"/proc/sys",
		"/proc/sysrq-trigger",
		"/proc/cmdline",
		"/proc/mounts/x",
		"/proc/bus",
		"/proc/irq",
		"/proc/acpi",
		"/proc/scsi",
		"/proc/timer_list",
		"/dev/mem",
		"/dev/kmem",
		"/dev/port",
		"/dev/kmsg",
		"/dev/tty",
		"/dev/tty0",
		"/dev/tty1",
		"/dev/console",
		"/dev/ptmx",
		"/dev/pts",
		"/dev/sda",
		"/dev/vda",
		"/dev/nvme0n1",
		"/dev/loop0",
		"/dev/loop-control",
		"/dev/fuse",
		"/dev/kvm",
		"/dev/net/tun",
		"/dev/vsock",
		"/dev/vhost-net",
		"/dev/userfaultfd",
		"/dev/uinput",
		"/dev/mqueue",
		"/dev/hugepages",
		"/dev/snd",
		"/dev/dri",
		"/dev/hpet",
		"/dev/rtc0",
		"/dev/cpu_dma_latency",
		"/dev/mapper",
		"/dev/watchdog",
		"/dev/log",
	};
	struct stat st;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (opens(paths[i], O_RDONLY) || opens(paths[i], O_WRONLY))
			return came_through("%s can be opened", paths[i]);
		if (stat(paths[i], &st) == 0)
			return came_through("%s is there", paths[i]);
	}
	for (int i = 0; i < h->argc; i++)
		if (opens(h->argv[i], O_RDONLY) || stat(h->argv[i], &st) == 0)
			return came_through("%s of the host is there", h->argv[i]);
	return NULL;
}

/* --- a walk over everything --------------------------------------------------------------------------------------- */

struct walk {
	bool quick; /* looks at the name and kind of most files only */
	unsigned long seen;
	char path[PATH_MAX];
	const char *what;
};

static bool starts_with(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/' || (n > 0 && folder[n - 1] == '/'));
}

static bool may_write(const char *path)
{
	return starts_with(path, "/tmp") || starts_with(path, "/work") || starts_with(path, "/proc/self") ||
	       starts_with(path, "/dev/null") || starts_with(path, "/dev/zero") || starts_with(path, "/dev/full") ||
	       starts_with(path, "/dev/random") || starts_with(path, "/dev/urandom");
}

static bool is_small_device(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 &&
	       (minor(st->st_rdev) == 3 || minor(st->st_rdev) == 5 ||
		(minor(st->st_rdev) >= 7 && minor(st->st_rdev) <= 9));
}

static const char *look_at(const char *path, const struct stat *st)
{
	if (S_ISBLK(st->st_mode) || (S_ISCHR(st->st_mode) && !is_small_device(st)))
		return came_through("%s is a device", path);
	if (S_ISSOCK(st->st_mode))
		return came_through("%s is a socket", path);
	if (S_ISREG(st->st_mode) && !may_write(path) && opens(path, O_WRONLY))
		return came_through("%s can be written to", path);
	return NULL;
}

static void descend(struct walk *walk, size_t length, int depth);

static void visit(struct walk *walk, size_t length, const struct dirent *entry, int depth)
{
	const char *name = entry->d_name;
	size_t n = strlen(name);
	struct stat st;

	if (length + n + 2 > sizeof(walk->path))
		return;
	walk->path[length] = '/';
	memcpy(walk->path + length + 1, name, n + 1);
	if (walk->seen++ % 16 != 0 && walk->quick && entry->d_type == DT_REG && starts_with(walk->path, "/usr"))
		return;
	if (lstat(walk->path, &st) != 0)
		return;
	walk->what = look_at(walk->path, &st);
	if (walk->what == NULL && S_ISDIR(st.st_mode) && strcmp(walk->path, "/proc") != 0)
		descend(walk, length + n + 1, depth + 1);
	walk->path[length] = '\0';
}

/* glibc's readdir allocates, which workers may do. */
static void descend(struct walk *walk, size_t length, int depth)
{
	const struct dirent *entry;
	DIR *dir;

	if (depth > 64)
		return;
	dir = opendir(length == 0 ? "/" : walk->path);
	if (dir == NULL)
		return;
	while (walk->what == NULL && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			visit(walk, length, entry, depth);
	closedir(dir);
}

/* No device, no socket, nothing that can be written to, on all of what is visible.  ARGUMENT: quick. */
static const char *whole_tree(struct hostile *h)
{
	static struct walk walk;

	walk.quick = h->argc > 0;
	descend(&walk, 0, 0);
	if (walk.what == NULL && walk.seen < 10)
		return came_through("only %lu files: this was no walk", walk.seen);
	return walk.what;
}

/* ARGUMENT...: what the root may have besides. */
static const char *top(struct hostile *h)
{
	static const char *const known[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc",
					    "dev", "proc", "tmp", "work",  "cache", ".",      "..",  "granted"};
	static const char *const etc[] = {"passwd",
					  "group",
					  "nsswitch.conf",
					  "gitconfig",
					  "ld.so.cache",
					  "ld.so.conf",
					  "ld.so.conf.d",
					  "localtime",
					  "alternatives",
					  "ssl",
					  "ca-certificates",
					  "ca-certificates.conf",
					  "pki",
					  "resolv.conf",
					  "hosts",
					  ".",
					  ".."};
	const char *what = NULL;

	for (int in_etc = 0; in_etc < 2; in_etc++) {
		DIR *dir = opendir(in_etc ? "/etc" : "/");
		const struct dirent *entry;

		while (dir != NULL && what == NULL && (entry = readdir(dir)) != NULL) {
			bool good = false;

			for (size_t i = 0; !in_etc && i < sizeof(known) / sizeof(known[0]); i++)
				good |= strcmp(entry->d_name, known[i]) == 0;
			for (size_t i = 0; in_etc && i < sizeof(etc) / sizeof(etc[0]); i++)
				good |= strcmp(entry->d_name, etc[i]) == 0;
			for (int i = 0; !in_etc && i < h->argc; i++)
				good |= strcmp(entry->d_name, h->argv[i]) == 0;
			if (!good)
				what = came_through("%s has %s", in_etc ? "/etc" : "/", entry->d_name);
		}
		if (dir != NULL)
			closedir(dir);
	}
	return what;
}

/* --- around ------------------------------------------------------------------------------------------------------- */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ARGUMENT: a file of the host's that was not granted. */
static const char *escapes(struct hostile *h)
{
	static const char *const prefixes[] = {
		"/..",
		"/../../../../../../../..",
		"/tmp/../..",
		"/proc/1/root",
		"/proc/1/cwd",
		"/proc/self/root/..",
		"/proc/self/cwd/../../..",
		"/proc/self/task/1/root",
		"/proc/2/root/..",
		"/dev/fd/0/..",
		"/dev/../..",
		"/proc/thread-self/root",
		"/tmp/./../..",
		"/usr/../..",
		"/proc/1/fd/3",
		"/proc/1/map_files",
	};
	const char *secret = h->argc > 0 ? h->argv[0] : "/etc/shadow";
	struct stat root, st;
	char path[PATH_MAX];

	if (stat("/", &root) != 0)
		return came_through("no root");
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", prefixes[i], secret);
		if (opens(path, O_RDONLY) || stat(path, &st) == 0)
			return came_through("%s", path);
	}
	for (int i = 0; i < 40; i++)
		if (chdir("..") != 0)
			break;
	if (stat(".", &st) == 0 && h->has_children && !is_same(&root, &st))
		return came_through("above /");
	(void)unlink("/tmp/link");
	if (symlink(secret, "/tmp/link") == 0 && (opens("/tmp/link", O_RDONLY) || stat("/tmp/link", &st) == 0))
		return came_through("a symbolic link to %s", secret);
	(void)unlink("/tmp/link");
	for (int fd = 0; fd < 1024; fd++)
		if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
			return came_through("descriptor %d is a folder", fd);
	return NULL;
}

/* Descriptors of others by /proc. */
static const char *proc_of_first(struct hostile *h)
{
	static const char *const names[] = {"mem",        "environ",   "maps",     "smaps",       "auxv",
					    "stack",      "syscall",   "io",       "pagemap",     "personality",
					    "fdinfo",     "map_files", "timers",   "patch_state", "oom_score_adj",
					    "clear_refs", "uid_map",   "setgroups"};
	static const char *const links[] = {"exe",  "cwd",  "root",   "fd/0",   "fd/1",   "fd/2",   "fd/3",
					    "fd/4", "fd/5", "ns/mnt", "ns/pid", "ns/net", "ns/user"};
	char path[64], target[PATH_MAX];

	(void)h;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "/proc/1/%s", names[i]);
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		/* maps and the like can be opened by some kernels, and are empty then */
		if ((fd >= 0 && read(fd, target, 1) > 0) || opens(path, O_WRONLY))
			return came_through("%s", path);
		if (fd >= 0)
			close(fd);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		(void)snprintf(path, sizeof(path), "/proc/1/%s", links[i]);
		if (readlink(path, target, sizeof(target)) >= 0 || opens(path, O_RDONLY))
			return came_through("%s", path);
	}
	return NULL;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static const char *writing(struct hostile *h)
{
	static const char *const folders[] = {
		"/",    "/usr", "/usr/bin", "/usr/lib", "/usr/local", "/usr/local/bin", "/etc",   "/etc/alternatives",
		"/dev", "/bin", "/lib",     "/proc",    "/proc/self", "/cache",         "/lib64", "/sbin"};
	static const char *const files[] = {"/etc/passwd", "/etc/nsswitch.conf", "/usr/bin/ls",
					    "/usr/bin/sh", "/etc/ld.so.cache",   "/proc/self/exe"};
	char path[128];

	(void)h;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/hostile", folders[i]);
		if (opens(path, O_WRONLY | O_CREAT))
			return came_through("%s was made", path);
		if (opens(folders[i], O_RDWR | O_TMPFILE))
			return came_through("a file without a name in %s", folders[i]);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (opens(files[i], O_WRONLY) || opens(files[i], O_RDWR) || opens(files[i], O_WRONLY | O_TRUNC))
			return came_through("%s can be written to", files[i]);
	return NULL;
}

static bool makes(int r)
{
	return r == 0;
}

/* Everything that changes a folder or a file's attributes. */
static const char *changing(struct hostile *h)
{
	static const char *const folders[] = {"/", "/usr", "/usr/bin", "/etc", "/dev", "/proc"};
	char path[128];

	(void)h;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/hostile", folders[i]);
		if (makes(mkdir(path, 0700)) || makes(symlink("/", path)) || makes(link("/usr/bin/ls", path)) ||
		    makes(mkfifo(path, 0600)) || makes(mknod(path, S_IFCHR | 0666, makedev(1, 3))) ||
		    makes(mknod(path, S_IFBLK | 0666, makedev(8, 0))) || makes(rename("/tmp/hostile-file", path)))
			return came_through("%s was made", path);
		if (makes(chmod(folders[i], 0777)) || makes(chown(folders[i], getuid(), getgid())) ||
		    makes(utimensat(AT_FDCWD, folders[i], NULL, 0)))
			return came_through("%s was changed", folders[i]);
	}
	if (makes(unlink("/etc/passwd")) || makes(rmdir("/usr")) || makes(rename("/etc", "/etc2")) ||
	    makes(unlink("/dev/null")) || makes(chmod("/dev/null", 0)) || makes(truncate("/etc/passwd", 0)) ||
	    makes(unlink("/work")) || makes(rename("/tmp", "/tmp2")))
		return came_through("something of the root was removed");
	if (makes(mknod("/tmp/hostile-device", S_IFCHR | 0666, makedev(1, 1))) ||
	    makes(mknod("/tmp/hostile-device", S_IFBLK | 0666, makedev(8, 0))))
		return came_through("a device in /tmp");
	return NULL;
}

static const char *proc_writing(struct hostile *h)
{
	static const char *const files[] = {
		"/proc/sys/kernel/core_pattern",
		"/proc/sys/kernel/hostname",
		"/proc/sys/kernel/modprobe",
		"/proc/sys/vm/overcommit_memory",
		"/proc/sys/fs/file-max",
		"/proc/sys/user/max_user_namespaces",
		"/proc/sysrq-trigger",
		"/proc/self/uid_map",
		"/proc/self/gid_map",
		"/proc/self/setgroups",
		"/proc/self/loginuid",
		"/proc/self/attr/current",
		"/proc/self/attr/exec",
		"/proc/self/projid_map",
		"/proc/self/timens_offsets",
		"/proc/1/oom_score_adj",
		"/proc/1/mem",
		"/proc/1/clear_refs",
		"/proc/sys/kernel/randomize_va_space",
		"/proc/sys/net/ipv4/ip_forward",
	};

	(void)h;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd = open(files[i], O_WRONLY | O_CLOEXEC);

		if (fd >= 0 && write(fd, "0 0 1\n", 6) >= 0)
			return came_through("%s was written to", files[i]);
		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

/* ARGUMENT: this program as it was granted, for reading. */
static const char *granted(struct hostile *h)
{
	char folder[PATH_MAX];
	char *slash;

	if (h->argc < 1 || strlen(h->argv[0]) >= sizeof(folder))
		return came_through("no path given");
	if (!opens(h->argv[0], O_RDONLY))
		return came_through("%s was granted and is not there", h->argv[0]);
	if (opens(h->argv[0], O_WRONLY) || opens(h->argv[0], O_RDWR) || makes(unlink(h->argv[0])) ||
	    makes(rename(h->argv[0], "/tmp/x")) || makes(truncate(h->argv[0], 0)) || makes(chmod(h->argv[0], 0777)))
		return came_through("%s was granted for reading", h->argv[0]);
	memcpy(folder, h->argv[0], strlen(h->argv[0]) + 1);
	slash = strrchr(folder, '/');
	memcpy(slash + 1, "neighbour", sizeof("neighbour"));
	if (opens(folder, O_RDONLY))
		return came_through("its neighbour %s is there", folder);
	if (starts_with(folder, "/tmp"))
		return NULL; /* which is its own: a neighbour that it makes there is none of the host's */
	return opens(folder, O_WRONLY | O_CREAT) ? came_through("%s was made", folder) : NULL;
}

/* Nothing setuid, setgid or with capabilities is left in a folder of the host's, in which it is started. */
static const char *setuid_files(struct hostile *h)
{
	static const char path[] = "hostile-setuid";
	static const char capability[20] = {1, 0, 0, 2, (char)0xff};
	struct stat st;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0755);

	(void)h;
	if (fd < 0)
		return came_through("no file in /work");
	(void)fchmod(fd, 04755);
	(void)chmod(path, 02755);
	(void)fchmodat(AT_FDCWD, path, 06777, 0);
	(void)syscall(452, AT_FDCWD, path, 06755, 0); /* fchmodat2 */
	if (fstat(fd, &st) != 0 || (st.st_mode & 06000) != 0)
		return came_through("%s has mode %o", path, st.st_mode);
	if (syscall(SYS_fsetxattr, fd, "security.capability", capability, sizeof(capability), 0) == 0)
		return came_through("%s has a capability", path);
	if (open("hostile-setuid2", O_RDWR | O_CREAT | O_CLOEXEC, 04755) >= 0 ||
	    open(".", O_RDWR | O_TMPFILE | O_CLOEXEC, 04755) >= 0 || mknod("hostile-setuid3", S_IFREG | 06755, 0) == 0)
		return came_through("a setuid file was made");
	return NULL;
}

/* Every mount: no setuid, no devices but the five, nothing to write to but what was given. */
static const char *mount_flags(struct hostile *h)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char line[4096];

	(void)h;
	if (file == NULL)
		return came_through("no mountinfo");
	while (fgets(line, sizeof(line), file) != NULL) {
		char place[1024], options[256];

		if (sscanf(line, "%*s %*s %*s %*s %1023s %255s", place, options) != 2)
			return came_through("a line of mountinfo: %.100s", line);
		if (strstr(options, "nosuid") == NULL)
			return came_through("%s is not nosuid: %s", place, options);
		if (strstr(options, "nodev") == NULL && !starts_with(place, "/dev"))
			return came_through("%s is not nodev: %s", place, options);
		if (strncmp(options, "ro", 2) != 0 && !starts_with(place, "/tmp") && !starts_with(place, "/work") &&
		    !starts_with(place, "/proc") && !starts_with(place, "/dev/"))
			return came_through("%s is not read-only: %s", place, options);
	}
	fclose(file);
	return NULL;
}

/* A device is no more to be had by a rename that leaves one in the old place. */
static const char *whiteout(struct hostile *h)
{
	const long a[6] = {AT_FDCWD, (long)"hostile-here", AT_FDCWD, (long)"hostile-there", RENAME_WHITEOUT, 0};
	struct stat st;

	if (!opens("hostile-here", O_WRONLY | O_CREAT))
		return came_through("no file in /work");
	if (!is_refused(try_call(h, SYS_renameat2, a)))
		return came_through("a file can be renamed so that a device is left");
	return lstat("hostile-here", &st) == 0 && S_ISREG(st.st_mode) ? NULL : came_through("hostile-here is gone");
}

/* Which pages of a file are in memory tells what others read: no way to ask, and none to take pages out. */
static const char *page_cache(struct hostile *h)
{
	char byte = 0;
	struct iovec one = {&byte, 1};
	int fd = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
	void *page = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	const long plain[6] = {fd, (long)&one, 1, 0, 0, 0};

	if (page == MAP_FAILED || try_call(h, SYS_preadv2, plain) != 1)
		return came_through("/usr/bin/env cannot be read");
	for (int flags = 8; flags <= 256; flags *= 2) {
		const long a[6] = {fd, (long)&one, 1, 0, 0, flags};

		/* RWF_APPEND, RWF_NOAPPEND and RWF_ATOMIC say nothing about memory. */
		if ((flags < 16 || flags > 64) && try_call(h, SYS_preadv2, a) != -EOPNOTSUPP)
			return came_through("preadv2 with flags %d tells whether a page is in memory", flags);
	}
	const long look[6] = {(long)page, 4096, (long)&byte, 0, 0, 0};
	if (!is_refused(try_call(h, SYS_mincore, look)))
		return came_through("mincore tells whether a page is in memory");
	const long drop[6] = {-1, 0, 0, POSIX_FADV_DONTNEED, 0, 0}; /* EBADF: from the kernel, so it was asked */
	if (try_call(h, SYS_fadvise64, drop) == -EBADF)
		return came_through("fadvise64 takes pages out of memory");
	for (int advice = MADV_COLD; advice <= MADV_PAGEOUT; advice++) {
		const long a[6] = {(long)page, 4096, advice, 0, 0, 0};

		if (!is_refused(try_call(h, SYS_madvise, a)))
			return came_through("madvise takes pages out of memory");
	}
	return NULL;
}

const struct attack file_attacks[] = {
	{"hidden", hidden},
	{"whole_tree", whole_tree},
	{"top", top},
	{"escapes", escapes},
	{"proc_of_first", proc_of_first},
	{"writing", writing},
	{"changing", changing},
	{"proc_writing", proc_writing},
	{"granted", granted},
	{"setuid_files", setuid_files},
	{"mount_flags", mount_flags},
	{"whiteout", whiteout},
	{"page_cache", page_cache},
	{NULL, NULL},
};
