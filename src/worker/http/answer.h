/*
 * The answer of an upstream server to one call (U3): status and a few headers, then JSON or a stream of events, each
 * message written anew (worker/mcp/rewrite.h) and handed on when it is whole.
 *
 * The server is hostile.  Everything is bounded while it streams: header bytes, an event, a message, all messages of the
 * call together.  Its text gets out only as a message that was written anew, as a header of a short list, or as a reason
 * that is quoted and taken for tainted.
 */
#ifndef KH_WORKER_HTTP_ANSWER_H
#define KH_WORKER_HTTP_ANSWER_H

#include "wire/fault.h"
#include "worker/http/easy.h"
#include "worker/http/eventstream.h"
#include "worker/http/outlet.h"
#include "worker/http/site.h"

enum kh_http_answer_kind {
	KH_HTTP_ANSWER_NONE = 0, /* no body is expected */
	KH_HTTP_ANSWER_JSON,
	KH_HTTP_ANSWER_EVENTS,
	KH_HTTP_ANSWER_OTHER, /* of an error: its beginning is the reason */
};

struct kh_http_answer {
	struct kh_http_site *site;
	struct kh_outlet *out;
	struct kh_easy_head head; /* over: the parent has it */
	enum kh_http_answer_kind kind;
	unsigned status;
	bool until_close; /* only the end of the connection ends the body */
	struct kh_eventstream events;
	struct kh_bytes body;
	uint64_t written, most;                /* bytes of all messages */
	struct kh_worker_rate messages, bytes; /* how fast they come */
	enum kh_fault fault;
	char detail[KH_MESSAGE_DETAIL + 1];
};

/* MOST: bytes of all messages together; 0: any number. */
void kh_http_answer_init(struct kh_http_answer *answer, struct kh_http_site *site, struct kh_outlet *out,
			 uint64_t most);
void kh_http_answer_done(struct kh_http_answer *answer);

/* A header line, and bytes of the body; false if the call must stop. */
bool kh_http_answer_header(struct kh_http_answer *answer, struct kh_view line) KH_CHECKED;
bool kh_http_answer_body(struct kh_http_answer *answer, struct kh_view bytes) KH_CHECKED;

/* The body has come to its end. */
void kh_http_answer_end(struct kh_http_answer *answer);

/* Ends the answer with FAULT.  Only the first counts, because later ones follow from it. */
void kh_http_answer_stop(struct kh_http_answer *answer, enum kh_fault fault, const char *detail);

#endif
