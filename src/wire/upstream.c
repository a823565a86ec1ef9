/*
 * Requests for an upstream server, from struct to message and back.  Reading trusts nobody, as request.c.
 */
#include "wire/upstream.h"

#include "wire/header.h"

enum kh_err kh_upstream_write(const struct kh_upstream *upstream, char *buffer, struct kh_view *ret_packet,
			      struct kh_error *err)
{
	struct kh_message_out out;

	if (upstream->headers > KH_REQUEST_HEADERS || upstream->hosts > KH_REQUEST_HOSTS ||
	    upstream->secrets > KH_UPSTREAM_SECRETS)
		return kh_error_set(err, KH_ELIMIT, "request_size", "too many headers, hosts or secrets");
	kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_UPSTREAM);
	kh_message_text(&out, KH_FIELD_URL, upstream->url);
	kh_request_add_list(&out, KH_FIELD_HEADER, upstream->header, upstream->headers);
	kh_request_add_list(&out, KH_FIELD_HOST, upstream->host, upstream->hosts);
	kh_request_add_number(&out, KH_FIELD_PLAIN, upstream->plain);
	kh_message_text(&out, KH_FIELD_AUTHORITY, upstream->authority);
	kh_request_add_list(&out, KH_FIELD_SECRET, upstream->secret, upstream->secrets);
	kh_request_add_number(&out, KH_FIELD_IDLE, upstream->idle_ms);
	kh_request_add_number(&out, KH_FIELD_LONGEST, upstream->message);
	kh_request_add_number(&out, KH_FIELD_MESSAGES, upstream->a_second);
	return kh_request_end(&out, ret_packet, err);
}

enum kh_err kh_upstream_write_ask(const struct kh_upstream_ask *ask, char *buffer, struct kh_view *ret_packet,
				  struct kh_error *err)
{
	struct kh_message_out out;

	if (ask->headers > KH_REQUEST_HEADERS)
		return kh_error_set(err, KH_ELIMIT, "request_size", "too many headers");
	kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_ASK);
	kh_request_add_number(&out, KH_FIELD_WALL, ask->wall_ms);
	kh_request_add_number(&out, KH_FIELD_OUTPUT, ask->output);
	kh_message_number(&out, KH_FIELD_METHOD, ask->method);
	kh_request_add_list(&out, KH_FIELD_HEADER, ask->header, ask->headers);
	kh_message_text(&out, KH_FIELD_PATH, ask->path);
	return kh_request_end(&out, ret_packet, err);
}

bool kh_upstream_secret(struct kh_view text, struct kh_view *ret_name, struct kh_view *ret_scheme,
			struct kh_view *ret_path)
{
	size_t sign = kh_view_find(text, KH_LIT("="), 0), slash = kh_view_find(text, KH_LIT("/"), 0);

	if (sign == SIZE_MAX || slash == SIZE_MAX || slash < sign || !kh_request_is_path(kh_view_from(text, slash)))
		return false;
	*ret_name = kh_view_sub(text, 0, sign);
	*ret_scheme = kh_view_sub(text, sign + 1, slash);
	*ret_path = kh_view_from(text, slash);
	struct kh_view word = kh_view_sub(*ret_scheme, 0, ret_scheme->n > 0 ? ret_scheme->n - 1 : 0);
	bool is_scheme = ret_scheme->n == 0 ||
			 (word.n > 0 && kh_view_is_word(word, "-") && ret_scheme->p[word.n] == ' ');
	return is_scheme && kh_request_header_name(*ret_name) == NULL;
}

/* A number of MESSAGE, or USUAL if there is none; false if it is more than MOST. */
static bool read_number(const struct kh_message *message, enum kh_message_field field, uint64_t usual, uint64_t most,
			uint64_t *ret_value)
{
	*ret_value = message->number[field] > 0 ? message->number[field] : usual;
	return *ret_value <= most;
}

static enum kh_err check_headers(const struct kh_view *headers, size_t count, struct kh_error *err)
{
	for (size_t i = 0; i < count; i++) {
		const char *what = kh_request_header_wrong(headers[i]);
		if (what != NULL)
			return kh_error_set(err, KH_EINPUT, "bad_request", "header %zu %s", i + 1, what);
	}
	return KH_OK;
}

/* A header that is secret comes from its file and from nowhere else, once. */
static enum kh_err check_secrets(const struct kh_upstream *upstream, struct kh_error *err)
{
	struct kh_view name, other, scheme, path, value;

