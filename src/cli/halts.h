/* keyhole stop, keyhole go: no external operation at all, until a human says go (U8). */
#ifndef KH_CLI_HALTS_H
#define KH_CLI_HALTS_H

#include "cli/frame.h"

struct kh_halts_args {
	bool all;
};

int kh_halts_stop(struct kh_frame *f);
int kh_halts_go(struct kh_frame *f);

#endif
