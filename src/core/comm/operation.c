/* The registered operations.  Names are compared exactly; normalising serves only to tell a look-alike from a stranger.
 */
#include "core/comm/operation.h"

#include "base/utf8.h"
#include "core/screen/normalise.h"

#define UPSTREAM   "comm.mcp."
#define SERVER_MAX 32
#define TOOL_MAX   64
#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))

static const struct kh_parameter_spec search_has[] = {
	{"query", KH_PARAMETER_QUERY, true, 1000},
	{"scope", KH_PARAMETER_SCOPE, false, 0},
	{"limit", KH_PARAMETER_LIMIT, false, 100},
};
static const struct kh_parameter_spec fetch_has[] = {{"url", KH_PARAMETER_URL, true, 2048}};
static const struct kh_parameter_spec query_has[] = {
	{"database", KH_PARAMETER_NAME, true, 64},
	{"statement", KH_PARAMETER_STATEMENT, true, 8192},
	{"params", KH_PARAMETER_VALUES, false, 64},
};
static const struct kh_parameter_spec read_has[] = {{"path", KH_PARAMETER_PATH, true, 4096}};
static const struct kh_parameter_spec exec_has[] = {
	{"command", KH_PARAMETER_COMMAND, true, 256},
	{"args", KH_PARAMETER_ARGS, false, 64},
};

static const struct kh_operation table[] = {
	{"comm.search", search_has, COUNT(search_has), false}, {"comm.fetch", fetch_has, COUNT(fetch_has), false},
	{"comm.query", query_has, COUNT(query_has), false},    {"comm.read", read_has, COUNT(read_has), false},
	{"comm.exec", exec_has, COUNT(exec_has), false},       {"comm.mcp", NULL, 0, true},
};

const struct kh_operation *kh_operation_table(size_t *ret_count)
{
	*ret_count = COUNT(table);
	return table;
}

const struct kh_parameter_spec *kh_operation_parameter(const struct kh_operation *operation, struct kh_view name)
{
	for (size_t i = 0; i < operation->parameter_count; i++) {
		if (kh_view_eq(name, kh_view_str(operation->parameters[i].name)))
			return &operation->parameters[i];
	}
	return NULL;
}

struct kh_view kh_operation_short(struct kh_view full)
{
	return kh_view_starts(full, KH_LIT("comm.")) ? kh_view_from(full, sizeof("comm.") - 1) : full;
}

static bool is_server(struct kh_view name)
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

static bool is_tool(struct kh_view name)
{
	if (name.n == 0 || name.n > TOOL_MAX)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		if (!kh_ascii_is_alpha(c) && !kh_ascii_is_digit(c) && c != '_' && c != '-')
			return false;
	}
	return true;
}

static enum kh_err malformed(struct kh_error *err, const char *what)
{
	return kh_error_set(err, KH_EREFUSED, "operation_malformed", "%s", what);
}

/* Takes "comm.mcp.<server>.<tool>" apart; NAME begins as it should. */
static enum kh_err find_upstream(struct kh_view name, struct kh_operation_name *ret_name, struct kh_error *err)
{
	struct kh_view rest = kh_view_from(name, sizeof(UPSTREAM) - 1), server = {NULL, 0};

	kh_view_split(&rest, '.', &server);
	if (!is_server(server))
		return malformed(err, "the server's name is not of the form [a-z0-9][a-z0-9-]{0,31}");
	if (!is_tool(rest))
		return malformed(err, "the tool's name is not of the form [A-Za-z0-9_-]{1,64}");
	*ret_name = (struct kh_operation_name){&table[COUNT(table) - 1], name, server, rest};
	return KH_OK;
}

/* What NAME looks like: its skeleton without blanks. */
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

/* Whether NAME, which is not registered, looks like a name that is. */
static enum kh_err is_lookalike(struct kh_arena *arena, struct kh_view name, bool *ret_yes)
{
	struct kh_view mine, other;
	bool yes = false;
	enum kh_err e = look(arena, name, &mine);

	for (size_t i = 0; e == KH_OK && !yes && i < COUNT(table); i++) {
		bool upstream = table[i].is_upstream;
		e = look(arena, upstream ? KH_LIT(UPSTREAM) : kh_view_str(table[i].name), &other);
		if (e == KH_OK)
			yes = upstream ? kh_view_starts(mine, other) : kh_view_eq(mine, other);
	}
	if (e == KH_OK)
		*ret_yes = yes;
	return e;
}

enum kh_err kh_operation_find(struct kh_arena *arena, struct kh_view name, struct kh_operation_name *ret_name,
			      struct kh_error *err)
{
	bool lookalike = false;

	for (size_t i = 0; i < COUNT(table); i++) {
		if (!table[i].is_upstream && kh_view_eq(name, kh_view_str(table[i].name))) {
			*ret_name = (struct kh_operation_name){.operation = &table[i], .full = name};
			return KH_OK;
		}
	}
	if (kh_utf8_invalid(name) != SIZE_MAX)
		return malformed(err, "the operation's name is not valid UTF-8");
	/* A longer name is unknown, however it looks: nothing is normalised at a stranger's expense. */
	if (name.n <= KH_OPERATION_NAME_MAX) {
		if (kh_view_starts(name, KH_LIT(UPSTREAM)))
			return find_upstream(name, ret_name, err);
		enum kh_err e = is_lookalike(arena, name, &lookalike);
		if (e != KH_OK)
			return e;
	}
	if (lookalike)
		return malformed(err, "the name looks like a registered operation's, but is not: write it exactly");
	struct kh_view quoted = kh_arena_quote(arena, name);
	return kh_error_set(err, arena->failed ? KH_ENOMEM : KH_EUNKNOWN, "operation_unknown",
			    "no operation %.*s is registered", KH_FMT(quoted));
}
