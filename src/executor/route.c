/*
 * Routes, by two questions to the kernel.  It trusts the kernel for what it answers, and checks all the same that the
 * answer is one.
 *
 * The first question is which route a connection would take: its kind, and whether through a gateway.  The second is
 * which entry of the tables that was, for the length of its prefix and for the other next hops that it may have.
 *
 * A route without a gateway is on-link, except if its prefix is that of a default route: on a point-to-point link (a
 * VPN, PPP, some containers) the whole internet is behind a link without a gateway.  Some VPNs split their default
 * route into a few wide ones (0.0.0.0/1, 2000::/3), which count as such too.  No network of neighbours is that wide:
 * the widest blocks that were ever assigned are /8 of IPv4 and /12 of IPv6.
 */
#include "executor/route.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define WIDEST_V4 8 /* a shorter prefix is a default route */
#define WIDEST_V6 12

enum { WHICH_WAY = 1, WHICH_ENTRY }; /* the numbers of the two questions */

struct question {
	struct nlmsghdr header;
	struct rtmsg route;
	char attributes[64];
};

static void add_attribute(struct question *question, unsigned short type, const void *bytes, size_t n)
{
	struct rtattr attribute = {.rta_len = (unsigned short)RTA_LENGTH(n), .rta_type = type};
	char *at = (char *)question + NLMSG_ALIGN(question->header.nlmsg_len);

	memcpy(at, &attribute, sizeof(attribute));
	memcpy(at + RTA_LENGTH(0), bytes, n);
	question->header.nlmsg_len = NLMSG_ALIGN(question->header.nlmsg_len) + (uint32_t)RTA_ALIGN(RTA_LENGTH(n));
}

static void write_question(const struct kh_address *address, int port, uint32_t number, struct question *ret_question)
{
	const unsigned char protocol = IPPROTO_TCP;
	const uint16_t to = htons((uint16_t)port);
	const size_t size = address->is_v6 ? 16 : 4;

	*ret_question = (struct question){
		.header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
			   .nlmsg_type = RTM_GETROUTE,
			   .nlmsg_flags = NLM_F_REQUEST,
			   .nlmsg_seq = number},
		.route = {.rtm_family = address->is_v6 ? AF_INET6 : AF_INET,
			  .rtm_dst_len = (unsigned char)(size * 8),
			  .rtm_flags = number == WHICH_ENTRY ? RTM_F_FIB_MATCH : 0},
	};
	add_attribute(ret_question, RTA_DST, address->bytes, size);
	/* Rules can choose a table by these. */
	add_attribute(ret_question, RTA_IP_PROTO, &protocol, sizeof(protocol));
	add_attribute(ret_question, RTA_DPORT, &to, sizeof(to));
}

/* The next attribute of *REST; false if there is none, or its length is wrong. */
static bool next_attribute(struct kh_view *rest, unsigned *ret_type, struct kh_view *ret_value)
{
	struct rtattr attribute;

	if (rest->n < sizeof(attribute))
		return false;
	memcpy(&attribute, rest->p, sizeof(attribute));
	if (attribute.rta_len < sizeof(attribute) || attribute.rta_len > rest->n)
		return false;
	*ret_type = attribute.rta_type & ~(unsigned)(NLA_F_NESTED | NLA_F_NET_BYTEORDER);
	*ret_value = kh_view_sub(*rest, sizeof(attribute), attribute.rta_len);
	*rest = kh_view_from(*rest, RTA_ALIGN((size_t)attribute.rta_len));
	return true;
}

/* True if the attributes in REST name a gateway, of the route's own family or of the other one. */
static bool names_gateway(struct kh_view rest)
{
	struct kh_view value;
	unsigned type;

	while (next_attribute(&rest, &type, &value))
		if (type == RTA_GATEWAY || type == RTA_VIA)
			return true;
	return false;
}

/* Several next hops, each with a header and attributes of its own.  False if they are not well-formed. */
static bool read_next_hops(struct kh_view rest, struct kh_route_answer *answer)
{
	while (rest.n > 0) {
		struct rtnexthop hop;
		if (rest.n < sizeof(hop))
			return false;
		memcpy(&hop, rest.p, sizeof(hop));
		if (hop.rtnh_len < sizeof(hop) || hop.rtnh_len > rest.n)
			return false;
		answer->has_next_hops = true;
		answer->is_without |= !names_gateway(kh_view_sub(rest, sizeof(hop), hop.rtnh_len));
		rest = kh_view_from(rest, (size_t)RTNH_ALIGN((int)hop.rtnh_len));
	}
	return true;
}

static bool read_route(struct kh_view payload, int family, struct kh_route_answer *ret_answer)
{
	struct kh_view rest = kh_view_from(payload, NLMSG_ALIGN(sizeof(struct rtmsg))), value;
	struct kh_route_answer answer = {.error = 0};
	struct rtmsg route;
	unsigned type;

	if (payload.n < sizeof(route))
		return false;
	memcpy(&route, payload.p, sizeof(route));
	if (route.rtm_family != family || route.rtm_dst_len > (family == AF_INET6 ? 128 : 32))
		return false;
	answer.type = route.rtm_type;
	answer.prefix = route.rtm_dst_len;
	while (next_attribute(&rest, &type, &value)) {
		answer.has_gateway |= type == RTA_GATEWAY || type == RTA_VIA;
		if (type == RTA_MULTIPATH && !read_next_hops(value, &answer))
			return false;
	}
	if (rest.n > 0)
		return false; /* something is left that is no attribute */
	*ret_answer = answer;
	return true;
}

