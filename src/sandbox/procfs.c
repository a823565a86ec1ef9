/*
 * /proc, made from three mounts: files of ours, over those of a whole /proc, which is then cut down to its processes.
 * What something is mounted on is found even then; everything else is not.
 *
 * Runs with the capabilities of the namespace's first process, while nothing hostile runs in it.  Reads /proc/cpuinfo
 * of the host.
 */
#include "sandbox/procfs.h"

#include "base/view.h"
#include "sandbox/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

/* NS_GET_MNTNS_ID of Linux 6.11. */
#define MOUNT_NAMESPACE_ID _IOR(0xb7, 5, uint64_t)

#define FLAGS  (MS_NOSUID | MS_NODEV | MS_NOEXEC)
#define HOLDER "/etc/passwd" /* any file: nobody sees it */
#define HIDDEN "hidepid=2"   /* processes that may not be traced, such as the first */

enum { CPUINFO, STAT, MEMINFO, UPTIME, LOADAVG, FILES };

static const char *const names[FILES] = {
	[CPUINFO] = "cpuinfo", [STAT] = "stat", [MEMINFO] = "meminfo", [UPTIME] = "uptime", [LOADAVG] = "loadavg"};

/* Of all processors, and of the first one alone: what a program can see anyway by an instruction. */
static const char *const lines_of_all[] = {"vendor_id", "model name", "cpu MHz", NULL};
static const char *const lines_of_first[] = {
	"cpu family", "model",           "stepping",    "cache size",       "flags",    "Features",
	"BogoMIPS",   "CPU implementer", "CPU variant", "CPU architecture", "CPU part", NULL};

static bool is_one_of(struct kh_view name, const char *const *list)
{
	for (; *list; list++)
		if (kh_view_eq(name, kh_view_str(*list)))
			return true;
	return false;
}

static void put(char *text, size_t *used, struct kh_view bytes)
{
	if (bytes.n <= KH_PROCFS_TEXT - *used) {
		memcpy(text + *used, bytes.p, bytes.n);
		*used += bytes.n;
	}
}

/* One processor, by the block that the kernel has for the first. */
static void put_cpu(struct kh_procfs *machine, struct kh_view block, int number, bool is_first)
{
	char text[64];
	struct kh_view line;

	snprintf(text, sizeof(text), "processor\t: %d\n", number);
	put(machine->cpu_text, &machine->cpus, kh_view_str(text));
	while (kh_view_split(&block, '\n', &line) && line.n > 0) {
		struct kh_view rest = line, name = {NULL, 0};
		(void)kh_view_split(&rest, ':', &name);
		name = kh_view_trim(name);
		if (!is_one_of(name, lines_of_all) && !(is_first && is_one_of(name, lines_of_first)))
			continue;
		put(machine->cpu_text, &machine->cpus, line);
		put(machine->cpu_text, &machine->cpus, KH_LIT("\n"));
	}
	put(machine->cpu_text, &machine->cpus, KH_LIT("\n"));
	snprintf(text, sizeof(text), "cpu%d 0 0 0 0 0 0 0 0 0 0\n", number);
	put(machine->stat_text, &machine->stat, kh_view_str(text));
}

void kh_procfs_init(struct kh_procfs *machine)
{
	char text[8192];
	cpu_set_t set;
	bool is_first = true;
	struct kh_view block = kh_setting_read(AT_FDCWD, "/proc/cpuinfo", text, sizeof(text));

	machine->cpus = machine->stat = 0;
	CPU_ZERO(&set);
	/* On a machine with more processors than the set has room for, the first are as good as any. */
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		CPU_SET(0, &set);
	put(machine->stat_text, &machine->stat, KH_LIT("cpu  0 0 0 0 0 0 0 0 0 0\n"));
	for (size_t i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &set))
			continue;
		put_cpu(machine, block, (int)i, is_first);
		is_first = false;
	}
}

static int describe_memory(uint64_t memory, char *text, size_t room)
{
	unsigned long long total = memory / 1024;

	return snprintf(text, room,
			"MemTotal:       %12llu kB\nMemFree:        %12llu kB\nMemAvailable:   %12llu kB\n"
			"Buffers:        %12u kB\nCached:         %12u kB\nSwapCached:     %12u kB\n"
			"Active:         %12u kB\nInactive:       %12u kB\nSwapTotal:      %12u kB\n"
			"SwapFree:       %12u kB\nShmem:          %12u kB\nSlab:           %12u kB\n"
			"SReclaimable:   %12u kB\n",
			total, total, total, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U);
}

/* The rest of the kernel's stat: the clocks of the sandbox begin now. */
static int describe_start(char *text, size_t room)
{
	return snprintf(text, room,
			"intr 0\nctxt 0\nbtime %lld\nprocesses 1\nprocs_running 1\nprocs_blocked 0\nsoftirq 0\n",
			(long long)time(NULL));
}

static int write_text(int fd, struct kh_view text)
{
	ssize_t n = write(fd, text.p, text.n);

	return n == (ssize_t)text.n ? 0 : n < 0 ? errno : EIO;
}

static int write_file(const struct kh_procfs *machine, int which, uint64_t memory, int fd)
{
	char text[1024];
	int e;

	switch (which) {
	case CPUINFO:
		return write_text(fd, kh_view_of(machine->cpu_text, machine->cpus));
	case STAT:
		e = write_text(fd, kh_view_of(machine->stat_text, machine->stat));
		return e ? e : write_text(fd, kh_view_of(text, (size_t)describe_start(text, sizeof(text))));
	case MEMINFO:
		return write_text(fd, kh_view_of(text, (size_t)describe_memory(memory, text, sizeof(text))));
	case UPTIME:
		return write_text(fd, KH_LIT("0.00 0.00\n"));
	default:
		return write_text(fd, KH_LIT("0.00 0.00 0.00 1/1 1\n"));
	}
}

