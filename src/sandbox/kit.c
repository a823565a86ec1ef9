/*
 * Makes and frees what all sandboxes share.  Trusts the executor.  If the machine lacks something, the error names it.
 */
#include "sandbox/kit.h"

#include "sandbox/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int kh_sandbox_kit_clone(uint64_t flags, int *ret_pidfd, int cgroup)
{
	struct clone_args args = {.flags = flags | CLONE_PIDFD, .pidfd = (uintptr_t)ret_pidfd, .exit_signal = SIGCHLD};

	pid_t self = getpid();

	if (cgroup >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (unsigned)cgroup;
	}
	*ret_pidfd = -1;
	int pid = self > 0 ? (int)syscall(SYS_clone3, &args, sizeof(args)) : -1;
	/* Whoever is still the same process is not the new one, whatever the call says.  (The first process of one pid
	   namespace and that of another have the same number; then the namespaces tell, in apply.c.) */
	bool is_new = pid != 0 || self == 1 || getpid() != self;
	if (self > 0 && is_new && (pid <= 0 || *ret_pidfd >= 0))
		return pid;
	errno = EPROTO;
	return -1;
}

int kh_sandbox_kit_forget(const struct kh_sandbox_kit *kit)
{
	unsigned char there;

	if (kit->requests == NULL)
		return 0;
	const volatile char *last = kit->requests + kit->requests_size - 1;
	if (*last != 0)
		return EPROTO;
	if (munmap(kit->requests, kit->requests_size) < 0)
		return errno;
	return mincore(kit->requests, 1, &there) == 0 ? EPROTO : 0;
}

/* As root, the executor makes namespaces with its own privileges, and workers become another user. */
static bool can_be_root(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	const uint32_t wanted = 1U << CAP_SYS_ADMIN | 1U << CAP_SETUID | 1U << CAP_SETGID | 1U << CAP_NET_ADMIN |
				1U << CAP_SYS_TIME | 1U << CAP_KILL; /* to be able to kill workers */

	return geteuid() == 0 && syscall(SYS_capget, &header, data) == 0 && (data[0].effective & wanted) == wanted &&
	       kh_ids_has("/proc/self/uid_map", KH_IDS_NOBODY) && kh_ids_has("/proc/self/gid_map", KH_IDS_NOBODY);
}

static bool read_own_namespaces(struct kh_namespaces *ret)
{
	int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool ok = proc >= 0 && kh_namespaces_read(proc, ret);

	if (proc >= 0)
		close(proc);
	return ok;
}

/* A kit with nothing to close. */
static const struct kh_sandbox_kit empty = {.self = -1, .program = -1, .cgroup = KH_CGROUP_NONE};

enum kh_err kh_sandbox_kit_init(struct kh_sandbox_kit *kit, kh_sandbox_worker_fn *worker, const struct kh_alloc *alloc,
				struct kh_error *err)
{
	/* Workers that are executed compile their own filters. */
	static const enum kh_filter_kind kinds[] = {KH_FILTER_RUN,  KH_FILTER_WORKER, KH_FILTER_INIT,  KH_FILTER_READ,
						    KH_FILTER_TEXT, KH_FILTER_QUERY,  KH_FILTER_SEARCH};

	*kit = empty;
	kit->worker = worker;
	kit->uid = geteuid();
	kit->gid = getegid();
	kit->self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (kit->self < 0)
		return kh_error_set(err, KH_EREFUSED, "sandbox", "pidfd_open: %s", strerror(errno));
	kit->program = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	enum kh_err e = kit->program >= 0
				? KH_OK
				: kh_error_set(err, KH_EREFUSED, "sandbox", "/proc/self/exe: %s", strerror(errno));
	if (e == KH_OK && !read_own_namespaces(&kit->namespaces))
		e = kh_error_set(err, KH_EREFUSED, "sandbox", "/proc/self/ns: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && e == KH_OK; i++)
		e = kh_filter_new(kinds[i], alloc, &kit->filter[kinds[i]], err);
	kit->is_root = can_be_root();
	if (e == KH_OK && kit->is_root)
		e = kh_ids_range("/etc/passwd", "/etc/group", &kit->first_id, err);
	if (e != KH_OK) {
		kh_sandbox_kit_done(kit);
		return e;
	}
	kh_procfs_init(&kit->machine);
	kh_cgroup_base_init(&kit->cgroup, getpid());
	return KH_OK;
}

void kh_sandbox_kit_done(struct kh_sandbox_kit *kit)
{
	for (size_t i = 0; i < KH_FILTERS; i++)
		kh_filter_free(kit->filter[i]);
	const int fds[] = {kit->self, kit->program};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	kh_cgroup_base_done(&kit->cgroup);
	*kit = empty;
}
