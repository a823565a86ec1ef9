/*
 * A walk over the regular files below a folder, in the order of their keys (worker/search/store.h), while others may
 * change it: a file is visited if it existed when its folder was read and still does when its turn comes.
 *
 * No link is followed and no file opened.  Skipped: names that begin with a dot, and everything deeper than
 * KH_SEARCH_WALK_DEPTH folders.  A folder that cannot be read counts as empty.
 */
#ifndef KH_WORKER_SEARCH_WALK_H
#define KH_WORKER_SEARCH_WALK_H

#include "base/arena.h"

#include <limits.h>
#include <sys/stat.h>

#define KH_SEARCH_WALK_DEPTH 48
#define KH_SEARCH_WALK_NAMES ((size_t)256 << 20) /* bytes of memory for the names of all folders on the way down */

struct kh_search_walk_name {
	const char *name;
	size_t n;
};

struct kh_search_walk_level {
	struct kh_arena arena;
	int fd;
	struct kh_search_walk_name *names; /* sorted */
	size_t count, next;
	size_t key; /* bytes of the folder's own key */
};

struct kh_search_walk {
	const struct kh_alloc *alloc;
	struct kh_view after; /* keys up to this one are skipped; empty: none */
	struct kh_search_walk_level level[KH_SEARCH_WALK_DEPTH];
	size_t depth;
	size_t unread;  /* folders that could not be read, or only in part */
	bool no_memory; /* the walk is not reliable: there was no memory for the names of a folder */
	/* The current file, found by kh_search_walk_next(). */
	int fd; /* of its folder */
	const char *name;
	struct stat status;
	size_t key_n;
	char key[PATH_MAX];
};

/*
 * Begins at FOLDER, an absolute path, after the file with the key AFTER (empty: at the first).  Both are borrowed.
 * KH_EREFUSED `folder_missing` if it does not exist, `folder_unread` if it cannot be read; KH_ENOMEM.
 */
enum kh_err kh_search_walk_init(struct kh_search_walk *walk, const struct kh_alloc *alloc, const char *folder,
				struct kh_view after, struct kh_error *err) KH_CHECKED;

/* The next file; false after the last one. */
bool kh_search_walk_next(struct kh_search_walk *walk);

/* Opens the current file of the walk for reading: -1 if it is gone, or is not a regular file any more. */
int kh_search_walk_open(const struct kh_search_walk *walk);

/* The key of that file. */
struct kh_view kh_search_walk_key(const struct kh_search_walk *walk);

void kh_search_walk_done(struct kh_search_walk *walk);

#endif
