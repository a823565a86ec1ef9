/* E7: what a filter refuses is tried for real: each call in its own process, which the kernel lets go on or kills. */
#include "calling.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUMBERS 601
#define X32     0x40000000L
#define ALLOWED (-100002L) /* in a table of wishes: anything but KILLED and the entry's errno */

static const struct kh_filter_entry *entry_of(enum kh_filter_kind kind, long number)
{
	const struct kh_filter_entry *entry;

	for (size_t i = 0; (entry = kh_filter_entry_at(kind, i)) != NULL; i++)
		if (kh_filter_number(entry) == number)
			return entry;
	return NULL;
}

/* Returns from probes: kernels from 6.14 on let them pass unasked, and they kill all but the kernel's own code. */
static bool of_the_kernel(long number)
{
#ifdef __x86_64__
	return number == 335 || number == 336;
#else
	(void)number;
	return false;
#endif
}

static void check_number(enum kh_filter_kind kind, const struct kh_filter *filter, long number)
{
	static const long a[6] = {-1, -1, -1, -1, -1, -1};
	const struct kh_filter_entry *entry = entry_of(kind, number);
	long got = answer(filter, number, a);
	bool good;

	if (entry == NULL)
		good = got == KILLED || ((got == CRASHED || got == -ENXIO) && of_the_kernel(number));
	else if (entry->conditional)
		good = entry->error == 0 || got != KILLED;
	else
		good = entry->error == 0 ? got != KILLED : got == -entry->error;
	if (!good)
		fail_msg("%s: call %ld (%s) answers %ld", kh_filter_name(kind), number,
			 entry != NULL ? entry->name : "not in the table", got);
}

/* Every number there is, and more.  Of those that it does not name a filter tries a fifth; all with KH_FAULT. */
static void test_every_number(struct kh_test *t)
{
	bool all = getenv("KH_FAULT") != NULL; /* make test-full */

	for (int kind = 0; kind < KH_FILTERS; kind++) {
		struct kh_filter *filter = make(t, (enum kh_filter_kind)kind);

		for (long number = 0; number < NUMBERS; number++)
			if (all || (number + kind) % 5 == 0 || entry_of((enum kh_filter_kind)kind, number) != NULL)
				check_number((enum kh_filter_kind)kind, filter, number);
		kh_filter_free(filter);
	}
}

/* The numbers of x32, which name the same calls another way; and numbers that are none. */
static void test_other_numbers(struct kh_test *t)
{
	static const long a[6] = {-1, -1, -1, -1, -1, -1};
	static const long none[] = {-1, 100000, 0x7fffffff, (long)0x80000000, 0x3fffffff};

	for (int kind = 0; kind < KH_FILTERS; kind++) {
		struct kh_filter *filter = make(t, (enum kh_filter_kind)kind);

		for (long number = 0; number < NUMBERS; number += kind == KH_FILTER_RUN ? 1 : 13)
			assert_int_equal(answer(filter, X32 + number, a), KILLED);
		for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
			assert_int_equal(answer(filter, none[i], a), KILLED);
		kh_filter_free(filter);
	}
}

#ifdef __x86_64__
/* The 32-bit entry, which has numbers of its own: getpid, read, open, execve, socketcall, exit. */
static void test_32_bit_entry(struct kh_test *t)
{
	static const int numbers[] = {20, 3, 5, 11, 102, 1, 120, 190};

	for (int kind = 0; kind < KH_FILTERS; kind++) {
		struct kh_filter *filter = make(t, (enum kh_filter_kind)kind);

		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
			pid_t pid = fork();
			int status;

			if (pid == 0) {
				int r;

				if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || kh_filter_install(filter) != 0)
					_exit(99);
				__asm__ volatile("int $0x80"
						 : "=a"(r)
						 : "a"(numbers[i]), "b"(0), "c"(0), "d"(0)
						 : "memory");
				_exit(r == 0);
			}
			assert_int_equal(waitpid(pid, &status, 0), pid);
			/* SIGSEGV: a kernel without that entry. */
			assert_true(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV));
		}
		kh_filter_free(filter);
	}
}
#endif

/* --- conditions --------------------------------------------------------------------------------------------------- */

#define THREAD_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS)
#define HIGH         (1L << 40) /* a bit that the kernel does not look at in an int */

