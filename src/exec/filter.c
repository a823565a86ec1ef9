/*
 * The tables of system calls, and the filters made of them.
 *
 * A filter is made as two programs, because libseccomp leaves open which of two overlapping rules of one program wins:
 *     the exceptions  allow by default, and answer an errno to certain arguments of calls that the list allows;
 *     the list        kills by default, and allows a call, or answers an errno, or allows it with certain arguments.
 * They are then joined: what the first lets pass, the second looks at.
 *
 * Arguments that the kernel cuts to 32 bits are compared under a mask where a match refuses, and whole where a match
 * allows: neither way does a high bit help.
 *
 * An errno is for what ordinary programs try and can do without.  What no ordinary program does is not in the table:
 * ptrace, mounts, namespaces, modules, keys of the kernel, other processes' memory.
 */
#include "exec/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	R = 1 << KH_FILTER_RUN,
	W = 1 << KH_FILTER_WORKER,
	D = 1 << KH_FILTER_RESOLVE, /* DNS */
	H = 1 << KH_FILTER_HTTP,
	I = 1 << KH_FILTER_INIT,
	G = 1 << KH_FILTER_GATEWAY,
	NET = W | D | H, /* a worker's start has all that it needs later: filters add up */
	ANY = R | NET | G,
	ALL = ANY | I,
};

enum condition {
	ALWAYS = 0,
	UNIX_SOCKET,
	NO_NAMESPACE,
	THREAD,
	NOT_EXECUTABLE,
	NOT_EXECUTABLE_OR_ERROR,
	NO_INJECTION,
	OPTION_OF_PROGRAM,
	OPTION_OF_WORKER,
	OPTION_OF_GATEWAY,
	NO_DEVICE,
	NO_DEVICE_AT,
	MODE,
	MODE_AT,
	OPEN,
	OPEN_AT,
	NO_LEASE,
	DESCRIPTOR_FLAGS,
	DESCRIPTOR_ONLY,
	LIMIT_READ,
	LIMIT_OF_SELF,
	NO_ADDRESS,
	SOCKET_OPTION,
	NO_BUFFER,
};

struct call {
	struct kh_filter_entry entry;
	unsigned kinds;
	enum condition condition;
	int number; /* for calls newer than the library: all architectures number them alike */
};

#define OK(name, kinds)                                   \
	{                                                 \
		{name, 0, false, NULL}, kinds, ALWAYS, -1 \
	}
#define NO(name, error, kinds)                                \
	{                                                     \
		{name, error, false, NULL}, kinds, ALWAYS, -1 \
	}
#define NEW(name, number, kinds)                                   \
	{                                                          \
		{name, ENOSYS, false, NULL}, kinds, ALWAYS, number \
	}
/* clang-format off */
#define NO_SETUID "without S_ISUID and S_ISGID"
#define IF(condition, name, error, kinds, only) {{name, error, true, only}, kinds, condition, -1}

