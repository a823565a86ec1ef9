/* For `keyhole doctor`: asks each configured database once, through the executor as an operation would, and finds
 * out what the role on a PostgreSQL server may do besides reading (errand/rights.h). */
#ifndef KH_CLI_DATABASES_H
#define KH_CLI_DATABASES_H

#include "base/arena.h"
#include "base/error.h"
#include "wire/diagnosis.h"

#define KH_DATABASES_ROWS 20

/*
 * Fills in at most KH_DATABASES_ROWS rows, whose texts live in ARENA, and returns how many: none if there is no home
 * folder, or its configuration has no database.  HOME: of --home, or NULL.  A home or configuration that is not usable
 * is a row.  If root opens the home of another user, the process becomes that user, for good.
 */
size_t kh_databases_examine(const char *home, struct kh_arena *arena, struct kh_diagnosis ret_rows[KH_DATABASES_ROWS]);

#endif
