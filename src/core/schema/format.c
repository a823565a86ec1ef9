/* Formats of strings and numbers: RFC 3339, 5321, 1123, 3986, 4122, 2673, 4291, and OpenAPI's integers. */
#include "core/schema/format.h"

#include <arpa/inet.h>

#define ADDRESS  46 /* INET6_ADDRSTRLEN */
#define FRACTION 9  /* digits of a second */

/* Takes N digits off V; -1 if there are not so many. */
static int take_digits(struct kh_view *v, size_t n)
{
	int value = 0;

	if (v->n < n)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!kh_ascii_is_digit(v->p[i]))
			return -1;
		value = value * 10 + (v->p[i] - '0');
	}
	*v = kh_view_from(*v, n);
	return value;
}

static bool take_char(struct kh_view *v, char c)
{
	if (v->n == 0 || v->p[0] != c)
		return false;
	*v = kh_view_from(*v, 1);
	return true;
}

static bool take_date(struct kh_view *v)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year = take_digits(v, 4), month, day;

	if (year < 0 || !take_char(v, '-') || (month = take_digits(v, 2)) < 1 || month > 12 || !take_char(v, '-') ||
	    (day = take_digits(v, 2)) < 1)
		return false;
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return day <= days[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

/* The offset from UTC in minutes, east of it. */
static bool take_offset(struct kh_view *v, int *ret_minutes)
{
	int sign = take_char(v, '+') ? 1 : take_char(v, '-') ? -1 : 0, hours, minutes;

	*ret_minutes = 0;
	if (sign == 0)
		return take_char(v, 'Z') || take_char(v, 'z');
	if ((hours = take_digits(v, 2)) < 0 || hours > 23 || !take_char(v, ':') || (minutes = take_digits(v, 2)) < 0 ||
	    minutes > 59)
		return false;
	*ret_minutes = sign * (hours * 60 + minutes);
	return true;
}

static bool take_time(struct kh_view *v)
{
	int hour = take_digits(v, 2), minute, second, offset;
	size_t digits = 0;

	if (hour < 0 || hour > 23 || !take_char(v, ':') || (minute = take_digits(v, 2)) < 0 || minute > 59 ||
	    !take_char(v, ':') || (second = take_digits(v, 2)) < 0 || second > 60)
		return false;
	if (take_char(v, '.')) {
		for (; v->n > 0 && kh_ascii_is_digit(v->p[0]); digits++)
			*v = kh_view_from(*v, 1);
		if (digits == 0 || digits > FRACTION)
			return false;
	}
	if (!take_offset(v, &offset))
		return false;
	/* A leap second is the last of a day in UTC. */
	int utc = ((hour * 60 + minute - offset) % 1440 + 1440) % 1440;
	return second < 60 || utc == 1439;
}

static bool is_date(struct kh_view v)
{
	return take_date(&v) && v.n == 0;
}

static bool is_time(struct kh_view v)
{
	return take_time(&v) && v.n == 0;
}

static bool is_date_time(struct kh_view v)
{
	return take_date(&v) && (take_char(&v, 'T') || take_char(&v, 't')) && take_time(&v) && v.n == 0;
}

static bool is_hex(char c)
{
	return kh_ascii_hex(c) >= 0;
}

static bool is_uuid(struct kh_view v)
{
	if (v.n != 36)
		return false;
	for (size_t i = 0; i < v.n; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
		if (is_dash ? v.p[i] != '-' : !is_hex(v.p[i]))
			return false;
	}
	return true;
}

static bool is_address(struct kh_view v, int family)
{
	unsigned char bytes[16];
	char text[ADDRESS];

	if (v.n == 0 || v.n >= sizeof(text) || memchr(v.p, '\0', v.n) != NULL)
		return false;
	memcpy(text, v.p, v.n);
	text[v.n] = '\0';
	return inet_pton(family, text, bytes) == 1;
}

static bool is_ipv4(struct kh_view v)
{
	return is_address(v, AF_INET);
}

static bool is_ipv6(struct kh_view v)
{
	return is_address(v, AF_INET6);
}

static bool is_hostname(struct kh_view v)
{
	struct kh_view label;

	if (v.n == 0 || v.n > 253 || v.p[v.n - 1] == '.')
		return false;
	while (kh_view_split(&v, '.', &label)) {
		/* Two hyphens there are reserved; only those of names in other scripts are in use. */
		bool is_reserved = label.n > 3 && label.p[2] == '-' && label.p[3] == '-';
		bool is_foreign = label.n > 4 && kh_view_eq_nocase(kh_view_of(label.p, 4), KH_LIT("xn--"));
		if (!kh_view_is_label(label) || (is_reserved && !is_foreign))
			return false;
	}
	return true;
}

static bool is_among(char c, const char *signs)
{
	return c != '\0' && strchr(signs, c) != NULL;
}

/* The part of an address before the @: words with dots between them, or anything printable in quotes. */
static bool is_local_part(struct kh_view v)
{
	bool is_quoted = v.n > 1 && v.p[0] == '"' && v.p[v.n - 1] == '"';
	bool is_start = true;

	if (v.n == 0 || v.n > 64)
		return false;
	for (size_t i = 1; is_quoted && i + 1 < v.n; i++) {
		if (v.p[i] < ' ' || v.p[i] > '~' || v.p[i] == '"' || (v.p[i] == '\\' && ++i + 1 == v.n))
			return false;
	}
	for (size_t i = 0; !is_quoted && i < v.n; i++) {
		bool is_dot = v.p[i] == '.';
		if (is_dot ? is_start || i + 1 == v.n
			   : !kh_ascii_is_alpha(v.p[i]) && !kh_ascii_is_digit(v.p[i]) &&
				     !is_among(v.p[i], "!#$%&'*+-/=?^_`{|}~"))
			return false;
		is_start = is_dot;
	}
	return true;
}

static bool is_email(struct kh_view v)
{
	size_t at = v.n;

	while (at > 0 && v.p[at - 1] != '@')
		at--;
	if (at == 0 || v.n > 254 || !is_local_part(kh_view_of(v.p, at - 1)))
		return false;
	struct kh_view domain = kh_view_from(v, at);
	if (domain.n < 2 || domain.p[0] != '[')
		return is_hostname(domain);
	if (domain.p[domain.n - 1] != ']')
		return false;
	struct kh_view literal = kh_view_of(domain.p + 1, domain.n - 2);
	return kh_view_starts(literal, KH_LIT("IPv6:")) ? is_ipv6(kh_view_from(literal, 5)) : is_ipv4(literal);
}

/* Unreserved characters, those of MORE, and percent with two hexadecimal digits. */
static bool is_of(struct kh_view v, const char *more)
{
	for (size_t i = 0; i < v.n; i++) {
		char c = v.p[i];
		if (c == '%' && i + 2 < v.n && is_hex(v.p[i + 1]) && is_hex(v.p[i + 2]))
			i += 2;
		else if (!kh_ascii_is_alpha(c) && !kh_ascii_is_digit(c) && !is_among(c, "-._~") && !is_among(c, more))
			return false;
	}
	return true;
}

#define SUB_DELIMITERS "!$&'()*+,;="

/* Cuts V at the first C: *RET_REST is what follows it; false if it is not there. */
static bool cut(struct kh_view *v, char c, struct kh_view *ret_rest)
{
	const char *at = v->n > 0 ? memchr(v->p, c, v->n) : NULL;

	if (at == NULL)
		return false;
	size_t n = (size_t)(at - v->p);
	*ret_rest = kh_view_from(*v, n + 1);
	v->n = n;
	return true;
}

/* "user@host:port", with the address of a host in brackets. */
static bool is_authority(struct kh_view v)
{
	struct kh_view user = v, rest, port = {"", 0};

	if (cut(&user, '@', &rest)) {
		if (!is_of(user, SUB_DELIMITERS ":"))
			return false;
		v = rest;
	}
	if (v.n > 0 && v.p[0] == '[') {
		struct kh_view host = kh_view_from(v, 1);
		if (!cut(&host, ']', &rest) || (rest.n > 0 && rest.p[0] != ':'))
			return false;
		port = kh_view_from(rest, rest.n > 0);
		if (!is_ipv6(host))
			return false;
	} else {
		(void)cut(&v, ':', &port);
		if (!is_of(v, SUB_DELIMITERS))
			return false;
	}
	for (size_t i = 0; i < port.n; i++) {
		if (!kh_ascii_is_digit(port.p[i]))
			return false;
	}
	return true;
}

/* What follows the scheme. */
static bool is_uri_rest(struct kh_view v)
{
	struct kh_view query = {"", 0}, fragment = {"", 0}, path;

	(void)cut(&v, '#', &fragment);
	(void)cut(&v, '?', &query);
	if (!is_of(fragment, SUB_DELIMITERS ":@/?") || !is_of(query, SUB_DELIMITERS ":@/?"))
		return false;
	if (!kh_view_starts(v, KH_LIT("//")))
		return is_of(v, SUB_DELIMITERS ":@/");
	v = kh_view_from(v, 2);
	return cut(&v, '/', &path) ? is_authority(v) && is_of(path, SUB_DELIMITERS ":@/") : is_authority(v);
}

static bool is_uri(struct kh_view v)
{
	struct kh_view scheme = v, rest;

	if (!cut(&scheme, ':', &rest) || scheme.n == 0 || !kh_ascii_is_alpha(scheme.p[0]))
		return false;
	return kh_view_is_word(scheme, "+-.") && is_uri_rest(rest);
}

static const struct kh_format_row rows[] = {
	{"date", "a date such as 2026-11-16", KH_NODE_STRING, true, is_date, 0, 0},
	{"time", "a time such as 09:30:00Z", KH_NODE_STRING, true, is_time, 0, 0},
	{"date-time", "a date and time such as 2026-11-16T09:30:00Z", KH_NODE_STRING, true, is_date_time, 0, 0},
	{"email", "an e-mail address", KH_NODE_STRING, false, is_email, 0, 0},
	{"hostname", "the name of a host", KH_NODE_STRING, false, is_hostname, 0, 0},
	{"ipv4", "an IPv4 address", KH_NODE_STRING, true, is_ipv4, 0, 0},
	{"ipv6", "an IPv6 address", KH_NODE_STRING, true, is_ipv6, 0, 0},
	{"uri", "a URI with its scheme", KH_NODE_STRING, false, is_uri, 0, 0},
	{"uuid", "a UUID", KH_NODE_STRING, true, is_uuid, 0, 0},
	{"int32", "an integer of 32 bits", KH_NODE_NUMBER, false, NULL, INT32_MIN, INT32_MAX},
	{"int64", "an integer of 64 bits", KH_NODE_NUMBER, false, NULL, INT64_MIN, INT64_MAX},
};

const struct kh_format_row *kh_schema_format_find(struct kh_view name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (kh_view_eq(name, kh_view_str(rows[i].name)))
			return &rows[i];
	}
	return NULL;
}

bool kh_schema_format_fits(const struct kh_format_row *row, const yyjson_val *val)
{
	int64_t number;

	if (row->fits != NULL)
		return row->fits(kh_json_str(val));
	return kh_decimal_int(kh_decimal_of(val), &number) && number >= row->min && number <= row->max;
}
