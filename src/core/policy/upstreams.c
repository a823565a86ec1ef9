/*
 * Reads the section on upstream servers.  It is the operator's, but it is not trusted to be well-formed.  A key without a
 * meaning for the kind of server is refused, because an operator could take it for protection.
 */
#include "core/policy/upstreams.h"

#include "core/comm/url.h"
#include "core/policy/field.h"
#include "core/policy/match.h"
#include "core/policy/reach.h"
#include "core/policy/toolrule.h"

#define IS_UPSTREAM "a name: a small letter, then small letters, digits and - (32 at most), and not host"
#define IS_TARGET   "a host in small letters and its port, such as api.example.com:443"
#define IS_HEADER   "the name of a header: letters, digits, - and _"
#define IS_SECRET   "a file, absolute or in the home folder; for a header also a word before it, as in Bearer far.token"
#define IS_VALUE    "a text of at most 3900 bytes without a NUL"
#define IS_LINE     "a text of 1 to 4096 bytes without control characters"
#define IS_ENDPOINT "a URL such as https://mcp.example.com/mcp"

/* The bounds of what a sandbox gives a server; the executor takes no larger numbers. */
#define DAY          UINT64_C(86400)
#define MEMORY_LEAST (UINT64_C(16) << 20)
#define MOST         (UINT64_C(64) << 30)
#define MESSAGE_MOST (UINT64_C(16) << 20)

bool kh_upstreams_is_name(struct kh_view text)
{
	bool good = text.n >= 1 && text.n <= KH_UPSTREAMS_NAME && text.p[0] >= 'a' && text.p[0] <= 'z';

	for (size_t i = 0; i < text.n && good; i++)
		good = (text.p[i] >= 'a' && text.p[i] <= 'z') || kh_ascii_is_digit(text.p[i]) || text.p[i] == '-';
	return good && !kh_view_eq(text, KH_LIT(KH_CONFIG_HOST));
}

/* A name that nobody takes for an address: its last label is no number. */
bool kh_upstreams_is_target(struct kh_view text)
{
	size_t colon = kh_view_find(text, KH_LIT(":"), 0);
	struct kh_view rest = kh_view_sub(text, 0, colon), label = {NULL, 0};

	if (colon == SIZE_MAX || !kh_match_is_host_port(text) || text.p[0] == '*')
		return false;
	for (size_t i = 0; i < colon; i++) {
		if (text.p[i] >= 'A' && text.p[i] <= 'Z')
			return false;
	}
	while (kh_view_split(&rest, '.', &label)) {
	}
	bool is_number = kh_view_starts(label, KH_LIT("0x"));
	for (size_t i = 0, digits = 0; i < label.n && !is_number; i++) {
		digits += kh_ascii_is_digit(label.p[i]);
		is_number = digits == label.n;
	}
	return !is_number;
}

bool kh_upstreams_secret(struct kh_view text, struct kh_view *ret_scheme, struct kh_view *ret_file)
{
	size_t blank = kh_view_find(text, KH_LIT(" "), 0);
	struct kh_view word = kh_view_sub(text, 0, blank != SIZE_MAX ? blank : 0);
	bool has_scheme = word.n > 0 && word.n <= 32 && kh_view_is_word(word, "-");

	*ret_scheme = has_scheme ? word : kh_view_of(NULL, 0);
	*ret_file = has_scheme ? kh_view_from(text, blank + 1) : text;
	return ret_file->n <= 1024 && kh_reach_is_file(*ret_file);
}

static bool is_secret(struct kh_view text)
{
	struct kh_view scheme, file;

	return kh_upstreams_secret(text, &scheme, &file);
}

static bool is_variable(struct kh_view text)
{
	return text.n <= 128 && kh_match_is_variable(text);
}

static bool is_header(struct kh_view text)
{
	return text.n >= 1 && text.n <= 128 && kh_view_is_word(text, "-_");
}

/* A variable of a program, or a header: the kind of server decides which, when all of it was read. */
static bool is_either(struct kh_view text)
{
	return is_variable(text) || is_header(text);
}

static bool is_value(struct kh_view text)
{
	return text.n <= 3900 && (text.n == 0 || memchr(text.p, '\0', text.n) == NULL);
}

static bool is_line(struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f)
			return false;
	}
	return kh_view_trim(text).n > 0 && text.n <= 4096;
}

