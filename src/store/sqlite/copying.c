/* One thread for each copying: there are few, and none while nothing is written. */
#include "store/sqlite/copying.h"

#include <errno.h>
#include <signal.h>

static void *copy(void *arg)
{
	struct kh_copying *copying = arg;
	int all = 0;

	errno = 0;
	/* Pages that others still read stay in the log, and all of them stay if there is no room. */
	copying->rc = kh_connection_told(
		sqlite3_wal_checkpoint_v2(copying->c.db, NULL, SQLITE_CHECKPOINT_PASSIVE, &all, &copying->copied));
	__atomic_store_n(&copying->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

bool kh_copying_begin(struct kh_copying *copying)
{
	struct kh_error err;
	sigset_t all, old;

	if (copying->path == NULL || copying->begun)
		return false;
	if (copying->c.db == NULL && kh_connection_open(&copying->c, copying->path, KH_STORE_EXISTING, &err) != KH_OK)
		return false;
	copying->ended = false;
	copying->copied = 0;
	/* Signals belong to the threads of whoever opened the store. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	copying->begun = pthread_create(&copying->thread, NULL, copy, copying) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return copying->begun;
}

bool kh_copying_is_busy(const struct kh_copying *copying)
{
	return copying->begun && !__atomic_load_n(&copying->ended, __ATOMIC_ACQUIRE);
}

int kh_copying_end(struct kh_copying *copying)
{
	if (!copying->begun)
		return SQLITE_OK;
	pthread_join(copying->thread, NULL);
	copying->begun = false;
	return copying->rc;
}

void kh_copying_done(struct kh_copying *copying)
{
	(void)kh_copying_end(copying);
	kh_connection_close(&copying->c);
}
