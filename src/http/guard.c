/* The guard.  Names are compared without regard to the case of ASCII letters and never resolved, because an attacker
 * chooses what a name resolves to. */
#include "http/guard.h"

#define NO_PORT 0

/* A host and its port, separated. */
struct authority {
	struct kh_view host;
	unsigned port; /* NO_PORT: none was given */
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* RFC 9110: a header's name is a token. */
static bool is_token(struct kh_view v)
{
	return v.n > 0 && kh_view_is_word(v, "!#$%&'*+-.^_`|~");
}

/* True for visible characters, blanks between them, and bytes past ASCII. */
static bool is_value(struct kh_view v)
{
	for (size_t i = 0; i < v.n; i++) {
		unsigned char c = (unsigned char)v.p[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static bool read_port(struct kh_view v, unsigned *ret_port)
{
	int64_t n;

	if (v.n == 0 || v.n > 5 || !kh_view_int(v, &n) || n < 1 || n > 65535)
		return false;
	*ret_port = (unsigned)n;
	return true;
}

static bool is_host_name(struct kh_view v)
{
	return v.n > 0 && v.n <= 255 && kh_view_is_word(v, "-._");
}

/* True for "[::1]"; only the characters inside the brackets are checked. */
static bool is_bracketed(struct kh_view v)
{
	if (v.n < 4 || v.p[0] != '[' || v.p[v.n - 1] != ']' || v.n > 64)
		return false;
	for (size_t i = 1; i + 1 < v.n; i++) {
		char c = kh_ascii_lower(v.p[i]);
		if (!kh_ascii_is_digit(c) && (c < 'a' || c > 'f') && c != ':' && c != '.')
			return false;
	}
	return true;
}

static bool read_authority(struct kh_view v, struct authority *ret_authority)
{
	struct authority a = {.port = NO_PORT};
	size_t end = v.n > 0 && v.p[0] == '[' ? kh_view_find(v, KH_LIT("]"), 0) : 0;
	size_t colon;

	if (end == SIZE_MAX)
		return false;
	colon = kh_view_find(v, KH_LIT(":"), end);
	a.host = kh_view_sub(v, 0, colon == SIZE_MAX ? v.n : colon);
	if (colon != SIZE_MAX && !read_port(kh_view_from(v, colon + 1), &a.port))
		return false;
	if (!is_host_name(a.host) && !is_bracketed(a.host))
		return false;
	*ret_authority = a;
	return true;
}

static unsigned default_port(bool tls)
{
	return tls ? 443 : 80;
}

/* --- Host --------------------------------------------------------------------------------------------------------- */

/* True for 127.0.0.0/8 in four decimal numbers; no other spelling, because some resolver might take it for another
 * address. */
static bool is_loopback_address(struct kh_view host)
{
	struct kh_view rest = host, part;
	int64_t n;
	unsigned parts = 0;

	while (kh_view_split(&rest, '.', &part)) {
		if (part.n > 3 || !kh_view_int(part, &n) || n < 0 || n > 255 || (parts == 0 && n != 127))
			return false;
		parts++;
	}
	return parts == 4;
}

static bool is_loopback(struct kh_view host)
{
	return kh_view_eq_nocase(host, KH_LIT("localhost")) || kh_view_eq(host, KH_LIT("[::1]")) ||
	       is_loopback_address(host);
}

/* True if the port is ours; if none is given, it is the scheme's default. */
static bool is_our_port(const struct kh_http_guard *guard, unsigned port)
{
	if (guard->port == 0)
		return true;
	return (port == NO_PORT ? default_port(guard->tls) : port) == guard->port;
}

static bool is_configured(const struct kh_http_guard *guard, const struct authority *a)
{
	for (size_t i = 0; i < guard->host_count; i++) {
		struct authority want;

		if (!read_authority(guard->hosts[i], &want) || !kh_view_eq_nocase(want.host, a->host))
			continue;
		if (want.port == a->port)
			return true; /* no port: it is reached through a proxy */
		if (want.port == NO_PORT && is_our_port(guard, a->port))
			return true;
		if (a->port == NO_PORT && (want.port == 80 || want.port == 443))
			return true;
	}
	return false;
}

bool kh_http_guard_host(const struct kh_http_guard *guard, struct kh_view value, bool *ret_configured)
{
	struct authority a;

	*ret_configured = false;
	if (!read_authority(value, &a))
		return false;
	if (is_configured(guard, &a)) {
		*ret_configured = true;
		return true;
	}
	return is_loopback(a.host) && is_our_port(guard, a.port);
}

/* --- Origin ------------------------------------------------------------------------------------------------------- */

static bool is_listed(const struct kh_http_guard *guard, struct kh_view origin)
{
	for (size_t i = 0; i < guard->origin_count; i++) {
		if (kh_view_eq_nocase(guard->origins[i], origin))
			return true;
	}
	return false;
}

/* Same origin means: our scheme, and the host and port that the request itself was sent to. */
bool kh_http_guard_origin(const struct kh_http_guard *guard, struct kh_view origin, struct kh_view host)
{
	bool https = kh_view_starts(origin, KH_LIT("https://"));
	struct authority from, to;
	bool configured;

	if (is_listed(guard, origin))
		return true;
	if (!https && !kh_view_starts(origin, KH_LIT("http://")))
		return false;
	if (!read_authority(kh_view_from(origin, https ? 8 : 7), &from) || !read_authority(host, &to) ||
	    !kh_http_guard_host(guard, host, &configured))
		return false;
	/* A configured name may be that of a proxy, which may have TLS even if we have none. */
	if (https != guard->tls && !configured)
		return false;
	if (!kh_view_eq_nocase(from.host, to.host))
		return false;
	return (from.port == NO_PORT ? default_port(https) : from.port) ==
	       (to.port == NO_PORT ? default_port(https) : to.port);
}

/* --- the whole check ---------------------------------------------------------------------------------------------- */

enum { HOST, AUTHORIZATION, ORIGIN, LENGTH, ENCODING, SINGLES };
static const struct kh_view singles[SINGLES] = {
	[HOST] = KH_LIT_INIT("host"),
	[AUTHORIZATION] = KH_LIT_INIT("authorization"),
	[ORIGIN] = KH_LIT_INIT("origin"),
	[LENGTH] = KH_LIT_INIT("content-length"),
	[ENCODING] = KH_LIT_INIT("transfer-encoding"),
};

static enum kh_err take_singles(const struct kh_http_pair *headers, size_t count, struct kh_view found[SINGLES],
				struct kh_error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_token(headers[i].name) || !is_value(headers[i].value))
			return kh_error_set(err, KH_EINPUT, "bad_header", "a header is not one that HTTP allows");
		for (size_t k = 0; k < SINGLES; k++) {
			if (!kh_view_eq_nocase(headers[i].name, singles[k]))
				continue;
			if (found[k].p != NULL)
				return kh_error_set(err, KH_EINPUT, "duplicate_header", "%.*s stands there twice",
						    KH_FMT(singles[k]));
			/* A coding with a blank behind it is none for MHD, which would then read until the end. */
			found[k] = k == ENCODING ? headers[i].value : kh_view_trim(headers[i].value);
			if (found[k].p == NULL)
				found[k] = KH_LIT("");
		}
	}
	return KH_OK;
}

static bool is_number(struct kh_view v)
{
	for (size_t i = 0; i < v.n; i++) {
		if (!kh_ascii_is_digit(v.p[i]))
			return false;
	}
	return v.n > 0;
}

bool kh_http_guard_length(struct kh_view value, uint64_t *ret_length)
{
	struct kh_view length = kh_view_trim(value);
	int64_t n;

	if (!is_number(length) || !kh_view_int(length, &n))
		return false;
	*ret_length = (uint64_t)n;
	return true;
}

static enum kh_err take_length(const struct kh_view found[SINGLES], struct kh_http_knock *knock, struct kh_error *err)
{
	struct kh_view length = found[LENGTH], encoding = found[ENCODING];

	if (length.p != NULL && encoding.p != NULL)
		return kh_error_set(err, KH_EINPUT, "bad_length",
				    "Content-Length and Transfer-Encoding exclude each other");
	if (encoding.p != NULL && !kh_view_eq_nocase(encoding, KH_LIT("chunked")))
		return kh_error_set(err, KH_EINPUT, "bad_length", "of transfer encodings only chunked is taken");
	if (length.p != NULL && !kh_http_guard_length(length, &knock->length))
		return is_number(length) && length.p[0] != '0'
			       ? kh_error_set(err, KH_ELIMIT, "too_large", "no path takes a body of this length")
			       : kh_error_set(err, KH_EINPUT, "bad_length", "Content-Length is not a number of bytes");
	knock->chunked = encoding.p != NULL;
	knock->has_length = length.p != NULL;
	return KH_OK;
}

/* Looks for a body that is not as it would be read: in another content coding than none. */
static bool is_encoded(const struct kh_http_pair *headers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct kh_view value = kh_view_trim(headers[i].value);
		if (kh_view_eq_nocase(headers[i].name, KH_LIT("content-encoding")) && value.n > 0 &&
		    !kh_view_eq_nocase(value, KH_LIT("identity")))
			return true;
	}
	return false;
}

enum kh_err kh_http_guard_check(const struct kh_http_guard *guard, const struct kh_http_pair *headers, size_t count,
				struct kh_http_knock *ret_knock, struct kh_error *err)
{
	struct kh_view found[SINGLES] = {0};
	struct kh_http_knock knock = {0};
	bool configured;
	enum kh_err e = take_singles(headers, count, found, err);

