/*
 * keyhole: finds the command that was asked for and runs it.
 *
 * The offline commands share their options and end with 0 (done) or 2 (not usable) and nothing else, ever.  The others
 * read their own arguments and have their own exit statuses.
 */
#include "cli/approvals.h"
#include "cli/approvals_decide.h"
#include "cli/approvals_show.h"
#include "cli/audits.h"
#include "cli/audits_trail.h"
#include "cli/comms.h"
#include "cli/comms_show.h"
#include "cli/contexts.h"
#include "cli/doctor.h"
#include "cli/init.h"
#include "cli/mcp.h"
#include "cli/offline.h"
#include "cli/policies.h"
#include "cli/prompts.h"
#include "cli/queries.h"
#include "cli/sandbox_fetch.h"
#include "cli/sandbox_run.h"
#include "cli/serve.h"
#include "cli/tasks.h"
#include "cli/tokens.h"
#include "cli/tour/tour.h"
#include "executor/executor.h"
#include "executor/workers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define UNUSABLE 2

/* The two that only keyhole itself starts; each finds its channel as a descriptor. */
static int executor_main(int argc, char **argv)
{
	(void)argv;
	return argc == 1 ? kh_executor_main() : UNUSABLE;
}

static int worker_main(int argc, char **argv)
{
	return argc == 2 ? kh_workers_main(argv[1]) : UNUSABLE;
}

/* Where a command stands in the list of them. */
enum section { OFFLINE, ENGINE, SANDBOX };

