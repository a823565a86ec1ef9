/*
 * keyhole: finds the command that was asked for and runs it.
 *
 * The offline commands share their options and always end with 0 (done) or 2 (not usable).  The others read their own
 * arguments and have their own exit statuses.
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
#include "cli/nearest.h"
#include "cli/offline.h"
#include "cli/policies.h"
#include "cli/prompts.h"
#include "cli/queries.h"
#include "cli/sandbox_fetch.h"
#include "cli/sandbox_run.h"
#include "cli/serve.h"
#include "cli/taskgraph.h"
#include "cli/tasks.h"
#include "cli/tokens.h"
#include "cli/tour/tour.h"
#include "core/comm/operations.h"
#include "executor/executor.h"
#include "executor/workers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define UNUSABLE 2

/* Two commands that only keyhole itself starts; each finds its channel as a descriptor. */
static int executor_main(int argc, char **argv)
{
	(void)argv;
	return argc == 1 ? kh_executor_main() : UNUSABLE;
}

static int worker_main(int argc, char **argv)
{
	return argc == 2 ? kh_workers_main(argv[1]) : UNUSABLE;
}

/* The name of an entry that stands for the commands of all external operations: their rows have names and words. */
#define EACH "*"

/* The section of a command in the list that `keyhole --help` prints; the table is in the same order. */
enum section { BEGIN, HOME, OFFLINE, TOOLS };

static const struct command {
	const char *group, *name; /* NAME is NULL if the group is the command */
	const char *about;        /* NULL: not for users */
	enum section section;
	enum kh_command command;
	const char *reads;                  /* NULL: not an offline command */
	int (*main)(int argc, char **argv); /* of an own command; ARGV[0] is its last word */
} commands[] = {
	{"init", NULL, "make a home folder: store, configuration, tokens", BEGIN, .main = kh_init_main},
	{"serve", NULL, "run the gateway: MCP and REST over HTTP", BEGIN, .main = kh_serve_main},
	{"mcp", NULL, "MCP on standard streams, for an agent's client", BEGIN, .main = kh_mcp_main},
	{"demo", NULL, "a guided tour, in a few seconds", BEGIN, .main = kh_tour_main},
	{"doctor", NULL, "check that sandboxes work here, and say what is missing", BEGIN, .main = kh_doctor_main},
	{"task", "open", "open a task", HOME, .main = kh_tasks_open_main},
	{"task", "add", "put content into a task, sealed", HOME, .main = kh_tasks_add_main},
	{"task", "show", "show a task, its budget, what waits", HOME, .main = kh_tasks_show_main},
	{"task", "graph", "write the taint graph of a task", HOME, .main = kh_taskgraph_main},
	{"task", "list", "list tasks", HOME, .main = kh_tasks_list_main},
	{"task", "execute", "begin a task's execution with its plan", HOME, .main = kh_tasks_execute_main},
	{"task", "close", "close a task", HOME, .main = kh_tasks_close_main},
	{"query", NULL, "ask a Reader about sealed content, and wait", HOME, .main = kh_queries_main},
	{"comm", "declare", "say what a task needs from outside, and why", HOME, .main = kh_comms_show_declare_main},
	{"comm", EACH, "", HOME, .main = kh_comms_main},
	{"comm", "list", "list the external operations of a task", HOME, .main = kh_comms_show_list_main},
	{"comm", "show", "show all of an external operation, safely", HOME, .main = kh_comms_show_main},
	{"approvals", "list", "list what waits for a human", HOME, .main = kh_approvals_list_main},
	{"approvals", "watch", "follow what waits for a human", HOME, .main = kh_approvals_watch_main},
	{"approvals", "show", "show what is to be approved, safely", HOME, .main = kh_approvals_show_main},
	{"approvals", "approve", "approve what was shown", HOME, .main = kh_approvals_decide_approve_main},
	{"approvals", "reject", "reject what was shown", HOME, .main = kh_approvals_decide_reject_main},
	{"approvals", "edit", "deliver another answer in its place", HOME, .main = kh_approvals_decide_edit_main},
	{"audit", "verify", "verify the record, and with --state every row", HOME, .main = kh_audits_verify_main},
	{"audit", "tail", "show the newest events, and those to come", HOME, .main = kh_audits_trail_tail_main},
	{"audit", "show", "show an event", HOME, .main = kh_audits_trail_show_main},
	{"audit", "export", "write events as JSON Lines or CEF", HOME, .main = kh_audits_trail_export_main},
	{"audit", "checkpoint", "sign a checkpoint now", HOME, .main = kh_audits_checkpoint_main},
	{"token", "create", "make a token", HOME, .main = kh_tokens_create_main},
	{"token", "list", "list tokens, without their secrets", HOME, .main = kh_tokens_list_main},
	{"token", "revoke", "revoke a token", HOME, .main = kh_tokens_revoke_main},
	{"context", "show", "show what an agent's context has seen", HOME, .main = kh_contexts_show_main},
	{"context", "reset", "record that an agent's memory was cleared", HOME, .main = kh_contexts_reset_main},
	{"context", "add", "put a host's block into a context", HOME, .main = kh_contexts_add_main},
	{"context", "assemble", "write a context as an agent gets it", HOME, .main = kh_contexts_assemble_main},
	{"prompt", NULL, "print the prompt for a Controller or a Reader", HOME, .main = kh_prompts_main},
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
	{"policy", "test", "check a policy against expected decisions", TOOLS, .main = kh_policies_test_main},
	{"sandbox", "run", "run a program in the sandbox", TOOLS, .main = kh_sandbox_run_main},
	{"sandbox", "fetch", "fetch a URL through the sandbox", TOOLS, .main = kh_sandbox_fetch_main},
	{"executor", NULL, .main = executor_main},
	{"worker", NULL, .main = worker_main},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Returns the exit status after writing to OUT; a failed write is always reported. */
static int written(FILE *out)
{
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	fprintf(stderr, "keyhole: writing: %s\n", strerror(errno));
	return UNUSABLE;
}

static bool is_each(const struct command *c)
{
	return c->name != NULL && strcmp(c->name, EACH) == 0;
}

static bool is_called(const struct command *c, const char *word)
{
	return is_each(c) ? kh_comms_find(word) != NULL : strcmp(word, c->name) == 0;
}

static void print_command(FILE *out, const char *before, const char *group, const char *name, const char *about)
{
	char words[32];

	snprintf(words, sizeof(words), "%s%s%s", group, name ? " " : "", name ? name : "");
	fprintf(out, "  %s%-17s  %s\n", before, words, about);
}

static void print_entry(FILE *out, const char *before, const struct command *c)
{
	if (!is_each(c))
		print_command(out, before, c->group, c->name, c->about);
	for (size_t i = 0; is_each(c) && i < kh_operations_own.n; i++) {
		const struct kh_operation *row = &kh_operations_own.at[i];
		if (!row->is_upstream)
			print_command(out, before, c->group, kh_operation_short(kh_view_str(row->name)).p, row->about);
	}
}

static void print_commands(FILE *out, enum section section)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (commands[i].about != NULL && commands[i].section == section)
			print_entry(out, "", &commands[i]);
	}
}

