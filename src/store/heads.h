/*
 * The heads of the chains that have grown since the last checkpoint, kept as they change (L3).
 *
 * The store's thread tells it of every commit.  So a checkpoint is made without reading the record, and signs what this
 * process has written, not what the file says later.  Events of other processes are not known here: if one came in
 * between, the record is read once, by whoever makes the checkpoint (checkpoint.h).
 */
#ifndef KH_STORE_HEADS_H
#define KH_STORE_HEADS_H

#include "store/chains.h"

struct kh_heads;

/* An event that was committed. */
struct kh_heads_event {
	int64_t id, chain, n;
	struct kh_digest hash;
};

enum kh_err kh_heads_new(const struct kh_alloc *alloc, struct kh_heads **ret_heads) KH_CHECKED;
void kh_heads_free(struct kh_heads *heads); /* NULL is fine */

/* The store's thread: these events are durable.  EVENTS NULL: there are some, but they could not be remembered. */
void kh_heads_committed(struct kh_heads *heads, const struct kh_heads_event *events, size_t count);

/*
 * Takes the heads since event COVERED into *CHAINS, which the caller frees, and the newest event into *RET_LAST.  There
 * may also be heads with no event after COVERED.  False if not every event since COVERED is known: then *CHAINS is
 * empty, and the record must be read.  What is committed from now on counts for the next call.
 */
bool kh_heads_take(struct kh_heads *heads, int64_t covered, struct kh_chains *chains, int64_t *ret_last);

/* A stored checkpoint covers all events up to COVERED. */
void kh_heads_cover(struct kh_heads *heads, int64_t covered);

/* What was taken was not stored: the record must be read next time. */
void kh_heads_forget(struct kh_heads *heads);

/*
 * Waits until COUNT events are not covered, kh_heads_stop() was called, or UNTIL (of the monotonic clock, in
 * microseconds) has come.  Returns the number of events that are not covered, as far as this process knows.
 */
int64_t kh_heads_wait(struct kh_heads *heads, int64_t count, int64_t until);

/* Ends the waiting, for good. */
void kh_heads_stop(struct kh_heads *heads);
bool kh_heads_is_stopped(struct kh_heads *heads);

#endif
