/* The tour's upstream: an MCP server of the user's own behind Keyhole, which gives a poisoned mail and, once it was
 * trusted, changes what it says of its tool.  It is a shell script, because every machine has a shell. */
#ifndef KH_CLI_TOUR_UPSTREAM_H
#define KH_CLI_TOUR_UPSTREAM_H

#include "cli/tour/stage.h"

struct kh_tour_upstream {
	const char *task; /* that has the mail, sealed; NULL: there is no server, because there is no sandbox */
};

/* The server is added, reviewed, approved and called, and a question about the mail is answered.  If this machine has no
 * sandbox, the tour says so, and both steps are left out. */
void kh_tour_upstream_call(struct kh_stage *s, struct kh_tour_upstream *upstream);

/* The server changes its tool: the next call does not reach it, and a human sees the difference. */
void kh_tour_upstream_changed(struct kh_stage *s, const struct kh_tour_upstream *upstream);

#endif
