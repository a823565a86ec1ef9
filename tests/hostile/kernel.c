/*
 * System calls: each that a program has no business with, each number with arguments that could do something.
 */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static char zeros[65536];
/* With room: some calls write where others read a name. */
static char root_path[4096] = "/", name_x[4096] = "x", name_proc[4096] = "proc", name_tmpfs[4096] = "tmpfs";
static char name_keyring[4096] = "user", name_tmp[4096] = "/tmp", name_file[4096] = "/tmp/hostile-file";
static int any_status;

#define P(pointer) ((long)(uintptr_t)(pointer))

struct attempt {
	const char *name;
	long number, a[6];
};

static const char *none_succeeds(struct hostile *h, const struct attempt *attempts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		long r = try_call(h, attempts[i].number, attempts[i].a);

		if (!is_refused(r))
			return came_through("%s answers %ld", attempts[i].name, r);
	}
	return NULL;
}

#define NONE_SUCCEEDS(h, attempts) none_succeeds((h), (attempts), sizeof(attempts) / sizeof((attempts)[0]))

static const char *other_processes(struct hostile *h)
{
	const struct attempt attempts[] = {
		{"ptrace(PTRACE_TRACEME)", SYS_ptrace, {0}},
		{"ptrace(PTRACE_ATTACH, 1)", SYS_ptrace, {16, 1}},
		{"ptrace(PTRACE_SEIZE, 1)", SYS_ptrace, {0x4206, 1}},
		{"process_vm_readv(1)", SYS_process_vm_readv, {1, P(zeros), 1, P(zeros), 1, 0}},
		{"process_vm_writev(1)", SYS_process_vm_writev, {1, P(zeros), 1, P(zeros), 1, 0}},
		{"kcmp(1, self)", SYS_kcmp, {1, getpid(), 0, 0, 0}},
		{"pidfd_getfd(0, 0)", SYS_pidfd_getfd, {0, 0, 0}},
		{"process_madvise", SYS_process_madvise, {0, P(zeros), 1, 4, 0}},
		{"process_mrelease", 448, {0, 0}},
		{"get_robust_list(1)", SYS_get_robust_list, {1, P(zeros), P(zeros)}},
		{"migrate_pages(1)", SYS_migrate_pages, {1, 1, P(zeros), P(zeros)}},
		{"move_pages(1)", SYS_move_pages, {1, 1, P(zeros), 0, P(zeros), 0}},
		{"prlimit64(1)", SYS_prlimit64, {1, 7, P(zeros), 0}},
		{"sched_setaffinity(1)", SYS_sched_setaffinity, {1, 8, P(zeros)}},
		{"setns(0)", SYS_setns, {0, 0}},
	};

	return NONE_SUCCEEDS(h, attempts);
}

static const char *keyrings(struct hostile *h)
{
	const struct attempt attempts[] = {
		{"add_key", SYS_add_key, {P(name_keyring), P(name_x), P(zeros), 8, -3}},
		{"request_key", SYS_request_key, {P(name_keyring), P(name_x), 0, -3}},
		{"keyctl(GET_KEYRING_ID)", SYS_keyctl, {0, -3, 1}},
		{"keyctl(JOIN_SESSION_KEYRING)", SYS_keyctl, {1, 0}},
		{"keyctl(GET_PERSISTENT)", SYS_keyctl, {22, -1, -3}},
	};

	return NONE_SUCCEEDS(h, attempts);
}

