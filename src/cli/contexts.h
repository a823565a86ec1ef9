/* `keyhole context`: what an agent has seen. */
#ifndef KH_CLI_CONTEXTS_H
#define KH_CLI_CONTEXTS_H

#include "cli/frame.h"

struct kh_contexts_args {
	struct kh_view source; /* add; may be empty */
	bool xml;              /* assemble */
};

kh_frame_fn kh_contexts_show, kh_contexts_reset, kh_contexts_add, kh_contexts_assemble;

#endif
