/* `keyhole serve`: the gateway, until a signal ends it. */
#ifndef KH_CLI_SERVE_H
#define KH_CLI_SERVE_H

#include "cli/frame.h"

struct kh_serve_args {
	struct kh_option_list listen;
	const char *socket; /* NULL: the configuration's */
	bool print_clients;
};

/* The frame's WITH is a struct kh_mcp_part if the program offers more methods and tools. */
int kh_serve_run(struct kh_frame *f);

#endif
