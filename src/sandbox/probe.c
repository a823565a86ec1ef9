/*
 * Tries the parts of a sandbox.
 *
 * A version number or a file in /proc says what a kernel could do.  Only a real try shows what it does for this user,
 * in this container, under this administrator's settings.  So each try is a process of its own that uses the part and
 * checks its effect; whatever it made ends with it.  A try that hangs is killed.
 */
#include "sandbox/probe.h"

#include "base/alloc.h"
#include "sandbox/kit.h"
#include "sandbox/landlock.h"
#include "sandbox/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 10000
#define NOBODY      65534

/* A running try, in its own process. */
struct trial {
	const char *file; /* of /proc/self/ns */
	int flag;         /* CLONE_NEW* */
	char detail[sizeof(((struct kh_diagnosis *)0)->detail)];
};

static bool fails(struct trial *t, const char *what)
{
	snprintf(t->detail, sizeof(t->detail), "%s: %s", what, strerror(errno));
	return false;
}

static bool lacks(struct trial *t, const char *what)
{
	snprintf(t->detail, sizeof(t->detail), "%s", what);
	return false;
}

static bool has(struct trial *t, const char *what)
{
	snprintf(t->detail, sizeof(t->detail), "%s", what);
	return true;
}

static bool put_file(const char *path, const char *text)
{
	errno = kh_setting_write(AT_FDCWD, path, text);
	return errno == 0;
}

/* As root, the sandbox makes namespaces with root's privileges, and its programs become nobody. */
static bool is_root(void)
{
	return geteuid() == 0 && kh_sandbox_kit_maps("/proc/self/uid_map", NOBODY) &&
	       kh_sandbox_kit_maps("/proc/self/gid_map", NOBODY);
}

/* Enters a new user namespace, as the user INSIDE. */
static bool enter_user(struct trial *t, unsigned inside)
{
	char uids[48], gids[48];

	snprintf(uids, sizeof(uids), "%u %u 1", inside, geteuid());
	snprintf(gids, sizeof(gids), "%u %u 1", inside, getegid());
	if (unshare(CLONE_NEWUSER) != 0)
		return fails(t, "unshare");
	/* After a change of ids a process may write its own maps only if it makes itself dumpable. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0 || !put_file("/proc/self/setgroups", "deny") ||
	    !put_file("/proc/self/uid_map", uids) || !put_file("/proc/self/gid_map", gids))
		return fails(t, "mapping ids");
	return getuid() == inside || lacks(t, "ids are not mapped");
}

/* Enters the namespaces of FLAGS as the sandbox does: root with its own privileges, others with those of a user
 * namespace. */
static bool enter(struct trial *t, int flags)
{
	if (!is_root() && !enter_user(t, 0))
		return false;
	return unshare(flags) == 0 || fails(t, "unshare");
}

/* Runs FN in a child and returns the status of waitpid, or -1. */
static int in_child(int (*fn)(struct trial *), struct trial *t)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		_exit(fn(t));
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static bool try_clone(struct trial *t)
{
	int pidfd = -1, status = 0;
	struct clone_args args = {.flags = CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
				  .pidfd = (uint64_t)(uintptr_t)&pidfd,
				  .exit_signal = SIGCHLD};
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0)
		_exit(7);
	if (pid < 0)
		return fails(t, "clone3");
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};
	bool told = poll(&ended, 1, PATIENCE_MS) == 1;
	if (waitpid((pid_t)pid, &status, 0) != pid || WEXITSTATUS(status) != 7 || !told)
		return lacks(t, "a process's end is not seen through its pidfd");
	return has(t, "the end of a process is seen at once");
}

/* As the sandbox does: root becomes nobody first. */
static bool try_user(struct trial *t)
{
	if (is_root() && (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
			  setresuid(NOBODY, NOBODY, NOBODY) != 0))
		return fails(t, "leaving root");
	unsigned outside = geteuid();
	if (!enter_user(t, 1000))
		return false;
	snprintf(t->detail, sizeof(t->detail), "user 1000 inside is %u outside", outside);
	return true;
}

static bool try_namespace(struct trial *t)
{
	char path[64], before[64] = "", after[64] = "";

	snprintf(path, sizeof(path), "/proc/self/ns/%s", t->file);
	if (readlink(path, before, sizeof(before) - 1) < 0)
		return fails(t, path);
	if (!enter(t, t->flag))
		return false;
	if (readlink(path, after, sizeof(after) - 1) < 0)
		return fails(t, path);
	return strcmp(before, after) != 0 ? has(t, "one of its own") : lacks(t, "it is the same as before");
}

