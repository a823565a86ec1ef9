/* What the calls of one upstream server share: where it is, what goes with every call, its bounds, libcurl. */
#ifndef KH_WORKER_HTTP_SITE_H
#define KH_WORKER_HTTP_SITE_H

#include "wire/upstream.h"
#include "worker/http/mask.h"
#include "worker/http/trust.h"
#include "worker/rate.h"
#include "worker/worker.h"

#define KH_HTTP_SITE_BYTES_A_SECOND (32U << 20) /* of a server's bodies, read on average */
#define KH_HTTP_SITE_BLOCK          1024        /* what bytes are counted in */

struct kh_http_site {
	struct kh_worker *worker; /* the channel to the executor */
	struct kh_curl curl;
	CURLM *multi;
	struct kh_http_trust *trust;
	/* from SERVE */
	struct kh_arena arena;
	struct kh_view url, header[KH_REQUEST_HEADERS], secret[KH_UPSTREAM_SECRETS]; /* lines "Name: value" */
	size_t headers, secrets;
	struct kh_mask mask;
	size_t message; /* bytes of the longest message */
	int64_t idle_ms;
	struct kh_worker_rate messages, bytes; /* of each call, so that none has to wait for another; bytes in blocks */

	struct kh_arena work; /* for one message */
	uint64_t tickets;     /* that were given out */
	char buffer[KH_MESSAGE_MAX];
};

/* Loads libcurl and the system's certificates, so that no file is opened after this. */
enum kh_err kh_http_site_init(struct kh_http_site *site, struct kh_worker *worker, struct kh_error *err) KH_CHECKED;
void kh_http_site_done(struct kh_http_site *site);

/* Takes SERVE; AUTHORITY is a file of certificates that is trusted in place of the system's, or -1.  NULL, or what is
 * wrong with it. */
const char *kh_http_site_serve(struct kh_http_site *site, const struct kh_message *message, int authority);

/* Makes `work` empty, for the next message; what a large one took is given back. */
void kh_http_site_forget(struct kh_http_site *site);

/* Asks the executor for a connection; false if it is gone. */
bool kh_http_site_dial(struct kh_http_site *site, uint64_t ticket) KH_CHECKED;

/* True if LINE is a header whose value is one of the secrets'. */
bool kh_http_site_is_secret(const struct kh_http_site *site, struct kh_view line);

#endif
