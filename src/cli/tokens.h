/* `keyhole token`: who may call. */
#ifndef KH_CLI_TOKENS_H
#define KH_CLI_TOKENS_H

#include "cli/frame.h"

/* Of create. */
struct kh_tokens_args {
	const char *role;          /* NULL: controller */
	const char *out;           /* a new file for the secret; NULL: it is written */
	uint64_t expires_ms, bits; /* 0: never; the policy's */
};

int kh_tokens_create(struct kh_frame *f);
int kh_tokens_list(struct kh_frame *f);
int kh_tokens_revoke(struct kh_frame *f);

#endif
