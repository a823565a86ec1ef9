/* What a configuration names on this machine, for `keyhole doctor`: folders, database files, authorities, programs,
 * secrets.  Each is opened as an operation would open it, and closed again; nothing is read from it or changed. */
#ifndef KH_CLI_CHECKUP_H
#define KH_CLI_CHECKUP_H

#include "home/home.h"
#include "wire/diagnosis.h"

/* Checks everything that the configuration of HOME names (KH_HOME_LOOK is enough).  The rows live in the home's
 * arena; *RET_COUNT is 0 if it names nothing, or if there is no memory. */
struct kh_diagnosis *kh_checkup_run(struct kh_home *home, size_t *ret_count);

/* Asks each database of the configuration once, through an executor as an operation would, and finds out what the role
 * on a PostgreSQL server may do besides reading (errand/rights.h). */
struct kh_diagnosis *kh_checkup_databases(struct kh_home *home, size_t *ret_count);

#endif
