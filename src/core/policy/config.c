/*
 * Reads keyhole.yaml.  The table in keys.c parses it; this file has the defaults and the checks across keys.  The file
 * is the operator's, but it is not trusted to be well-formed.
 */
#include "core/policy/config.h"

#include "core/comm/url.h"
#include "core/policy/keys.h"
#include "core/policy/match.h"
#include "core/policy/reach.h"
#include "core/policy/sources.h"
#include "core/policy/upstreams.h"

static const struct kh_config_reader built_in = {.name = KH_LIT_INIT(KH_CONFIG_EXTRACT),
						 .driver = KH_CONFIG_DRIVER_EXTRACT};

static const struct kh_config_audit audit_defaults = {
	.checkpoint_events = 10000, .checkpoint_seconds = 60, .retention_days = 30};

static const struct kh_config_gateway gateway_defaults = {.socket = KH_LIT_INIT(KH_CONFIG_SOCKET),
							  .connections = 10000,
							  .wait_seconds = 50,
							  .stop_seconds = 10,
							  .pool = 1};

static enum kh_err refuse(const struct kh_outline_source *source, unsigned line, struct kh_view what,
			  const char *expected, struct kh_error *err)
{
	return kh_outline_error(source, line, SIZE_MAX, what, kh_view_str(expected), err);
}

/*
 * Checks a program's arguments at PATH, and the paths READ (or NULL) that it may see, against what an executor accepts.
 */
static enum kh_err check_argv(const struct kh_outline_source *source, unsigned line, struct kh_view path,
			      const struct kh_texts *argv, const struct kh_texts *read, struct kh_error *err)
{
	if (argv->n == 0 || !kh_match_is_path(argv->at[0]))
		return refuse(source, line, kh_arena_printf(source->arena, "%.*s: its first argument", KH_FMT(path)),
			      "the absolute path of a program", err);
	if (kh_schema_bytes(argv) + (read != NULL ? kh_schema_bytes(read) : 0) > KH_CONFIG_ARGUMENTS)
		return refuse(source, line, path, "arguments and paths of at most 32768 bytes together", err);
	return KH_OK;
}

/* Which drivers a key is for, and the words for that in a message. */
enum audience { FOR_COMMAND, FOR_MODELS, FOR_OPENAI, FOR_ASKED };
static const struct {
	unsigned drivers;
	const char *words;
} audiences[] = {
	[FOR_COMMAND] = {1U << KH_CONFIG_DRIVER_COMMAND, "it only for driver command"},
	[FOR_MODELS] = {1U << KH_CONFIG_DRIVER_OPENAI | 1U << KH_CONFIG_DRIVER_ANTHROPIC,
			"it only for drivers openai and anthropic"},
	[FOR_OPENAI] = {1U << KH_CONFIG_DRIVER_OPENAI, "it only for driver openai"},
	[FOR_ASKED] = {1U << KH_CONFIG_DRIVER_COMMAND | 1U << KH_CONFIG_DRIVER_OPENAI |
			       1U << KH_CONFIG_DRIVER_ANTHROPIC,
		       "it only for drivers command, openai and anthropic"},
};

/* Refuses a key that has no meaning for the driver, because an operator could take it for protection. */
static enum kh_err check_keys(const struct kh_outline_source *source, const struct kh_config_reader *r, size_t i,
			      struct kh_error *err)
{
	const struct {
		const char *key;
		bool said;
		enum audience audience;
	} keys[] = {
		{"argv", r->argv.at != NULL, FOR_COMMAND},
		{"read", r->read.at != NULL, FOR_COMMAND},
		{"url", r->url.n > 0, FOR_MODELS},
		{"model", r->model.n > 0, FOR_MODELS},
		{"key_file", r->key_file.n > 0, FOR_MODELS},
		{"key_environment", r->key_environment.n > 0, FOR_MODELS},
		{"authority", r->authority.n > 0, FOR_MODELS},
		{"local", r->local != KH_CONFIG_UNSAID, FOR_MODELS},
		{"internal", r->internal != KH_CONFIG_UNSAID, FOR_MODELS},
		{"schema", r->schema != KH_CONFIG_UNSAID, FOR_OPENAI},
		{"max_tokens", r->max_tokens != 0, FOR_MODELS},
		{"retries", r->retries != KH_CONFIG_NOT_SAID, FOR_MODELS},
		{"timeout_seconds", r->timeout_seconds != 0, FOR_ASKED},
		{"concurrency", r->concurrency != 0, FOR_ASKED},
	};
	const char *driver = kh_words_name(&kh_settings_driver_words, r->driver);
	size_t k = 0, count = sizeof(keys) / sizeof(keys[0]);

	while (k < count && (!keys[k].said || (audiences[keys[k].audience].drivers & 1U << r->driver) != 0))
		k++;
	if (k == count)
		return KH_OK;
	return refuse(source, r->line,
		      kh_arena_printf(source->arena, "readers[%zu]: %s for driver %s", i, keys[k].key, driver),
		      audiences[keys[k].audience].words, err);
}

