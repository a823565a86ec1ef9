/* keyhole audit tail, show and export: the events themselves (L4). */
#ifndef KH_CLI_AUDITS_TRAIL_H
#define KH_CLI_AUDITS_TRAIL_H

#include "cli/frame.h"
#include "engine/audit/eventfilter.h"

struct kh_audits_trail_args {
	struct kh_eventfilter wanted; /* not read yet */
	const char *format;           /* export: NULL: jsonl */
	uint64_t last;                /* tail */
	bool follow;
};

kh_frame_fn kh_audits_trail_tail, kh_audits_trail_show, kh_audits_trail_export;

#endif
