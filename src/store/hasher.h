/*
 * Checks hashes of events in a thread of its own, so that verification hashes while it reads.  Events are given in
 * order and copied.  The result is the first event whose hash is wrong.
 */
#ifndef KH_STORE_HASHER_H
#define KH_STORE_HASHER_H

#include "store/audit.h"

struct kh_hasher;

/* With THREAD false, or if no thread can be started, kh_hasher_give() hashes in the calling thread. */
enum kh_err kh_hasher_new(const struct kh_alloc *alloc, bool thread, struct kh_hasher **ret_hasher) KH_CHECKED;

/* Waits for the thread.  NULL is fine. */
void kh_hasher_free(struct kh_hasher *hasher);

/* The next event.  False if an event is already known to be bad: no more are needed. */
bool kh_hasher_give(struct kh_hasher *hasher, const struct kh_audit_entry *entry);

/* Waits until all events that were given have been checked.  Returns the first bad one and its chain; 0: none. */
int64_t kh_hasher_end(struct kh_hasher *hasher, int64_t *ret_chain);

#endif
