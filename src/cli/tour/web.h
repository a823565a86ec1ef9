/* The tour's external operations: one is declared, approved, fetched in the sandbox from the tour's own site
 * (site.h), and sealed; another, which the fetched page asks for, is held. */
#ifndef KH_CLI_TOUR_WEB_H
#define KH_CLI_TOUR_WEB_H

#include "cli/tour/site.h"
#include "cli/tour/stage.h"

#define KH_TOUR_WEB_PAGE "offer.html" /* also a file of the tour's folder */

struct kh_tour_web {
	struct kh_site site; /* pid 0: there is none */
	const char *task;    /* that has the page, sealed */
};

/* Starts the site, if that is possible; and stops it. */
void kh_tour_web_start(struct kh_stage *s, struct kh_tour_web *web);
void kh_tour_web_stop(struct kh_tour_web *web);

/* Brings a poisoned page into a task.  If this machine has no sandbox, or no openssl to serve the page with, the
 * tour says so and puts the page in by hand. */
void kh_tour_web_fetch(struct kh_stage *s, struct kh_tour_web *web);

/* The agent does what the page says: its call is held. */
void kh_tour_web_held(struct kh_stage *s, const struct kh_tour_web *web);

#endif
