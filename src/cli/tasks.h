/* `keyhole task`. */
#ifndef KH_CLI_TASKS_H
#define KH_CLI_TASKS_H

#include "cli/frame.h"

struct kh_tasks_args {
	uint64_t bits;      /* open: 0: the policy's */
	const char *source; /* add: NULL: the file's name */
	bool all;           /* list */
	bool dot, svg;      /* graph */
};

int kh_tasks_open(struct kh_frame *f);
int kh_tasks_add(struct kh_frame *f);
int kh_tasks_show(struct kh_frame *f);
int kh_tasks_graph(struct kh_frame *f);
int kh_tasks_list(struct kh_frame *f);
int kh_tasks_execute(struct kh_frame *f);
int kh_tasks_close(struct kh_frame *f);

/* Writes "budget       3811.0 of 4096.0 bits, about 69 short answers left" for the `budget` and `words` of task.show. */
void kh_tasks_budget(struct kh_buf *buf, yyjson_val *task);

#endif
