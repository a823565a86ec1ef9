/* `keyhole context show|reset|add|assemble`: what one agent has seen. */
#ifndef KH_CLI_CONTEXTS_H
#define KH_CLI_CONTEXTS_H

int kh_contexts_show_main(int argc, char **argv);
int kh_contexts_reset_main(int argc, char **argv);
int kh_contexts_add_main(int argc, char **argv);
int kh_contexts_assemble_main(int argc, char **argv);

#endif
