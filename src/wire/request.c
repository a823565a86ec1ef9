/*
 * Requests to the executor, from struct to message and back.
 *
 * Reading trusts nobody, because the executor's parent may be a gateway that was taken over.  A request that was read
 * has paths without "..", headers that cannot inject another header, and limits within the maximum.
 */
#include "wire/request.h"

#define REDIRECTS 5 /* if a request does not say */

/* The place of each limit: in its struct and in a message. */
static const struct limit {
	enum kh_message_field field;
	size_t offset;
	const char *name;
} limits[] = {
	{KH_FIELD_WALL, offsetof(struct kh_limits, wall_ms), "wall clock"},
	{KH_FIELD_CPU, offsetof(struct kh_limits, cpu_s), "processor time"},
	{KH_FIELD_MEMORY, offsetof(struct kh_limits, memory), "memory"},
	{KH_FIELD_PROCESSES, offsetof(struct kh_limits, processes), "processes"},
	{KH_FIELD_FILES, offsetof(struct kh_limits, files), "open files"},
	{KH_FIELD_DISK, offsetof(struct kh_limits, disk), "disk"},
	{KH_FIELD_OUTPUT, offsetof(struct kh_limits, output), "output"},
};

#define LIMITS (sizeof(limits) / sizeof(limits[0]))

static uint64_t limit_of(const struct kh_limits *from, const struct limit *limit)
{
	uint64_t value;

	memcpy(&value, (const char *)from + limit->offset, sizeof(value));
	return value;
}

static void write_list(struct kh_message_out *out, enum kh_message_field field, const struct kh_view *items,
		       size_t count)
{
	for (size_t i = 0; i < count; i++)
		kh_message_text(out, field, items[i]);
}

static void write_limit(struct kh_message_out *out, enum kh_message_field field, uint64_t value)
{
	if (value > 0)
		kh_message_number(out, field, value);
}

static enum kh_err end(struct kh_message_out *out, struct kh_view *ret_packet, struct kh_error *err)
{
	enum kh_err e = kh_message_end(out, ret_packet);

	if (e == KH_ELIMIT)
		return kh_error_set(err, e, "request_size", "the request does not fit into a message");
	if (e != KH_OK)
		return kh_error_set(err, e, "bad_request", "the request lacks something, or has a NUL byte");
	return KH_OK;
}

enum kh_err kh_request_write_run(const struct kh_run *run, char *buffer, struct kh_view *ret_packet,
				 struct kh_error *err)
{
	struct kh_message_out out;

	if (run->argc > KH_REQUEST_ARGUMENTS || run->reads > KH_REQUEST_PATHS || run->writes > KH_REQUEST_PATHS ||
	    run->hosts > KH_REQUEST_HOSTS || run->networks > KH_REQUEST_NETWORK)
		return kh_error_set(err, KH_ELIMIT, "request_size", "too many arguments, paths or hosts");
	if (run->argc == 0 && !kh_profile_takes_job(run->profile))
		return kh_error_set(err, KH_EINPUT, "bad_request", "no program is named");
	kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_RUN);
	kh_message_number(&out, KH_FIELD_PROFILE, run->profile);
	write_list(&out, KH_FIELD_ARGUMENT, run->argv, run->argc);
	kh_message_text(&out, KH_FIELD_WORK, run->work);
	kh_message_text(&out, KH_FIELD_CACHE, run->cache);
	write_list(&out, KH_FIELD_READ, run->read, run->reads);
	write_list(&out, KH_FIELD_WRITE, run->write, run->writes);
	for (size_t i = 0; i < LIMITS; i++)
		write_limit(&out, limits[i].field, limit_of(&run->limits, &limits[i]));
	write_list(&out, KH_FIELD_HOST, run->host, run->hosts);
	kh_message_text(&out, KH_FIELD_CONNECT, run->connect);
	write_list(&out, KH_FIELD_NETWORK, run->network, run->networks);
	write_limit(&out, KH_FIELD_BYTES_OUT, run->bytes_out);
	return end(&out, ret_packet, err);
}

enum kh_err kh_request_write_fetch(const struct kh_fetch *fetch, char *buffer, struct kh_view *ret_packet,
				   struct kh_error *err)
{
	struct kh_message_out out;

