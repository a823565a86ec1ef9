/* The list, compiled by libseccomp.  Calls that this machine does not have are left out. */
#include "sandbox/harm.h"

#include <errno.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

static const char *const calls[] = {
	"acct",
	"add_key",
	"adjtimex",
	"bpf",
	"clock_adjtime",
	"clock_settime",
	"delete_module",
	"fanotify_init",
	"finit_module",
	"init_module",
	"io_uring_enter",
	"io_uring_register",
	"io_uring_setup",
	"ioperm",
	"iopl",
	"kcmp",
	"kexec_file_load",
	"kexec_load",
	"keyctl",
	"lookup_dcookie",
	"migrate_pages",
	"modify_ldt",
	"move_pages",
	"open_by_handle_at",
	"perf_event_open",
	"pidfd_getfd",
	"process_madvise",
	"process_vm_readv",
	"process_vm_writev",
	"ptrace",
	"quotactl",
	"quotactl_fd",
	"reboot",
	"request_key",
	"settimeofday",
	"swapoff",
	"swapon",
	"syslog",
	"userfaultfd",
	"uselib",
	"ustat",
	"vhangup",
};

const char *kh_harm_at(size_t index)
{
	return index < sizeof(calls) / sizeof(calls[0]) ? calls[index] : NULL;
}

static int add_all(scmp_filter_ctx filter)
{
	int r = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	const char *name;

	for (size_t i = 0; r == 0 && (name = kh_harm_at(i)) != NULL; i++) {
		int number = seccomp_syscall_resolve_name(name);
		if (number >= 0)
			r = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), number, 0, NULL);
	}
	return r;
}

/* The kernel itself answers ESRCH: there is no process 0. */
static bool is_refused(void)
{
	return ptrace(PTRACE_ATTACH, 0, NULL, NULL) < 0 && errno == EPERM;
}

int kh_harm_refuse(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	if (filter == NULL)
		return ENOSYS;
	int r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : add_all(filter);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r != 0 ? -r : is_refused() ? 0 : EPROTO;
}
