/* `keyhole prompt`: what agents are told (K4). */
#ifndef KH_CLI_PROMPTS_H
#define KH_CLI_PROMPTS_H

int kh_prompts_main(int argc, char **argv);

#endif