/* A new network namespace has no way out: it has no route, not even to an address that nobody uses. */
static bool try_net(struct trial *t)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};

	if (!try_namespace(t))
		return false;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	to.sin_addr.s_addr = htonl(0xc0000201U);
	if (fd < 0)
		return fails(t, "socket");
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 || errno != ENETUNREACH)
		return lacks(t, "it leads somewhere");
	return has(t, "no way out");
}

/* A private mount namespace with a fresh tmpfs on /tmp. */
static bool enter_mounts(struct trial *t, int flags)
{
	struct statfs fs;

	if (!enter(t, CLONE_NEWNS | flags))
		return false;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return fails(t, "private mounts");
	if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") != 0)
		return fails(t, "mounting a tmpfs");
	return (statfs("/tmp", &fs) == 0 && fs.f_type == TMPFS_MAGIC) || lacks(t, "a mounted tmpfs is not there");
}

/* With the calls that the sandbox uses: a copy of a mount, made read-only before it is visible. */
static bool try_mount(struct trial *t)
{
	struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};

	if (!enter_mounts(t, 0))
		return false;
	int tree = open_tree(AT_FDCWD, "/usr", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (tree < 0)
		return fails(t, "open_tree");
	if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &read_only, sizeof(read_only)) != 0)
		return fails(t, "mount_setattr");
	if (mkdir("/tmp/usr", 0755) != 0 || move_mount(tree, "", AT_FDCWD, "/tmp/usr", MOVE_MOUNT_F_EMPTY_PATH) != 0)
		return fails(t, "move_mount");
	if (mkdir("/tmp/usr/keyhole-probe", 0755) == 0 || errno != EROFS)
		return lacks(t, "what is read-only can be written to");
	return has(t, "tmpfs, read-only folders");
}

static int as_first(struct trial *t)
{
	char self[16] = "";

	(void)t;
	if (getpid() != 1)
		return EPROTO;
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "subset=pid,hidepid=2") != 0)
		return errno;
	return readlink("/proc/self", self, sizeof(self) - 1) == 1 && self[0] == '1' ? 0 : EPROTO;
}

static bool try_pid(struct trial *t)
{
	if (!enter_mounts(t, CLONE_NEWPID))
		return false;
	int status = in_child(as_first, t);
	errno = WEXITSTATUS(status);
	return status == 0 ? has(t, "a /proc of its own") : fails(t, "mounting /proc");
}

static bool try_root(struct trial *t)
{
	if (!enter_mounts(t, 0))
		return false;
	if (chdir("/tmp") != 0 || syscall(SYS_pivot_root, ".", ".") != 0)
		return fails(t, "pivot_root");
	if (umount2(".", MNT_DETACH) != 0)
		return fails(t, "leaving the old root");
	return access("/usr", F_OK) != 0 ? has(t, "the old root is gone") : lacks(t, "the old root is still there");
}

static bool try_landlock(struct trial *t)
{
	const struct kh_landlock_rule rule = {"/usr", KH_LANDLOCK_READ, -1};
	int abi = kh_landlock_abi();

	if (abi <= 0)
		return lacks(t, "the kernel has none, or it was not enabled at boot");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return fails(t, "no_new_privs");
	errno = kh_landlock_restrict(&rule, 1);
	if (errno != 0)
		return fails(t, "restricting");
	if (open("/usr", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0)
		return fails(t, "opening what is allowed");
	if (open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0 || errno != EACCES)
		return lacks(t, "a folder outside could be opened");
	snprintf(t->detail, sizeof(t->detail), "ABI %d, an open outside was denied", abi);
	return true;
}

/* Makes a call that our smallest filter does not allow. */
static int forbidden_call(struct trial *t)
{
	struct kh_filter *filter = NULL;

	(void)t;
	if (kh_filter_new(KH_FILTER_INIT, &kh_alloc_system, &filter, NULL) != KH_OK)
		return 1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || kh_filter_install(filter) != 0)
		return 2;
	syscall(SYS_getppid);
	return 3;
}