/* Makes file WHICH in the folder AT, and stores a detached mount of it in *RET_TREE. */
static int make_file(const struct kh_procfs *machine, int which, uint64_t memory, int at, int *ret_tree)
{
	int fd = openat(at, names[which], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

	if (fd <= STDERR_FILENO)
		return fd < 0 ? errno : EPROTO;
	int e = write_file(machine, which, memory, fd);
	*ret_tree = e ? -1 : kh_tree_clone(fd, KH_TREE_READ_ONLY | MOUNT_ATTR_NOEXEC, -1);
	if (e == 0 && *ret_tree < 0)
		e = errno;
	close(fd);
	return e;
}

static int make_files(const struct kh_procfs *machine, uint64_t memory, int tree[FILES])
{
	int at = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), e = at < 0 ? errno : 0;

	for (int i = 0; i < FILES && e == 0; i++)
		e = make_file(machine, i, memory, at, &tree[i]);
	if (at >= 0)
		close(at);
	return e;
}

static int put_files(const int tree[FILES])
{
	int at = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), e = at < 0 ? errno : 0;

	for (int i = 0; i < FILES && e == 0; i++)
		e = kh_tree_put(tree[i], at, names[i]);
	if (at >= 0)
		close(at);
	return e;
}

/* True if nothing of the host is in /proc. */
static bool is_cut(void)
{
	struct statfs fs = {0};

	return statfs("/proc", &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC && access("/proc/sys", F_OK) < 0 &&
	       errno == ENOENT;
}

int kh_procfs_mount(const struct kh_procfs *machine, uint64_t memory)
{
	int tree[FILES];

	if (mkdir("/proc", 0755) < 0)
		return errno;
	int e = make_files(machine, memory, tree);
	if (e)
		return e;
	if (mount("proc", "/proc", "proc", FLAGS, HIDDEN) < 0)
		return errno;
	e = put_files(tree);
	if (e)
		return e;
	if (mount(NULL, "/proc", NULL, MS_REMOUNT | FLAGS, "subset=pid," HIDDEN) < 0)
		return errno;
	return is_cut() ? 0 : EPROTO;
}

int kh_procfs_resize(const struct kh_procfs *machine, uint64_t memory)
{
	int tree = -1, at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int e = at < 0 ? errno : make_file(machine, MEMINFO, memory, at, &tree);

	if (e == 0)
		e = kh_tree_put(tree, AT_FDCWD, "/proc/meminfo");
	if (e == 0 && unlinkat(at, names[MEMINFO], 0) < 0) /* its mount stays */
		e = errno;
	if (at >= 0)
		close(at);
	return e;
}

static int open_checked(int at, const char *path, int flags)
{
	int fd = openat(at, path, flags | O_CLOEXEC);

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	errno = EPROTO;
	return -1;
}

/* Mounts NAMESPACE, a descriptor, where nobody will see it, so that it stays as long as the one that this process is
 * in. */
static int hold(int namespace)
{
	int tree = open_tree(namespace, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);

	if (tree <= STDERR_FILENO)
		return tree < 0 ? errno : EPROTO;
	return kh_tree_put(tree, AT_FDCWD, HOLDER);
}

/* True if mount namespace A comes before B, in the kernel's numbers.  A kernel that does not tell them counts upwards. */
static bool is_before(int a, int b)
{
	uint64_t first = 0, second = 0;

	return ioctl(a, MOUNT_NAMESPACE_ID, &first) == 0 && ioctl(b, MOUNT_NAMESPACE_ID, &second) == 0 &&
	       first < second;
}

/* This process is in COPY, a copy of OWN.  So that there are no circles, the kernel lets only the one that comes first
 * hold the other one; that is the one to be in. */
static int hold_other(int own, int copy, int *top)
{
	if (is_before(copy, own))
		return hold(own);
	close(*top);
	*top = open_checked(AT_FDCWD, "/", O_PATH | O_DIRECTORY);
	if (*top < 0 || setns(own, CLONE_NEWNS) < 0)
		return errno;
	return hold(copy);
}

int kh_procfs_copy_mounts(int proc, int *ret_top)
{
	int own = open_checked(proc, "self/ns/mnt", O_RDONLY), copy = -1;

	*ret_top = own < 0 ? -1 : open_checked(AT_FDCWD, "/", O_PATH | O_DIRECTORY);
	int e = *ret_top < 0 || unshare(CLONE_NEWNS) < 0 ? errno : 0;
	if (e == 0)
		copy = open_checked(proc, "self/ns/mnt", O_RDONLY);
	if (e == 0)
		e = copy < 0 ? errno : hold_other(own, copy, ret_top);
	if (copy >= 0)
		close(copy);
	if (own >= 0)
		close(own);
	return e;
}

int kh_procfs_hide_mounts(int top)
{
	char byte;
	int e = fchdir(top) < 0 || chroot(".") < 0 ? errno : 0;

	close(top);
	int list = e ? -1 : open_checked(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY);
	if (e == 0)
		e = list < 0 ? errno : read(list, &byte, 1) != 0 ? EPROTO : 0; /* EPROTO: they are still seen */
	if (list >= 0)
		close(list);
	return e;
}
