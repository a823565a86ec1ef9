/*
 * The SQLite backend of the store (D1).
 *
 * It has a file PATH with its log (PATH-wal, PATH-shm) and its lock file (PATH-holders), all 0600.  WAL and synchronous
 * FULL: a commit is on the disk when COMMIT returns.
 */
#ifndef KH_STORE_SQLITE_SQLITE_H
#define KH_STORE_SQLITE_SQLITE_H

#include "store/backend.h"

extern const struct kh_backend kh_sqlite_backend;

#endif