	if (e == KH_OK)
		e = take_length(found, &knock, err);
	if (e != KH_OK)
		return e;
	if (found[HOST].p == NULL)
		return kh_error_set(err, KH_EINPUT, "bad_host", "a request says by Host which server it is for");
	if (!kh_http_guard_host(guard, found[HOST], &configured))
		return kh_error_set(err, KH_EREFUSED, "bad_host",
				    "Host is not a name of this server; others are named in the configuration");
	if (found[ORIGIN].p != NULL && !kh_http_guard_origin(guard, found[ORIGIN], found[HOST]))
		return kh_error_set(err, KH_EREFUSED, "bad_origin",
				    "pages of this origin may not call; those that may are named in the configuration");
	knock.authorization = found[AUTHORIZATION];
	knock.encoded = is_encoded(headers, count);
	if (found[ORIGIN].p != NULL && is_listed(guard, found[ORIGIN]))
		knock.origin = found[ORIGIN];
	*ret_knock = knock;
	return KH_OK;
}

bool kh_http_guard_bearer(struct kh_view authorization, struct kh_view *ret_token)
{
	struct kh_view token = kh_view_from(authorization, 7);

	if (authorization.n < 8 || !kh_view_eq_nocase(kh_view_sub(authorization, 0, 7), KH_LIT("bearer ")))
		return false;
	while (token.n > 0 && token.p[0] == ' ')
		token = kh_view_from(token, 1);
	if (token.n == 0 || token.n > KH_HTTP_GUARD_TOKEN || !kh_view_is_word(token, "-._~+/="))
		return false;
	*ret_token = token;
	return true;
}
