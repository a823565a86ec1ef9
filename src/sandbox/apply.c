/*
 * The inside of a sandbox.  The first process trusts the executor, which it was forked from.  The second one trusts
 * itself until its execve, and after it nothing that it gave up can be regained.
 *
 * Each step that fails ends the sandbox with a BROKEN message that names the part.  No step is optional.
 */
#include "sandbox/apply.h"

#include "sandbox/landlock.h"
#include "sandbox/root.h"
#include "sandbox/setting.h"
#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/securebits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSIDE_UID 1000 /* "keyhole" of the sandbox's /etc/passwd */

/* A command gets only the variables that external-info.md allows. */
static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin",
					  "HOME=/tmp",
					  "USER=keyhole",
					  "TEMP=/tmp",
					  "TMPDIR=/tmp",
					  "LANG=C.UTF-8",
					  "LC_ALL=C.UTF-8",
					  NULL};
static const char *const search[] = {"/usr/local/bin", "/usr/bin", "/bin"};

struct inside {
	const struct kh_sandbox_kit *kit;
	enum kh_profile profile;
	bool locked;                /* locked down before the job comes; the job names no folders */
	int channel, program, proc; /* kept; all other descriptors of the executor are closed */
	int gate;                   /* closed by the first process when it has locked itself down */
	struct kh_root root;
	struct kh_message job;
	int fds[KH_MESSAGE_FDS]; /* of the job */
	size_t fd_count;
	char packet[KH_MESSAGE_MAX];
};

static _Noreturn void broken(const struct inside *in, enum kh_part part, int error)
{
	char buffer[64];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_BROKEN);
	kh_message_number(&out, KH_FIELD_PART, part);
	kh_message_number(&out, KH_FIELD_ERRNO, (uint64_t)error);
	(void)!kh_channel_say(in->channel, &out, NULL, 0);
	_exit(1);
}

/* Closes every descriptor of the executor except the COUNT in KEEP; 0, 1 and 2 become /dev/null. */
static int close_others(int *keep, size_t count)
{
	unsigned from = 3;

	for (size_t i = 1; i < count; i++) {
		for (size_t k = i; k > 0 && keep[k] < keep[k - 1]; k--) {
			int other = keep[k];
			keep[k] = keep[k - 1];
			keep[k - 1] = other;
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (keep[i] < 0)
			continue;
		if ((unsigned)keep[i] > from && close_range(from, (unsigned)keep[i] - 1, 0) < 0)
			return errno;
		from = (unsigned)keep[i] + 1;
	}
	if (close_range(from, UINT_MAX, 0) < 0)
		return errno;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd < 3; fd++) {
		if (null < 0 || dup2(null, fd) < 0)
			return errno;
	}
	close(null);
	return 0;
}

/* Maps the one user and group of this sandbox.  /proc lets a process write its own maps only while it is dumpable. */
static int map_ids(int proc, unsigned uid, unsigned gid)
{
	char map[48];

	prctl(PR_SET_DUMPABLE, 1);
	int e = kh_setting_write(proc, "self/setgroups", "deny");
	snprintf(map, sizeof(map), "%d %u 1", INSIDE_UID, uid);
	if (e == 0)
		e = kh_setting_write(proc, "self/uid_map", map);
	snprintf(map, sizeof(map), "%d %u 1", INSIDE_UID, gid);
	if (e == 0)
		e = kh_setting_write(proc, "self/gid_map", map);
	prctl(PR_SET_DUMPABLE, 0);
	return e;
}

/*
 * If the executor is root: first become another user outside, the OWNER of the writable folder or nobody, and only then
 * make a user namespace.  A cgroup namespace is made once more with it, now that the process is in its group, because
 * everything above the group is the host's.
 */
static int leave_root(const struct inside *in, unsigned owner)
{
	unsigned uid = owner > 0 ? owner : KH_SANDBOX_UID, gid = KH_SANDBOX_UID;

	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0 ||
	    unshare(CLONE_NEWUSER | CLONE_NEWCGROUP) < 0)
		return errno;
	return map_ids(in->proc, uid, gid);
}