static const struct wish {
	enum kh_filter_kind kind;
	long number, a[6], want;
} wishes[] = {
	/* Programs: sockets of the machine alone, and no way to those of others. */
	{KH_FILTER_RUN, SYS_socket, {AF_UNIX, SOCK_STREAM}, ALLOWED},
	{KH_FILTER_RUN, SYS_socket, {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC}, ALLOWED},
	{KH_FILTER_RUN, SYS_socket, {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socket, {AF_UNIX, HIGH | SOCK_DGRAM}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socket, {AF_UNIX, SOCK_RAW}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socketpair, {AF_UNIX, SOCK_DGRAM}, -EAFNOSUPPORT},
	{KH_FILTER_GATEWAY, SYS_socketpair, {AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK}, -EAFNOSUPPORT},
	{KH_FILTER_GATEWAY, SYS_socketpair, {AF_UNIX, SOCK_SEQPACKET}, -EFAULT},
	{KH_FILTER_RUN, SYS_connect, {-1}, -EACCES},
	{KH_FILTER_RUN, SYS_socket, {AF_INET, SOCK_STREAM}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socket, {AF_INET6, SOCK_DGRAM}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socket, {AF_NETLINK, SOCK_RAW}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socket, {AF_PACKET, SOCK_RAW}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socket, {AF_VSOCK, SOCK_STREAM}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socket, {AF_ALG, SOCK_SEQPACKET}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socket, {HIGH | AF_INET, SOCK_STREAM}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socket, {HIGH | AF_UNIX, SOCK_STREAM}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socketpair, {AF_TIPC, SOCK_STREAM}, -EAFNOSUPPORT},
	{KH_FILTER_RUN, SYS_socketpair, {AF_UNIX, SOCK_STREAM}, -EFAULT},
	/* Processes, in no new namespace. */
	{KH_FILTER_RUN, SYS_clone, {SIGCHLD}, ALLOWED},
	{KH_FILTER_RUN, SYS_clone, {CLONE_NEWUSER | SIGCHLD}, -EPERM},
	{KH_FILTER_RUN, SYS_clone, {CLONE_NEWNS | SIGCHLD}, -EPERM},
	{KH_FILTER_RUN, SYS_clone, {CLONE_NEWPID | SIGCHLD}, -EPERM},
	{KH_FILTER_RUN, SYS_clone, {CLONE_NEWNET | SIGCHLD}, -EPERM},
	{KH_FILTER_RUN, SYS_clone, {CLONE_NEWIPC | SIGCHLD}, -EPERM},
	{KH_FILTER_RUN, SYS_clone, {CLONE_NEWUTS | SIGCHLD}, -EPERM},
	{KH_FILTER_RUN, SYS_clone, {CLONE_NEWCGROUP | SIGCHLD}, -EPERM},
	{KH_FILTER_RUN, SYS_clone, {HIGH | CLONE_NEWUSER | CLONE_NEWNS | SIGCHLD}, -EPERM},
	/* Terminals: nothing is typed into one. */
	{KH_FILTER_RUN, SYS_ioctl, {0, TIOCSTI, 0}, -EPERM},
	{KH_FILTER_RUN, SYS_ioctl, {0, HIGH | TIOCSTI, 0}, -EPERM},
	{KH_FILTER_RUN, SYS_ioctl, {0, TIOCLINUX, 0}, -EPERM},
	{KH_FILTER_RUN, SYS_ioctl, {0, HIGH | TIOCLINUX, 0}, -EPERM},
	{KH_FILTER_RUN, SYS_ioctl, {0, TIOCCONS, 0}, -EPERM},
	{KH_FILTER_RUN, SYS_ioctl, {0, TIOCSETD, 0}, -EPERM},
	{KH_FILTER_RUN, SYS_ioctl, {0, TIOCGWINSZ, 0}, -ENOTTY},
	{KH_FILTER_RUN, SYS_ioctl, {-1, FIONREAD, 0}, -EBADF},
	{KH_FILTER_WORKER, SYS_ioctl, {-1, FIONREAD, 0}, -ENOTTY},
	/* prctl: options of a list. */
	{KH_FILTER_RUN, SYS_prctl, {PR_GET_DUMPABLE}, 1},
	{KH_FILTER_RUN, SYS_prctl, {PR_GET_NO_NEW_PRIVS}, 1},
	{KH_FILTER_RUN, SYS_prctl, {PR_SET_NO_NEW_PRIVS, 1}, 0},
	{KH_FILTER_RUN, SYS_prctl, {PR_GET_SECCOMP}, 2},
	{KH_FILTER_RUN, SYS_prctl, {0}, -EINVAL},
	{KH_FILTER_RUN, SYS_prctl, {PR_SET_KEEPCAPS, 1}, -EINVAL},
	{KH_FILTER_RUN, SYS_prctl, {PR_GET_FPEMU}, -EINVAL},
	{KH_FILTER_RUN, SYS_prctl, {PR_SET_SECCOMP, 1}, -EINVAL},
	{KH_FILTER_RUN, SYS_prctl, {PR_SET_TSC, PR_TSC_SIGSEGV}, -EINVAL},
	{KH_FILTER_RUN, SYS_prctl, {PR_SET_SECUREBITS, 0}, -EINVAL},
	{KH_FILTER_RUN, SYS_prctl, {PR_SET_PTRACER, -1}, -EINVAL},
	{KH_FILTER_RUN, SYS_prctl, {HIGH | PR_GET_DUMPABLE}, -EINVAL},
	{KH_FILTER_WORKER, SYS_prctl, {PR_SET_DUMPABLE, 0}, 0},
	{KH_FILTER_WORKER, SYS_prctl, {PR_SET_PDEATHSIG, 0}, -EINVAL},
	{KH_FILTER_WORKER, SYS_prctl, {PR_SET_KEEPCAPS, 0}, -EINVAL},
	{KH_FILTER_GATEWAY, SYS_prctl, {PR_GET_DUMPABLE}, -EINVAL},
	{KH_FILTER_HTTP, SYS_prctl, {PR_GET_DUMPABLE}, -EINVAL},
	/* No executable space at will, no 32-bit personality. */
	{KH_FILTER_RUN, SYS_personality, {0xffffffff}, 0},
	{KH_FILTER_RUN, SYS_personality, {0}, -EPERM},
	{KH_FILTER_RUN, SYS_personality, {0x0040000 /* ADDR_NO_RANDOMIZE */}, -EPERM},
	{KH_FILTER_RUN, SYS_personality, {0x0400000 /* READ_IMPLIES_EXEC */}, -EPERM},
	{KH_FILTER_RUN, SYS_personality, {8}, -EPERM},
	{KH_FILTER_RUN, SYS_personality, {1}, -EPERM},
	{KH_FILTER_RUN, SYS_personality, {HIGH | 0x80000000}, -EPERM},
	/* No devices; other special files are the folder's matter. */
	{KH_FILTER_RUN, SYS_mknodat, {AT_FDCWD, 0, S_IFCHR | 0600, 0x103}, -EPERM},
	{KH_FILTER_RUN, SYS_mknodat, {AT_FDCWD, 0, S_IFBLK | 0600, 0x800}, -EPERM},
	{KH_FILTER_RUN, SYS_mknodat, {AT_FDCWD, 0, HIGH | S_IFBLK | 0600, 0x800}, -EPERM},
	{KH_FILTER_RUN, SYS_mknodat, {AT_FDCWD, 0, S_IFIFO | 0600, 0}, -EFAULT},
	/* Nothing setuid is left behind in a folder. */
	{KH_FILTER_RUN, SYS_fchmod, {-1, 0755}, -EBADF},
	{KH_FILTER_RUN, SYS_fchmod, {-1, 01777}, -EBADF},
	{KH_FILTER_RUN, SYS_fchmod, {-1, S_ISUID | 0755}, -EPERM},
	{KH_FILTER_RUN, SYS_fchmod, {-1, S_ISGID | 0755}, -EPERM},
	{KH_FILTER_RUN, SYS_fchmod, {-1, HIGH | S_ISUID}, -EPERM},
	{KH_FILTER_GATEWAY, SYS_fchmod, {-1, S_ISUID}, -EPERM},
	{KH_FILTER_RUN, SYS_fchmodat, {AT_FDCWD, 0, S_ISUID | 0755}, -EPERM},
	{KH_FILTER_RUN, SYS_openat, {AT_FDCWD, 0, O_RDONLY, -1}, -EFAULT},
	{KH_FILTER_RUN, SYS_openat, {AT_FDCWD, 0, O_RDWR | O_CREAT, 0644}, -EFAULT},
	{KH_FILTER_RUN, SYS_openat, {AT_FDCWD, 0, O_RDWR | O_CREAT, S_ISUID | 0644}, -EPERM},
	{KH_FILTER_RUN, SYS_openat, {AT_FDCWD, 0, O_RDWR | O_CREAT, S_ISGID | 0644}, -EPERM},
	{KH_FILTER_RUN, SYS_openat, {AT_FDCWD, 0, O_RDWR | O_TMPFILE, S_ISUID | 0644}, -EPERM},
	{KH_FILTER_RUN, SYS_openat, {AT_FDCWD, 0, O_RDONLY | O_DIRECTORY, -1}, -EFAULT},
	{KH_FILTER_RUN, SYS_openat2, {AT_FDCWD, 0}, -ENOSYS},
	{KH_FILTER_RUN, SYS_mknodat, {AT_FDCWD, 0, S_IFREG | S_ISUID | 0755, 0}, -EPERM},
	/* Nothing that tells of the host's files, or holds up who uses them. */
	{KH_FILTER_RUN, SYS_fcntl, {-1, F_SETLEASE, F_RDLCK}, -EPERM},
	{KH_FILTER_RUN, SYS_fcntl, {-1, HIGH | F_SETLEASE, F_RDLCK}, -EPERM},
	{KH_FILTER_RUN, SYS_fcntl, {-1, F_NOTIFY, 1}, -EPERM},
	{KH_FILTER_RUN, SYS_fcntl, {-1, F_GETFL}, -EBADF},
	{KH_FILTER_RUN, SYS_inotify_init1, {0}, -ENOSYS},
	/* Nor whether others have used a file: its pages in memory. */
	{KH_FILTER_RUN, SYS_preadv2, {-1, 0, 0, 0, 0, RWF_HIPRI}, -EBADF},
	{KH_FILTER_RUN, SYS_preadv2, {-1, 0, 0, 0, 0, RWF_NOWAIT}, -EOPNOTSUPP},
	{KH_FILTER_RUN, SYS_preadv2, {-1, 0, 0, 0, 0, HIGH | RWF_NOWAIT}, -EOPNOTSUPP},
	{KH_FILTER_RUN, SYS_preadv2, {-1, 0, 0, 0, 0, 0x80 /* RWF_DONTCACHE */}, -EOPNOTSUPP},
	{KH_FILTER_NETWORK, SYS_pwritev2, {-1, 0, 0, 0, 0, RWF_NOWAIT | RWF_APPEND}, -EOPNOTSUPP},
	{KH_FILTER_RUN, SYS_fadvise64, {-1, 0, 0, POSIX_FADV_SEQUENTIAL}, -EBADF},
	{KH_FILTER_RUN, SYS_fadvise64, {-1, 0, 0, POSIX_FADV_DONTNEED}, 0},
	{KH_FILTER_SEARCH, SYS_fadvise64, {-1, 0, 0, HIGH | POSIX_FADV_DONTNEED}, 0},
	{KH_FILTER_RUN, SYS_fadvise64, {-1, 0, 0, 6}, -EINVAL},
	{KH_FILTER_RUN, SYS_madvise, {0, 0, MADV_DONTNEED}, 0},
	{KH_FILTER_RUN, SYS_madvise, {0, 0, MADV_PAGEOUT}, -EINVAL},
	{KH_FILTER_QUERY, SYS_madvise, {0, 0, HIGH | MADV_COLD}, -EINVAL},
	{KH_FILTER_NETWORK, SYS_mincore, {0, 0, 0}, -ENOSYS},
	/* A rename leaves no device. */
	{KH_FILTER_RUN, SYS_renameat2, {-1, 0, -1, 0, RENAME_EXCHANGE}, -EFAULT},
	{KH_FILTER_RUN, SYS_renameat2, {-1, 0, -1, 0, HIGH | RENAME_WHITEOUT | RENAME_NOREPLACE}, -EINVAL},
	/* Workers after their start: no file, no process, no connection, no memory that can be executed. */
	{KH_FILTER_HTTP, SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS}, ALLOWED},
	{KH_FILTER_HTTP, SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS}, KILLED},
	{KH_FILTER_HTTP, SYS_mmap, {0, 4096, HIGH | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS}, KILLED},
	{KH_FILTER_RESOLVE, SYS_mmap, {0, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS}, KILLED},
	{KH_FILTER_HTTP, SYS_mprotect, {0, 4096, PROT_READ | PROT_EXEC}, KILLED},
	{KH_FILTER_RESOLVE, SYS_mprotect, {0, 4096, PROT_EXEC}, KILLED},
	{KH_FILTER_HTTP, SYS_mprotect, {0, 4096, PROT_READ}, -ENOMEM},
	{KH_FILTER_HTTP, SYS_openat, {AT_FDCWD, 0, O_RDONLY}, -EACCES},
	{KH_FILTER_RESOLVE, SYS_openat, {AT_FDCWD, 0, O_RDONLY}, -EACCES},
	{KH_FILTER_HTTP, SYS_fcntl, {0, F_GETFL}, ALLOWED},
	{KH_FILTER_HTTP, SYS_fcntl, {0, F_SETOWN, 1}, KILLED},
	{KH_FILTER_HTTP, SYS_fcntl, {0, F_SETLEASE, 1}, KILLED},
	{KH_FILTER_RESOLVE, SYS_fcntl, {0, F_NOTIFY, 1}, KILLED},
	{KH_FILTER_RESOLVE, SYS_fcntl, {0, HIGH | F_GETFL}, KILLED},
	{KH_FILTER_HTTP, SYS_newfstatat, {0, 0, 0, AT_EMPTY_PATH}, -EFAULT},
	{KH_FILTER_HTTP, SYS_newfstatat, {0, 0, 0, 0}, -EACCES},
	{KH_FILTER_HTTP, SYS_socket, {AF_UNIX, SOCK_STREAM}, -EAFNOSUPPORT},
	{KH_FILTER_HTTP, SYS_socketpair, {AF_UNIX, SOCK_STREAM}, -EFAULT},
	{KH_FILTER_HTTP, SYS_connect, {0}, -EINPROGRESS},
	{KH_FILTER_HTTP, SYS_clone, {SIGCHLD}, KILLED},
	{KH_FILTER_HTTP, SYS_clone, {THREAD_FLAGS}, KILLED},
	{KH_FILTER_HTTP, SYS_execve, {0}, KILLED},
	{KH_FILTER_WORKER, SYS_clone, {THREAD_FLAGS}, KILLED},
	/* Workers of a job: each opens what it has to and nothing else; none starts or connects anything. */
	{KH_FILTER_READ, SYS_openat, {AT_FDCWD, 0, O_RDONLY}, -EACCES},
	{KH_FILTER_READ, SYS_openat2, {AT_FDCWD, 0}, -EINVAL},
	{KH_FILTER_TEXT, SYS_openat, {AT_FDCWD, 0, O_RDONLY}, -EACCES},
	{KH_FILTER_TEXT, SYS_openat2, {AT_FDCWD, 0}, -EACCES},
	{KH_FILTER_QUERY, SYS_openat, {AT_FDCWD, 0, O_RDONLY}, -EFAULT},
	{KH_FILTER_SEARCH, SYS_openat, {AT_FDCWD, 0, O_RDWR | O_CREAT, 0600}, -EFAULT},
	{KH_FILTER_SEARCH, SYS_openat, {AT_FDCWD, 0, O_RDWR | O_CREAT, S_ISUID | 0600}, -EPERM},
	{KH_FILTER_QUERY, SYS_pwrite64, {-1, 0, 0, 0}, KILLED},
	{KH_FILTER_QUERY, SYS_unlinkat, {AT_FDCWD, 0, 0}, KILLED},
	{KH_FILTER_QUERY, SYS_fcntl, {-1, F_SETLEASE, F_RDLCK}, -EPERM},
	{KH_FILTER_QUERY, SYS_fcntl, {-1, F_SETLK, 0}, -EBADF},
	{KH_FILTER_READ, SYS_fcntl, {0, F_SETLK, 0}, KILLED},
	{KH_FILTER_READ, SYS_socket, {AF_UNIX, SOCK_STREAM}, -EAFNOSUPPORT},
	{KH_FILTER_TEXT, SYS_socket, {AF_INET, SOCK_STREAM}, -EAFNOSUPPORT},
	{KH_FILTER_QUERY, SYS_socket, {AF_INET, SOCK_STREAM}, -EAFNOSUPPORT},
	{KH_FILTER_SEARCH, SYS_connect, {0}, KILLED},
	{KH_FILTER_READ, SYS_execve, {0}, KILLED},
	{KH_FILTER_TEXT, SYS_execve, {0}, KILLED},
	{KH_FILTER_QUERY, SYS_execve, {0}, KILLED},
	{KH_FILTER_SEARCH, SYS_execve, {0}, KILLED},
	{KH_FILTER_TEXT, SYS_clone, {SIGCHLD}, KILLED},
	{KH_FILTER_QUERY, SYS_mmap, {0, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS}, KILLED},
	{KH_FILTER_TEXT, SYS_mprotect, {0, 4096, PROT_EXEC}, KILLED},
	{KH_FILTER_WORKER, SYS_execve, {0}, -EFAULT},
	{KH_FILTER_RUN, SYS_prlimit64, {0, 7, 0, 0}, 0},
	{KH_FILTER_RUN, SYS_prlimit64, {1, 7, 0, 0}, -EPERM},
	{KH_FILTER_HTTP, SYS_prlimit64, {0, 7, 0, 0}, 0},
	{KH_FILTER_HTTP, SYS_prlimit64, {0, 7, 1, 0}, -EPERM},
	{KH_FILTER_RUN, SYS_setsockopt, {-1, SOL_SOCKET, SO_PASSCRED}, -EBADF},
	{KH_FILTER_RUN, SYS_setsockopt, {-1, SOL_SOCKET, SO_SNDBUF}, -EPERM},
	{KH_FILTER_RUN, SYS_setsockopt, {-1, HIGH | SOL_SOCKET, HIGH | SO_RCVBUF}, -EPERM},
	{KH_FILTER_RUN, SYS_setsockopt, {-1, SOL_SOCKET, SO_ATTACH_FILTER}, -EPERM},
	{KH_FILTER_RUN, SYS_setsockopt, {-1, SOL_SOCKET, SO_ATTACH_BPF}, -EPERM},
	{KH_FILTER_FORWARD, SYS_setsockopt, {-1, SOL_SOCKET, SO_SNDBUF}, -EBADF}, /* it bounds its buffers */
	{KH_FILTER_FORWARD, SYS_setsockopt, {-1, SOL_SOCKET, HIGH | SO_RCVBUFFORCE}, -EPERM},
	{KH_FILTER_FORWARD, SYS_setsockopt, {-1, SOL_SOCKET, SO_ATTACH_FILTER}, -EPERM},
	{KH_FILTER_HTTP, SYS_setsockopt, {-1, IPPROTO_TCP, TCP_NODELAY}, -EBADF},
	{KH_FILTER_HTTP, SYS_setsockopt, {-1, SOL_SOCKET, SO_KEEPALIVE}, -EBADF},
	{KH_FILTER_HTTP, SYS_setsockopt, {-1, SOL_SOCKET, SO_ATTACH_FILTER}, -EPERM},
	{KH_FILTER_HTTP, SYS_setsockopt, {-1, HIGH | SOL_SOCKET, SO_ATTACH_FILTER}, -EPERM},
	{KH_FILTER_HTTP, SYS_setsockopt, {-1, SOL_SOCKET, HIGH | SO_KEEPALIVE}, -EPERM},
	{KH_FILTER_HTTP, SYS_setsockopt, {-1, IPPROTO_IP, 1}, -EPERM},
	{KH_FILTER_HTTP, SYS_setsockopt, {-1, IPPROTO_IPV6, 1}, -EPERM},
	{KH_FILTER_RESOLVE, SYS_setsockopt, {-1, IPPROTO_TCP, TCP_NODELAY}, KILLED},
