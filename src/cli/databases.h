/* For `keyhole doctor`: asks each configured database once, through the executor as an operation would, and finds
 * out what the role on a PostgreSQL server may do besides reading (errand/rights.h). */
#ifndef KH_CLI_DATABASES_H
#define KH_CLI_DATABASES_H

#include "home/home.h"
#include "wire/diagnosis.h"

#define KH_DATABASES_ROWS 20

/* Fills in at most KH_DATABASES_ROWS rows about the databases of HOME, which is open (KH_HOME_LOOK).  Their texts live
 * in the home's arena.  Returns how many. */
size_t kh_databases_examine(struct kh_home *home, struct kh_diagnosis ret_rows[KH_DATABASES_ROWS]);

#endif
