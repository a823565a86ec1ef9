/*
 * A call of the offline contract (SPEC section 11): one JSON value in, one out.  Pure: the caller supplies the time and
 * the random bytes.
 */
#ifndef KH_BASE_CALL_H
#define KH_BASE_CALL_H

#include "base/json.h"

struct kh_screen;

struct kh_call {
	struct kh_arena *arena;
	yyjson_mut_doc *doc; /* the output is built here */
	struct kh_screen *screen;
	int64_t now;             /* microseconds since 1970, UTC */
	unsigned char nonce[16]; /* fresh random bytes */
};

/*
 * The shape of every contract function.  KH_OK and *RET_OUT: an answer, whatever the verdict (exit status 0).  Anything
 * else: the input was not usable and *ERR says why (exit status 2).
 */
typedef enum kh_err kh_call_fn(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out, struct kh_error *err);

#endif
