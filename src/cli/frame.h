/*
 * The frame of a command that works on a user's own Keyhole: reads its options, opens the home, finds the token, runs
 * the command, closes, and says what went wrong.
 *
 *     static int run(struct kh_frame *f) { ... kh_engine_call(f->home.engine, f->token, ...) ... }
 *     static const struct kh_frame_command command = {.name = "task open", ..., .run = run};
 *     int kh_tasks_open_main(int argc, char **argv)
 *     {
 *             struct arguments a = {0};
 *             const struct kh_option own[] = {{"--bits", "N", "...", .number = &a.bits}};
 *             return kh_frame_main(&command, own, 1, &a, argc, argv);
 *     }
 *
 * Exit status: 0 done; 1 done as asked, but without the hoped-for outcome (a query that was not delivered); 2 not
 * usable, refused or failed: the reason is on standard error, or with --json as {"error":{...}} on standard output.
 */
#ifndef KH_CLI_FRAME_H
#define KH_CLI_FRAME_H

#include "cli/option.h"
#include "cli/terminal.h"
#include "home/home.h"

#define KH_FRAME_DONE     0
#define KH_FRAME_NOT      1
#define KH_FRAME_UNUSABLE 2

#define KH_FRAME_OPTIONS 16                  /* a command's own */
#define KH_FRAME_TEXT    ((size_t)256 << 20) /* the most bytes that a command writes */

struct kh_frame;

struct kh_frame_command {
	const char *name;   /* "task open" */
	const char *usage;  /* what follows the name: "[OPTION...] [TITLE]" */
	const char *about;  /* what it does; lines that end in a newline */
	const char *status; /* a line on exit statuses; NULL: the default */
	int least, most;    /* arguments */
	bool without_home;  /* opens nothing itself */
	bool without_token; /* calls without a token */
	enum kh_home_use use;
	enum kh_role role; /* whose token it uses by default */
	int (*run)(struct kh_frame *f);
};

struct kh_frame {
	const struct kh_frame_command *command;
	void *args; /* the command's own */
	struct kh_home_options options;
	bool help;
	char **words; /* arguments that are not options */
	int count;
	struct kh_arena arena; /* of the command */
	struct kh_home home;
	struct kh_token_claim token;
	struct kh_error err; /* why it failed: kh_frame_fail() reports it */
	struct kh_terminal *out, *errors;
	bool has_colour; /* standard output is a terminal that supports it */
};

/* OWN are the command's own options; the frame adds --home, --token-file, --json and --help.  Returns the exit
 * status. */
int kh_frame_main(const struct kh_frame_command *command, const struct kh_option *own, size_t own_count, void *args,
		  int argc, char **argv);

/* Writes text to standard output or error; on a terminal, control characters are escaped.  False: it cannot be
 * written. */
bool kh_frame_say(struct kh_frame *f, struct kh_view text);
bool kh_frame_note(struct kh_frame *f, struct kh_view text);

/* Writes a line of JSON: a text that is JSON already, or an object.  Returns the exit status. */
int kh_frame_json(struct kh_frame *f, struct kh_view json);
int kh_frame_object(struct kh_frame *f, yyjson_mut_val *object);

/* Writes {KEY: LIST} in the same way, because the output of a command is always one object. */
int kh_frame_list(struct kh_frame *f, const char *key, yyjson_mut_doc *doc, yyjson_mut_val *list);

/* Writes JSON from an operation: as it is with --json, else as PRINT formats it.  Returns the exit status. */
int kh_frame_show(struct kh_frame *f, struct kh_view json, int (*print)(struct kh_frame *f, yyjson_val *value));

/* Writes what BUF has, and ends.  Returns the exit status. */
int kh_frame_text(struct kh_frame *f, const struct kh_buf *buf);

/* Reports f->err; returns the exit status. */
int kh_frame_fail(struct kh_frame *f);

/* Reads all of the file that an argument names, "-" for standard input, at most LIMIT bytes. */
enum kh_err kh_frame_input(struct kh_frame *f, const char *name, size_t limit, struct kh_view *ret_text) KH_CHECKED;

#endif
