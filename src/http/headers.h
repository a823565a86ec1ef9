/*
 * The headers of a request, taken from MHD.
 *
 * MHD 0.9.75 reads Content-Length before it asks us, and if it cannot, it answers by itself, with two status lines.  So
 * headers.c also has MHD's own function that looks a header up, which MHD then finds before its own: a Content-Length
 * that is not a number is shown to MHD as 0, and the guard, which sees it as it came, refuses the request.
 */
#ifndef KH_HTTP_HEADERS_H
#define KH_HTTP_HEADERS_H

#include "http/request.h"

#include <microhttpd.h>

#define KH_HTTP_HEADERS_MOST 100 /* that a request may have */

/* Copies the headers into the request, and wipes the token out of MHD's own memory.  KH_ELIMIT: too many. */
enum kh_err kh_http_headers_take(struct kh_http_request *r, struct kh_error *err) KH_CHECKED;

/* As MHD's documentation says, but for Content-Length. */
__attribute__((visibility("default"))) enum MHD_Result
MHD_lookup_connection_value_n(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *key,
			      size_t key_size, const char **value_ptr, size_t *value_size_ptr);

#endif
