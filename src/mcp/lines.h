/*
 * MCP as JSON lines: one message a line, over the standard streams or over Unix sockets.
 *
 * One thread watches every connection (epoll), reads lines and has them taken (mcp.h).  Answers are written by the
 * thread that makes them, and by this thread if the other end does not keep up.  Whom it trusts: nobody.  A line is at
 * most KH_MCP_MESSAGE bytes.  Unread output is kept up to KH_MCP_CONNECTION_UNSENT bytes (less if all connections
 * together leave more than KH_MCP_CONNECTION_ALL unread).  There are at most KH_MCP_LINES_MOST connections.  A
 * connection that passes a limit is closed.
 *
 * A connection to the Unix socket sends its token in the first line, bare or as {"token":"..."}, within
 * KH_MCP_LINES_HELLO.  A valid token gets no answer: messages may follow it at once.  A token that is not valid is
 * answered by a JSON-RPC error with the id null, and the connection is closed.
 *
 * The process has to ignore SIGPIPE.
 */
#ifndef KH_MCP_LINES_H
#define KH_MCP_LINES_H

#include "mcp/mcp.h"

#define KH_MCP_LINES_MOST  1024
#define KH_MCP_LINES_HELLO INT64_C(10000000) /* microseconds */

struct kh_mcp_lines;

/* Starts the thread.  MCP stays the caller's and must outlive the lines. */
enum kh_err kh_mcp_lines_new(struct kh_mcp *mcp, struct kh_mcp_lines **ret_lines, struct kh_error *err) KH_CHECKED;

/* Adds a peer at a pair of descriptors, which stay the caller's.  OUT is non-blocking until the peer has ended. */
enum kh_err kh_mcp_lines_stdio(struct kh_mcp_lines *lines, int in, int out, struct kh_token_claim token,
			       struct kh_error *err) KH_CHECKED;

/* Accepts connections at FD, a listening Unix socket.  The lines own FD and close it, even if this call fails. */
enum kh_err kh_mcp_lines_listen(struct kh_mcp_lines *lines, int fd, struct kh_error *err) KH_CHECKED;

/* Returns when the peer of kh_mcp_lines_stdio() has ended (its input is over, everything is answered and written),
 * or when kh_mcp_lines_quiesce() was called. */
void kh_mcp_lines_wait(struct kh_mcp_lines *lines);

/* Accepts no more connections and takes no more lines.  What runs is answered; kh_gateway_stop() ends the waits.
 * May be called from any thread. */
void kh_mcp_lines_quiesce(struct kh_mcp_lines *lines);

/* Stops: calls kh_mcp_lines_quiesce(), waits until all is answered and written, for at most TIMEOUT_US, closes every
 * connection and ends the thread.  Returns false if something still ran and had to be cancelled. */
bool kh_mcp_lines_stop(struct kh_mcp_lines *lines, int64_t timeout_us);

/* Frees the lines.  Without kh_mcp_lines_stop() before, cancels what runs and waits for it.  NULL is fine. */
void kh_mcp_lines_free(struct kh_mcp_lines *lines);

/* Returns the number of connections. */
size_t kh_mcp_lines_count(struct kh_mcp_lines *lines);

#endif