static const struct call calls[] = {
	/* Reading and writing descriptors. */
	OK("read", ANY), OK("write", ALL), OK("readv", ANY), OK("writev", ANY), OK("close", ALL), OK("lseek", ANY),
	OK("pread64", R|W|G), OK("pwrite64", R|G), OK("preadv", R|G), OK("pwritev", R|G), OK("preadv2", R),
	OK("pwritev2", R),
	OK("dup", ANY), OK("dup2", R), OK("dup3", R|G), OK("close_range", R|G),
	OK("pipe", R|NET), OK("pipe2", ANY), OK("eventfd", R), OK("eventfd2", ANY),
	OK("poll", ANY), OK("ppoll", ANY), OK("select", ANY), OK("pselect6", ANY),
	OK("epoll_create", R), OK("epoll_create1", ANY), OK("epoll_ctl", ANY), OK("epoll_wait", ANY),
	OK("epoll_pwait", ANY),
	OK("epoll_pwait2", R|G),
	OK("timerfd_create", R|G), OK("timerfd_settime", R|G), OK("timerfd_gettime", R|G),
	OK("signalfd", R), OK("signalfd4", R|G),
	OK("sendfile", R|G), OK("splice", R|G), OK("tee", R), NO("vmsplice", ENOSYS, R),
	/* A lease on a file of the host's would hold up whoever opens it there. */
	IF(NO_LEASE, "fcntl", EPERM, R, "not F_SETLEASE, F_NOTIFY"), OK("fcntl", W|G),
	IF(DESCRIPTOR_FLAGS, "fcntl", 0, D|H, "F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL and F_SETFL"),
	IF(NO_INJECTION, "ioctl", EPERM, R, "not TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD"), NO("ioctl", ENOTTY, NET|G),

	/* Files: where, is a matter of the root and of Landlock. */
	/* A setuid file in a folder of the host's would outlive the sandbox.  openat2 has its mode where none can look. */
	IF(OPEN, "open", EPERM, R|G, NO_SETUID), IF(OPEN_AT, "openat", EPERM, R|G, NO_SETUID), OK("open", W),
	OK("openat", W),
	IF(MODE, "creat", EPERM, R, NO_SETUID), NO("openat2", ENOSYS, R|G),
	NO("open", EACCES, D|H), NO("openat", EACCES, D|H), NO("openat2", EACCES, D|H),
	OK("stat", R|W|G), OK("lstat", R|W|G), OK("statx", R|W|G), OK("newfstatat", R|W|G), OK("fstat", ANY),
	NO("stat", EACCES, D|H), NO("lstat", EACCES, D|H), NO("statx", EACCES, D|H),
	IF(DESCRIPTOR_ONLY, "newfstatat", EACCES, D|H, "AT_EMPTY_PATH"),
	OK("access", R|W|G), OK("faccessat", R|W|G), OK("faccessat2", R|W|G),
	NO("access", EACCES, D|H), NO("faccessat", EACCES, D|H), NO("faccessat2", EACCES, D|H),
	OK("readlink", R|W|G), OK("readlinkat", R|W|G), NO("readlink", EACCES, D|H), NO("readlinkat", EACCES, D|H),
	OK("statfs", R|W|G), OK("fstatfs", R|W|G), OK("getcwd", ANY), OK("chdir", R), OK("fchdir", R|G),
	OK("getdents", R|G), OK("getdents64", R|W|G), OK("umask", R|G),
	OK("rename", R|G), OK("renameat", R|G), OK("renameat2", R|G), OK("link", R), OK("linkat", R|G),
	OK("unlink", R|G), OK("unlinkat", R|G), OK("symlink", R), OK("symlinkat", R),
	OK("mkdir", R|G), OK("mkdirat", R|G), OK("rmdir", R|G),
	IF(NO_DEVICE, "mknod", EPERM, R, "no device, " NO_SETUID),
	IF(NO_DEVICE_AT, "mknodat", EPERM, R, "no device, " NO_SETUID),
	OK("truncate", R|G), OK("ftruncate", R|G), OK("fallocate", R|G), OK("fadvise64", R|W|G), OK("readahead", R),
	OK("copy_file_range", R|G), OK("flock", R|G),
	OK("fsync", R|G), OK("fdatasync", R|G), OK("sync_file_range", R|G), NO("sync", EPERM, R),
	NO("syncfs", EPERM, R),
	IF(MODE, "chmod", EPERM, R|G, NO_SETUID), IF(MODE, "fchmod", EPERM, R|G, NO_SETUID),
	IF(MODE_AT, "fchmodat", EPERM, R|G, NO_SETUID), NEW("fchmodat2", 452, R|G),
	OK("chown", R|G), OK("fchown", R|G), OK("lchown", R|G), OK("fchownat", R|G),
	OK("utime", R), OK("utimes", R|G), OK("futimesat", R), OK("utimensat", R|G),
	OK("getxattr", R), OK("lgetxattr", R), OK("fgetxattr", R), OK("listxattr", R), OK("llistxattr", R),
	OK("flistxattr", R),
	NO("setxattr", EOPNOTSUPP, R), NO("lsetxattr", EOPNOTSUPP, R), NO("fsetxattr", EOPNOTSUPP, R),
	NO("removexattr", EOPNOTSUPP, R), NO("lremovexattr", EOPNOTSUPP, R), NO("fremovexattr", EOPNOTSUPP, R),
	NEW("setxattrat", 463, R), NEW("getxattrat", 464, R), NEW("listxattrat", 465, R), NEW("removexattrat", 466, R),
	NEW("file_getattr", 468, R), NEW("file_setattr", 469, R), NEW("cachestat", 451, R),
	NO("name_to_handle_at", ENOSYS, R), NEW("statmount", 457, R), NEW("listmount", 458, R),
	/* Watching /usr would tell what the host does with it. */
	NO("inotify_init", ENOSYS, R), NO("inotify_init1", ENOSYS, R), NO("inotify_add_watch", ENOSYS, R),
	NO("inotify_rm_watch", ENOSYS, R),

	/* Memory of one's own.  What no limit bounds is not there: memfd, SysV and POSIX shared memory and queues. */
	OK("mmap", R|W), IF(NOT_EXECUTABLE, "mmap", 0, D|H, "without PROT_EXEC"),
	IF(NOT_EXECUTABLE_OR_ERROR, "mmap", EACCES, G, "without PROT_EXEC"),
	OK("mprotect", R|W), IF(NOT_EXECUTABLE, "mprotect", 0, D|H, "without PROT_EXEC"),
	IF(NOT_EXECUTABLE_OR_ERROR, "mprotect", EACCES, G, "without PROT_EXEC"),
	OK("munmap", ANY), OK("mremap", ANY), OK("brk", ANY), OK("madvise", ANY), OK("msync", R|G), OK("mincore", R|G),
	OK("mlock", R|G), OK("mlock2", R), OK("munlock", R|G), NO("mlockall", EPERM, R), NO("munlockall", EPERM, R),
	OK("membarrier", R|G), NO("pkey_alloc", ENOSYS, R), NO("pkey_free", ENOSYS, R), NO("pkey_mprotect", ENOSYS, R),
	NEW("map_shadow_stack", 453, R), NEW("mseal", 462, ANY), NO("remap_file_pages", ENOSYS, R),
	NO("mbind", ENOSYS, R), NO("get_mempolicy", ENOSYS, R|G), NO("set_mempolicy", ENOSYS, R),
	NO("migrate_pages", ENOSYS, R),
	NO("move_pages", ENOSYS, R), NEW("set_mempolicy_home_node", 450, R), NO("process_madvise", ENOSYS, R),
	OK("memfd_create", W), NO("memfd_create", ENOSYS, R|G), NEW("memfd_secret", 447, R),
	NO("shmget", ENOSYS, R), NO("shmat", ENOSYS, R), NO("shmdt", ENOSYS, R), NO("shmctl", ENOSYS, R),
	NO("semget", ENOSYS, R), NO("semop", ENOSYS, R), NO("semtimedop", ENOSYS, R), NO("semctl", ENOSYS, R),
	NO("msgget", ENOSYS, R), NO("msgsnd", ENOSYS, R), NO("msgrcv", ENOSYS, R), NO("msgctl", ENOSYS, R),
	NO("mq_open", ENOSYS, R), NO("mq_unlink", ENOSYS, R),
	NO("io_setup", ENOSYS, R), NO("io_destroy", ENOSYS, R), NO("io_submit", ENOSYS, R),
	NO("io_getevents", ENOSYS, R),
	NO("io_cancel", ENOSYS, R), NO("io_pgetevents", ENOSYS, R),
	NO("io_uring_setup", ENOSYS, R|G), NO("io_uring_enter", ENOSYS, R|G), NO("io_uring_register", ENOSYS, R|G),

	/* Processes and threads. */
	OK("execve", R|W), OK("execveat", R|W), OK("fork", R), OK("vfork", R),
	IF(NO_NAMESPACE, "clone", EPERM, R, "no CLONE_NEW flag"), IF(THREAD, "clone", 0, G, "a thread"),
	NO("clone3", ENOSYS, R|G),
	OK("exit", ALL), OK("exit_group", ALL), OK("wait4", R|I|G), OK("waitid", R|I|G),
	OK("set_tid_address", R|W), OK("set_robust_list", R|W|G), OK("get_robust_list", R), OK("rseq", R|W|G),
	OK("futex", ANY), NEW("futex_waitv", 449, R|G), NEW("futex_wake", 454, R|G), NEW("futex_wait", 455, R|G),
	NEW("futex_requeue", 456, R|G),
	OK("getpid", ANY), OK("gettid", ANY), OK("getppid", ANY), OK("getpgid", R), OK("getpgrp", R), OK("getsid", R),
	OK("setpgid", R), OK("setsid", R),
	OK("getuid", ANY), OK("geteuid", ANY), OK("getgid", ANY), OK("getegid", ANY), OK("getgroups", R),
	OK("getresuid", R), OK("getresgid", R), OK("capget", R|W|G), NO("capset", EPERM, R),
	NO("setuid", EPERM, R), NO("setgid", EPERM, R), NO("setreuid", EPERM, R), NO("setregid", EPERM, R),
	NO("setresuid", EPERM, R), NO("setresgid", EPERM, R), NO("setfsuid", EPERM, R), NO("setfsgid", EPERM, R),
	NO("setgroups", EPERM, R),
	OK("sched_yield", ANY), OK("sched_getaffinity", ANY), OK("sched_setaffinity", R), OK("getcpu", ANY),
	OK("sched_getscheduler", R|G), OK("sched_getparam", R|G), OK("sched_getattr", R),
	OK("sched_get_priority_max", R|G),
	OK("sched_get_priority_min", R|G), OK("sched_rr_get_interval", R), NO("sched_setscheduler", EPERM, R|G),
	NO("sched_setparam", EPERM, R), NO("sched_setattr", EPERM, R),
	OK("getpriority", R), OK("setpriority", R), OK("ioprio_get", R), NO("ioprio_set", EPERM, R),
	OK("getrlimit", ANY), OK("setrlimit", R), IF(LIMIT_OF_SELF, "prlimit64", EPERM, R|W, "of the process itself"),
	IF(LIMIT_READ, "prlimit64", EPERM, D|H|G, "to read"),
	OK("getrusage", ANY), OK("times", R|G), OK("sysinfo", ANY), OK("uname", ANY),
	NO("sethostname", EPERM, R), NO("setdomainname", EPERM, R), NO("syslog", EPERM, R), NO("kcmp", EPERM, R),
	OK("arch_prctl", R|W|G), OK("pidfd_open", R), OK("pidfd_send_signal", R),
	NO("pidfd_open", EPERM, G), NO("pidfd_send_signal", EPERM, G),
	IF(OPTION_OF_PROGRAM, "prctl", EINVAL, R, "options that change nothing but the process itself"),
	IF(OPTION_OF_WORKER, "prctl", EINVAL, W, "PR_SET_NAME, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_GET_*"),
	IF(OPTION_OF_GATEWAY, "prctl", EINVAL, G, "PR_SET_NAME, PR_GET_NAME"), NO("prctl", EINVAL, D|H),
	NO("personality", EPERM, R), NO("modify_ldt", ENOSYS, R),
	OK("seccomp", W), NO("seccomp", EINVAL, R), /* a worker makes its filter smaller */
	NO("landlock_create_ruleset", ENOSYS, R), NO("landlock_add_rule", ENOSYS, R),
	NO("landlock_restrict_self", ENOSYS, R),
	NEW("lsm_get_self_attr", 459, R), NEW("lsm_set_self_attr", 460, R), NEW("lsm_list_modules", 461, R),
	NO("add_key", ENOSYS, R), NO("request_key", ENOSYS, R), NO("keyctl", ENOSYS, R),

	/* Signals. */
	OK("rt_sigaction", ANY), OK("rt_sigprocmask", ANY), OK("rt_sigreturn", ALL), OK("rt_sigpending", R|G),
	OK("rt_sigsuspend", R|G), OK("rt_sigtimedwait", R|G), OK("rt_sigqueueinfo", R), OK("rt_tgsigqueueinfo", R),
	OK("sigaltstack", ANY), OK("kill", R), OK("tkill", R), NO("kill", EPERM, G), NO("tkill", EPERM, G),
	OK("tgkill", R|G), NO("tgkill", EPERM, NET),
	OK("pause", R|G),
	OK("restart_syscall", ALL),

	/* Time. */
	OK("clock_gettime", ANY), OK("clock_getres", ANY), OK("clock_nanosleep", ANY), OK("nanosleep", ANY),
	OK("gettimeofday", ANY), OK("time", ANY), OK("alarm", R), OK("getitimer", R), OK("setitimer", R),
	OK("timer_create", R), OK("timer_settime", R), OK("timer_gettime", R), OK("timer_getoverrun", R),
	OK("timer_delete", R),
	NO("clock_settime", EPERM, R), NO("settimeofday", EPERM, R), NO("adjtimex", EPERM, R),
	NO("clock_adjtime", EPERM, R),
	OK("getrandom", ANY),

	/* Sockets: of the machine itself for programs; those that they were given for workers and a gateway. */
	IF(UNIX_SOCKET, "socket", EAFNOSUPPORT, R, "AF_UNIX"), NO("socket", EAFNOSUPPORT, NET|G),
	IF(UNIX_SOCKET, "socketpair", EAFNOSUPPORT, ANY, "AF_UNIX"),
	/* libcurl 7.88 connects a socket that it was told is connected; this answer has it look whether that is so. */
	NO("connect", EINPROGRESS, W|H),
	OK("connect", R), OK("bind", R), OK("listen", R), OK("accept", R|G), OK("accept4", R|G), OK("shutdown", ANY),
	OK("recvfrom", ANY), OK("recvmsg", ANY), OK("recvmmsg", R),
	/* A datagram socket that is connected still sends elsewhere when it is given an address: workers cannot give one. */
	OK("sendto", R|G), OK("sendmsg", R|G), OK("sendmmsg", R), IF(NO_ADDRESS, "sendto", 0, NET|I, "no address"),
	OK("getsockopt", ANY), OK("getsockname", ANY), OK("getpeername", ANY), OK("setsockopt", G),
	/* Buffers of the kernel are memory that no limit of a process bounds; its socket filters are programs. */
	IF(NO_BUFFER, "setsockopt", EPERM, R, "not SO_SNDBUF, SO_RCVBUF, SO_ATTACH_FILTER and their like"),
	IF(SOCKET_OPTION, "setsockopt", EPERM, W|H, "of TCP, and SO_KEEPALIVE"),
};
/* clang-format on */

