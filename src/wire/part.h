/*
 * The parts of a sandbox.  A sandbox has all of them or does not exist: if one is not available, the request is refused
 * and the part named.  One list, used by the sandbox, the messages and `keyhole doctor`.
 */
#ifndef KH_WIRE_PART_H
#define KH_WIRE_PART_H

#include "base/view.h"

enum kh_part {
	KH_PART_NONE = 0,
	KH_PART_CLONE,    /* clone3 with a pidfd */
	KH_PART_USER,     /* user namespace */
	KH_PART_MOUNT,    /* mount namespace and what is mounted in it */
	KH_PART_PID,      /* pid namespace and its /proc */
	KH_PART_IPC,      /* ipc namespace */
	KH_PART_UTS,      /* uts namespace */
	KH_PART_NET,      /* network namespace */
	KH_PART_CGROUPNS, /* cgroup namespace */
	KH_PART_ROOT,     /* pivot_root to a root of its own */
	KH_PART_FOLDER,   /* a folder that the request names */
	KH_PART_LANDLOCK,
	KH_PART_SECCOMP,
	KH_PART_PRIVILEGES, /* no_new_privs, capabilities, ids */
	KH_PART_LIMITS,     /* rlimits */
	KH_PART_CGROUP,     /* cgroup limits: used if available, the only part that may be absent */
	KH_PART_DESCRIPTORS,
	KH_PART_PROGRAM, /* execve of the program */
	KH_PART_TIME,    /* time namespace */
	KH_PARTS
};

/* "user namespace", "landlock", ...; never NULL. */
const char *kh_part_name(enum kh_part part);

#endif