/* Parts of the kernel that many holes were found in. */
static const char *subsystems(struct hostile *h)
{
	const struct attempt attempts[] = {
		{"io_uring_setup", SYS_io_uring_setup, {4, P(zeros)}},
		{"io_uring_enter", SYS_io_uring_enter, {0, 1, 0, 0, 0}},
		{"io_uring_register", SYS_io_uring_register, {0, 0, 0, 0}},
		{"bpf(MAP_CREATE)", SYS_bpf, {0, P(zeros), 64}},
		{"bpf(PROG_LOAD)", SYS_bpf, {5, P(zeros), 64}},
		{"perf_event_open", SYS_perf_event_open, {P(zeros), 0, -1, -1, 0}},
		{"userfaultfd", SYS_userfaultfd, {0}},
		{"userfaultfd(USER_MODE_ONLY)", SYS_userfaultfd, {1}},
		{"fanotify_init", SYS_fanotify_init, {0, 0}},
		{"name_to_handle_at", SYS_name_to_handle_at, {AT_FDCWD, P(root_path), P(zeros), P(&any_status), 0}},
		{"open_by_handle_at", SYS_open_by_handle_at, {AT_FDCWD, P(zeros), 0}},
		{"inotify_init1", SYS_inotify_init1, {0}},
		{"ioprio_set", SYS_ioprio_set, {1, 0, 4 << 13}},
		{"fcntl(F_SETLEASE)", SYS_fcntl, {0, F_SETLEASE, F_RDLCK}},
		{"io_setup", SYS_io_setup, {1, P(zeros)}},
		{"memfd_create", SYS_memfd_create, {P(name_x), 0}},
		{"memfd_secret", 447, {0}},
		{"shmget", SYS_shmget, {0, 4096, 01600}},
		{"msgget", SYS_msgget, {0, 01600}},
		{"semget", SYS_semget, {0, 1, 01600}},
		{"mq_open", SYS_mq_open, {P(name_x), O_CREAT | O_RDWR, 0600, 0}},
		{"seccomp", SYS_seccomp, {1, 0, P(zeros)}},
		{"landlock_create_ruleset", SYS_landlock_create_ruleset, {P(zeros), 8, 0}},
		{"vmsplice", SYS_vmsplice, {1, P(zeros), 1, 0}},
		{"pkey_alloc", SYS_pkey_alloc, {0, 0}},
		{"remap_file_pages", SYS_remap_file_pages, {P(zeros), 4096, 0, 0, 0}},
#ifdef SYS_modify_ldt
		{"modify_ldt", SYS_modify_ldt, {0, P(zeros), 64}},
#endif
	};

	/* What our own workers have while they start: both take something from the process itself. */
	if (!h->has_children) {
		struct attempt fewer[sizeof(attempts) / sizeof(attempts[0])];
		size_t count = 0;

		for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
			if (attempts[i].number != SYS_seccomp && attempts[i].number != SYS_memfd_create)
				fewer[count++] = attempts[i];
		return none_succeeds(h, fewer, count);
	}
	return NONE_SUCCEEDS(h, attempts);
}

static const char *mounts(struct hostile *h)
{
	const struct attempt attempts[] = {
		{"mount(proc)", SYS_mount, {P(name_proc), P(name_tmp), P(name_proc), 0, 0}},
		{"mount(tmpfs)", SYS_mount, {P(name_tmpfs), P(name_tmp), P(name_tmpfs), 0, 0}},
		{"mount(bind)", SYS_mount, {P(root_path), P(name_tmp), 0, MS_BIND | MS_REC, 0}},
		{"mount(remount rw)", SYS_mount, {0, P(root_path), 0, MS_REMOUNT, 0}},
		{"mount(remount bind rw)", SYS_mount, {0, P(root_path), 0, MS_REMOUNT | MS_BIND, 0}},
		{"mount(shared)", SYS_mount, {0, P(root_path), 0, MS_SHARED | MS_REC, 0}},
		{"umount2(/)", SYS_umount2, {P(root_path), MNT_DETACH}},
		{"umount2(/tmp)", SYS_umount2, {P(name_tmp), MNT_DETACH}},
		{"pivot_root", SYS_pivot_root, {P(name_tmp), P(name_tmp)}},
		{"chroot", SYS_chroot, {P(name_tmp)}},
		{"fsopen", SYS_fsopen, {P(name_tmpfs), 0}},
		{"fspick", SYS_fspick, {AT_FDCWD, P(root_path), 0}},
		{"fsmount", SYS_fsmount, {0, 0, 0}},
		{"open_tree", SYS_open_tree, {AT_FDCWD, P(root_path), 1}},
		{"move_mount", SYS_move_mount, {AT_FDCWD, P(root_path), AT_FDCWD, P(name_tmp), 0}},
		{"mount_setattr", SYS_mount_setattr, {AT_FDCWD, P(root_path), 0, P(zeros), 32}},
		{"listmount", 458, {P(zeros), P(zeros), 16, 0}},
	};

	return NONE_SUCCEEDS(h, attempts);
}

