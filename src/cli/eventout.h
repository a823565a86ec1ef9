/* Events on their way to standard output: written in pieces, so that a long record needs little memory. */
#ifndef KH_CLI_EVENTOUT_H
#define KH_CLI_EVENTOUT_H

#include "cli/eventtext.h"
#include "cli/frame.h"

/* How an event is written; NULL: as its line of JSON. */
typedef void kh_eventout_fn(const struct kh_eventtext *event, struct kh_buf *buf);

struct kh_eventout {
	struct kh_frame *f;
	kh_eventout_fn *write;
	struct kh_arena arena; /* for what is not yet written */
	struct kh_buf buf;
	bool lost, failed; /* output cannot be written; out of memory */
};

void kh_eventout_init(struct kh_eventout *out, struct kh_frame *f, kh_eventout_fn *write);

/* Writes what has gathered in BUF; _step() only if that is much.  False: nothing more can be written. */
bool kh_eventout_flush(struct kh_eventout *out);
bool kh_eventout_step(struct kh_eventout *out);

/* Ends the output of a command that came to E; returns the exit status. */
int kh_eventout_end(struct kh_eventout *out, enum kh_err e);

#endif
