/* The one place that opens a connection: to an address that was checked, as bytes, never to a name. */
#ifndef KH_EXECUTOR_CONNECT_H
#define KH_EXECUTOR_CONNECT_H

#include "wire/address.h"

/* A TCP (or UDP) socket, not blocking, connected or being connected to ADDRESS and PORT; -1 and errno. */
int kh_connect(const struct kh_address *address, int port, bool tcp);

/* A stream socket, not blocking, connected to the Unix socket at PATH, an absolute one; -1 and errno. */
int kh_connect_unix(struct kh_view path);

/* For one that was being connected and is writable now: 0, or the errno of why not. */
int kh_connect_result(int fd);

#endif
