/*
 * How many transactions all processes together have committed to a database.  SQLite counts them in the memory that
 * the processes share beside the log (`iChange` of the WAL-index, whose format is documented).  Reading the number
 * takes neither a statement nor a lock, unlike PRAGMA data_version, which is also of one connection only.
 */
#ifndef KH_STORE_SQLITE_COMMITS_H
#define KH_STORE_SQLITE_COMMITS_H

#include "store/sqlite/connection.h"

/* The number, which others change at any time; NULL: it cannot be known.  It is there until C is closed. */
const volatile uint32_t *kh_commits_of(struct kh_connection *c);

#endif
