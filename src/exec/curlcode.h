/* What a result of libcurl is in our list of faults. */
#ifndef KH_EXEC_CURLCODE_H
#define KH_EXEC_CURLCODE_H

#include "exec/curl.h"
#include "exec/fault.h"

/*
 * The fault that CODE (a CURLcode) is, where HAS_HEAD says whether the response's headers had come whole, and a
 * sentence on it: ours or a constant of the library, never text of the server.
 */
enum kh_fault kh_curlcode_fault(const struct kh_curl *curl, int code, bool has_head, const char **ret_detail);

#endif