	if (fetch->headers > KH_REQUEST_HEADERS || fetch->hosts > KH_REQUEST_HOSTS)
		return kh_error_set(err, KH_ELIMIT, "request_size", "too many headers or hosts");
	kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_FETCH);
	write_limit(&out, KH_FIELD_WALL, fetch->limits.wall_ms);
	write_limit(&out, KH_FIELD_OUTPUT, fetch->limits.output);
	kh_message_text(&out, KH_FIELD_URL, fetch->url);
	kh_message_number(&out, KH_FIELD_METHOD, fetch->method);
	write_list(&out, KH_FIELD_HEADER, fetch->header, fetch->headers);
	write_list(&out, KH_FIELD_HOST, fetch->host, fetch->hosts);
	if (fetch->plain)
		kh_message_number(&out, KH_FIELD_PLAIN, 1);
	kh_message_text(&out, KH_FIELD_AUTHORITY, fetch->authority);
	/* Always sent: if it is missing, the default applies, not 0. */
	kh_message_number(&out, KH_FIELD_REDIRECTS, fetch->redirects);
	return end(&out, ret_packet, err);
}

/* The items of a list; MOST is also what the table of messages permits. */
static enum kh_err read_list(const struct kh_message *message, enum kh_message_field field, struct kh_view *ret_items,
			     size_t most, size_t *ret_count, struct kh_error *err)
{
	size_t count = 0, cursor = 0;
	struct kh_view item;

	while (kh_message_item(message, field, &cursor, &item)) {
		if (count == most)
			return kh_error_set(err, KH_EINPUT, "bad_request", "more than %zu items", most);
		ret_items[count++] = item;
	}
	*ret_count = count;
	return KH_OK;
}

/* Absolute, without "..", and not the root itself, which is the sandbox's own. */
static bool is_path(struct kh_view path)
{
	struct kh_view rest = path, step;
	bool leads = false;

	if (path.n == 0 || path.p[0] != '/')
		return false;
	while (kh_view_split(&rest, '/', &step)) {
		if (kh_view_eq(step, KH_LIT("..")))
			return false;
		leads |= step.n > 0 && !kh_view_eq(step, KH_LIT("."));
	}
	return leads;
}

static enum kh_err check_paths(const struct kh_view *paths, size_t count, const char *what, struct kh_error *err)
{
	for (size_t i = 0; i < count; i++)
		if (!is_path(paths[i]))
			return kh_error_set(err, KH_EINPUT, "bad_request",
					    "%s %zu is not an absolute path without .., or is the root", what, i + 1);
	return KH_OK;
}

/* A text that may be left out. */
static enum kh_err read_path(const struct kh_message *message, enum kh_message_field field, const char *what,
			     struct kh_view *ret_path, struct kh_error *err)
{
	*ret_path = message->text[field];
	return ret_path->n > 0 ? check_paths(ret_path, 1, what, err) : KH_OK;
}

/* The limits of MESSAGE over those of PROFILE, within the maximum. */
static enum kh_err read_limits(const struct kh_message *message, enum kh_profile profile, struct kh_limits *ret_limits,
			       struct kh_error *err)
{
	*ret_limits = *kh_profile_limits(profile);
	for (size_t i = 0; i < LIMITS; i++) {
		uint64_t value = message->number[limits[i].field];
		if (value > limit_of(&kh_profile_most, &limits[i]))
			return kh_error_set(err, KH_EINPUT, "bad_request", "the limit of %s is past the most allowed",
					    limits[i].name);
		if (value > 0)
			memcpy((char *)ret_limits + limits[i].offset, &value, sizeof(value));
	}
	return KH_OK;
}

/*
 * "host", "host:port", "[address]" or "[address]:port".  Checks only the characters, because a host is only compared.
 */
static bool is_host(struct kh_view host)
{
	return host.n > 0 && kh_view_is_word(host, "-._:[]");
}

static enum kh_err check_hosts(const struct kh_view *hosts, size_t count, struct kh_error *err)
{
	for (size_t i = 0; i < count; i++)
		if (!is_host(hosts[i]))
			return kh_error_set(err, KH_EINPUT, "bad_request", "host %zu is not a host", i + 1);
	return KH_OK;
}

/* A label of a name: letters, digits and hyphens within, at most 63 bytes. */
static bool is_label(struct kh_view label)
{
	bool good = label.n > 0 && label.n <= 63 && label.p[0] != '-' && label.p[label.n - 1] != '-';

	for (size_t i = 0; i < label.n && good; i++)
		good = (label.p[i] >= 'a' && label.p[i] <= 'z') || kh_ascii_is_digit(label.p[i]) || label.p[i] == '-' ||
		       label.p[i] == '_';
	return good;
}

/* A name in lower case whose last label is no number, so that nobody takes it for an address. */
static bool is_name(struct kh_view name)
{
	struct kh_view rest = name, label = {NULL, 0};
	bool is_number = true;

	if (name.n == 0 || name.n > 253)
		return false;
	while (kh_view_split(&rest, '.', &label))
		if (!is_label(label))
			return false;
	for (size_t i = 0; i < label.n; i++)
		is_number &= kh_ascii_is_digit(label.p[i]);
	return !is_number && name.p[name.n - 1] != '.' && !kh_view_starts(label, KH_LIT("0x"));
}

