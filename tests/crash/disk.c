/* The failing disk. */
#include "disk.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FULL_CALLS 6    /* so many writes find no room */
#define UNDO_MOST  4096 /* writes between two syncs that can be undone */

struct undo {
	struct file *file;
	sqlite3_int64 offset, size; /* SIZE: of the file before the write */
	int n, had;                 /* bytes written; bytes that were there */
	char *old;
};

struct file {
	sqlite3_file base;
	sqlite3_file *under; /* follows in memory */
};

static struct {
	struct disk *disk;
	sqlite3_vfs vfs, *under;
	sqlite3_io_methods methods;
	pthread_mutex_t mutex;
	struct undo undo[UNDO_MOST];
	int undo_count;
} layer = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static const char *const names[DISK_HARMS] = {"none",       "kill before", "kill after", "torn write",
					      "power loss", "write fails", "sync fails", "disk full"};

const char *disk_name(enum disk_harm harm)
{
	return names[harm];
}

static sqlite3_file *under(sqlite3_file *file)
{
	return ((struct file *)file)->under;
}

static _Noreturn void die(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

static uint64_t dice(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* --- what was not synced ------------------------------------------------------------------------------------------ */

static void remember(sqlite3_file *file, sqlite3_int64 offset, int n)
{
	sqlite3_file *f = under(file);
	struct undo *u = &layer.undo[layer.undo_count];

	if (layer.disk->harm != DISK_POWER || layer.undo_count == UNDO_MOST)
		return;
	*u = (struct undo){.file = (struct file *)file, .offset = offset, .n = n, .old = calloc(1, (size_t)n)};
	if (u->old == NULL || f->pMethods->xFileSize(f, &u->size) != SQLITE_OK)
		abort();
	if (u->size > offset) {
		u->had = u->size - offset < n ? (int)(u->size - offset) : n;
		if (f->pMethods->xRead(f, u->old, u->had, offset) != SQLITE_OK)
			abort();
	}
	layer.undo_count++;
}

/* The file is on the disk now. */
static void forget(sqlite3_file *file)
{
	int kept = 0;

	for (int i = 0; i < layer.undo_count; i++) {
		if (layer.undo[i].file == (struct file *)file)
			free(layer.undo[i].old);
		else
			layer.undo[kept++] = layer.undo[i];
	}
	layer.undo_count = kept;
}

/* The power goes: of what was not synced, newest first, each write is lost or not; or everything is. */
static _Noreturn void lose_power(void)
{
	uint64_t state = layer.disk->seed * 2654435761U + 1;
	bool all = dice(&state) % 2 == 0;

	for (int i = layer.undo_count; i-- > 0;) {
		struct undo *u = &layer.undo[i];
		sqlite3_file *f = u->file->under;
		if (!all && dice(&state) % 2 == 0)
			continue;
		if (u->had > 0)
			(void)f->pMethods->xWrite(f, u->old, u->had, u->offset);
		if (u->had < u->n) {
			sqlite3_int64 size;
			/* A write that made the file longer: what it added is gone, or is zeros. */
			if (f->pMethods->xFileSize(f, &size) == SQLITE_OK && size == u->offset + u->n)
				(void)f->pMethods->xTruncate(f, u->size > u->offset + u->had ? u->size
											     : u->offset + u->had);
			else
				(void)f->pMethods->xWrite(f, u->old + u->had, u->n - u->had, u->offset + u->had);
		}
	}
	die();
}

/* --- the calls that write ----------------------------------------------------------------------------------------- */

enum call { CALL_WRITE, CALL_TRUNCATE, CALL_SYNC, CALL_DELETE };

/* Counts a call; what it should do instead of its work, or SQLITE_OK. */
static int harm(enum call call)
{
	struct disk *d = layer.disk;
	uint64_t n = ++d->calls;

	if (d->at == 0 || n < d->at)
		return SQLITE_OK;
	switch (d->harm) {
	case DISK_KILL_BEFORE:
		die();
	case DISK_WRITE_FAILS:
		return call == CALL_WRITE ? SQLITE_IOERR_WRITE : SQLITE_OK;
	case DISK_SYNC_FAILS:
		return call == CALL_SYNC ? SQLITE_IOERR_FSYNC : SQLITE_OK;
	case DISK_FULL:
		return call == CALL_WRITE && n < d->at + FULL_CALLS ? SQLITE_FULL : SQLITE_OK;
	case DISK_NONE:
	case DISK_KILL_AFTER:
	case DISK_TORN:
	case DISK_POWER:
	case DISK_HARMS:
		break;
	}
	return SQLITE_OK;
}

static void after(void)
{
	struct disk *d = layer.disk;

	if (d->at == 0 || d->calls != d->at)
		return;
	if (d->harm == DISK_KILL_AFTER)
		die();
	if (d->harm == DISK_POWER)
		lose_power();
}

static int disk_write(sqlite3_file *file, const void *p, int n, sqlite3_int64 offset)
{
	sqlite3_file *f = under(file);

	pthread_mutex_lock(&layer.mutex);
	int rc = harm(CALL_WRITE);
	if (rc == SQLITE_OK && layer.disk->harm == DISK_TORN && layer.disk->calls == layer.disk->at) {
		(void)f->pMethods->xWrite(f, p, n / 2, offset);
		die();
	}
	if (rc == SQLITE_OK) {
		remember(file, offset, n);
		rc = f->pMethods->xWrite(f, p, n, offset);
		after();
	}
	pthread_mutex_unlock(&layer.mutex);
	return rc;
}

static int disk_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	pthread_mutex_lock(&layer.mutex);
	int rc = harm(CALL_TRUNCATE);
	if (rc == SQLITE_OK) {
		rc = under(file)->pMethods->xTruncate(under(file), size);
		after();
	}
	pthread_mutex_unlock(&layer.mutex);
	return rc;
}

static int disk_sync(sqlite3_file *file, int flags)
{
	pthread_mutex_lock(&layer.mutex);
	int rc = harm(CALL_SYNC);
	if (rc == SQLITE_OK) {
		rc = under(file)->pMethods->xSync(under(file), flags);
		forget(file);
		after();
	}
	pthread_mutex_unlock(&layer.mutex);
	return rc;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs;
	pthread_mutex_lock(&layer.mutex);
	int rc = harm(CALL_DELETE);
	if (rc == SQLITE_OK) {
		rc = layer.under->xDelete(layer.under, name, sync);
		after();
	}
	pthread_mutex_unlock(&layer.mutex);
	return rc;
}

/* --- the rest goes through ---------------------------------------------------------------------------------------- */

static int disk_close(sqlite3_file *file)
{
	pthread_mutex_lock(&layer.mutex);
	forget(file);
	pthread_mutex_unlock(&layer.mutex);
	return under(file)->pMethods->xClose(under(file));
}

static int disk_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	return under(f)->pMethods->xRead(under(f), p, n, at);
}

