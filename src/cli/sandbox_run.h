/* `keyhole sandbox run`: a program in the sandbox, with its streams and its exit status. */
#ifndef KH_CLI_SANDBOX_RUN_H
#define KH_CLI_SANDBOX_RUN_H

#include "cli/frame.h"
#include "wire/request.h"

#define KH_SANDBOX_RUN_FAILED 125 /* exit status: the sandbox refused or failed; used for nothing else */

struct kh_sandbox_run_args {
	const char *profile, *work, *cache; /* NULL: run; empty; none */
	struct kh_option_list read, write, network, allow, env, secret;
	struct kh_limits limits;
	struct kh_rates rates; /* of a server */
	uint64_t bytes_out;
	bool raw, json;
};

int kh_sandbox_run(struct kh_frame *f);

#endif
