/*
 * One connection of lines: bytes in, lines out of them; messages in, bytes out.  Bounded both ways.
 *
 * Reading and closing is one thread's, that of lines.c.  Messages come from any thread.
 */
#ifndef KH_MCP_CONNECTION_H
#define KH_MCP_CONNECTION_H

#include "mcp/mcp.h"

#define KH_MCP_CONNECTION_UNSENT (8U << 20) /* bytes that the other end may leave unread */
#define KH_MCP_CONNECTION_FEW    (1U << 18) /* and where all together leave more than ... unread */
#define KH_MCP_CONNECTION_ALL    (64U << 20)
#define KH_MCP_CONNECTION_READ   65536 /* bytes read at once */

enum kh_mcp_connection_state {
	KH_MCP_CONNECTION_HELLO,    /* its token is to come */
	KH_MCP_CONNECTION_CHECKING, /* it is being looked at */
	KH_MCP_CONNECTION_OPEN,
	KH_MCP_CONNECTION_CLOSED, /* its descriptors are; it is there until nothing runs for it */
};

struct kh_mcp_connection {
	const struct kh_alloc *alloc;
	struct kh_mcp_connection *next;
	int in, out;      /* the same one, of a socket */
	bool borrowed;    /* they are the caller's, with these flags */
	int out_flags;    /* to be put back */
	bool unpolled_in; /* a file: it can always be read, and epoll does not take it */
	enum kh_mcp_connection_state state;
	struct kh_mcp_peer *peer;        /* from OPEN on */
	int64_t since;                   /* kh_works_now() */
	bool ended;                      /* there is no more input */
	int64_t watched_in, watched_out; /* the events that epoll was asked for; -1: it was not */
	char *line;                      /* what was read and has not been taken */
	size_t line_n, line_room, scanned;

	pthread_mutex_t lock; /* of what follows */
	char *unsent;
	size_t unsent_n, unsent_room, unsent_at;
	atomic_size_t *all; /* what all connections have kept so; NULL: it is not counted */
	unsigned running;   /* exchanges, and the look at a token */
	bool broken;        /* it cannot be written to, or has left too much unread */
	bool refused;       /* its token was no good */
	bool admitted;      /* it was */
};

struct kh_mcp_connection *kh_mcp_connection_new(const struct kh_alloc *alloc, int in, int out, bool borrowed);
void kh_mcp_connection_free(struct kh_mcp_connection *c);

/* Reads once.  False: it is broken.  `ended` where the input is over. */
bool kh_mcp_connection_read(struct kh_mcp_connection *c) KH_CHECKED;

/*
 * The next whole line of what was read, without its end; at the end of input the rest is one too.  False: there is
 * none.  *RET_LINE is valid until kh_mcp_connection_skip(), which takes it off.
 */
bool kh_mcp_connection_line(struct kh_mcp_connection *c, struct kh_view *ret_line, size_t *ret_size);
void kh_mcp_connection_skip(struct kh_mcp_connection *c, size_t size);

/* True where what was read is longer than a line may be. */
bool kh_mcp_connection_is_overlong(const struct kh_mcp_connection *c);

/* Writes MESSAGE and a newline, or keeps what cannot be written now.  True: something is kept, or it is broken: the
 * thread of lines.c has to see to it. */
bool kh_mcp_connection_send(struct kh_mcp_connection *c, struct kh_view message);

/* Writes what was kept, as far as it goes. */
void kh_mcp_connection_flush(struct kh_mcp_connection *c);

/* Closes the descriptors, or gives them back, and forgets what was kept. */
void kh_mcp_connection_close(struct kh_mcp_connection *c);

#endif