/* The two programs while they are made. */
struct making {
	scmp_filter_ctx list, exceptions;
};

static int allow(struct making *making, int number)
{
	return seccomp_rule_add_array(making->list, SCMP_ACT_ALLOW, number, 0, NULL);
}

static int allow_if(struct making *making, int number, struct scmp_arg_cmp compare)
{
	return seccomp_rule_add_array(making->list, SCMP_ACT_ALLOW, number, 1, &compare);
}

static int refuse_if(struct making *making, int number, int error, struct scmp_arg_cmp compare)
{
	return seccomp_rule_add_array(making->exceptions, SCMP_ACT_ERRNO((unsigned)error), number, 1, &compare);
}

static struct scmp_arg_cmp argument(unsigned index, enum scmp_compare op, uint64_t a, uint64_t b)
{
	return (struct scmp_arg_cmp){.arg = index, .op = op, .datum_a = a, .datum_b = b};
}

static int add_namespaces(struct making *making, int number, int error)
{
	/* CLONE_NEWTIME is not among them: clone() has the exit signal there. */
	static const uint64_t flags[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
					 CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};
	int r = allow(making, number);

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]) && r == 0; i++)
		r = refuse_if(making, number, error, argument(0, SCMP_CMP_MASKED_EQ, flags[i], flags[i]));
	return r;
}

