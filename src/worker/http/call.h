/*
 * One call of an upstream server: from the parent's ASK to its DONE, over a channel of its own.
 *
 *     ASK ──> BODY ──> READY ──> UNDER_WAY ──> ENDING ──> OVER
 *                        ^          │
 *                        └─ DIALING ┘      if there is no connection that can be used again
 *
 * Trusts the parent for what is asked, within the table of messages.  The answer is hostile (answer.h).
 */
#ifndef KH_WORKER_HTTP_CALL_H
#define KH_WORKER_HTTP_CALL_H

#include "worker/http/answer.h"

enum kh_http_call_phase {
	KH_HTTP_CALL_NEW = 0,   /* its ASK has not come */
	KH_HTTP_CALL_BODY,      /* the body of its request comes */
	KH_HTTP_CALL_READY,     /* to be tried */
	KH_HTTP_CALL_DIALING,   /* waits for a connection */
	KH_HTTP_CALL_UNDER_WAY, /* libcurl has it */
	KH_HTTP_CALL_ENDING,    /* DONE waits to be sent */
	KH_HTTP_CALL_OVER,
};

struct kh_http_call {
	struct kh_http_site *site;
	enum kh_http_call_phase phase;
	int channel;
	enum kh_message_state state;
	uint64_t ticket;
	int64_t deadline_ms; /* as kh_clock_ms(); -1: none */
	struct kh_arena arena;
	struct kh_upstream_ask ask;
	struct kh_bytes body;
	struct kh_outlet out;
	struct kh_http_answer answer;
	/* of libcurl */
	CURL *easy;
	struct curl_slist *lines, *to;
	int socket;            /* a connection that was made for it; -1 */
	bool lacks_connection; /* libcurl had none to use again, or may not use it */
	bool has_sent;         /* the server may have got something */
	bool closed_well;      /* TLS: the peer announced that it closes */
	bool is_paused;
};

/* A call over CHANNEL, which is the call's from now on; NULL if there is no memory. */
struct kh_http_call *kh_http_call_new(struct kh_http_site *site, int channel);
void kh_http_call_free(struct kh_http_call *call);

/* The channel has something, or was closed. */
void kh_http_call_hear(struct kh_http_call *call);

/* The executor's answer to DIAL: SOCKET, or -1 and why not. */
void kh_http_call_dialed(struct kh_http_call *call, int socket, enum kh_fault fault, struct kh_view detail);

/* libcurl has ended it with CODE. */
void kh_http_call_ended(struct kh_http_call *call, CURLcode code);

/* Does what can be done now. */
void kh_http_call_step(struct kh_http_call *call);

/* How long it can wait, in milliseconds, at most LEFT. */
int64_t kh_http_call_left(const struct kh_http_call *call, int64_t left);

#endif
