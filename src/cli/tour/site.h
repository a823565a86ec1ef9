/*
 * A web site for the tour: https on a loopback port, with a certificate of an authority that is made for it and removed
 * with it.  Served by `openssl s_server`, so that Keyhole fetches from a program that is not its own.
 *
 * A page is a file in the site's folder: the whole response, headers included.
 */
#ifndef KH_CLI_TOUR_SITE_H
#define KH_CLI_TOUR_SITE_H

#include "base/arena.h"
#include "base/error.h"

#include <sys/types.h>

#define KH_SITE_NAMES "IP:127.0.0.1,DNS:localhost" /* the names in its certificate */

struct kh_site {
	pid_t pid; /* 0: it is not running */
	unsigned port;
	const char *folder, *authority, *log; /* paths */
};

/* Makes FOLDER (an absolute path), authority and certificate, and starts the server.  KH_EUNKNOWN `cannot_run` if
 * there is no openssl here, KH_EINPUT `cannot_run` if it does not work as expected. */
enum kh_err kh_site_start(struct kh_arena *arena, const char *folder, struct kh_site *ret_site,
			  struct kh_error *err) KH_CHECKED;

/* Returns the requests so far, from its own log: a path a line, in the order of the requests. */
enum kh_err kh_site_asked(const struct kh_site *site, struct kh_arena *arena, struct kh_view *ret_lines) KH_CHECKED;

/* Stops it.  The folder stays. */
void kh_site_stop(struct kh_site *site);

#endif
