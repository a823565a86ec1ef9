/* Looks into a block of header lines, as a server sent it.  Nothing in it is trusted; see http.h. */
#ifndef KH_WORKER_HTTP_HEADERS_H
#define KH_WORKER_HTTP_HEADERS_H

#include "worker/http/coding.h"
#include "worker/http/curl.h"

/*
 * What is wrong with the body framing in BLOCK, as a sentence of ours, or NULL.  Stricter than libcurl: each
 * Content-Length must be a number, and the same one; codings must be those that were asked for, at most two of them.
 */
const char *kh_headers_wrong(struct kh_view block);

/* The content codings of BLOCK, which is not wrong, in the order in which they were put on; returns how many. */
size_t kh_headers_codings(struct kh_view block, enum kh_coding ret_codings[KH_CODING_LAYERS]);

/* True if no header of a response says how long its body is: then it ends with the connection. */
bool kh_headers_until_close(struct kh_view block, long status);

/* The target of Location, relative to the URL BASE: a string of libcurl's, for curl_free().  NULL if there is none or
 * its scheme is one that libcurl does not know. */
char *kh_headers_location(const struct kh_curl *curl, struct kh_view block, const char *base);

#endif