static bool try_seccomp(struct trial *t)
{
	int status = in_child(forbidden_call, t);

	if (status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		return has(t, "a forbidden call was killed");
	return lacks(t, status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 3 ? "a forbidden call went through"
										     : "no filter can be installed");
}

static bool try_privileges(struct trial *t)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}}, now[_LINUX_CAPABILITY_U32S_3];

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return fails(t, "no_new_privs");
	if (!is_root() && !enter_user(t, 0))
		return false;
	if (syscall(SYS_capset, &header, none) != 0 || syscall(SYS_capget, &header, now) != 0)
		return fails(t, "dropping capabilities");
	if ((now[0].effective | now[0].permitted | now[1].effective | now[1].permitted) != 0)
		return lacks(t, "some are left");
	return has(t, "no_new_privs, no capability left");
}

static bool try_limits(struct trial *t)
{
	struct rlimit limit = {0, 0};

	if (setrlimit(RLIMIT_NPROC, &limit) != 0 || setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return fails(t, "setrlimit");
	bool held = dup(STDERR_FILENO) < 0 && errno == EMFILE;
	return held ? has(t, "one descriptor too many was refused") : lacks(t, "a limit has no effect");
}

static bool try_descriptors(struct trial *t)
{
	int fd = dup(STDERR_FILENO);

	if (fd < 0 || syscall(SYS_close_range, (unsigned)fd, (unsigned)fd, 0) != 0)
		return fails(t, "close_range");
	return fcntl(fd, F_GETFD) < 0 ? has(t, "nothing is inherited") : lacks(t, "a descriptor is still open");
}

static bool try_folder(struct trial *t)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

	if (syscall(SYS_openat2, AT_FDCWD, "/usr", &how, sizeof(how)) < 0)
		return fails(t, "openat2");
	if (syscall(SYS_openat2, AT_FDCWD, "/proc/self/cwd", &how, sizeof(how)) >= 0)
		return lacks(t, "it follows links that it should not");
	return has(t, "links were not followed");
}

static int wait_for_ever(struct trial *t)
{
	if (!enter_user(t, 0))
		return 1;
	pause();
	return 0;
}

static bool try_idmap(struct trial *t)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP};
	char path[64];

	if (!is_root())
		return has(t, "not needed: files are this user's inside and outside");
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		_exit(wait_for_ever(t));
	}
	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	/* The child is in its namespace once its link differs from ours; it waits there until it is killed. */
	char own[64] = "", other[64] = "";
	if (readlink("/proc/self/ns/user", own, sizeof(own) - 1) < 0)
		own[0] = '\0';
	for (int i = 0; i < 1000 && (other[0] == '\0' || strcmp(own, other) == 0); i++) {
		usleep(1000);
		if (readlink(path, other, sizeof(other) - 1) < 0)
			break;
	}
	attr.userns_fd = (unsigned long long)open(path, O_RDONLY | O_CLOEXEC);
	int tree = open_tree(AT_FDCWD, "/tmp", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	bool done = tree >= 0 && mount_setattr(tree, "", AT_EMPTY_PATH, &attr, sizeof(attr)) == 0;
	int why = errno;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	errno = why;
	return done ? has(t, "tried on /tmp") : fails(t, "mount_setattr on /tmp");
}

static bool try_cgroup(struct trial *t)
{
	struct kh_cgroup_base base;

	kh_cgroup_base_init(&base, getpid());
	bool both = base.has_memory && base.has_pids;
	snprintf(t->detail, sizeof(t->detail), "%s", kh_cgroup_base_has(&base));
	kh_cgroup_base_done(&base);
	return both;
}

#define KERNEL     "needs Linux 5.13 or later"
#define CONTAINER  "in a container, its engine must allow it (such as --privileged, or a seccomp profile of one's own)"
#define NAMESPACES "see the settings below; " CONTAINER
#define NO_SANDBOX "no sandbox: every request is refused"

