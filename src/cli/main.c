/*
 * keyhole: finds the command that was asked for and runs it.
 *
 * The offline commands share their options and end with 0 (done) or 2 (not usable) and nothing else, ever.  The others
 * read their own arguments and have their own exit statuses.
 */
#include "cli/doctor.h"
#include "cli/offline.h"
#include "cli/sandbox_fetch.h"
#include "cli/sandbox_run.h"
#include "exec/executor.h"
#include "exec/worker.h"

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
	return argc == 2 ? kh_worker_main(argv[1]) : UNUSABLE;
}

static const struct command {
	const char *group, *name; /* NAME is NULL where the group is the command */
	const char *about;        /* NULL: not for users */
	enum kh_command command;
	const char *reads;                  /* NULL: not an offline command */
	int (*main)(int argc, char **argv); /* of those; ARGV[0] is the command's last word */
} commands[] = {
	{"bcp", "check", "check a query and count its bits", KH_BCP_CHECK, "a query", NULL},
	{"bcp", "validate", "judge a Reader's response: deliver, hold or reject", KH_BCP_VALIDATE,
	 "{\"query\":{...},\"response\":{...}}", NULL},
	{"block", "render", "write blocks as XML", KH_BLOCK_RENDER, "{\"blocks\":[...]}", NULL},
	{"block", "parse", "read blocks from XML", KH_BLOCK_PARSE, "{\"xml\":\"...\"}", NULL},
	{"block", "taint", "find all that influenced a block", KH_BLOCK_TAINT, "{\"blocks\":[...],\"of\":\"b004\"}",
	 NULL},
	{"screen", NULL, "find instructions, hidden text and encodings", KH_SCREEN, "{\"text\":\"...\"}", NULL},
	{"fence", "wrap", "fence external content and attribute it", KH_FENCE_WRAP,
	 "{\"content\":...,\"source\":...,\"operation\":...,\"session_id\":...}", NULL},
	{"fence", "unwrap", "give the content back, or say that it was changed", KH_FENCE_UNWRAP, "what wrap wrote",
	 NULL},
	{"comm", "check", "check a declaration of external I/O", KH_COMM_CHECK, "a declaration", NULL},
	{"policy", "explain", "say what a policy decides, by which rule, and why", KH_POLICY_EXPLAIN,
	 "{\"policy\":\"path\",\"request\":{...}}", NULL},
	{"sandbox", "run", "run a program in the sandbox", .main = kh_sandbox_run_main},
	{"sandbox", "fetch", "fetch a URL through the sandbox", .main = kh_sandbox_fetch_main},
	{"doctor", NULL, "try what a sandbox needs, and say what is missing", .main = kh_doctor_main},
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

static void print_commands(FILE *out, bool offline)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		char name[32];
		if (commands[i].about == NULL || offline != (commands[i].main == NULL))
			continue;
		snprintf(name, sizeof(name), "%s%s%s", commands[i].group, commands[i].name ? " " : "",
			 commands[i].name ? commands[i].name : "");
		fprintf(out, "  %-14s  %s\n", name, commands[i].about);
	}
}

static int print_usage(FILE *out)
{
	fputs("usage: keyhole COMMAND [OPTION...]\n"
	      "\n"
	      "An information-flow gateway for AI agents; in this version its rules and its sandbox.\n"
	      "\n"
	      "Offline commands: each reads one JSON object on stdin and writes one on a line of stdout.\n"
	      "\n",
	      out);
	print_commands(out, true);
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
	print_commands(out, false);
	fputs("\nSee keyhole(1) and keyhole-sandbox(1).\n", out);
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

int main(int argc, char **argv)
{
	struct options o = {0};
	char name[32];
	int words;

	const struct command *own = find_own(argc, argv, &words);
	if (own != NULL)
		return own->main(argc - words, argv + words);
	if (!read_options(argc, argv, &o))
		return print_usage(stderr);
	if (o.version) {
		printf("keyhole %s\n", kh_version());
		return written(stdout);
	}
	const struct command *c = find(&o);
	if (c == NULL)
		return print_usage(o.help ? stdout : stderr);
	if (o.help)
		return print_help(c);
	if (o.rules && (c->command != KH_SCREEN || o.batch))
		return print_usage(stderr);
	snprintf(name, sizeof(name), "%s%s%s", c->group, c->name ? " " : "", c->name ? c->name : "");
	return kh_offline_run(o.rules ? KH_SCREEN_RULES : c->command, name, o.batch);
}
