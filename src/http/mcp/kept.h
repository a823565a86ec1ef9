/*
 * Sessions and streams of /mcp as rows of the store (gateway/keeping.h).
 *
 * A session is a row from its `initialize` on.  A stream that a client can come back to is one from the moment when its
 * first id is sent, and every event of it is durable before it is sent.  So after a restart, or on another process, a
 * client that names the last event which it has gets those that follow, and no event twice.
 *
 * A request that nobody answers any more, because the process that ran it has ended, is answered with an error when the
 * client comes back.  That answer is an event of the stream like any other.
 */
#ifndef KH_HTTP_MCP_KEPT_H
#define KH_HTTP_MCP_KEPT_H

#include "http/mcp/stream.h"

/* SESSION is new: makes it a row.  KH_ELIMIT `too_many_sessions`. */
enum kh_err kh_http_mcp_kept_begin(struct kh_http_mcp_session *session, struct kh_error *err) KH_CHECKED;

/* Returns the session ID of TOKEN, which belongs to WHO, if the store has it, with a reference; else NULL. */
struct kh_http_mcp_session *kh_http_mcp_kept_find(struct kh_http_mcp_sessions *table, struct kh_mcp *mcp,
						  struct kh_view id, struct kh_token_claim token,
						  const struct kh_who *who);

/* Whether SESSION's row is still there; the store is asked once a second at most. */
bool kh_http_mcp_kept_holds(struct kh_http_mcp_session *session);

/* Writes what SESSION's client has said since, and that it was used. */
void kh_http_mcp_kept_save(struct kh_http_mcp_session *session);

/* Removes SESSION from the store, with all that belongs to it. */
void kh_http_mcp_kept_end(struct kh_http_mcp_session *session);

/* STREAM, with its lock held, becomes one of SESSION's that a client can come back to.  False: it could not. */
bool kh_http_mcp_kept_enter(struct kh_http_mcp_session *session, struct kh_http_mcp_stream *stream);

/* The lock is held, and STREAM has got another event. */
void kh_http_mcp_kept_event(struct kh_http_mcp_stream *stream);

/* Returns stream NUMBER of SESSION as the store has it; NULL: it has not, or there is no memory. */
struct kh_http_mcp_stream *kh_http_mcp_kept_load(struct kh_http_mcp_session *session, uint64_t number);

/* The lock is held, and another process writes STREAM: takes what it has written since. */
void kh_http_mcp_kept_follow(struct kh_http_mcp_stream *stream);

/* Removes STREAM from the store, unless another process writes it. */
void kh_http_mcp_kept_forget(struct kh_http_mcp_stream *stream);

#endif
