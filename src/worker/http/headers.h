/* Looking into a block of header lines, as a server sent it.  Nothing of it is believed; see http.h. */
#ifndef KH_WORKER_HTTP_HEADERS_H
#define KH_WORKER_HTTP_HEADERS_H

#include "worker/http/curl.h"

/*
 * What is wrong with what BLOCK says about the body's framing, as a sentence of ours, or NULL.  libcurl is less strict:
 * each Content-Length must be a number, and the same one; codings are those that were asked for, at most two of them.
 */
const char *kh_headers_wrong(struct kh_view block);

/* True if nothing in the head of a response says how long its body is: then only the connection's end ends it. */
bool kh_headers_until_close(struct kh_view block, long status);

/* Where Location leads, seen from the URL BASE: a string of libcurl's, for curl_free(), or NULL if it is not there
 * or leads to no scheme that libcurl knows. */
char *kh_headers_location(const struct kh_curl *curl, struct kh_view block, const char *base);

#endif
