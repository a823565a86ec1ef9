/*
 * Which addresses may be connected to.  The address comes from a name server or a URL, so nothing about it is trusted.
 * An address that is not known to be on the public internet is refused.
 *
 * The tables follow IANA's registries of special-purpose addresses: they list every range that the registries do not
 * call globally reachable.  The first entry that matches decides, so narrow ranges stand before the wide ones that hold
 * them.
 */
#include "wire/address.h"

#include <arpa/inet.h>
#include <stdio.h>

#define IPV4_SIZE 4
#define IPV6_SIZE 16

struct range {
	const char *name; /* NULL: the range itself is not refused, only the IPv4 address inside may be */
	unsigned char bytes[IPV6_SIZE];
	unsigned char bits;   /* how many of BYTES count */
	unsigned char from;   /* offset in the address at which BYTES are compared */
	unsigned char inside; /* offset of an IPv4 address inside such an address; 0: there is none */
	bool is_inverted;     /* true if its bits are inverted there */
};

static const struct range ipv4[] = {
	/* Cloud metadata services: they hand out keys, among other things, over plain HTTP.  The addresses of Azure and
	   Oracle are not link-local, and Alibaba's is in the shared range. */
	{"metadata", {169, 254, 169, 254}, .bits = 32},
	{"metadata", {169, 254, 170, 2}, .bits = 32},
	{"metadata", {168, 63, 129, 16}, .bits = 32},
	{"metadata", {100, 100, 100, 200}, .bits = 32},
	{"metadata", {192, 0, 0, 192}, .bits = 32},
	{"broadcast", {255, 255, 255, 255}, .bits = 32},
	{"this network", {0}, .bits = 8}, /* Linux takes 0.0.0.0 for the machine itself */
	{"private", {10}, .bits = 8},
	{"shared", {100, 64}, .bits = 10},
	{"loopback", {127}, .bits = 8},
	{"link-local", {169, 254}, .bits = 16},
	{"private", {172, 16}, .bits = 12},
	{"protocol assignments", {192, 0, 0}, .bits = 24},
	{"documentation", {192, 0, 2}, .bits = 24},
	{"6to4 relay", {192, 88, 99}, .bits = 24},
	{"private", {192, 168}, .bits = 16},
	{"benchmark", {198, 18}, .bits = 15},
	{"documentation", {198, 51, 100}, .bits = 24},
	{"documentation", {203, 0, 113}, .bits = 24},
	{"multicast", {224}, .bits = 4},
	{"reserved", {240}, .bits = 4},
};

