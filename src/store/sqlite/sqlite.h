/*
 * The SQLite store (D1): the backend's table of functions, and opening.
 *
 * A file PATH with its log (PATH-wal, PATH-shm) and its file of locks (PATH-holders), all 0600.  WAL, synchronous FULL:
 * a commit is on the disk when COMMIT returns.
 */
#ifndef KH_STORE_SQLITE_SQLITE_H
#define KH_STORE_SQLITE_SQLITE_H

#include "store/store.h"

enum kh_err kh_sqlite_open(const char *path, enum kh_store_mode mode, struct kh_store **ret_store,
			   struct kh_error *err) KH_CHECKED;

#endif
