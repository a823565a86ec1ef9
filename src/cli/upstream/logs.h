/* `keyhole upstream logs NAME`: what an upstream server wrote to its standard error, when it was started, and how it ended
 * (U8).  All of it is shown escaped, with a number before each line. */
#ifndef KH_CLI_UPSTREAM_LOGS_H
#define KH_CLI_UPSTREAM_LOGS_H

#include "cli/frame.h"

#define KH_LOGS_LINES 100 /* if nobody says otherwise */

struct kh_logs_args {
	uint64_t lines; /* --lines; 0: KH_LOGS_LINES */
};

kh_frame_fn kh_logs_run;

#endif
