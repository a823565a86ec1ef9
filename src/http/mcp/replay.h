/*
 * Events that were sent on one stream of /mcp, kept so that they can be sent again to a client that was cut off.
 *
 * An event's id is "<stream>-<number>": the stream's number in its session, and the event's in the stream, from 1 on; 0
 * is the beginning, before the first event.  Ids are not secret: they have a meaning only within a session.
 *
 * Bounded by KH_HTTP_MCP_REPLAY_EVENTS and KH_HTTP_MCP_REPLAY_BYTES; past either, the oldest notifications are
 * forgotten, but never the answer, which is the last event.  The bytes of all replays together are counted, so that
 * their owners can keep within KH_HTTP_MCP_REPLAY_ALL.
 */
#ifndef KH_HTTP_MCP_REPLAY_H
#define KH_HTTP_MCP_REPLAY_H

#include "base/alloc.h"
#include "base/view.h"

#include <stdatomic.h>

#define KH_HTTP_MCP_REPLAY_EVENTS 64
#define KH_HTTP_MCP_REPLAY_BYTES  (256U << 10)
#define KH_HTTP_MCP_REPLAY_ALL    ((size_t)64 << 20)
#define KH_HTTP_MCP_REPLAY_ID     48 /* bytes of an id, with its NUL */

struct kh_http_mcp_event {
	struct kh_http_mcp_event *next;
	uint64_t number;
	bool answer;
	struct kh_view text;
};

struct kh_http_mcp_replay {
	const struct kh_alloc *alloc;
	atomic_size_t *all; /* bytes of all replays */
	struct kh_http_mcp_event *first, *last;
	uint64_t next; /* number of the next event */
	size_t count, bytes;
};

void kh_http_mcp_replay_init(struct kh_http_mcp_replay *replay, const struct kh_alloc *alloc, atomic_size_t *all);

/* Forgets everything. */
void kh_http_mcp_replay_done(struct kh_http_mcp_replay *replay);

/* True if all replays together are over their limit: then streams without a connection have to forget their events. */
bool kh_http_mcp_replay_is_over(const struct kh_http_mcp_replay *replay);

/* Adds an event; TEXT is copied.  KH_ENOMEM. */
enum kh_err kh_http_mcp_replay_add(struct kh_http_mcp_replay *replay, struct kh_view text, bool answer) KH_CHECKED;

/* Returns the first event after NUMBER that is still known, or NULL. */
const struct kh_http_mcp_event *kh_http_mcp_replay_after(const struct kh_http_mcp_replay *replay, uint64_t number);

/* Forgets all events up to NUMBER, because nobody will ask for them. */
void kh_http_mcp_replay_forget(struct kh_http_mcp_replay *replay, uint64_t number);

/* Writes the id of an event into BUF. */
struct kh_view kh_http_mcp_replay_id(char buf[KH_HTTP_MCP_REPLAY_ID], uint64_t stream, uint64_t number);

/* Returns false if ID is not one that kh_http_mcp_replay_id() writes. */
bool kh_http_mcp_replay_read(struct kh_view id, uint64_t *ret_stream, uint64_t *ret_number) KH_CHECKED;

#endif