static const struct command {
	const char *group, *name; /* NAME is NULL where the group is the command */
	const char *about;        /* NULL: not for users */
	enum section section;
	enum kh_command command;
	const char *reads;                  /* NULL: not an offline command */
	int (*main)(int argc, char **argv); /* of those; ARGV[0] is the command's last word */
} commands[] = {
	{"bcp", "check", "check a query and count its bits", OFFLINE, KH_BCP_CHECK, "a query", NULL},
	{"bcp", "validate", "judge a Reader's response: deliver, hold or reject", OFFLINE, KH_BCP_VALIDATE,
	 "{\"query\":{...},\"response\":{...}}", NULL},
	{"block", "render", "write blocks as XML", OFFLINE, KH_BLOCK_RENDER, "{\"blocks\":[...]}", NULL},
	{"block", "parse", "read blocks from XML", OFFLINE, KH_BLOCK_PARSE, "{\"xml\":\"...\"}", NULL},
	{"block", "taint", "find all that influenced a block", OFFLINE, KH_BLOCK_TAINT,
	 "{\"blocks\":[...],\"of\":\"b004\"}", NULL},
	{"screen", NULL, "find instructions, hidden text and encodings", OFFLINE, KH_SCREEN, "{\"text\":\"...\"}",
	 NULL},
	{"fence", "wrap", "fence external content and attribute it", OFFLINE, KH_FENCE_WRAP,
	 "{\"content\":...,\"source\":...,\"operation\":...,\"session_id\":...}", NULL},
	{"fence", "unwrap", "give the content back, or say that it was changed", OFFLINE, KH_FENCE_UNWRAP,
	 "what wrap wrote", NULL},
	{"comm", "check", "check a declaration of external I/O", OFFLINE, KH_COMM_CHECK, "a declaration", NULL},
	{"policy", "explain", "say what a policy decides, by which rule, and why", OFFLINE, KH_POLICY_EXPLAIN,
	 "{\"policy\":\"path\",\"request\":{...}}", NULL},
	{"policy", "test", "hold a policy to expected decisions", ENGINE, .main = kh_policies_test_main},
	{"demo", NULL, "a guided tour, in a few seconds", ENGINE, .main = kh_tour_main},
	{"init", NULL, "make a home folder: store, configuration, tokens", ENGINE, .main = kh_init_main},
	{"serve", NULL, "run the gateway: MCP and REST over HTTP", ENGINE, .main = kh_serve_main},
	{"mcp", NULL, "MCP on standard streams, for an agent's client", ENGINE, .main = kh_mcp_main},
	{"task", "open", "open a task", ENGINE, .main = kh_tasks_open_main},
	{"task", "add", "put content into a task, sealed", ENGINE, .main = kh_tasks_add_main},
	{"task", "show", "show a task, its budget, what waits", ENGINE, .main = kh_tasks_show_main},
	{"task", "list", "list tasks", ENGINE, .main = kh_tasks_list_main},
	{"task", "execute", "begin a task's execution with its plan", ENGINE, .main = kh_tasks_execute_main},
	{"task", "close", "close a task", ENGINE, .main = kh_tasks_close_main},
	{"query", NULL, "ask a Reader about sealed content, and wait", ENGINE, .main = kh_queries_main},
	{"comm", "declare", "say what a task needs from outside, and why", ENGINE, .main = kh_comms_show_declare_main},
	{"comm", "search", "search, and seal what is found", ENGINE, .main = kh_comms_search_main},
	{"comm", "fetch", "fetch a URL, and seal it", ENGINE, .main = kh_comms_fetch_main},
	{"comm", "query", "ask a database, and seal the rows", ENGINE, .main = kh_comms_query_main},
	{"comm", "read", "read a file, and seal it", ENGINE, .main = kh_comms_read_main},
	{"comm", "exec", "run a configured command, and seal its output", ENGINE, .main = kh_comms_exec_main},
	{"comm", "list", "list the external operations of a task", ENGINE, .main = kh_comms_show_list_main},
	{"comm", "show", "show all of an external operation, safely", ENGINE, .main = kh_comms_show_main},
	{"approvals", "list", "list what waits for a human", ENGINE, .main = kh_approvals_list_main},
	{"approvals", "watch", "follow what waits for a human", ENGINE, .main = kh_approvals_watch_main},
	{"approvals", "show", "show what is to be approved, safely", ENGINE, .main = kh_approvals_show_main},
	{"approvals", "approve", "approve what was shown", ENGINE, .main = kh_approvals_decide_approve_main},
	{"approvals", "reject", "reject what was shown", ENGINE, .main = kh_approvals_decide_reject_main},
	{"approvals", "edit", "deliver another answer in its place", ENGINE, .main = kh_approvals_decide_edit_main},
	{"token", "create", "make a token", ENGINE, .main = kh_tokens_create_main},
	{"token", "list", "list tokens, without their secrets", ENGINE, .main = kh_tokens_list_main},
	{"token", "revoke", "revoke a token", ENGINE, .main = kh_tokens_revoke_main},
	{"context", "show", "show what an agent's context has seen", ENGINE, .main = kh_contexts_show_main},
	{"context", "reset", "say that an agent's memory was cleared", ENGINE, .main = kh_contexts_reset_main},
	{"context", "add", "put a host's block into a context", ENGINE, .main = kh_contexts_add_main},
	{"context", "assemble", "write a context as an agent gets it", ENGINE, .main = kh_contexts_assemble_main},
	{"audit", "verify", "verify the record, and with --state every row", ENGINE, .main = kh_audits_verify_main},
	{"audit", "tail", "show the newest events, and those to come", ENGINE, .main = kh_audits_trail_tail_main},
	{"audit", "show", "show an event", ENGINE, .main = kh_audits_trail_show_main},
	{"audit", "export", "write events as JSON Lines or CEF", ENGINE, .main = kh_audits_trail_export_main},
	{"audit", "checkpoint", "sign a checkpoint now", ENGINE, .main = kh_audits_checkpoint_main},
	{"prompt", NULL, "write what an agent is to be told", ENGINE, .main = kh_prompts_main},
	{"sandbox", "run", "run a program in the sandbox", SANDBOX, .main = kh_sandbox_run_main},
	{"sandbox", "fetch", "fetch a URL through the sandbox", SANDBOX, .main = kh_sandbox_fetch_main},
	{"doctor", NULL, "try what a sandbox needs, and say what is missing", SANDBOX, .main = kh_doctor_main},
	{"executor", NULL, .main = executor_main},
	{"worker", NULL, .main = worker_main},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* The exit status after writing to OUT: nothing that was lost is lost in silence. */
static int written(FILE *out)
{
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	fprintf(stderr, "keyhole: writing: %s\n", strerror(errno));
	return UNUSABLE;
}

static void print_commands(FILE *out, enum section section)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		char name[32];
		if (commands[i].about == NULL || commands[i].section != section)
			continue;
		snprintf(name, sizeof(name), "%s%s%s", commands[i].group, commands[i].name ? " " : "",
			 commands[i].name ? commands[i].name : "");
		fprintf(out, "  %-17s  %s\n", name, commands[i].about);
	}
}

