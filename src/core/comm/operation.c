/* Looks rows up.  Names are compared exactly; they are normalised only to tell a look-alike from an unknown name. */
#include "core/comm/operation.h"

#include "base/utf8.h"
#include "core/comm/url.h"
#include "core/screen/normalise.h"

#define UPSTREAM   "comm.mcp."
#define SERVER_MAX 32
#define TOOL_MAX   64

const struct kh_words kh_operation_scope_words =
	KH_WORDS([KH_SCOPE_WEB] = "web", [KH_SCOPE_INTERNAL] = "internal", [KH_SCOPE_DATABASE] = "database");

bool kh_operation_is_list(const struct kh_parameter_spec *spec)
{
	return spec->kind == KH_PARAMETER_VALUES || spec->kind == KH_PARAMETER_ARGS;
}

bool kh_operation_is_option(const struct kh_parameter_spec *spec)
{
	return !spec->required && spec->kind != KH_PARAMETER_ARGS;
}

const struct kh_parameter_spec *kh_operation_parameter(const struct kh_operation *operation, struct kh_view name)
{
	for (size_t i = 0; i < operation->parameter_count; i++) {
		if (kh_view_eq(name, kh_view_str(operation->parameters[i].name)))
			return &operation->parameters[i];
	}
	return NULL;
}

const struct kh_parameter_spec *kh_operation_of_kind(const struct kh_operation *operation, enum kh_parameter_kind kind)
{
	for (size_t i = 0; i < operation->parameter_count; i++) {
		if (operation->parameters[i].kind == kind)
			return &operation->parameters[i];
	}
	return NULL;
}

const struct kh_operation *kh_operation_named(const struct kh_operations *from, struct kh_view name)
{
	for (size_t i = 0; i < from->n; i++) {
		if (!from->at[i].is_upstream && kh_view_eq(name, kh_view_str(from->at[i].name)))
			return &from->at[i];
	}
	return NULL;
}

const struct kh_operation *kh_operation_upstream(const struct kh_operations *from)
{
	for (size_t i = 0; i < from->n; i++) {
		if (from->at[i].is_upstream)
			return &from->at[i];
	}
	return NULL;
}

struct kh_view kh_operation_short(struct kh_view full)
{
	return kh_view_starts(full, KH_LIT("comm.")) ? kh_view_from(full, sizeof("comm.") - 1) : full;
}

struct kh_view kh_operation_host(struct kh_arena *arena, const struct kh_operation *operation, yyjson_val *parameters)
{
	char buffer[KH_URL_HOST];
	struct kh_view host;
	struct kh_url url;

	for (size_t i = 0; i < operation->parameter_count; i++) {
		const struct kh_parameter_spec *spec = &operation->parameters[i];
		struct kh_view text = kh_json_str(kh_json_get(parameters, spec->name));
		if (spec->host && kh_url_read(text, &url, NULL) == KH_OK &&
		    kh_url_write_host(&url, buffer, &host) == KH_OK)
			return kh_arena_dup(arena, host);
	}
	return KH_LIT("");
}

bool kh_operation_is_server(struct kh_view name)
{
	if (name.n == 0 || name.n > SERVER_MAX || name.p[0] == '-')
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		if (!(c >= 'a' && c <= 'z') && !kh_ascii_is_digit(c) && c != '-')
			return false;
	}
	return true;
}

struct kh_view kh_operation_server(const struct kh_operations *from, struct kh_view name, yyjson_val *parameters)
{
	const struct kh_operation *row = kh_operation_named(from, name);
	const struct kh_parameter_spec *spec = row != NULL ? kh_operation_of_kind(row, KH_PARAMETER_SERVER) : NULL;
	struct kh_view server = KH_LIT(""), rest = kh_view_from(name, sizeof(UPSTREAM) - 1);

	if (spec != NULL)
		return kh_json_str(kh_json_get(parameters, spec->name));
	if (kh_view_starts(name, KH_LIT(UPSTREAM)))
		kh_view_split(&rest, '.', &server);
	return server;
}

