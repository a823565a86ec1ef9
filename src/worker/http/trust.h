/*
 * The certificates of authorities that are trusted, for libcurl.
 *
 * To read all of a system's store takes OpenSSL 20 ms and more, and a connection needs one certificate of it.  So the
 * store is only cut into certificates here, with the name of each.  Before OpenSSL verifies the chain of a server, those
 * whose names that chain has are read; if there is none, all are.  One store serves all connections of a worker.  If
 * libcurl has another library for TLS, it gets the file as it is.
 *
 * Trusts the file: it is the system's, or one that the configuration names.  What is not understood of it is left out,
 * so that less is trusted, never more.
 */
#ifndef KH_WORKER_HTTP_TRUST_H
#define KH_WORKER_HTTP_TRUST_H

#include "worker/http/curl.h"

#define KH_HTTP_TRUST_FILE (1U << 20) /* bytes of a file that the configuration names */

struct kh_http_trust;

/* The file of all certificates that this system trusts; empty if there is none.  Before the filter. */
struct kh_view kh_http_trust_system(void);

/* Loads what is needed of OpenSSL, if libcurl uses it.  Before the filter. */
enum kh_err kh_http_trust_new(const struct kh_alloc *alloc, const struct kh_curl *curl,
			      struct kh_http_trust **ret_trust, struct kh_error *err) KH_CHECKED;
void kh_http_trust_free(struct kh_http_trust *trust);

/* Trusts the certificates of PEM, which must live as long, in place of those before. */
enum kh_err kh_http_trust_use(struct kh_http_trust *trust, struct kh_view pem, struct kh_error *err) KH_CHECKED;

/* Has EASY trust them.  False if libcurl does not take it. */
bool kh_http_trust_set(struct kh_http_trust *trust, CURL *easy) KH_CHECKED;

/* How many certificates were found; 0 if OpenSSL is not used. */
size_t kh_http_trust_count(const struct kh_http_trust *trust);

/* The name of the holder within the certificate DER, as it is encoded there; empty if DER is none. */
struct kh_view kh_http_trust_subject(struct kh_view der);

#endif
