/*
 * The table of system calls.
 *
 * Calls that ordinary programs try and can do without answer with an errno.  Calls that no ordinary program makes are
 * not in the table, and so the process is killed: ptrace, mounts, namespaces, modules, other processes' memory.
 */
#include "sandbox/calls.h"

#include <errno.h>

enum {
	P = 1 << KH_FILTER_RUN,
	N = 1 << KH_FILTER_NETWORK,
	R = P | N, /* programs */
	W = 1 << KH_FILTER_WORKER,
	D = 1 << KH_FILTER_RESOLVE, /* DNS */
	H = 1 << KH_FILTER_HTTP,
	F = 1 << KH_FILTER_READ, /* files */
	T = 1 << KH_FILTER_TEXT,
	Q = 1 << KH_FILTER_QUERY,
	S = 1 << KH_FILTER_SEARCH,
	I = 1 << KH_FILTER_INIT,
	G = 1 << KH_FILTER_GATEWAY,
	X = 1 << KH_FILTER_FORWARD,
	NET = W | D | H,     /* a worker's start allows all that it needs later, because filters add up */
	JOB = F | T | Q | S, /* workers that take a job */
	ANY = R | NET | G,
	EACH = ANY | JOB,
	ALL = EACH | I,
};

#define OK(name, kinds)                                                \
	{                                                              \
		{name, 0, false, NULL}, kinds, KH_CONDITION_ALWAYS, -1 \
	}
#define NO(name, error, kinds)                                             \
	{                                                                  \
		{name, error, false, NULL}, kinds, KH_CONDITION_ALWAYS, -1 \
	}
#define NEW(name, number, kinds)                                                \
	{                                                                       \
		{name, ENOSYS, false, NULL}, kinds, KH_CONDITION_ALWAYS, number \
	}
/* clang-format off */
#define NO_SETUID "without S_ISUID and S_ISGID"
#define NO_NOWAIT "without RWF_NOWAIT, RWF_DONTCACHE"
#define IF(condition, name, error, kinds, only) {{name, error, true, only}, kinds, KH_CONDITION_##condition, -1}

