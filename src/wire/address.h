/*
 * Which addresses the executor may connect to: a table for each family, one function (E8).
 *
 * Refused: loopback, private, link-local, shared (CGNAT), unique-local, multicast, metadata, documentation, benchmark
 * and reserved ranges, "this network", and broadcast.  Also refused are IPv6 forms that carry an IPv4 address of such a
 * range: NAT64, 6to4, ISATAP.  Forms that no server on the public internet has are refused whatever they carry: mapped,
 * compatible, translated, local NAT64, Teredo.  Pure.
 */
#ifndef KH_WIRE_ADDRESS_H
#define KH_WIRE_ADDRESS_H

#include "base/error.h"

struct kh_address {
	bool is_v6;
	unsigned char bytes[16]; /* network order; IPv4 uses 4 of them */
};

/* NULL if ADDRESS is on the public internet.  Otherwise the name of the range that it, or the IPv4 address that it
 * carries, falls in: "loopback", "private", ... */
const char *kh_address_refused(const struct kh_address *address);

/*
 * What a name or a URL means by ADDRESS: of an IPv4-mapped one (::ffff:192.0.2.7) the IPv4 address in it, because a
 * connection to it ends up there.  For whoever judges whether a host is of this machine or network.
 */
struct kh_address kh_address_meant(const struct kh_address *address);

/* The IPv4 addresses that ADDRESS, which is not refused, carries (NAT64, 6to4, ISATAP); returns how many. */
#define KH_ADDRESS_CARRIED 4
size_t kh_address_carried(const struct kh_address *address, struct kh_address ret_carried[KH_ADDRESS_CARRIED]);

/* Reads "192.0.2.7" or "2001:db8::1" (no brackets, no zone), the usual forms only. */
bool kh_address_read(struct kh_view text, struct kh_address *ret_address);

/* 4 or 16 bytes in network order; false for any other length. */
bool kh_address_from_bytes(struct kh_view bytes, struct kh_address *ret_address);

/* As text; 46 bytes are enough. */
void kh_address_print(const struct kh_address *address, char *buffer, size_t size);

#endif
