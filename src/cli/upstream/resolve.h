/*
 * From the command of a client's configuration to a program that can be started in a sandbox: nothing is downloaded
 * there, so `npx -y PACKAGE` and `uvx PACKAGE` become an installed copy.
 */
#ifndef KH_CLI_UPSTREAM_RESOLVE_H
#define KH_CLI_UPSTREAM_RESOLVE_H

#include "base/error.h"
#include "core/policy/schema.h"

/* Where installed copies are looked for. */
struct kh_resolve_places {
	struct kh_view home;   /* Keyhole's home folder: servers/NAME below it comes first */
	const char *user_home; /* $HOME; NULL: unknown */
	const char *path;      /* $PATH; NULL: unknown */
	struct kh_view here;   /* the folder that the client's file is in, or the working directory; or empty */
};

struct kh_resolved {
	struct kh_texts argv;   /* the first is an absolute path */
	struct kh_view program; /* the folder of the program; or empty */
	struct kh_texts read;   /* what the program needs besides: an interpreter outside of /usr */
	size_t own;             /* the arguments before this one are the program's, not its user's */
	struct kh_view problem; /* why there is none, and what to do; empty: there is one */
};

/* Resolves ARGV for the server NAME.  KH_ENOMEM alone is a failure; everything else is a problem. */
enum kh_err kh_resolve_command(struct kh_arena *arena, const struct kh_resolve_places *places, struct kh_view name,
			       const struct kh_texts *argv, struct kh_resolved *ret_resolved) KH_CHECKED;

#endif
