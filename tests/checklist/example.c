/* The examples. */
#include "example.h"
#include "core/comm/operations.h"

#include <string.h>

static const struct example examples[] = {
	{.operation = "comm.search",
	 .parameters = "{\"query\":\"Product X pricing 2026\",\"scope\":\"internal\",\"limit\":5}",
	 .renamed = "internal_search",
	 .source = "index",
	 .bad = {{"{}", "missing"},
		 {"{\"query\":\"\"}", "empty"},
		 {"{\"query\":\"Product X pricing\",\"scope\":\"everything\"}", "bad_value"},
		 {"{\"query\":\"Product X pricing\",\"limit\":0}", "out_of_range"},
		 {"{\"query\":\"Product X pricing\",\"engine\":\"other\"}", "unknown_member"},
		 {"{\"query\":[\"Product X pricing\"]}", "wrong_type"}}},
	{.operation = "comm.fetch",
	 .parameters = "{\"url\":\"https://example.com/api/data\"}",
	 .renamed = "http_get",
	 .source = "https://example.com/api/data",
	 .bad = {{"{}", "missing"},
		 {"{\"url\":\"http://example.com/\"}", "bad_url"},
		 {"{\"url\":\"https://user:secret@example.com/\"}", "bad_url"},
		 {"{\"url\":\"file:///etc/passwd\"}", "bad_url"},
		 {"{\"url\":\"https://example.com/\",\"method\":\"POST\"}", "unknown_member"},
		 {"{\"url\":7}", "wrong_type"}}},
	{.operation = "comm.query",
	 .parameters = "{\"database\":\"sales\",\"statement\":\"prices_by_product\",\"params\":[\"X\"]}",
	 .renamed = "sql",
	 .source = "sales",
	 .bad = {{"{\"statement\":\"prices_by_product\"}", "missing"},
		 {"{\"database\":\"../sales\",\"statement\":\"prices_by_product\"}", "bad_name"},
		 {"{\"database\":\"sales\",\"statement\":\"\"}", "empty"},
		 {"{\"database\":\"sales\",\"statement\":\"prices_by_product\",\"params\":[[1]]}", "wrong_type"},
		 {"{\"database\":\"sales\",\"statement\":\"prices_by_product\",\"attach\":\"x\"}", "unknown_member"},
		 {"{\"database\":\"sales\",\"statement\":\"prices_by_product\",\"params\":\"X\"}", "wrong_type"}}},
	{.operation = "comm.read",
	 .parameters = "{\"path\":\"/srv/docs/prices.txt\"}",
	 .renamed = "open_file",
	 .source = "/srv/docs/prices.txt",
	 .bad = {{"{}", "missing"},
		 {"{\"path\":\"/srv/docs/../../etc/passwd\"}", "bad_path"},
		 {"{\"path\":\"../etc/passwd\"}", "bad_path"},
		 {"{\"path\":\"/srv/docs/a\\u0000b\"}", "bad_path"},
		 {"{\"path\":\"\"}", "empty"},
		 {"{\"path\":\"/srv/docs/prices.txt\",\"write\":true}", "unknown_member"}}},
	{.operation = "comm.exec",
	 .parameters = "{\"command\":\"count_words\",\"args\":[\"prices.txt\"]}",
	 .renamed = "os.system",
	 .source = "count_words",
	 .bad = {{"{}", "missing"},
		 {"{\"command\":\"cat /etc/passwd\"}", "bad_command"},
		 {"{\"command\":\"wc;id\"}", "bad_command"},
		 {"{\"command\":\"$(id)\"}", "bad_command"},
		 {"{\"command\":\"count_words\",\"args\":\"prices.txt\"}", "wrong_type"},
		 {"{\"command\":\"count_words\",\"shell\":true}", "unknown_member"}}},
	{.operation = "comm.resource",
	 .parameters = "{\"server\":\"files\",\"uri\":\"note:///prices\"}",
	 .renamed = "resources/read",
	 .source = "files: note:///prices",
	 .bad = {{"{\"uri\":\"note:///prices\"}", "missing"},
		 {"{\"server\":\"../files\",\"uri\":\"note:///prices\"}", "bad_name"},
		 {"{\"server\":\"files\",\"uri\":\"/srv/docs/prices.txt\"}", "bad_uri"},
		 {"{\"server\":\"files\",\"uri\":\"file:///srv/docs/%2e%2E/secret\"}", "bad_uri"},
		 {"{\"server\":\"files\",\"uri\":{\"$block\":\"b0123456789abcdef\"}}", "wrong_type"},
		 {"{\"server\":\"files\",\"uri\":\"note:///prices\",\"subscribe\":true}", "unknown_member"}}},
	{.operation = "comm.mcp.files.read_file",
	 .parameters = "{\"path\":\"prices.txt\"}",
	 .renamed = "mcp.files.read_file",
	 .source = "files",
	 .bad = {{"[]", "wrong_type"}, {"\"prices.txt\"", "wrong_type"}, {"null", "wrong_type"}}},
};

const struct example *example_of(const struct kh_operation *operation)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		struct kh_view name = kh_view_str(examples[i].operation);
		struct kh_view begins = kh_view_sub(name, 0, strlen(operation->name));

		if (operation->is_upstream ? kh_view_eq(begins, kh_view_str(operation->name))
					   : kh_view_eq(name, kh_view_str(operation->name)))
			return &examples[i];
	}
	return NULL;
}

struct kh_view example_declaration(struct kh_arena *arena, const struct example *example, const char *session,
				   const char *part)
{
	const char *without = part != NULL ? part : "";
	bool operation = strcmp(without, "operation") != 0, parameters = strcmp(without, "parameters") != 0,
	     justification = strcmp(without, "justification") != 0;

	return kh_arena_printf(arena, "{%s%s%s%s%s%s%s\"phase\":\"execution\",\"session_id\":\"%s\"}",
			       operation ? "\"operation\":\"" : "", operation ? example->operation : "",
			       operation ? "\"," : "", parameters ? "\"parameters\":" : "",
			       parameters ? example->parameters : "", parameters ? "," : "",
			       justification ? "\"justification\":" EXAMPLE_JUSTIFICATION "," : "", session);
}

struct kh_view example_with(struct kh_arena *arena, const char *operation, const char *parameters, const char *session)
{
	struct example other = {.operation = operation, .parameters = parameters};

	return example_declaration(arena, &other, session, NULL);
}
