/*
 * One request to an executor, as its parent sees it: events out of it, input into it, and exactly one END.
 */
#ifndef KH_OUTSIDE_EXCHANGE_H
#define KH_OUTSIDE_EXCHANGE_H

#include "base/tainted.h"
#include "wire/fault.h"
#include "wire/message.h"

/* How it ended; what is not there is 0. */
struct kh_end {
	enum kh_fault fault;
	int status;                         /* of a program that ran to its end: as waitpid(2) has it */
	uint64_t time_us;                   /* from request to end */
	uint64_t used;                      /* bytes that were put out */
	char detail[KH_MESSAGE_DETAIL + 1]; /* our own words, fit to be shown */
};

struct kh_head {
	unsigned status;
	struct kh_tainted headers;  /* lines as they came */
	struct kh_tainted url;      /* the one that answered, after redirects */
	struct kh_tainted location; /* where a redirect that was not followed leads */
};

enum kh_exchange_kind {
	KH_EVENT_NOTHING, /* the time ran out */
	KH_EVENT_HEAD,
	KH_EVENT_OUTPUT,
	KH_EVENT_ERRORS,
	KH_EVENT_END, /* the last one; comes exactly once, also when the executor died */
};

struct kh_event {
	enum kh_exchange_kind kind;
	struct kh_head head;
	struct kh_tainted bytes; /* of OUTPUT and ERRORS; valid until the next call */
	struct kh_end end;
};

/* One request.  FD can be polled: readable when kh_exchange_next() has something to say, writable for input. */
struct kh_exchange {
	int fd;
	enum kh_message_state state;
	bool fed; /* no more input is sent */
	char buffer[KH_MESSAGE_MAX];
};

/* An exchange on FD, which is its own from now on.  STATE: KH_STATE_PARENT_RUN or _FETCH.  FED: it takes no input. */
void kh_exchange_init(struct kh_exchange *exchange, int fd, enum kh_message_state state, bool fed);

/* The next event, waiting up to TIMEOUT_MS (0: not at all, -1: for ever). */
void kh_exchange_next(struct kh_exchange *exchange, int timeout_ms, struct kh_event *ret_event);

/* Sends input, as much of BYTES as can be sent now; how much that was.  An executor that is gone takes everything: the
 * END that tells of it is on its way.  So does a request that takes no input (any more): a GET, or after the end. */
size_t kh_exchange_feed(struct kh_exchange *exchange, struct kh_view bytes);

/* No more input.  False: not now, try again when FD is writable. */
bool kh_exchange_feed_end(struct kh_exchange *exchange);

/* What END says of a fault, or what such a fault means if it says nothing. */
const char *kh_exchange_about(const struct kh_end *end);

/* Closes it; a request that has not ended is cancelled.  May be called more than once. */
void kh_exchange_close(struct kh_exchange *exchange);

#endif
