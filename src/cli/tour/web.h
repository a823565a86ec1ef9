/*
 * The tour's way out into the world and back: a need declared, approved, fetched in the sandbox from a site of its own
 * (site.h), sealed; and a call that the fetched page asks for, held.
 */
#ifndef KH_CLI_TOUR_WEB_H
#define KH_CLI_TOUR_WEB_H

#include "cli/tour/site.h"
#include "cli/tour/stage.h"

#define KH_TOUR_WEB_PAGE "offer.html" /* also a file of the tour's folder */

struct kh_tour_web {
	struct kh_site site; /* pid 0: there is none */
	const char *task;    /* that the page is in, sealed */
};

/* Starts the site, where one can be had; and ends it. */
void kh_tour_web_start(struct kh_stage *s, struct kh_tour_web *web);
void kh_tour_web_stop(struct kh_tour_web *web);

/*
 * Brings a poisoned page into a task.  Where this machine has no sandbox, or no openssl to serve the page with, the
 * tour says so and puts the page in by hand.
 */
void kh_tour_web_fetch(struct kh_stage *s, struct kh_tour_web *web);

/* The agent falls for the page: its call is held. */
void kh_tour_web_held(struct kh_stage *s, const struct kh_tour_web *web);

#endif
