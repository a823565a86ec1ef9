/* `keyhole query FILE` and `keyhole query wait ID`: ask a Reader about sealed content, and wait for the outcome. */
#ifndef KH_CLI_QUERIES_H
#define KH_CLI_QUERIES_H

#include "base/buf.h"
#include "base/json.h"

int kh_queries_main(int argc, char **argv);

/* A delivery (bcp_response_delivery) for people: its answers, a line each. */
void kh_queries_print(struct kh_buf *buf, yyjson_val *delivery);

#endif
