/*
 * What the tour's steps stand on: saying, typing commands and looking at what they write, files in the tour's folder.
 *
 * A step that does not come out as it must is said so, with "!!", and the tour has failed.  What is hostile is shown as
 * terminal.c shows such things, also where the output is no terminal.
 */
#ifndef KH_CLI_TOUR_STAGE_H
#define KH_CLI_TOUR_STAGE_H

#include "cli/frame.h"
#include "cli/tour/typed.h"

struct kh_stage {
	struct kh_frame *frame;
	struct kh_arena *arena;
	struct kh_terminal *shown; /* what is hostile */
	struct kh_typed typed;
	const char *folder, *home; /* the folder has pages and queries, and the homes in it */
	struct kh_view output;     /* of the last command */
	int status;
	int step;
	bool has_failed;
};

void kh_stage_say(struct kh_stage *s, const char *text);

/* The next step's line. */
void kh_stage_heading(struct kh_stage *s, const char *text);

/* Why it matters. */
void kh_stage_why(struct kh_stage *s, const char *text);

/* What must be, or the tour has failed. */
void kh_stage_expect(struct kh_stage *s, bool is_so, const char *what);

/* Runs a command; WANT is the exit status that it must have. */
void kh_stage_type(struct kh_stage *s, int want, const char *const *words);

#define KH_STAGE_TYPE(s, want, ...) kh_stage_type((s), (want), (const char *const[]){__VA_ARGS__, NULL})

/* Whether the last command wrote TEXT; and that it must have. */
bool kh_stage_wrote(const struct kh_stage *s, const char *text);
void kh_stage_expect_text(struct kh_stage *s, const char *text);

/* An id in what the last command wrote: typed.h. */
const char *kh_stage_id(struct kh_stage *s, char letter);

/* Shows an approval to the one who decides.  The digest of what was displayed, which the decision names. */
const char *kh_stage_approval(struct kh_stage *s, const char *approval);

/* A path in FOLDER, NUL-terminated; "" where there is no memory. */
const char *kh_stage_path(struct kh_stage *s, const char *folder, const char *name);

/* A file in the tour's folder; and the same shown, as the tour's own words. */
void kh_stage_put(struct kh_stage *s, const char *name, struct kh_view text);
void kh_stage_show(struct kh_stage *s, const char *name, const char *text);

/* Adds TEXT to the home's configuration. */
void kh_stage_configure(struct kh_stage *s, struct kh_view text);

/* Whether this machine has a sandbox. */
bool kh_stage_has_sandbox(struct kh_stage *s);

/* Removes a folder with all that is in it. */
void kh_stage_remove(const char *path);

#endif
