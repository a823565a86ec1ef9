/*
 * Copies the log into the database, on a thread and a connection of its own, while the store's thread goes on.  If the
 * store's thread did it, all callers would wait for that long, and could tell from it how much others have written.
 */
#ifndef KH_STORE_SQLITE_COPYING_H
#define KH_STORE_SQLITE_COPYING_H

#include "store/sqlite/connection.h"

#include <pthread.h>

struct kh_copying {
	const char *path; /* of the store; NULL: there is no file */
	struct kh_connection c;
	pthread_t thread;
	bool begun, ended; /* there is a thread to be waited for; it has nothing more to do (atomic) */
	/* of the thread */
	int rc;     /* of SQLite */
	int copied; /* pages of the log that are in the database now */
};

/* Begins to copy what the log has now; false: there is no thread or connection for that. */
bool kh_copying_begin(struct kh_copying *copying) KH_CHECKED;

/* Whether it has begun, and has not ended yet. */
bool kh_copying_is_busy(const struct kh_copying *copying);

/* Waits until it has ended, and returns how: SQLITE_OK, or a failure as kh_connection_told() reports it. */
int kh_copying_end(struct kh_copying *copying);

/* Waits, and closes the connection. */
void kh_copying_done(struct kh_copying *copying);

#endif
