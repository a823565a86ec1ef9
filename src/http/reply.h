/* Answers: status, headers, body (server.h has the functions for handlers).  Every answer gets the headers that keep a
 * browser in check, here and nowhere else. */
#ifndef KH_HTTP_REPLY_H
#define KH_HTTP_REPLY_H

#include "http/request.h"

/* Puts the headers of every answer to R and HEADERS onto RESPONSE.  False: no memory. */
bool kh_http_reply_dress(const struct kh_http_request *r, struct MHD_Response *response, const char *type,
			 const struct kh_http_header *headers, size_t count) KH_CHECKED;

#endif