#ifdef SYS_open
	{KH_FILTER_RUN, SYS_open, {0, O_RDWR | O_CREAT, S_ISUID | 0644}, -EPERM},
	{KH_FILTER_RUN, SYS_open, {0, O_RDWR | O_CREAT, 0644}, -EFAULT},
	{KH_FILTER_RUN, SYS_creat, {0, S_ISGID | 0644}, -EPERM},
	{KH_FILTER_RUN, SYS_chmod, {0, S_ISUID}, -EPERM},
	{KH_FILTER_RUN, SYS_mknod, {0, S_IFREG | S_ISUID | 0755}, -EPERM},
#endif
	/* A gateway: threads, no processes. */
	{KH_FILTER_GATEWAY, SYS_clone, {THREAD_FLAGS | SIGCHLD}, KILLED},
	{KH_FILTER_GATEWAY, SYS_clone, {SIGCHLD}, KILLED},
	{KH_FILTER_GATEWAY, SYS_clone, {CLONE_VM | CLONE_VFORK | SIGCHLD}, KILLED},
	{KH_FILTER_GATEWAY, SYS_clone, {THREAD_FLAGS | CLONE_NEWUSER}, KILLED},
	{KH_FILTER_GATEWAY, SYS_clone3, {0}, -ENOSYS},
	{KH_FILTER_GATEWAY, SYS_execve, {0}, KILLED},
	{KH_FILTER_GATEWAY, SYS_connect, {0}, KILLED},
	{KH_FILTER_GATEWAY, SYS_bind, {0}, KILLED},
	{KH_FILTER_GATEWAY, SYS_listen, {0}, KILLED},
	{KH_FILTER_GATEWAY, SYS_kill, {1, 0}, -EPERM},
	{KH_FILTER_GATEWAY, SYS_pidfd_open, {1, 0}, -EPERM},
	{KH_FILTER_GATEWAY, SYS_socket, {AF_UNIX, SOCK_STREAM}, -EAFNOSUPPORT},
	{KH_FILTER_GATEWAY, SYS_mmap, {0, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS}, -EACCES},
	{KH_FILTER_GATEWAY, SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS}, ALLOWED},
};