static int add_thread(struct making *making, int number)
{
	uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	uint64_t never = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
			 CLONE_NEWNET | CLONE_PTRACE | CLONE_VFORK | CLONE_PARENT | 0xff;

	return allow_if(making, number, argument(0, SCMP_CMP_MASKED_EQ, thread | never, thread));
}

static int add_ioctl(struct making *making, int number, int error)
{
	/* Type into a terminal, the console's menu, take over console output, load a line discipline. */
	static const uint64_t requests[] = {TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD};
	int r = allow(making, number);

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]) && r == 0; i++)
		r = refuse_if(making, number, error, argument(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, requests[i]));
	return r;
}

static bool option_allowed(const unsigned char *options, unsigned option)
{
	for (; *options != 0; options++)
		if (*options == option)
			return true;
	return false;
}

/* OPTIONS (ended by 0) are allowed.  Every other is refused: one by one below the highest, all at once above it. */
static int add_prctl(struct making *making, int number, int error, const unsigned char *options)
{
	unsigned highest = 0;
	int r = allow(making, number);

	for (const unsigned char *o = options; *o != 0; o++)
		highest = *o > highest ? *o : highest;
	for (unsigned option = 0; option < highest && r == 0; option++)
		if (!option_allowed(options, option))
			r = refuse_if(making, number, error, argument(0, SCMP_CMP_EQ, option, 0));
	return r != 0 ? r : refuse_if(making, number, error, argument(0, SCMP_CMP_GT, highest, 0));
}

