/*
 * What MCP's transports keep in the store (store/kept.h), so that any process on it can go on with a client's session,
 * and a restart loses nothing of it: sessions, streams and their events, and request states that were used.
 *
 * Each function is one transaction, for steps of works.  Bounded: KH_KEEPING_SESSIONS in all, KH_KEEPING_TOKEN of one
 * token (the one that was idle longest makes room), KH_KEEPING_STATES used states of a token.  What is past its time is
 * removed by kh_keeping_purge(), what belongs to a token when it is revoked.
 */
#ifndef KH_GATEWAY_KEEPING_H
#define KH_GATEWAY_KEEPING_H

#include "gateway/gateway.h"
#include "store/kept.h"

#define KH_KEEPING_SESSIONS 4096
#define KH_KEEPING_TOKEN    64
#define KH_KEEPING_STATES   4096
#define KH_KEEPING_STREAM   (INT64_C(900) * 1000000) /* microseconds that a stream's rows are kept at most */

/* A session of a token, by the hash of its id. */
struct kh_keeping {
	struct kh_gateway *gateway; /* NULL: nothing is kept, and every function fails with KH_EUNKNOWN */
	struct kh_digest key;
	int64_t token;
};

struct kh_keeping kh_keeping_of(struct kh_gateway *gateway, struct kh_view id, int64_t token);

/* Begins a session that may be removed from UNTIL on.  KH_ELIMIT `too_many_sessions`. */
enum kh_err kh_keeping_begin(const struct kh_keeping *of, int64_t until, struct kh_view value,
			     struct kh_error *err) KH_CHECKED;

/* Its value, in ARENA.  KH_EUNKNOWN if there is no such session of this token, or its time is over. */
enum kh_err kh_keeping_find(const struct kh_keeping *of, struct kh_arena *arena, struct kh_view *ret_value,
			    int64_t *ret_until, struct kh_error *err) KH_CHECKED;

/* Another time and value.  KH_EUNKNOWN if it has ended. */
enum kh_err kh_keeping_change(const struct kh_keeping *of, int64_t until, struct kh_view value,
			      struct kh_error *err) KH_CHECKED;

/* Ends the session: nothing of it is left. */
enum kh_err kh_keeping_end(const struct kh_keeping *of, struct kh_error *err) KH_CHECKED;

/* An event of a stream. */
struct kh_keeping_event {
	int64_t number;
	bool answer;
	struct kh_view text;
};

/* Begins a stream that this process writes, with its first events.  VALUE: the id of the request that it answers, as
 * JSON.  *RET_STREAM is its number, which no other stream of the session has or had. */
enum kh_err kh_keeping_stream(const struct kh_keeping *of, struct kh_view value, const struct kh_keeping_event *events,
			      size_t count, int64_t *ret_stream, struct kh_error *err) KH_CHECKED;

/* Adds an event, and removes those before number FROM. */
enum kh_err kh_keeping_add(const struct kh_keeping *of, int64_t stream, const struct kh_keeping_event *event,
			   int64_t from, struct kh_error *err) KH_CHECKED;

/* A stream as it is kept. */
struct kh_keeping_kept {
	struct kh_view value;
	bool is_written; /* a process that is alive and is not this one writes it */
	struct kh_keeping_event *events;
	size_t count;
};

/* Reads a stream and its events after number AFTER, in ARENA.  KH_EUNKNOWN if it is not kept. */
enum kh_err kh_keeping_read(const struct kh_keeping *of, int64_t stream, int64_t after, struct kh_arena *arena,
			    struct kh_keeping_kept *ret_kept, struct kh_error *err) KH_CHECKED;

/* Removes a stream. */
enum kh_err kh_keeping_forget(const struct kh_keeping *of, int64_t stream, struct kh_error *err) KH_CHECKED;

/* Notes that TOKEN used the request state of NONCE, good until UNTIL.  KH_EREFUSED if it was used before, by any process,
 * or if too many were used. */
enum kh_err kh_keeping_use(struct kh_gateway *gateway, int64_t token, struct kh_view nonce, int64_t until,
			   struct kh_error *err) KH_CHECKED;

/* Removes what is past its time. */
void kh_keeping_purge(struct kh_gateway *gateway);

#endif
