/* The only place that opens a connection: to a checked address, as bytes, never to a name. */
#ifndef KH_EXECUTOR_CONNECT_H
#define KH_EXECUTOR_CONNECT_H

#include "wire/address.h"

/* A non-blocking TCP (or UDP) socket, connected or being connected to ADDRESS and PORT; -1 and errno. */
int kh_connect(const struct kh_address *address, int port, bool tcp);

/* A non-blocking stream socket, connected to the Unix socket at PATH, which is absolute; -1 and errno. */
int kh_connect_unix(struct kh_view path);

/* For a socket that was being connected and is writable now: 0, or the errno of the failure. */
int kh_connect_result(int fd);

#endif