static const unsigned char options_of_program[] = {
	PR_SET_PDEATHSIG,
	PR_GET_PDEATHSIG,
	PR_GET_DUMPABLE,
	PR_SET_DUMPABLE,
	PR_GET_KEEPCAPS,
	PR_SET_NAME,
	PR_GET_NAME,
	PR_GET_SECCOMP,
	PR_CAPBSET_READ,
	PR_GET_TSC,
	PR_GET_SECUREBITS,
	PR_SET_TIMERSLACK,
	PR_GET_TIMERSLACK,
	PR_MCE_KILL_GET,
	PR_SET_CHILD_SUBREAPER,
	PR_GET_CHILD_SUBREAPER,
	PR_SET_NO_NEW_PRIVS,
	PR_GET_NO_NEW_PRIVS,
	PR_GET_TID_ADDRESS,
	PR_SET_THP_DISABLE,
	PR_GET_THP_DISABLE,
	PR_CAP_AMBIENT,
	PR_GET_SPECULATION_CTRL,
	0,
};

static const unsigned char options_of_worker[] = {
	PR_GET_DUMPABLE, PR_SET_DUMPABLE,     PR_SET_NAME,         PR_GET_NAME, PR_GET_SECCOMP,
	PR_CAPBSET_READ, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, 0,
};

