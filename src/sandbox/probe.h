/*
 * What this machine has of a sandbox's parts: each is tried for real, in a child process, and undone with it.  For
 * `keyhole doctor`.
 */
#ifndef KH_SANDBOX_PROBE_H
#define KH_SANDBOX_PROBE_H

#include "wire/part.h"

#define KH_PROBES 20 /* room for all */

struct kh_probe {
	const char *name; /* "user namespace", "idmapped mounts", ... */
	enum kh_part part;
	bool is_required; /* without it there is no sandbox; else it works with less */
	bool has;
	const char *without; /* what its lack means */
	const char *remedy;  /* what to do about it */
	char detail[300];    /* "ABI 7", "unshare: Operation not permitted", ... */
};

/* Tries everything, one after the other; RET has room for KH_PROBES.  Returns how many there are. */
size_t kh_probe_all(struct kh_probe ret[KH_PROBES]);

#endif
