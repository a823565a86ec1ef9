/*
 * What is said because of one POST to /mcp, on its way to the client: kept until somebody reads it.
 *
 *   exchange --send()--> stream --step of a connection (http/mcp/link.h)--> client
 *
 * As long as nothing but the answer was said it is answered as JSON; from the first other message on, or where the
 * answer lets wait, as server-sent events.  In a session it then has a number there, its events have ids, and it
 * outlives its connection for a bounded time: a client that was cut off, or sent away to come back (SSE polling), takes
 * it up with Last-Event-ID.  The connection that came last writes; an earlier one ends.
 *
 * Without a session (2026-07-28) nothing is kept: a client that is gone has cancelled its request.
 *
 * Stream 0 is a session's own: that of a GET without Last-Event-ID, for messages outside of exchanges.  It is there
 * because clients ask for it; Keyhole has no such messages, since they would tell a Controller when others do
 * something.
 *
 * Bounded: what is kept of a stream by http/mcp/replay.h; KH_HTTP_MCP_STREAM_KEPT streams a session, KH_HTTP_MCP_STREAM_KEEP
 * after the connection or the answer, whichever came last; and where all streams together have more than they may, one
 * that nobody is connected to loses what it had.
 */
#ifndef KH_HTTP_MCP_STREAM_H
#define KH_HTTP_MCP_STREAM_H

#include "http/mcp/replay.h"
#include "http/mcp/session.h"
#include "mcp/mcp.h"

#define KH_HTTP_MCP_STREAM_KEPT  32                       /* streams of a session that can be taken up again */
#define KH_HTTP_MCP_STREAM_KEEP  (INT64_C(120) * 1000000) /* microseconds */
#define KH_HTTP_MCP_STREAM_SLOW  (INT64_C(5) * 1000000)   /* an answer that is not there by then comes as an event */
#define KH_HTTP_MCP_STREAM_QUIET (INT64_C(15) * 1000000)  /* a comment is sent after so long without an event */
#define KH_HTTP_MCP_STREAM_STUCK (INT64_C(60) * 1000000)  /* a client that reads nothing for so long is gone */
#define KH_HTTP_MCP_STREAM_RETRY 500                      /* milliseconds after which a client comes back */

struct kh_http_mcp_stream {
	const struct kh_alloc *alloc;
	pthread_mutex_t lock; /* of everything */
	unsigned refs;
	bool own; /* a session's own: there is no exchange */
	struct kh_mcp_exchange *exchange;
	unsigned uses;    /* of `exchange`; the last one frees it */
	bool ended;       /* the answer is there, or none comes; a session's own: the session is over */
	bool others;      /* something besides the answer was said */
	bool lost;        /* what was said is no longer there, for want of memory or of room */
	bool rests;       /* its connection is to be closed; the client comes back */
	bool initialized; /* the answer is one to `initialize`, and makes the peer a session */
	unsigned status;  /* of the answer, for HTTP */
	struct kh_http_mcp_replay said;
	uint64_t number;      /* in its session */
	bool resumable;       /* it is in its session's list */
	uint64_t connection;  /* counts those that have taken it up */
	struct kh_work *work; /* of the connection that writes; NULL: there is none */
	int64_t left;         /* when the last connection ended, or the answer came after it had; 0: neither */
	struct kh_http_mcp_stream *older; /* in its session's list, under the session's lock */
};

/* NULL: out of memory. */
struct kh_http_mcp_stream *kh_http_mcp_stream_new(struct kh_http_mcp_sessions *sessions);
void kh_http_mcp_stream_drop(struct kh_http_mcp_stream *stream);

/* Has PEER take MESSAGE.  False: it could not be taken, and nothing will be said. */
bool kh_http_mcp_stream_take(struct kh_http_mcp_stream *stream, struct kh_mcp_peer *peer, struct kh_view message,
			     const struct kh_mcp_headers *headers) KH_CHECKED;

/* How messages of exchanges leave that kh_http_mcp_stream_take() made. */
extern const struct kh_mcp_transport kh_http_mcp_stream_transport;

/* With its lock held: nobody is connected any more, and what it has may have to go. */
void kh_http_mcp_stream_rests(struct kh_http_mcp_stream *stream);

/* Cancels the exchange where it is not answered. */
void kh_http_mcp_stream_cancel(struct kh_http_mcp_stream *stream);

/*
 * The stream of SESSION that has NUMBER, held, or NULL.  0 is its own, which is made where it is not there yet (NULL:
 * out of memory, or the session is over).
 */
struct kh_http_mcp_stream *kh_http_mcp_stream_find(struct kh_http_mcp_session *session, uint64_t number);

/* Puts STREAM into SESSION's list, where it gets its number. */
void kh_http_mcp_stream_enter(struct kh_http_mcp_session *session, struct kh_http_mcp_stream *stream);

/* Drops the streams of SESSION that nobody came back for. */
void kh_http_mcp_stream_sweep(struct kh_http_mcp_session *session, int64_t now);

/* SESSION is over: its streams end, and what still runs for them is cancelled. */
void kh_http_mcp_stream_end_all(struct kh_http_mcp_session *session);

#endif
