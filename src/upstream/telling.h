/* What upstream servers were found to offer, on its way to the record (U4): told once by each process. */
#ifndef KH_UPSTREAM_TELLING_H
#define KH_UPSTREAM_TELLING_H

#include "upstream/port.h"
#include "upstream/running.h"

struct kh_telling {
	void *context;
	/* Records it; ABOUT: what the server says of itself, as JSON. */
	enum kh_err (*seen)(void *context, const struct kh_running_found *found, struct kh_view about,
			    struct kh_arena *arena, struct kh_error *err);
};

/* Has FOUND recorded, of the server of PORT, unless this process has told the same of it last. */
enum kh_err kh_telling_report(const struct kh_telling *telling, struct kh_port *port,
			      const struct kh_running_found *found, struct kh_arena *arena,
			      struct kh_error *err) KH_CHECKED;

#endif
