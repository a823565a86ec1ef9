/*
 * The lockdown of a process that serves a home (sandbox/lockdown.h).  This file works out, from the home and its
 * configuration, what of the machine the process keeps, and opens everything that can only be opened before the
 * lockdown.
 */
#ifndef KH_HOME_CONFINE_H
#define KH_HOME_CONFINE_H

#include "home/home.h"

/*
 * Leaves this process the home folder, the folder that keyhole.yaml is in if it is a link to one elsewhere, the folder of
 * the witness file, and what it has open.  Call it before there are threads, and after everything else that
 * needs the machine: sockets, the executor.
 */
enum kh_err kh_confine_home(struct kh_home *home, struct kh_error *err) KH_CHECKED;

/* Leaves this process only what it has open, for a process without a home. */
enum kh_err kh_confine_all(struct kh_error *err) KH_CHECKED;

#endif
