/* Servers of clients' configurations.  A message names members, never their values. */
#include "cli/upstream/clientfile.h"

#include "cli/upstream/relaxed.h"
#include "cli/upstream/toml.h"

#define ARGUMENTS 128
#define VALUES    64
#define STRANGE   16

struct reader {
	struct kh_arena *arena;
	yyjson_val *inputs; /* of VS Code: what the user is asked for; or NULL */
	struct kh_clientfile_server *server;
	struct kh_clientfile_open open[VALUES];
	size_t opens;
	struct kh_pair pairs[VALUES];
	size_t count;
	struct kh_view strange[STRANGE];
	size_t stranges;
};

/* The first problem of a server is the one that is told. */
static void blame(struct reader *r, struct kh_view problem)
{
	if (r->server->problem.n == 0)
		r->server->problem = problem;
}

static struct kh_view quote(struct reader *r, struct kh_view text)
{
	return kh_arena_quote(r->arena, text);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* What `${input:id}`, `${env:NAME}` and `${NAME}` stand for. */
static struct kh_view origin_of(struct reader *r, struct kh_view reference)
{
	struct kh_view input = KH_LIT("input:"), env = KH_LIT("env:");
	yyjson_val *item, *text = NULL;
	size_t i, max;

	if (!kh_view_starts(reference, input)) {
		struct kh_view name = kh_view_from(reference, kh_view_starts(reference, env) ? env.n : 0);
		return kh_arena_printf(r->arena, "the variable %.*s", KH_FMT(quote(r, name)));
	}
	yyjson_arr_foreach (r->inputs, i, max, item) {
		if (kh_view_eq(kh_json_str(kh_json_get(item, "id")), kh_view_from(reference, input.n)))
			text = kh_json_get(item, "description");
	}
	return text != NULL ? quote(r, kh_json_str(text))
			    : kh_arena_printf(r->arena, "the input %.*s",
					      KH_FMT(quote(r, kh_view_from(reference, input.n))));
}

static void add_open(struct reader *r, struct kh_view name, struct kh_view scheme, struct kh_view from)
{
	if (r->opens < VALUES)
		r->open[r->opens++] = (struct kh_clientfile_open){.name = name, .scheme = scheme, .from = from};
	else
		blame(r, KH_LIT("it has more variables or headers than Keyhole takes"));
}

/* A value that is, or ends in, one reference to something that is not in the file. */
static bool take_reference(struct reader *r, struct kh_view name, struct kh_view value)
{
	size_t from = kh_view_find(value, KH_LIT("${"), 0);
	struct kh_view scheme = kh_view_trim(kh_view_sub(value, 0, from != SIZE_MAX ? from : 0));

	if (from == SIZE_MAX)
		return false;
	size_t end = kh_view_find(value, KH_LIT("}"), from);
	if (end != value.n - 1 || (scheme.n > 0 && !kh_view_is_word(scheme, "-")) ||
	    (scheme.n > 0 && value.p[scheme.n] != ' ') || (scheme.n > 0 && r->server->url.n == 0))
		blame(r, kh_arena_printf(r->arena,
					 "the value of %.*s has ${...} inside of other text, which Keyhole does not "
					 "fill in: write the value",
					 KH_FMT(quote(r, name))));
	else
		add_open(r, name, scheme, origin_of(r, kh_view_sub(value, from + 2, end)));
	return true;
}

/* A value of `env` or of `headers`: a string; numbers and truth values as they would be written. */
static void take_value(struct reader *r, struct kh_view name, yyjson_val *value)
{
	struct kh_view text = kh_json_str(value);

	if (yyjson_is_bool(value))
		text = yyjson_get_bool(value) ? KH_LIT("true") : KH_LIT("false");
	else if (yyjson_is_int(value))
		text = kh_arena_printf(r->arena, "%lld", (long long)yyjson_get_sint(value));
	else if (!yyjson_is_str(value))
		blame(r, kh_arena_printf(r->arena, "the value of %.*s is %s, not a string", KH_FMT(quote(r, name)),
					 kh_json_type(value)));
	if (take_reference(r, name, text))
		return;
	if (r->count < VALUES)
		r->pairs[r->count++] = (struct kh_pair){.name = name, .text = text};
	else
		blame(r, KH_LIT("it has more variables or headers than Keyhole takes"));
}

static void take_values(struct reader *r, const char *member, yyjson_val *object)
{
	yyjson_val *key, *value;
	size_t i, max;

	if (!yyjson_is_obj(object))
		blame(r, kh_arena_printf(r->arena, "%s is %s, not an object", member, kh_json_type(object)));
	yyjson_obj_foreach (object, i, max, key, value)
		take_value(r, kh_json_str(key), value);
}

/* `env_http_headers`: headers, each with the name of a variable. */
static void take_named(struct reader *r, yyjson_val *object)
{
	yyjson_val *key, *value;
	size_t i, max;

	yyjson_obj_foreach (object, i, max, key, value)
		add_open(r, kh_json_str(key), KH_LIT(""), origin_of(r, kh_json_str(value)));
}

/* `env_vars`: variables that the client would pass on. */
static void take_passed(struct reader *r, yyjson_val *array)
{
	yyjson_val *item;
	size_t i, max;

	yyjson_arr_foreach (array, i, max, item)
		add_open(r, kh_json_str(item), KH_LIT(""), origin_of(r, kh_json_str(item)));
}

/* --- one server --------------------------------------------------------------------------------------------------- */

static void take_argument(struct reader *r, yyjson_val *value, struct kh_view *ret_text)
{
	*ret_text = kh_json_str(value);
	if (!yyjson_is_str(value))
		blame(r, kh_arena_printf(r->arena, "an argument is %s, not a string", kh_json_type(value)));
	else if (kh_view_find(*ret_text, KH_LIT("${"), 0) != SIZE_MAX)
		blame(r, KH_LIT("an argument has ${...}, which Keyhole does not fill in: write what it stands for"));
	else if (ret_text->n > 0 && memchr(ret_text->p, '\0', ret_text->n) != NULL)
		blame(r, KH_LIT("an argument has a NUL character"));
}

static void take_command(struct reader *r, yyjson_val *command, yyjson_val *args)
{
	size_t n = yyjson_arr_size(args), i, max;
	struct kh_texts *argv = &r->server->argv;
	yyjson_val *item;

	if (args != NULL && !yyjson_is_arr(args))
		blame(r, kh_arena_printf(r->arena, "args is %s, not an array", kh_json_type(args)));
	if (n + 1 > ARGUMENTS) {
		blame(r, KH_LIT("it has more arguments than Keyhole takes (128)"));
		return;
	}
	argv->at = KH_NEW_N(r->arena, struct kh_view, n + 1);
	if (argv->at == NULL)
		return; /* the arena is marked */
	take_argument(r, command, &argv->at[argv->n++]);
	yyjson_arr_foreach (args, i, max, item)
		take_argument(r, item, &argv->at[argv->n++]);
}

static yyjson_val *get_first(yyjson_val *object, const char *const *names)
{
	yyjson_val *found = NULL;

	for (; *names != NULL && found == NULL; names++)
		found = kh_json_get(object, *names);
	return found;
}

/* Members that are read; everything else is named as not taken over. */
static const char *const addresses[] = {"url", "httpUrl", "serverUrl", NULL};
static const char *const known[] = {"command",
				    "args",
				    "env",
				    "env_vars",
				    "url",
				    "httpUrl",
				    "serverUrl",
				    "headers",
				    "http_headers",
				    "bearer_token_env_var",
				    "env_http_headers",
				    "type",
				    "disabled",
				    "enabled",
				    "tool_timeout_sec",
				    "name"};

static void take_strange(struct reader *r, yyjson_val *object)
{
	static const struct kh_words words = {known, sizeof(known) / sizeof(known[0])};
	yyjson_val *key, *value;
	size_t i, max;

	yyjson_obj_foreach (object, i, max, key, value) {
		if (!kh_words_have(&words, kh_json_str(key)) && r->stranges < STRANGE)
			r->strange[r->stranges++] = quote(r, kh_json_str(key));
	}
}

/* An integer, or the integer part of a fraction: TOML gives it as a text. */
static int64_t seconds_of(yyjson_val *value)
{
	struct kh_view text = kh_json_str(value);
	int64_t seconds = yyjson_is_int(value) ? yyjson_get_sint(value) : 0;

	if (text.n > 0 && !kh_view_int(kh_view_sub(text, 0, kh_view_find(text, KH_LIT("."), 0)), &seconds))
		return 0;
	return seconds;
}

static void take_switches(struct reader *r, yyjson_val *object)
{
	int64_t seconds = seconds_of(kh_json_get(object, "tool_timeout_sec"));

	r->server->is_off = yyjson_is_true(kh_json_get(object, "disabled")) ||
			    yyjson_is_false(kh_json_get(object, "enabled"));
	if (seconds >= 1)
		r->server->timeout_seconds = seconds < 600 ? (uint64_t)seconds : 600;
}

static void take_url(struct reader *r, yyjson_val *object)
{
	yyjson_val *token = kh_json_get(object, "bearer_token_env_var"),
		   *named = kh_json_get(object, "env_http_headers");
	struct kh_view type = kh_json_str(kh_json_get(object, "type"));

	r->server->url = kh_json_str(get_first(object, addresses));
	if (r->server->url.n == 0)
		blame(r, KH_LIT("it has neither a command nor a url"));
	if (kh_view_find(r->server->url, KH_LIT("${"), 0) != SIZE_MAX)
		blame(r, KH_LIT("its url has ${...}, which Keyhole does not fill in: write what it stands for"));
	if (kh_view_eq(type, KH_LIT("sse")))
		blame(r,
		      KH_LIT("it speaks the transport of 2024 (sse), which Keyhole does not: most such servers have a "
			     "Streamable HTTP address too"));
	if (yyjson_is_str(token))
		add_open(r, KH_LIT("Authorization"), KH_LIT("Bearer"), origin_of(r, kh_json_str(token)));
	take_named(r, named);
}

/* What was gathered, in memory of its own. */
static void keep(struct reader *r)
{
	struct kh_clientfile_server *server = r->server;

	server->values.at = KH_NEW_N(r->arena, struct kh_pair, r->count);
	server->open.at = KH_NEW_N(r->arena, struct kh_clientfile_open, r->opens);
	server->strange.at = KH_NEW_N(r->arena, struct kh_view, r->stranges);
	if (server->values.at == NULL || server->open.at == NULL || server->strange.at == NULL)
		return; /* the arena is marked */
	memcpy(server->values.at, r->pairs, r->count * sizeof(r->pairs[0]));
	memcpy(server->open.at, r->open, r->opens * sizeof(r->open[0]));
	memcpy(server->strange.at, r->strange, r->stranges * sizeof(r->strange[0]));
	server->values.n = r->count;
	server->open.n = r->opens;
	server->strange.n = r->stranges;
}

static void take_server(struct reader *r, struct kh_view name, yyjson_val *object)
{
	yyjson_val *command = kh_json_get(object, "command"), *env = kh_json_get(object, "env");
	yyjson_val *headers = kh_json_get(object, "headers"), *more = kh_json_get(object, "http_headers");

	r->server->name = name;
	r->opens = r->count = r->stranges = 0;
	if (!yyjson_is_obj(object)) {
		blame(r, kh_arena_printf(r->arena, "it is %s, not an object", kh_json_type(object)));
		return;
	}
	take_strange(r, object);
	take_switches(r, object);
	if (command != NULL) {
		take_command(r, command, kh_json_get(object, "args"));
		take_passed(r, kh_json_get(object, "env_vars"));
		if (env != NULL)
			take_values(r, "env", env);
	} else {
		take_url(r, object);
		if (headers != NULL)
			take_values(r, "headers", headers);
		if (more != NULL)
			take_values(r, "http_headers", more);
	}
	keep(r);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static enum kh_err find_servers(yyjson_val *root, yyjson_val **ret_servers, struct kh_error *err)
{
	static const char *const names[] = {"mcpServers", "servers", "context_servers", "mcp_servers", NULL};
	yyjson_val *mcp = kh_json_get(root, "mcp"), *servers = get_first(root, names);

	if (servers == NULL)
		servers = get_first(mcp, names); /* VS Code's settings.json */
	if (servers == NULL)
		return kh_error_set(
			err, KH_EINPUT, "import_invalid",
			"no servers in it: expected mcpServers (Claude, Cursor, Gemini), servers (VS Code), "
			"context_servers (Zed), or tables [mcp_servers.NAME] in TOML (Codex)");
	if (!yyjson_is_obj(servers))
		return kh_error_set(err, KH_EINPUT, "import_invalid", "its servers are %s: expected an object of names",
				    kh_json_type(servers));
	if (yyjson_obj_size(servers) > KH_CLIENTFILE_SERVERS)
		return kh_error_set(err, KH_EINPUT, "import_invalid", "more than %d servers", KH_CLIENTFILE_SERVERS);
	*ret_servers = servers;
	return KH_OK;
}

static enum kh_err read_any(struct kh_arena *arena, struct kh_view text, yyjson_val **ret_root, struct kh_error *err)
{
	struct kh_view mark = KH_LIT("\xef\xbb\xbf");
	struct kh_view rest = kh_view_from(text, kh_view_starts(text, mark) ? mark.n : 0);
	struct kh_view start = kh_view_trim(rest);
	bool is_json = start.n > 0 && (start.p[0] == '{' || start.p[0] == '/');

	if (text.n > KH_CLIENTFILE_SIZE)
		return kh_error_set(err, KH_EINPUT, "import_invalid",
				    "more than %u bytes: not a client's configuration", KH_CLIENTFILE_SIZE);
	return is_json ? kh_relaxed_read(arena, rest, ret_root, err) : kh_toml_read(arena, rest, ret_root, err);
}

enum kh_err kh_clientfile_read(struct kh_arena *arena, struct kh_view text, struct kh_list *ret_servers,
			       struct kh_error *err)
{
	yyjson_val *root = NULL, *servers = NULL, *key, *value;
	enum kh_err e = read_any(arena, text, &root, err);
	size_t i, max;

	if (e == KH_OK)
		e = find_servers(root, &servers, err);
	if (e != KH_OK)
		return e;
	struct reader *r = KH_NEW(arena, struct reader);
	struct kh_clientfile_server *all = KH_NEW_N(arena, struct kh_clientfile_server, yyjson_obj_size(servers));
	if (r != NULL && all != NULL) {
		r->arena = arena;
		r->inputs = kh_json_get(root, "inputs");
		yyjson_obj_foreach (servers, i, max, key, value) {
			r->server = &all[i];
			take_server(r, kh_json_str(key), value);
		}
	}
	if (kh_arena_check(arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for a client's configuration");
	*ret_servers = (struct kh_list){all, yyjson_obj_size(servers)};
	return KH_OK;
}
