/*
 * What an upstream server is run from, as one digest (U4): its arguments, the names of its variables and secrets, what it
 * may see and reach, and the contents of its program.  For a server over HTTP: its URL and the names of its headers.
 *
 * A program's contents are its folder (`program`), and whatever of its arguments is a granted file.  What comes with the
 * system (/usr) is not counted, because the system's updates are the administrator's own.
 */
#ifndef KH_UPSTREAM_PROGRAM_H
#define KH_UPSTREAM_PROGRAM_H

#include "base/canonical.h"
#include "core/policy/settings.h"
#include "outside/client.h"

struct kh_program {
	const struct kh_client *client;
	const struct kh_config_upstream *up;

	int64_t until_ms; /* of kh_clock_ms() */
};

/* KH_EREFUSED `program_unreadable` with the reason if a part of it cannot be read, is too large, or takes too long. */
enum kh_err kh_program_digest(const struct kh_program *program, struct kh_arena *arena, struct kh_digest *ret_digest,
			      struct kh_error *err) KH_CHECKED;

#endif
