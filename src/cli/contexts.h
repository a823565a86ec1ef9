/* `keyhole context`: what an agent has seen. */
#ifndef KH_CLI_CONTEXTS_H
#define KH_CLI_CONTEXTS_H

#include "cli/frame.h"

struct kh_contexts_args {
	const char *source; /* add: NULL: none */
	bool xml;           /* assemble */
};

int kh_contexts_show(struct kh_frame *f);
int kh_contexts_reset(struct kh_frame *f);
int kh_contexts_add(struct kh_frame *f);
int kh_contexts_assemble(struct kh_frame *f);

#endif
