/*
 * The lockdown of a process that serves a home (lockdown.h): what of the machine it keeps is worked out from the home
 * and its configuration, and everything that can be opened only before is opened.
 */
#ifndef KH_HOME_CONFINE_H
#define KH_HOME_CONFINE_H

#include "home/home.h"

/*
 * Leaves this process the home folder, the folder that keyhole.yaml is in where it is a link to one elsewhere, the
 * witness file (which is made where it is not there), and what it has open.  Before there are threads, and after
 * everything else that needs the machine: sockets, the executor.
 */
enum kh_err kh_confine_home(struct kh_home *home, struct kh_error *err) KH_CHECKED;

/* The same without a home: leaves this process what it has open, and nothing else. */
enum kh_err kh_confine_all(struct kh_error *err) KH_CHECKED;

#endif
