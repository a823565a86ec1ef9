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

/* The same for the rates of a server. */
static const struct limit rates[] = {
	{KH_FIELD_IDLE, offsetof(struct kh_rates, idle_ms), "time without a byte"},
	{KH_FIELD_OUTPUT_RATE, offsetof(struct kh_rates, output), "output a second"},
	{KH_FIELD_PROCESSOR, offsetof(struct kh_rates, processor), "the processor"},
	{KH_FIELD_LONGEST, offsetof(struct kh_rates, longest), "one message"},
	{KH_FIELD_MESSAGES, offsetof(struct kh_rates, messages), "messages a second"},
};

#define RATES (sizeof(rates) / sizeof(rates[0]))

/* FROM is the struct that has LIMIT. */
static uint64_t limit_of(const void *from, const struct limit *limit)
{
	uint64_t value;

	memcpy(&value, (const char *)from + limit->offset, sizeof(value));
	return value;
}

void kh_request_add_list(struct kh_message_out *out, enum kh_message_field field, const struct kh_view *items,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		kh_message_text(out, field, items[i]);
}

void kh_request_add_number(struct kh_message_out *out, enum kh_message_field field, uint64_t value)
{
	if (value > 0)
		kh_message_number(out, field, value);
}

enum kh_err kh_request_end(struct kh_message_out *out, struct kh_view *ret_packet, struct kh_error *err)
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
	    run->hosts > KH_REQUEST_HOSTS || run->networks > KH_REQUEST_NETWORK ||
	    run->variables > KH_REQUEST_VARIABLES || run->secrets > KH_REQUEST_SECRETS)
		return kh_error_set(err, KH_ELIMIT, "request_size", "too many arguments, paths, hosts or variables");
	if (run->argc == 0 && !kh_profile_takes_job(run->profile))
		return kh_error_set(err, KH_EINPUT, "bad_request", "no program is named");
	kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_RUN);
	kh_message_number(&out, KH_FIELD_PROFILE, run->profile);
	kh_request_add_list(&out, KH_FIELD_ARGUMENT, run->argv, run->argc);
	kh_message_text(&out, KH_FIELD_WORK, run->work);
	kh_message_text(&out, KH_FIELD_CACHE, run->cache);
	kh_request_add_list(&out, KH_FIELD_READ, run->read, run->reads);
	kh_request_add_list(&out, KH_FIELD_WRITE, run->write, run->writes);
	for (size_t i = 0; i < LIMITS; i++)
		kh_request_add_number(&out, limits[i].field, limit_of(&run->limits, &limits[i]));
	kh_request_add_list(&out, KH_FIELD_HOST, run->host, run->hosts);
	kh_message_text(&out, KH_FIELD_CONNECT, run->connect);
	kh_request_add_list(&out, KH_FIELD_NETWORK, run->network, run->networks);
	kh_request_add_number(&out, KH_FIELD_BYTES_OUT, run->bytes_out);
	kh_request_add_list(&out, KH_FIELD_ENVIRONMENT, run->environment, run->variables);
	kh_request_add_list(&out, KH_FIELD_SECRET, run->secret, run->secrets);
	for (size_t i = 0; i < RATES; i++)
		kh_request_add_number(&out, rates[i].field, limit_of(&run->rates, &rates[i]));
	kh_request_add_number(&out, KH_FIELD_LINKS, run->links);
	return kh_request_end(&out, ret_packet, err);
}

enum kh_err kh_request_write_fetch(const struct kh_fetch *fetch, char *buffer, struct kh_view *ret_packet,
				   struct kh_error *err)
{
	struct kh_message_out out;

	if (fetch->headers > KH_REQUEST_HEADERS || fetch->hosts > KH_REQUEST_HOSTS)
		return kh_error_set(err, KH_ELIMIT, "request_size", "too many headers or hosts");
	kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_FETCH);
	kh_request_add_number(&out, KH_FIELD_WALL, fetch->limits.wall_ms);
	kh_request_add_number(&out, KH_FIELD_OUTPUT, fetch->limits.output);
	kh_message_text(&out, KH_FIELD_URL, fetch->url);
	kh_message_number(&out, KH_FIELD_METHOD, fetch->method);
	kh_request_add_list(&out, KH_FIELD_HEADER, fetch->header, fetch->headers);
	kh_request_add_list(&out, KH_FIELD_HOST, fetch->host, fetch->hosts);
	if (fetch->plain)
		kh_message_number(&out, KH_FIELD_PLAIN, 1);
	kh_message_text(&out, KH_FIELD_AUTHORITY, fetch->authority);
	/* Always sent: if it is missing, the default applies, not 0. */
	kh_message_number(&out, KH_FIELD_REDIRECTS, fetch->redirects);
	return kh_request_end(&out, ret_packet, err);
}

