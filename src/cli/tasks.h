/* `keyhole task`. */
#ifndef KH_CLI_TASKS_H
#define KH_CLI_TASKS_H

#include "cli/frame.h"

struct kh_tasks_args {
	uint64_t bits;         /* open: 0: the policy's */
	struct kh_view source; /* add: not given: the file's name */
	bool all;              /* list */
	bool dot, svg;         /* graph */
};

kh_frame_fn kh_tasks_open, kh_tasks_add, kh_tasks_show, kh_tasks_graph, kh_tasks_list, kh_tasks_execute, kh_tasks_close;

/* Writes "budget       15900.0 of 16384.0 bits, about 33 short answers left" for the `budget` and `words` of task.show. */
void kh_tasks_budget(struct kh_buf *buf, yyjson_val *task);

#endif
