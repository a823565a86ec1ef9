/* One running request, as the command line sees it: input is passed on as it comes, output is shown as fast as
 * possible, and a signal is noticed at any time.  One thread, one poll; nothing in it blocks. */
#ifndef KH_CLI_FOREGROUND_H
#define KH_CLI_FOREGROUND_H

#include "cli/frame.h"
#include "outside/converse.h"

/* What the command does with an event: shows it, or keeps it; and at the end: returns its exit status. */
typedef void kh_foreground_take_fn(void *context, const struct kh_event *event);
typedef int kh_foreground_finish_fn(void *context, const struct kh_end *end);

struct kh_foreground {
	struct kh_converse talk; /* the caller sets the request */
	struct kh_terminal out, errors;
	kh_foreground_take_fn *take;
	kh_foreground_finish_fn *finish;
	void *context; /* of both */
	int input;     /* where input comes from; -1 if there is none, or no more */
	int signals;   /* a signalfd */
	int caught;
	int error; /* errno of input that cannot be read */
	char piece[32768];
};

/*
 * Starts an executor, locks this process down, and runs from the request until all output is written; after END,
 * signals have their usual effect.  Returns the exit status: what FINISH returns, if END came; 128 + N after signal N;
 * 128 + SIGPIPE if the reader of the output has closed it; else FAILED, and the reason was reported.
 */
int kh_foreground_run(struct kh_foreground *foreground, struct kh_frame *f, bool raw, int failed);

#endif
