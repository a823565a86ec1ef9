/*
 * What a configuration names on this machine, for `keyhole doctor`: folders, database files, authorities, programs,
 * secrets.  Each is opened as an operation would open it, and closed again; nothing is read out of it or changed.
 */
#ifndef KH_CLI_CHECKUP_H
#define KH_CLI_CHECKUP_H

#include "home/home.h"
#include "wire/diagnosis.h"

/* Looks at everything that the configuration of HOME names (KH_HOME_LOOK is enough).  The rows live in the home's
 * arena; *RET_COUNT is 0 where it names nothing, and there are none at all for lack of memory. */
struct kh_diagnosis *kh_checkup_run(struct kh_home *home, size_t *ret_count);

#endif