/* An address that carries an IPv4 address ends up at that one, so the IPv4 address is checked first. */
static const struct range ipv6[] = {
	{"unspecified", {0}, .bits = 128},
	{"loopback", {[15] = 1}, .bits = 128},
	{"metadata", {0xfd, 0, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54}, .bits = 128},
	{"metadata", {0xfd, 0x20, 0, 0xce, [14] = 0x02, [15] = 0x54}, .bits = 128},
	{"metadata", {0xfe, 0x80, [12] = 0xa9, 0xfe, 0xa9, 0xfe}, .bits = 128},
	{"IPv4-mapped", {[10] = 0xff, 0xff}, .bits = 96, .inside = 12},
	{"IPv4-compatible", {0}, .bits = 96, .inside = 12},
	{"IPv4-translated", {[8] = 0xff, 0xff}, .bits = 96, .inside = 12},
	/* A network without IPv4 reaches the public IPv4 internet this way: its name server makes these addresses. */
	{NULL, {0, 0x64, 0xff, 0x9b}, .bits = 96, .inside = 12},
	{"local NAT64", {0, 0x64, 0xff, 0x9b, 0, 1}, .bits = 48},
	{NULL, {0x20, 0x02}, .bits = 16, .inside = 2}, /* 6to4 */
	{NULL, {0x20, 0x01}, .bits = 32, .inside = 4}, /* Teredo: the server */
	{"Teredo", {0x20, 0x01}, .bits = 32, .inside = 12, .is_inverted = true},
	/* ISATAP: an interface identifier, behind any prefix.  The second entry has the bit for universally unique
	   addresses. */
	{NULL, {0, 0, 0x5e, 0xfe}, .bits = 32, .from = 8, .inside = 12},
	{NULL, {2, 0, 0x5e, 0xfe}, .bits = 32, .from = 8, .inside = 12},
	{"benchmark", {0x20, 0x01, 0, 2}, .bits = 48},
	{"protocol assignments", {0x20, 0x01}, .bits = 23},
	{"documentation", {0x20, 0x01, 0x0d, 0xb8}, .bits = 32},
	{"documentation", {0x3f, 0xff}, .bits = 20},
	{"discard", {1}, .bits = 64},
	{"discard", {1, [7] = 1}, .bits = 64},
	{"segment routing", {0x5f}, .bits = 16},
	{"unique-local", {0xfc}, .bits = 7},
	{"link-local", {0xfe, 0x80}, .bits = 10},
	{"site-local", {0xfe, 0xc0}, .bits = 10},
	{"multicast", {0xff}, .bits = 8},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static bool is_in(const struct range *range, const unsigned char *bytes)
{
	size_t whole = range->bits / 8U;
	unsigned rest = range->bits % 8U;

	bytes += range->from;
	if (memcmp(range->bytes, bytes, whole) != 0)
		return false;
	return rest == 0 || (range->bytes[whole] ^ bytes[whole]) >> (8 - rest) == 0;
}

static const char *refused_ipv4(const unsigned char *bytes)
{
	for (size_t i = 0; i < COUNT(ipv4); i++) {
		if (is_in(&ipv4[i], bytes))
			return ipv4[i].name;
	}
	return NULL;
}

/* The IPv4 address inside of BYTES, an address in RANGE. */
static void take_inside(const struct range *range, const unsigned char *bytes, unsigned char ret_inner[IPV4_SIZE])
{
	for (size_t i = 0; i < IPV4_SIZE; i++)
		ret_inner[i] = (unsigned char)(bytes[range->inside + i] ^ (range->is_inverted ? 0xff : 0));
}

/* Checks the IPv4 address inside of BYTES, an address in RANGE.  Returns the name of the range that it is refused for,
 * or else RANGE's own name. */
static const char *refused_inside(const struct range *range, const unsigned char *bytes)
{
	unsigned char inner[IPV4_SIZE];
	const char *name;

	if (range->inside == 0)
		return range->name;
	take_inside(range, bytes, inner);
	name = refused_ipv4(inner);
	return name ? name : range->name;
}

static const char *refused_ipv6(const unsigned char *bytes)
{
	const char *name;
	bool is_carrier = false;

	for (size_t i = 0; i < COUNT(ipv6); i++) {
		if (!is_in(&ipv6[i], bytes))
			continue;
		name = refused_inside(&ipv6[i], bytes);
		if (name != NULL)
			return name;
		/* An interface identifier says nothing about the prefix before it. */
		is_carrier = is_carrier || ipv6[i].from == 0;
	}
	/* Only 2000::/3 was ever assigned. */
	return is_carrier || bytes[0] >> 5 == 1 ? NULL : "reserved";
}

struct kh_address kh_address_meant(const struct kh_address *address)
{
	static const unsigned char mapped[] = {[10] = 0xff, 0xff};
	struct kh_address meant = {.is_v6 = false};

	if (!address->is_v6 || memcmp(address->bytes, mapped, sizeof(mapped)) != 0)
		return *address;
	memcpy(meant.bytes, address->bytes + sizeof(mapped), IPV4_SIZE);
	return meant;
}

const char *kh_address_refused(const struct kh_address *address)
{
	return address->is_v6 ? refused_ipv6(address->bytes) : refused_ipv4(address->bytes);
}

size_t kh_address_carried(const struct kh_address *address, struct kh_address ret_carried[KH_ADDRESS_CARRIED])
{
	size_t count = 0;

	for (size_t i = 0; address->is_v6 && i < COUNT(ipv6) && count < KH_ADDRESS_CARRIED; i++) {
		if (ipv6[i].inside == 0 || !is_in(&ipv6[i], address->bytes))
			continue;
		ret_carried[count] = (struct kh_address){.is_v6 = false};
		take_inside(&ipv6[i], address->bytes, ret_carried[count++].bytes);
	}
	return count;
}

bool kh_address_read(struct kh_view text, struct kh_address *ret_address)
{
	struct kh_address address = {.is_v6 = false};
	char copy[INET6_ADDRSTRLEN];

	if (text.n == 0 || text.n >= sizeof(copy) || memchr(text.p, '\0', text.n) != NULL)
		return false;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	address.is_v6 = memchr(copy, ':', text.n) != NULL;
	if (inet_pton(address.is_v6 ? AF_INET6 : AF_INET, copy, address.bytes) != 1)
		return false;
	*ret_address = address;
	return true;
}

bool kh_address_from_bytes(struct kh_view bytes, struct kh_address *ret_address)
{
	struct kh_address address = {.is_v6 = bytes.n == IPV6_SIZE};

	if (bytes.n != IPV4_SIZE && bytes.n != IPV6_SIZE)
		return false;
	memcpy(address.bytes, bytes.p, bytes.n);
	*ret_address = address;
	return true;
}

void kh_address_print(const struct kh_address *address, char *buffer, size_t size)
{
	char text[INET6_ADDRSTRLEN] = "";

	/* Cannot fail: the buffer is large enough for both families. */
	(void)inet_ntop(address->is_v6 ? AF_INET6 : AF_INET, address->bytes, text, sizeof(text));
	snprintf(buffer, size, "%s", text);
}
