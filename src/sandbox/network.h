/*
 * Network by name (U2), the sandbox's side.  In the network namespace of a sandbox there is only the loopback.  Each name
 * of the job gets an address of its own there (127.107.0.N) and each of its ports a listening socket; /etc/hosts leads
 * from the name to the address.  The sockets are handed to the executor before the sandbox gives anything up, and
 * whoever accepts from them is outside.
 */
#ifndef KH_SANDBOX_NETWORK_H
#define KH_SANDBOX_NETWORK_H

#include "wire/message.h"

/* Raises the loopback, which is all that there is, and names it: localhost, and the sandbox's own name.  0 or errno. */
int kh_network_own(void) KH_CHECKED;

/* Raises it and listens for every item of NETWORK of JOB, hands the sockets out over CHANNEL as LISTENING, in the order of
 * the list, and writes /etc/hosts, with these names too if it HAS_OWN.  0 or errno. */
int kh_network_open(const struct kh_message *job, bool has_own, int channel) KH_CHECKED;

/* The ports of the job's NETWORK, KH_MESSAGE_NETWORK at most; returns how many. */
size_t kh_network_ports(const struct kh_message *job, uint16_t ret_ports[KH_MESSAGE_NETWORK]);

#endif
