/*
 * Finds anchors: one pass over the text for each kind.  A pass jumps from one character that such an anchor must have
 * to the next, so most of a text is skipped.  The text is hostile; every pass goes forward only, except for bounded
 * looks back to the beginning of a scheme, a host or an address.
 */
#include "core/block/anchor.h"

#include "base/utf8.h"
#include "core/block/punycode.h"
#include "core/screen/fold.h"

#define URL_MAX    2048
#define SCHEME_MAX 32
#define HOST_MAX   253
#define LOCAL_MAX  64
#define DIGITS_MIN 6
#define GROUPS_MAX 8

typedef unsigned char byte;
typedef byte lanes __attribute__((vector_size(16)));
typedef signed char signed_lanes __attribute__((vector_size(16)));

void kh_anchor_begin(struct kh_anchor_scan *scan, struct kh_view text, const bool wanted[KH_ANCHOR_COUNT])
{
	*scan = (struct kh_anchor_scan){.text = text};
	for (size_t i = 0; i < KH_ANCHOR_COUNT; i++) {
		scan->wanted[i] = wanted[i];
		scan->at[i] = wanted[i] ? 0 : text.n;
	}
}

/* The offset of C in V from AT on; V.n if there is none. */
static size_t find_char(struct kh_view v, char c, size_t at)
{
	const char *p = at < v.n ? memchr(v.p + at, c, v.n - at) : NULL;

	return p ? (size_t)(p - v.p) : v.n;
}

static bool is_word(char c)
{
	return kh_fold_plain[(byte)c] != 0;
}

/* What signs can be part of. */
enum {
	IN_HOST = 1,
	IN_SCHEME = 2,
	IN_LOCAL = 4, /* of an address */
	AFTER_HOST = 8,
	AFTER_URL = 16, /* at its end it is not part of it */
	IN_NUMBER = 32, /* between two groups of digits */
	NOT_IN_URL = 64,
};

static const byte signs[256] = {
	['.'] = IN_HOST | IN_SCHEME | IN_LOCAL | AFTER_URL | IN_NUMBER,
	['-'] = IN_HOST | IN_SCHEME | IN_LOCAL | IN_NUMBER,
	['_'] = IN_HOST | IN_LOCAL,
	['+'] = IN_SCHEME | IN_LOCAL,
	['%'] = IN_LOCAL,
	['/'] = AFTER_HOST,
	['?'] = AFTER_HOST | AFTER_URL,
	['#'] = AFTER_HOST,
	[','] = AFTER_URL | IN_NUMBER,
	[';'] = AFTER_URL,
	[':'] = AFTER_URL,
	['!'] = AFTER_URL,
	[')'] = AFTER_URL | IN_NUMBER,
	[']'] = AFTER_URL,
	[' '] = IN_NUMBER,
	['('] = IN_NUMBER,
	['\''] = IN_NUMBER | NOT_IN_URL,
	['"'] = NOT_IN_URL,
	['<'] = NOT_IN_URL,
	['>'] = NOT_IN_URL,
	['`'] = NOT_IN_URL,
	['{'] = NOT_IN_URL,
	['}'] = NOT_IN_URL,
	['|'] = NOT_IN_URL,
	['\\'] = NOT_IN_URL,
	['^'] = NOT_IN_URL,
};

static bool is_in(char c, unsigned what)
{
	return (signs[(byte)c] & what) != 0;
}

/* Whether C can be in a host, an address's local part or a scheme. */
static bool is_name(char c, unsigned what)
{
	return is_word(c) || is_in(c, what);
}

static bool is_url(char c)
{
	return (byte)c > ' ' && c != 0x7f && !is_in(c, NOT_IN_URL);
}

/* ---- URLs ---- */

/* The host inside the URL whose authority begins at byte FROM: without user and port. */
static struct kh_anchor host_of_url(struct kh_view text, size_t from, size_t end)
{
	size_t stop = from;

	while (stop < end && !is_in(text.p[stop], AFTER_HOST))
		stop++;
	for (size_t i = from; i < stop; i++) {
		if (text.p[i] == '@')
			from = i + 1;
	}
	bool bracket = from < stop && text.p[from] == '[';
	size_t host_end = from;
	while (host_end < stop && (bracket ? text.p[host_end] != ']' : text.p[host_end] != ':'))
		host_end++;
	host_end += bracket && host_end < stop;
	return (struct kh_anchor){KH_ANCHOR_HOST, from, host_end, kh_view_sub(text, from, host_end)};
}

