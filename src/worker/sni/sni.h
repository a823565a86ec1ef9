/*
 * The worker that reads the first bytes of one connection of a sandboxed program (U2): GREETING in, VERDICT out.  It has
 * nothing but its channel, and answers one of four words.
 */
#ifndef KH_WORKER_SNI_SNI_H
#define KH_WORKER_SNI_SNI_H

#include "worker/worker.h"

/* The whole life of the worker, for `keyhole worker sni`.  Returns the exit status. */
int kh_worker_sni(int channel);

/* The same after the filter. */
int kh_worker_sni_serve(struct kh_worker *worker);

#endif
