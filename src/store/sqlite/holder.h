/*
 * Holders: the numbers of open stores, and which of them are alive.
 *
 * The number comes from the database, in a transaction that is durable before anybody uses it, and it only grows; so no
 * row can name a number that a later process is given.  A holder is alive while it has a kernel lock on one byte of a
 * file beside the database, at the offset of the number.  The lock is taken before the number is committed, and it is
 * gone with the open file, however the process ends.  The locks belong to the open file (OFD), not to the process, so
 * two stores in one process see each other; a child that is forked and does not execute another program keeps its
 * parent's holder alive.
 *
 * Byte 0 is a queue for writers: whoever wants to write waits for its lock in turn, and only its owner waits for
 * SQLite's own lock.  So a process that writes all the time does not keep others out.
 */
#ifndef KH_STORE_SQLITE_HOLDER_H
#define KH_STORE_SQLITE_HOLDER_H

#include "store/sqlite/connection.h"

struct kh_holder {
	int fd;         /* -1: none */
	int64_t number; /* 0: none */
};

#define KH_HOLDER_NONE ((struct kh_holder){-1, 0})

/* Opens the lock file beside PATH.  If it does not exist it is made (0600) if MAKE, else there is none. */
enum kh_err kh_holder_open(struct kh_holder *holder, const char *path, bool make, struct kh_error *err) KH_CHECKED;
void kh_holder_close(struct kh_holder *holder);

/* Takes a number, durably. */
enum kh_err kh_holder_take(struct kh_holder *holder, struct kh_connection *c, struct kh_error *err) KH_CHECKED;

bool kh_holder_alive(const struct kh_holder *holder, int64_t number);

/* Waits in the queue for writers (byte 0).  False if it took longer than MS milliseconds. */
bool kh_holder_enter(const struct kh_holder *holder, int64_t ms);
void kh_holder_leave(const struct kh_holder *holder);

#endif