static bool next_url(struct kh_anchor_scan *scan, struct kh_anchor *ret_anchor)
{
	struct kh_view text = scan->text;
	size_t *at = &scan->at[KH_ANCHOR_URL], mark, start, end;

	for (size_t from = *at; (mark = find_char(text, ':', from)) < text.n; from = *at > mark ? *at : mark + 1) {
		if (!kh_view_starts(kh_view_from(text, mark), KH_LIT("://")))
			continue;
		for (start = mark; start > *at && mark - start < SCHEME_MAX && is_name(text.p[start - 1], IN_SCHEME);
		     start--)
			;
		for (end = mark + 3; end < text.n && end - start < URL_MAX && is_url(text.p[end]); end++)
			;
		*at = end;
		while (end > mark + 3 && is_in(text.p[end - 1], AFTER_URL))
			end--;
		if (start == mark || end == mark + 3)
			continue;
		*ret_anchor = (struct kh_anchor){KH_ANCHOR_URL, start, end, kh_view_sub(text, start, end)};
		scan->pending = host_of_url(text, mark + 3, end);
		scan->has_pending = scan->pending.key.n > 0 && scan->wanted[KH_ANCHOR_HOST];
		return true;
	}
	*at = text.n; /* so that the next call does not search again */
	return false;
}

/* ---- hosts and addresses ---- */

/* True for "a.b.example" with a last label of letters, and for "192.0.2.1". */
static bool is_host(struct kh_view name)
{
	size_t dots = 0, digits = 0, last = 0;

	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '.') {
			if (i == 0 || name.p[i - 1] == '.')
				return false;
			dots++;
			last = i + 1;
		}
		digits += kh_ascii_is_digit(name.p[i]);
	}
	if (dots == 3 && digits + dots == name.n)
		return true;
	if (dots == 0 || name.n - last < 2 || name.n > HOST_MAX)
		return false;
	if (kh_view_starts(kh_view_from(name, last), KH_LIT("xn--")))
		return true;
	for (size_t i = last; i < name.n; i++) {
		if (!kh_ascii_is_alpha(name.p[i]) && (unsigned char)name.p[i] < 0x80)
			return false;
	}
	return true;
}

/* The end of the run of a host's characters at AT; dots and dashes at its end are not part of the host. */
static size_t name_end(struct kh_view text, size_t at, size_t *ret_end)
{
	size_t end = at;

	while (end < text.n && is_name(text.p[end], IN_HOST))
		end++;
	size_t stop = end;
	while (stop > at && is_in(text.p[stop - 1], IN_HOST))
		stop--;
	*ret_end = stop;
	return end;
}

/* Goes from one dot between two words to the next. */
static bool next_host(struct kh_anchor_scan *scan, struct kh_anchor *ret_anchor)
{
	struct kh_view text = scan->text;
	size_t *at = &scan->at[KH_ANCHOR_HOST], dot;

	while ((dot = find_char(text, '.', *at)) < text.n) {
		size_t start = dot, end;
		*at = dot + 1;
		if (dot == 0 || !is_word(text.p[dot - 1]) || dot + 1 == text.n || !is_word(text.p[dot + 1]))
			continue;
		while (start > scan->host_from && dot - start <= HOST_MAX && is_name(text.p[start - 1], IN_HOST) &&
		       text.p[start - 1] != '.')
			start--;
		while (start < dot && !is_word(text.p[start]))
			start++;
		scan->host_from = *at = name_end(text, dot + 1, &end);
		struct kh_view name = kh_view_sub(text, start, end);
		if (is_host(name)) {
			*ret_anchor = (struct kh_anchor){KH_ANCHOR_HOST, start, end, name};
			return true;
		}
	}
	*at = text.n;
	return false;
}

static bool next_address(struct kh_anchor_scan *scan, struct kh_anchor *ret_anchor)
{
	struct kh_view text = scan->text;
	size_t *at = &scan->at[KH_ANCHOR_ADDRESS], sign, start, end;

	while ((sign = find_char(text, '@', *at)) < text.n) {
		for (start = sign; start > 0 && sign - start < LOCAL_MAX && is_name(text.p[start - 1], IN_LOCAL);
		     start--)
			;
		*at = sign + 1;
		if (start == sign || sign + 1 == text.n || !is_word(text.p[sign + 1]))
			continue;
		*at = name_end(text, sign + 1, &end);
		if (!is_host(kh_view_sub(text, sign + 1, end)))
			continue;
		*ret_anchor = (struct kh_anchor){KH_ANCHOR_ADDRESS, start, end, kh_view_sub(text, start, end)};
		return true;
	}
	*at = text.n;
	return false;
}

