/*
 * Group commit: one thread takes the operations that wait, runs them in one transaction, each in a savepoint, commits,
 * and tells each how it ended.  While it waits for the disk, the next group gathers.
 */
#ifndef KH_STORE_SQLITE_GROUP_H
#define KH_STORE_SQLITE_GROUP_H

#include "store/sqlite/holder.h"

#include <pthread.h>

#define KH_GROUP_MOST 2048 /* operations of one commit */

struct kh_group {
	struct kh_connection *c;
	const struct kh_holder *holder;
	const struct kh_backend *backend;
	struct kh_store_figures *figures;
	bool scratch;

	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t more;
	struct kh_store_job *first, *last; /* those that wait */
	bool closing, asleep;

	/* the thread's own */
	int64_t behind;         /* pages of the log that are not in the database yet */
	bool failed;            /* nothing is certain any more */
	struct kh_error reason; /* of that */
};

/* Starts the thread.  All that is named stays the caller's, and is the thread's alone until kh_group_stop(). */
enum kh_err kh_group_start(struct kh_group *g, struct kh_error *err) KH_CHECKED;

/* Waits for the operations that were submitted, and ends the thread. */
void kh_group_stop(struct kh_group *g);

void kh_group_submit(struct kh_group *g, struct kh_store_job *job);

#endif
