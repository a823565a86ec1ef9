/*
 * A web site for the tour: https on a port of loopback, by a certificate of an authority that is made for it and gone
 * with it.  Served by `openssl s_server`, so that what Keyhole fetches from is somebody else's program.
 *
 * A page is a file of the site's folder: the whole response, head and all.
 */
#ifndef KH_CLI_TOUR_SITE_H
#define KH_CLI_TOUR_SITE_H

#include "base/arena.h"
#include "base/error.h"

#include <sys/types.h>

#define KH_SITE_NAMES "IP:127.0.0.1,DNS:localhost" /* what its certificate is for */

struct kh_site {
	pid_t pid; /* 0: it does not run */
	unsigned port;
	const char *folder, *authority, *log; /* paths */
};

/*
 * Makes FOLDER (an absolute path), authority and certificate, and starts the server.  KH_EUNKNOWN `cannot_run` where
 * there is no openssl here, KH_EINPUT `cannot_run` where it does not do as it should.
 */
enum kh_err kh_site_start(struct kh_arena *arena, const char *folder, struct kh_site *ret_site,
			  struct kh_error *err) KH_CHECKED;

/* What it was asked for so far, by its own log: a path a line, in the order of the requests. */
enum kh_err kh_site_asked(const struct kh_site *site, struct kh_arena *arena, struct kh_view *ret_lines) KH_CHECKED;

/* Ends it.  The folder stays. */
void kh_site_stop(struct kh_site *site);

#endif