static const char *namespaces(struct hostile *h)
{
	static const long flags[] = {CLONE_NEWUSER,
				     CLONE_NEWNS,
				     CLONE_NEWPID,
				     CLONE_NEWNET,
				     CLONE_NEWIPC,
				     CLONE_NEWUTS,
				     CLONE_NEWCGROUP,
				     0x80 /* CLONE_NEWTIME */,
				     CLONE_NEWUSER | CLONE_NEWNS};
	static const uint64_t clone3_arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		const struct attempt attempts[] = {
			{"unshare", SYS_unshare, {flags[i]}},
			{"clone", SYS_clone, {flags[i] == 0x80 ? CLONE_NEWUSER : flags[i] | SIGCHLD}},
			{"clone3", SYS_clone3, {P(clone3_arguments), sizeof(clone3_arguments)}},
		};
		const char *what = NONE_SUCCEEDS(h, attempts);

		if (what != NULL)
			return what;
	}
	return NULL;
}

/* The machine itself: its clock, its name, its modules, its power. */
static const char *machine(struct hostile *h)
{
	static long adjust[32] = {1 /* ADJ_OFFSET */};
	const struct attempt attempts[] = {
		{"reboot", SYS_reboot, {(long)0xfee1dead, 672274793, 0, 0}}, /* to switch Ctrl-Alt-Del off */
		{"kexec_load", SYS_kexec_load, {0, 0, P(zeros), 0}},
		{"init_module", SYS_init_module, {P(zeros), 4096, P(zeros)}},
		{"finit_module", SYS_finit_module, {0, P(zeros), 0}},
		{"delete_module", SYS_delete_module, {P(name_x), 0}},
		{"swapon", SYS_swapon, {P(name_file), 0}},
		{"swapoff", SYS_swapoff, {P(name_file)}},
		{"acct", SYS_acct, {0}},
		{"quotactl", SYS_quotactl, {(long)0x80000700, P(root_path), 0, P(zeros)}},
		{"settimeofday", SYS_settimeofday, {P(zeros), 0}},
		{"clock_settime", SYS_clock_settime, {0, P(zeros)}},
		{"adjtimex", SYS_adjtimex, {P(adjust)}},
		{"clock_adjtime", SYS_clock_adjtime, {0, P(adjust)}},
		{"sethostname", SYS_sethostname, {P(name_x), 1}},
		{"setdomainname", SYS_setdomainname, {P(name_x), 1}},
		{"syslog(read all)", SYS_syslog, {3, P(zeros), sizeof(zeros)}},
		{"syslog(clear)", SYS_syslog, {5, 0, 0}},
		{"vhangup", SYS_vhangup, {0}},
		{"sync", SYS_sync, {0}},
#ifdef SYS_iopl
		{"iopl", SYS_iopl, {3}},
		{"ioperm", SYS_ioperm, {0x60, 1, 1}},
#endif
		{"personality(READ_IMPLIES_EXEC)", SYS_personality, {0x0400000}},
		{"personality(ADDR_NO_RANDOMIZE)", SYS_personality, {0x0040000}},
	};

	return NONE_SUCCEEDS(h, attempts);
}

static const char *privileges(struct hostile *h)
{
	static uint32_t header[2] = {0x20080522, 0},
			all[6] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
	const struct attempt attempts[] = {
		{"setuid(0)", SYS_setuid, {0}},
		{"setgid(0)", SYS_setgid, {0}},
		{"setresuid(0, 0, 0)", SYS_setresuid, {0, 0, 0}},
		{"setresgid(0, 0, 0)", SYS_setresgid, {0, 0, 0}},
		{"setreuid(0, 0)", SYS_setreuid, {0, 0}},
		{"setgroups({0})", SYS_setgroups, {1, P(zeros)}},
		{"setgroups({})", SYS_setgroups, {0, 0}},
		{"capset(all)", SYS_capset, {P(header), P(all)}},
		{"prctl(PR_CAP_AMBIENT_RAISE)", SYS_prctl, {47, 2, 21, 0, 0}},
		{"prctl(PR_SET_SECUREBITS)", SYS_prctl, {28, 0, 0, 0, 0}},
		{"prctl(PR_SET_KEEPCAPS)", SYS_prctl, {8, 1, 0, 0, 0}},
		{"prctl(PR_SET_NO_NEW_PRIVS, 0)", SYS_prctl, {38, 0, 0, 0, 0}},
		{"prctl(PR_SET_SECCOMP)", SYS_prctl, {22, 2, P(zeros), 0, 0}},
		{"prctl(PR_SET_MM)", SYS_prctl, {35, 1, P(zeros), 0, 0}},
		{"prctl(PR_SET_PTRACER, any)", SYS_prctl, {0x59616d61, -1, 0, 0, 0}},
		{"setpriority(-20)", SYS_setpriority, {0, 0, -20}},
		{"sched_setscheduler(FIFO)", SYS_sched_setscheduler, {0, 1, P(all)}},
		{"mlockall", SYS_mlockall, {3}},
	};

	return NONE_SUCCEEDS(h, attempts);
}

