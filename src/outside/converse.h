/*
 * One conversation with the executor: a request, its input, its output, and how it ended.  Everything that the gateway
 * and the command line ask of an executor goes through here.
 *
 *     struct kh_converse *c = kh_converse_new(client, arena, wall_ms, most);       too large for a stack
 *     c->run = &run;
 *     if (kh_converse_run(c) == KH_OK && c->how == KH_CONVERSE_ENDED) ... c->end, c->head, c->output ...
 *
 * While it lasts, input is sent as the executor takes it, output is kept within its bound, and the deadline is
 * enforced.  The executor ends a request at its deadline by itself and gets a grace period to report that; if it stays
 * silent, the conversation ends without it.  If the executor has no room for a request, or another executor is on its way
 * in place of one that has died, the request is tried again until the deadline.  However it ends, the exchange is closed, which cancels what may still be running.
 *
 * The output came from outside, so it is tainted.
 */
#ifndef KH_OUTSIDE_CONVERSE_H
#define KH_OUTSIDE_CONVERSE_H

#include "base/buf.h"
#include "outside/client.h"

#include <poll.h>

#define KH_CONVERSE_GRACE_MS 1000 /* for the executor to report that it ended a request at its deadline */
#define KH_CONVERSE_TURN_MS  5    /* between two tries to get room in the executor */
#define KH_CONVERSE_INPUTS   3    /* pieces of input */
#define KH_CONVERSE_COMPANY  4    /* descriptors of the company */

enum kh_converse_how {
	KH_CONVERSE_ENDED = 0, /* END came and says how the request ended, even if the executor died */
	KH_CONVERSE_UNMADE,    /* the request cannot be made, see ERR; nothing was sent */
	KH_CONVERSE_LATE,      /* deadline and grace period are over */
	KH_CONVERSE_TOO_MUCH,  /* more output came than may be kept */
	KH_CONVERSE_LEFT,      /* the company left */
	KH_CONVERSE_OVER,      /* goes_on() ended it */
};

/*
 * A participant with descriptors of its own: a terminal, a file of input, signals.  It gets every event as it comes,
 * and then nothing is kept.  It may put input into UNSENT[0] of the conversation while that is empty.
 */
struct kh_converse_company {
	/* Fills in the descriptors to wait for, at most KH_CONVERSE_COMPANY; returns how many. */
	size_t (*watch)(void *context, struct pollfd *ret_fds);
	/* After the wait, with the same entries: does what can be done now.  False: it leaves. */
	bool (*serve)(void *context, const struct pollfd *fds);
	/* Takes a HEAD, OUTPUT or ERRORS. */
	void (*take)(void *context, const struct kh_event *event);
};

struct kh_converse {
	/* Set by the caller; everything that is not set is 0. */
	const struct kh_client *client;
	struct kh_arena *arena; /* for the output that is kept */
	struct kh_run *run;     /* one of the two; its wall_ms is set here if there is a deadline */
	struct kh_fetch *fetch;
	struct kh_view input[KH_CONVERSE_INPUTS]; /* sent one after the other, then the end of input */
	int64_t deadline_ms;                      /* as kh_clock_ms(), for all tries together; 0: none */
	size_t most;                              /* bytes of output that are kept; more is TOO_MUCH */
	size_t most_errors;                       /* bytes of standard error that are kept; the rest is discarded */
	const struct kh_converse_company *company;
	void *context; /* the company's */
	/* Called every EVERY_MS while the request is under way; false ends it with KH_CONVERSE_OVER.  NULL: nobody. */
	bool (*goes_on)(void *watched);
	void *watched;
	int64_t every_ms;
	bool deaf; /* set by the company while it can take no event */
	bool more; /* set by the company while it has more input */

	/* The result. */
	enum kh_converse_how how;
	struct kh_error err;              /* for UNMADE */
	struct kh_end end;                /* for ENDED */
	struct kh_head head;              /* for a fetch: the last one; its status is 0 if none came */
	struct kh_tainted output, errors; /* what came of them, whatever the end was */

	/* Internal state. */
	struct kh_view unsent[KH_CONVERSE_INPUTS];
	struct kh_buf kept, kept_errors;
	struct kh_exchange exchange;
	int64_t looks_ms; /* when goes_on() is called next */
};

/* A conversation of at most WALL_MS milliseconds, of whose output MOST bytes are kept; NULL if ARENA is out of memory. */
struct kh_converse *kh_converse_new(const struct kh_client *client, struct kh_arena *arena, uint64_t wall_ms,
				    size_t most);

/* Runs the request to its end.  Fails only for lack of memory. */
enum kh_err kh_converse_run(struct kh_converse *c) KH_CHECKED;

/* The fault of END, or the one that fits the result: TIME for LATE, OUTPUT for TOO_MUCH, REQUEST for UNMADE, DISK for
 * OVER. */
enum kh_fault kh_converse_fault(const struct kh_converse *c);

/* Why it failed, as a sentence of ours: "address: 127.0.0.1 is ...". */
struct kh_view kh_converse_why(const struct kh_converse *c);

/* Waits for MS milliseconds. */
void kh_converse_pause(int64_t ms);

#endif
