/* Reads addresses, names and origins.  The operator wrote them; anything ambiguous is refused, not guessed. */
#include "core/policy/reach.h"

#include "core/policy/match.h"

#include <arpa/inet.h>

/* Reads a port: digits only, no sign, no leading zero. */
static bool read_port(struct kh_view text, uint16_t *ret_port)
{
	uint32_t port = 0;

	if (text.n == 0 || text.n > 5 || (text.n > 1 && text.p[0] == '0'))
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (!kh_ascii_is_digit(text.p[i]))
			return false;
		port = port * 10 + (uint32_t)(text.p[i] - '0');
	}
	*ret_port = (uint16_t)port;
	return port <= UINT16_MAX;
}

/* An address of FAMILY without brackets. */
static bool read_address(int family, struct kh_view text, unsigned char bytes[16])
{
	char copy[INET6_ADDRSTRLEN];

	if (text.n >= sizeof(copy) || memchr(text.p, '\0', text.n) != NULL)
		return false;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	return inet_pton(family, copy, bytes) == 1;
}

/* Splits "host:port" or "[v6]:port" at its last colon; *RET_PORT is empty, with p NULL, if there is none. */
static bool split(struct kh_view text, struct kh_view *ret_host, struct kh_view *ret_port)
{
	size_t end;
	bool bracketed = text.n > 0 && text.p[0] == '[';

	if (bracketed) {
		end = kh_view_find(text, KH_LIT("]"), 0);
		if (end == SIZE_MAX)
			return false;
		end++;
	} else {
		size_t colon = kh_view_find(text, KH_LIT(":"), 0);
		end = colon != SIZE_MAX ? colon : text.n;
	}
	if (end < text.n && text.p[end] != ':')
		return false;
	*ret_host = bracketed ? kh_view_of(text.p + 1, end - 2) : kh_view_of(text.p, end);
	*ret_port = end < text.n ? kh_view_from(text, end + 1) : (struct kh_view){NULL, 0};
	return ret_host->n > 0;
}

/* An IPv4-mapped address (::ffff:127.0.0.1) is judged by the IPv4 address in it: a connection to it ends up there. */
static bool is_loopback(const struct kh_reach *reach)
{
	static const unsigned char v6_loopback[16] = {[15] = 1}, mapped[12] = {[10] = 0xff, 0xff};

	if (!reach->is_v6)
		return reach->bytes[0] == 127;
	return memcmp(reach->bytes, v6_loopback, sizeof(v6_loopback)) == 0 ||
	       (memcmp(reach->bytes, mapped, sizeof(mapped)) == 0 && reach->bytes[12] == 127);
}

bool kh_reach_read(struct kh_view text, struct kh_reach *ret_reach)
{
	struct kh_reach reach = {.is_v6 = text.n > 0 && text.p[0] == '['};
	struct kh_view host, port;

	if (!split(text, &host, &port) || !read_port(port, &reach.port) ||
	    !read_address(reach.is_v6 ? AF_INET6 : AF_INET, host, reach.bytes))
		return false;
	reach.is_loopback = is_loopback(&reach);
	*ret_reach = reach;
	return true;
}

bool kh_reach_is_listen(struct kh_view text)
{
	struct kh_reach reach;

	return kh_reach_read(text, &reach);
}

bool kh_reach_is_host(struct kh_view text)
{
	struct kh_view host, port;
	unsigned char bytes[16];
	uint16_t number;

	if (!split(text, &host, &port) || (port.p != NULL && !read_port(port, &number)))
		return false;
	return text.p[0] == '[' ? read_address(AF_INET6, host, bytes)
				: kh_match_is_host(host) && !kh_view_starts(host, KH_LIT("*"));
}

/* The part after http:// or https://; p is NULL if TEXT begins with neither. */
static struct kh_view after_scheme(struct kh_view text)
{
	static const struct kh_view schemes[] = {KH_LIT_INIT("https://"), KH_LIT_INIT("http://")};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (kh_view_starts(text, schemes[i]))
			return kh_view_from(text, schemes[i].n);
	}
	return (struct kh_view){NULL, 0};
}

bool kh_reach_is_origin(struct kh_view text)
{
	struct kh_view rest = after_scheme(text);

	return rest.p != NULL && kh_reach_is_host(rest);
}

bool kh_reach_is_url(struct kh_view text)
{
	struct kh_view rest = after_scheme(text);
	size_t slash = rest.p != NULL ? kh_view_find(rest, KH_LIT("/"), 0) : SIZE_MAX;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] <= ' ' || text.p[i] >= 0x7f || text.p[i] == '"' || text.p[i] == '<' || text.p[i] == '>')
			return false;
	}
	return rest.p != NULL && kh_reach_is_host(slash != SIZE_MAX ? kh_view_of(rest.p, slash) : rest);
}

/* A path as in match.h.  A relative path has to follow the same rules as an absolute one after its first slash. */
bool kh_reach_is_file(struct kh_view text)
{
	char copy[1025] = "/";

	if (text.n > 0 && text.p[0] == '/')
		return text.n > 1 && kh_match_is_path(text);
	if (text.n == 0 || text.n > sizeof(copy) - 1)
		return false;
	memcpy(copy + 1, text.p, text.n);
	return kh_match_is_path(kh_view_of(copy, text.n + 1));
}