static enum kh_err check_command(const struct kh_outline_source *source, const struct kh_config_reader *reader,
				 size_t i, struct kh_error *err)
{
	struct kh_view path = kh_arena_printf(source->arena, "readers[%zu].argv", i);

	return check_argv(source, reader->line, path, &reader->argv, &reader->read, err);
}

/* Checks a model behind an API: its URL, its name, and how its key is kept. */
static enum kh_err check_model(const struct kh_outline_source *source, const struct kh_config_reader *reader, size_t i,
			       struct kh_error *err)
{
	struct kh_view what = kh_arena_printf(source->arena, "readers[%zu]", i);
	bool is_local = reader->local == KH_CONFIG_TRUE;
	struct kh_url url;

	if (reader->url.n == 0)
		return refuse(source, reader->line, what, "the key url in it, the address of the endpoint", err);
	if (reader->model.n == 0)
		return refuse(source, reader->line, what, "the key model in it, its name at the endpoint", err);
	if (kh_url_read_web(reader->url, is_local, &url, NULL) != KH_OK)
		return refuse(source, reader->line,
			      kh_arena_printf(source->arena, "%.*s.url: plain http", KH_FMT(what)),
			      "https, or local: true for an endpoint of this machine or network", err);
	if (reader->key_file.n > 0 && reader->key_environment.n > 0)
		return refuse(source, reader->line,
			      kh_arena_printf(source->arena, "%.*s: key_file and key_environment", KH_FMT(what)),
			      "one of them", err);
	return KH_OK;
}

/* Whether a host is this machine by its name or address alone; any other name may lead anywhere. */
static bool is_this_machine(struct kh_arena *arena, const struct kh_url *url)
{
	bool v6 = kh_view_find(url->host, KH_LIT(":"), 0) != SIZE_MAX;
	struct kh_view at = kh_arena_printf(arena, v6 ? "[%.*s]:1" : "%.*s:1", KH_FMT(url->host));
	struct kh_reach reach;

	return kh_view_eq_nocase(url->host, KH_LIT("localhost")) || (kh_reach_read(at, &reach) && reach.is_loopback);
}

bool kh_config_is_outside(struct kh_arena *arena, const struct kh_config_reader *reader)
{
	struct kh_url url;

	if (reader->url.n == 0 || reader->internal == KH_CONFIG_TRUE)
		return false;
	return kh_url_read_web(reader->url, true, &url, NULL) != KH_OK || !is_this_machine(arena, &url);
}

/* Fills in the defaults of keys that were left out. */
static void fill_reader(struct kh_config_reader *reader)
{
	if (reader->internal == KH_CONFIG_UNSAID)
		reader->internal = KH_CONFIG_FALSE;
	if (reader->local == KH_CONFIG_UNSAID)
		reader->local = KH_CONFIG_FALSE;
	if (reader->schema == KH_CONFIG_UNSAID)
		reader->schema = KH_CONFIG_TRUE;
	if (reader->retries == KH_CONFIG_NOT_SAID)
		reader->retries = KH_CONFIG_RETRIES;
	if (reader->timeout_seconds == 0 && reader->driver != KH_CONFIG_DRIVER_EXTRACT)
		reader->timeout_seconds = KH_CONFIG_READER_TIME;
}

/* Each name may appear once, and the built-in name may not mean anything else. */
static enum kh_err check_name(const struct kh_outline_source *source, const struct kh_config_reader *readers, size_t i,
			      struct kh_error *err)
{
	struct kh_view what = kh_arena_printf(source->arena, "readers[%zu].name: %.*s", i, KH_FMT(readers[i].name));

	for (size_t j = 0; j < i; j++) {
		if (kh_view_eq(readers[i].name, readers[j].name))
			return refuse(source, readers[i].line,
				      kh_arena_printf(source->arena, "%.*s stands twice", KH_FMT(what)),
				      "each name once", err);
	}
	if (kh_view_eq(readers[i].name, built_in.name) && readers[i].driver != built_in.driver)
		return refuse(source, readers[i].line, what, "another name: that of the built-in Reader is taken", err);
	return KH_OK;
}

static enum kh_err check_readers(const struct kh_outline_source *source, const struct kh_list *list,
				 struct kh_error *err)
{
	struct kh_config_reader *readers = list->at;
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < list->n; i++) {
		e = check_name(source, readers, i, err);
		if (e == KH_OK)
			e = check_keys(source, &readers[i], i, err);
		if (e == KH_OK && readers[i].driver == KH_CONFIG_DRIVER_COMMAND)
			e = check_command(source, &readers[i], i, err);
		else if (e == KH_OK && readers[i].driver != KH_CONFIG_DRIVER_EXTRACT)
			e = check_model(source, &readers[i], i, err);
		fill_reader(&readers[i]);
	}
	return e;
}

