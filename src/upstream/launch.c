/*
 * Requests for upstreams.  The configuration is the operator's.  A request is written and read again with the rules of
 * wire/, which are the executor's own, so that what it would refuse is refused when the configuration is read.
 */
#include "upstream/launch.h"

#include "core/comm/url.h"
#include "core/policy/upstreams.h"

static enum kh_err no_memory(struct kh_error *err)
{
	return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for an upstream");
}

static enum kh_err refuse(const struct kh_launch *launch, const struct kh_config_upstream *up, const char *why,
			  struct kh_error *err)
{
	struct kh_view reason = kh_arena_printf(launch->arena, "%s", why); /* WHY may be in *ERR */

	return kh_error_set(err, KH_EINPUT, "policy_invalid", "%.*s:%u: upstream %.*s: %.*s", KH_FMT(launch->file),
			    up->line, KH_FMT(up->name), KH_FMT(reason));
}

/* "NAME=/absolute/path", or "NAME=Bearer /absolute/path". */
static struct kh_view secret_of(const struct kh_launch *launch, const struct kh_pair *pair)
{
	struct kh_view scheme, file;

	if (!kh_upstreams_secret(pair->text, &scheme, &file))
		return kh_view_of(NULL, 0); /* never: the configuration was checked */
	bool is_absolute = file.p[0] == '/';
	return kh_arena_printf(launch->arena, "%.*s=%.*s%s%.*s%s%.*s", KH_FMT(pair->name), KH_FMT(scheme),
			       scheme.n > 0 ? " " : "", KH_FMT(is_absolute ? KH_LIT("") : launch->folder),
			       is_absolute ? "" : "/", KH_FMT(file));
}

static size_t add_secrets(const struct kh_launch *launch, const struct kh_pairs *pairs, struct kh_view *ret,
			  size_t most)
{
	size_t n = 0;

	for (; n < pairs->n && n < most; n++)
		ret[n] = secret_of(launch, &pairs->at[n]);
	return n;
}

static size_t add_texts(const struct kh_texts *texts, struct kh_view *ret, size_t most)
{
	size_t n = 0;

	for (; n < texts->n && n < most; n++)
		ret[n] = texts->at[n];
	return n;
}

static bool is_below(struct kh_view path, struct kh_view folder)
{
	return kh_view_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/');
}

/* Adds PATH if no path is there already that has it below itself.  What every sandbox sees is there: so a program of the
 * system may be named by a link of the system's, such as /usr/bin/python3. */
static void add_read(struct kh_run *run, struct kh_view path)
{
	for (const char *const *seen = kh_profile_paths(run->profile); *seen != NULL; seen++)
		if (is_below(path, kh_view_str(*seen)))
			return;
	for (size_t i = 0; i < run->reads; i++)
		if (is_below(path, run->read[i]))
			return;
	if (path.n > 0 && run->reads < KH_REQUEST_PATHS)
		run->read[run->reads++] = path;
}

/* The executor's rules over a request: it is written as a message, and read as one. */
static enum kh_err try_run(struct kh_arena *arena, const struct kh_run *run, struct kh_error *err)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	char *buffer = kh_arena_alloc(arena, KH_MESSAGE_MAX);
	struct kh_run *got = KH_NEW(arena, struct kh_run);
	struct kh_message *message = KH_NEW(arena, struct kh_message);
	struct kh_view packet;

	if (buffer == NULL || got == NULL || message == NULL)
		return no_memory(err);
	enum kh_err e = kh_request_write_run(run, buffer, &packet, err);
	if (e == KH_OK)
		e = kh_message_read(packet, 0, &state, message, err);
	return e == KH_OK ? kh_request_read_run(message, got, err) : e;
}

static enum kh_err try_http(struct kh_arena *arena, const struct kh_upstream *upstream, struct kh_error *err)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	char *buffer = kh_arena_alloc(arena, KH_MESSAGE_MAX);
	struct kh_upstream *got = KH_NEW(arena, struct kh_upstream);
	struct kh_message *message = KH_NEW(arena, struct kh_message);
	struct kh_view packet;

	if (buffer == NULL || got == NULL || message == NULL)
		return no_memory(err);
	enum kh_err e = kh_upstream_write(upstream, buffer, &packet, err);
	if (e == KH_OK)
		e = kh_message_read(packet, 0, &state, message, err);
	return e == KH_OK ? kh_upstream_read(message, got, err) : e;
}

static void fill_run(const struct kh_launch *launch, const struct kh_config_upstream *up, struct kh_run *run)
{
	*run = (struct kh_run){
		.profile = KH_PROFILE_SERVER,
		.bytes_out = up->bytes_out,
		.links = true, /* the configuration names the files */
		.limits = {.memory = up->memory, .processes = up->processes, .files = up->files, .disk = up->disk},
		.rates = {.idle_ms = up->idle_seconds * 1000,
			  .output = up->output_bytes,
			  .processor = up->processor,
			  .longest = up->message_bytes,
			  .messages = up->messages},
	};
	run->argc = add_texts(&up->command, run->argv, KH_REQUEST_ARGUMENTS);
	run->reads = add_texts(&up->read, run->read, KH_REQUEST_PATHS);
	add_read(run, up->program);
	add_read(run, up->command.at[0]);
	run->writes = add_texts(&up->write, run->write, KH_REQUEST_PATHS);
	run->networks = add_texts(&up->network, run->network, KH_REQUEST_NETWORK);
	if (up->local == KH_CONFIG_TRUE) /* the same pairs, whatever their addresses are */
		run->hosts = add_texts(&up->network, run->host, KH_REQUEST_HOSTS);
	run->secrets = add_secrets(launch, &up->secrets, run->secret, KH_REQUEST_SECRETS);
	for (size_t i = 0; i < up->env.n && i < KH_REQUEST_VARIABLES; i++)
		run->environment[run->variables++] = kh_arena_printf(
			launch->arena, "%.*s=%.*s", KH_FMT(up->env.at[i].name), KH_FMT(up->env.at[i].text));
}

