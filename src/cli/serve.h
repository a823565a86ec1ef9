/* `keyhole serve`: the gateway, until a signal ends it. */
#ifndef KH_CLI_SERVE_H
#define KH_CLI_SERVE_H

#include "mcp/offer.h"

int kh_serve_main(int argc, char **argv);

/* The same, for a program that offers more methods and tools (NULL: none). */
int kh_serve_with(const struct kh_mcp_part *more, int argc, char **argv);

#endif
