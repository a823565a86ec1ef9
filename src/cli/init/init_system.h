/*
 * `keyhole init --system` (I9): a gateway for the machine, with a user of its own.
 *
 *     /etc/keyhole/keyhole.yaml     root's; everybody may read it, there is no secret in it
 *     /etc/keyhole/tokens/          root's alone: admin, reviewer, host and controller
 *     /var/lib/keyhole/             the home folder, 0700, of the user keyhole: store and key; keyhole.yaml is a link
 *     /run/keyhole/                 the user's; the socket of relays
 *
 * The gateway's own user has no token, because it decides for its callers and calls nobody.
 */
#ifndef KH_CLI_INIT_INIT_SYSTEM_H
#define KH_CLI_INIT_INIT_SYSTEM_H

#include "cli/init/init_reader.h"

struct kh_init_system {
	bool is_wanted;   /* --system */
	const char *user; /* NULL: keyhole */
	const char *root; /* NULL: / */
};

/* Returns the exit status. */
int kh_init_system_run(struct kh_frame *f, const struct kh_init_system *system, const struct kh_init_reader *reader);

#endif