static const unsigned char options_of_gateway[] = {PR_SET_NAME, PR_GET_NAME, 0};

/* Refuses what the kernel would make setuid or setgid; the mode is argument INDEX. */
static int add_mode(struct making *making, int number, int error, unsigned index)
{
	int r = allow(making, number);

	if (r == 0)
		r = refuse_if(making, number, error, argument(index, SCMP_CMP_MASKED_EQ, S_ISUID, S_ISUID));
	if (r == 0)
		r = refuse_if(making, number, error, argument(index, SCMP_CMP_MASKED_EQ, S_ISGID, S_ISGID));
	return r;
}

static int add_mknod(struct making *making, int number, int error, unsigned index)
{
	int r = add_mode(making, number, error, index);

	if (r == 0)
		r = refuse_if(making, number, error, argument(index, SCMP_CMP_MASKED_EQ, S_IFMT, S_IFCHR));
	if (r == 0)
		r = refuse_if(making, number, error, argument(index, SCMP_CMP_MASKED_EQ, S_IFMT, S_IFBLK));
	return r;
}

/* The same for a file that is opened: there is a mode only where the flags, argument INDEX, make one. */
static int add_open(struct making *making, int number, int error, unsigned index)
{
	static const uint64_t makes[] = {O_CREAT, O_TMPFILE & ~O_DIRECTORY}, bits[] = {S_ISUID, S_ISGID};
	int r = allow(making, number);

	for (size_t i = 0; i < 4 && r == 0; i++) {
		struct scmp_arg_cmp both[] = {argument(index, SCMP_CMP_MASKED_EQ, makes[i / 2], makes[i / 2]),
					      argument(index + 1, SCMP_CMP_MASKED_EQ, bits[i % 2], bits[i % 2])};

		r = seccomp_rule_add_array(making->exceptions, SCMP_ACT_ERRNO((unsigned)error), number, 2, both);
	}
	return r;
}

static int add_no_lease(struct making *making, int number, int error)
{
	int r = allow(making, number);

	if (r == 0)
		r = refuse_if(making, number, error, argument(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, F_SETLEASE));
	if (r == 0)
		r = refuse_if(making, number, error, argument(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, F_NOTIFY));
	return r;
}

static int add_fcntl(struct making *making, int number)
{
	static const uint64_t commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL};
	int r = 0;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]) && r == 0; i++)
		r = allow_if(making, number, argument(1, SCMP_CMP_EQ, commands[i], 0));
	return r;
}

static int add_no_buffer(struct making *making, int number, int error)
{
	static const uint64_t options[] = {
		SO_SNDBUF,        SO_RCVBUF,     SO_SNDBUFFORCE,           SO_RCVBUFFORCE,
		SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF, SO_ATTACH_REUSEPORT_EBPF};
	int r = allow(making, number);

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]) && r == 0; i++) {
		struct scmp_arg_cmp both[] = {argument(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, SOL_SOCKET),
					      argument(2, SCMP_CMP_MASKED_EQ, UINT32_MAX, options[i])};

		r = seccomp_rule_add_array(making->exceptions, SCMP_ACT_ERRNO((unsigned)error), number, 2, both);
	}
	return r;
}

