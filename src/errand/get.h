/*
 * One GET through the executor (E8, E9): https, redirects within the host, sizes and time bounded, addresses in private
 * ranges only if the configuration names the host.  What comes back is untrusted.
 */
#ifndef KH_ERRAND_GET_H
#define KH_ERRAND_GET_H

#include "errand/errand.h"
#include "outside/client.h"

struct kh_get_result {
	bool done;       /* a complete response came, with any status */
	unsigned status; /* 0: none came */
	enum kh_fault fault;
	struct kh_tainted url, location, type, body; /* the URL that answered; the redirect's target; Content-Type */
	struct kh_view why;                          /* if it is not done: our own sentence */
};

/* Carries FETCH out, in WALL_MS milliseconds, and wipes it: a header can be a key.  Fails only for lack of memory. */
enum kh_err kh_get_run(const struct kh_client *client, struct kh_fetch *fetch, uint64_t wall_ms, struct kh_arena *arena,
		       struct kh_get_result *ret_result) KH_CHECKED;

#endif
