/* URLs of the web.  Input is hostile; a character that is not known to be harmless is refused, not corrected. */
#include "core/comm/url.h"

#include <stdio.h>

#define HOST_MAX 253

static enum kh_err bad(struct kh_error *err, const char *what)
{
	return kh_error_set(err, KH_EINPUT, "bad_url", "%s", what);
}

static bool is_hex(char c)
{
	return kh_ascii_is_digit(c) || (kh_ascii_lower(c) >= 'a' && kh_ascii_lower(c) <= 'f');
}

/* Accepts only the characters that RFC 3986 allows in a URL. */
static enum kh_err check_characters(struct kh_view text, struct kh_error *err)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (c == '\\')
			return bad(err, "a backslash in the URL");
		if (c == '%' && (i + 2 >= text.n || !is_hex(text.p[i + 1]) || !is_hex(text.p[i + 2])))
			return bad(err, "a % that two hexadecimal digits do not follow");
		if (!kh_ascii_is_alpha(c) && !kh_ascii_is_digit(c) &&
		    (c == '\0' || memchr("-._~:/?#[]@!$&'()*+,;=%", c, sizeof("-._~:/?#[]@!$&'()*+,;=%") - 1) == NULL))
			return bad(err, "a character that no URL holds: write it percent-encoded, a host in punycode");
	}
	return KH_OK;
}

/* "192.0.2.7": four numbers without leading zeros, and no other way of writing them. */
static bool is_ipv4(struct kh_view text)
{
	struct kh_view part;
	size_t parts = 0;
	int64_t value;

	while (kh_view_split(&text, '.', &part)) {
		if (++parts > 4 || part.n == 0 || !kh_ascii_is_digit(part.p[0]) || !kh_view_int(part, &value) ||
		    value > 255)
			return false;
	}
	return parts == 4;
}

static bool is_group(struct kh_view text)
{
	size_t i = 0;

	while (i < text.n && is_hex(text.p[i]))
		i++;
	return i == text.n && i >= 1 && i <= 4;
}

/*
 * The number of 16-bit groups in TEXT, which is one side of a "::" or the whole address; -1 if TEXT is not made of
 * groups.
 */
static int count_groups(struct kh_view text, bool is_last)
{
	struct kh_view part;
	int groups = 0;

	if (text.n == 0)
		return 0;
	while (kh_view_split(&text, ':', &part)) {
		/* The last 32 bits may be written as an IPv4 address. */
		bool ipv4 = is_last && text.p == NULL && is_ipv4(part);
		if (!ipv4 && !is_group(part))
			return -1;
		groups += ipv4 ? 2 : 1;
	}
	return groups;
}

static bool is_ipv6(struct kh_view text)
{
	size_t gap = kh_view_find(text, KH_LIT("::"), 0);

	if (gap == SIZE_MAX)
		return count_groups(text, true) == 8;
	int before = count_groups(kh_view_sub(text, 0, gap), false),
	    after = count_groups(kh_view_from(text, gap + 2), true);
	return before >= 0 && after >= 0 && before + after <= 7;
}

/*
 * Whether HOST is a DNS name.  It is not if its last label begins with a digit, because addresses are written like
 * that, and an unusual form of one ("2130706433", "127.1", "0x7f.1") is an address to some programs and a name to
 * others.
 */
static bool is_name(struct kh_view host)
{
	struct kh_view rest = host, label = {NULL, 0};

	if (host.n == 0 || host.n > HOST_MAX)
		return false;
	if (host.p[host.n - 1] == '.')
		rest.n--;
	while (kh_view_split(&rest, '.', &label)) {
		if (!kh_view_is_label(label))
			return false;
	}
	return !kh_ascii_is_digit(label.p[0]);
}

static int default_port(const struct kh_url *url)
{
	return url->plain ? 80 : 443;
}

static enum kh_err read_port(struct kh_view text, int *ret_port, struct kh_error *err)
{
	int64_t port;

	if (!kh_view_int(text, &port) || port < 1 || port > 65535)
		return bad(err, "a port that is not a number from 1 to 65535");
	*ret_port = (int)port;
	return KH_OK;
}

/* Reads host and port of AUTHORITY, the part between the slashes. */
static enum kh_err read_authority(struct kh_view authority, struct kh_url *url, struct kh_error *err)
{
	bool bracket = authority.n > 0 && authority.p[0] == '[';
	size_t end = kh_view_find(authority, bracket ? KH_LIT("]") : KH_LIT(":"), 0);

