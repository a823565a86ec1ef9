/*
 * A last deadline for a worker whose work cannot be asked to stop, such as one function of SQL that goes on for minutes:
 * the process ends at that moment, in the middle of whatever it does, and has said why.
 */
#ifndef KH_WORKER_DEADLINE_H
#define KH_WORKER_DEADLINE_H

#include "base/error.h"

/*
 * Ends this process after MS milliseconds: writes {"fault":CODE,"detail":DETAIL}, which are words of ours without quotes,
 * as a line to descriptor FD, and exits with status 1.  KH_ELIMIT if the line is too long or there is no timer.
 */
enum kh_err kh_deadline_set(uint64_t ms, int fd, const char *code, const char *detail) KH_CHECKED;

#endif
