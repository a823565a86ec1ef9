/*
 * The sandbox, behind two functions: prepare (in the executor: a process in namespaces of its own, waiting) and apply
 * (in that process: the rest, and the program).  There is no sandbox with a part left out.
 *
 *     executor ── clone3 ──> first process (pid 1 of its namespace)          second process
 *                            namespaces, root, /proc, /dev, /tmp
 *                            WARM ──> waits for JOB
 *                            folders of the job, old root away    ── fork ──> ids, capabilities, limits, Landlock,
 *                            keeps waitpid, write, exit                       seccomp, descriptors, execve
 *                            EXITED, and ends; the kernel kills what is left in the namespace
 *
 * The first process is a fork of the executor and so runs the executor's code, without its memory of requests (which is
 * wiped on fork) and without any descriptor but its channel.
 */
#ifndef KH_EXEC_SANDBOX_H
#define KH_EXEC_SANDBOX_H

#include "base/error.h"
#include "exec/cgroup.h"
#include "exec/filter.h"
#include "exec/part.h"
#include "exec/profile.h"

/* What all sandboxes of an executor share; made once. */
struct kh_sandbox_kit {
	struct kh_filter *filter[KH_FILTERS];
	int program;                  /* O_PATH of our own executable, for our own workers */
	struct kh_cgroup_base cgroup; /* where limits for groups of processes can be had */
	bool is_root;                 /* then workers have another user outside, else our own */
	unsigned uid, gid;            /* of a worker, outside */
};

enum kh_err kh_sandbox_kit_init(struct kh_sandbox_kit *kit, const struct kh_alloc *alloc, struct kh_error *err)
	__attribute__((warn_unused_result));
void kh_sandbox_kit_done(struct kh_sandbox_kit *kit);

/* One sandbox as the executor sees it. */
struct kh_sandbox {
	enum kh_profile profile;
	int pid;     /* of its first process */
	int pidfd;   /* readable when that has ended */
	int channel; /* JOB out; WARM, BROKEN, EXITED in */
	struct kh_cgroup cgroup;
};

/* Starts a sandbox for PROFILE.  It says WARM, or BROKEN with the part, on its channel. */
enum kh_err kh_sandbox_prepare(const struct kh_sandbox_kit *kit, enum kh_profile profile,
			       struct kh_sandbox *ret_sandbox, struct kh_error *err)
	__attribute__((warn_unused_result));

/* Kills everything in it; it is gone when its pidfd says so. */
void kh_sandbox_kill(const struct kh_sandbox *sandbox);

/* After its pidfd became readable: waits for it, removes its cgroup, closes what the executor had of it. */
void kh_sandbox_done(struct kh_sandbox *sandbox);

/*
 * In the sandbox's first process: waits for the job on CHANNEL and carries it out.  Does not return.
 */
_Noreturn void kh_sandbox_apply(const struct kh_sandbox_kit *kit, enum kh_profile profile, int channel);

#endif
