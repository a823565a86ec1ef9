/*
 * The frame of a command that works on a user's own Keyhole: reads its options, opens the home, finds the token, runs
 * the command, closes, and says what went wrong.
 *
 * A command is a row of the table in commands.c and a function that is its `run`:
 *
 *     int kh_tasks_close(struct kh_frame *f) { ... kh_frame_call(f, kh_task_close_run, &call) ... }
 *
 * Exit status: 0 done; 1 done as asked, but without the hoped-for outcome (a query that was not delivered); 2 not
 * usable, refused or failed: the reason is on standard error, or with --json as {"error":{...}} on standard output.
 */
#ifndef KH_CLI_FRAME_H
#define KH_CLI_FRAME_H

#include "cli/option.h"
#include "cli/remote.h"
#include "cli/terminal.h"
#include "home/home.h"

#include <signal.h>

#define KH_FRAME_DONE     0
#define KH_FRAME_NOT      1
#define KH_FRAME_UNUSABLE 2

#define KH_FRAME_TEXT ((size_t)256 << 20) /* the most bytes that a command writes */

struct kh_frame;

/* Runs a command; returns the exit status. */
typedef int kh_frame_fn(struct kh_frame *f);

/* Where a command stands in the list that `keyhole --help` prints. */
enum kh_frame_section { KH_FRAME_BEGIN, KH_FRAME_HOME, KH_FRAME_OFFLINE, KH_FRAME_TOOLS };

struct kh_frame_command {
	const char *name;  /* "task open" */
	const char *brief; /* a line of the list of commands; NULL: not in it */
	enum kh_frame_section section;
	const char *usage;      /* what follows the name: "[OPTION...] [TITLE]" */
	const char *about;      /* what it does; lines that end in a newline */
	const char *status;     /* on exit statuses, in lines; NULL: the default */
	const char *units;      /* what is said before that; NULL: nothing */
	int least, most;        /* arguments */
	bool without_home;      /* opens nothing itself */
	bool without_token;     /* calls without a token */
	bool is_over;           /* runs over a gateway too (--url), by kh_frame_call() alone */
	const char *only_there; /* why it does not, and what to do; NULL: it has no --url, or runs */
	bool waits;             /* for signals: they are blocked before there is any thread (kh_frame_signals) */
	bool is_tool;           /* has only its own options, before its arguments; its messages are text */
	enum kh_home_use use;
	enum kh_role role;               /* whose token it uses by default */
	const struct kh_option *options; /* its own */
	size_t option_count;
	size_t size; /* of its arguments, which these options fill */
	kh_frame_fn *run;
	int unusable; /* exit status if it is not usable; 0: KH_FRAME_UNUSABLE */
	/* An offline command has these in place of all but the name and the list (offline.h). */
	enum kh_command offline;
	const char *reads; /* NULL: it is not one */
};

struct kh_frame {
	const struct kh_frame_command *command;
	void *args;       /* the command's own, zero if not given */
	const void *with; /* what the program adds to the command; NULL: nothing */
	struct kh_home_options options;
	bool help;
	char **words; /* arguments that are not options */
	int count;
	struct kh_arena arena; /* of the command */
	struct kh_home home;
	struct kh_remote_options gateway;
	struct kh_remote *remote; /* the gateway that is called; NULL: the home's engine is */
	struct kh_token_claim token;
	struct kh_error err; /* why it failed: kh_frame_fail() reports it */
	struct kh_terminal *out, *errors;
	bool has_colour; /* standard output is a terminal that supports it */
};

/* Runs a command; the frame adds the options --home, --token-file, --json and --help, and if it can be run over a
 * gateway --url and --ca.  WITH: for the command, or NULL.
 * ARGV[0] is the command's last word.  Returns the exit status. */
int kh_frame_main(const struct kh_frame_command *command, const void *with, int argc, char **argv);

/* Returns the signals that end a command: SIGINT, SIGTERM, SIGHUP. */
sigset_t kh_frame_signals(void);

