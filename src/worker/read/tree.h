/*
 * The digest of a folder and all that is in it: what a program consists of (U4).  Two folders have the same digest if they
 * have the same names, kinds, contents, targets of links and marks of being executable; times and owners do not count.
 */
#ifndef KH_WORKER_READ_TREE_H
#define KH_WORKER_READ_TREE_H

#include "base/canonical.h"

#define KH_TREE_ENTRIES 500000              /* files, folders and links */
#define KH_TREE_DEPTH   64                  /* folders in folders */
#define KH_TREE_BYTES   (UINT64_C(8) << 30) /* of all files together */

/*
 * Of what FD is: a folder, or a file.  No link is followed.  KH_ELIMIT `too_large`; KH_EREFUSED `not_readable` or
 * `file_changed`.  ARENA is for the names of one folder and of those that it is in.
 */
enum kh_err kh_tree_digest(int fd, struct kh_arena *arena, struct kh_digest *ret_digest,
			   struct kh_error *err) KH_CHECKED;

#endif
