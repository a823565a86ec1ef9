/* The name servers of this machine, as /etc/resolv.conf names them. */
#ifndef KH_EXECUTOR_NAMESERVER_H
#define KH_EXECUTOR_NAMESERVER_H

#include "wire/address.h"

#define KH_NAMESERVERS 3

struct kh_nameservers {
	struct kh_address at[KH_NAMESERVERS];
	size_t n;
};

/* Reads PATH; 127.0.0.1 if it names no server, as the C library does. */
void kh_nameserver_read(const char *path, struct kh_nameservers *ret_servers);

/* A non-blocking socket connected (or, with TCP, being connected) to SERVER's port 53; -1 and errno. */
int kh_nameserver_connect(const struct kh_address *server, bool tcp);

#endif