static const struct kh_schema_field upstream_fields[] = {
	TEXT(kh_config_upstream, name, true, 1, KH_UPSTREAMS_NAME, kh_upstreams_is_name, IS_UPSTREAM),
	TEXTS_SOME(kh_config_upstream, command, false, 128, kh_match_is_argument, IS_ARGUMENT),
	TEXT(kh_config_upstream, url, false, 1, 2048, kh_match_is_web, IS_ENDPOINT),
	WORD(kh_config_upstream, enabled, kh_settings_switch_words),
	WORD(kh_config_upstream, shared, kh_settings_switch_words),
	TEXT(kh_config_upstream, program, false, 1, 1024, kh_match_is_path, IS_PATH),
	TEXTS(kh_config_upstream, read, false, 30, kh_match_is_path, IS_PATH), /* program and command are two more */
	TEXTS(kh_config_upstream, write, false, 32, kh_match_is_path, IS_PATH),
	TEXTS(kh_config_upstream, network, false, 16, kh_upstreams_is_target, IS_TARGET),
	NUMBER(kh_config_upstream, bytes_out, 1, UINT64_C(1) << 40),
	NUMBER(kh_config_upstream, memory, MEMORY_LEAST, MOST),
	NUMBER(kh_config_upstream, processes, 1, 4096),
	NUMBER(kh_config_upstream, files, 16, 4096),
	NUMBER(kh_config_upstream, disk, 65536, MOST),
	NUMBER(kh_config_upstream, processor, 1, 1024000),
	NUMBER(kh_config_upstream, output_bytes, 4096, UINT64_C(1) << 30),
	NUMBER(kh_config_upstream, message_bytes, 4096, MESSAGE_MOST),
	NUMBER(kh_config_upstream, messages, 1, 100000),
	PAIRS(kh_config_upstream, env, 64, is_variable, IS_VARIABLE, is_value, IS_VALUE),
	PAIRS(kh_config_upstream, secrets, KH_CONFIG_UPSTREAM_SECRETS, is_either, IS_VARIABLE, is_secret, IS_SECRET),
	PAIRS(kh_config_upstream, headers, 24, is_header, IS_HEADER, is_line, IS_LINE),
	TEXT(kh_config_upstream, authority, false, 1, 1024, kh_match_is_path, IS_PATH),
	WORD(kh_config_upstream, local, kh_settings_switch_words),
	NUMBER(kh_config_upstream, idle_seconds, 1, DAY),
	NUMBER(kh_config_upstream, timeout_seconds, 1, 600),
	NUMBER(kh_config_upstream, starts, 1, 1000),
};

/* Makes keys that are left out recognisable. */
static void start_upstream(const struct kh_outline *node, void *item)
{
	(void)node;
	*(struct kh_config_upstream *)item = (struct kh_config_upstream){
		.enabled = KH_CONFIG_TRUE, .shared = KH_CONFIG_UNSAID, .local = KH_CONFIG_UNSAID};
}

const struct kh_shape kh_upstreams_shape = LINED(upstream_fields, kh_config_upstream, start_upstream);

struct walk {
	const struct kh_outline_source *source;
	struct kh_error *err;
	const struct kh_config_upstream *up;
	struct kh_view path; /* "upstreams[2]" */
};

static enum kh_err refuse(const struct walk *w, unsigned line, struct kh_view what, const char *expected)
{
	struct kh_view whole = kh_arena_printf(w->source->arena, "%.*s%.*s", KH_FMT(w->path), KH_FMT(what));

	return kh_outline_error(w->source, line, SIZE_MAX, whole, kh_view_str(expected), w->err);
}

/* Refuses a key of the other kind of server. */
static enum kh_err check_keys(const struct walk *w)
{
	const struct kh_config_upstream *up = w->up;
	bool has_program = up->command.at != NULL;
	const struct {
		const char *key;
		bool said, is_programs;
	} keys[] = {
		{"program", up->program.n > 0, true},
		{"read", up->read.at != NULL, true},
		{"write", up->write.at != NULL, true},
		{"network", up->network.at != NULL, true},
		{"bytes_out", up->bytes_out != 0, true},
		{"memory", up->memory != 0, true},
		{"processes", up->processes != 0, true},
		{"files", up->files != 0, true},
		{"disk", up->disk != 0, true},
		{"processor", up->processor != 0, true},
		{"output_bytes", up->output_bytes != 0, true},
		{"env", up->env.at != NULL, true},
		{"starts", up->starts != 0, true},
		{"shared", up->shared != KH_CONFIG_UNSAID, true},
		{"headers", up->headers.at != NULL, false},
		{"authority", up->authority.n > 0, false},
	};

