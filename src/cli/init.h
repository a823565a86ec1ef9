/* `keyhole init`: makes a home folder, whole or not at all. */
#ifndef KH_CLI_INIT_H
#define KH_CLI_INIT_H

#include "base/canonical.h"
#include "home/folder.h"

/*
 * Makes the folder at PATH (and those above it that are missing), with CONFIG as its keyhole.yaml, a store, a key for
 * the record, and a token for each of admin, reviewer, host and controller.  KH_EREFUSED `home_exists` where there is
 * one.  What was made is removed again where it fails.
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

/* The keyhole.yaml that a new home gets: every section explained, every value in it the default, but SOCKET as that of
 * relays where it is not NULL.  {NULL, 0}: out of memory. */
struct kh_view kh_init_config(struct kh_arena *arena, const char *socket);

int kh_init_main(int argc, char **argv);

#endif
