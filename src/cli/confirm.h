/* Asking a user at a terminal, on standard input and output. */
#ifndef KH_CLI_CONFIRM_H
#define KH_CLI_CONFIRM_H

#include "cli/frame.h"

/* True if there is a user at a terminal who can be asked. */
bool kh_confirm_can(const struct kh_frame *f);

/* Asks the user QUESTION.  Returns false if no line came back: the end of input. */
bool kh_confirm_ask(struct kh_frame *f, const char *question, struct kh_view *ret_answer);

/* Asks a question whose answer is y or yes, or anything else. */
bool kh_confirm_yes(struct kh_frame *f, const char *question);

#endif
