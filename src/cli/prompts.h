/* `keyhole prompt`: what agents are told (K4). */
#ifndef KH_CLI_PROMPTS_H
#define KH_CLI_PROMPTS_H

#include "cli/frame.h"

int kh_prompts_run(struct kh_frame *f);

#endif
