/*
 * task.graph: the taint graph of a task (K5): its sealed blocks and deliveries, the outputs of its agent that they have
 * influenced, and everything that influenced one of these.  It has labels and sources, no content.
 *
 * Host (tasks of its own contexts), reviewer, admin.  Not for a controller, because the graph shows when something was
 * delivered, which blocks others put in, and their sources, which are text from outside (B8, E12).  As with task.show,
 * a host gets only the sources that it gave itself, because it writes what its agent reads.
 */
#ifndef KH_ENGINE_CONTEXT_TASKGRAPH_H
#define KH_ENGINE_CONTEXT_TASKGRAPH_H

#include "core/block/graph.h"
#include "engine/state/op.h"

#define KH_TASKGRAPH_BLOCKS 4096       /* blocks of a graph */
#define KH_TASKGRAPH_LINKS  (1U << 17) /* ids of tainted_by that are read for one graph */
#define KH_TASKGRAPH_ROWS   (1U << 16) /* blocks of the context that are examined for one graph */

/* KH_EREFUSED `too_many_blocks` past one of the limits, because every caller shares the store's thread. */
struct kh_taskgraph {
	struct kh_view task;
	struct kh_blocks blocks; /* out, without content, in the arena: for kh_graph_write() on the caller's thread */
};
enum kh_err kh_taskgraph_run(struct kh_op *op, void *call);

#endif
