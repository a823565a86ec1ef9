/* What a result of libcurl is in our list of faults. */
#ifndef KH_WORKER_HTTP_CURLCODE_H
#define KH_WORKER_HTTP_CURLCODE_H

#include "wire/fault.h"
#include "worker/http/curl.h"

/*
 * The fault that CODE (a CURLcode) is, where IN_HEAD says that a response had begun whose headers had not come
 * whole, and a sentence on it: ours or a constant of the library, never text of the server.
 */
enum kh_fault kh_curlcode_fault(const struct kh_curl *curl, int code, bool in_head, const char **ret_detail);

#endif
