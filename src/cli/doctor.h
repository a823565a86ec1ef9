/* `keyhole doctor`: tries on this machine what a sandbox needs, and says what is there, what is missing, and what to
 * do. */
#ifndef KH_CLI_DOCTOR_H
#define KH_CLI_DOCTOR_H

#include "cli/frame.h"

struct kh_doctor_args {
	const char *home; /* NULL: as for all commands */
	bool json;
};

int kh_doctor_run(struct kh_frame *f);

#endif