static const struct {
	const char *name;
	enum kh_part part;
	bool is_required;
	bool (*try)(struct trial *);
	const char *file;
	int flag;
	const char *without, *remedy;
} probes[] = {
	{"clone3, pidfd", KH_PART_CLONE, true, try_clone, NULL, 0, NO_SANDBOX, KERNEL "; " CONTAINER},
	{"user namespace", KH_PART_USER, true, try_user, NULL, 0, NO_SANDBOX, NAMESPACES},
	{"mount namespace", KH_PART_MOUNT, true, try_mount, NULL, 0, NO_SANDBOX, NAMESPACES},
	{"pid namespace", KH_PART_PID, true, try_pid, NULL, 0, NO_SANDBOX,
	 "a container must have a /proc with nothing mounted over it (--security-opt systempaths=unconfined)"},
	{"ipc namespace", KH_PART_IPC, true, try_namespace, "ipc", CLONE_NEWIPC, NO_SANDBOX, NAMESPACES},
	{"uts namespace", KH_PART_UTS, true, try_namespace, "uts", CLONE_NEWUTS, NO_SANDBOX, NAMESPACES},
	{"network namespace", KH_PART_NET, true, try_net, "net", CLONE_NEWNET, NO_SANDBOX, NAMESPACES},
	{"cgroup namespace", KH_PART_CGROUPNS, true, try_namespace, "cgroup", CLONE_NEWCGROUP, NO_SANDBOX, NAMESPACES},
	{"pivot_root", KH_PART_ROOT, true, try_root, NULL, 0, NO_SANDBOX, NAMESPACES},
	{"Landlock", KH_PART_LANDLOCK, true, try_landlock, NULL, 0, NO_SANDBOX,
	 KERNEL
	 ", built with CONFIG_SECURITY_LANDLOCK and with landlock in the list lsm= of the kernel's command line"},
	{"seccomp", KH_PART_SECCOMP, true, try_seccomp, NULL, 0, NO_SANDBOX, "needs CONFIG_SECCOMP_FILTER; " CONTAINER},
	{"privileges", KH_PART_PRIVILEGES, true, try_privileges, NULL, 0, NO_SANDBOX, NAMESPACES},
	{"limits", KH_PART_LIMITS, true, try_limits, NULL, 0, NO_SANDBOX, CONTAINER},
	{"close_range", KH_PART_DESCRIPTORS, true, try_descriptors, NULL, 0, NO_SANDBOX, KERNEL "; " CONTAINER},
	{"openat2", KH_PART_FOLDER, true, try_folder, NULL, 0, "folders cannot be named safely", KERNEL "; " CONTAINER},
	{"idmapped mounts", KH_PART_NONE, false, try_idmap, NULL, 0,
	 "programs that root starts are nobody outside, so folders for --write and --work must be writable by user "
	 "65534",
	 "use a file system that has them (ext4, xfs, btrfs, tmpfs from Linux 6.3 on), or run Keyhole as another user"},
	{"cgroup limits", KH_PART_CGROUP, false, try_cgroup, NULL, 0,
	 "--memory and --processes hold for each process instead of for all together",
	 "run it as the only program of a systemd service with Delegate=yes, or with systemd-run --user --scope -p "
	 "Delegate=yes keyhole ..."},
};

#define COUNT (sizeof(probes) / sizeof(probes[0]))
_Static_assert(COUNT <= KH_PROBES, "room for all");

/* The result of a try. */
struct answer {
	bool has;
	char detail[sizeof(((struct trial *)0)->detail)];
};

static _Noreturn void run_trial(size_t index, int to)
{
	struct trial t = {.file = probes[index].file, .flag = probes[index].flag};
	struct answer answer = {0};

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	answer.has = probes[index].try(&t);
	memcpy(answer.detail, t.detail, sizeof(answer.detail));
	write(to, &answer, sizeof(answer));
	_exit(0);
}

static void probe(size_t index, struct kh_diagnosis *ret)
{
	struct answer answer = {.detail = "the try did not come to its end"};
	int fds[2];

	*ret = (struct kh_diagnosis){.name = probes[index].name,
				     .part = probes[index].part,
				     .is_required = probes[index].is_required,
				     .without = probes[index].without,
				     .remedy = probes[index].remedy};
	if (pipe2(fds, O_CLOEXEC) != 0) {
		snprintf(ret->detail, sizeof(ret->detail), "pipe: %s", strerror(errno));
		return;
	}
	pid_t pid = fork();
	if (pid == 0)
		run_trial(index, fds[1]);
	close(fds[1]);
	struct pollfd ready = {.fd = fds[0], .events = POLLIN};
	if (pid > 0 && poll(&ready, 1, PATIENCE_MS) == 1 &&
	    read(fds[0], &answer, sizeof(answer)) == (ssize_t)sizeof(answer))
		ret->has = answer.has;
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(fds[0]);
	memcpy(ret->detail, answer.detail, sizeof(ret->detail));
}

size_t kh_probe_all(struct kh_diagnosis ret[KH_PROBES])
{
	for (size_t i = 0; i < COUNT; i++)
		probe(i, &ret[i]);
	return COUNT;
}
