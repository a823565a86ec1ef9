/* keyhole audit tail, show and export: the events themselves (L4). */
#ifndef KH_CLI_AUDITS_TRAIL_H
#define KH_CLI_AUDITS_TRAIL_H

#include "cli/eventoption.h"
#include "cli/frame.h"

struct kh_audits_trail_args {
	struct kh_eventoption wanted;
	const char *format; /* export: NULL: jsonl */
	uint64_t last;      /* tail */
	bool follow;
};

int kh_audits_trail_tail(struct kh_frame *f);
int kh_audits_trail_show(struct kh_frame *f);
int kh_audits_trail_export(struct kh_frame *f);

#endif