bool kh_request_target(struct kh_view text, struct kh_view *ret_name, int *ret_port)
{
	size_t colon = kh_view_find(text, KH_LIT(":"), 0);
	int64_t port = 0;

	if (colon == SIZE_MAX || !is_name(kh_view_sub(text, 0, colon)) ||
	    !kh_view_int(kh_view_from(text, colon + 1), &port) || port < 1 || port > 65535)
		return false;
	*ret_name = kh_view_sub(text, 0, colon);
	*ret_port = (int)port;
	return true;
}

/* What a program can connect to: names with ports, each once. */
static enum kh_err check_network(const struct kh_run *run, struct kh_error *err)
{
	struct kh_view name;
	int port;

	if (run->networks > 0 && run->profile != KH_PROFILE_RUN)
		return kh_error_set(err, KH_EINPUT, "bad_request", "profile %s has no network",
				    kh_profile_name(run->profile));
	for (size_t i = 0; i < run->networks; i++) {
		if (!kh_request_target(run->network[i], &name, &port))
			return kh_error_set(err, KH_EINPUT, "bad_request",
					    "network %zu is not a name in lower case, a colon and a port", i + 1);
		for (size_t k = 0; k < i; k++)
			if (kh_view_eq(run->network[i], run->network[k]))
				return kh_error_set(err, KH_EINPUT, "bad_request", "network %zu is named twice", i + 1);
	}
	return KH_OK;
}

/* True if RUN names something that cannot be given to a worker which started before its job came. */
static bool comes_late(const struct kh_run *run)
{
	const struct kh_limits *own = kh_profile_limits(run->profile), *asked = &run->limits;

	return run->reads + run->writes > 0 || asked->cpu_s != own->cpu_s || asked->memory != own->memory ||
	       asked->processes != own->processes || asked->files != own->files || asked->disk != own->disk;
}

/* A program needs an argv.  A worker of ours that takes a job has no argv, /work or /cache, and only profile query may
 * have a connection. */
static enum kh_err check_run(const struct kh_run *run, struct kh_error *err)
{
	bool job = kh_profile_takes_job(run->profile);

	if (!job && (run->argc == 0 || run->argv[0].n == 0))
		return kh_error_set(err, KH_EINPUT, "bad_request", "no program is named");
	if (job && (run->argc > 0 || run->work.n > 0 || run->cache.n > 0))
		return kh_error_set(err, KH_EINPUT, "bad_request", "profile %s takes no program, work or cache folder",
				    kh_profile_name(run->profile));
	if (job && kh_profile_start(run->profile) == KH_PROFILE_AHEAD && comes_late(run))
		return kh_error_set(err, KH_EINPUT, "bad_request",
				    "profile %s takes no paths, and no limits but of time and output",
				    kh_profile_name(run->profile));
	if (run->connect.n == 0)
		return run->hosts == 0 || run->networks > 0
			       ? KH_OK
			       : kh_error_set(err, KH_EINPUT, "bad_request", "hosts, and nothing to connect to");
	if (run->profile != KH_PROFILE_QUERY)
		return kh_error_set(err, KH_EINPUT, "bad_request", "profile %s takes no connection",
				    kh_profile_name(run->profile));
	return run->connect.p[0] == '/' ? check_paths(&run->connect, 1, "socket", err)
					: check_hosts(&run->connect, 1, err);
}

enum kh_err kh_request_read_run(const struct kh_message *message, struct kh_run *ret_run, struct kh_error *err)
{
	uint64_t profile = message->number[KH_FIELD_PROFILE];
	enum kh_err e;

	if (message->type != KH_MESSAGE_RUN || profile >= KH_PROFILES)
		return kh_error_set(err, KH_EINPUT, "bad_request", "no such profile");
	struct kh_run run = {.profile = (enum kh_profile)profile};
	if ((e = read_list(message, KH_FIELD_ARGUMENT, run.argv, KH_REQUEST_ARGUMENTS, &run.argc, err)) != KH_OK ||
	    (e = read_list(message, KH_FIELD_READ, run.read, KH_REQUEST_PATHS, &run.reads, err)) != KH_OK ||
	    (e = read_list(message, KH_FIELD_WRITE, run.write, KH_REQUEST_PATHS, &run.writes, err)) != KH_OK ||
	    (e = check_paths(run.read, run.reads, "path to read", err)) != KH_OK ||
	    (e = check_paths(run.write, run.writes, "path to write", err)) != KH_OK ||
	    (e = read_path(message, KH_FIELD_WORK, "work folder", &run.work, err)) != KH_OK ||
	    (e = read_path(message, KH_FIELD_CACHE, "cache folder", &run.cache, err)) != KH_OK ||
	    (e = read_limits(message, run.profile, &run.limits, err)) != KH_OK)
		return e;
	if ((e = read_list(message, KH_FIELD_HOST, run.host, KH_REQUEST_HOSTS, &run.hosts, err)) != KH_OK ||
	    (e = check_hosts(run.host, run.hosts, err)) != KH_OK)
		return e;
	run.connect = message->text[KH_FIELD_CONNECT];
	run.bytes_out = message->has[KH_FIELD_BYTES_OUT] ? message->number[KH_FIELD_BYTES_OUT] : KH_REQUEST_BYTES_OUT;
	e = read_list(message, KH_FIELD_NETWORK, run.network, KH_REQUEST_NETWORK, &run.networks, err);
	if (e == KH_OK)
		e = check_network(&run, err);
	if (e == KH_OK)
		e = check_run(&run, err);
	if (e == KH_OK)
		*ret_run = run;
	return e;
}

