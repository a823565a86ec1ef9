/*
 * Tries the parts of a sandbox.
 *
 * A version number or a file in /proc says what a kernel could do.  Only a real try shows what it does for this user,
 * in this container, under this administrator's settings.  So each try is a process of its own that uses the part and
 * checks its effect; whatever it made ends with it.  A try that hangs is killed.
 *
 * No try writes to the host: what is written goes to a fresh tmpfs in a mount namespace of its own, and only after a look
 * at whether it is one.
 */
#include "sandbox/probe.h"

#include "base/alloc.h"
#include "sandbox/kit.h"
#include "sandbox/landlock.h"
#include "sandbox/privileges.h"
#include "sandbox/root.h"
#include "sandbox/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 10000
#define NOBODY      65534
#define OTHER       1000

/* A running try, in memory that all of its processes share. */
struct trial {
	const char *file; /* of /proc/self/ns */
	int flag;         /* CLONE_NEW* */
	bool has;
	char before[64]; /* the namespace outside */
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
	return geteuid() == 0 && kh_ids_has("/proc/self/uid_map", NOBODY) && kh_ids_has("/proc/self/gid_map", NOBODY);
}

/* In a new user namespace: becomes the user INSIDE, who is UID and GID outside. */
static bool map_user(struct trial *t, unsigned inside, unsigned uid, unsigned gid)
{
	char uids[48], gids[48];

	snprintf(uids, sizeof(uids), "%u %u 1", inside, uid);
	snprintf(gids, sizeof(gids), "%u %u 1", inside, gid);
	/* After a change of ids a process may write its own maps only if it makes itself dumpable. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0 || !put_file("/proc/self/setgroups", "deny") ||
	    !put_file("/proc/self/uid_map", uids) || !put_file("/proc/self/gid_map", gids))
		return fails(t, "mapping ids");
	return getuid() == inside || lacks(t, "ids are not mapped");
}

/*
 * Runs FN in a process in new namespaces of FLAGS, made as the sandbox makes them: by clone3, for root with its own
 * privileges, for others with those of a user namespace, in which they are the user INSIDE.
 */
static bool enter(struct trial *t, int flags, unsigned inside, bool (*fn)(struct trial *))
{
	const bool root = is_root();
	unsigned uid = geteuid(), gid = getegid();
	int pidfd = -1, status = -1;
	int pid = kh_sandbox_kit_clone((uint64_t)flags | (root ? 0 : CLONE_NEWUSER), &pidfd, -1);

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		t->has = (root || map_user(t, inside, uid, gid)) && fn(t);
		_exit(0);
	}
	if (pid < 0)
		return fails(t, "clone3");
	close(pidfd);
	return waitpid(pid, &status, 0) == pid && status == 0 && t->has;
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

static bool as_other(struct trial *t)
{
	return getuid() == OTHER || lacks(t, "ids are not mapped");
}

/* As the sandbox does: root becomes nobody first. */
static bool try_user(struct trial *t)
{
	unsigned outside = is_root() ? NOBODY : geteuid();

	if (!is_root()) {
		if (!enter(t, 0, OTHER, as_other))
			return false;
	} else {
		errno = kh_privileges_become(NOBODY, NOBODY);
		if (errno != 0)
			return fails(t, "leaving root");
		if (unshare(CLONE_NEWUSER) != 0)
			return fails(t, "unshare");
		if (!map_user(t, OTHER, NOBODY, NOBODY))
			return false;
	}
	snprintf(t->detail, sizeof(t->detail), "user %d inside is %u outside", OTHER, outside);
	return true;
}

static bool is_other(struct trial *t)
{
	char path[64], after[sizeof(t->before)] = "";

	snprintf(path, sizeof(path), "/proc/self/ns/%s", t->file);
	if (readlink(path, after, sizeof(after) - 1) < 0)
		return fails(t, path);
	return strcmp(t->before, after) != 0 ? has(t, "one of its own") : lacks(t, "it is the same as before");
}

static bool try_in_namespace(struct trial *t, bool (*fn)(struct trial *))
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/ns/%s", t->file);
	if (readlink(path, t->before, sizeof(t->before) - 1) < 0)
		return fails(t, path);
	return enter(t, t->flag, 0, fn);
}

static bool try_namespace(struct trial *t)
{
	return try_in_namespace(t, is_other);
}

/* A new network namespace has no way out: it has no route, not even to an address that nobody uses. */
static bool has_no_way_out(struct trial *t)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};

	if (!is_other(t))
		return false;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	to.sin_addr.s_addr = htonl(0xc0000201U);
	if (fd < 0)
		return fails(t, "socket");
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 || errno != ENETUNREACH)
		return lacks(t, "it leads somewhere");
	return has(t, "no way out");
}

static bool try_net(struct trial *t)
{
	return try_in_namespace(t, has_no_way_out);
}

