/*
 * `keyhole demo`: a guided tour in a temporary home that is removed afterwards; only loopback is reached.
 *
 * It runs this same program with commands that a user could type, and checks their output and exit status.  Nothing is
 * faked: if a step does not end as it must, the tour says so, and its exit status is 1.  If a signal ends it, the folder
 * is removed all the same, and the exit status is 128 + the signal.
 */
#ifndef KH_CLI_TOUR_TOUR_H
#define KH_CLI_TOUR_TOUR_H

#include "cli/frame.h"

struct kh_tour_args {
	bool keep;
};

int kh_tour_run(struct kh_frame *f);

#endif
