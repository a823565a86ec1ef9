/*
 * The sockets that a gateway listens on: those that a service manager passed ($LISTEN_FDS), else the configured ones.
 * TCP sockets are for HTTP, a Unix socket is for relays (I9).
 *
 * The same rules hold for both: an address that others can reach needs TLS or the operator's explicit consent, and the
 * host names that clients use for it.
 */
#ifndef KH_HOME_SOCKETS_H
#define KH_HOME_SOCKETS_H

#include "base/error.h"
#include "core/policy/config.h"
#include "home/folder.h"

#include <sys/types.h>

#define KH_SOCKETS_HTTP 16
#define KH_SOCKETS_PATH 108
#define KH_SOCKETS_NAME 64 /* "[2001:db8::1]:65535" */

struct kh_sockets {
	int http[KH_SOCKETS_HTTP];
	char names[KH_SOCKETS_HTTP][KH_SOCKETS_NAME]; /* their addresses, with the port that was picked */
	size_t https;
	int relay;                  /* -1: none */
	char path[KH_SOCKETS_PATH]; /* of the relays' socket; empty: it was passed and has no name */
	bool was_passed;            /* the relays' socket was: then it is not ours to remove */
	dev_t device;
	ino_t inode;
};

struct kh_sockets_wish {
	const struct kh_config_gateway *gateway;
	const struct kh_folder *folder; /* the home folder, open */
	const char *const *listen;      /* addresses that replace the configured ones; LISTENS of them */
	size_t listens;
	const char *socket; /* replaces the configured one; NULL: the configured one */
};

/* Opens them all.  Call it before there are threads, and before the lockdown.  A socket file that nobody listens on
 * is replaced.  KH_EREFUSED `address_in_use`, `address_exposed`; KH_EINPUT `address_unusable`. */
enum kh_err kh_sockets_open(const struct kh_sockets_wish *wish, struct kh_arena *arena, struct kh_sockets *ret_sockets,
			    struct kh_error *err) KH_CHECKED;

/* Closes what is left of them (http[i] and relay that are not -1), and removes the relays' file if it is ours.  Call
 * it while the new owner of the relays' socket still listens, because a file that nobody listens on may be replaced. */
void kh_sockets_close(struct kh_sockets *sockets);

/* Returns the path of the relays' socket: NAMED, in the home folder if it is not absolute. */
enum kh_err kh_sockets_path(const struct kh_folder *folder, struct kh_arena *arena, struct kh_view named,
			    char ret_path[KH_SOCKETS_PATH], struct kh_error *err) KH_CHECKED;

/* Connects to the Unix socket at PATH; returns -1 and sets errno if nobody listens. */
int kh_sockets_connect(const char *path);

#endif
