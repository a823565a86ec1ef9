/*
 * The sandbox, behind two functions: kh_sandbox_prepare() (in the executor: starts a process in namespaces of its own,
 * which waits) and kh_apply() (in that process: the rest, and the program; apply.h).  There is no sandbox with a part
 * left out.
 *
 *     executor ── clone3 ──> first process (pid 1 of its namespace)             second process
 *                            namespaces, root, /proc, /dev           ── fork ──> WARM, waits for JOB
 *                            ids, a filter for nothing but waiting               folders of the job, the host's root
 *                            waits                                               away, ids, capabilities, Landlock,
 *                                                                                seccomp, descriptors, limits, execve
 *                            EXITED, and ends; the kernel kills what is left in the namespace
 *
 * A worker of ours whose folders come with the job continues in the second process, without an execve (profile.h).
 *
 * A locked sandbox has done everything that does not need the job before it sends WARM.
 *
 * The first process is a fork of the executor: it runs the executor's code, without its memory of requests (which is
 * wiped on fork) and without any descriptor but its channel.  It dies with the executor.
 */
#ifndef KH_SANDBOX_SANDBOX_H
#define KH_SANDBOX_SANDBOX_H

#include "sandbox/kit.h"
#include "wire/part.h"

/* One sandbox as the executor sees it. */
struct kh_sandbox {
	enum kh_profile profile;
	bool locked; /* takes jobs that name no folder and have the profile's own /tmp */
	int pid;     /* pid of its first process */
	int pidfd;   /* readable if that process has ended */
	int channel; /* sends JOB; receives WARM, BROKEN, EXITED */
	struct kh_cgroup cgroup;
};

/*
 * Starts sandbox NUMBER for PROFILE; it sends WARM, or BROKEN with the part, on its channel.  A job may be sent to it
 * at once.  LOCKED: it is locked down before the job comes, so that the job starts faster.  On failure *RET_PART is the
 * missing part, and *RET_ERRNO says why.
 */
bool kh_sandbox_prepare(const struct kh_sandbox_kit *kit, enum kh_profile profile, bool locked, unsigned number,
			struct kh_sandbox *ret_sandbox, enum kh_part *ret_part, int *ret_errno) KH_CHECKED;

/* Kills everything in it; it is gone once its pidfd is readable. */
void kh_sandbox_kill(const struct kh_sandbox *sandbox);

/* After its pidfd became readable: waits for it, removes its cgroup, closes the executor's descriptors of it. */
void kh_sandbox_done(struct kh_sandbox *sandbox);

#endif
