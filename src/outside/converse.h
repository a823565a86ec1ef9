/*
 * One conversation with the outside: a request, what is fed to it, what it says, and how it ended.  Everything that
 * the gateway and the command line ask of an executor goes through here.
 *
 *     struct kh_converse *c = KH_NEW(arena, struct kh_converse);       too large for a stack
 *     c->client = client; c->arena = arena; c->run = &run; c->deadline_ms = ...; c->most = ...;
 *     if (kh_converse_run(c) == KH_OK && c->how == KH_CONVERSE_ENDED) ... c->end, c->head, c->output ...
 *
 * While it lasts: input is fed as the executor takes it, output is kept within its bound, and the deadline is held.
 * The executor ends a request at its deadline by itself and is given a grace to say so; one that stays silent is not
 * waited for any longer.  A request for which the executor has no place is made again until the deadline.  At its end,
 * however it came, the exchange is closed, which cancels what may still be going on.
 *
 * What was kept is the world's, and tainted.
 */
#ifndef KH_OUTSIDE_CONVERSE_H
#define KH_OUTSIDE_CONVERSE_H

#include "base/buf.h"
#include "outside/client.h"

#include <poll.h>

#define KH_CONVERSE_GRACE_MS 1000 /* for the executor, which ends a request in its time, to say so */
#define KH_CONVERSE_TURN_MS  5    /* between two tries to get a place in the executor */
#define KH_CONVERSE_INPUTS   3    /* pieces of input */
#define KH_CONVERSE_COMPANY  4    /* descriptors of whoever takes part */

enum kh_converse_how {
	KH_CONVERSE_ENDED = 0, /* END came: it says how the request ended, also if the executor died */
	KH_CONVERSE_UNMADE,    /* the request cannot be made, see ERR; nothing was sent */
	KH_CONVERSE_LATE,      /* deadline and grace are over */
	KH_CONVERSE_TOO_MUCH,  /* more came than may be kept */
	KH_CONVERSE_LEFT,      /* the company left */
};

/*
 * Who takes part besides, with descriptors of its own: a terminal, a file of input, signals.  It gets every event as it
 * comes, and then nothing is kept.  It may put input into UNSENT[0] of the conversation while that is empty.
 */
struct kh_converse_company {
	/* What else is waited for: at most KH_CONVERSE_COMPANY entries; how many. */
	size_t (*watch)(void *context, struct pollfd *ret_fds);
	/* After the wait, with the same entries: does what can be done now.  False: it leaves. */
	bool (*serve)(void *context, const struct pollfd *fds);
	/* A HEAD, OUTPUT or ERRORS. */
	void (*take)(void *context, const struct kh_event *event);
};

struct kh_converse {
	/* What is asked; what is not set is 0. */
	const struct kh_client *client;
	struct kh_arena *arena; /* of what is kept */
	struct kh_run *run;     /* one of the two; its wall_ms is set here if there is a deadline */
	struct kh_fetch *fetch;
	struct kh_view input[KH_CONVERSE_INPUTS]; /* fed one after the other, and then the end of input */
	int64_t deadline_ms;                      /* of kh_clock_ms(), for all tries together; 0: none */
	size_t most;                              /* bytes of output that are kept: more is TOO_MUCH */
	size_t most_errors;                       /* of standard error: the rest is thrown away */
	const struct kh_converse_company *company;
	void *context; /* the company's */
	bool deaf;     /* set by the company while it can take no event */
	bool more;     /* set by the company while more input will come */

	/* How it went. */
	enum kh_converse_how how;
	struct kh_error err;              /* of UNMADE */
	struct kh_end end;                /* of ENDED */
	struct kh_head head;              /* of a fetch: the last one; its status is 0 if none came */
	struct kh_tainted output, errors; /* what there is of them, whatever the end was */

	/* While it lasts. */
	struct kh_view unsent[KH_CONVERSE_INPUTS];
	struct kh_buf kept, kept_errors;
	struct kh_exchange exchange;
};

/* From the request to its end.  Fails for lack of memory alone. */
enum kh_err kh_converse_run(struct kh_converse *c) KH_CHECKED;

/* The fault of END, or the one that it would have had: TIME of LATE, OUTPUT of TOO_MUCH, REQUEST of UNMADE. */
enum kh_fault kh_converse_fault(const struct kh_converse *c);

/* Why it did not end well, as a sentence of ours: "address: 127.0.0.1 is ...". */
struct kh_view kh_converse_why(const struct kh_converse *c);

/* Waits for MS milliseconds. */
void kh_converse_pause(int64_t ms);

#endif
