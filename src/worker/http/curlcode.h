/* Maps a result of libcurl to our list of faults. */
#ifndef KH_WORKER_HTTP_CURLCODE_H
#define KH_WORKER_HTTP_CURLCODE_H

#include "wire/fault.h"
#include "worker/http/curl.h"

/*
 * The fault for CODE (a CURLcode) and a sentence on it: ours or a constant of the library, never text of the server.
 * IN_HEAD: a response had begun, but its headers were not complete.
 */
enum kh_fault kh_curlcode_fault(const struct kh_curl *curl, int code, bool in_head, const char **ret_detail);

#endif
