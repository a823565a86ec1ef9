/*
 * The executor's side of a sandbox: starts and ends one.
 */
#include "sandbox/sandbox.h"

#include "sandbox/apply.h"
#include "sandbox/setting.h"
#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* clone3 with all flags failed: finds out which one was the cause. */
static enum kh_part missing_part(uint64_t base, bool grouped)
{
	enum kh_part part = base ? KH_PART_USER : KH_PART_CLONE;
	uint64_t flag = 0;

	for (size_t i = 0; i == 0 || flag != 0; flag = kh_namespaces_flag(i++, &part)) {
		int pidfd;
		int pid = kh_sandbox_kit_clone(base | flag, &pidfd, -1);
		if (pid == 0)
			_exit(0);
		if (pid < 0)
			return errno == ENOSYS || errno == EPROTO ? KH_PART_CLONE : part;
		close(pidfd);
		waitpid(pid, NULL, 0);
	}
	/* Only the group is left as the cause. */
	return grouped ? KH_PART_CGROUP : KH_PART_CLONE;
}

static void close_all(struct kh_sandbox *sandbox)
{
	if (sandbox->channel >= 0)
		close(sandbox->channel);
	if (sandbox->pidfd >= 0)
		close(sandbox->pidfd);
	kh_cgroup_done(&sandbox->cgroup);
	*sandbox = (struct kh_sandbox){.profile = sandbox->profile, .pid = -1, .pidfd = -1, .channel = -1};
}

static int clone_first(const struct kh_sandbox_kit *kit, struct kh_sandbox *sandbox, int cgroup)
{
	uint64_t flags = kh_namespaces_flags() | (kit->is_root ? 0 : CLONE_NEWUSER);

	return kh_sandbox_kit_clone(flags, &sandbox->pidfd, cgroup);
}

bool kh_sandbox_prepare(const struct kh_sandbox_kit *kit, enum kh_profile profile, bool locked, unsigned number,
			struct kh_sandbox *ret_sandbox, enum kh_part *ret_part, int *ret_errno)
{
	struct kh_sandbox sandbox = {.profile = profile, .locked = locked, .pid = -1, .pidfd = -1, .channel = -1};
	int ends[2];

	*ret_part = KH_PART_CGROUP;
	if (!kh_cgroup_new(&kit->cgroup, number, &sandbox.cgroup)) {
		*ret_errno = errno;
		return false;
	}
	*ret_part = KH_PART_DESCRIPTORS;
	if (kh_channel_pair(ends, NULL) != KH_OK) {
		*ret_errno = errno;
		close_all(&sandbox);
		return false;
	}
	sandbox.channel = ends[0];
	int cgroup = kh_cgroup_clone_into(&sandbox.cgroup);
	if (cgroup < 0 && kit->cgroup.is_v2) { /* it would run in no group, and nobody would notice */
		*ret_part = KH_PART_CGROUP;
		*ret_errno = errno;
		close(ends[1]);
		close_all(&sandbox);
		return false;
	}
	sandbox.pid = clone_first(kit, &sandbox, cgroup);
	if (sandbox.pid == 0)
		kh_apply(&(struct kh_apply){.kit = kit,
					    .profile = profile,
					    .locked = locked,
					    .cgroup = &sandbox.cgroup,
					    .channel = ends[1]});
	*ret_errno = errno;
	close(ends[1]);
	if (cgroup >= 0)
		close(cgroup);
	if (sandbox.pid < 0) {
		*ret_part = missing_part(kit->is_root ? 0 : CLONE_NEWUSER, cgroup >= 0);
		close_all(&sandbox);
		return false;
	}
	*ret_sandbox = sandbox;
	return true;
}

void kh_sandbox_kill(const struct kh_sandbox *sandbox)
{
	syscall(SYS_pidfd_send_signal, sandbox->pidfd, SIGKILL, NULL, 0);
}

void kh_sandbox_done(struct kh_sandbox *sandbox)
{
	waitpid(sandbox->pid, NULL, 0);
	close_all(sandbox);
}
