/*
 * How much room a folder takes, and whether that is too much: for the workspace of a task, in which hostile programs
 * write while it is counted.
 *
 * The count follows no link and leaves no file system.  It is bounded: more files or deeper folders than the bounds are
 * too much as well, and so is a folder that cannot be read, because what is in it cannot be counted.  A program can hide
 * files from the count by moving them, or by removing files that it has open; what it takes in truth, the disk's own
 * count shows, and that is looked at too.
 */
#ifndef KH_ERRAND_USAGE_H
#define KH_ERRAND_USAGE_H

#include "base/view.h"

#define KH_USAGE_FILES 100000 /* files and folders */
#define KH_USAGE_DEPTH 64     /* folders in each other */

struct kh_usage {
	const char *path;  /* the folder, NUL-terminated */
	uint64_t most;     /* bytes */
	const char *over;  /* what is too much, as the end of a sentence; NULL: nothing yet */
	int64_t counts_ms; /* when to count next, on the monotonic clock */
};

/* False if it is too much, and then USAGE->over says what.  Asks the disk each time; counts files only so often that it
 * takes a tenth of the time. */
bool kh_usage_look(struct kh_usage *usage);

#endif