static void set_up(struct inside *in)
{
	int keep[] = {in->channel, in->program, in->root.idmap, in->kit->self, -1};
	enum kh_part part = KH_PART_ROOT;

	prctl(PR_SET_NAME, "keyhole-sandbox");
	umask(022); /* not the umask of the executor's parent */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		broken(in, KH_PART_PRIVILEGES, errno);
	in->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	keep[4] = in->proc;
	int e = in->proc < 0 ? errno : close_others(keep, 5);
	if (e)
		broken(in, KH_PART_DESCRIPTORS, e);
	if (!in->kit->is_root) {
		e = map_ids(in->proc, in->kit->uid, in->kit->gid);
		if (e)
			broken(in, KH_PART_USER, e);
	}
	if (sethostname("keyhole", strlen("keyhole")) < 0)
		broken(in, KH_PART_UTS, errno);
	e = kh_root_prepare(&in->root, in->profile, &part);
	if (e)
		broken(in, part, e);
}

static void send_plain(const struct inside *in, enum kh_message_type type, enum kh_message_field field, uint64_t value)
{
	char buffer[64];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), type);
	if (field != KH_FIELD_NONE)
		kh_message_number(&out, field, value);
	if (kh_channel_say(in->channel, &out, NULL, 0) != KH_IO_DONE)
		_exit(1); /* the executor is gone */
}

static void take_job(struct inside *in)
{
	enum kh_message_state state = KH_STATE_SANDBOX;
	struct kh_view packet;

	if (kh_channel_receive_wait(in->channel, in->packet, &packet, in->fds, &in->fd_count, -1) != KH_IO_DONE)
		_exit(1); /* this sandbox is not needed any more */
	if (kh_message_read(packet, in->fd_count, &state, &in->job, NULL) != KH_OK)
		broken(in, KH_PART_DESCRIPTORS, EPROTO);
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};

	if (prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
					     SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
					     SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED) < 0)
		return errno;
	for (int capability = 0; capability < 64; capability++) {
		if (prctl(PR_CAPBSET_DROP, capability) < 0 && errno != EINVAL)
			return errno;
	}
	return syscall(SYS_capset, &header, none) < 0 ? errno : 0;
}

static int set_limits(const struct inside *in)
{
	const uint64_t *n = in->job.number;
	const bool grouped = in->kit->cgroup.has_memory;
	const struct {
		__rlimit_resource_t resource;
		uint64_t value;
	} limits[] = {
		{RLIMIT_CPU, n[KH_FIELD_CPU]},
		{RLIMIT_DATA, n[KH_FIELD_MEMORY]},
		/* Without a cgroup the limit of the address space also bounds shared memory.  Runtimes reserve more
		   address space than they use. */
		{RLIMIT_AS, grouped ? RLIM_INFINITY : 4 * n[KH_FIELD_MEMORY]},
		{RLIMIT_NPROC, n[KH_FIELD_PROCESSES] + 1}, /* one more for the first process */
		{RLIMIT_NOFILE, n[KH_FIELD_FILES]},
		{RLIMIT_FSIZE, n[KH_FIELD_DISK]},
		{RLIMIT_CORE, 1}, /* with 0 the kernel would still start a handler that takes cores from a pipe */
		{RLIMIT_MEMLOCK, 65536},
		{RLIMIT_MSGQUEUE, 0},
		{RLIMIT_SIGPENDING, 1024},
		{RLIMIT_RTPRIO, 0},
		{RLIMIT_NICE, 0},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rlimit now, limit = {limits[i].value, limits[i].value};
		if (getrlimit(limits[i].resource, &now) < 0)
			return errno;
		if (limit.rlim_max > now.rlim_max) /* a limit can only be lowered */
			limit.rlim_cur = limit.rlim_max = now.rlim_max;
		if (setrlimit(limits[i].resource, &limit) < 0)
			return errno;
	}
	return 0;
}

/* 0, 1, 2 and, for our own workers, 3 come with the job; execve closes all others. */
static int set_descriptors(const struct inside *in)
{
	int moved[KH_MESSAGE_FDS];

	for (size_t i = 0; i < in->fd_count; i++) {
		moved[i] = fcntl(in->fds[i], F_DUPFD_CLOEXEC, 16);
		if (moved[i] < 0)
			return errno;
	}
	for (size_t i = 0; i < in->fd_count; i++) {
		if (dup2(moved[i], (int)i) < 0)
			return errno;
	}
	return close_range((unsigned)in->fd_count, UINT_MAX, CLOSE_RANGE_CLOEXEC) < 0 ? errno : 0;
}

