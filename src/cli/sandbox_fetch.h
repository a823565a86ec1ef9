/* `keyhole sandbox fetch`: one HTTP exchange through the sandbox; the body goes to standard output. */
#ifndef KH_CLI_SANDBOX_FETCH_H
#define KH_CLI_SANDBOX_FETCH_H

#include "cli/frame.h"
#include "wire/request.h"

struct kh_sandbox_fetch_args {
	struct kh_option_list allow, header;
	const char *ca, *post; /* NULL: the system's; none */
	uint64_t redirects;
	struct kh_limits limits;
	bool http, include, raw, json;
};

int kh_sandbox_fetch(struct kh_frame *f);

#endif