static int print_usage(FILE *out)
{
	fputs("usage: keyhole COMMAND [OPTION...]\n"
	      "\n"
	      "An information-flow gateway for AI agents.\n"
	      "\n"
	      "Begin here:\n"
	      "\n",
	      out);
	print_commands(out, BEGIN);
	fputs("\n"
	      "Work with your own Keyhole, in a home folder:\n"
	      "\n",
	      out);
	print_commands(out, HOME);
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
	      "Tools that need no home folder; each has its own options and exit statuses:\n"
	      "\n",
	      out);
	print_commands(out, TOOLS);
	fputs("\n`keyhole COMMAND --help` says more.  See also keyhole(1), keyhole-serve(1), keyhole-mcp(1) and "
	      "keyhole-home(1).\n",
	      out);
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
	const char *wrong; /* the first argument that is neither an option nor a command's word; NULL: none */
};

static void read_options(int argc, char **argv, struct options *o)
{
	for (int i = 1; i < argc && o->wrong == NULL; i++) {
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
			o->wrong = argv[i];
	}
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

/* Returns the command that the first words name, if it reads its arguments itself. */
static const struct command *find_own(int argc, char **argv, int *ret_words)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = &commands[i];
		int words = c->name ? 2 : 1;
		if (c->main != NULL && argc > words && strcmp(argv[1], c->group) == 0 &&
		    (c->name == NULL || is_called(c, argv[2]))) {
			*ret_words = words;
			return c;
		}
	}
	return NULL;
}

