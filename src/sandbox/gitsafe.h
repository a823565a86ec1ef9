/*
 * git's ownership check, inside a sandbox.
 *
 * git refuses a repository that belongs to another user, because the repository's own settings can name programs.  In a
 * sandbox the owner of a granted folder is often another user, or nobody at all.  Whoever granted the folder has decided
 * that programs work with it, and what they start stays in the sandbox.  So the system's settings of git, which are ours
 * in a sandbox (/etc/gitconfig), name exactly the granted folders as safe.  Variables of the environment would do for git
 * 2.38 and later; the file does for every version that has the check.
 */
#ifndef KH_SANDBOX_GITSAFE_H
#define KH_SANDBOX_GITSAFE_H

#include "sandbox/grants.h"

/*
 * The text of /etc/gitconfig for GRANTS, which are open: their places in the sandbox.  NULL if there is no folder among
 * them.  It is valid until the next call.
 */
const char *kh_gitsafe_text(const struct kh_grants *grants);

#endif