static void test_conditions(struct kh_test *t)
{
	struct kh_filter *filters[KH_FILTERS];

	for (int kind = 0; kind < KH_FILTERS; kind++)
		filters[kind] = make(t, (enum kh_filter_kind)kind);
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		const struct wish *w = &wishes[i];
		long got = answer(filters[w->kind], w->number, w->a);

		if (w->want == ALLOWED ? got < 0 : got != w->want)
			fail_msg("%s: wish %zu (call %ld) answers %ld, not %ld", kh_filter_name(w->kind), i, w->number,
				 got, w->want);
	}
	for (int kind = 0; kind < KH_FILTERS; kind++)
		kh_filter_free(filters[kind]);
}

/* --- what programs do under it ------------------------------------------------------------------------------------ */

/* Runs FN under KIND's filter in a child; its wait status. */
static int under(struct kh_test *t, enum kh_filter_kind kind, int (*fn)(void))
{
	struct kh_filter *filter = make(t, kind);
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || kh_filter_install(filter) != 0)
			_exit(99);
		_exit(fn());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	kh_filter_free(filter);
	return status;
}

static void *thread_body(void *arg)
{
	return arg;
}

static int start_threads(void)
{
	pthread_t threads[4];
	void *back;

	for (size_t i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, thread_body, &back) != 0)
			return 1;
	for (size_t i = 0; i < 4; i++)
		if (pthread_join(threads[i], &back) != 0 || back != &back)
			return 2;
	return 0;
}

