/* `keyhole query FILE` and `keyhole query wait ID`: ask a Reader about sealed content, and wait for the outcome. */
#ifndef KH_CLI_QUERIES_H
#define KH_CLI_QUERIES_H

int kh_queries_main(int argc, char **argv);

#endif