/* A character of a header's name (RFC 9110, token). */
static bool is_token(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* Headers that frame the message, or that the executor sets. */
static const struct kh_view ours[] = {
	KH_LIT_INIT("host"),       KH_LIT_INIT("content-length"),   KH_LIT_INIT("transfer-encoding"),
	KH_LIT_INIT("expect"),     KH_LIT_INIT("connection"),       KH_LIT_INIT("accept-encoding"),
	KH_LIT_INIT("te"),         KH_LIT_INIT("trailer"),          KH_LIT_INIT("upgrade"),
	KH_LIT_INIT("keep-alive"), KH_LIT_INIT("proxy-connection"), KH_LIT_INIT("proxy-authorization"),
};

/* NULL if HEADER is "Name: value" and may be sent, else what is wrong with it. */
static const char *header_fault(struct kh_view header)
{
	struct kh_view name = header;

	for (name.n = 0; name.n < header.n && is_token(header.p[name.n]);)
		name.n++;
	if (name.n == 0 || name.n == header.n || header.p[name.n] != ':')
		return "has no name and colon";
	/* libcurl takes a name with an empty value as an order to remove that header. */
	if (kh_view_trim(kh_view_from(header, name.n + 1)).n == 0)
		return "has no value";
	for (size_t i = 0; i < header.n; i++)
		if ((unsigned char)header.p[i] < ' ' || header.p[i] == 0x7f)
			return "has a control character";
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (kh_view_eq_nocase(name, ours[i]))
			return "is not for a request to set";
	return NULL;
}

static enum kh_err check_fetch(const struct kh_fetch *fetch, struct kh_error *err)
{
	for (size_t i = 0; i < fetch->headers; i++) {
		const char *what = header_fault(fetch->header[i]);
		if (what != NULL)
			return kh_error_set(err, KH_EINPUT, "bad_request", "header %zu %s", i + 1, what);
	}
	return check_hosts(fetch->host, fetch->hosts, err);
}

enum kh_err kh_request_read_fetch(const struct kh_message *message, struct kh_fetch *ret_fetch, struct kh_error *err)
{
	uint64_t method = message->number[KH_FIELD_METHOD], redirects = message->number[KH_FIELD_REDIRECTS];
	enum kh_err e;

	if (message->type != KH_MESSAGE_FETCH || method >= KH_METHODS)
		return kh_error_set(err, KH_EINPUT, "bad_request", "no such method");
	if (redirects > KH_REQUEST_REDIRECTS)
		return kh_error_set(err, KH_EINPUT, "bad_request", "more redirects than are ever followed");
	struct kh_fetch fetch = {
		.url = message->text[KH_FIELD_URL],
		.method = (enum kh_method)method,
		.plain = message->number[KH_FIELD_PLAIN] == 1,
		.redirects = message->has[KH_FIELD_REDIRECTS] ? (unsigned)redirects : REDIRECTS,
	};
	if ((e = read_list(message, KH_FIELD_HEADER, fetch.header, KH_REQUEST_HEADERS, &fetch.headers, err)) != KH_OK ||
	    (e = read_list(message, KH_FIELD_HOST, fetch.host, KH_REQUEST_HOSTS, &fetch.hosts, err)) != KH_OK ||
	    (e = read_path(message, KH_FIELD_AUTHORITY, "file of authorities", &fetch.authority, err)) != KH_OK ||
	    (e = read_limits(message, KH_PROFILE_HTTP, &fetch.limits, err)) != KH_OK ||
	    (e = check_fetch(&fetch, err)) != KH_OK)
		return e;
	*ret_fetch = fetch;
	return KH_OK;
}

struct kh_view kh_request_host(struct kh_arena *arena, struct kh_view host, int port)
{
	bool is_v6 = host.n > 0 && memchr(host.p, ':', host.n) != NULL;

	return kh_arena_printf(arena, is_v6 ? "[%.*s]:%d" : "%.*s:%d", KH_FMT(host), port);
}
