/* Routes.  The tables are short, so a request is compared with each pattern in turn. */
#include "http/route.h"

#include "base/utf8.h"

#include <stdio.h>

/* --- percent-decoding --------------------------------------------------------------------------------------------- */

static int hex(char c)
{
	if (kh_ascii_is_digit(c))
		return c - '0';
	c = kh_ascii_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* True for characters that may stand in a target unescaped. */
static bool is_plain(char c)
{
	static const char marks[] = "-._~!$&'()*+,;=:@/?";

	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || (c != '\0' && strchr(marks, c) != NULL);
}

/* True if an escape may stand for this byte: all but control characters, and '/' in a path. */
static bool may_be_escaped(unsigned char c, bool in_path)
{
	return c >= 0x20 && c != 0x7f && !(in_path && (c == '/' || c == '\\'));
}

/* Decodes the piece at TEXT in place; returns false if an escape is broken or stands for a forbidden byte. */
static bool decode(char *text, size_t n, bool in_path, struct kh_view *ret_piece)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		char c = text[i];
		if (c == '%') {
			int high = i + 2 < n ? hex(text[i + 1]) : -1, low = i + 2 < n ? hex(text[i + 2]) : -1;
			if (high < 0 || low < 0 || !may_be_escaped((unsigned char)(high * 16 + low), in_path))
				return false;
			c = (char)(high * 16 + low);
			i += 2;
		} else if (!is_plain(c)) {
			return false;
		} else if (c == '+' && !in_path) {
			c = ' ';
		}
		text[to++] = c;
	}
	*ret_piece = kh_view_of(text, to);
	return kh_utf8_invalid(*ret_piece) == SIZE_MAX;
}

/* --- the target --------------------------------------------------------------------------------------------------- */

static bool read_path(char *text, size_t n, struct kh_http_target *target)
{
	for (size_t i = 1; i <= n;) {
		char *slash = memchr(text + i, '/', n - i);
		size_t end = slash != NULL ? (size_t)(slash - text) : n;
		struct kh_view piece;

		if (!decode(text + i, end - i, true, &piece) || kh_view_eq(piece, KH_LIT(".")) ||
		    kh_view_eq(piece, KH_LIT("..")))
			return false;
		if (target->segment_count == KH_HTTP_ROUTE_SEGMENTS)
			return false;
		target->segments[target->segment_count++] = piece;
		i = end + 1;
	}
	return true;
}

static bool read_parameter(char *text, size_t n, struct kh_http_target *target)
{
	char *equals = memchr(text, '=', n);
	size_t split = equals != NULL ? (size_t)(equals - text) : n;
	size_t i = target->parameter_count;

	if (i == KH_HTTP_ROUTE_PARAMETERS || !decode(text, split, false, &target->parameters[i].name))
		return false;
	target->parameters[i].value = KH_LIT("");
	if (equals != NULL && !decode(equals + 1, n - split - 1, false, &target->parameters[i].value))
		return false;
	target->parameter_count++;
	return true;
}

static bool read_query(char *text, size_t n, struct kh_http_target *target)
{
	for (size_t i = 0; i < n;) {
		char *next = memchr(text + i, '&', n - i);
		size_t end = next != NULL ? (size_t)(next - text) : n;

		if (end > i && !read_parameter(text + i, end - i, target))
			return false;
		i = end + 1;
	}
	return true;
}

enum kh_err kh_http_route_read(char *text, size_t n, struct kh_http_target *ret_target, struct kh_error *err)
{
	char *mark = n > 0 ? memchr(text, '?', n) : NULL;
	size_t path = mark != NULL ? (size_t)(mark - text) : n;
	struct kh_http_target target = {.segment_count = 0};

	if (n == 0 || text[0] != '/' || !read_path(text, path, &target) ||
	    (mark != NULL && !read_query(mark + 1, n - path - 1, &target)))
		return kh_error_set(err, KH_EINPUT, "bad_target",
				    "the request's target is not a path that is read here");
	*ret_target = target;
	return KH_OK;
}