/* Everything visible may be read.  Only paths that a profile or the job names may be executed or written to. */
static int restrict_files(const struct inside *in)
{
	const bool run = in->profile == KH_PROFILE_RUN;
	struct kh_landlock_rule rules[KH_ROOT_FOLDERS + 32];
	static char text[KH_MESSAGE_MAX];
	size_t n = 0, used = 0, cursor;
	struct kh_view path;

	const bool executes = kh_profile_start(in->profile) != KH_PROFILE_IN_PLACE;

	rules[n++] = (struct kh_landlock_rule){"/", run ? KH_LANDLOCK_RUN : KH_LANDLOCK_READ, -1};
	for (const char *const *p = kh_profile_paths(in->profile); !run && *p; p++)
		rules[n++] = (struct kh_landlock_rule){*p, KH_LANDLOCK_RUN, -1};
	if (run) {
		rules[n++] = (struct kh_landlock_rule){"/dev", KH_LANDLOCK_WRITE, -1};
		rules[n++] = (struct kh_landlock_rule){"/tmp", KH_LANDLOCK_ALL, -1};
		rules[n++] = (struct kh_landlock_rule){"/work", KH_LANDLOCK_ALL, -1};
	} else if (executes) {
		rules[n++] = (struct kh_landlock_rule){NULL, KH_LANDLOCK_RUN, in->program};
	}
	for (int writable = 0; writable < 2; writable++) {
		enum kh_message_field field = writable ? KH_FIELD_WRITE : KH_FIELD_READ;
		for (cursor = 0;
		     kh_message_item(&in->job, field, &cursor, &path) && n < sizeof(rules) / sizeof(rules[0]);) {
			memcpy(text + used, path.p, path.n); /* fits because all of them came in one packet */
			text[used + path.n] = '\0';
			enum kh_landlock_right right = writable ? KH_LANDLOCK_WRITE : KH_LANDLOCK_READ;
			if (executes)
				right = writable ? KH_LANDLOCK_ALL : KH_LANDLOCK_RUN;
			rules[n++] = (struct kh_landlock_rule){text + used, right, -1};
			used += path.n + 1;
		}
	}
	return kh_landlock_restrict(rules, n);
}

