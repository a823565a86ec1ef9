/* `keyhole init`: makes a home folder, whole or not at all. */
#ifndef KH_CLI_INIT_INIT_H
#define KH_CLI_INIT_INIT_H

#include "base/canonical.h"
#include "cli/init/init_reader.h"
#include "cli/init/init_system.h"

/*
 * Makes the folder at PATH (and those above it that are missing), with CONFIG as its keyhole.yaml, a store, a key for
 * the record, and a token for each of admin, reviewer, host and controller.  KH_EREFUSED `home_exists` if there is
 * one.  If it fails, what was made is removed again.
 */
struct kh_init {
	struct kh_view path, config;
	const char
		*link; /* where keyhole.yaml is kept instead: the home gets a link to it; NULL: the home has the file */
	/* out */
	struct kh_digest audit_key; /* the public one */
	bool left;                  /* something could not be removed */
};
enum kh_err kh_init_home(struct kh_arena *arena, struct kh_init *init, struct kh_error *err) KH_CHECKED;

/* Returns the keyhole.yaml of a new home: every section is explained, and every value is the default, except the
 * section READERS if it is not empty, and the relays' socket, which is SOCKET if that is not NULL.  {NULL, 0}: out of
 * memory. */
struct kh_view kh_init_config(struct kh_arena *arena, struct kh_view readers, const char *socket);

struct kh_init_args {
	struct kh_init_system system;
	struct kh_init_reader reader;
};

/* The command; its arguments are a struct kh_init_args. */
int kh_init_run(struct kh_frame *f);

#endif
