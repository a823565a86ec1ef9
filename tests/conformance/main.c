/*
 * The gateway for the conformance suite of MCP (tests/system/conformance): Keyhole's own parts, and the tools, prompts and
 * resources that the suite asks for.  A program of the tests; it is never installed.
 *
 *     conformance serve [OPTION...]     as keyhole serve
 *     conformance --version
 *     conformance spawner, executor, worker      what it starts itself
 */
#include "cli/commands.h"
#include "conform_methods.h"
#include "conform_tools.h"
#include "executor/executor.h"
#include "executor/workers.h"
#include "outside/spawner.h"

#include <stdio.h>
#include <string.h>

static int serve(int argc, char **argv)
{
	static struct kh_mcp_method methods[KH_CONFORM_METHODS];
	struct kh_mcp_part part = {
		.methods = methods,
		.method_count = kh_conform_methods_fill(methods),
		.changes = KH_MCP_CHANGED_TOOLS | KH_MCP_CHANGED_PROMPTS | KH_MCP_CHANGED_RESOURCES,
	};

	int words;
	const struct kh_frame_command *command = kh_commands_find(argc, argv, &words);
	part.tools = kh_conform_tools_all(&part.tool_count);
	return kh_frame_main(command, &part, argc - words, argv + words);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (strcmp(word, "spawner") == 0)
		return kh_spawner_main();
	if (strcmp(word, "executor") == 0)
		return kh_executor_main();
	if (strcmp(word, "worker") == 0 && argc == 3)
		return kh_workers_main(argv[2]);
	fputs("keyhole: CONFORMANCE: it has test tools; for testing alone\n", stderr);
	if (strcmp(word, "serve") == 0)
		return serve(argc, argv);
	return strcmp(word, "--version") == 0 ? 0 : 2;
}
