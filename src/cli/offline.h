/* The commands of the offline contract (SPEC section 11): JSON on stdin, JSON on stdout, no daemon, no store. */
#ifndef KH_CLI_OFFLINE_H
#define KH_CLI_OFFLINE_H

#include <keyhole/keyhole.h>

/* Runs COMMAND over stdin: one object, or with BATCH one for each line.  Returns the exit status: 0, or 2 with a
 * message on stderr. */
int kh_offline_run(enum kh_command command, const char *name, bool batch);

#endif
