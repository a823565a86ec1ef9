/*
 * The messages that one POST to /mcp causes, on their way to the client: kept until the client reads them.
 *
 *   exchange --send()--> stream --step of a connection (http/mcp/link.h)--> client
 *
 * If the answer is the only message, it is sent as JSON; from the first other message on, or if the answer takes long,
 * as server-sent events.  In a session the stream then has a number, its events have ids, and it outlives its
 * connection for a bounded time: a client that was cut off, or told to come back (SSE polling), continues it with
 * Last-Event-ID.  The newest connection writes; an earlier one ends.
 *
 * Without a session (2026-07-28) nothing is kept: if the client disconnects, its request is cancelled.
 *
 * Stream 0 is a session's own: that of a GET without Last-Event-ID, for messages outside of exchanges.  Keyhole has one
 * such message, that other tools are offered: any other would tell a Controller when others do something.  It is kept
 * until it was written once, to whichever connection.
 *
 * From then on the stream and its events are also rows of the store (http/mcp/kept.h), and each event is durable before
 * it is sent: a client can come back after a restart, and to another process.
 *
 * Bounded: what is kept of a stream by http/mcp/replay.h; KH_HTTP_MCP_STREAM_KEPT streams a session, for
 * KH_HTTP_MCP_STREAM_KEEP after the connection or the answer, whichever came last; and if all streams together are over
 * their limit, a stream without a connection loses its events.
 */
#ifndef KH_HTTP_MCP_STREAM_H
#define KH_HTTP_MCP_STREAM_H

#include "http/mcp/replay.h"
#include "http/mcp/session.h"
#include "mcp/mcp.h"

#define KH_HTTP_MCP_STREAM_KEPT  32                       /* streams of a session that a client can come back to */
#define KH_HTTP_MCP_STREAM_KEEP  (INT64_C(120) * 1000000) /* microseconds */
#define KH_HTTP_MCP_STREAM_SLOW  (INT64_C(5) * 1000000)   /* an answer that takes longer is sent as an event */
#define KH_HTTP_MCP_STREAM_QUIET (INT64_C(15) * 1000000)  /* a comment is sent after so long without an event */
#define KH_HTTP_MCP_STREAM_STUCK (INT64_C(60) * 1000000)  /* a client that reads nothing for so long is gone */
#define KH_HTTP_MCP_STREAM_FAR   INT64_C(300000)          /* between two looks at what another process writes */
#define KH_HTTP_MCP_STREAM_RETRY 500                      /* milliseconds after which a client comes back */

struct kh_http_mcp_stream {
	const struct kh_alloc *alloc;
	pthread_mutex_t lock; /* guards everything */
	unsigned refs;
	bool own; /* a session's own: there is no exchange */
	struct kh_mcp_exchange *exchange;
	unsigned uses;    /* of `exchange`; the last one frees it */
	bool ended;       /* the answer is there, or none comes; a session's own: the session is over */
	bool others;      /* there was a message besides the answer */
	bool lost;        /* messages were lost, for lack of memory or because of a limit */
	bool rests;       /* its connection is to be closed; the client comes back */
	bool initialized; /* the answer is one to `initialize`, and makes the peer a session */
	unsigned status;  /* of the answer, for HTTP */
	struct kh_http_mcp_replay said;
	struct kh_keeping row; /* of its session */
	bool kept;             /* it is in the store (http/mcp/kept.h) */
	bool far;              /* another process writes it */
	uint64_t number;       /* in its session */
	bool resumable;        /* it is in its session's list */
	uint64_t connection;   /* number of connections so far */
	struct kh_work *work;  /* of the connection that writes; NULL: there is none */
	int64_t left;          /* when the last connection ended, or the answer came after that; 0: neither */
	struct kh_http_mcp_stream *older; /* in its session's list, under the session's lock */
};

/* NULL: out of memory. */
struct kh_http_mcp_stream *kh_http_mcp_stream_new(struct kh_http_mcp_sessions *sessions);
void kh_http_mcp_stream_drop(struct kh_http_mcp_stream *stream);

/* Has PEER take MESSAGE.  False: it could not be taken, and no message will follow. */
bool kh_http_mcp_stream_take(struct kh_http_mcp_stream *stream, struct kh_mcp_peer *peer, struct kh_view message,
			     const struct kh_mcp_headers *headers) KH_CHECKED;

/* The transport of exchanges that kh_http_mcp_stream_take() made. */
extern const struct kh_mcp_transport kh_http_mcp_stream_transport;

/* The lock is held.  No client is connected any more, and the events may have to be forgotten. */
void kh_http_mcp_stream_rests(struct kh_http_mcp_stream *stream);

/* Cancels the exchange if it is not answered. */
void kh_http_mcp_stream_cancel(struct kh_http_mcp_stream *stream);

/* Returns the stream of SESSION that has NUMBER, with a reference, or NULL.  0 is the session's own, which is made
 * if it is not there yet (NULL: out of memory, or the session is over). */
struct kh_http_mcp_stream *kh_http_mcp_stream_find(struct kh_http_mcp_session *session, uint64_t number);

/* Sends MESSAGE outside of exchanges, if a client has asked for such messages. */
void kh_http_mcp_stream_tell(struct kh_http_mcp_session *session, struct kh_view message);

/* Puts STREAM into SESSION's list, which gives it its number. */
void kh_http_mcp_stream_enter(struct kh_http_mcp_session *session, struct kh_http_mcp_stream *stream);

/* Drops the streams of SESSION that no client came back for. */
void kh_http_mcp_stream_sweep(struct kh_http_mcp_session *session, int64_t now);

/* Whether a client is connected to one of SESSION's streams. */
bool kh_http_mcp_stream_is_read(struct kh_http_mcp_session *session);

/* SESSION is over: ends its streams, and cancels what still runs for them. */
void kh_http_mcp_stream_end_all(struct kh_http_mcp_session *session);

#endif
