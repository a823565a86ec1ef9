/*
 * Where this machine's own routes lead (E8): an address of this machine itself, or one that it reaches without a
 * gateway, is private whatever its range.  The kernel is asked (rtnetlink), because only it knows all that counts:
 * addresses of every interface, all tables, and the rules that choose between them.
 */
#ifndef KH_EXECUTOR_ROUTE_H
#define KH_EXECUTOR_ROUTE_H

#include "wire/address.h"

enum kh_route {
	KH_ROUTE_UNKNOWN = 0, /* the kernel could not be asked, or its answer is not understood */
	KH_ROUTE_NONE,        /* there is no way to the address */
	KH_ROUTE_HERE,        /* an address of this machine */
	KH_ROUTE_ON_LINK,     /* a neighbour: reached without a gateway; also broadcast, multicast and anycast */
	KH_ROUTE_BEYOND,      /* behind a gateway, or on a link that leads to everywhere (route.c) */
};

/*
 * The route that a TCP connection to ADDRESS and PORT takes now.  If ADDRESS carries IPv4 addresses, and one of them is
 * of this machine or on-link, that counts.  Does not block.
 */
enum kh_route kh_route_find(const struct kh_address *address, int port);

/* Why an address with ROUTE is refused: "this machine itself", "on-link to this machine", ...; NULL: it is not. */
const char *kh_route_refusal(enum kh_route route);

/* What one answer of the kernel says about a route. */
struct kh_route_answer {
	int error;          /* the errno that the kernel answered instead of a route; 0: there is a route */
	unsigned type;      /* RTN_* */
	unsigned prefix;    /* how many bits of the address the route matches */
	bool has_gateway;   /* by the route itself */
	bool is_without;    /* there are several next hops, and one of them has no gateway */
	bool has_next_hops; /* there are several */
};

/* Reads BYTES, the kernel's answer to question NUMBER about an address of FAMILY.  False if it is no such answer. */
bool kh_route_read(struct kh_view bytes, uint32_t number, int family, struct kh_route_answer *ret_answer) KH_CHECKED;

#endif