enum kh_err kh_launch_run(const struct kh_launch *launch, const struct kh_config_upstream *up, struct kh_run *ret_run,
			  struct kh_error *err)
{
	struct kh_run *run = KH_NEW(launch->arena, struct kh_run);

	if (run == NULL)
		return no_memory(err);
	fill_run(launch, up, run);
	if (kh_arena_check(launch->arena) != KH_OK)
		return no_memory(err);
	enum kh_err e = try_run(launch->arena, run, err);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK)
		return refuse(launch, up, err != NULL ? err->detail : "", err);
	*ret_run = *run;
	return KH_OK;
}

static void fill_http(const struct kh_launch *launch, const struct kh_config_upstream *up, struct kh_upstream *ret)
{
	struct kh_url url = {.plain = false};

	*ret = (struct kh_upstream){.url = up->url,
				    .authority = up->authority,
				    .idle_ms = up->idle_seconds * 1000,
				    .message = up->message_bytes,
				    .a_second = up->messages};
	if (kh_url_read_web(up->url, true, &url, NULL) == KH_OK && up->local == KH_CONFIG_TRUE) {
		ret->plain = url.plain;
		ret->host[ret->hosts++] = kh_request_host(launch->arena, url.host, url.port);
	}
	for (size_t i = 0; i < up->headers.n && i < KH_REQUEST_HEADERS; i++)
		ret->header[ret->headers++] = kh_arena_printf(
			launch->arena, "%.*s: %.*s", KH_FMT(up->headers.at[i].name), KH_FMT(up->headers.at[i].text));
	ret->secrets = add_secrets(launch, &up->secrets, ret->secret, KH_UPSTREAM_SECRETS);
}

enum kh_err kh_launch_http(const struct kh_launch *launch, const struct kh_config_upstream *up,
			   struct kh_upstream *ret_upstream, struct kh_error *err)
{
	struct kh_upstream *upstream = KH_NEW(launch->arena, struct kh_upstream);

	if (upstream == NULL)
		return no_memory(err);
	fill_http(launch, up, upstream);
	if (kh_arena_check(launch->arena) != KH_OK)
		return no_memory(err);
	enum kh_err e = try_http(launch->arena, upstream, err);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK)
		return refuse(launch, up, err != NULL ? err->detail : "", err);
	*ret_upstream = *upstream;
	return KH_OK;
}

/* The message that starts the server of UP. */
static enum kh_err write_request(const struct kh_launch *launch, const struct kh_config_upstream *up,
				 struct kh_view *ret_packet, struct kh_error *err)
{
	char *buffer = kh_arena_alloc(launch->arena, KH_MESSAGE_MAX);
	struct kh_run *run = KH_NEW(launch->arena, struct kh_run);
	struct kh_upstream *http = KH_NEW(launch->arena, struct kh_upstream);
	enum kh_err e;

	if (buffer == NULL || run == NULL || http == NULL)
		return no_memory(err);
	if (up->command.n > 0) {
		e = kh_launch_run(launch, up, run, err);
		return e == KH_OK ? kh_request_write_run(run, buffer, ret_packet, err) : e;
	}
	e = kh_launch_http(launch, up, http, err);
	return e == KH_OK ? kh_upstream_write(http, buffer, ret_packet, err) : e;
}

static enum kh_err digest_entry(const struct kh_launch *launch, const struct kh_config_upstream *up,
				struct kh_digest *ret_digest, struct kh_error *err)
{
	/* What is not in the request, because it is not for the executor. */
	const uint64_t own[] = {up->enabled, up->shared, up->idle_seconds, up->timeout_seconds, up->starts};
	struct kh_canonical_state state;
	struct kh_view packet;

	enum kh_err e = write_request(launch, up, &packet, err);
	if (e != KH_OK)
		return e;
	kh_canonical_begin(&state);
	kh_canonical_more(&state, kh_view_of((const char *)own, sizeof(own)));
	/* The folder is pinned, and may be seen by the sandbox through another path. */
	kh_canonical_more(&state, up->program);
	kh_canonical_more(&state, packet);
	*ret_digest = kh_canonical_end(&state);
	return KH_OK;
}

enum kh_err kh_launch_entry(const struct kh_launch *launch, const struct kh_config_upstream *up,
			    struct kh_digest *ret_digest, struct kh_error *err)
{
	struct kh_arena arena;
	struct kh_launch own = {.arena = &arena, .folder = launch->folder, .file = launch->file};

	kh_arena_init(&arena, NULL, 4U << 20);
	enum kh_err e = digest_entry(&own, up, ret_digest, err);
	kh_arena_done(&arena);
	return e;
}

enum kh_err kh_launch_check(const struct kh_launch *launch, const struct kh_config *config, struct kh_error *err)
{
	const struct kh_config_upstream *all = config->upstreams.at;
	struct kh_arena arena;
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < config->upstreams.n; i++) {
		kh_arena_init(&arena, NULL, 4U << 20);
		struct kh_launch one = {.arena = &arena, .folder = launch->folder, .file = launch->file};
		struct kh_run run;
		struct kh_upstream upstream;
		e = all[i].command.n > 0 ? kh_launch_run(&one, &all[i], &run, err)
					 : kh_launch_http(&one, &all[i], &upstream, err);
		kh_arena_done(&arena);
	}
	return e;
}
