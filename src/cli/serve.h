/* `keyhole serve`: the gateway, until a signal ends it. */
#ifndef KH_CLI_SERVE_H
#define KH_CLI_SERVE_H

int kh_serve_main(int argc, char **argv);

#endif