static int start_shell(void)
{
	execl("/bin/sh", "sh", "-c", "x=$(echo one | cat) && test \"$x\" = one && ls / | grep -q usr", (char *)NULL);
	return 98;
}

static int start_tracing(void)
{
	return (int)syscall(SYS_ptrace, 0, 0, 0, 0);
}

static void test_programs(struct kh_test *t)
{
	assert_int_equal(under(t, KH_FILTER_RUN, start_threads), 0);
	assert_int_equal(under(t, KH_FILTER_RUN, start_shell), 0);
	assert_int_equal(under(t, KH_FILTER_GATEWAY, start_threads), 0);
	assert_int_equal(WTERMSIG(under(t, KH_FILTER_WORKER, start_threads)), SIGSYS);
	assert_int_equal(WTERMSIG(under(t, KH_FILTER_RUN, start_tracing)), SIGSYS);
}

/* A worker's second filter cannot be had under its first if the first lacks what the second needs. */
static void test_worker_start_has_the_rest(struct kh_test *t)
{
	static const enum kh_filter_kind later[] = {KH_FILTER_RESOLVE, KH_FILTER_HTTP, KH_FILTER_TEXT};
	const struct kh_filter_entry *entry, *start;

	(void)t;
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; (entry = kh_filter_entry_at(later[k], i)) != NULL; i++) {
			if (entry->error != 0 || kh_filter_number(entry) < 0)
				continue;
			start = entry_of(KH_FILTER_WORKER, kh_filter_number(entry));
			assert_true(start != NULL && (start->error == 0 || start->conditional));
		}
}

