/* keyhole: finds the command that was asked for and runs it.  Exit status: 0 done, 2 not usable; nothing else, ever. */
#include "cli/offline.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define UNUSABLE 2

static const struct command {
	const char *group, *name; /* NAME is NULL where the group is the command */
	enum kh_command command;
	const char *reads, *about;
} commands[] = {
	{"bcp", "check", KH_BCP_CHECK, "a query", "check a query and count its bits"},
	{"bcp", "validate", KH_BCP_VALIDATE, "{\"query\":{...},\"response\":{...}}",
	 "judge a Reader's response: deliver, hold or reject"},
	{"block", "render", KH_BLOCK_RENDER, "{\"blocks\":[...]}", "write blocks as XML"},
	{"block", "parse", KH_BLOCK_PARSE, "{\"xml\":\"...\"}", "read blocks from XML"},
	{"block", "taint", KH_BLOCK_TAINT, "{\"blocks\":[...],\"of\":\"b004\"}", "find all that influenced a block"},
	{"screen", NULL, KH_SCREEN, "{\"text\":\"...\"}", "find instructions, hidden text and encodings"},
	{"fence", "wrap", KH_FENCE_WRAP, "{\"content\":...,\"source\":...,\"operation\":...,\"session_id\":...}",
	 "fence external content and attribute it"},
	{"fence", "unwrap", KH_FENCE_UNWRAP, "what wrap wrote", "give the content back, or say that it was changed"},
	{"comm", "check", KH_COMM_CHECK, "a declaration", "check a declaration of external I/O"},
	{"policy", "explain", KH_POLICY_EXPLAIN, "{\"policy\":\"path\",\"request\":{...}}",
	 "say what a policy decides, by which rule, and why"},
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

static int print_usage(FILE *out)
{
	fputs("usage: keyhole COMMAND [--batch]\n"
	      "\n"
	      "An information-flow gateway for AI agents; in this version its offline commands.\n"
	      "Each reads one JSON object on stdin and writes one on a line of stdout.\n"
	      "\n",
	      out);
	for (size_t i = 0; i < COMMANDS; i++) {
		char name[32];
		snprintf(name, sizeof(name), "%s%s%s", commands[i].group, commands[i].name ? " " : "",
			 commands[i].name ? commands[i].name : "");
		fprintf(out, "  %-14s  %s\n", name, commands[i].about);
	}
	fputs("\n"
	      "  --batch    read JSON Lines, write one line for each\n"
	      "  --json     write JSON (these commands always do)\n"
	      "  --rules    with screen: list the rules\n"
	      "  --help     this, or with a command what it reads and writes\n"
	      "  --version  the version\n"
	      "\n"
	      "Exit status: 0 done, whatever the verdict; 2 the input was not usable.\n"
	      "See keyhole(1).\n",
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
		if (o->count == (c->name ? 2 : 1) && strcmp(o->words[0], c->group) == 0 &&
		    (c->name == NULL || strcmp(o->words[1], c->name) == 0))
			return c;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct options o = {0};
	char name[32];

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
