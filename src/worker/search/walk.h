/*
 * A walk over the regular files below a folder, in the order of their keys (worker/search/store.h), while others may change
 * it: what was there when its folder was read, if it still is when its turn comes.
 *
 * No link is followed and no file opened.  Left out: names that begin with a dot, and what is deeper than
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
	struct kh_search_walk_name *names; /* in order */
	size_t count, next;
	size_t key; /* bytes of the folder's own key */
};

struct kh_search_walk {
	const struct kh_alloc *alloc;
	struct kh_view after; /* keys up to here are passed over; empty: none */
	struct kh_search_walk_level level[KH_SEARCH_WALK_DEPTH];
	size_t depth;
	size_t unread;  /* folders that could not be read, or not whole */
	bool no_memory; /* the walk is not to be relied on: there was no memory for the names of a folder */
	/* Of the file that kh_search_walk_next() has come to. */
	int fd; /* of its folder */
	const char *name;
	struct stat status;
	size_t key_n;
	char key[PATH_MAX];
};

/*
 * Begins at FOLDER, an absolute path, after the file with the key AFTER (empty: at the first).  Both are borrowed.
 * KH_EREFUSED `folder_missing` if it is not there, `folder_unread` if it cannot be read; KH_ENOMEM.
 */
enum kh_err kh_search_walk_init(struct kh_search_walk *walk, const struct kh_alloc *alloc, const char *folder,
				struct kh_view after, struct kh_error *err) KH_CHECKED;

/* The next file; false after the last one. */
bool kh_search_walk_next(struct kh_search_walk *walk);

/* Opens the file that the walk has come to, to read: -1 where it is gone, or no regular file any more. */
int kh_search_walk_open(const struct kh_search_walk *walk);

/* The key of that file. */
struct kh_view kh_search_walk_key(const struct kh_search_walk *walk);

void kh_search_walk_done(struct kh_search_walk *walk);

#endif