/* --- patterns ----------------------------------------------------------------------------------------------------- */

/* Returns the next segment of a pattern, without the slash before it. */
static bool next_piece(struct kh_view *rest, struct kh_view *ret_piece, bool *ret_named)
{
	if (rest->n == 0)
		return false;
	*rest = kh_view_from(*rest, 1);
	size_t slash = kh_view_find(*rest, KH_LIT("/"), 0);
	size_t end = slash == SIZE_MAX ? rest->n : slash;
	struct kh_view piece = kh_view_sub(*rest, 0, end);

	*ret_named = piece.n > 2 && piece.p[0] == '{';
	*ret_piece = *ret_named ? kh_view_sub(piece, 1, piece.n - 1) : piece;
	*rest = kh_view_from(*rest, end);
	return true;
}

bool kh_http_route_matches(const char *path, const struct kh_http_target *target)
{
	struct kh_view rest = kh_view_str(path), piece;
	size_t i = 0;
	bool named;

	for (; next_piece(&rest, &piece, &named); i++) {
		if (i == target->segment_count)
			return false;
		if (named ? target->segments[i].n == 0 : !kh_view_eq(piece, target->segments[i]))
			return false;
	}
	return i == target->segment_count;
}

struct kh_view kh_http_route_segment(const char *path, const struct kh_http_target *target, const char *name)
{
	struct kh_view rest = kh_view_str(path), piece, none = {NULL, 0};
	bool named;

	for (size_t i = 0; next_piece(&rest, &piece, &named) && i < target->segment_count; i++) {
		if (named && kh_view_eq(piece, kh_view_str(name)))
			return target->segments[i];
	}
	return none;
}

enum kh_http_found kh_http_route_find(const struct kh_http_routes *tables, size_t count, enum kh_http_method method,
				      const struct kh_http_target *target, const struct kh_http_route **ret_route,
				      void **ret_ctx, unsigned *ret_methods)
{
	unsigned methods = 0;

	for (size_t t = 0; t < count; t++) {
		for (size_t i = 0; i < tables[t].count; i++) {
			const struct kh_http_route *route = &tables[t].at[i];
			if (!kh_http_route_matches(route->path, target))
				continue;
			if (route->method == method) {
				*ret_route = route;
				*ret_ctx = tables[t].ctx;
				return KH_HTTP_FOUND;
			}
			methods |= 1U << route->method;
		}
	}
	*ret_methods = methods;
	return methods != 0 ? KH_HTTP_NO_METHOD : KH_HTTP_NO_PATH;
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static const char *const names[KH_HTTP_METHODS] = {
	[KH_HTTP_GET] = "GET",
	[KH_HTTP_POST] = "POST",
	[KH_HTTP_PUT] = "PUT",
	[KH_HTTP_DELETE] = "DELETE",
};

enum kh_http_method kh_http_route_method(struct kh_view name)
{
	if (kh_view_eq(name, KH_LIT("HEAD")))
		return KH_HTTP_GET;
	for (enum kh_http_method m = 0; m < KH_HTTP_METHODS; m++) {
		if (kh_view_eq(name, kh_view_str(names[m])))
			return m;
	}
	return KH_HTTP_METHODS;
}

void kh_http_route_allow(unsigned methods, char ret_text[KH_HTTP_ROUTE_ALLOW])
{
	size_t n = 0;

	ret_text[0] = '\0';
	for (enum kh_http_method m = 0; m < KH_HTTP_METHODS; m++) {
		if (methods & (1U << m))
			n += (size_t)snprintf(ret_text + n, KH_HTTP_ROUTE_ALLOW - n, "%s%s%s", n > 0 ? ", " : "",
					      names[m], m == KH_HTTP_GET ? ", HEAD" : "");
	}
}
