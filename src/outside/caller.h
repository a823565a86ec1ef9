/*
 * An upstream server over Streamable HTTP, as the gateway calls it: one worker that is kept, and calls beside one
 * another, each with its own channel to that worker.
 *
 *     kh_caller_new(&alloc, client, &upstream, &caller, &err);
 *     kh_caller_begin(caller, &ask, body, &call, &err);           from any thread
 *     do
 *             kh_caller_next(call, timeout, &event);              from one thread at a time
 *     while (event.kind != KH_CALLER_END);
 *     kh_caller_end(call);                                        before the end: cancels it
 *     kh_caller_free(caller);                                     when no call is left
 *
 * The worker is started with the first call, and again when it has died or ended because nobody called.  A call that it
 * had not taken goes to the next worker, because nothing was begun; one that it had ends as lost, and what came of it at
 * the server is unknown.
 *
 * The worker reads what a hostile server sends, so what it says is tainted, and so is the reason for an end.
 */
#ifndef KH_OUTSIDE_CALLER_H
#define KH_OUTSIDE_CALLER_H

#include "outside/client.h"
#include "wire/upstream.h"

struct kh_caller;
struct kh_caller_call;

enum kh_caller_kind {
	KH_CALLER_NOTHING = 0, /* the time ran out */
	KH_CALLER_HEAD,        /* once, before messages */
	KH_CALLER_MESSAGE,     /* one message, as the worker wrote it anew */
	KH_CALLER_MARK,        /* a stream can be continued behind the last message */
	KH_CALLER_END,         /* the last one; comes exactly once */
};

struct kh_caller_event {
	enum kh_caller_kind kind;
	unsigned status;           /* of HTTP */
	struct kh_tainted headers; /* lines `name: value`: content-type, mcp-session-id and a few more */
	struct kh_tainted message; /* valid until the next event, as the two below */
	struct kh_tainted mark;    /* for Last-Event-ID; may be empty */
	bool has_retry;
	uint64_t retry_ms;
	/* of END */
	enum kh_fault fault;
	bool begun;               /* the server may have got it: with a fault, what came of it is unknown */
	const char *detail;       /* our own sentence */
	struct kh_tainted reason; /* for humans, in words that may be the server's; may be empty */
};

/* Copies what UPSTREAM says.  CLIENT must live longer. */
enum kh_err kh_caller_new(const struct kh_alloc *alloc, const struct kh_client *client,
			  const struct kh_upstream *upstream, struct kh_caller **ret_caller,
			  struct kh_error *err) KH_CHECKED;
void kh_caller_free(struct kh_caller *caller);

/* Begins a call.  BODY, of a POST, must live until its end.  KH_EINPUT or KH_ELIMIT if ASK cannot be written. */
enum kh_err kh_caller_begin(struct kh_caller *caller, const struct kh_upstream_ask *ask, struct kh_view body,
			    struct kh_caller_call **ret_call, struct kh_error *err) KH_CHECKED;

/* The next event, waiting up to TIMEOUT_MS (0: not at all, -1: for ever). */
void kh_caller_next(struct kh_caller_call *call, int timeout_ms, struct kh_caller_event *ret_event);

/* Ends CALL, and cancels what is under way. */
void kh_caller_end(struct kh_caller_call *call);

/* Ends the worker, and with it the calls that it has; calls that nobody took are not tried again. */
void kh_caller_stop(struct kh_caller *caller);

/* How many workers were started. */
uint64_t kh_caller_starts(struct kh_caller *caller);

#endif
