/*
 * One GET through the executor (E8, E9): https, redirects within the host, sizes and time bounded, addresses in private
 * ranges only if the configuration names the host.  What comes back is untrusted.
 */
#ifndef KH_ERRAND_GET_H
#define KH_ERRAND_GET_H

#include "errand/errand.h"
#include "outside/client.h"

#define KH_GET_REDIRECTS 5 /* of comm.fetch */

struct kh_get {
	struct kh_view url;
	const struct kh_view *hosts; /* whose addresses may be in any range; KH_REQUEST_HOSTS of them count */
	size_t host_count;
	struct kh_view authority; /* a file of CAs in place of the system's, or empty */
	const struct kh_view *headers;
	size_t header_count;
	bool plain;         /* http is granted */
	unsigned redirects; /* followed within the host */
	uint64_t wall_ms;
	size_t most; /* bytes of the body, decompressed; more is a failure */
};

struct kh_get_result {
	bool done;       /* a complete response came, with any status */
	unsigned status; /* 0: none came */
	enum kh_fault fault;
	struct kh_tainted url, location, type, body; /* the URL that answered; the redirect's target; Content-Type */
	struct kh_view why;                          /* if it is not done: our own sentence */
};

/* Fails only for lack of memory. */
enum kh_err kh_get_run(const struct kh_client *client, const struct kh_get *get, struct kh_arena *arena,
		       struct kh_get_result *ret_result) KH_CHECKED;

#endif
