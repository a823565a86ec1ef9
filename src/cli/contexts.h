/* `keyhole context`: what an agent has seen. */
#ifndef KH_CLI_CONTEXTS_H
#define KH_CLI_CONTEXTS_H

#include "cli/frame.h"

struct kh_contexts_args {
	struct kh_view source; /* add; may be empty */
	struct kh_view tool;   /* add; may be empty */
	bool xml;              /* assemble */
};

/* Of call and result: a tool that the agent's host runs itself (K11). */
struct kh_contexts_call_args {
	struct kh_view reason; /* may be empty */
	struct kh_view call;   /* one that was asked about before; empty: a new one */
	uint64_t wait_ms;
	bool failed; /* of result */
};

kh_frame_fn kh_contexts_show, kh_contexts_reset, kh_contexts_add, kh_contexts_assemble, kh_contexts_call,
	kh_contexts_result;

#endif