/* What libcurl sets on a connection; the level of all sockets has more, filters that run in the kernel among it. */
static int add_socket_option(struct making *making, int number, int error)
{
	struct scmp_arg_cmp other[] = {argument(1, SCMP_CMP_EQ, SOL_SOCKET, 0),
				       argument(2, SCMP_CMP_NE, SO_KEEPALIVE, 0)};
	int r = allow(making, number);

	for (uint64_t level = 0; level < IPPROTO_TCP && r == 0; level++)
		if (level != SOL_SOCKET)
			r = refuse_if(making, number, error, argument(1, SCMP_CMP_EQ, level, 0));
	if (r == 0)
		r = refuse_if(making, number, error, argument(1, SCMP_CMP_GT, IPPROTO_TCP, 0));
	return r != 0 ? r
		      : seccomp_rule_add_array(making->exceptions, SCMP_ACT_ERRNO((unsigned)error), number, 2, other);
}

/* Allows the call, but for arguments that match. */
static int add_except(struct making *making, int number, int error, struct scmp_arg_cmp compare)
{
	int r = allow(making, number);

	return r != 0 ? r : refuse_if(making, number, error, compare);
}

static int add_call(struct making *making, const struct call *call, int number)
{
	int error = call->entry.error;

	switch (call->condition) {
	case ALWAYS:
		return error == 0
			       ? allow(making, number)
			       : seccomp_rule_add_array(making->list, SCMP_ACT_ERRNO((unsigned)error), number, 0, NULL);
	case UNIX_SOCKET:
		return add_except(making, number, error, argument(0, SCMP_CMP_NE, AF_UNIX, 0));
	case NO_NAMESPACE:
		return add_namespaces(making, number, error);
	case THREAD:
		return add_thread(making, number);
	case NOT_EXECUTABLE:
		return allow_if(making, number, argument(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	case NOT_EXECUTABLE_OR_ERROR:
		return add_except(making, number, error, argument(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
	case NO_INJECTION:
		return add_ioctl(making, number, error);
	case OPTION_OF_PROGRAM:
		return add_prctl(making, number, error, options_of_program);
	case OPTION_OF_WORKER:
		return add_prctl(making, number, error, options_of_worker);
	case OPTION_OF_GATEWAY:
		return add_prctl(making, number, error, options_of_gateway);
	case NO_DEVICE:
		return add_mknod(making, number, error, 1);
	case NO_DEVICE_AT:
		return add_mknod(making, number, error, 2);
	case MODE:
		return add_mode(making, number, error, 1);
	case MODE_AT:
		return add_mode(making, number, error, 2);
	case OPEN:
		return add_open(making, number, error, 1);
	case OPEN_AT:
		return add_open(making, number, error, 2);
	case NO_LEASE:
		return add_no_lease(making, number, error);
	case DESCRIPTOR_FLAGS:
		return add_fcntl(making, number);
	case DESCRIPTOR_ONLY:
		return add_except(making, number, error, argument(3, SCMP_CMP_NE, AT_EMPTY_PATH, 0));
	case NO_ADDRESS:
		return allow_if(making, number, argument(4, SCMP_CMP_EQ, 0, 0));
	case NO_BUFFER:
		return add_no_buffer(making, number, error);
	case SOCKET_OPTION:
		return add_socket_option(making, number, error);
	case LIMIT_OF_SELF: /* the first process of a sandbox has the same user */
		return add_except(making, number, error, argument(0, SCMP_CMP_NE, 0, 0));
	case LIMIT_READ:
		return add_except(making, number, error, argument(2, SCMP_CMP_NE, 0, 0));
	}
	return -EINVAL;
}

static int number_of(const struct call *call)
{
	int number = seccomp_syscall_resolve_name(call->entry.name);

	return number >= 0 ? number : call->number;
}

static int add_calls(struct making *making, enum kh_filter_kind kind)
{
	int r = 0;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]) && r == 0; i++) {
		int number;

		if ((calls[i].kinds & 1U << kind) == 0)
			continue;
		number = number_of(&calls[i]);
		if (number >= 0)
			r = add_call(making, &calls[i], number);
	}
	return r;
}

/* Both programs: this machine's own numbers alone, and a tree rather than a row of comparisons. */
static int start(scmp_filter_ctx *ret_ctx, uint32_t action)
{
	scmp_filter_ctx ctx = seccomp_init(action);
	int r;

	if (ctx == NULL)
		return -ENOMEM;
	*ret_ctx = ctx;
	r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	return r != 0 ? r : seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
}

struct kh_filter {
	const struct kh_alloc *alloc;
	struct sock_fprog program; /* its code stands behind this */
	size_t size;
	struct sock_filter code[];
};

/* Has libseccomp write both programs into a file in memory, which is how it gives them out: the exceptions, the list.
 */
static int write_programs(struct making *making, int fd, off_t *ret_first, off_t *ret_all)
{
	int r = seccomp_export_bpf(making->exceptions, fd);

	*ret_first = lseek(fd, 0, SEEK_CUR);
	if (r == 0)
		r = seccomp_export_bpf(making->list, fd);
	*ret_all = lseek(fd, 0, SEEK_CUR);
	return r != 0 ? r : *ret_first <= 0 || *ret_all <= *ret_first ? -EIO : 0;
}

/*
 * Makes one program of both: what the exceptions (the first COUNT instructions) allow goes on to the list.  Installing
 * one costs half of installing two, and every sandbox does it.
 */
static void join(struct sock_filter *code, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (code[i].code == (BPF_RET | BPF_K) && code[i].k == SECCOMP_RET_ALLOW)
			code[i] = (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)(count - i - 1));
	}
}