static int disk_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return under(f)->pMethods->xFileSize(under(f), size);
}

static int disk_lock(sqlite3_file *f, int lock)
{
	return under(f)->pMethods->xLock(under(f), lock);
}

static int disk_unlock(sqlite3_file *f, int lock)
{
	return under(f)->pMethods->xUnlock(under(f), lock);
}

static int disk_reserved(sqlite3_file *f, int *yes)
{
	return under(f)->pMethods->xCheckReservedLock(under(f), yes);
}

static int disk_control(sqlite3_file *f, int op, void *arg)
{
	return under(f)->pMethods->xFileControl(under(f), op, arg);
}

static int disk_sector(sqlite3_file *f)
{
	return under(f)->pMethods->xSectorSize(under(f));
}

/* As little as a disk can promise: no write is whole by itself. */
static int disk_traits(sqlite3_file *f)
{
	(void)f;
	return 0;
}

static int disk_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **p)
{
	return under(f)->pMethods->xShmMap(under(f), page, size, extend, p);
}

static int disk_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return under(f)->pMethods->xShmLock(under(f), offset, n, flags);
}

static void disk_shm_barrier(sqlite3_file *f)
{
	under(f)->pMethods->xShmBarrier(under(f));
}

static int disk_shm_unmap(sqlite3_file *f, int remove)
{
	return under(f)->pMethods->xShmUnmap(under(f), remove);
}

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
	struct file *f = (struct file *)file;

	(void)vfs;
	f->under = (sqlite3_file *)(f + 1);
	int rc = layer.under->xOpen(layer.under, name, f->under, flags, out);
	f->base.pMethods = rc == SQLITE_OK ? &layer.methods : NULL;
	return rc;
}

bool disk_install(struct disk *disk)
{
	layer.disk = disk;
	layer.under = sqlite3_vfs_find(NULL);
	if (layer.under == NULL)
		return false;
	layer.vfs = *layer.under;
	layer.vfs.szOsFile = (int)sizeof(struct file) + layer.under->szOsFile;
	layer.vfs.zName = "failing";
	layer.vfs.pNext = NULL;
	layer.vfs.xOpen = disk_open;
	layer.vfs.xDelete = disk_delete;
	layer.methods = (sqlite3_io_methods){
		.iVersion = 2,
		.xClose = disk_close,
		.xRead = disk_read,
		.xWrite = disk_write,
		.xTruncate = disk_truncate,
		.xSync = disk_sync,
		.xFileSize = disk_size,
		.xLock = disk_lock,
		.xUnlock = disk_unlock,
		.xCheckReservedLock = disk_reserved,
		.xFileControl = disk_control,
		.xSectorSize = disk_sector,
		.xDeviceCharacteristics = disk_traits,
		.xShmMap = disk_shm_map,
		.xShmLock = disk_shm_lock,
		.xShmBarrier = disk_shm_barrier,
		.xShmUnmap = disk_shm_unmap,
	};
	return sqlite3_vfs_register(&layer.vfs, 1) == SQLITE_OK;
}
