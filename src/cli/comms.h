/* keyhole comm: external operations by hand, as a Controller calls them (E3-E12).  They are decided in this process,
 * and carried out by its executor.  `comm check`, which needs no home, is in offline.h. */
#ifndef KH_CLI_COMMS_H
#define KH_CLI_COMMS_H

#include "core/comm/operation.h"

/* Returns the operation that `keyhole comm WORD` calls, or NULL. */
const struct kh_operation *kh_comms_find(const char *word);

/* Runs `keyhole comm WORD`, by its operation's row; ARGV[0] is the word. */
int kh_comms_main(int argc, char **argv);

#endif
