/* The functions of libcurl that are used. */
#include "worker/http/curl.h"

#include "worker/library.h"

#define FUNCTION(name)                                        \
	{                                                     \
		"curl_" #name, offsetof(struct kh_curl, name) \
	}

static const struct kh_library_symbol functions[] = {
	FUNCTION(global_init),
	FUNCTION(global_cleanup),
	FUNCTION(easy_init),
	FUNCTION(easy_cleanup),
	FUNCTION(easy_setopt),
	FUNCTION(easy_getinfo),
	FUNCTION(easy_strerror),
	FUNCTION(multi_init),
	FUNCTION(multi_cleanup),
	FUNCTION(multi_add_handle),
	FUNCTION(multi_perform),
	FUNCTION(multi_poll),
	FUNCTION(multi_info_read),
	FUNCTION(multi_remove_handle),
	FUNCTION(slist_append),
	FUNCTION(slist_free_all),
	FUNCTION(url),
	FUNCTION(url_cleanup),
	FUNCTION(url_set),
	FUNCTION(url_get),
	FUNCTION(free),
};

_Static_assert(sizeof(functions) / sizeof(functions[0]) * sizeof(void *) == sizeof(struct kh_curl), "all of them");

enum kh_err kh_curl_load(struct kh_curl *ret_curl, struct kh_error *err)
{
	static const struct kh_library library = {.file = "libcurl.so.4",
						  .code = "libcurl",
						  .need = "",
						  .symbols = functions,
						  .count = sizeof(functions) / sizeof(functions[0])};

	return kh_library_load(&library, ret_curl, err);
}
