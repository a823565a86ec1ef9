/* Finds libcurl's functions by name.  The library stays loaded: it is the worker's until its end. */
#include "worker/http/curl.h"

#include <dlfcn.h>

#define LIBRARY "libcurl.so.4"

#define FUNCTION(name)                                        \
	{                                                     \
		"curl_" #name, offsetof(struct kh_curl, name) \
	}

static const struct {
	const char *name;
	size_t at;
} functions[] = {
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
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (library == NULL)
		return kh_error_set(err, KH_EREFUSED, "libcurl", LIBRARY " cannot be loaded");
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(library, functions[i].name);
		if (function == NULL)
			return kh_error_set(err, KH_EREFUSED, "libcurl", LIBRARY " has no %s", functions[i].name);
		memcpy((char *)ret_curl + functions[i].at, &function, sizeof(function));
	}
	return KH_OK;
}