	for (size_t i = 0; i < COUNT(keys); i++) {
		if (keys[i].said && keys[i].is_programs != has_program)
			return refuse(w, up->line,
				      kh_arena_printf(w->source->arena, ": %s beside %s", keys[i].key,
						      has_program ? "command" : "url"),
				      has_program ? "it only beside url" : "it only beside command");
	}
	if (up->bytes_out != 0 && up->network.n == 0)
		return refuse(w, up->line, KH_LIT(": bytes_out without network"), "it only beside network");
	if (has_program && up->local != KH_CONFIG_UNSAID && up->network.n == 0)
		return refuse(w, up->line, KH_LIT(": local without network"), "it only beside network or url");
	return KH_OK;
}

/* The variables of a program: a name has one meaning, and a file stands alone. */
static enum kh_err check_variables(const struct walk *w)
{
	const struct kh_pairs *env = &w->up->env, *secrets = &w->up->secrets;
	struct kh_view scheme, file;

	for (size_t i = 0; i < secrets->n; i++) {
		const struct kh_pair *secret = &secrets->at[i];
		struct kh_view path = kh_arena_printf(w->source->arena, ".secrets.%.*s", KH_FMT(secret->name));
		if (!is_variable(secret->name))
			return refuse(w, secret->line, path, IS_VARIABLE);
		if (kh_upstreams_secret(secret->text, &scheme, &file) && scheme.n > 0)
			return refuse(w, secret->line, path, "a file alone: only a header has a word before it");
		for (size_t j = 0; j < env->n; j++) {
			if (kh_view_eq(env->at[j].name, secret->name))
				return refuse(w, env->at[j].line,
					      kh_arena_printf(w->source->arena, ": %.*s in env and in secrets",
							      KH_FMT(secret->name)),
					      "it in one of them");
		}
	}
	return KH_OK;
}

static enum kh_err check_program(const struct walk *w)
{
	const struct kh_config_upstream *up = w->up;
	const struct kh_view *both = kh_schema_both(&up->read, &up->write);
	const struct kh_view *twice = kh_schema_both(&up->network, &up->network);

	if (!kh_match_is_path(up->command.at[0]))
		return refuse(w, up->line, KH_LIT(".command: its first argument"), "the absolute path of a program");
	if (kh_schema_bytes(&up->command) + kh_schema_bytes(&up->read) + kh_schema_bytes(&up->write) >
	    KH_CONFIG_ARGUMENTS)
		return refuse(w, up->line, KH_LIT(".command"), "arguments and paths of at most 32768 bytes together");
	if (both != NULL)
		return refuse(w, up->line,
			      kh_arena_printf(w->source->arena, ": %.*s in read and in write", KH_FMT(*both)),
			      "it in one of them");
	if (twice != NULL)
		return refuse(w, up->line,
			      kh_arena_printf(w->source->arena, ".network: %.*s stands twice", KH_FMT(*twice)),
			      "each once");
	return check_variables(w);
}

/* The headers of a URL: a name has one meaning, in any case of its letters. */
static enum kh_err check_headers(const struct walk *w)
{
	const struct kh_pairs *lists[] = {&w->up->headers, &w->up->secrets};
	size_t first = lists[0]->n, n = first + lists[1]->n;

	for (size_t i = 0; i < n; i++) {
		const struct kh_pair *one = i < first ? &lists[0]->at[i] : &lists[1]->at[i - first];
		if (!is_header(one->name))
			return refuse(w, one->line, kh_arena_printf(w->source->arena, ": %.*s", KH_FMT(one->name)),
				      IS_HEADER);
		for (size_t j = 0; j < i; j++) {
			const struct kh_pair *other = j < first ? &lists[0]->at[j] : &lists[1]->at[j - first];
			if (kh_view_eq_nocase(one->name, other->name))
				return refuse(w, one->line,
					      kh_arena_printf(w->source->arena, ": the header %.*s stands twice",
							      KH_FMT(one->name)),
					      "each header once, in headers or in secrets");
		}
	}
	return KH_OK;
}

static enum kh_err check_url(const struct walk *w)
{
	const struct kh_config_upstream *up = w->up;
	struct kh_url url;

	if (kh_url_read_web(up->url, up->local == KH_CONFIG_TRUE, &url, NULL) != KH_OK)
		return refuse(w, up->line, KH_LIT(".url: plain http"),
			      "https, or local: true for a server of this machine or network");
	if (kh_view_find(url.rest, KH_LIT("#"), 0) != SIZE_MAX)
		return refuse(w, up->line, KH_LIT(".url"), "a URL without a fragment (#)");
	if (up->secrets.n > KH_CONFIG_HEADER_SECRETS)
		return refuse(w, up->line, KH_LIT(".secrets"), "at most 8 of them beside url");
	return check_headers(w);
}