enum kh_err kh_request_list(const struct kh_message *message, enum kh_message_field field, struct kh_view *ret_items,
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

bool kh_request_is_path(struct kh_view path)
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
		if (!kh_request_is_path(paths[i]))
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

/* The limits of MESSAGE that are in TABLE, into the struct at RET, which has the defaults, within those of MOST. */
static enum kh_err read_table(const struct kh_message *message, const struct limit *table, size_t count,
			      const void *most, void *ret, struct kh_error *err)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = message->number[table[i].field];
		if (value > limit_of(most, &table[i]))
			return kh_error_set(err, KH_EINPUT, "bad_request", "the limit of %s is past the most allowed",
					    table[i].name);
		if (value > 0)
			memcpy((char *)ret + table[i].offset, &value, sizeof(value));
	}
	return KH_OK;
}

/* The limits of MESSAGE over those of PROFILE. */
static enum kh_err read_limits(const struct kh_message *message, enum kh_profile profile, struct kh_limits *ret_limits,
			       struct kh_error *err)
{
	struct kh_limits most = kh_profile_most;

	*ret_limits = *kh_profile_limits(profile);
	if (profile == KH_PROFILE_SERVER) {
		most.wall_ms = KH_PROFILE_SERVER_WALL;
		most.cpu_s = most.output = 0; /* it has rates */
	}
	return read_table(message, limits, LIMITS, &most, ret_limits, err);
}

/*
 * "host", "host:port", "[address]" or "[address]:port".  Checks only the characters, because a host is only compared.
 */
static bool is_host(struct kh_view host)
{
	return host.n > 0 && kh_view_is_word(host, "-._:[]");
}

enum kh_err kh_request_check_hosts(const struct kh_view *hosts, size_t count, struct kh_error *err)
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

	if (run->networks > 0 && !kh_profile_is_program(run->profile))
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

bool kh_request_variable(struct kh_view text, struct kh_view *ret_name, struct kh_view *ret_value)
{
	size_t equals = kh_view_find(text, KH_LIT("="), 0);
	struct kh_view name = kh_view_sub(text, 0, equals != SIZE_MAX ? equals : 0);

	if (name.n == 0 || name.n > KH_REQUEST_NAME || kh_ascii_is_digit(name.p[0]) || !kh_view_is_word(name, "_"))
		return false;
	*ret_name = name;
	*ret_value = kh_view_from(text, equals + 1);
	return true;
}

/* True if a variable before the one at INDEX has NAME.  Secrets come after the others. */
static bool is_named(const struct kh_run *run, size_t index, struct kh_view name)
{
	struct kh_view other, value;

	for (size_t i = 0; i < index; i++) {
		struct kh_view text = i < run->variables ? run->environment[i] : run->secret[i - run->variables];
		if (kh_request_variable(text, &other, &value) && kh_view_eq(other, name))
			return true;
	}
	return false;
}

/* What only a server can have. */
static enum kh_err check_server(const struct kh_run *run, struct kh_error *err)
{
	struct kh_view name, value;

	for (size_t i = 0; i < run->variables + run->secrets; i++) {
		bool is_secret = i >= run->variables;
		size_t number = is_secret ? i - run->variables : i;
		const char *what = is_secret ? "secret" : "variable";
		struct kh_view text = is_secret ? run->secret[number] : run->environment[number];
		if (!kh_request_variable(text, &name, &value))
			return kh_error_set(err, KH_EINPUT, "bad_request", "%s %zu has no name and =", what,
					    number + 1);
		if (is_named(run, i, name))
			return kh_error_set(err, KH_EINPUT, "bad_request", "%s %zu has a name that is there already",
					    what, number + 1);
		if (is_secret && !kh_request_is_path(value))
			return kh_error_set(err, KH_EINPUT, "bad_request", "secret %zu is not an absolute path",
					    number + 1);
	}
	return KH_OK;
}

static enum kh_err read_server(const struct kh_message *message, struct kh_run *run, struct kh_error *err)
{
	enum kh_err e = kh_request_list(message, KH_FIELD_ENVIRONMENT, run->environment, KH_REQUEST_VARIABLES,
					&run->variables, err);

	if (e == KH_OK)
		e = kh_request_list(message, KH_FIELD_SECRET, run->secret, KH_REQUEST_SECRETS, &run->secrets, err);
	run->links = message->number[KH_FIELD_LINKS] != 0;
	if (run->profile == KH_PROFILE_SERVER)
		run->rates = kh_profile_rates;
	if (e == KH_OK)
		e = read_table(message, rates, RATES, &kh_profile_rates_most, &run->rates, err);
	if (e != KH_OK || run->profile == KH_PROFILE_SERVER)
		return e != KH_OK ? e : check_server(run, err);
	bool has_rate = false;
	for (size_t i = 0; i < RATES; i++)
		has_rate |= message->has[rates[i].field];
	return run->variables + run->secrets == 0 && !has_rate && !run->links
		       ? KH_OK
		       : kh_error_set(err, KH_EINPUT, "bad_request", "profile %s has no variables, secrets or rates",
				      kh_profile_name(run->profile));
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
					: kh_request_check_hosts(&run->connect, 1, err);
}

enum kh_err kh_request_read_run(const struct kh_message *message, struct kh_run *ret_run, struct kh_error *err)
{
	uint64_t profile = message->number[KH_FIELD_PROFILE];
	enum kh_err e;

