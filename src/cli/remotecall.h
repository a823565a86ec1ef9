/*
 * Operations of the engine, called at a gateway: the same struct goes in and comes out, so that a command prints what it
 * got by the same code, wherever it came from.
 *
 * Members of a result that only the engine itself has, such as rows, stay as they were.
 */
#ifndef KH_CLI_REMOTECALL_H
#define KH_CLI_REMOTECALL_H

#include "cli/remote.h"
#include "engine/engine.h"

/* Calls FN, one of those in the table of remotecall.c.  What comes back is in ARENA. */
enum kh_err kh_remotecall_run(struct kh_remote *remote, kh_engine_fn *fn, void *call, struct kh_arena *arena,
			      struct kh_error *err) KH_CHECKED;

#endif
