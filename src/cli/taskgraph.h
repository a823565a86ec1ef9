/* `keyhole task graph`: the taint graph of a task (K5). */
#ifndef KH_CLI_TASKGRAPH_H
#define KH_CLI_TASKGRAPH_H

int kh_taskgraph_main(int argc, char **argv);

#endif
