/*
 * Group commit: one thread takes the waiting operations, runs them in one transaction, each in a savepoint, commits,
 * and tells each its result.  While it waits for the disk, the next group gathers.
 */
#ifndef KH_STORE_SQLITE_GROUP_H
#define KH_STORE_SQLITE_GROUP_H

#include "store/sqlite/copying.h"
#include "store/sqlite/holder.h"
#include "store/sqlite/reserve.h"
#include "store/sqlite/savepoint.h"

#include <pthread.h>

#define KH_GROUP_MOST 2048 /* operations in one commit */

struct kh_group {
	struct kh_connection *c;
	const struct kh_holder *holder;
	const struct kh_backend *backend;
	struct kh_store *store; /* whose figures and heads it keeps */
	bool scratch;
	struct kh_reserve reserve; /* used by the thread only, except for `wanted` */

	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t more;
	struct kh_store_job *first, *last; /* the waiting operations */
	bool closing, asleep;

	/* used by the thread only */
	struct kh_savepoint_grown grown;
	struct kh_copying copying;
	bool wrote;             /* the last transaction put something into the log */
	int64_t pages;          /* of the log */
	int64_t copied_at;      /* how many it had when it was copied last */
	unsigned rounds;        /* copies since then */
	bool failed;            /* nothing is certain any more */
	struct kh_error reason; /* why it failed */
};

/* Starts the thread.  The caller still owns everything in G, but only the thread uses it until kh_group_stop(). */
enum kh_err kh_group_start(struct kh_group *g, struct kh_error *err) KH_CHECKED;

/* Waits for the submitted operations, and ends the thread. */
void kh_group_stop(struct kh_group *g);

void kh_group_submit(struct kh_group *g, struct kh_store_job *job);

#endif
