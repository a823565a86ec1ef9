/*
 * keyhole: finds the command that was asked for and runs it.
 *
 * The offline commands share their options and always end with 0 (done) or 2 (not usable).  The others read their own
 * arguments and have their own exit statuses.
 */
#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/comms.h"
#include "cli/offline.h"
#include "core/comm/operations.h"
#include "executor/executor.h"
#include "executor/workers.h"
#include "outside/spawner.h"
#include "sandbox/harm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define UNUSABLE 2

/* Returns the exit status after writing to OUT; a failed write is always reported. */
static int written(FILE *out)
{
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	fprintf(stderr, "keyhole: writing: %s\n", strerror(errno));
	return UNUSABLE;
}

/* Returns the first word of a command's name, or the one after it; empty: it has none. */
static struct kh_view word_of(const struct kh_frame_command *c, int which)
{
	struct kh_view rest = kh_view_str(c->name), word = rest;

	kh_view_split(&rest, ' ', &word);
	return which == 0 ? word : rest;
}

static bool is_each(const struct kh_frame_command *c)
{
	return kh_view_eq(word_of(c, 1), KH_LIT(KH_COMMANDS_EACH));
}

static bool is_of(const struct kh_frame_command *c, const char *group)
{
	return word_of(c, 1).n > 0 && kh_view_eq(word_of(c, 0), kh_view_str(group));
}

static void print_entry(FILE *out, const char *before, const struct kh_frame_command *c)
{
	struct kh_view group = word_of(c, 0);

	if (!is_each(c))
		fprintf(out, "  %s%-17s  %s\n", before, c->name, c->brief);
	for (size_t i = 0; is_each(c) && i < kh_operations_own.n; i++) {
		const struct kh_operation *row = &kh_operations_own.at[i];
		char words[32];
		snprintf(words, sizeof(words), "%.*s %s", KH_FMT(group), kh_operation_short(kh_view_str(row->name)).p);
		if (!row->is_upstream)
			fprintf(out, "  %s%-17s  %s\n", before, words, row->about);
	}
}

static int print_usage(FILE *out)
{
	static const char *const titles[] = {
		[KH_FRAME_BEGIN] = "usage: keyhole COMMAND [OPTION...]\n"
				   "\n"
				   "An information-flow gateway for AI agents.\n"
				   "\n"
				   "Begin here:\n",
		[KH_FRAME_HOME] = "Work with your own Keyhole, in a home folder:\n",
		[KH_FRAME_OFFLINE] =
			"Offline commands: each reads one JSON object on stdin and writes one on a line of stdout.\n",
		[KH_FRAME_TOOLS] = "  --batch    read JSON Lines, write one line for each\n"
				   "  --json     write JSON (these commands always do)\n"
				   "  --rules    with screen: list the rules\n"
				   "  --help     this, or with a command how it is used\n"
				   "  --version  the version\n"
				   "\n"
				   "Their exit status: 0 done, whatever the verdict; 2 the input was not usable.\n"
				   "\n"
				   "Tools that need no home folder; each has its own options and exit statuses:\n",
	};

	for (size_t section = 0; section < sizeof(titles) / sizeof(titles[0]); section++) {
		fprintf(out, "%s\n", titles[section]);
		for (size_t i = 0; i < kh_commands_count; i++)
			if (kh_commands[i].brief != NULL && kh_commands[i].section == section)
				print_entry(out, "", &kh_commands[i]);
		fputs("\n", out);
	}
	fputs("`keyhole COMMAND --help` says more.  See also keyhole(1), keyhole-serve(1), keyhole-mcp(1) and "
	      "keyhole-home(1).\n",
	      out);
	return out == stderr ? UNUSABLE : written(out);
}

static int print_help(const struct kh_frame_command *c)
{
	printf("usage: keyhole %s [--batch]\n\n%s.\n\nReads:  %s\nWrites: one JSON object on one line; see "
	       "keyhole(1).\n",
	       c->name, c->brief, c->reads);
	return written(stdout);
}

struct options {
	bool batch, help, version, rules;
	char *words[3]; /* from 1 on, as in ARGV */
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
			o->words[++o->count] = argv[i];
		else if (strcmp(argv[i], "--json") != 0)
			o->wrong = argv[i];
	}
}

