/* A request to an upstream server and what becomes of it, however the server is reached. */
#ifndef KH_UPSTREAM_REQUEST_H
#define KH_UPSTREAM_REQUEST_H

#include "base/json.h"
#include "base/tainted.h"
#include "rpc/version.h"

enum kh_response_end {
	KH_RESPONSE_CAME,    /* `message` is the response: a result or an error */
	KH_RESPONSE_REFUSED, /* nothing was sent */
	KH_RESPONSE_OVER,    /* nothing was sent, because the life or session that it was for is over */
	KH_RESPONSE_LOST,    /* it was sent, and no answer came: what the server made of it is not known */
};

struct kh_upstream_response {
	enum kh_response_end end;
	struct kh_tainted message; /* one JSON-RPC message as a worker wrote it, in the arena */
	/* If it did not come: */
	const char *code; /* server_paused, server_held, server_busy, server_gone, upstream_timeout, bad_message, ... */
	struct kh_view why; /* a sentence of ours */
	struct kh_tainted
		said; /* for humans: the newest of its standard error, or the HTTP server's words; may be empty */
};

struct kh_inquiry;

/* A request on its way.  Text is borrowed until the answer is there. */
struct kh_upstream_request {
	const char *method;
	struct kh_view id;           /* as JSON, never used before for this server */
	struct kh_view message;      /* on one line, with its newline */
	struct kh_view name;         /* of the tool or resource; empty: none */
	enum kh_rpc_version version; /* that is spoken; KH_MCP_NONE: that is not known yet */
	uint64_t life;               /* 0: any, and one is begun if there is none; else it must not go to another */
	int64_t until_ms;            /* of kh_clock_ms() */
	struct kh_inquiry *inquiry;  /* that answers an elicitation meanwhile; NULL: it is declined */
};

#endif
