/*
 * A disk that fails: a layer over SQLite's own file layer (a VFS), which becomes the default one.  It counts the calls
 * that write (write, truncate, sync, delete) and at the n-th does what it was told.  Power loss is what a disk does
 * that has lost some of what was not synced: every write since the last sync of its file is undone, or not, by a seed.
 */
#ifndef KH_TESTS_CRASH_DISK_H
#define KH_TESTS_CRASH_DISK_H

#include <stdbool.h>
#include <stdint.h>

enum disk_harm {
	DISK_NONE,
	DISK_KILL_BEFORE, /* SIGKILL before the call */
	DISK_KILL_AFTER,  /* after it */
	DISK_TORN,        /* after half of a write */
	DISK_POWER,       /* after the call, with what was not synced lost in part */
	DISK_WRITE_FAILS, /* EIO, from then on */
	DISK_SYNC_FAILS,  /* syncs fail, from then on */
	DISK_FULL,        /* no room, for the next calls; then there is some again */
	DISK_HARMS
};

struct disk {
	enum disk_harm harm;
	uint64_t at;    /* the call; 0: never */
	uint64_t seed;  /* of DISK_POWER */
	uint64_t calls; /* so far */
};

/* Puts the layer in, for the life of this process.  DISK is read and written at every call, and may be shared memory.
 */
bool disk_install(struct disk *disk);

const char *disk_name(enum disk_harm harm);

#endif
