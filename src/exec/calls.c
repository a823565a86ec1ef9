/*
 * The table of system calls.
 *
 * An errno is for what ordinary programs try and can do without.  What no ordinary program does is not in the table,
 * and so is killed: ptrace, mounts, namespaces, modules, other processes' memory.
 */
#include "exec/calls.h"

#include <errno.h>

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
#define IF(condition, name, error, kinds, only) {{name, error, true, only}, kinds, KH_CONDITION_##condition, -1}

static const struct kh_call calls[] = {
	/* Reading and writing descriptors. */
	OK("read", ANY), OK("write", ALL), OK("readv", ANY), OK("writev", ANY), OK("close", ALL), OK("lseek", ANY),
	OK("pread64", R|W|G), OK("pwrite64", R|G), OK("preadv", R|G), OK("pwritev", R|G), OK("preadv2", R),
	OK("pwritev2", R),
	OK("dup", ANY), OK("dup2", R|W), OK("dup3", R|G), OK("close_range", R|W|G),
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
	/* A setuid file in a host's folder would outlive the sandbox.  openat2 has its mode where none can look. */
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
	IF(PERSONALITY, "personality", EPERM, R, "to read"), NO("modify_ldt", ENOSYS, R),
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

	/*
	 * Sockets: pairs, and those that they were given.  Programs can listen, but not connect: a socket of the host's
	 * in a folder that was granted would be a way out, which neither namespaces nor Landlock look at.  Datagrams
	 * need no connection to go anywhere, so there are none.
	 */
	IF(UNIX_SOCKET, "socket", EAFNOSUPPORT, R, "AF_UNIX, no datagrams"), NO("socket", EAFNOSUPPORT, NET|G),
	IF(UNIX_SOCKET, "socketpair", EAFNOSUPPORT, ANY, "AF_UNIX, no datagrams"),
	NO("connect", EACCES, R),
	/* libcurl 7.88 connects a socket that it was told is connected; this answer has it look whether that is so. */
	NO("connect", EINPROGRESS, W|H),
	OK("bind", R), OK("listen", R), OK("accept", R|G), OK("accept4", R|G), OK("shutdown", ANY),
	OK("recvfrom", ANY), OK("recvmsg", ANY), OK("recvmmsg", R),
	/* A connected datagram socket still sends elsewhere when it is given an address: workers cannot give one. */
	OK("sendto", R|G), OK("sendmsg", R|G), OK("sendmmsg", R), IF(NO_ADDRESS, "sendto", 0, NET|I, "no address"),
	OK("getsockopt", ANY), OK("getsockname", ANY), OK("getpeername", ANY), OK("setsockopt", G),
	/* Buffers of the kernel are memory that no limit of a process bounds; its socket filters are programs. */
	IF(NO_BUFFER, "setsockopt", EPERM, R, "not SO_SNDBUF, SO_RCVBUF, SO_ATTACH_FILTER and their like"),
	IF(SOCKET_OPTION, "setsockopt", EPERM, W|H, "of TCP, and SO_KEEPALIVE"),
};
/* clang-format on */

const struct kh_call *kh_calls_at(size_t index)
{
	return index < sizeof(calls) / sizeof(calls[0]) ? &calls[index] : NULL;
}
