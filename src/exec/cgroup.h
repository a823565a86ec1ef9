/*
 * Limits for a group of processes, where they can be had: cgroup v2 where a folder of ours may be made with the memory
 * and pids controllers, else the v1 hierarchies of these two.  One that cannot be had is not an error (the rlimits hold
 * then) but is reported.
 */
#ifndef KH_EXEC_CGROUP_H
#define KH_EXEC_CGROUP_H

#include "base/error.h"

#define KH_CGROUP_CONTROLLERS 2 /* memory, pids */

struct kh_cgroup_base {
	int folder[KH_CGROUP_CONTROLLERS]; /* the executor's own folder, -1 where there is none; one for both with v2 */
	bool is_v2;
	int keeper; /* a pipe to the process that removes the folders after the executor's death; -1 */
};

struct kh_cgroup {
	unsigned number; /* of its folders; 0 where it has none */
	const struct kh_cgroup_base *base;
};

/* Finds out what can be had and makes the executor's folders. */
void kh_cgroup_base_init(struct kh_cgroup_base *base);
void kh_cgroup_base_done(struct kh_cgroup_base *base);

/* "memory", "pids", "memory and pids" or "none". */
const char *kh_cgroup_base_has(const struct kh_cgroup_base *base);

void kh_cgroup_new(const struct kh_cgroup_base *base, struct kh_cgroup *ret_group);

/* Puts PID in.  True where it is in all there are. */
bool kh_cgroup_add(const struct kh_cgroup *group, int pid);
bool kh_cgroup_limit(const struct kh_cgroup *group, uint64_t memory, uint64_t processes);

/* Removes the folders; its processes are gone. */
void kh_cgroup_done(struct kh_cgroup *group);

#endif
