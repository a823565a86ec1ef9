/*
 * The environment of a server (U1): the variables of its request, and secrets, which the executor alone reads.
 */
#ifndef KH_EXECUTOR_VARIABLES_H
#define KH_EXECUTOR_VARIABLES_H

#include "base/error.h"
#include "executor/veil.h"
#include "wire/request.h"

/*
 * Puts the variables and secrets of RUN, each ended by a NUL, into a file that has no name, for the sandbox; -1 in
 * *RET_FD if it has none.  A secret is the content of its file without blanks around it.  KH_EREFUSED, code
 * `secret_refused`, if a file cannot be used: it is missing, no plain file, empty or too long, has a NUL byte, belongs
 * to somebody else, or others may use it.  The detail names the variable and the reason, never the content.  VEIL gets
 * the secrets.
 */
enum kh_err kh_variables_write(const struct kh_run *run, struct kh_veil *veil, int *ret_fd,
			       struct kh_error *err) KH_CHECKED;

#endif
