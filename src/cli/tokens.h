/* `keyhole token create|list|revoke`. */
#ifndef KH_CLI_TOKENS_H
#define KH_CLI_TOKENS_H

int kh_tokens_create_main(int argc, char **argv);
int kh_tokens_list_main(int argc, char **argv);
int kh_tokens_revoke_main(int argc, char **argv);

#endif
