/*
 * One request under way, as the command line sees it: input goes in as it comes, output is shown as fast as it can be,
 * and a signal is heard at any time.  One thread, one poll; nothing in it blocks.
 */
#ifndef KH_CLI_FOREGROUND_H
#define KH_CLI_FOREGROUND_H

#include "cli/terminal.h"
#include "outside/converse.h"

enum kh_foreground_end {
	KH_FOREGROUND_ENDED,  /* END came, and all output is written */
	KH_FOREGROUND_UNMADE, /* the request cannot be made: see TALK.ERR */
	KH_FOREGROUND_SIGNAL, /* SIGINT, SIGTERM or SIGHUP came: see CAUGHT */
	KH_FOREGROUND_LOST,   /* output cannot be written, or input cannot be read: see kh_foreground_lost() */
};

/* What the command does with an event: shows it, or keeps it. */
typedef void kh_foreground_take_fn(void *context, const struct kh_event *event);

struct kh_foreground {
	struct kh_converse talk; /* the caller sets what is asked, and by whom */
	struct kh_terminal out, errors;
	kh_foreground_take_fn *take;
	void *context; /* of TAKE */
	int input;     /* what goes in; -1 if there is none, or no more */
	int signals;   /* a signalfd */
	int caught;
	int error; /* errno of input that cannot be read */
	char piece[32768];
};

/*
 * Makes ready, before lockdown: descriptors 0, 1 and 2 are there after it, whatever the parent left out, so that no
 * channel takes their place.
 */
void kh_foreground_reserve(void);

/* Sets up all but what is asked, after the executor was started (which should inherit no signal mask of ours).  INPUT:
 * -1 for none.  False: errno. */
bool kh_foreground_init(struct kh_foreground *foreground, int input, bool raw);

/* From the request until all output is written; after END signals have their usual effect. */
enum kh_foreground_end kh_foreground_run(struct kh_foreground *foreground);

/*
 * The exit status of the command NAME after LOST, said on standard error if there is something to say: FAILED, or
 * 128 + SIGPIPE as of any program if only the reader of its output has seen enough.
 */
int kh_foreground_lost(const struct kh_foreground *foreground, const char *name, int failed);

#endif
