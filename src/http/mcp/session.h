/*
 * Sessions of /mcp: for the versions of MCP that begin with `initialize`.
 *
 * A session is part of the transport only: what its client may do depends only on the token that every request
 * carries.  An id is 128 random bits, and is bound to the token that it was made for: with another token it is answered
 * like an unknown id.
 *
 * A session is a row of the store (http/mcp/kept.h), so that every process on it knows it, also after a restart.  What is
 * here is what this process has of it in memory, made when a client comes with its id.
 *
 * Bounded: KH_HTTP_MCP_SESSION_MOST in all, KH_HTTP_MCP_SESSION_TOKEN for each token (its session that has been idle
 * longest makes room), removed after KH_HTTP_MCP_SESSION_IDLE without a request.  Nothing of value is lost with a
 * session, because tasks, queries and approvals are in the store.
 */
#ifndef KH_HTTP_MCP_SESSION_H
#define KH_HTTP_MCP_SESSION_H

#include "base/alloc.h"
#include "base/error.h"
#include "gateway/keeping.h"

#include <pthread.h>
#include <stdatomic.h>

#define KH_HTTP_MCP_SESSION_MOST  4096
#define KH_HTTP_MCP_SESSION_TOKEN 64
#define KH_HTTP_MCP_SESSION_IDLE  (INT64_C(3600) * 1000000) /* microseconds */
#define KH_HTTP_MCP_SESSION_ID    33                        /* bytes of an id, with its NUL */

struct kh_mcp_peer;
struct kh_http_mcp_stream;
struct kh_http_mcp_sessions;

/* What a client has said of itself in its session. */
struct kh_http_mcp_session_said {
	int version, log_level;
	unsigned can;
	bool initialised;
};

struct kh_http_mcp_session {
	struct kh_http_mcp_sessions *table;
	char id[KH_HTTP_MCP_SESSION_ID];
	int64_t token;            /* row of the token that it belongs to */
	struct kh_mcp_peer *peer; /* held as long as the session exists */
	/* Used by http/mcp/kept.c, under `lock`. */
	struct kh_keeping row;
	int64_t checked; /* when the row was last seen; 0: it has not been */
	int64_t until;   /* of the row */
	struct kh_http_mcp_session_said saved;
	/* Used by http/mcp/stream.c, under `lock`. */
	pthread_mutex_t lock;
	struct kh_http_mcp_stream *streams; /* that a client can come back to, the newest first */
	unsigned stream_count;
	bool over; /* no stream may be added any more */
	/* Used by the table, under its lock. */
	unsigned refs;
	bool listed;
	int64_t used;
	struct kh_http_mcp_session *same_hash, *newer, *older;
};

struct kh_http_mcp_sessions {
	const struct kh_alloc *alloc;
	struct kh_gateway *gateway; /* NULL: nothing is kept in a store */
	void (*random)(void *ctx, unsigned char *bytes, size_t n);
	void (*ended)(struct kh_http_mcp_session *session); /* it was removed from the table; called without the lock */
	void (*freed)(struct kh_http_mcp_session *session); /* its last reference is gone: drop its peer */
	void *ctx;
	pthread_mutex_t lock;
	atomic_size_t replays; /* bytes that are kept for clients that come back (http/mcp/replay.h) */
	struct kh_http_mcp_session *by_id[1024];
	struct kh_http_mcp_session *newest, *oldest; /* by their last request */
	unsigned count;
};

/* The caller sets `alloc`, `random`, `ended`, `freed` and `ctx`; this sets the rest. */
void kh_http_mcp_session_init(struct kh_http_mcp_sessions *table);

/* Ends all sessions.  Nobody may hold one any more. */
void kh_http_mcp_session_done(struct kh_http_mcp_sessions *table);

/* Makes a session of TOKEN (a row), used NOW.  ID is that of a session which the store has and this process has not;
 * empty: a new one.  If this succeeds, the session owns PEER, unless its `peer` is another: then this process has got
 * the session meanwhile.  KH_ELIMIT `too_many_sessions` if there is no room for another.  The caller gets a reference: kh_http_mcp_session_drop(). */
enum kh_err kh_http_mcp_session_new(struct kh_http_mcp_sessions *table, struct kh_view id, int64_t token,
				    struct kh_mcp_peer *peer, int64_t now, struct kh_http_mcp_session **ret_session,
				    struct kh_error *err) KH_CHECKED;

/* Returns the session of this id if it belongs to TOKEN, with a reference; else NULL. */
struct kh_http_mcp_session *kh_http_mcp_session_find(struct kh_http_mcp_sessions *table, struct kh_view id,
						     int64_t token, int64_t now);

void kh_http_mcp_session_drop(struct kh_http_mcp_session *session);

/* Removes the session from the table: nobody finds it any more. */
void kh_http_mcp_session_end(struct kh_http_mcp_session *session);

/* Ends sessions that were idle for too long.  VISIT (may be NULL) is called with each that is left, held. */
void kh_http_mcp_session_sweep(struct kh_http_mcp_sessions *table, int64_t now,
			       void (*visit)(struct kh_http_mcp_session *session, int64_t now));

unsigned kh_http_mcp_session_count(struct kh_http_mcp_sessions *table);

#endif
