/* keyhole audit: verify the record, follow it, show an event, export it, sign a checkpoint (L3, L4). */
#ifndef KH_CLI_AUDITS_H
#define KH_CLI_AUDITS_H

#include "cli/frame.h"

/* Of verify. */
struct kh_audits_args {
	bool state, progress;
	const char *witness, *key; /* NULL: the home's */
};

kh_frame_fn kh_audits_verify, kh_audits_checkpoint;

#endif