static int load_programs(int fd, size_t first, size_t all, const struct kh_alloc *alloc, struct kh_filter **ret_filter)
{
	size_t size = sizeof(struct kh_filter) + all;
	struct kh_filter *filter = kh_alloc_zero(alloc, size);

	if (filter == NULL)
		return -ENOMEM;
	filter->alloc = alloc;
	filter->size = size;
	if (pread(fd, filter->code, all, 0) != (ssize_t)all) {
		kh_alloc_free(alloc, filter, size);
		return -EIO;
	}
	join(filter->code, first / sizeof(struct sock_filter));
	filter->program = (struct sock_fprog){.len = (unsigned short)(all / sizeof(struct sock_filter)),
					      .filter = filter->code};
	*ret_filter = filter;
	return 0;
}

static int make(struct making *making, enum kh_filter_kind kind, const struct kh_alloc *alloc,
		struct kh_filter **ret_filter)
{
	off_t first = 0, all = 0;
	int fd, r = start(&making->list, SCMP_ACT_KILL_PROCESS);

	if (r == 0)
		r = start(&making->exceptions, SCMP_ACT_ALLOW);
	if (r == 0)
		r = add_calls(making, kind);
	if (r != 0)
		return r;
	fd = memfd_create("keyhole-filter", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write_programs(making, fd, &first, &all);
	if (r == 0)
		r = load_programs(fd, (size_t)first, (size_t)all, alloc, ret_filter);
	close(fd);
	return r;
}

enum kh_err kh_filter_new(enum kh_filter_kind kind, const struct kh_alloc *alloc, struct kh_filter **ret_filter,
			  struct kh_error *err)
{
	struct making making = {NULL, NULL};
	int r = make(&making, kind, alloc, ret_filter);

	if (making.list != NULL)
		seccomp_release(making.list);
	if (making.exceptions != NULL)
		seccomp_release(making.exceptions);
	if (r == -ENOMEM)
		return kh_error_set(err, KH_ENOMEM, NULL, "no memory for a system-call filter");
	if (r != 0)
		return kh_error_set(err, KH_EREFUSED, "seccomp", "the filter %s cannot be made: %s",
				    kh_filter_name(kind), strerrordesc_np(-r));
	return KH_OK;
}

void kh_filter_free(struct kh_filter *filter)
{
	if (filter != NULL)
		kh_alloc_free(filter->alloc, filter, filter->size);
}

/* The exceptions first: under the list, seccomp() may be a call that kills. */
int kh_filter_install(const struct kh_filter *filter)
{
	long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter->program);

	return r > 0 ? EBUSY : r < 0 ? errno : 0; /* above 0: the number of a thread that cannot follow */
}

const char *kh_filter_name(enum kh_filter_kind kind)
{
	static const char *const names[KH_FILTERS] = {
		[KH_FILTER_RUN] = "run",   [KH_FILTER_WORKER] = "worker", [KH_FILTER_RESOLVE] = "resolve",
		[KH_FILTER_HTTP] = "http", [KH_FILTER_INIT] = "init",     [KH_FILTER_GATEWAY] = "gateway",
	};

	return kind < KH_FILTERS ? names[kind] : "unknown";
}

const struct kh_filter_entry *kh_filter_entry_at(enum kh_filter_kind kind, size_t index)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if ((calls[i].kinds & 1U << kind) != 0 && index-- == 0)
			return &calls[i].entry;
	return NULL;
}

/* An entry is the first member of its row. */
int kh_filter_number(const struct kh_filter_entry *entry)
{
	return number_of((const struct call *)entry);
}
