/*
 * Functions for the tour's steps: print text, run commands and check their output, make files in the tour's folder.
 *
 * If a step does not end as it must, the tour says so, with "!!", and has failed.  Hostile text is shown as terminal.c
 * shows it, even if the output is not a terminal.  If the user stops the tour, the steps that are left do nothing.
 */
#ifndef KH_CLI_TOUR_STAGE_H
#define KH_CLI_TOUR_STAGE_H

#include "cli/frame.h"
#include "cli/tour/typed.h"

struct kh_stage {
	struct kh_frame *frame;
	struct kh_arena *arena;
	struct kh_terminal *shown; /* for hostile text */
	struct kh_typed typed;
	const char *folder, *home; /* the folder has pages, queries and the homes */
	struct kh_view output;     /* of the last command */
	int status;
	int step;
	bool has_failed;
	bool is_silent; /* the user has stopped the tour: no command is run any more, and nothing is shown */
};

void kh_stage_say(struct kh_stage *s, const char *text);

/* Prints the heading of the next step. */
void kh_stage_heading(struct kh_stage *s, const char *text);

/* Prints why it matters. */
void kh_stage_why(struct kh_stage *s, const char *text);

/* If IS_SO is false, prints WHAT, and the tour has failed. */
void kh_stage_expect(struct kh_stage *s, bool is_so, const char *what);

/* Runs a command; WANT is the exit status that it must have. */
void kh_stage_type(struct kh_stage *s, int want, const char *const *words);

#define KH_STAGE_TYPE(s, want, ...) kh_stage_type((s), (want), (const char *const[]){__VA_ARGS__, NULL})

/* The same with INPUT, a file of the tour's folder, as its standard input.  Its output is kept, and not shown. */
void kh_stage_type_from(struct kh_stage *s, const char *input, int want, const char *const *words);

/* True if the last command wrote TEXT; the second function fails the tour if it did not. */
bool kh_stage_wrote(const struct kh_stage *s, const char *text);
void kh_stage_expect_text(struct kh_stage *s, const char *text);

/* Returns an id in the output of the last command: typed.h. */
const char *kh_stage_id(struct kh_stage *s, char letter);

/* Shows an approval to the user who decides.  Returns the digest of what was displayed, which the decision names. */
const char *kh_stage_approval(struct kh_stage *s, const char *approval);

/* Returns a path in FOLDER, NUL-terminated; "" if there is no memory. */
const char *kh_stage_path(struct kh_stage *s, const char *folder, const char *name);

/* Makes a file in the tour's folder; the second function also shows it, as the tour's own text. */
void kh_stage_put(struct kh_stage *s, const char *name, struct kh_view text);
void kh_stage_show(struct kh_stage *s, const char *name, const char *text);

/* Shows a query, NAME, and asks it about TASK; WANT is the exit status, and EXPECTED what it must write. */
void kh_stage_query(struct kh_stage *s, const char *task, const char *name, const char *query, int want,
		    const char *expected);

/* Adds TEXT to the home's configuration: at its end, or to its section `policy`. */
void kh_stage_configure(struct kh_stage *s, struct kh_view text);
void kh_stage_govern(struct kh_stage *s, struct kh_view text);

/* True if this machine has a sandbox. */
bool kh_stage_has_sandbox(struct kh_stage *s);

/* Removes a folder with all that is in it. */
void kh_stage_remove(const char *path);

#endif
