/* A command as a user would type it: shown, run in a process of its own with a home and a folder; its output is
 * shown as it is and kept.  For the tour. */
#ifndef KH_CLI_TOUR_TYPED_H
#define KH_CLI_TOUR_TYPED_H

#include "base/error.h"
#include "cli/terminal.h"

#include <signal.h>
#include <sys/types.h>

#define KH_TYPED_WORDS 12

struct kh_typed {
	struct kh_arena *arena;
	struct kh_terminal *out;
	const char *home;   /* KEYHOLE_HOME of the command */
	const char *folder; /* its working directory */
	const char *input;  /* a file of the folder, its standard input; NULL: it has none */
	bool is_quiet;      /* the output is not shown, only kept */
	bool has_colour;
	int stops;     /* a signalfd: if it is readable, the user wants to stop; 0: none */
	sigset_t mask; /* signals that are blocked in the command */
};

/* True if the user wants to stop: a command that runs is ended. */
bool kh_typed_is_stopped(const struct kh_typed *typed);

/* Runs `keyhole WORDS`, up to a NULL.  *RET_STATUS is its exit status (128 + the signal if one ended it),
 * *RET_OUTPUT what it wrote to both outputs. */
enum kh_err kh_typed_run(const struct kh_typed *typed, const char *const *words, int *ret_status,
			 struct kh_view *ret_output, struct kh_error *err) KH_CHECKED;

/* Runs it without showing anything. */
enum kh_err kh_typed_quietly(const struct kh_typed *typed, const char *const *words, int *ret_status,
			     struct kh_view *ret_output, struct kh_error *err) KH_CHECKED;

/* Waits for a process to end; returns its exit status, 128 + the signal if one ended it, or 128. */
int kh_typed_wait(pid_t pid);

/* Returns the first public id of this kind in TEXT, NUL-terminated; "" if there is none. */
const char *kh_typed_id(struct kh_arena *arena, struct kh_view text, char letter);

/* Returns the first digest in TEXT, 64 hexadecimal digits, in the same way. */
const char *kh_typed_digest(struct kh_arena *arena, struct kh_view text);

#endif