static const struct kh_syscall calls[] = {
	/* Reading and writing descriptors. */
	OK("read", EACH), OK("write", ALL), OK("readv", EACH), OK("writev", EACH), OK("close", ALL|X), OK("lseek", EACH),
	OK("pread64", R|W|G|F|Q|S), OK("pwrite64", R|G|S), OK("preadv", R|G), OK("pwritev", R|G),
	/* Whether a page of a file is in memory shows who else has used the file: nobody may ask, or take pages out. */
	IF(NO_PEEK, "preadv2", EOPNOTSUPP, R, NO_NOWAIT), IF(NO_PEEK, "pwritev2", EOPNOTSUPP, R, NO_NOWAIT),
	OK("dup", ANY), OK("dup2", R|W), OK("dup3", R|G), OK("close_range", R|W|G),
	OK("pipe", R|NET), OK("pipe2", ANY), OK("eventfd", R), OK("eventfd2", ANY),
	OK("poll", ANY|Q), OK("ppoll", ANY|Q), OK("select", ANY), OK("pselect6", ANY),
	OK("epoll_create", R), OK("epoll_create1", ANY), OK("epoll_ctl", ANY|X), OK("epoll_wait", ANY|X),
	OK("epoll_pwait", ANY|X),
	OK("epoll_pwait2", R|G),
	OK("timerfd_create", R|G), OK("timerfd_settime", R|G), OK("timerfd_gettime", R|G),
	OK("signalfd", R), OK("signalfd4", R|G),
	OK("sendfile", R|G), OK("splice", R|G), OK("tee", R), NO("vmsplice", ENOSYS, R),
	/* A lease on a host file would delay whoever opens it on the host. */
	IF(NO_LEASE, "fcntl", EPERM, R|Q|S, "not F_SETLEASE, F_NOTIFY"), OK("fcntl", W|G),
	IF(DESCRIPTOR_FLAGS, "fcntl", 0, D|H|F|T, "F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL and F_SETFL"),
	IF(NO_INJECTION, "ioctl", EPERM, R, "not TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD"), NO("ioctl", ENOTTY, NET|G|JOB),

	/* Files: the root and Landlock decide which ones. */
	/* A setuid file in a host folder would outlive the sandbox.  openat2 has its mode in memory, which a filter
	   cannot read. */
	IF(OPEN, "open", EPERM, R|G|Q|S, NO_SETUID), IF(OPEN_AT, "openat", EPERM, R|G|Q|S, NO_SETUID),
	OK("open", W), OK("openat", W), OK("openat2", F|S),
	IF(MODE, "creat", EPERM, R, NO_SETUID), NO("openat2", ENOSYS, R|G),
	NO("open", EACCES, D|H|F|T), NO("openat", EACCES, D|H|F|T), NO("openat2", EACCES, D|H|T|Q),
	OK("stat", R|W|G|Q|S), OK("lstat", R|W|G|Q|S), OK("statx", R|W|G|Q|S), OK("newfstatat", R|W|G|Q|S),
	OK("fstat", EACH),
	NO("stat", EACCES, D|H|F|T), NO("lstat", EACCES, D|H|F|T), NO("statx", EACCES, D|H|F|T),
	IF(DESCRIPTOR_ONLY, "newfstatat", EACCES, D|H|F|T, "AT_EMPTY_PATH"),
	OK("access", R|W|G|Q|S), OK("faccessat", R|W|G|Q|S), OK("faccessat2", R|W|G|Q|S),
	NO("access", EACCES, D|H|F|T), NO("faccessat", EACCES, D|H|F|T), NO("faccessat2", EACCES, D|H|F|T),
	OK("readlink", R|W|G|Q|S), OK("readlinkat", R|W|G|F|Q|S), NO("readlink", EACCES, D|H|F|T),
	NO("readlinkat", EACCES, D|H|T),
	OK("statfs", R|W|G|Q|S), OK("fstatfs", R|W|G|Q|S), OK("getcwd", EACH), OK("chdir", R), OK("fchdir", R|G),
	OK("getdents", R|G), OK("getdents64", R|W|G|F|S), OK("umask", R|G),
	OK("rename", R|G|S), OK("renameat", R|G|S),
	IF(NO_WHITEOUT, "renameat2", EINVAL, R|G|S, "without RENAME_WHITEOUT, which leaves a device"),
	 OK("link", R), OK("linkat", R|G),
	OK("unlink", R|G|S), OK("unlinkat", R|G|S), OK("symlink", R), OK("symlinkat", R),
	OK("mkdir", R|G|S), OK("mkdirat", R|G|S), OK("rmdir", R|G),
	IF(NO_DEVICE, "mknod", EPERM, R, "no device, " NO_SETUID),
	IF(NO_DEVICE_AT, "mknodat", EPERM, R, "no device, " NO_SETUID),
	OK("truncate", R|G), OK("ftruncate", R|G|S), OK("fallocate", R|G|S), OK("readahead", R),
	IF(ADVICE, "fadvise64", EINVAL, R|W|F|Q|S, "POSIX_FADV_DONTNEED without effect"), OK("fadvise64", G),
	OK("copy_file_range", R|G), OK("flock", R|G|S),
	OK("fsync", R|G|S), OK("fdatasync", R|G|S), OK("sync_file_range", R|G), NO("sync", EPERM, R),
	NO("syncfs", EPERM, R),
	IF(MODE, "chmod", EPERM, R|G, NO_SETUID), IF(MODE, "fchmod", EPERM, R|G|S, NO_SETUID),
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
	/* Watching /usr would show what the host does with it. */
	NO("inotify_init", ENOSYS, R), NO("inotify_init1", ENOSYS, R), NO("inotify_add_watch", ENOSYS, R),
	NO("inotify_rm_watch", ENOSYS, R),

	/* A process's own memory.  Memory that no limit bounds is not allowed: memfd, SysV and POSIX shared memory and
	   queues. */
	OK("mmap", R|W), IF(NOT_EXECUTABLE, "mmap", 0, D|H|JOB|X, "without PROT_EXEC"),
	IF(NOT_EXECUTABLE_OR_ERROR, "mmap", EACCES, G, "without PROT_EXEC"),
	OK("mprotect", R|W), IF(NOT_EXECUTABLE, "mprotect", 0, D|H|JOB, "without PROT_EXEC"),
	IF(NOT_EXECUTABLE_OR_ERROR, "mprotect", EACCES, G, "without PROT_EXEC"),
	OK("munmap", EACH|X), OK("mremap", EACH|X), OK("brk", EACH|X), OK("msync", R|G|S),
	IF(NO_PAGEOUT, "madvise", EINVAL, R|NET|JOB, "not MADV_COLD, MADV_PAGEOUT"), OK("madvise", G|X),
	NO("mincore", ENOSYS, R), OK("mincore", G),
	OK("mlock", R|G), OK("mlock2", R), OK("munlock", R|G), NO("mlockall", EPERM, R), NO("munlockall", EPERM, R),
	OK("membarrier", R|G), NO("pkey_alloc", ENOSYS, R), NO("pkey_free", ENOSYS, R), NO("pkey_mprotect", ENOSYS, R),
	NEW("map_shadow_stack", 453, R), NEW("mseal", 462, EACH), NO("remap_file_pages", ENOSYS, R),
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
	OK("exit", ALL|X), OK("exit_group", ALL|X), OK("wait4", R|I|G), OK("waitid", R|I|G),
	OK("set_tid_address", R|W), OK("set_robust_list", R|W|G), OK("get_robust_list", R), OK("rseq", R|W|G),
	OK("futex", EACH|X), NEW("futex_waitv", 449, R|G), NEW("futex_wake", 454, R|G), NEW("futex_wait", 455, R|G),
	NEW("futex_requeue", 456, R|G),
	OK("getpid", EACH|X), OK("gettid", EACH), OK("getppid", EACH), OK("getpgid", R), OK("getpgrp", R), OK("getsid", R),
	OK("setpgid", R), OK("setsid", R),
	OK("getuid", EACH), OK("geteuid", EACH), OK("getgid", EACH), OK("getegid", EACH), OK("getgroups", R),
	OK("getresuid", R), OK("getresgid", R), OK("capget", R|W|G), NO("capset", EPERM, R),
	NO("setuid", EPERM, R), NO("setgid", EPERM, R), NO("setreuid", EPERM, R), NO("setregid", EPERM, R),
	NO("setresuid", EPERM, R), NO("setresgid", EPERM, R), NO("setfsuid", EPERM, R), NO("setfsgid", EPERM, R),
	NO("setgroups", EPERM, R),
	OK("sched_yield", EACH), OK("sched_getaffinity", EACH), OK("sched_setaffinity", R), OK("getcpu", EACH),
	OK("sched_getscheduler", R|G), OK("sched_getparam", R|G), OK("sched_getattr", R),
	OK("sched_get_priority_max", R|G),
	OK("sched_get_priority_min", R|G), OK("sched_rr_get_interval", R), NO("sched_setscheduler", EPERM, R|G),
	NO("sched_setparam", EPERM, R), NO("sched_setattr", EPERM, R),
	OK("getpriority", R), OK("setpriority", R), OK("ioprio_get", R), NO("ioprio_set", EPERM, R),
	OK("getrlimit", EACH), IF(NO_CORE_LIMIT, "setrlimit", EPERM, R, "not RLIMIT_CORE"),
	IF(LIMIT_OF_SELF, "prlimit64", EPERM, R|W, "of the process itself, RLIMIT_CORE without effect"),
	IF(LIMIT_READ, "prlimit64", EPERM, D|H|G|JOB, "to read"),
	OK("getrusage", EACH), OK("times", R|G), OK("sysinfo", EACH), OK("uname", EACH),
	NO("sethostname", EPERM, R), NO("setdomainname", EPERM, R), NO("syslog", EPERM, R), NO("kcmp", EPERM, R),
	OK("arch_prctl", R|W|G), OK("pidfd_open", R), OK("pidfd_send_signal", R),
	NO("pidfd_open", EPERM, G), NO("pidfd_send_signal", EPERM, G),
	IF(OPTION_OF_PROGRAM, "prctl", EINVAL, R, "options that change nothing but the process itself"),
	IF(OPTION_OF_WORKER, "prctl", EINVAL, W, "PR_SET_NAME, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_GET_*"),
	IF(OPTION_OF_GATEWAY, "prctl", EINVAL, G, "PR_SET_NAME, PR_GET_NAME"), NO("prctl", EINVAL, D|H|JOB),
	IF(PERSONALITY, "personality", EPERM, R, "to read"), NO("modify_ldt", ENOSYS, R),
	OK("seccomp", W), NO("seccomp", EINVAL, R), /* a worker makes its filter stricter */
	NO("landlock_create_ruleset", ENOSYS, R), NO("landlock_add_rule", ENOSYS, R),
	NO("landlock_restrict_self", ENOSYS, R),
	NEW("lsm_get_self_attr", 459, R), NEW("lsm_set_self_attr", 460, R), NEW("lsm_list_modules", 461, R),
	NO("add_key", ENOSYS, R), NO("request_key", ENOSYS, R), NO("keyctl", ENOSYS, R),

	/* Signals. */
	OK("rt_sigaction", EACH), OK("rt_sigprocmask", EACH), OK("rt_sigreturn", ALL|X), OK("rt_sigpending", R|G),
	OK("rt_sigsuspend", R|G), OK("rt_sigtimedwait", R|G), OK("rt_sigqueueinfo", R), OK("rt_tgsigqueueinfo", R),
	OK("sigaltstack", EACH), OK("kill", R), OK("tkill", R), NO("kill", EPERM, G), NO("tkill", EPERM, G),
	OK("tgkill", R|G), NO("tgkill", EPERM, NET|JOB),
	OK("pause", R|G),
	OK("restart_syscall", ALL|X),

	/* Time. */
	OK("clock_gettime", EACH|X), OK("clock_getres", EACH), OK("clock_nanosleep", EACH), OK("nanosleep", EACH),
	OK("gettimeofday", EACH), OK("time", EACH), OK("alarm", R), OK("getitimer", R), OK("setitimer", R|Q),
	OK("timer_create", R), OK("timer_settime", R), OK("timer_gettime", R), OK("timer_getoverrun", R),
	OK("timer_delete", R),
	NO("clock_settime", EPERM, R), NO("settimeofday", EPERM, R), NO("adjtimex", EPERM, R),
	NO("clock_adjtime", EPERM, R),
	OK("getrandom", EACH),

	/*
	 * Sockets: pairs, and sockets that were passed in.  Programs can listen, but not connect: a host's socket in a
	 * granted folder would be a way out, which neither namespaces nor Landlock check.  Datagrams can be sent
	 * without a connection, so there are none.
	 */
	IF(UNIX_SOCKET, "socket", EAFNOSUPPORT, P, "AF_UNIX, no datagrams"), NO("socket", EAFNOSUPPORT, NET|G|JOB|I|X),
	IF(UNIX_SOCKET, "socketpair", EAFNOSUPPORT, ANY, "AF_UNIX, no datagrams"),
	NO("connect", EACCES, P),
	/* With network by name, a program can connect, but has no Unix sockets except pairs.  Its network is the loopback
	   alone, and nobody listens there except a forwarder. */
	IF(TCP_SOCKET, "socket", EAFNOSUPPORT, N, "TCP over IPv4 or IPv6"), OK("connect", N),
	/* libcurl 7.88 calls connect on a socket that it was told is connected; with this answer it checks whether it
	   is. */
	NO("connect", EINPROGRESS, W|H|Q),
	OK("bind", R), OK("listen", R), OK("accept", R|G), OK("accept4", R|G|X), OK("shutdown", ANY|Q|X),
	OK("recvfrom", ANY|Q|X), OK("recvmsg", ANY|Q|X), OK("recvmmsg", R),
	/* A connected datagram socket still sends elsewhere if it is given an address, so workers cannot give one. */
	OK("sendto", R|G), OK("sendmsg", R|G), OK("sendmmsg", R), IF(NO_ADDRESS, "sendto", 0, NET|I|Q|X, "no address"),
	OK("getsockopt", ANY|Q|X), OK("getsockname", ANY|Q), OK("getpeername", ANY|Q), OK("setsockopt", G),
	/*
	 * Buffers of the kernel are memory that no process limit bounds, and socket filters are programs in the kernel.
	 */
	IF(NO_BUFFER, "setsockopt", EPERM, R, "not SO_SNDBUF, SO_RCVBUF, SO_ATTACH_FILTER and their like"),
	IF(NO_FILTER, "setsockopt", EPERM, X, "not SO_SNDBUFFORCE, SO_RCVBUFFORCE, SO_ATTACH_FILTER and their like"),
	IF(SOCKET_OPTION, "setsockopt", EPERM, W|H|Q, "of TCP, and SO_KEEPALIVE"),
};
/* clang-format on */

const struct kh_syscall *kh_calls_at(size_t index)
{
	return index < sizeof(calls) / sizeof(calls[0]) ? &calls[index] : NULL;
}
