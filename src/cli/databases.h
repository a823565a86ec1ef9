/*
 * For `keyhole doctor`: each database of the configuration asked once, through the executor as an operation would, and
 * what the role of a PostgreSQL server may do besides reading (errand/rights.h).
 */
#ifndef KH_CLI_DATABASES_H
#define KH_CLI_DATABASES_H

#include "base/arena.h"
#include "base/error.h"
#include "wire/diagnosis.h"

#define KH_DATABASES_ROWS 20

/*
 * Fills in at most KH_DATABASES_ROWS rows, whose texts live in ARENA, and says how many: none where there is no home folder, or
 * its configuration has no database.  HOME: of --home, or NULL.  A home or configuration that is not usable is a row.
 * Root on the home of another user becomes that user, for good.
 */
size_t kh_databases_examine(const char *home, struct kh_arena *arena, struct kh_diagnosis ret_rows[KH_DATABASES_ROWS]);

#endif