/* A fresh tmpfs on /tmp, seen by nobody else.  Nothing is written before it is certain that it is there. */
static bool make_private(struct trial *t)
{
	struct stat st = {0};
	dev_t fresh;

	if (!kh_root_part_mounts())
		return fails(t, "private mounts");
	if (stat("/tmp", &st) != 0 || mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") != 0)
		return fails(t, "mounting a tmpfs");
	return kh_root_check_fresh("/tmp", st.st_dev, &fresh) == 0 || lacks(t, "a mounted tmpfs is not there");
}

/* With the calls that the sandbox uses: a copy of a mount, made read-only before it is visible. */
static bool copies_mounts(struct trial *t)
{
	if (!make_private(t))
		return false;
	if (mkdir("/tmp/from", 0755) != 0 || mkdir("/tmp/to", 0755) != 0)
		return fails(t, "mkdir");
	int from = open("/tmp/from", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int tree = from < 0 ? -1 : kh_tree_clone(from, KH_TREE_READ_ONLY, -1);
	if (tree < 0)
		return fails(t, "open_tree, mount_setattr");
	errno = kh_tree_put(tree, AT_FDCWD, "/tmp/to");
	if (errno != 0)
		return fails(t, "move_mount");
	if (mkdir("/tmp/to/probe", 0755) == 0 || errno != EROFS)
		return lacks(t, "what is read-only can be written to");
	return has(t, "tmpfs, read-only folders");
}

static bool try_mount(struct trial *t)
{
	return enter(t, CLONE_NEWNS, 0, copies_mounts);
}

static bool has_proc(struct trial *t)
{
	char self[16] = "";

	if (!make_private(t))
		return false;
	if (getpid() != 1)
		return lacks(t, "its first process is not the first");
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "subset=pid,hidepid=2") != 0)
		return fails(t, "mounting /proc");
	return readlink("/proc/self", self, sizeof(self) - 1) == 1 && self[0] == '1' ? has(t, "a /proc of its own")
										     : lacks(t, "/proc is not its own");
}

static bool try_pid(struct trial *t)
{
	return enter(t, CLONE_NEWNS | CLONE_NEWPID, 0, has_proc);
}

static bool leaves_root(struct trial *t)
{
	if (!make_private(t))
		return false;
	if (chdir("/tmp") != 0 || syscall(SYS_pivot_root, ".", ".") != 0)
		return fails(t, "pivot_root");
	if (umount2(".", MNT_DETACH) != 0)
		return fails(t, "leaving the old root");
	return access("/usr", F_OK) != 0 ? has(t, "the old root is gone") : lacks(t, "the old root is still there");
}

static bool try_root(struct trial *t)
{
	return enter(t, CLONE_NEWNS, 0, leaves_root);
}

static int is_in_other_time(struct trial *t)
{
	return is_other(t) ? 0 : 1;
}

static bool starts_time(struct trial *t)
{
	int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	errno = proc < 0 ? errno : kh_namespaces_start_time(proc);
	if (errno != 0)
		return fails(t, "unshare, timens_offsets");
	return in_child(is_in_other_time, t) == 0;
}

static bool try_time(struct trial *t)
{
	return try_in_namespace(t, starts_time);
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

static bool drops_capabilities(struct trial *t)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return fails(t, "no_new_privs");
	errno = kh_privileges_drop_capabilities();
	return errno == 0 ? has(t, "no_new_privs, no capability left") : fails(t, "dropping capabilities");
}

static bool try_privileges(struct trial *t)
{
	return enter(t, 0, 0, drops_capabilities);
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

static bool try_idmap(struct trial *t)
{
	if (!is_root())
		return has(t, "not needed: files are this user's inside and outside");
	struct kh_ids ids = {.proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), .user = NOBODY, .group = NOBODY};
	int idmap = ids.proc < 0 ? -1 : kh_ids_shift(&ids, 0, 0), tmp = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (idmap < 0 || tmp < 0)
		return fails(t, "a user namespace for it");
	return kh_tree_clone(tmp, 0, idmap) >= 0 ? has(t, "tried on /tmp") : fails(t, "mount_setattr on /tmp");
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
	{"time namespace", KH_PART_TIME, true, try_time, "time", 0, NO_SANDBOX,
	 "needs Linux 5.13 or later with CONFIG_TIME_NS; " CONTAINER},
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
	 "programs that root starts cannot write to folders of root's (--write, --work); to write to a folder of "
	 "another user's they must be that user outside",
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
	struct trial *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct answer answer = {0};

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (t == MAP_FAILED || t == NULL)
		_exit(1);
	t->file = probes[index].file;
	t->flag = probes[index].flag;
	answer.has = probes[index].try(t);
	memcpy(answer.detail, t->detail, sizeof(answer.detail));
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
