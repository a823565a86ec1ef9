/* The file of hosts: names and addresses that a machine knows without asking.  Pure. */
#ifndef KH_WORKER_RESOLVE_HOSTS_H
#define KH_WORKER_RESOLVE_HOSTS_H

#include "wire/address.h"

/* The addresses that TEXT (as of /etc/hosts) has for NAME, in its order, at most MOST; how many that are.  Lines that
 * are not well-formed are passed over. */
size_t kh_hosts_find(struct kh_view text, struct kh_view name, size_t most, struct kh_address *ret_addresses);

#endif
