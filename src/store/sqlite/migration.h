/*
 * Versions of the database (D3): SQL texts, each of which brings the previous version to the next.  They only go
 * forward; creating a store means migrating from version 0.  The version is PRAGMA user_version, and PRAGMA
 * application_id says that the file is a store of Keyhole's.
 */
#ifndef KH_STORE_SQLITE_MIGRATION_H
#define KH_STORE_SQLITE_MIGRATION_H

#include "store/sqlite/connection.h"

#define KH_MIGRATION_APPLICATION 0x4b68736f /* "Khso" */

/* What a database of the last version consists of, as the build found it: the columns of each entry, row by row. */
struct kh_migration_form {
	const char *bytes;
	const int *sizes;
	size_t count; /* of sizes */
};

struct kh_migrations {
	const char *const *texts; /* texts[0] makes version 1 */
	size_t count;
	struct kh_migration_form made; /* by all of them; if empty, the texts are run to find out */
};

/* The migrations of this program. */
extern const struct kh_migrations kh_migration_all;

/*
 * Brings the database to the last version, in one transaction.
 *   CREATE     it must be empty, else `store_exists`; if two processes create at once, one succeeds and one is refused
 *   EXISTING   it must not be empty: `store_missing` if it is (a creation that was interrupted)
 *   READ       changes nothing: any version but the last is `store_version`
 *   SCRATCH    like CREATE
 * `store_version` if it is newer, `store_corrupt` if it belongs to another program, or has other tables, indexes,
 * triggers or views than those of its version.
 */
enum kh_err kh_migration_run(struct kh_connection *c, const struct kh_migrations *migrations, enum kh_store_mode mode,
			     struct kh_error *err) KH_CHECKED;

#endif