static void reset_signals(void)
{
	struct sigaction normal = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &normal, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Executes the job's argv; returns errno. */
static int execute(const struct inside *in)
{
	static char text[KH_MESSAGE_MAX];
	char *argv[KH_MESSAGE_ITEMS + 1], **envp = NULL, path[PATH_MAX];
	size_t argc = 0, cursor = 0, used = 0;
	struct kh_view item;
	int e = ENOENT;

	memcpy(&envp, &(const char *const *){environment}, sizeof(envp)); /* execve(2) does not write to it */
	while (kh_message_item(&in->job, KH_FIELD_ARGUMENT, &cursor, &item) && argc < KH_MESSAGE_ITEMS) {
		argv[argc++] = memcpy(text + used, item.p, item.n);
		text[used + item.n] = '\0';
		used += item.n + 1;
	}
	argv[argc] = NULL;
	if (argc == 0)
		return EINVAL;
	if (strchr(argv[0], '/') != NULL) {
		execve(argv[0], argv, envp);
		return errno;
	}
	if (in->profile != KH_PROFILE_RUN) {
		syscall(SYS_execveat, in->program, "", argv, envp, AT_EMPTY_PATH);
		return errno;
	}
	for (size_t i = 0; i < sizeof(search) / sizeof(search[0]); i++) {
		int n = snprintf(path, sizeof(path), "%s/%s", search[i], argv[0]);
		if (n < 0 || (size_t)n >= sizeof(path))
			return ENAMETOOLONG;
		execve(path, argv, envp);
		if (errno != ENOENT)
			e = errno;
	}
	return e;
}

/* Gives up everything that the program will not have, in the order in which it can still be given up. */
static void lock(struct inside *in)
{
	const struct kh_filter *filter =
		in->kit->filter[in->profile == KH_PROFILE_RUN ? KH_FILTER_RUN : KH_FILTER_WORKER];
	bool in_place = kh_profile_start(in->profile) == KH_PROFILE_IN_PLACE;
	enum kh_part part = KH_PART_NONE;
	unsigned owner = 0;
	struct pollfd executor = {.fd = in->kit->self, .events = POLLIN};
	char byte;
	int e;

	if ((e = kh_root_finish(&in->root, &in->job, &owner, &part)) != 0)
		broken(in, part, e);
	/* Changing ids is the last step that needs root. */
	if (in->kit->is_root && (e = leave_root(in, owner)) != 0)
		broken(in, KH_PART_USER, e);
	close(in->proc); /* it is the host's /proc, and no link in a folder may lead to it */
	/* The program must not start before the first process has given up everything except waiting. */
	if (read(in->gate, &byte, 1) != 0)
		broken(in, KH_PART_PRIVILEGES, EPIPE);
	/* From now on the first process dies with the executor.  If the executor died before this point, it would not,
	   so check.  The channel alone does not tell, because a sandbox that the executor has just started may still
	   hold a copy of the other end. */
	if (kh_channel_closed(in->channel) || poll(&executor, 1, 0) != 0)
		_exit(1);
	setsid();
	reset_signals();
	if (chdir("/work") < 0)
		broken(in, KH_PART_FOLDER, errno);
	if ((e = drop_capabilities()) != 0)
		broken(in, KH_PART_PRIVILEGES, e);
	if ((e = restrict_files(in)) != 0)
		broken(in, KH_PART_LANDLOCK, e);
	/* A worker that continues in this process installs its own, smaller filter before it reads anything. */
	if (!in_place && (e = kh_filter_install(filter)) != 0)
		broken(in, KH_PART_SECCOMP, e);
}

/* Continues as the worker of the profile, with the job's descriptors and nothing else of the executor's. */
static _Noreturn void become_worker(const struct inside *in)
{
	if (in->kit->worker == NULL)
		broken(in, KH_PART_PROGRAM, ENOENT);
	else if (close_range((unsigned)in->fd_count, UINT_MAX, 0) == 0)
		_exit(in->kit->worker(in->profile, in->kit->filter));
	_exit(1);
}

/* Waits for the job and becomes the program.  The lockdown comes before the job if IN is locked, else after it. */
static _Noreturn void second_process(struct inside *in)
{
	int e;

	if (in->locked) {
		in->job.number[KH_FIELD_DISK] = kh_profile_limits(in->profile)->disk;
		lock(in);
	}
	send_plain(in, KH_MESSAGE_WARM, KH_FIELD_NONE, 0);
	take_job(in);
	if (!in->locked)
		lock(in);
	if ((e = set_descriptors(in)) != 0)
		broken(in, KH_PART_DESCRIPTORS, e);
	if ((e = set_limits(in)) != 0)
		broken(in, KH_PART_LIMITS, e);
	if (kh_profile_start(in->profile) == KH_PROFILE_IN_PLACE)
		become_worker(in);
	broken(in, KH_PART_PROGRAM, execute(in));
}

/* Gives up everything, then waits until the program has ended and reaps the processes that it leaves behind. */
static _Noreturn void first_process(struct inside *in, int second)
{
	int keep[] = {in->channel, in->gate}, status, e;
	unsigned id = KH_SANDBOX_UID;

	if ((e = close_others(keep, 2)) != 0)
		broken(in, KH_PART_DESCRIPTORS, e);
	if (in->kit->is_root && (setgroups(0, NULL) < 0 || setresgid(id, id, id) < 0 || setresuid(id, id, id) < 0))
		broken(in, KH_PART_PRIVILEGES, errno);
	if (!in->kit->is_root && (e = drop_capabilities()) != 0)
		broken(in, KH_PART_PRIVILEGES, e);
	/* The kernel clears the parent-death signal if the ids change, so set it again. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		broken(in, KH_PART_PRIVILEGES, errno);
	if ((e = kh_filter_install(in->kit->filter[KH_FILTER_INIT])) != 0)
		broken(in, KH_PART_SECCOMP, e);
	close(in->gate);
	for (;;) {
		int pid = wait4(-1, &status, 0, NULL);
		if (pid == second)
			break;
		if (pid < 0 && errno != EINTR)
			_exit(1);
	}
	send_plain(in, KH_MESSAGE_EXITED, KH_FIELD_STATUS, (uint64_t)(unsigned)status);
	_exit(0);
}

_Noreturn void kh_apply(const struct kh_apply *with)
{
	static struct inside in; /* not shared: this process is a copy of the executor */
	int gate[2];

	in.kit = with->kit;
	in.profile = with->profile;
	in.locked = with->locked;
	in.channel = with->channel;
	in.program = with->kit->program;
	in.root.host = -1;
	in.root.idmap = with->kit->idmap;
	if (!kh_cgroup_enter(with->cgroup))
		broken(&in, KH_PART_CGROUP, errno);
	set_up(&in);
	if (pipe2(gate, O_CLOEXEC) < 0)
		broken(&in, KH_PART_DESCRIPTORS, errno);
	int second = _Fork();
	if (second < 0)
		broken(&in, KH_PART_LIMITS, errno);
	in.gate = gate[second == 0 ? 0 : 1];
	close(gate[second == 0 ? 1 : 0]);
	if (second == 0)
		second_process(&in);
	first_process(&in, second);
}
