/* One connection of a client to a stream of /mcp (http/mcp/stream.h): what its work does, step by step, until the
 * response has ended.  It decides whether the response is JSON or server-sent events. */
#ifndef KH_HTTP_MCP_LINK_H
#define KH_HTTP_MCP_LINK_H

#include "http/mcp/stream.h"
#include "http/request.h"

/* Stored in the request (kh_http_request_kept). */
struct kh_http_mcp_link {
	struct kh_http_mcp_sessions *sessions;
	struct kh_http_mcp_stream *stream;   /* held from the first step on; NULL before */
	struct kh_http_mcp_session *session; /* held; NULL: there is none, or not yet */
	struct kh_mcp_peer *peer;            /* held, for a request without a session; NULL: the session's */
	struct kh_who who;                   /* the caller */
	bool json, events;                   /* what the client accepts */
	bool follows;                        /* a GET: events from the beginning */
	/* used by the steps */
	struct kh_http_stream *out;
	uint64_t connection; /* its number among the stream's connections */
	uint64_t sent;       /* the last event that was written to it */
	int64_t since, heard;
};

/* Attaches the link to its stream, in place of an earlier connection; SENT is the last event that the client has. */
void kh_http_mcp_link_begin(struct kh_http_mcp_link *link, struct kh_http_request *r, uint64_t sent);

/* A step of the request's work. */
enum kh_work_next kh_http_mcp_link_step(struct kh_http_mcp_link *link, struct kh_http_request *r);

/* Releases what the link holds, and empties it.  Returns KH_WORK_DONE. */
enum kh_work_next kh_http_mcp_link_end(struct kh_http_mcp_link *link);

/* Answers a request that has no exchange: a JSON-RPC error without an id. */
void kh_http_mcp_link_refuse(struct kh_http_request *r, unsigned status, int code, const char *message);

#endif