static bool read_error(struct kh_view payload, struct kh_route_answer *ret_answer)
{
	struct nlmsgerr error;

	if (payload.n < sizeof(error))
		return false;
	memcpy(&error, payload.p, sizeof(error));
	if (error.error >= 0 || error.error < -4095)
		return false; /* an acknowledgement, which was not asked for */
	*ret_answer = (struct kh_route_answer){.error = -error.error};
	return true;
}

bool kh_route_read(struct kh_view bytes, uint32_t number, int family, struct kh_route_answer *ret_answer)
{
	struct nlmsghdr header;

	if (bytes.n < sizeof(header))
		return false;
	memcpy(&header, bytes.p, sizeof(header));
	if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > bytes.n || header.nlmsg_seq != number)
		return false;
	struct kh_view payload = kh_view_sub(bytes, NLMSG_HDRLEN, header.nlmsg_len);
	if (header.nlmsg_type == NLMSG_ERROR)
		return read_error(payload, ret_answer);
	return header.nlmsg_type == RTM_NEWROUTE && read_route(payload, family, ret_answer);
}

/* Asks over SOCKET.  The kernel has answered before sending returns, so nothing is waited for. */
static bool ask(int socket, const struct kh_address *address, int port, uint32_t number,
		struct kh_route_answer *ret_answer)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct sockaddr_nl from = {.nl_pid = UINT32_MAX};
	socklen_t size = sizeof(from);
	struct question question;
	char reply[8192];

	write_question(address, port, number, &question);
	if (sendto(socket, &question, question.header.nlmsg_len, MSG_DONTWAIT, (const struct sockaddr *)&kernel,
		   sizeof(kernel)) != (ssize_t)question.header.nlmsg_len)
		return false;
	ssize_t n = recvfrom(socket, reply, sizeof(reply), MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from, &size);
	return n > 0 && (size_t)n <= sizeof(reply) && size == sizeof(from) && from.nl_pid == 0 &&
	       kh_route_read(kh_view_of(reply, (size_t)n), number, address->is_v6 ? AF_INET6 : AF_INET, ret_answer);
}

/* The answers that mean that there is no way.  A machine without IPv6 has no such family. */
static bool means_none(int error)
{
	return error == ENETUNREACH || error == EHOSTUNREACH || error == EACCES || error == EINVAL ||
	       error == EAFNOSUPPORT || error == EOPNOTSUPP;
}

static enum kh_route of_other_type(unsigned type)
{
	switch (type) {
	case RTN_LOCAL:
		return KH_ROUTE_HERE;
	case RTN_BROADCAST:
	case RTN_ANYCAST:
	case RTN_MULTICAST:
		return KH_ROUTE_ON_LINK;
	case RTN_BLACKHOLE:
	case RTN_UNREACHABLE:
	case RTN_PROHIBIT:
		return KH_ROUTE_NONE;
	default:
		return KH_ROUTE_UNKNOWN;
	}
}

static enum kh_route judge(int socket, const struct kh_address *address, int port)
{
	struct kh_route_answer way, entry;

	if (!ask(socket, address, port, WHICH_WAY, &way))
		return KH_ROUTE_UNKNOWN;
	if (way.error != 0)
		return means_none(way.error) ? KH_ROUTE_NONE : KH_ROUTE_UNKNOWN;
	if (way.type != RTN_UNICAST)
		return of_other_type(way.type);
	if (!ask(socket, address, port, WHICH_ENTRY, &entry) || entry.error != 0)
		return KH_ROUTE_UNKNOWN;
	/* With several next hops another connection can take another one. */
	bool without = !way.has_gateway || (entry.has_next_hops && entry.is_without);
	bool is_default = entry.prefix < (address->is_v6 ? WIDEST_V6 : WIDEST_V4);
	return without && !is_default ? KH_ROUTE_ON_LINK : KH_ROUTE_BEYOND;
}

static bool is_refused(enum kh_route route)
{
	return kh_route_refusal(route) != NULL;
}

enum kh_route kh_route_find(const struct kh_address *address, int port)
{
	struct kh_address carried[KH_ADDRESS_CARRIED];
	size_t count = kh_address_carried(address, carried);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0)
		return KH_ROUTE_UNKNOWN;
	enum kh_route route = judge(fd, address, port);
	for (size_t i = 0; i < count && !is_refused(route); i++) {
		enum kh_route inner = judge(fd, &carried[i], port);
		route = is_refused(inner) ? inner : route;
	}
	close(fd);
	return route;
}

const char *kh_route_refusal(enum kh_route route)
{
	static const char *const refusals[] = {
		[KH_ROUTE_UNKNOWN] = "its route could not be asked for",
		[KH_ROUTE_HERE] = "this machine itself",
		[KH_ROUTE_ON_LINK] = "on-link to this machine",
		[KH_ROUTE_BEYOND] = NULL,
	};

	return refusals[route];
}
