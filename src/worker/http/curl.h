/* libcurl; only the worker that speaks HTTP loads it (library.h). */
#ifndef KH_WORKER_HTTP_CURL_H
#define KH_WORKER_HTTP_CURL_H

#include "base/error.h"

#include <curl/curl.h>

/* Those that are used. */
/* clang-format off */
#define KH_CURL_FUNCTIONS(X) \
	X(global_init) X(global_cleanup) X(easy_init) X(easy_cleanup) X(easy_setopt) X(easy_getinfo) \
	X(easy_strerror) X(multi_init) X(multi_cleanup) X(multi_add_handle) X(multi_remove_handle)   \
	X(multi_perform) X(multi_poll) X(multi_info_read) X(slist_append) X(slist_free_all) X(url)   \
	X(url_cleanup) X(url_set) X(url_get) X(free) X(version_info) X(easy_pause) X(multi_setopt)
/* clang-format on */

struct kh_curl {
#define KH_MEMBER(name) __typeof__(curl_##name) *name; /* NOLINT(bugprone-macro-parentheses): it declares */
	KH_CURL_FUNCTIONS(KH_MEMBER)
#undef KH_MEMBER
};

/* KH_EREFUSED, code `libcurl`, if the library is missing or too old. */
enum kh_err kh_curl_load(struct kh_curl *ret_curl, struct kh_error *err) KH_CHECKED;

#endif
