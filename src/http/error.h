/* Errors as HTTP: their status and their body.  Both are made only here. */
#ifndef KH_HTTP_ERROR_H
#define KH_HTTP_ERROR_H

#include "base/error.h"

#define KH_HTTP_ERROR_TEXT 2560

/* ERR may be NULL. */
unsigned kh_http_error_status(enum kh_err e, const struct kh_error *err);

/* Writes {"error":{"code":...,"detail":...,"member"?,"offset"?}}.  Allocates nothing, because memory may have run
 * out. */
struct kh_view kh_http_error_text(enum kh_err e, const struct kh_error *err, char ret_text[KH_HTTP_ERROR_TEXT]);

#endif