/* --- every number ------------------------------------------------------------------------------------------------- */

/* What may succeed: the process's own memory, descriptors, clock, signals, and files where the folder lets it. */
static const short harmless[] = {
	SYS_read,
	SYS_write,
	SYS_close,
	SYS_fstat,
	SYS_newfstatat,
	SYS_lseek,
	SYS_mmap,
	SYS_mprotect,
	SYS_munmap,
	SYS_brk,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_ioctl,
	SYS_pread64,
	SYS_pwrite64,
	SYS_readv,
	SYS_writev,
	SYS_pselect6,
	SYS_ppoll,
	SYS_sched_yield,
	SYS_mremap,
	SYS_msync,
	SYS_mincore,
	SYS_madvise,
	SYS_dup,
	SYS_dup3,
	SYS_nanosleep,
	SYS_getitimer,
	SYS_setitimer,
	SYS_getpid,
	SYS_sendfile,
	SYS_socketpair,
	SYS_clone,
	SYS_execve,
	SYS_exit,
	SYS_wait4,
	SYS_kill,
	SYS_uname,
	SYS_fcntl,
	SYS_flock,
	SYS_fsync,
	SYS_fdatasync,
	SYS_truncate,
	SYS_ftruncate,
	SYS_getcwd,
	SYS_chdir,
	SYS_fchdir,
	SYS_umask,
	SYS_gettimeofday,
	SYS_getrlimit,
	SYS_setrlimit,
	SYS_getrusage,
	SYS_sysinfo,
	SYS_times,
	SYS_getuid,
	SYS_getgid,
	SYS_geteuid,
	SYS_getegid,
	SYS_setpgid,
	SYS_getppid,
	SYS_setsid,
	SYS_getgroups,
	SYS_getresuid,
	SYS_getresgid,
	SYS_getpgid,
	SYS_getsid,
	SYS_capget,
	SYS_rt_sigpending,
	SYS_rt_sigtimedwait,
	SYS_rt_sigqueueinfo,
	SYS_rt_sigsuspend,
	SYS_sigaltstack,
	SYS_statfs,
	SYS_fstatfs,
	SYS_getpriority,
	SYS_setpriority,
	SYS_sched_getparam,
	SYS_sched_getscheduler,
	SYS_sched_get_priority_max,
	SYS_sched_get_priority_min,
	SYS_sched_rr_get_interval,
	SYS_prctl,
	SYS_personality,
	SYS_gettid,
	SYS_readahead,
	SYS_getxattr,
	SYS_lgetxattr,
	SYS_fgetxattr,
	SYS_listxattr,
	SYS_llistxattr,
	SYS_flistxattr,
	SYS_tkill,
	SYS_futex,
	SYS_sched_setaffinity,
	SYS_sched_getaffinity,
	SYS_getdents64,
	SYS_set_tid_address,
	SYS_restart_syscall,
	SYS_fadvise64,
	SYS_timer_create,
	SYS_timer_settime,
	SYS_timer_gettime,
	SYS_timer_getoverrun,
	SYS_timer_delete,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_clock_nanosleep,
	SYS_exit_group,
	SYS_epoll_ctl,
	SYS_epoll_pwait,
	SYS_epoll_create1,
	SYS_tgkill,
	SYS_waitid,
	SYS_ioprio_get,
	SYS_openat,
	SYS_mkdirat,
	SYS_mknodat,
	SYS_fchownat,
	SYS_unlinkat,
	SYS_renameat,
	SYS_linkat,
	SYS_symlinkat,
	SYS_readlinkat,
	SYS_fchmodat,
	SYS_faccessat,
	SYS_set_robust_list,
	SYS_get_robust_list,
	SYS_splice,
	SYS_tee,
	SYS_sync_file_range,
	SYS_utimensat,
	SYS_timerfd_create,
	SYS_timerfd_settime,
	SYS_timerfd_gettime,
	SYS_fallocate,
	SYS_eventfd2,
	SYS_signalfd4,
	SYS_pipe2,
	SYS_preadv,
	SYS_pwritev,
	SYS_rt_tgsigqueueinfo,
	SYS_prlimit64,
	SYS_getcpu,
	SYS_renameat2,
	SYS_getrandom,
	SYS_execveat,
	SYS_membarrier,
	SYS_mlock,
	SYS_munlock,
	SYS_mlock2,
	SYS_copy_file_range,
	SYS_preadv2,
	SYS_pwritev2,
	SYS_statx,
	SYS_rseq,
	SYS_pidfd_send_signal,
	SYS_pidfd_open,
	SYS_close_range,
	SYS_faccessat2,
	SYS_epoll_pwait2,
	SYS_sched_getattr,
	SYS_fchmod,
	SYS_fchown,
	SYS_socket,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_accept,
	SYS_accept4,
	SYS_sendto,
	SYS_recvfrom,
	SYS_sendmsg,
	SYS_recvmsg,
	SYS_sendmmsg,
	SYS_recvmmsg,
	SYS_shutdown,
	SYS_getsockname,
	SYS_getpeername,
	SYS_setsockopt,
	SYS_getsockopt,
#ifdef __x86_64__
	SYS_open,
	SYS_stat,
	SYS_lstat,
	SYS_poll,
	SYS_access,
	SYS_pipe,
	SYS_select,
	SYS_dup2,
	SYS_pause,
	SYS_alarm,
	SYS_fork,
	SYS_vfork,
	SYS_getdents,
	SYS_rename,
	SYS_mkdir,
	SYS_rmdir,
	SYS_creat,
	SYS_link,
	SYS_unlink,
	SYS_symlink,
	SYS_readlink,
	SYS_chmod,
	SYS_chown,
	SYS_lchown,
	SYS_getpgrp,
	SYS_utime,
	SYS_mknod,
	SYS_arch_prctl,
	SYS_time,
	SYS_epoll_create,
	SYS_epoll_wait,
	SYS_utimes,
	SYS_futimesat,
	SYS_signalfd,
	SYS_eventfd,
#endif
};