static int second_filter(void)
{
	struct kh_filter *http = NULL;

	/* Made under the first one, as a worker does. */
	if (kh_filter_new(KH_FILTER_HTTP, &kh_alloc_system, &http, NULL) != KH_OK)
		return 1;
	if (kh_filter_install(http) != 0)
		return 2;
	return open("/", O_RDONLY | O_CLOEXEC) == -1 && errno == EACCES ? 0 : 3;
}

static void test_filters_add_up(struct kh_test *t)
{
	assert_int_equal(under(t, KH_FILTER_WORKER, second_filter), 0);
}

static int install_late(void)
{
	struct kh_filter *run = NULL;

	return kh_filter_new(KH_FILTER_RUN, &kh_alloc_system, &run, NULL) == KH_OK && kh_filter_install(run) == 0;
}

/* Nothing smaller lets itself be widened: a program cannot even ask. */
static void test_no_way_back(struct kh_test *t)
{
	assert_int_equal(WTERMSIG(under(t, KH_FILTER_HTTP, install_late)), SIGSYS);
}

/* --- a connected datagram socket ---------------------------------------------------------------------------------- */

static int datagram_socket(struct sockaddr_in *ret_at)
{
	socklen_t size = sizeof(*ret_at);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*ret_at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)ret_at, sizeof(*ret_at)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)ret_at, &size), 0);
	return fd;
}

