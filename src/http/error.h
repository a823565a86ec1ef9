/* Failures as HTTP: the status that belongs to one, and its body.  The one place where they are put together. */
#ifndef KH_HTTP_ERROR_H
#define KH_HTTP_ERROR_H

#include "base/error.h"

#define KH_HTTP_ERROR_TEXT 2560

/* ERR may be NULL. */
unsigned kh_http_error_status(enum kh_err e, const struct kh_error *err);

/* {"error":{"code":...,"detail":...,"member"?,"offset"?}}; needs no memory, because that may be what went wrong. */
struct kh_view kh_http_error_text(enum kh_err e, const struct kh_error *err, char ret_text[KH_HTTP_ERROR_TEXT]);

#endif
