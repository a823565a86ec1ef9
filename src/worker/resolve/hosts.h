/* The hosts file: names and addresses that a machine knows without a name server.  Pure. */
#ifndef KH_WORKER_RESOLVE_HOSTS_H
#define KH_WORKER_RESOLVE_HOSTS_H

#include "wire/address.h"

/* The addresses of NAME in TEXT (the format of /etc/hosts), in its order, at most MOST; returns how many.  Malformed
 * lines are skipped. */
size_t kh_hosts_find(struct kh_view text, struct kh_view name, size_t most, struct kh_address *ret_addresses);

#endif
