/*
 * Room that is kept for the store: a file beside it, with blocks but without content, that is emptied when a write found
 * no room.  So what began before the disk was full can still be recorded.  It is made again when there is room.
 *
 * Only a process that lives long keeps it (kh_store_keep_room); every process that finds no room empties it.
 */
#ifndef KH_STORE_SQLITE_RESERVE_H
#define KH_STORE_SQLITE_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#define KH_RESERVE_PATH 4112                /* bytes of the path, with its NUL */
#define KH_RESERVE_MOST (UINT64_C(8) << 20) /* bytes; on a small disk half of what is kept free of it */

struct kh_reserve {
	char path[KH_RESERVE_PATH]; /* empty: the store has none */
	_Atomic bool wanted;        /* this process keeps it */
	bool held;                  /* it is there, as far as this process knows */
	int64_t again_us;           /* when to try next, on the monotonic clock */
};

/* The reserve of the store at PATH; nothing is made yet. */
void kh_reserve_init(struct kh_reserve *reserve, const char *path);

/* Makes it if it is wanted, not there, and there is room for it.  Cheap if there is nothing to do. */
void kh_reserve_hold(struct kh_reserve *reserve);

/* A write found no room: gives the blocks back. */
void kh_reserve_release(struct kh_reserve *reserve);

#endif
