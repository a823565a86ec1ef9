/*
 * MCP as JSON lines: one message a line, over the standard streams or over Unix sockets.
 *
 * One thread watches every connection (epoll), reads lines and has them taken (mcp.h); answers are written by whoever
 * makes them, and by this thread where the other end does not keep up.  Whom it trusts: nobody.  A line is at most
 * KH_MCP_MESSAGE bytes, what is not read is kept up to KH_MCP_CONNECTION_UNSENT bytes (less where all together leave
 * more than KH_MCP_CONNECTION_ALL unread), and there are at most KH_MCP_LINES_MOST connections: whoever passes a limit
 * is closed.
 *
 * A connection to the Unix socket sends its token in the first line, bare or as {"token":"..."}, within
 * KH_MCP_LINES_HELLO.  A token that is good is answered by nothing: messages may follow it at once.  One that is not is
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

/* Starts the thread.  MCP stays the caller's and outlives it. */
enum kh_err kh_mcp_lines_new(struct kh_mcp *mcp, struct kh_mcp_lines **ret_lines, struct kh_error *err) KH_CHECKED;

/* A peer at a pair of descriptors, which stay the caller's: OUT does not block until the peer has ended. */
enum kh_err kh_mcp_lines_stdio(struct kh_mcp_lines *lines, int in, int out, struct kh_view token,
			       struct kh_error *err) KH_CHECKED;

/* Accepts connections at FD, a listening Unix socket, which is closed by the lines.  Also where this fails. */
enum kh_err kh_mcp_lines_listen(struct kh_mcp_lines *lines, int fd, struct kh_error *err) KH_CHECKED;

/* Returns when the peer of kh_mcp_lines_stdio() has ended: its input is over, everything is answered and written; or
 * when kh_mcp_lines_quiesce() was called. */
void kh_mcp_lines_wait(struct kh_mcp_lines *lines);

/* Takes nothing more: no connection, no line.  What runs is answered: kh_gateway_stop() ends the waits.  From any
 * thread. */
void kh_mcp_lines_quiesce(struct kh_mcp_lines *lines);

/*
 * Stops: as above, then waits until all is answered and written, for at most TIMEOUT_US, closes every connection and
 * ends the thread.  False where something still ran that had to be cancelled.
 */
bool kh_mcp_lines_stop(struct kh_mcp_lines *lines, int64_t timeout_us);

/* After kh_mcp_lines_stop(), or without it, which cancels what runs and waits for that.  NULL is fine. */
void kh_mcp_lines_free(struct kh_mcp_lines *lines);

/* How many connections there are. */
size_t kh_mcp_lines_count(struct kh_mcp_lines *lines);

#endif
