/* keyhole comm: external operations by hand, as a Controller calls them (E3-E12).  They are decided in this process,
 * and carried out by its executor.  `comm check`, which needs no home, is in offline.h. */
#ifndef KH_CLI_COMMS_H
#define KH_CLI_COMMS_H

#include "cli/frame.h"
#include "core/comm/operation.h"

struct kh_comms_args {
	struct kh_view task, declaration; /* may be empty */
	const char *reason;
	uint64_t wait_ms;
	bool fenced;
	/* Values of the parameters that are options, by their index; NULL and 0: not given. */
	const char *texts[KH_OPERATION_PARAMETERS_MAX];
	uint64_t numbers[KH_OPERATION_PARAMETERS_MAX];
};

/* Returns the operation that `keyhole comm WORD` calls, or NULL. */
const struct kh_operation *kh_comms_find(const char *word);

/* Runs `keyhole comm WORD`: ROW, with the words and parameters of the operation's own row; ARGV[0] is the word. */
int kh_comms_main(const struct kh_frame_command *row, int argc, char **argv);

/* The command itself; the frame has the operation (WITH). */
int kh_comms_run(struct kh_frame *f);

#endif
