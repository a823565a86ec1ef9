/*
 * Who a sandbox is outside, if the executor is root: a user and group of its own, which nobody else on the machine is.
 *
 * The number of the user is the beginning of a range plus the pid of the sandbox's first process.  While that process
 * lives no other has its pid, whichever executor started it; and when it is gone, all that ran in the sandbox is.  So
 * no two sandboxes at once are the same user, and nothing need be kept or given back.
 *
 * The range lies above the ids that systemd gives to containers (up to 1,879,048,191) and those that directories are
 * mapped to (sssd and FreeIPA: up to 2,000,200,000), and below those that systemd calls foreign (from 2,147,352,576).
 *
 * In what was granted, the files of some users are the sandbox's: by mounts with other ids, which need a user namespace
 * that holds the map.
 */
#ifndef KH_SANDBOX_IDS_H
#define KH_SANDBOX_IDS_H

#include "base/error.h"

#define KH_IDS_NOBODY 65534       /* of all sandboxes if the executor's own user namespace has no such range */
#define KH_IDS_FIRST  2100000000U /* of the first range */
#define KH_IDS_COUNT  (1U << 22)  /* of one range: the most pids of any kernel */
#define KH_IDS_RANGES 4           /* one after the other, for the case that somebody is in one */
#define KH_IDS_NONE   4294967294U /* an owner that no file has */
#define KH_IDS_OWNERS 8           /* users whose files can be the sandbox's */

/*
 * Stores in *RET_FIRST the first range that PASSWD and GROUP (files as /etc/passwd and /etc/group) have nobody in; 0 if
 * the user namespace has none of them.  KH_EREFUSED if all have somebody.
 */
enum kh_err kh_ids_range(const char *passwd, const char *group, unsigned *ret_first, struct kh_error *err) KH_CHECKED;

/* The user of the sandbox that this process, its first, is in.  PROC is the executor's /proc.  0: it cannot be told. */
unsigned kh_ids_own(int proc, unsigned first);

/*
 * Maps one user and one group into the user namespace that this process has just made: INSIDE is what they are called
 * in it.  PROC is a /proc in which the process is.  0 or errno.
 */
int kh_ids_map(int proc, const unsigned inside[2], const unsigned outside[2]) KH_CHECKED;

/* True if PATH, a map of ids in /proc, has ID: a container may have few ids. */
bool kh_ids_has(const char *path, unsigned id);

/* Maps for mounts, made when they are needed. */
struct kh_ids {
	int proc;             /* the executor's /proc */
	unsigned user, group; /* whom files are given to; 0 if the executor is not root: then there are no maps */
	size_t count;
	struct {
		unsigned uid, gid;
		int map;
	} owner[KH_IDS_OWNERS];
};

/* A user namespace in which the files of UID and GID belong to the user and group of IDS; -1 and errno. */
int kh_ids_shift(struct kh_ids *ids, unsigned uid, unsigned gid) KH_CHECKED;

/* Closes all maps: the user may be another one after that. */
void kh_ids_forget(struct kh_ids *ids);

#endif