	if (message->type != KH_MESSAGE_RUN || profile >= KH_PROFILES)
		return kh_error_set(err, KH_EINPUT, "bad_request", "no such profile");
	/* It has no limit of processor time or output, and no program but ours runs in it. */
	if (profile == KH_PROFILE_UPSTREAM)
		return kh_error_set(err, KH_EINPUT, "bad_request", "profile upstream is not for a program");
	struct kh_run run = {.profile = (enum kh_profile)profile};
	if ((e = kh_request_list(message, KH_FIELD_ARGUMENT, run.argv, KH_REQUEST_ARGUMENTS, &run.argc, err)) !=
		    KH_OK ||
	    (e = kh_request_list(message, KH_FIELD_READ, run.read, KH_REQUEST_PATHS, &run.reads, err)) != KH_OK ||
	    (e = kh_request_list(message, KH_FIELD_WRITE, run.write, KH_REQUEST_PATHS, &run.writes, err)) != KH_OK ||
	    (e = check_paths(run.read, run.reads, "path to read", err)) != KH_OK ||
	    (e = check_paths(run.write, run.writes, "path to write", err)) != KH_OK ||
	    (e = read_path(message, KH_FIELD_WORK, "work folder", &run.work, err)) != KH_OK ||
	    (e = read_path(message, KH_FIELD_CACHE, "cache folder", &run.cache, err)) != KH_OK ||
	    (e = read_limits(message, run.profile, &run.limits, err)) != KH_OK)
		return e;
	if ((e = kh_request_list(message, KH_FIELD_HOST, run.host, KH_REQUEST_HOSTS, &run.hosts, err)) != KH_OK ||
	    (e = kh_request_check_hosts(run.host, run.hosts, err)) != KH_OK)
		return e;
	run.connect = message->text[KH_FIELD_CONNECT];
	run.bytes_out = message->has[KH_FIELD_BYTES_OUT] ? message->number[KH_FIELD_BYTES_OUT] : KH_REQUEST_BYTES_OUT;
	e = kh_request_list(message, KH_FIELD_NETWORK, run.network, KH_REQUEST_NETWORK, &run.networks, err);
	if (e == KH_OK)
		e = check_network(&run, err);
	if (e == KH_OK)
		e = read_server(message, &run, err);
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

const char *kh_request_header_name(struct kh_view name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!is_token(name.p[i]))
			return "has no name and colon";
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (kh_view_eq_nocase(name, ours[i]))
			return "is not for a request to set";
	return name.n > 0 ? NULL : "has no name and colon";
}

const char *kh_request_header_wrong(struct kh_view header)
{
	size_t colon = kh_view_find(header, KH_LIT(":"), 0);
	const char *wrong = colon == SIZE_MAX ? "has no name and colon"
					      : kh_request_header_name(kh_view_sub(header, 0, colon));

	if (wrong != NULL)
		return wrong;
	/* libcurl takes a name with an empty value as an order to remove that header. */
	if (kh_view_trim(kh_view_from(header, colon + 1)).n == 0)
		return "has no value";
	for (size_t i = 0; i < header.n; i++)
		if ((unsigned char)header.p[i] < ' ' || header.p[i] == 0x7f)
			return "has a control character";
	return NULL;
}

static enum kh_err check_fetch(const struct kh_fetch *fetch, struct kh_error *err)
{
	for (size_t i = 0; i < fetch->headers; i++) {
		const char *what = kh_request_header_wrong(fetch->header[i]);
		if (what != NULL)
			return kh_error_set(err, KH_EINPUT, "bad_request", "header %zu %s", i + 1, what);
	}
	return kh_request_check_hosts(fetch->host, fetch->hosts, err);
}

enum kh_err kh_request_read_fetch(const struct kh_message *message, struct kh_fetch *ret_fetch, struct kh_error *err)
{
	uint64_t method = message->number[KH_FIELD_METHOD], redirects = message->number[KH_FIELD_REDIRECTS];
	enum kh_err e;

	if (message->type != KH_MESSAGE_FETCH || method > KH_METHOD_POST)
		return kh_error_set(err, KH_EINPUT, "bad_request", "no such method");
	if (redirects > KH_REQUEST_REDIRECTS)
		return kh_error_set(err, KH_EINPUT, "bad_request", "more redirects than are ever followed");
	struct kh_fetch fetch = {
		.url = message->text[KH_FIELD_URL],
		.method = (enum kh_method)method,
		.plain = message->number[KH_FIELD_PLAIN] == 1,
		.redirects = message->has[KH_FIELD_REDIRECTS] ? (unsigned)redirects : REDIRECTS,
	};
	if ((e = kh_request_list(message, KH_FIELD_HEADER, fetch.header, KH_REQUEST_HEADERS, &fetch.headers, err)) !=
		    KH_OK ||
	    (e = kh_request_list(message, KH_FIELD_HOST, fetch.host, KH_REQUEST_HOSTS, &fetch.hosts, err)) != KH_OK ||
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
