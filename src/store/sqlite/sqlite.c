/* Opening and closing a SQLite store, and reading concurrently with its thread. */
#include "store/sqlite/sqlite.h"

#include "store/content.h"
#include "store/sqlite/apart.h"
#include "store/sqlite/beside.h"
#include "store/sqlite/commits.h"
#include "store/sqlite/group.h"
#include "store/sqlite/migration.h"
#include "store/sqlite/row.h"
#include "store/sqlite/trail.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define READERS_KEPT 4
#define PATH_LIMIT   4096
#define SAVED_BYTES  (256 << 10)

struct sqlite_store {
	struct kh_store store; /* first: what others see */
	enum kh_store_mode mode;
	struct kh_connection c; /* the store's thread uses it */
	struct kh_cache cache;  /* likewise; others read from it */
	struct kh_holder holder;
	struct kh_group group;
	pthread_mutex_t mutex; /* guards the pool */
	struct kh_connection *idle;
	size_t idle_count, lent; /* connections that nobody uses, and those that are in use */
	char path[PATH_LIMIT];
};

static struct sqlite_store *of(struct kh_store *store)
{
	return (struct sqlite_store *)store;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static enum kh_err new_reader(struct sqlite_store *s, struct kh_connection **ret_c, struct kh_error *err)
{
	struct kh_connection *c = kh_alloc_zero(&kh_alloc_system, sizeof(*c));

	if (c == NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	enum kh_err e = kh_connection_open(c, s->path, KH_STORE_READ, err);
	if (e != KH_OK) {
		kh_alloc_free(&kh_alloc_system, c, sizeof(*c));
		return e;
	}
	*ret_c = c;
	return KH_OK;
}

/* SOON: only if there is one, or few are in use. */
static enum kh_err take_reader(struct sqlite_store *s, bool soon, struct kh_connection **ret_c, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	pthread_mutex_lock(&s->mutex);
	struct kh_connection *c = s->idle;
	bool busy = soon && c == NULL && s->lent >= READERS_KEPT;
	if (c != NULL) {
		s->idle = c->next;
		s->idle_count--;
	}
	s->lent += !busy;
	pthread_mutex_unlock(&s->mutex);
	if (busy)
		return kh_error_set(err, KH_ESTORE, "store_busy", "many are reading already");
	if (c == NULL)
		e = new_reader(s, &c, err);
	if (e != KH_OK) {
		pthread_mutex_lock(&s->mutex);
		s->lent--;
		pthread_mutex_unlock(&s->mutex);
		return e;
	}
	*ret_c = c;
	return KH_OK;
}

static void free_reader(struct kh_connection *c)
{
	kh_connection_close(c);
	kh_alloc_free(&kh_alloc_system, c, sizeof(*c));
}

static void give_back(struct sqlite_store *s, struct kh_connection *c, bool good)
{
	pthread_mutex_lock(&s->mutex);
	s->lent--;
	if (good && s->idle_count < READERS_KEPT) {
		c->next = s->idle;
		s->idle = c;
		s->idle_count++;
		c = NULL;
	}
	pthread_mutex_unlock(&s->mutex);
	if (c != NULL)
		free_reader(c);
}

/* A scratch store exists only in one connection, so reads from it are operations of its thread. */
struct reading {
	kh_store_fn *fn;
	void *arg;
};

static enum kh_err read_as_operation(struct kh_txn *txn, void *arg)
{
	struct reading *r = arg;

	txn->reading = true;
	enum kh_err e = r->fn(txn, r->arg);
	txn->reading = false;
	return e;
}

static enum kh_err run_reading(struct kh_store *store, kh_store_fn *fn, void *arg, enum kh_backend_reading how,
			       struct kh_error *err)
{
	struct sqlite_store *s = of(store);
	struct kh_connection *c = NULL;
	bool soon = how != KH_READING_SNAPSHOT, kept = how == KH_READING_KEPT;

	if (s->mode == KH_STORE_SCRATCH && soon)
		return kh_error_set(err, KH_ESTORE, "store_busy", "its thread reads from it");
	if (s->mode == KH_STORE_SCRATCH)
		return kh_store_run(store, read_as_operation, &(struct reading){fn, arg}, err);
	uint64_t moment = kh_cache_moment(&s->cache);
	bool current = soon && kh_cache_is_current(&s->cache);
	if (kept && !current)
		return kh_error_set(err, KH_ESTORE, "store_busy", "another process has written");
	enum kh_err e = take_reader(s, soon, &c, err);
	if (e != KH_OK)
		return e;
	struct kh_savepoint reading = {
		.txn = {.backend = store->backend, .reading = true, .event = -1},
		.c = c,
		.others = current ? &s->cache : NULL,
		.kept = kept,
	};
	int rc = kh_connection_step(c, KH_CONNECTION_SNAPSHOT);
	if (rc != SQLITE_OK) {
		e = kh_connection_fail(c, rc, err);
	} else {
		e = kh_savepoint_run(&reading, fn, arg, err);
		rc = kh_connection_step(c, KH_CONNECTION_ROLLBACK);
	}
	give_back(s, c, rc == SQLITE_OK && reading.rc == SQLITE_OK);
	if (e == KH_OK && kept && kh_cache_moment(&s->cache) != moment)
		return kh_error_set(err, KH_ESTORE, "store_busy", "something was written meanwhile");
	return e;
}

/* --- the store ---------------------------------------------------------------------------------------------------- */

static void submit(struct kh_store *store, struct kh_store_job *job)
{
	struct sqlite_store *s = of(store);

	if (s->mode != KH_STORE_READ) {
		kh_group_submit(&s->group, job);
		return;
	}
	job->result = kh_error_set(&job->err, KH_ESTORE, "read_only", "the store was opened to be read");
	job->done(job);
}

static void keep_room(struct kh_store *store)
{
	of(store)->group.reserve.wanted = true;
}

static bool holder_alive(struct kh_store *store, int64_t holder)
{
	return kh_holder_alive(&of(store)->holder, holder);
}

static void discard(struct sqlite_store *s)
{
	while (s->idle != NULL) {
		struct kh_connection *c = s->idle;
		s->idle = c->next;
		free_reader(c);
	}
	kh_connection_close(&s->c);
	kh_cache_done(&s->cache);
	kh_holder_close(&s->holder); /* last: the holder stays alive until everything is on the disk */
	kh_content_list_free(s->store.contents);
	pthread_mutex_destroy(&s->mutex);
	kh_alloc_free(&kh_alloc_system, s, sizeof(*s));
}

static void close_store(struct kh_store *store)
{
	struct sqlite_store *s = of(store);

	if (s->mode != KH_STORE_READ)
		kh_group_stop(&s->group);
	discard(s);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* Syncs the folder, so that the name of a new file is durable. */
static enum kh_err sync_folder(const char *path, struct kh_error *err)
{
	struct kh_arena arena;
	const char *slash = strrchr(path, '/');
	int fd = -1, failed = -1;

	kh_arena_init(&arena, NULL, 2 * PATH_LIMIT);
	struct kh_view folder = slash == NULL ? KH_LIT(".")
					      : kh_arena_printf(&arena, "%.*s", (int)(slash - path) + 1, path);
	if (folder.p != NULL)
		fd = open(folder.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		failed = fsync(fd);
		close(fd);
	}
	kh_arena_done(&arena);
	return failed == 0 ? KH_OK
			   : kh_error_set(err, KH_ESTORE, "store_failed", "the store's folder cannot be synced: %s",
					  strerrordesc_np(errno));
}

/* An empty file that exists may be left over from an interrupted creation: migration.c looks into it. */
static enum kh_err make_file(const char *path, struct kh_error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		return KH_OK;
	if (fd < 0 && (errno == ENOSPC || errno == EDQUOT))
		return kh_error_set(err, KH_ESTORE, "store_full", "no room for the store; nothing was recorded");
	if (fd < 0)
		return kh_error_set(err, KH_ESTORE, "store_failed", "the store cannot be made: %s",
				    strerrordesc_np(errno));
	close(fd);
	return sync_folder(path, err);
}

/*
 * Copies the whole log into the database before anything new is written.  A process that died of a failed sync may have
 * left pages in the log that are only in the kernel's memory, and what is acknowledged from now on must not follow
 * them.  If other processes have the store open this returns busy, which is fine: then no process has just died of a
 * failed sync.
 */
static enum kh_err settle_log(struct kh_connection *c, struct kh_error *err)
{
	int64_t patience = c->patience;

	c->patience = 0;
	int rc = sqlite3_wal_checkpoint_v2(c->db, NULL, SQLITE_CHECKPOINT_RESTART, NULL, NULL);
	c->patience = patience;
	if (rc == SQLITE_OK || (rc & 0xff) == SQLITE_BUSY)
		return KH_OK;
	return kh_connection_fail(c, rc, err);
}

static enum kh_err open_files(struct sqlite_store *s, struct kh_error *err)
{
	bool writes = s->mode == KH_STORE_EXISTING || s->mode == KH_STORE_CREATE;
	enum kh_err e = KH_OK;

	if (s->mode == KH_STORE_CREATE)
		e = make_file(s->path, err);
	if (e == KH_OK)
		e = kh_connection_open(&s->c, s->path, s->mode, err);
	if (e == KH_OK)
		e = kh_migration_run(&s->c, &kh_migration_all, s->mode, err);
	if (e == KH_OK && writes)
		e = settle_log(&s->c, err);
	if (e == KH_OK && s->mode != KH_STORE_SCRATCH)
		e = kh_holder_open(&s->holder, s->path, writes, err);
	if (e == KH_OK && writes)
		e = kh_holder_take(&s->holder, &s->c, err);
	return e;
}

static enum kh_err open_store(const char *path, enum kh_store_mode mode, struct kh_store **ret_store,
			      struct kh_error *err)
{
	size_t n = mode == KH_STORE_SCRATCH ? 0 : strlen(path);

	/*
	 * SQLite's memory statistics take a lock at every allocation.  The call is refused once SQLite is in use, which
	 * does no harm.
	 */
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	if (n >= PATH_LIMIT)
		return kh_error_set(err, KH_ELIMIT, NULL, "the path of the store is too long");
	struct sqlite_store *s = kh_alloc_zero(&kh_alloc_system, sizeof(*s));
	if (s == NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	if (n > 0)
		memcpy(s->path, path, n);
	s->store.backend = &kh_sqlite_backend;
	s->mode = mode;
	s->holder = KH_HOLDER_NONE;
	pthread_mutex_init(&s->mutex, NULL);
	kh_cache_init(&s->cache);
	s->store.contents = kh_content_list_new();
	enum kh_err e = s->store.contents != NULL ? open_files(s, err)
						  : kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	s->store.holder = s->holder.number;
	s->c.cache = &s->cache;
	if (e == KH_OK && (mode == KH_STORE_EXISTING || mode == KH_STORE_CREATE))
		s->cache.commits = kh_commits_of(&s->c);
	s->group.c = &s->c;
	s->group.holder = &s->holder;
	s->group.backend = &kh_sqlite_backend;
	s->group.store = &s->store;
	s->group.scratch = mode == KH_STORE_SCRATCH;
	s->group.copying.path = s->group.scratch ? NULL : s->path;
	kh_reserve_init(&s->group.reserve, s->path);
	if (s->group.scratch)
		s->group.reserve.path[0] = '\0';
	if (e == KH_OK && mode != KH_STORE_READ)
		e = kh_group_start(&s->group, err);
	if (e != KH_OK) {
		discard(s);
		return e;
	}
	*ret_store = &s->store;
	return KH_OK;
}

const struct kh_backend kh_sqlite_backend = {
	.get = kh_row_get,
	.peek = kh_row_peek,
	.insert = kh_row_insert,
	.update = kh_row_update,
	.next_id = kh_row_next_id,
	.find = kh_row_find,
	.each = kh_row_each,
	.agrees = kh_row_agree,
	.last_event = kh_trail_last,
	.append = kh_trail_append,
	.read = kh_trail_read,
	.entry = kh_trail_entry,
	.add_checkpoint = kh_trail_add_checkpoint,
	.checkpoint = kh_trail_checkpoint,
	.kept_put = kh_beside_put,
	.kept_each = kh_beside_each,
	.kept_count = kh_beside_count,
	.kept_remove = kh_beside_remove,
	.content_new = kh_apart_new,
	.content_add = kh_apart_add,
	.content_next = kh_apart_next,
	.content_drop = kh_apart_drop,
	.content_remove = kh_apart_remove,
	.open = open_store,
	.close = close_store,
	.submit = submit,
	.run_reading = run_reading,
	.holder_alive = holder_alive,
	.keep_room = keep_room,
};