static bool is_harmless(long number)
{
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (harmless[i] == number)
			return true;
	return false;
}

/* Arguments that could do something: nothing, descriptors, memory, paths, processes. */
static const char *one_number(struct hostile *h, long number)
{
	const long vectors[][6] = {
		{0, 0, 0, 0, 0, 0},
		{0, P(zeros), 64, P(zeros), 64, 0},
		{1, P(zeros), 8, 0, 0, 0},
		{P(zeros), P(zeros), P(zeros), P(zeros), P(zeros), P(zeros)},
		{P(root_path), P(zeros), 64, 0, 0, 0},
		{P(name_tmp), P(name_tmp), P(name_tmpfs), 0, 0, 0},
		{AT_FDCWD, P(name_tmp), P(zeros), 0, 0, 0},
		{getpid(), 0, P(zeros), 8, 0, 0},
		{1, 1, 1, 1, 1, 1},
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		long r = try_call(h, number, vectors[i]);

		/* What the kernel's probes return by; it asks no filter and ends whoever else calls it. */
		if (r == BLOCKED && (number == 335 || number == 336))
			continue;
		if (!is_refused(r) && !is_harmless(number))
			return came_through("call %ld with arguments %zu answers %ld", number, i, r);
	}
	return NULL;
}

/* ARGUMENT: from, to. */
static const char *every_number(struct hostile *h)
{
	long from, to;
	const char *what = NULL;

	if (h->argc < 2)
		return came_through("no numbers given");
	from = strtol(h->argv[0], NULL, 10);
	to = strtol(h->argv[1], NULL, 10);
	for (long number = from; number < to && what == NULL; number++)
		what = one_number(h, number);
	return what;
}

/* Numbers of other ABIs. */
static const char *other_abis(struct hostile *h)
{
	static const long zero[6];

	for (long number = 0; number < 600; number += 7) {
		long r = try_call(h, 0x40000000L + number, zero);

		if (r != KILLED && r != SKIPPED)
			return came_through("call %ld of x32 answers %ld", number, r);
	}
	return NULL;
}

const struct attack kernel_attacks[] = {
	{"other_processes", other_processes}, {"keyrings", keyrings},
	{"subsystems", subsystems},           {"mounts", mounts},
	{"namespaces", namespaces},           {"machine", machine},
	{"privileges", privileges},           {"every_number", every_number},
	{"other_abis", other_abis},           {NULL, NULL},
};
