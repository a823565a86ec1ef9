/* One running request, as the command line sees it: input is passed on as it comes, output is shown as fast as
 * possible, and a signal is noticed at any time.  One thread, one poll; nothing in it blocks. */
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
	struct kh_converse talk; /* the caller sets the request and the executor */
	struct kh_terminal out, errors;
	kh_foreground_take_fn *take;
	void *context; /* of TAKE */
	int input;     /* where input comes from; -1 if there is none, or no more */
	int signals;   /* a signalfd */
	int caught;
	int error; /* errno of input that cannot be read */
	char piece[32768];
};

/* Call it first, before lockdown: makes sure that descriptors 0, 1 and 2 are open, even if the parent closed them,
 * so that no channel takes their place. */
void kh_foreground_reserve(void);

/* Sets up all but the request, after the executor was started (which should not inherit our signal mask).  INPUT: -1
 * for none.  False: errno. */
bool kh_foreground_init(struct kh_foreground *foreground, int input, bool raw);

/* Runs from the request until all output is written; after END, signals have their usual effect. */
enum kh_foreground_end kh_foreground_run(struct kh_foreground *foreground);

/* Returns the exit status of the command NAME after LOST, and reports the reason on standard error if there is one:
 * FAILED, or 128 + SIGPIPE, as for any program, if only the reader of its output has closed it. */
int kh_foreground_lost(const struct kh_foreground *foreground, const char *name, int failed);

#endif
