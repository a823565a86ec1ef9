/*
 * One request under way, as the command line sees it: input goes in as it comes, output is shown as fast as it can be,
 * and a signal is heard at any time.  One thread, one poll; nothing in it blocks.
 */
#ifndef KH_CLI_STREAM_H
#define KH_CLI_STREAM_H

#include "cli/terminal.h"
#include "outside/converse.h"

enum kh_stream_end {
	KH_STREAM_ENDED,  /* END came, and all output is written */
	KH_STREAM_UNMADE, /* the request cannot be made: see TALK.ERR */
	KH_STREAM_SIGNAL, /* SIGINT, SIGTERM or SIGHUP came: see CAUGHT */
	KH_STREAM_LOST,   /* output cannot be written, or input cannot be read: see kh_stream_lost() */
};

/* What the command does with an event: shows it, or keeps it. */
typedef void kh_stream_take_fn(void *context, const struct kh_event *event);

struct kh_stream {
	struct kh_converse talk; /* the caller sets what is asked, and by whom */
	struct kh_terminal out, errors;
	kh_stream_take_fn *take;
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
void kh_stream_reserve(void);

/* Sets up all but what is asked, after the executor was started (which should inherit no signal mask of ours).  INPUT:
 * -1 for none.  False: errno. */
bool kh_stream_init(struct kh_stream *stream, int input, bool raw);

/* From the request until all output is written; after END signals have their usual effect. */
enum kh_stream_end kh_stream_run(struct kh_stream *stream);

/*
 * The exit status of the command NAME after LOST, said on standard error if there is something to say: FAILED, or
 * 128 + SIGPIPE as of any program if only the reader of its output has seen enough.
 */
int kh_stream_lost(const struct kh_stream *stream, const char *name, int failed);

#endif
