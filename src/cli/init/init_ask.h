/* The questions of `keyhole init` about a model (G9), on a terminal. */
#ifndef KH_CLI_INIT_INIT_ASK_H
#define KH_CLI_INIT_INIT_ASK_H

#include "cli/init/init_reader.h"

/* Whether there is somebody to ask: standard input and error are terminals, and the output is not for a program. */
bool kh_init_ask_can(const struct kh_frame *f);

/*
 * Asks, and fills READER; its URL is "none" if there is no model.  An answer that the configuration would refuse is
 * asked for again.  KH_EINPUT `no_answer` if the input ends; after three bad answers, what is wrong with the last.
 */
enum kh_err kh_init_ask(struct kh_frame *f, struct kh_init_reader *reader) KH_CHECKED;

#endif
