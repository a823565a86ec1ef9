/*
 * Limits for a group of processes, if the machine offers them: cgroup v2 if a folder of ours gets the memory and pids
 * controllers, else the v1 hierarchies of these two.  If a limit is not available, that is not an error, because the
 * rlimits still apply; `keyhole doctor` reports it.
 *
 * With the cpu and io controllers (v1: cpu) there are shares too: every sandbox has the same, however many processes it
 * has, and all of them together have half of what another group of the machine has, such as the gateway's.  A share
 * counts only while others want the processor or the disk.
 *
 * The executor has one folder, "keyhole-PID-TIME", in each hierarchy, and each sandbox a numbered folder in it.  A
 * small process, the keeper, outlives the executor until it has removed them, however the executor ended.  If both die at
 * once, the keeper of the next executor removes them.
 */
#ifndef KH_SANDBOX_CGROUP_H
#define KH_SANDBOX_CGROUP_H

#include "base/view.h"

#define KH_CGROUP_HIERARCHIES 3

/* A base with nothing to close. */
#define KH_CGROUP_NONE                                                                 \
	{                                                                              \
		.parent = {-1, -1, -1}, .own = {-1, -1, -1}, .alarm = -1, .keeper = -1 \
	}

struct kh_cgroup_base {
	int parent[KH_CGROUP_HIERARCHIES]; /* the folder that holds the executor's folder; -1 if there is none */
	int own[KH_CGROUP_HIERARCHIES];    /* the executor's folder */
	bool is_v2;                        /* one hierarchy with all controllers: index 0; v1: memory, pids, cpu */
	bool has_memory, has_pids;
	bool has_cpu, has_io; /* shares */
	char name[32];
	int alarm;  /* the keeper wakes when the last copy of this is closed */
	int keeper; /* the keeper's pid */
};

struct kh_cgroup {
	const struct kh_cgroup_base *base; /* NULL if it has no folder */
	char name[16];
};

/* Finds out what is available, starts the keeper and makes the executor's folders.  PID is the executor's. */
void kh_cgroup_base_init(struct kh_cgroup_base *base, int pid);
void kh_cgroup_base_done(struct kh_cgroup_base *base);

/* "memory, pids, cpu, io (v2)", "pids (v1)", ..., "none". */
const char *kh_cgroup_base_has(const struct kh_cgroup_base *base);

/* A group for sandbox NUMBER.  If no cgroup is available, it is a group without a folder; false if one is available but
 * its folder cannot be made. */
bool kh_cgroup_new(const struct kh_cgroup_base *base, unsigned number, struct kh_cgroup *ret_group) KH_CHECKED;

/* The folder to clone a process into with CLONE_INTO_CGROUP (v2), to be closed by the caller; -1 if it has none. */
int kh_cgroup_clone_into(const struct kh_cgroup *group);

/*
 * Puts this process into the group, if it was not cloned into it (v1).  The process moves itself, as one thread: only
 * this way takes no lock that all forks and execs of the machine wait for.  False if it is not in all hierarchies.
 */
bool kh_cgroup_enter(const struct kh_cgroup *group) KH_CHECKED;

/* False with errno.  EBUSY: the processes of the group take more memory already. */
bool kh_cgroup_limit(const struct kh_cgroup *group, uint64_t memory, uint64_t processes) KH_CHECKED;

/* Bounds the group to so many thousandths of one processor; 0: no bound.  If there is no controller for that, nothing is
 * done.  False with errno. */
bool kh_cgroup_bound(const struct kh_cgroup *group, uint64_t processor) KH_CHECKED;

/* True if the kernel has killed a process of the group because of its memory. */
bool kh_cgroup_is_spent(const struct kh_cgroup *group);

/* Removes the folders; the processes of the group must be gone. */
void kh_cgroup_done(struct kh_cgroup *group);

#endif
