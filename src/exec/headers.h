/* Looking into a block of header lines, as a server sent it.  Nothing of it is believed; see http.h. */
#ifndef KH_EXEC_HEADERS_H
#define KH_EXEC_HEADERS_H

#include "exec/curl.h"

/* The value of the first header NAME of BLOCK, without blanks around it. */
bool kh_headers_find(struct kh_view block, struct kh_view name, struct kh_view *ret_value);

/* True where each Content-Length of BLOCK, if there is one, is a number, and the same one: libcurl is less strict. */
bool kh_headers_length_good(struct kh_view block);

/* True where nothing in the head of a response says how long its body is: then only the connection's end ends it. */
bool kh_headers_until_close(struct kh_view block, long status);

/* Where Location leads, seen from the URL BASE: a string of libcurl's, for curl_free(), or NULL where it is not there
 * or leads to no scheme that libcurl knows. */
char *kh_headers_location(const struct kh_curl *curl, struct kh_view block, const char *base);

#endif