/* Prints WORD for a message: escaped, because it may contain anything. */
static void print_word(const char *word)
{
	struct kh_arena arena;

	kh_arena_init(&arena, NULL, 4096);
	struct kh_view quoted = kh_arena_quote(&arena, kh_view_str(word));
	if (quoted.n >= 2)
		fprintf(stderr, "%.*s", (int)quoted.n - 2, quoted.p + 1); /* without its quotation marks */
	kh_arena_done(&arena);
}

/* There is no command GROUP, or, if NAME is not NULL, no command NAME in GROUP: says so, and names the nearest one. */
static void print_unknown(const char *group, const char *name)
{
	struct kh_nearest near;

	kh_nearest_begin(&near, kh_view_str(name != NULL ? name : group));
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = &commands[i];
		if (c->about == NULL || (name != NULL && (c->name == NULL || strcmp(c->group, group) != 0)))
			continue;
		if (name == NULL || !is_each(c))
			kh_nearest_try(&near, name != NULL ? c->name : c->group);
		for (size_t n = 0; name != NULL && is_each(c) && n < kh_operations_own.n; n++)
			kh_nearest_try(&near, kh_operation_short(kh_view_str(kh_operations_own.at[n].name)).p);
	}
	fprintf(stderr, "keyhole: there is no command '%s%s", name != NULL ? group : "", name != NULL ? " " : "");
	print_word(name != NULL ? name : group);
	fputs("'", stderr);
	if (near.name != NULL)
		fprintf(stderr, "; did you mean '%s%s%s'?", name != NULL ? group : "", name != NULL ? " " : "",
			near.name);
	fputs("\n", stderr);
}

/* Reports an argument that the program itself, or an offline command, does not accept. */
static int refuse_argument(const char *argument)
{
	static const char *const known[] = {"--batch", "--help", "--json", "--rules", "--version"};
	struct kh_nearest near;

	kh_nearest_begin(&near, kh_view_str(argument));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		kh_nearest_try(&near, known[i]);
	fputs(argument[0] == '-' ? "keyhole: there is no option '" : "keyhole: there is an argument too many: '",
	      stderr);
	print_word(argument);
	fputs("'", stderr);
	if (near.name != NULL)
		fprintf(stderr, "; did you mean '%s'?", near.name);
	fputs("\n`keyhole --help` lists the commands and their options.\n", stderr);
	return UNUSABLE;
}

static int refuse_rules(void)
{
	fputs("keyhole: --rules is an option of screen, and not together with --batch\n", stderr);
	return UNUSABLE;
}

/* If the first word is a group and the second is not one of its commands, lists the commands. */
static bool print_group(const char *group, const char *word, int *ret_status)
{
	bool is_help = word != NULL && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0), any = false;
	FILE *out = is_help ? stdout : stderr;

	for (size_t i = 0; i < COMMANDS; i++)
		any = any || (commands[i].name != NULL && strcmp(commands[i].group, group) == 0);
	if (any && word != NULL && word[0] != '-')
		print_unknown(group, word);
	if (any)
		fprintf(out, "usage: keyhole %s COMMAND [OPTION...]\n\n", group);
	for (size_t i = 0; any && i < COMMANDS; i++) {
		const struct command *c = &commands[i];
		if (strcmp(c->group, group) == 0 && c->name != NULL)
			print_entry(out, "keyhole ", c);
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
	read_options(argc, argv, &o);
	const struct command *c = find(&o);
	if (c == NULL && argc > 1 && print_group(argv[1], argc > 2 ? argv[2] : NULL, &words))
		return words;
	if (c == NULL && o.count > 0 && !o.help) {
		print_unknown(o.words[0], NULL);
		fputs("`keyhole --help` lists the commands.\n", stderr);
		return UNUSABLE;
	}
	if (o.wrong != NULL)
		return refuse_argument(o.wrong);
	if (o.version) {
		printf("keyhole %s\n", kh_version());
		return written(stdout);
	}
	if (c == NULL)
		return print_usage(o.help ? stdout : stderr);
	if (o.help)
		return print_help(c);
	if (o.rules && (c->command != KH_SCREEN || o.batch))
		return refuse_rules();
	snprintf(name, sizeof(name), "%s%s%s", c->group, c->name ? " " : "", c->name ? c->name : "");
	return kh_offline_run(o.rules ? KH_SCREEN_RULES : c->command, name, o.batch);
}