static void fill(struct kh_config_upstream *up)
{
	if (up->shared == KH_CONFIG_UNSAID)
		up->shared = KH_CONFIG_FALSE;
	if (up->local == KH_CONFIG_UNSAID)
		up->local = KH_CONFIG_FALSE;
	if (up->idle_seconds == 0)
		up->idle_seconds = KH_CONFIG_UPSTREAM_IDLE;
	if (up->timeout_seconds == 0)
		up->timeout_seconds = KH_CONFIG_UPSTREAM_TIME;
	if (up->command.n > 0 && up->starts == 0)
		up->starts = KH_CONFIG_UPSTREAM_STARTS;
	if (up->network.n > 0 && up->bytes_out == 0)
		up->bytes_out = KH_CONFIG_UPSTREAM_OUT;
}

static enum kh_err check_upstream(struct walk *w, const struct kh_config_upstream *all, size_t i)
{
	const struct kh_config_upstream *up = w->up = &all[i];
	bool has_command = up->command.at != NULL, has_url = up->url.n > 0;

	w->path = kh_arena_printf(w->source->arena, "upstreams[%zu]", i);
	for (size_t j = 0; j < i; j++) {
		if (kh_view_eq(up->name, all[j].name))
			return refuse(w, up->line,
				      kh_arena_printf(w->source->arena, ".name: %.*s stands twice", KH_FMT(up->name)),
				      "each name once");
	}
	if (has_command && has_url)
		return refuse(w, up->line, KH_LIT(": command and url"),
			      "one of them: command for a program, url for a server over HTTP");
	if (!has_command && !has_url)
		return refuse(w, up->line, KH_LIT(""), "the key command (a program) or url (over HTTP) in it");
	enum kh_err e = check_keys(w);
	if (e != KH_OK)
		return e;
	return has_command ? check_program(w) : check_url(w);
}

/* A rule about a server that is not there would protect nothing. */
static enum kh_err check_rules(const struct kh_outline_source *source, const struct kh_config *config,
			       struct kh_error *err)
{
	const struct kh_policy_rule *rules = config->policy.tools.at;
	struct kh_view server;

	for (size_t i = 0; i < config->policy.tools.n; i++) {
		if (!kh_toolrule_server(rules[i].name, &server) || kh_view_eq(server, KH_LIT(KH_CONFIG_HOST)) ||
		    kh_settings_upstream(config, server) != NULL)
			continue;
		return kh_outline_error(
			source, rules[i].line, SIZE_MAX,
			kh_arena_printf(source->arena, "policy.tools[%zu].name: %.*s", i, KH_FMT(rules[i].name)),
			KH_LIT("the name of an entry of upstreams before __"), err);
	}
	return KH_OK;
}

/* Tells the policy which servers there are, and what a call to them can do (U5). */
static void tell_policy(struct kh_arena *arena, struct kh_config *config)
{
	struct kh_policy_upstream *list = KH_NEW_N(arena, struct kh_policy_upstream, config->upstreams.n);
	const struct kh_config_upstream *all = config->upstreams.at;
	size_t n = 0;

	for (size_t i = 0; list != NULL && i < config->upstreams.n; i++) {
		const struct kh_config_upstream *up = &all[i];
		bool is_remote = up->url.n > 0 || up->network.n > 0;
		if (up->enabled != KH_CONFIG_FALSE)
			list[n++] = (struct kh_policy_upstream){.name = up->name,
								.is_url = up->url.n > 0,
								.is_remote = is_remote,
								.is_keeping = is_remote || up->write.n > 0,
								.seconds = up->timeout_seconds};
	}
	config->policy.upstreams.at = list;
	config->policy.upstreams.n = n;
}

enum kh_err kh_upstreams_finish(const struct kh_outline_source *source, struct kh_config *config, bool policy_alone,
				struct kh_error *err)
{
	struct kh_config_upstream *all = config->upstreams.at;
	struct walk w = {.source = source, .err = err};
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < config->upstreams.n; i++) {
		e = check_upstream(&w, all, i);
		fill(&all[i]);
	}
	if (e == KH_OK && config->upstreams.at != NULL && !policy_alone)
		e = check_rules(source, config, err);
	if (e == KH_OK)
		tell_policy(source->arena, config);
	return e;
}