static bool is_tool(struct kh_view name)
{
	return name.n > 0 && name.n <= TOOL_MAX && kh_view_is_word(name, "_-");
}

static enum kh_err malformed(struct kh_error *err, const char *what)
{
	return kh_error_set(err, KH_EREFUSED, "operation_malformed", "%s", what);
}

/* Splits "comm.mcp.<server>.<tool>"; NAME begins with "comm.mcp.". */
static enum kh_err find_upstream(const struct kh_operation *row, struct kh_view name,
				 struct kh_operation_name *ret_name, struct kh_error *err)
{
	struct kh_view rest = kh_view_from(name, sizeof(UPSTREAM) - 1), server = {NULL, 0};

	kh_view_split(&rest, '.', &server);
	if (!kh_operation_is_server(server))
		return malformed(err, "the server's name is not of the form [a-z0-9][a-z0-9-]{0,31}");
	if (!is_tool(rest))
		return malformed(err, "the tool's name is not of the form [A-Za-z0-9_-]{1,64}");
	*ret_name = (struct kh_operation_name){row, name, server, rest};
	return KH_OK;
}

/* The appearance of NAME: its skeleton without blanks. */
static enum kh_err look(struct kh_arena *arena, struct kh_view name, struct kh_view *ret_look)
{
	struct kh_view skeleton;
	enum kh_err e = kh_normalise_skeleton(arena, name, &skeleton);

	if (e != KH_OK)
		return e;
	char *p = kh_arena_alloc(arena, skeleton.n);
	if (p == NULL)
		return KH_ENOMEM;
	size_t n = 0;
	for (size_t i = 0; i < skeleton.n; i++) {
		if (!kh_ascii_is_blank(skeleton.p[i]))
			p[n++] = skeleton.p[i];
	}
	*ret_look = kh_view_of(p, n);
	return KH_OK;
}

/* Whether NAME, which is not registered, looks like a registered name. */
static enum kh_err is_lookalike(struct kh_arena *arena, const struct kh_operations *from, struct kh_view name,
				bool *ret_yes)
{
	struct kh_view mine, other;
	bool yes = false;
	enum kh_err e = look(arena, name, &mine);

	for (size_t i = 0; e == KH_OK && !yes && i < from->n; i++) {
		bool upstream = from->at[i].is_upstream;
		e = look(arena, upstream ? KH_LIT(UPSTREAM) : kh_view_str(from->at[i].name), &other);
		if (e == KH_OK)
			yes = upstream ? kh_view_starts(mine, other) : kh_view_eq(mine, other);
	}
	if (e == KH_OK)
		*ret_yes = yes;
	return e;
}

enum kh_err kh_operation_find(struct kh_arena *arena, const struct kh_operations *from, struct kh_view name,
			      struct kh_operation_name *ret_name, struct kh_error *err)
{
	const struct kh_operation *row = kh_operation_named(from, name), *upstream = kh_operation_upstream(from);
	bool lookalike = false;

	if (row != NULL) {
		*ret_name = (struct kh_operation_name){.operation = row, .full = name};
		return KH_OK;
	}
	if (kh_utf8_invalid(name) != SIZE_MAX)
		return malformed(err, "the operation's name is not valid UTF-8");
	/* A longer name is unknown, whatever it looks like, so that a caller cannot make us normalise long texts. */
	if (name.n <= KH_OPERATION_NAME_MAX) {
		if (upstream != NULL && kh_view_starts(name, KH_LIT(UPSTREAM)))
			return find_upstream(upstream, name, ret_name, err);
		enum kh_err e = is_lookalike(arena, from, name, &lookalike);
		if (e != KH_OK)
			return e;
	}
	if (lookalike)
		return malformed(err, "the name looks like a registered operation's, but is not: write it exactly");
	struct kh_view quoted = kh_arena_quote(arena, name);
	return kh_error_set(err, arena->failed ? KH_ENOMEM : KH_EUNKNOWN, "operation_unknown",
			    "no operation %.*s is registered", KH_FMT(quoted));
}
