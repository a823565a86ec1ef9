/*
 * What transports keep from one request to the next: rows that are beside the record (I1).
 *
 * Sessions of MCP, the streams that a client can come back to, their events, and the request states that were used.
 * Nothing here decides what a caller may do: that follows from its token, in every operation.  So these rows are written
 * without an event, are not verified, and are removed when their time has come, with their session, or with their token.
 * Every process on the store sees them, and they outlive the process that wrote them.
 *
 * A session and a state are found by a hash, so that the store does not hold what a client has to send.
 */
#ifndef KH_STORE_KEPT_H
#define KH_STORE_KEPT_H

#include "base/canonical.h"
#include "base/words.h"

enum kh_kept_kind { KH_KEPT_SESSION, KH_KEPT_STREAM, KH_KEPT_EVENT, KH_KEPT_STATE };
extern const struct kh_words kh_kept_words;

struct kh_kept {
	enum kh_kept_kind kind;
	struct kh_digest key; /* of the session, or of the state */
	int64_t stream, part; /* the stream's number in its session, the event's in its stream; 0: neither */
	int64_t token;        /* whose it is */
	int64_t until;        /* may be removed from then on; microseconds since 1970 */
	int64_t number;       /* session: streams so far; stream: its holder (store.h); event: 1 for the answer */
	struct kh_view value; /* any bytes */
};

/* Which rows are to be removed. */
enum kh_kept_range {
	KH_KEPT_OF_KEY,    /* all of `key` */
	KH_KEPT_OF_STREAM, /* `key`'s stream `stream`, and its events */
	KH_KEPT_EVENTS,    /* of that stream the events before `part` */
	KH_KEPT_OF_TOKEN,  /* all of `token` */
	KH_KEPT_UNTIL,     /* those whose time has come at `until` */
	KH_KEPT_RANGES
};

struct kh_txn;
typedef bool kh_kept_fn(const struct kh_kept *row, void *arg);

/* Puts ROW in the place of the one with the same kind, key, stream and part, if there is one. */
enum kh_err kh_kept_put(struct kh_txn *txn, const struct kh_kept *row) KH_CHECKED;

/* Calls FN with the rows of this kind, key and stream whose part is greater than AFTER, in ascending order, until it
 * returns false.  Texts are valid during the call. */
enum kh_err kh_kept_each(struct kh_txn *txn, const struct kh_kept *of, int64_t after, kh_kept_fn *fn,
			 void *arg) KH_CHECKED;

/* How many rows of KIND there are, of TOKEN or (0) in all; the key of the one whose time comes first. */
enum kh_err kh_kept_count(struct kh_txn *txn, enum kh_kept_kind kind, int64_t token, int64_t *ret_count,
			  struct kh_digest *ret_first) KH_CHECKED;

/* Removes the rows of RANGE; OF has the members that it names. */
enum kh_err kh_kept_remove(struct kh_txn *txn, enum kh_kept_range range, const struct kh_kept *of) KH_CHECKED;

#endif
