/*
 * One connection of lines: splits incoming bytes into lines, and writes messages.  Both directions are bounded.
 *
 * Only the thread of lines.c reads and closes.  Any thread may send messages.
 */
#ifndef KH_MCP_CONNECTION_H
#define KH_MCP_CONNECTION_H

#include "mcp/mcp.h"

#define KH_MCP_CONNECTION_UNSENT (8U << 20) /* bytes that the other end may leave unread */
#define KH_MCP_CONNECTION_FEW    (1U << 18) /* the limit if all together leave more than KH_MCP_CONNECTION_ALL unread */
#define KH_MCP_CONNECTION_ALL    (64U << 20)
#define KH_MCP_CONNECTION_READ   65536 /* bytes read at once */

enum kh_mcp_connection_state {
	KH_MCP_CONNECTION_HELLO,    /* its token has not come yet */
	KH_MCP_CONNECTION_CHECKING, /* its token is being checked */
	KH_MCP_CONNECTION_OPEN,
	KH_MCP_CONNECTION_CLOSED, /* its descriptors are closed; it stays until nothing runs for it */
};

struct kh_mcp_connection {
	const struct kh_alloc *alloc;
	struct kh_mcp_connection *next;
	int in, out;      /* the same one if it is a socket */
	bool borrowed;    /* the descriptors belong to the caller, with these flags */
	int out_flags;    /* to be restored */
	bool unpolled_in; /* a file: it can always be read, and epoll does not accept it */
	enum kh_mcp_connection_state state;
	struct kh_mcp_peer *peer;        /* set from OPEN on */
	int64_t since;                   /* kh_works_now() */
	bool ended;                      /* there is no more input */
	int64_t watched_in, watched_out; /* the events that epoll reports; -1: it does not watch */
	char *line;                      /* what was read and not yet taken */
	size_t line_n, line_room, scanned;

	pthread_mutex_t lock; /* guards the members that follow */
	char *unsent;
	size_t unsent_n, unsent_room, unsent_at;
	atomic_size_t *all; /* bytes that all connections keep; NULL: not counted */
	unsigned running;   /* exchanges, and the check of a token */
	bool broken;        /* it cannot be written to, or the other end has left too much unread */
	bool refused;       /* its token was not valid */
	bool admitted;      /* its token was valid */
};

struct kh_mcp_connection *kh_mcp_connection_new(const struct kh_alloc *alloc, int in, int out, bool borrowed);
void kh_mcp_connection_free(struct kh_mcp_connection *c);

/* Reads once.  False: the connection is broken.  Sets `ended` at the end of input. */
bool kh_mcp_connection_read(struct kh_mcp_connection *c) KH_CHECKED;

/* Finds the next whole line of what was read, without its end; at the end of input, the rest counts as a line.
 * False: there is none.  *RET_LINE is valid until kh_mcp_connection_skip(), which removes it. */
bool kh_mcp_connection_line(struct kh_mcp_connection *c, struct kh_view *ret_line, size_t *ret_size);
void kh_mcp_connection_skip(struct kh_mcp_connection *c, size_t size);

/* True if what was read is longer than a line may be. */
bool kh_mcp_connection_is_overlong(const struct kh_mcp_connection *c);

/* Returns the token in a first line: the line itself, or a member of an object. */
struct kh_view kh_mcp_connection_token(struct kh_arena *arena, struct kh_view line);

/* True if nothing runs for the connection, and all is written. */
bool kh_mcp_connection_is_idle(struct kh_mcp_connection *c);

/* Writes MESSAGE and a newline; keeps what cannot be written now.  Returns true if something is kept or the
 * connection is broken: then the thread of lines.c must handle it. */
bool kh_mcp_connection_send(struct kh_mcp_connection *c, struct kh_view message);

/* Writes what was kept, as far as possible now. */
void kh_mcp_connection_flush(struct kh_mcp_connection *c);

/* Closes the descriptors, or gives them back to the caller, and frees what was kept. */
void kh_mcp_connection_close(struct kh_mcp_connection *c);

#endif
