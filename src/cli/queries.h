/* `keyhole query FILE` and `keyhole query wait ID`: ask a Reader about sealed content, and wait for the outcome. */
#ifndef KH_CLI_QUERIES_H
#define KH_CLI_QUERIES_H

#include "cli/frame.h"

struct kh_queries_args {
	const char *task; /* NULL: the query names it */
	uint64_t wait_ms; /* 0: the default */
};

kh_frame_fn kh_queries_ask, kh_queries_wait;

#endif