/* Says that there is no BEFORE WORD, and names the nearest one.  WORD is escaped, because it may contain anything. */
static void print_no(const char *what, const char *before, const char *word, const struct kh_nearest *near)
{
	struct kh_arena arena;

	kh_arena_init(&arena, NULL, 4096);
	struct kh_view quoted = kh_arena_quote(&arena, kh_view_str(word)), bare = {NULL, 0};
	if (quoted.n >= 2)
		bare = kh_view_sub(quoted, 1, quoted.n - 1); /* without its quotation marks */
	fprintf(stderr, "keyhole: there is %s '%s%.*s'", what, before, KH_FMT(bare));
	if (near->name.n > 0)
		fprintf(stderr, "; did you mean '%s%.*s'?", before, KH_FMT(near->name));
	fputs("\n", stderr);
	kh_arena_done(&arena);
}

/* There is no command GROUP, or, if NAME is not NULL, no command NAME in GROUP. */
static void print_unknown(const char *group, const char *name)
{
	struct kh_nearest near;
	char before[64] = "";

	kh_nearest_begin(&near, kh_view_str(name != NULL ? name : group));
	for (size_t i = 0; i < kh_commands_count; i++) {
		const struct kh_frame_command *c = &kh_commands[i];
		if (c->brief == NULL || (name != NULL && !is_of(c, group)))
			continue;
		if (name == NULL || !is_each(c))
			kh_nearest_try(&near, word_of(c, name != NULL));
		for (size_t n = 0; name != NULL && is_each(c) && n < kh_operations_own.n; n++)
			kh_nearest_try(&near, kh_operation_short(kh_view_str(kh_operations_own.at[n].name)));
	}
	if (name != NULL)
		snprintf(before, sizeof(before), "%s ", group);
	print_no("no command", before, name != NULL ? name : group, &near);
}

/* Reports an argument that the program itself, or an offline command, does not accept. */
static int refuse_argument(const char *argument)
{
	static const char *const known[] = {"--batch", "--help", "--json", "--rules", "--version"};
	struct kh_nearest near;

	kh_nearest_begin(&near, kh_view_str(argument));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		kh_nearest_try(&near, kh_view_str(known[i]));
	print_no(argument[0] == '-' ? "no option" : "an argument too many:", "", argument, &near);
	fputs("`keyhole --help` lists the commands and their options.\n", stderr);
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

	for (size_t i = 0; i < kh_commands_count; i++)
		any = any || is_of(&kh_commands[i], group);
	if (any && word != NULL && word[0] != '-')
		print_unknown(group, word);
	if (any)
		fprintf(out, "usage: keyhole %s COMMAND [OPTION...]\n\n", group);
	for (size_t i = 0; any && i < kh_commands_count; i++)
		if (is_of(&kh_commands[i], group))
			print_entry(out, "keyhole ", &kh_commands[i]);
	*ret_status = is_help ? written(stdout) : UNUSABLE;
	return any;
}

/* Runs what the arguments name, if that is not a command of the frame: an offline command, --help, --version. */
static int run_other(int argc, char **argv)
{
	struct options o = {0};
	int words;

	read_options(argc, argv, &o);
	const struct kh_frame_command *c = kh_commands_find(o.count + 1, o.words, &words);
	if (c != NULL && (c->reads == NULL || words != o.count))
		c = NULL;
	if (c == NULL && argc > 1 && print_group(argv[1], argc > 2 ? argv[2] : NULL, &words))
		return words;
	if (c == NULL && o.count > 0 && !o.help) {
		print_unknown(o.words[1], NULL);
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
	if (o.rules && (c->offline != KH_SCREEN || o.batch))
		return refuse_rules();
	return kh_offline_run(o.rules ? KH_SCREEN_RULES : c->offline, c->name, o.batch);
}

static int spawner(void)
{
	int e = kh_harm_refuse();

	if (e == 0)
		return kh_spawner_main();
	fprintf(stderr, "keyhole: spawner: seccomp: %s\n", strerror(e));
	return 1;
}

int main(int argc, char **argv)
{
	int words;

	/* Three commands that only keyhole itself starts; each finds its channel as a descriptor. */
	if (argc > 1 && strcmp(argv[1], "executor") == 0)
		return argc == 2 ? kh_executor_main() : UNUSABLE;
	if (argc > 1 && strcmp(argv[1], "spawner") == 0)
		return argc == 2 ? spawner() : UNUSABLE;
	if (argc > 1 && strcmp(argv[1], "worker") == 0)
		return argc == 3 ? kh_workers_main(argv[2]) : UNUSABLE;
	const struct kh_frame_command *c = kh_commands_find(argc, argv, &words);
	if (c == NULL || c->reads != NULL)
		return run_other(argc, argv);
	if (is_each(c))
		return kh_comms_main(c, argc - words, argv + words);
	return kh_frame_main(c, NULL, argc - words, argv + words);
}
