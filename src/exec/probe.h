/*
 * What this machine has of a sandbox's parts: each is tried for real, in a child process, and undone.  For `keyhole
 * doctor`.
 */
#ifndef KH_EXEC_PROBE_H
#define KH_EXEC_PROBE_H

#include "exec/part.h"

struct kh_probe {
	enum kh_part part;
	bool has;
	char detail[160]; /* "ABI 7", "EPERM: ..." */
};

/* Tries everything; RET has KH_PARTS entries, those of parts that are not probed have KH_PART_NONE.  Returns how many.
 */
size_t kh_probe_all(struct kh_probe ret[KH_PARTS]);

#endif
