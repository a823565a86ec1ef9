/*
 * The rows.  The build reads them too (tools/prebuild-operations.c): it generates the tools' schemas and the shell
 * completion from them.
 */
#include "core/comm/operations.h"

#define COUNT(a)         (sizeof(a) / sizeof((a)[0]))
#define PARAMETERS(list) .parameters = (list), .parameter_count = COUNT(list)

static const struct kh_parameter_spec search_has[] = {
	{"query", KH_PARAMETER_QUERY, true, 1000,
	 .about = "what to look for, in words that you would write into a search box"},
	{"scope", KH_PARAMETER_SCOPE, false, 0, .about = "where: internal, web or database", .stays = true},
	{"limit", KH_PARAMETER_LIMIT, false, 100, .about = "how many results at most", .stays = true},
};

static const struct kh_parameter_spec fetch_has[] = {
	{"url", KH_PARAMETER_URL, true, 2048, .about = "an https URL, with its host in full", .host = true},
};

/* A database server gets the statement, which an agent may have written, and the values bound in it. */
static const struct kh_parameter_spec query_has[] = {
	{"database", KH_PARAMETER_NAME, true, 64, .about = "its name in the configuration", .stays = true},
	{"statement", KH_PARAMETER_STATEMENT, true, 8192, .about = "the name of a configured statement, or SQL"},
	{"params", KH_PARAMETER_VALUES, false, 64, .about = "values to bind: a list, or an object by name"},
};

static const struct kh_parameter_spec read_has[] = {
	{"path", KH_PARAMETER_PATH, true, 4096, .about = "absolute, without `..`"},
};

static const struct kh_parameter_spec exec_has[] = {
	{"command", KH_PARAMETER_COMMAND, true, 256, .about = "its name in the policy"},
	{"args", KH_PARAMETER_ARGS, false, 64, .about = "values of its placeholders, in their order, each a string"},
};

/* Both decide where the call goes (U5): neither can be sealed content. */
static const struct kh_parameter_spec resource_has[] = {
	{"server", KH_PARAMETER_SERVER, true, 32, .about = "the name of an upstream server that the user has approved",
	 .stays = true},
	{"uri", KH_PARAMETER_URI, true, 2048, .about = "which resource, with its scheme and without `..`"},
};

static const struct kh_operation rows[] = {
	{
		.name = "comm.search",
		PARAMETERS(search_has),
		.permit = KH_PERMIT_SCOPES | KH_PERMIT_PATHS | KH_PERMIT_DATABASES,
		.risk = KH_RISK_MODERATE,
		.outbound = KH_OUTBOUND_BY_SCOPE,
		.time = KH_TIME_NETWORK,
		.title = "Search for something outside",
		.about = "search, and seal what is found",
		.says = "Searches and seals what was found: titles, places and snippets. `scope` says where: internal "
			"(folders that the user has put into an index), web, or database (tables that the user has "
			"named). Call it when you do not know where something stands; if you have the URL or the "
			"path, use comm_fetch or comm_read.",
		.example = "\"query\": \"travel expenses policy 2026\", \"scope\": \"internal\", \"reason\": \"The "
			   "user asked what hotel costs are refunded.\"",
	},
	{
		.name = "comm.fetch",
		PARAMETERS(fetch_has),
		.permit = KH_PERMIT_HOSTS,
		.risk = KH_RISK_MODERATE,
		.outbound = KH_OUTBOUND_ALWAYS,
		.time = KH_TIME_NETWORK,
		.title = "Fetch a page or document",
		.about = "fetch a URL, and seal it",
		.says = "Fetches one https URL by GET and seals what came, a page's text among it. Call it for a URL "
			"that the user gave you or that your task clearly needs; a URL that you learned from an answer "
			"may have been put there by somebody, and is verified first.",
		.example = "\"url\": \"https://example.com/agenda\", \"reason\": \"The user asked when the meeting on "
			   "this agenda is.\"",
	},
	{
		.name = "comm.query",
		PARAMETERS(query_has),
		.permit = KH_PERMIT_DATABASES | KH_PERMIT_STATEMENTS,
		.risk = KH_RISK_MODERATE,
		.outbound = KH_OUTBOUND_BY_DATABASE,
		.time = KH_TIME_NETWORK,
		.title = "Ask a database",
		.about = "ask a database, and seal the rows",
		.says = "Runs one read-only statement on a database that the user has configured, and seals the rows. "
			"`statement` is the name of a configured statement; SQL of your own if the policy allows "
			"that. Values go into `params`, never into the statement's text.",
		.example = "\"database\": \"orders\", \"statement\": \"orders_of_customer\", \"params\": [4711], "
			   "\"reason\": \"The user asked which orders of customer 4711 are open.\"",
	},
	{
		.name = "comm.read",
		PARAMETERS(read_has),
		.permit = KH_PERMIT_PATHS,
		.risk = KH_RISK_MODERATE,
		.outbound = KH_OUTBOUND_NEVER,
		.time = KH_TIME_FILE,
		.title = "Read a file",
		.about = "read a file, and seal it",
		.says = "Reads one file below a folder that the policy names, and seals its text. Call it for a file "
			"that the user has named; for files that you would have to look for, use comm_search with "
			"scope internal.",
		.example = "\"path\": \"/srv/documents/minutes/2026-03-19.txt\", \"reason\": \"The user asked who took "
			   "part in this meeting.\"",
	},
	{
		.name = "comm.exec",
		PARAMETERS(exec_has),
		.permit = KH_PERMIT_COMMANDS,
		.risk = KH_RISK_HIGH,
		.effects = KH_EFFECT_CHANGE,
		.outbound = KH_OUTBOUND_NEVER,
		.time = KH_TIME_TOTAL,
		.title = "Run a configured command",
		.about = "run a configured command, and seal its output",
		.says = "Runs one of the commands that the policy names, in a sandbox, without a shell, and seals what "
			"it wrote. `command` is the configured name, `args` the values of its placeholders. It can "
			"have effects, so a human is asked as a rule.",
		.example = "\"command\": \"disk_usage\", \"args\": [\"/srv\"], \"reason\": \"The user asked how full "
			   "the server's disk is.\"",
	},
	{
		.name = "comm.resource",
		PARAMETERS(resource_has),
		.permit = KH_PERMIT_PATTERNS,
		.risk = KH_RISK_HIGH, /* as a tool of the same server: unless the policy says more */
		.effects = KH_EFFECT_CHANGE,
		.outbound = KH_OUTBOUND_BY_TIER,
		.time = KH_TIME_TOTAL,
		.title = "Read a resource of a server",
		.about = "read a resource of an upstream server, and seal it",
		.says = "Reads one resource of an upstream MCP server and seals what came. There is no list of "
			"resources: call it for a URI that the user gave you or that your task clearly needs. If the "
			"server has a tool for the same, use the tool.",
		.example =
			"\"server\": \"files\", \"uri\": \"file:///srv/docs/plan.txt\", \"reason\": \"The user asked "
			"what this plan says about March.\"",
	},
	{
		.name = "comm.mcp",
		.permit = KH_PERMIT_PATTERNS,
		.risk = KH_RISK_HIGH, /* I2: unless the policy says more */
		.effects = KH_EFFECT_CHANGE,
		.outbound = KH_OUTBOUND_BY_TIER,
		.time = KH_TIME_TOTAL,
		.is_upstream = true,
	},
};

const struct kh_operations kh_operations_own = {rows, COUNT(rows)};
