/* What all sandboxes of an executor share: filters, our own program, ids, the cgroup, the workers. */
#ifndef KH_SANDBOX_KIT_H
#define KH_SANDBOX_KIT_H

#include "base/error.h"
#include "sandbox/cgroup.h"
#include "sandbox/filter.h"
#include "sandbox/ids.h"
#include "sandbox/namespaces.h"
#include "sandbox/procfs.h"
#include "wire/profile.h"

/*
 * Continues as our own worker of PROFILE, with the job's descriptors, and installs its filter from FILTERS.  Returns
 * the exit status.  It is a pointer because the sandbox may not include the workers, which are a layer above it.
 */
typedef int kh_sandbox_worker_fn(enum kh_profile profile, struct kh_filter *const filters[KH_FILTERS]);

/* What all sandboxes of an executor share; made once. */
struct kh_sandbox_kit {
	struct kh_filter *filter[KH_FILTERS]; /* of programs, of our workers at their start, of first processes */
	int self;                             /* a pidfd of the executor */
	int program;                          /* our own executable, for our own workers */
	bool is_root;                         /* workers are other users outside; else the executor's user */
	unsigned first_id;                    /* of their range; 0 if all are KH_IDS_NOBODY (ids.h) */
	unsigned uid, gid;                    /* of the executor */
	struct kh_namespaces namespaces;      /* of the executor: a sandbox shares none of them */
	/* The memory of requests, which is wiped in a fork (MADV_WIPEONFORK): its last byte is not zero here.  NULL: none. */
	char *requests;
	size_t requests_size;
	struct kh_procfs machine; /* for /proc of programs */
	struct kh_cgroup_base cgroup;
	kh_sandbox_worker_fn *worker; /* continues as a worker of ours without an execve */
};

/* KH_EREFUSED, code `sandbox`, if a part that all sandboxes share is not available; the detail names it. */
enum kh_err kh_sandbox_kit_init(struct kh_sandbox_kit *kit, kh_sandbox_worker_fn *worker, const struct kh_alloc *alloc,
				struct kh_error *err) KH_CHECKED;
void kh_sandbox_kit_done(struct kh_sandbox_kit *kit);

/*
 * clone3 with FLAGS and a pidfd, into CGROUP unless that is -1.  Returns the pid or -1, as fork(2) does.  EPROTO: the
 * call claims success, and there is no new process.
 */
int kh_sandbox_kit_clone(uint64_t flags, int *ret_pidfd, int cgroup) KH_CHECKED;

/* In a fork: gives up the memory of requests, which counts for the memory that a process may have.  EPROTO if it was not
 * wiped, or is still there; 0 or errno. */
int kh_sandbox_kit_forget(const struct kh_sandbox_kit *kit) KH_CHECKED;

#endif
