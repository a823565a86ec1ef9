/* The functions of libcurl that are used. */
#include "worker/http/curl.h"

#include "worker/library.h"

enum kh_err kh_curl_load(struct kh_curl *ret_curl, struct kh_error *err)
{
#define FUNCTION(name) {"curl_" #name, offsetof(struct kh_curl, name)},
	static const struct kh_library_symbol functions[] = {KH_CURL_FUNCTIONS(FUNCTION)};

	return KH_LIBRARY_LOAD("libcurl.so.4", "libcurl", "", functions, ret_curl, err);
}