	if (kh_view_find(authority, KH_LIT("@"), 0) != SIZE_MAX)
		return bad(err, "user information in the URL");
	if (bracket && end == SIZE_MAX)
		return bad(err, "a [ without its ]");
	url->host = bracket ? kh_view_sub(authority, 1, end) : kh_view_sub(authority, 0, end);
	struct kh_view port = kh_view_from(authority, bracket ? end + 1 : end);
	url->is_address = bracket ? is_ipv6(url->host) : is_ipv4(url->host);
	if (url->host.n == 0)
		return bad(err, "no host in the URL");
	if (!url->is_address && (bracket || !is_name(url->host)))
		return bad(err, "a host that is neither a DNS name nor an IP address in its usual form");
	if (port.n == 0)
		return KH_OK;
	return port.p[0] == ':' ? read_port(kh_view_from(port, 1), &url->port, err) : bad(err, "text after the ]");
}

enum kh_err kh_url_read_web(struct kh_view text, bool allow_plain, struct kh_url *ret_url, struct kh_error *err)
{
	struct kh_view https = KH_LIT("https://"), http = KH_LIT("http://");
	struct kh_url url = {.plain = allow_plain && kh_view_eq_nocase(kh_view_sub(text, 0, http.n), http)};
	size_t start = url.plain ? http.n : https.n, end = start;

	if (text.n > KH_URL_MAX)
		return kh_error_set(err, KH_ELIMIT, "too_long", "a URL of more than %d bytes", KH_URL_MAX);
	if (!url.plain && !kh_view_eq_nocase(kh_view_sub(text, 0, https.n), https))
		return bad(err, allow_plain ? "not a URL of the web: it begins neither with https:// nor with http://"
					    : "not an https URL: it does not begin with https://");
	enum kh_err e = check_characters(text, err);
	if (e != KH_OK)
		return e;
	while (end < text.n && memchr("/?#", text.p[end], 3) == NULL)
		end++;
	url.rest = kh_view_from(text, end);
	for (size_t i = 0; i < url.rest.n; i++) {
		if (url.rest.p[i] == '[' || url.rest.p[i] == ']')
			return bad(err, "a bracket outside the host: write it percent-encoded");
	}
	url.port = default_port(&url);
	e = read_authority(kh_view_sub(text, start, end), &url, err);
	if (e == KH_OK)
		*ret_url = url;
	return e;
}

enum kh_err kh_url_read(struct kh_view text, struct kh_url *ret_url, struct kh_error *err)
{
	return kh_url_read_web(text, false, ret_url, err);
}

/*
 * Writes a host in its one spelling: lower case, and no dot at its end, because with a dot it is the same name in DNS.
 */
static size_t write_host(struct kh_view host, char *buffer)
{
	size_t n = host.n > 0 && host.p[host.n - 1] == '.' ? host.n - 1 : host.n;

	for (size_t i = 0; i < n; i++)
		buffer[i] = kh_ascii_lower(host.p[i]);
	return n;
}

enum kh_err kh_url_write_host(const struct kh_url *url, char buffer[KH_URL_HOST], struct kh_view *ret_text)
{
	bool bracket = kh_view_find(url->host, KH_LIT(":"), 0) != SIZE_MAX;
	char host[HOST_MAX], port[sizeof(":65535")] = "";

	if (url->host.n > sizeof(host))
		return KH_ELIMIT;
	size_t host_n = write_host(url->host, host);
	if (url->port != default_port(url))
		snprintf(port, sizeof(port), ":%d", url->port);
	int n = snprintf(buffer, KH_URL_HOST, "%s%.*s%s%s", bracket ? "[" : "", (int)host_n, host, bracket ? "]" : "",
			 port);
	if (n < 0 || n >= KH_URL_HOST)
		return KH_ELIMIT;
	*ret_text = kh_view_of(buffer, (size_t)n);
	return KH_OK;
}

enum kh_err kh_url_write(const struct kh_url *url, char *buffer, size_t size, struct kh_view *ret_text)
{
	struct kh_view rest = kh_view_sub(url->rest, 0, kh_view_find(url->rest, KH_LIT("#"), 0)), host;
	char text[KH_URL_HOST];
	enum kh_err e = kh_url_write_host(url, text, &host);

	if (e != KH_OK)
		return e;
	int n = snprintf(buffer, size, "%s://%.*s%s%.*s", url->plain ? "http" : "https", KH_FMT(host),
			 rest.n > 0 && rest.p[0] == '/' ? "" : "/", KH_FMT(rest));
	/* A URL that was read grows by one "/" at most.  Refuse a result that is too long to be read again. */
	if (n < 0 || (size_t)n >= size || n > KH_URL_MAX)
		return KH_ELIMIT;
	*ret_text = kh_view_of(buffer, (size_t)n);
	return KH_OK;
}