/* The kernel sends a connected datagram socket's packet elsewhere when asked to; a worker must not be able to ask. */
static void test_sends_to_its_peer_alone(struct kh_test *t)
{
	static const enum kh_filter_kind kinds[] = {KH_FILTER_WORKER, KH_FILTER_RESOLVE, KH_FILTER_HTTP,
						    KH_FILTER_QUERY};
	struct sockaddr_in peer, other, own;
	int peer_fd = datagram_socket(&peer), other_fd = datagram_socket(&other), fd = datagram_socket(&own);
	struct iovec data = {.iov_base = &own, .iov_len = 1};
	struct mmsghdr message = {
		.msg_hdr = {.msg_name = &other, .msg_namelen = sizeof(other), .msg_iov = &data, .msg_iovlen = 1}};
	char byte;

	assert_int_equal(connect(fd, (struct sockaddr *)&peer, sizeof(peer)), 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct kh_filter *filter = make(t, kinds[i]);
		const long to_peer[6] = {fd, (long)&byte, 1, 0, 0, 0};
		const long to_other[6] = {fd, (long)&byte, 1, 0, (long)&other, sizeof(other)};
		const long one[6] = {fd, (long)&message.msg_hdr, 0, 0, 0, 0};
		const long many[6] = {fd, (long)&message, 1, 0, 0, 0};

		byte = 'p';
		assert_int_equal(answer(filter, SYS_sendto, to_peer), 1);
		assert_int_equal(recv(peer_fd, &byte, 1, 0), 1);
		assert_int_equal(answer(filter, SYS_sendto, to_other), KILLED);
		assert_int_equal(answer(filter, SYS_sendmsg, one), KILLED);
		assert_int_equal(answer(filter, SYS_sendmmsg, many), KILLED);
		assert_int_equal(recv(other_fd, &byte, 1, 0), -1);
		assert_int_equal(errno, EAGAIN);
		kh_filter_free(filter);
	}
	close(fd);
	close(peer_fd);
	close(other_fd);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void test_table(struct kh_test *t)
{
	const struct kh_filter_entry *entry, *other;

	(void)t;
	for (int kind = 0; kind < KH_FILTERS; kind++) {
		assert_non_null(kh_filter_entry_at((enum kh_filter_kind)kind, 0));
		for (size_t i = 0; (entry = kh_filter_entry_at((enum kh_filter_kind)kind, i)) != NULL; i++) {
			assert_int_equal(entry->conditional, entry->only != NULL);
#ifdef __x86_64__
			if (kh_filter_number(entry) < 0)
				fail_msg("%s is no system call", entry->name);
#endif
			for (size_t j = 0; j < i; j++) {
				other = kh_filter_entry_at((enum kh_filter_kind)kind, j);
				if (strcmp(entry->name, other->name) == 0)
					fail_msg("%s has %s twice", kh_filter_name((enum kh_filter_kind)kind),
						 entry->name);
			}
		}
	}
	assert_string_equal(kh_filter_name(KH_FILTER_GATEWAY), "gateway");
}

static void test_making(struct kh_test *t)
{
	for (int kind = 0; kind < KH_FILTERS; kind++)
		kh_filter_free(make(t, (enum kh_filter_kind)kind));
	kh_filter_free(NULL);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_every_number),
	KH_TEST_ONCE(test_other_numbers),
#ifdef __x86_64__
	KH_TEST_ONCE(test_32_bit_entry),
#endif
	KH_TEST_ONCE(test_conditions),
	KH_TEST_ONCE(test_programs),
	KH_TEST_ONCE(test_worker_start_has_the_rest),
	KH_TEST_ONCE(test_filters_add_up),
	KH_TEST_ONCE(test_no_way_back),
	KH_TEST_ONCE(test_sends_to_its_peer_alone),
	KH_TEST_ONCE(test_table),
	KH_TEST(test_making),
};

KH_TEST_MAIN(cases)