	for (size_t i = 0; i < upstream->secrets; i++) {
		if (!kh_upstream_secret(upstream->secret[i], &name, &scheme, &path))
			return kh_error_set(err, KH_EINPUT, "bad_request",
					    "secret %zu is not the name of a header, = and an absolute path", i + 1);
		for (size_t k = 0; k < upstream->headers; k++)
			if (kh_header_is(upstream->header[k], name, &value))
				return kh_error_set(err, KH_EINPUT, "bad_request", "header %zu is a secret too", k + 1);
		for (size_t k = 0; k < i; k++)
			if (kh_upstream_secret(upstream->secret[k], &other, &scheme, &path) &&
			    kh_view_eq_nocase(name, other))
				return kh_error_set(err, KH_EINPUT, "bad_request", "secret %zu is there twice", i + 1);
	}
	return KH_OK;
}

enum kh_err kh_upstream_read(const struct kh_message *message, struct kh_upstream *ret_upstream, struct kh_error *err)
{
	struct kh_upstream up = {.url = message->text[KH_FIELD_URL], .plain = message->number[KH_FIELD_PLAIN] == 1};
	enum kh_err e;

	if (message->type != KH_MESSAGE_UPSTREAM ||
	    !read_number(message, KH_FIELD_IDLE, KH_UPSTREAM_IDLE, KH_UPSTREAM_IDLE_MOST, &up.idle_ms) ||
	    !read_number(message, KH_FIELD_LONGEST, KH_UPSTREAM_MESSAGE, KH_UPSTREAM_MESSAGE_MOST, &up.message) ||
	    !read_number(message, KH_FIELD_MESSAGES, KH_UPSTREAM_A_SECOND, KH_UPSTREAM_SECOND_MOST, &up.a_second))
		return kh_error_set(err, KH_EINPUT, "bad_request", "a limit is past the most allowed");
	up.authority = message->text[KH_FIELD_AUTHORITY];
	if (up.authority.n > 0 && !kh_request_is_path(up.authority))
		return kh_error_set(err, KH_EINPUT, "bad_request", "the file of authorities is not an absolute path");
	if ((e = kh_request_list(message, KH_FIELD_HEADER, up.header, KH_REQUEST_HEADERS, &up.headers, err)) != KH_OK ||
	    (e = kh_request_list(message, KH_FIELD_HOST, up.host, KH_REQUEST_HOSTS, &up.hosts, err)) != KH_OK ||
	    (e = kh_request_list(message, KH_FIELD_SECRET, up.secret, KH_UPSTREAM_SECRETS, &up.secrets, err)) !=
		    KH_OK ||
	    (e = check_headers(up.header, up.headers, err)) != KH_OK || (e = check_secrets(&up, err)) != KH_OK ||
	    (e = kh_request_check_hosts(up.host, up.hosts, err)) != KH_OK)
		return e;
	*ret_upstream = up;
	return KH_OK;
}

/* A server may take it for a dot. */
static bool has_escaped_dot(struct kh_view step)
{
	for (size_t at = 0; (at = kh_view_find(step, KH_LIT("%2"), at)) != SIZE_MAX; at++)
		if (at + 2 < step.n && kh_ascii_lower(step.p[at + 2]) == 'e')
			return true;
	return false;
}

/* Visible ASCII of a path or a query, without a way up and without a fragment. */
static bool is_below(struct kh_view path)
{
	struct kh_view rest = kh_view_sub(path, 0, kh_view_find(path, KH_LIT("?"), 0)), step;

	if (path.n > KH_UPSTREAM_PATH || (path.n > 0 && path.p[0] != '/' && path.p[0] != '?'))
		return false;
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] <= ' ' || path.p[i] == 0x7f || path.p[i] == '#' || path.p[i] == '\\')
			return false;
	while (kh_view_split(&rest, '/', &step))
		if (kh_view_eq(step, KH_LIT("..")) || kh_view_eq(step, KH_LIT(".")) || has_escaped_dot(step))
			return false;
	return true;
}

enum kh_err kh_upstream_read_ask(const struct kh_message *message, struct kh_upstream_ask *ret_ask,
				 struct kh_error *err)
{
	uint64_t method = message->number[KH_FIELD_METHOD];
	struct kh_upstream_ask ask = {.method = (enum kh_method)method,
				      .path = message->text[KH_FIELD_PATH],
				      .wall_ms = message->number[KH_FIELD_WALL],
				      .output = message->number[KH_FIELD_OUTPUT]};

	if (message->type != KH_MESSAGE_ASK || method >= KH_METHODS)
		return kh_error_set(err, KH_EINPUT, "bad_request", "no such method");
	if (ask.wall_ms > kh_profile_most.wall_ms)
		return kh_error_set(err, KH_EINPUT, "bad_request", "a limit is past the most allowed");
	if (!is_below(ask.path))
		return kh_error_set(err, KH_EINPUT, "bad_request", "the path does not lead below the upstream's URL");
	enum kh_err e = kh_request_list(message, KH_FIELD_HEADER, ask.header, KH_REQUEST_HEADERS, &ask.headers, err);
	if (e == KH_OK)
		e = check_headers(ask.header, ask.headers, err);
	if (e == KH_OK)
		*ret_ask = ask;
	return e;
}
