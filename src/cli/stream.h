/*
 * One request under way, as the command line sees it: input goes in as it comes, output is shown as fast as it can be,
 * and a signal is heard at any time.  One thread, one poll; nothing in it blocks.
 */
#ifndef KH_CLI_STREAM_H
#define KH_CLI_STREAM_H

#include "cli/terminal.h"
#include "outside/exchange.h"

enum kh_stream_step {
	KH_STREAM_EVENT,  /* of the exchange */
	KH_STREAM_SIGNAL, /* SIGINT, SIGTERM or SIGHUP came: see CAUGHT */
	KH_STREAM_LOST,   /* output cannot be written, or input cannot be read: see the terminals' ERROR, and ERROR */
};

struct kh_stream {
	struct kh_exchange exchange;
	struct kh_terminal out, errors;
	int input;    /* what goes in; -1 where there is none, or no more */
	bool is_open; /* the other side waits for input */
	int signals;  /* a signalfd */
	int caught;
	int error;       /* errno of input that cannot be read */
	size_t from, to; /* of PIECE: what has been read and not been sent */
	char piece[32768];
};

/*
 * Makes ready, before lockdown: descriptors 0, 1 and 2 are there after it, whatever the parent left out, so that no
 * channel takes their place.
 */
void kh_stream_reserve(void);

/* Sets up all but the exchange, after the executor was started (which should inherit no signal mask of ours).  INPUT:
 * -1 for none.  False: errno. */
bool kh_stream_init(struct kh_stream *stream, int input, bool raw);

/* The next thing to be told, when all output so far has been written. */
enum kh_stream_step kh_stream_next(struct kh_stream *stream, struct kh_event *ret_event);

/* Writes what is left of the output.  Called after the END; signals have their usual effect then. */
enum kh_stream_step kh_stream_finish(struct kh_stream *stream);

#endif