/* ---- numbers ---- */

/* The end of the digits at AT. */
static size_t digits_end(struct kh_view text, size_t at)
{
	while (at < text.n && kh_ascii_is_digit(text.p[at]))
		at++;
	return at;
}

/*
 * The offset of the next group of a number's digits after END: "555 123-4567", "(555) 123", "1,200,500".  A point or
 * comma counts only before exactly three digits, because it separates thousands there.  END if there is none.
 */
static size_t next_group(struct kh_view text, size_t end)
{
	size_t at = end;

	while (at < text.n && at - end < 2 && is_in(text.p[at], IN_NUMBER))
		at++;
	if (at == end || at == text.n || !kh_ascii_is_digit(text.p[at]))
		return end;
	bool thousands = text.p[end] == '.' || text.p[end] == ',';
	if (thousands && (at - end != 1 || digits_end(text, at) != at + 3))
		return end;
	return at;
}

/* The end of a date at AT, "2026-03-15" or "15-03-2026", which does not count as a number; AT if there is none. */
static size_t date_end(struct kh_view text, size_t at)
{
	size_t sizes[3], end = at;

	for (size_t i = 0; i < 3; i++) {
		size_t from = i ? end + 1 : at;
		if (i > 0 && (end == text.n || text.p[end] != '-'))
			return at;
		end = digits_end(text, from);
		sizes[i] = end - from;
	}
	bool more = end < text.n && text.p[end] == '-' && digits_end(text, end + 1) > end + 1;
	bool year_first = sizes[0] == 4 && sizes[1] <= 2 && sizes[2] <= 2;
	bool year_last = sizes[0] <= 2 && sizes[1] <= 2 && sizes[2] == 4;
	return !more && sizes[1] > 0 && sizes[0] > 0 && sizes[2] > 0 && (year_first || year_last) ? end : at;
}

/* Adds the digits from FROM on to the number. */
static void take_group(struct kh_anchor_scan *scan, size_t from)
{
	size_t end = digits_end(scan->text, from);

	size_t room = KH_ANCHOR_DIGITS - scan->digit_count, n = end - from < room ? end - from : room;

	memcpy(scan->digits + scan->digit_count, scan->text.p + from, n);
	scan->digit_count += n;
	scan->number_end = end;
	scan->groups++;
}

