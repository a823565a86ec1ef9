/*
 * How the gateway is reached: the addresses, names and origins of the section `gateway` of keyhole.yaml.  Pure: an
 * address is parsed, not looked up, so that the gateway listens on exactly the address in the file.
 */
#ifndef KH_CORE_POLICY_REACH_H
#define KH_CORE_POLICY_REACH_H

#include "base/view.h"

#include <stdint.h>

/* An address to listen on. */
struct kh_reach {
	bool is_v6;
	bool is_loopback;
	unsigned char bytes[16]; /* network order; 4 of them for IPv4 */
	uint16_t port;           /* 0: the kernel picks one */
};

/* Reads "127.0.0.1:7433" or "[::1]:7433": numeric addresses only, no name, no zone. */
bool kh_reach_read(struct kh_view text, struct kh_reach *ret_reach);

/* The syntax of each, for the schema. */
bool kh_reach_is_listen(struct kh_view text); /* what kh_reach_read() takes */
bool kh_reach_is_host(struct kh_view text);   /* a name or an address, either may have :port */
bool kh_reach_is_origin(struct kh_view text); /* http:// or https:// and such a host; no path */
bool kh_reach_is_url(struct kh_view text);    /* the same, with an optional path */
bool kh_reach_is_file(struct kh_view text);   /* a plain path, absolute or relative */

#endif
