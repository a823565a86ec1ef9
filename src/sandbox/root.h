/*
 * A sandbox's file system, made inside its mount namespace: a read-only root with the host paths of a profile, /proc,
 * /dev, a private /tmp, and the folders of the job.  At the end the host's own root is unmounted from it.
 *
 *     /                 tmpfs, read-only
 *     /usr /lib ...     of the host, read-only, no set-user-id, no devices
 *     /dev              null zero full random urandom; fd stdin stdout stderr; refused
 *     /proc             of the sandbox's own pid namespace, with a few files of ours (profile run; procfs.h)
 *     /tmp              tmpfs of its own, with a size; /work is a folder in it if the job names none
 *     /work /cache      of the job; its read and write paths at their own place (grants.h)
 *
 * The first process of a sandbox prepares, the second one finishes.  Both return 0 or an errno and store in *RET_PART
 * what failed.
 */
#ifndef KH_SANDBOX_ROOT_H
#define KH_SANDBOX_ROOT_H

#include "sandbox/grants.h"
#include "sandbox/procfs.h"
#include "wire/part.h"

#define KH_ROOT_REFUSED "/dev/refused" /* a pipe that nobody may write to */

struct kh_root {
	enum kh_profile profile;
	int host; /* the host's root, until kh_root_finish() */
	struct kh_ids ids;
	struct kh_tree_own own;
	const struct kh_procfs *machine;
};

/* Everything that does not depend on the job. */
int kh_root_prepare(struct kh_root *root, enum kh_profile profile, enum kh_part *ret_part) KH_CHECKED;

/*
 * Mounts the folders of JOB, then unmounts the host's root and makes the root read-only.  GRANTS is zero before, and
 * has the folders after; if they are refused, its sentence may say why.
 */
int kh_root_finish(struct kh_root *root, const struct kh_message *job, struct kh_grants *grants,
		   enum kh_part *ret_part) KH_CHECKED;

/* Makes all mounts of this namespace private, so that the host sees no change to them.  False and errno. */
bool kh_root_part_mounts(void) KH_CHECKED;

/* Stores in *RET_DEV the device of PATH, which must be a new tmpfs, other than OTHER.  0 or errno. */
int kh_root_check_fresh(const char *path, dev_t other, dev_t *ret_dev) KH_CHECKED;

/* True if Landlock is in force: what only Landlock refuses is refused. */
bool kh_root_is_fenced(void);

#endif
