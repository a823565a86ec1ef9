/* `keyhole token`: who may call. */
#ifndef KH_CLI_TOKENS_H
#define KH_CLI_TOKENS_H

#include "cli/frame.h"

/* Of create. */
struct kh_tokens_args {
	struct kh_view role;       /* not given: controller */
	struct kh_view context;    /* of a hook */
	const char *out;           /* a new file for the secret; NULL: it is written */
	uint64_t expires_ms, bits; /* 0: never; the policy's */
};

kh_frame_fn kh_tokens_create, kh_tokens_list, kh_tokens_revoke;

#endif
