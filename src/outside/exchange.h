/*
 * One request to an executor, as its parent sees it: events out, input in, and exactly one END.
 */
#ifndef KH_OUTSIDE_EXCHANGE_H
#define KH_OUTSIDE_EXCHANGE_H

#include "base/tainted.h"
#include "wire/fault.h"
#include "wire/message.h"

/* How a request ended; absent values are 0. */
struct kh_end {
	enum kh_fault fault;
	int status;                         /* of a program that ran to its end: as from waitpid(2) */
	uint64_t time_us;                   /* from request to end */
	uint64_t used;                      /* bytes of output */
	uint64_t sent, received;            /* bytes to and from the network by name */
	bool is_spent;                      /* it wanted to send more than it may */
	char detail[KH_MESSAGE_DETAIL + 1]; /* our own sentence, safe to show */
	size_t reason_n;                    /* bytes of the reason: kh_exchange_reason() */
	char reason[KH_MESSAGE_REASON];
};

struct kh_head {
	unsigned status;
	struct kh_tainted headers;  /* lines as they came */
	struct kh_tainted url;      /* of the response, after redirects */
	struct kh_tainted location; /* target of a redirect that was not followed */
};

enum kh_exchange_kind {
	KH_EVENT_NOTHING, /* the time ran out */
	KH_EVENT_HEAD,
	KH_EVENT_OUTPUT,
	KH_EVENT_ERRORS,
	KH_EVENT_KEPT, /* the answer to kh_exchange_recall() */
	KH_EVENT_END,  /* the last one; comes exactly once, even if the executor died */
};

struct kh_event {
	enum kh_exchange_kind kind;
	struct kh_head head;
	struct kh_tainted bytes; /* for OUTPUT and ERRORS; for KEPT, and END of a server, the newest of its standard
				    error; valid until the next call */
	uint64_t written;        /* with that: how many bytes of standard error there were in all */
	struct kh_end end;       /* for KEPT, what has been sent so far, and the first connection that was refused */
};

/* One request.  FD can be polled: readable if kh_exchange_next() has an event, writable for input. */
struct kh_exchange {
	int fd;
	enum kh_message_state state;
	bool fed; /* no more input is sent */
	char buffer[KH_MESSAGE_MAX];
};

/* An exchange on FD, which it owns from now on.  STATE: KH_STATE_PARENT_RUN, _FETCH or _SERVER.  FED: it takes no input. */
void kh_exchange_init(struct kh_exchange *exchange, int fd, enum kh_message_state state, bool fed);

/* The next event, waiting up to TIMEOUT_MS (0: not at all, -1: for ever). */
void kh_exchange_next(struct kh_exchange *exchange, int timeout_ms, struct kh_event *ret_event);

/* Sends as much of BYTES as can be sent now, as input; returns how much.  An executor that is gone takes everything,
 * because the END that reports it will come.  So does a request that takes no input (any more): a GET, or after the
 * end. */
size_t kh_exchange_feed(struct kh_exchange *exchange, struct kh_view bytes);

/* No more input.  False: not now, try again when FD is writable. */
bool kh_exchange_feed_end(struct kh_exchange *exchange);

/* Asks for what is kept of a server's standard error; one event KEPT follows.  It is answered after the input that was
 * sent before.  False: not now, try again when FD is writable. */
bool kh_exchange_recall(struct kh_exchange *exchange);

/* Why the worker that reads a server's output ended it: for humans, in words that may be the server's. */
struct kh_tainted kh_exchange_reason(const struct kh_end *end);

/* The detail of END, or the text of its fault if END has no detail. */
const char *kh_exchange_about(const struct kh_end *end);

/* Closes it; a request that has not ended is cancelled.  May be called more than once. */
void kh_exchange_close(struct kh_exchange *exchange);

#endif
