/*
 * How much room a file system has, and how much of it is kept free.
 *
 * Below the floor nothing new is begun, so that the end of what was begun can still be recorded.
 */
#ifndef KH_BASE_DISKROOM_H
#define KH_BASE_DISKROOM_H

#include <stdbool.h>
#include <stdint.h>

#define KH_DISKROOM_MOST  (UINT64_C(128) << 20) /* the floor of a large file system */
#define KH_DISKROOM_SHARE 16                    /* of a small one: a 16th of it */

struct kh_diskroom {
	uint64_t free;  /* bytes that an ordinary process can still write */
	uint64_t floor; /* bytes that are kept free */
};

/* Of the file system of PATH.  False with errno if it cannot be found out. */
bool kh_diskroom_of(const char *path, struct kh_diskroom *ret_room);

/* True if there is less than the floor.  A file system that cannot be asked is not low: whoever writes is told. */
bool kh_diskroom_is_low(const char *path);

/* What was found out lately.  Zeroed but for its path. */
struct kh_diskroom_recent {
	const char *path;
	int64_t asked; /* kh_clock_us(); with atomic operations only */
	bool low;      /* likewise */
};

/*
 * The same, as of the last KH_DISKROOM_RECENT microseconds: for those who ask thousands of times a second.  In that time
 * a disk takes in far less than the floor.
 */
#define KH_DISKROOM_RECENT 20000
bool kh_diskroom_was_low(struct kh_diskroom_recent *recent);

#endif