/* The same, but for those that our parent wants ignored: nohup(1), a shell's background jobs. */
sigset_t kh_frame_heeded(void);

/* Calls an operation of the engine with the command's token, at home or at the gateway; the second one with memory of
 * ARENA. */
enum kh_err kh_frame_call(struct kh_frame *f, kh_engine_fn *fn, void *call) KH_CHECKED;
enum kh_err kh_frame_call_in(struct kh_frame *f, struct kh_arena *arena, kh_engine_fn *fn, void *call) KH_CHECKED;

/* Closes the home.  What the command did is durable: what cannot be done now is a warning. */
void kh_frame_close(struct kh_frame *f);

/* Writes text to standard output or error; on a terminal, control characters are escaped.  False: it cannot be
 * written. */
bool kh_frame_say(struct kh_frame *f, struct kh_view text);
bool kh_frame_note(struct kh_frame *f, struct kh_view text);

/* Writes a line of JSON: a text that is JSON already, or an object.  Returns the exit status. */
int kh_frame_json(struct kh_frame *f, struct kh_view json);
int kh_frame_object(struct kh_frame *f, yyjson_mut_val *object);

/* Writes {KEY: LIST} in the same way, because the output of a command is always one object. */
int kh_frame_list(struct kh_frame *f, const char *key, yyjson_mut_doc *doc, yyjson_mut_val *list);

/* Calls an operation whose result is JSON, at JSON in CALL, and writes it: as it is with --json, else as PRINT formats
 * it.  Returns the exit status. */
int kh_frame_show(struct kh_frame *f, kh_engine_fn *fn, void *call, const struct kh_view *json,
		  void (*print)(struct kh_buf *buf, yyjson_val *value));

/* A member of a small object. */
struct kh_frame_pair {
	const char *key;
	struct kh_view text; /* empty: left out */
};

/* Writes an object of texts: KH_FRAME_PAIRS(f, {"task", id}, {"state", state}).  Returns the exit status. */
#define KH_FRAME_PAIRS(f, ...) kh_frame_pairs((f), (const struct kh_frame_pair[]){__VA_ARGS__, {NULL, {NULL, 0}}})
int kh_frame_pairs(struct kh_frame *f, const struct kh_frame_pair *pairs);

/* Calls an operation that gives nothing back; then writes PAIRS with --json, and nothing without.  Returns the exit
 * status. */
#define KH_FRAME_DO(f, fn, call, ...) \
	kh_frame_do((f), (fn), (call), (const struct kh_frame_pair[]){__VA_ARGS__, {NULL, {NULL, 0}}})
int kh_frame_do(struct kh_frame *f, kh_engine_fn *fn, void *call, const struct kh_frame_pair *pairs);

/* Returns the exit status of a command that has written its result with STATUS: if it is not the one that was hoped
 * for, KH_FRAME_NOT. */
int kh_frame_outcome(int status, bool is_hoped);

/* Returns an empty buffer for what a command writes, and writes what BUF has, and ends.  Returns the exit status. */
struct kh_buf kh_frame_buf(struct kh_frame *f);
int kh_frame_text(struct kh_frame *f, const struct kh_buf *buf);

/* Reports f->err, or that there is no memory; returns the exit status. */
int kh_frame_fail(struct kh_frame *f);
int kh_frame_fail_memory(struct kh_frame *f);

/* Reports input that is not usable: KH_FRAME_REFUSE(f, code, format, ...).  Returns the exit status. */
#define KH_FRAME_REFUSE(f, ...) ((void)kh_error_set(&(f)->err, KH_EINPUT, __VA_ARGS__), kh_frame_fail(f))

/* Reads all of the file that an argument names, "-" for standard input, at most LIMIT bytes. */
enum kh_err kh_frame_input(struct kh_frame *f, const char *name, size_t limit, struct kh_view *ret_text) KH_CHECKED;

/* The same, for a file of JSON. */
enum kh_err kh_frame_input_json(struct kh_frame *f, const char *name, size_t limit, yyjson_val **ret_root) KH_CHECKED;

#endif
