/* The table of commands, in the order in which `keyhole --help` lists them. */
#ifndef KH_CLI_COMMANDS_H
#define KH_CLI_COMMANDS_H

#include "cli/frame.h"

/* The last word of the row that stands for the commands of all external operations: their rows have names and words
 * (comms.h). */
#define KH_COMMANDS_EACH "*"

extern const struct kh_frame_command kh_commands[];
extern const size_t kh_commands_count;

/* Returns the command that the first words of ARGV, from 1 on, name; NULL: none.  *RET_WORDS: how many words. */
const struct kh_frame_command *kh_commands_find(int argc, char **argv, int *ret_words);

#endif