static int print_usage(FILE *out)
{
	fputs("usage: keyhole COMMAND [OPTION...]\n"
	      "\n"
	      "An information-flow gateway for AI agents.  `keyhole demo` is a guided tour; `keyhole serve` is the\n"
	      "gateway.\n"
	      "\n"
	      "Your own Keyhole, in a home folder (keyhole COMMAND --help says more):\n"
	      "\n",
	      out);
	print_commands(out, ENGINE);
	fputs("\n"
	      "Offline commands: each reads one JSON object on stdin and writes one on a line of stdout.\n"
	      "\n",
	      out);
	print_commands(out, OFFLINE);
	fputs("\n"
	      "  --batch    read JSON Lines, write one line for each\n"
	      "  --json     write JSON (these commands always do)\n"
	      "  --rules    with screen: list the rules\n"
	      "  --help     this, or with a command how it is used\n"
	      "  --version  the version\n"
	      "\n"
	      "Their exit status: 0 done, whatever the verdict; 2 the input was not usable.\n"
	      "\n"
	      "The sandbox, with options and exit statuses of their own:\n"
	      "\n",
	      out);
	print_commands(out, SANDBOX);
	fputs("\nSee keyhole(1), keyhole-serve(1), keyhole-mcp(1), keyhole-home(1) and keyhole-sandbox(1).\n", out);
	return out == stderr ? UNUSABLE : written(out);
}

static int print_help(const struct command *c)
{
	printf("usage: keyhole %s%s%s [--batch]\n\n%s.\n\nReads:  %s\nWrites: one JSON object on one line; see "
	       "keyhole(1).\n",
	       c->group, c->name ? " " : "", c->name ? c->name : "", c->about, c->reads);
	return written(stdout);
}

struct options {
	bool batch, help, version, rules;
	const char *words[2];
	int count;
};

static bool read_options(int argc, char **argv, struct options *o)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--batch") == 0)
			o->batch = true;
		else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			o->help = true;
		else if (strcmp(argv[i], "--version") == 0)
			o->version = true;
		else if (strcmp(argv[i], "--rules") == 0)
			o->rules = true;
		else if (argv[i][0] != '-' && o->count < 2)
			o->words[o->count++] = argv[i];
		else if (strcmp(argv[i], "--json") != 0)
			return false;
	}
	return true;
}

static const struct command *find(const struct options *o)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = &commands[i];
		if (c->main == NULL && o->count == (c->name ? 2 : 1) && strcmp(o->words[0], c->group) == 0 &&
		    (c->name == NULL || strcmp(o->words[1], c->name) == 0))
			return c;
	}
	return NULL;
}

/* The command that the first words name, where it reads its arguments itself. */
static const struct command *find_own(int argc, char **argv, int *ret_words)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = &commands[i];
		int words = c->name ? 2 : 1;
		if (c->main != NULL && argc > words && strcmp(argv[1], c->group) == 0 &&
		    (c->name == NULL || strcmp(argv[2], c->name) == 0)) {
			*ret_words = words;
			return c;
		}
	}
	return NULL;
}

/* The first word is that of a group, and the second none of its commands: these are listed. */
static bool print_group(const char *group, const char *word, int *ret_status)
{
	bool is_help = word != NULL && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0), any = false;
	FILE *out = is_help ? stdout : stderr;

	for (size_t i = 0; i < COMMANDS; i++)
		any = any || (commands[i].section == ENGINE && commands[i].name != NULL &&
			      strcmp(commands[i].group, group) == 0);
	if (any)
		fprintf(out, "usage: keyhole %s COMMAND [OPTION...]\n\n", group);
	for (size_t i = 0; any && i < COMMANDS; i++) {
		const struct command *c = &commands[i];
		if (strcmp(c->group, group) == 0 && c->name != NULL)
			fprintf(out, "  keyhole %s %-8s  %s\n", group, c->name, c->about);
	}
	*ret_status = is_help ? written(stdout) : UNUSABLE;
	return any;
}

int main(int argc, char **argv)
{
	struct options o = {0};
	char name[32];
	int words;

	const struct command *own = find_own(argc, argv, &words);
	if (own != NULL)
		return own->main(argc - words, argv + words);
	bool read = read_options(argc, argv, &o), offline = read && find(&o) != NULL;
	if (!offline && argc > 1 && print_group(argv[1], argc > 2 ? argv[2] : NULL, &words))
		return words;
	if (!read)
		return print_usage(stderr);
	if (o.version) {
		printf("keyhole %s\n", kh_version());
		return written(stdout);
	}
	const struct command *c = find(&o);
	if (c == NULL && o.count > 0 && !o.help)
		fputs("keyhole: there is no such command\n\n", stderr);
	if (c == NULL)
		return print_usage(o.help ? stdout : stderr);
	if (o.help)
		return print_help(c);
	if (o.rules && (c->command != KH_SCREEN || o.batch))
		return print_usage(stderr);
	snprintf(name, sizeof(name), "%s%s%s", c->group, c->name ? " " : "", c->name ? c->name : "");
	return kh_offline_run(o.rules ? KH_SCREEN_RULES : c->command, name, o.batch);
}