/* `extract` exists even if the file does not name it. */
static void add_built_in(struct kh_arena *arena, struct kh_config *config)
{
	struct kh_list *list = &config->readers;

	if (kh_settings_reader(config, built_in.name) != NULL)
		return;
	struct kh_config_reader *all = KH_NEW_N(arena, struct kh_config_reader, list->n + 1);
	if (all == NULL)
		return;
	if (list->n > 0)
		memcpy(all, list->at, list->n * sizeof(*all));
	all[list->n] = built_in;
	*list = (struct kh_list){all, list->n + 1};
}

/* An address that others can reach needs TLS, or `plain`, by which the operator does without it, and its host names. */
static enum kh_err check_listen(const struct kh_outline_source *source, const struct kh_config_gateway *gateway,
				size_t i, struct kh_error *err)
{
	struct kh_view text = gateway->listen.at[i],
		       what = kh_arena_printf(source->arena, "gateway.listen[%zu]: %.*s", i, KH_FMT(text));
	struct kh_reach reach;

	if (!kh_reach_read(text, &reach) || reach.is_loopback)
		return KH_OK;
	if (gateway->tls_certificate.n == 0 && gateway->plain != KH_CONFIG_TRUE)
		return refuse(source, gateway->line, what,
			      "a loopback address, or tls_certificate and tls_key, or plain: true", err);
	if (gateway->hosts.n == 0)
		return refuse(source, gateway->line, what, "the names that it is called by there, as hosts", err);
	return KH_OK;
}

static enum kh_err check_gateway(const struct kh_outline_source *source, struct kh_config_gateway *gateway,
				 struct kh_error *err)
{
	static const struct kh_view listen = KH_LIT_INIT(KH_CONFIG_LISTEN);
	bool has_certificate = gateway->tls_certificate.n > 0, has_key = gateway->tls_key.n > 0;
	enum kh_err e = KH_OK;

	if (has_certificate != has_key)
		return refuse(source, gateway->line,
			      has_key ? KH_LIT("gateway.tls_key without tls_certificate")
				      : KH_LIT("gateway.tls_certificate without tls_key"),
			      "both of them or neither", err);
	if (has_key && gateway->plain == KH_CONFIG_TRUE)
		return refuse(source, gateway->line, KH_LIT("gateway.plain: true beside TLS"), "one of the two", err);
	for (size_t i = 0; e == KH_OK && i < gateway->listen.n; i++)
		e = check_listen(source, gateway, i, err);
	if (e != KH_OK || gateway->listen.at != NULL)
		return e;
	gateway->listen.at = KH_NEW(source->arena, struct kh_view);
	if (gateway->listen.at == NULL)
		return KH_OK; /* the arena is marked */
	gateway->listen.at[0] = listen;
	gateway->listen.n = 1;
	return KH_OK;
}

/* Checks that everything fits together, and fills in what follows from it. */
static enum kh_err finish(const struct kh_outline_source *source, struct kh_config *config, bool policy_alone,
			  struct kh_error *err)
{
	enum kh_err e = kh_policy_finish(source, &config->policy, err);

	if (e == KH_OK)
		e = check_readers(source, &config->readers, err);
	if (e == KH_OK && config->audit.witness_command.at != NULL)
		e = check_argv(source, config->audit.line, KH_LIT("audit.witness_command"),
			       &config->audit.witness_command, NULL, err);
	if (e == KH_OK)
		e = check_gateway(source, &config->gateway, err);
	if (e == KH_OK)
		e = kh_sources_finish(source, config, policy_alone, err);
	if (e == KH_OK)
		e = kh_upstreams_finish(source, config, policy_alone, err);
	if (e == KH_OK)
		add_built_in(source->arena, config);
	return e;
}

static enum kh_err read_config(struct kh_arena *arena, struct kh_view text, struct kh_view file, bool policy_alone,
			       const struct kh_config **ret_config, struct kh_error *err)
{
	struct kh_outline_source source = {.arena = arena, .file = file};
	struct kh_config *config = KH_NEW(arena, struct kh_config);
	const struct kh_outline *root;
	enum kh_err e = kh_outline_read(&source, text, &root, err);

	if (e == KH_OK && config != NULL) {
		kh_policy_start(&config->policy);
		config->audit = audit_defaults;
		config->gateway = gateway_defaults;
		kh_sources_start(config);
		e = kh_schema_read(&source, &kh_keys_config, root, "", config, err);
	}
	if (e == KH_OK && config != NULL)
		e = finish(&source, config, policy_alone, err);
	if (kh_arena_check(arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for a configuration");
	if (e == KH_OK && config != NULL)
		*ret_config = config;
	return e;
}

enum kh_err kh_config_read(struct kh_arena *arena, struct kh_view text, struct kh_view file,
			   const struct kh_config **ret_config, struct kh_error *err)
{
	return read_config(arena, text, file, false, ret_config, err);
}

enum kh_err kh_config_policy(struct kh_arena *arena, struct kh_view text, struct kh_view file,
			     const struct kh_policy **ret_policy, struct kh_error *err)
{
	const struct kh_config *config;
	enum kh_err e = read_config(arena, text, file, true, &config, err);

	if (e == KH_OK)
		*ret_policy = &config->policy;
	return e;
}
