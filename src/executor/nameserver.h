/* The name servers of this machine, as /etc/resolv.conf names them. */
#ifndef KH_EXECUTOR_NAMESERVER_H
#define KH_EXECUTOR_NAMESERVER_H

#include "wire/address.h"

#define KH_NAMESERVERS 3

struct kh_nameservers {
	struct kh_address at[KH_NAMESERVERS];
	size_t n;
};

/* Reads PATH; 127.0.0.1 where it names none, as the C library does. */
void kh_nameserver_read(const char *path, struct kh_nameservers *ret_servers);

/* A socket connected (or being connected, with TCP) to SERVER's port 53, not blocking; -1 and errno. */
int kh_nameserver_connect(const struct kh_address *server, bool tcp);

#endif
