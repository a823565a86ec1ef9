/*
 * Which of a sandbox's parts this machine has: each is really tried, in a child process, and undone with it.  For
 * `keyhole doctor`.
 */
#ifndef KH_SANDBOX_PROBE_H
#define KH_SANDBOX_PROBE_H

#include "wire/diagnosis.h"

#define KH_PROBES 20 /* most results */

/* Tries everything, one after the other; RET has room for KH_PROBES.  Returns how many results there are. */
size_t kh_probe_all(struct kh_diagnosis ret[KH_PROBES]);

#endif
