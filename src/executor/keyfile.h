/* Files of secrets, which the executor alone reads (U1). */
#ifndef KH_EXECUTOR_KEYFILE_H
#define KH_EXECUTOR_KEYFILE_H

#include "base/error.h"

/*
 * Reads the file PATH of the secret NAME into ROOM, if LINKS behind symbolic links, too; *RET_VALUE is its content without blanks around it, and borrows from
 * ROOM, which the caller wipes.  KH_EREFUSED, code `secret_refused`, if the file cannot be used: it is missing, no plain
 * file, empty, longer than CAP, has a NUL byte, belongs to somebody else, or others may use it.  The detail names the
 * secret and the reason, never the content.
 */
enum kh_err kh_keyfile_read(struct kh_view name, struct kh_view path, bool links, char *room, size_t cap,
			    struct kh_view *ret_value, struct kh_error *err) KH_CHECKED;

#endif
