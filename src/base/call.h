/*
 * A call of the offline contract (SPEC section 11): one JSON value in, one out.  Pure: the clock and the random bytes
 * come with the call.
 */
#ifndef KH_BASE_CALL_H
#define KH_BASE_CALL_H

#include "base/json.h"

struct kh_screen;

struct kh_call {
	struct kh_arena *arena;
	yyjson_mut_doc *doc; /* what is written goes here */
	struct kh_screen *screen;
	int64_t now;             /* microseconds since 1970, UTC */
	unsigned char nonce[16]; /* fresh random bytes */
};

/*
 * The shape of every contract function.  KH_OK and *RET_OUT: done, whatever the verdict (exit status 0).  Anything
 * else: the input was not usable, *ERR says why (exit status 2).
 */
typedef enum kh_err kh_call_fn(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out, struct kh_error *err);

#endif