static lanes load(const char *p)
{
	lanes v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * All ones in the lanes that hold one of COUNT bytes from LOW on.  Compared as signed bytes, which every machine can do:
 * the wanted ones are shifted to the lowest values.
 */
static lanes within(lanes v, byte low, byte count)
{
	return (lanes)((signed_lanes)(lanes)(v - (byte)(low + 128)) < (signed char)(count - 128));
}

static lanes digits(const char *p)
{
	return within(load(p), '0', 10);
}

/* Whether one of sixteen bytes at P is a digit before a sign of IN_NUMBER, or before DIGITS_MIN - 1 more digits. */
static bool may_be_number(const char *p)
{
	lanes next = load(p + 1);
	lanes sign = within(next, '\'', 3) | within(next, ',', 3) | (lanes)(next == ' '); /* ' ( ) and , - . */
	lanes more = within(next, '0', 10) & digits(p + 2) & digits(p + 3) & digits(p + 4) & digits(p + 5);
	lanes hit = digits(p) & (sign | more);
	uint64_t half[2];

	memcpy(half, &hit, sizeof(half));
	return (half[0] | half[1]) != 0;
}

/* The offset of the next digits from AT on, or the end; some that are too short to be a number are passed over. */
static size_t find_digits(struct kh_view text, size_t at)
{
	size_t from = at;

	while (text.n - at >= sizeof(lanes) + DIGITS_MIN - 1 && !may_be_number(text.p + at))
		at += sizeof(lanes);
	while (at > from && kh_ascii_is_digit(text.p[at - 1])) /* they may have begun before */
		at--;
	while (at < text.n && !kh_ascii_is_digit(text.p[at]))
		at++;
	return at;
}

/* Starts at the next digits that are not a date; false if there are none. */
static bool start_number(struct kh_anchor_scan *scan)
{
	size_t *at = &scan->at[KH_ANCHOR_NUMBER], end;

	for (;; *at = end) {
		*at = find_digits(scan->text, *at);
		if (*at == scan->text.n)
			return false;
		end = digits_end(scan->text, *at);
		bool more = end < scan->text.n && is_in(scan->text.p[end], IN_NUMBER);
		if (!more && end - *at < DIGITS_MIN)
			continue; /* too short, and nothing can be added to it */
		end = more ? date_end(scan->text, *at) : *at;
		if (end == *at)
			break;
	}
	scan->number_start = *at;
	scan->digit_count = scan->groups = 0;
	take_group(scan, *at);
	*at = scan->number_end;
	return true;
}

/* Gives for every group of digits: the group alone, it and the next one, and so on, up to GROUPS_MAX. */
static bool next_number(struct kh_anchor_scan *scan, struct kh_anchor *ret_anchor)
{
	do {
		size_t from = scan->groups > 0 ? next_group(scan->text, scan->number_end) : 0;
		if (scan->groups > 0 && scan->groups < GROUPS_MAX && from > scan->number_end)
			take_group(scan, from);
		else if (!start_number(scan))
			return false;
	} while (scan->digit_count < DIGITS_MIN);
	*ret_anchor = (struct kh_anchor){KH_ANCHOR_NUMBER, scan->number_start, scan->number_end,
					 kh_view_of(scan->digits, scan->digit_count)};
	return true;
}

bool kh_anchor_next(struct kh_anchor_scan *scan, struct kh_anchor *ret_anchor)
{
	if (scan->has_pending) {
		*ret_anchor = scan->pending;
		scan->has_pending = false;
		return true;
	}
	return next_url(scan, ret_anchor) || next_host(scan, ret_anchor) || next_address(scan, ret_anchor) ||
	       next_number(scan, ret_anchor);
}

/* ---- keys ---- */

/* Writes a label of a host, with Punycode decoded, and folded; returns its length, at most ROOM. */
static size_t put_label(struct kh_view label, char *out, size_t room)
{
	uint32_t chars[KH_PUNYCODE_MAX];
	size_t n = 0, count = label.n > 4 && kh_view_eq_nocase(kh_view_sub(label, 0, 4), KH_LIT("xn--"))
				      ? kh_punycode_decode(kh_view_from(label, 4), chars)
				      : 0;

	if (count == 0) {
		for (; n < label.n && n < room; n++)
			out[n] = kh_ascii_lower(label.p[n]);
		return n;
	}
	for (size_t i = 0; i < count; i++)
		n += kh_fold_char(chars[i], out + n, room - n);
	return n;
}

/* A host without Punycode: in lower case, with single dots, none of them at an end. */
static size_t put_plain_host(struct kh_view host, char *out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < host.n && n < room; i++) {
		if (host.p[i] != '.' || (n > 0 && out[n - 1] != '.'))
			out[n++] = kh_ascii_lower(host.p[i]);
	}
	return n > 0 && out[n - 1] == '.' ? n - 1 : n;
}

static size_t put_host(struct kh_view host, char *out, size_t room)
{
	struct kh_view label;
	size_t n = 0;

	if (host.n > 4 && kh_view_eq_nocase(kh_view_sub(host, 0, 4), KH_LIT("www.")) &&
	    find_char(host, '.', 4) < host.n)
		host = kh_view_from(host, 4);
	if (kh_view_find(host, KH_LIT("--"), 0) == SIZE_MAX)
		return put_plain_host(host, out, room);
	while (kh_view_split(&host, '.', &label)) {
		if (n > 0 && label.n > 0 && n < room)
			out[n++] = '.';
		n += put_label(label, out + n, room - n);
	}
	return n;
}

size_t kh_anchor_key(const struct kh_anchor *anchor, char ret_key[KH_ANCHOR_KEY])
{
	struct kh_view key = anchor->key;
	size_t from = 0, n = 0;

	if (anchor->kind == KH_ANCHOR_HOST)
		return put_host(key, ret_key, KH_ANCHOR_KEY);
	if (anchor->kind == KH_ANCHOR_ADDRESS)
		from = find_char(key, '@', 0) + 1;
	else if (anchor->kind == KH_ANCHOR_URL && key.p[key.n - 1] == '/')
		key.n--;
	else if (anchor->kind == KH_ANCHOR_NUMBER)
		from = key.n;
	if (anchor->kind == KH_ANCHOR_URL)
		from = key.n;
	for (; n < from && n < key.n && n < KH_ANCHOR_KEY; n++)
		ret_key[n] = kh_ascii_lower(key.p[n]);
	return n + (from < key.n ? put_host(kh_view_from(key, from), ret_key + n, KH_ANCHOR_KEY - n) : 0);
}
