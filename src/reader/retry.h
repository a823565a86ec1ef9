/*
 * When a failed request is sent again: for which statuses, how long the server asks to wait, and how long we wait by
 * ourselves.  Pure.
 */
#ifndef KH_READER_RETRY_H
#define KH_READER_RETRY_H

#include "base/view.h"

#define KH_RETRY_FIRST_MS 250
#define KH_RETRY_MOST_MS  8000
#define KH_RETRY_NEVER_MS (INT64_C(24) * 3600 * 1000) /* longer waits are cut to this */

/* 429, 500, 502, 503, 504, 529: a temporary failure of the server. */
bool kh_retry_is_due(unsigned status);

/* The pause before try N, from 1 on: doubled each time up to the maximum, minus up to a quarter of it by CHANCE. */
int64_t kh_retry_pause_ms(unsigned n, unsigned char chance);

/*
 * The value of Retry-After: seconds, or a date in one of the three forms of RFC 9110, relative to NOW (seconds of the
 * epoch).  False if it is neither.
 */
bool kh_retry_after_ms(struct kh_view value, int64_t now, int64_t *ret_ms);

#endif
