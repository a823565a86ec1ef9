/* The paths that a user grants to a program, found without following a link that a program may have planted. */
#ifndef KH_CLI_GRANTPATH_H
#define KH_CLI_GRANTPATH_H

#include <limits.h>
#include <stdbool.h>

/*
 * Writes the absolute path of what PATH names to RET_REAL, and returns true.  Only links that come with the system are
 * followed.  If there is another link on the way, errno is ELOOP and RET_REAL is that link, or PATH if it comes and goes
 * too fast to be found; if there is nothing, errno says why.
 */
bool kh_grantpath_find(const char *path, char ret_real[PATH_MAX]);

#endif
