/*
 * Messages of a call that wait until the parent takes them.  Nothing here waits: a parent that does not read holds up its
 * own call and no other.
 */
#ifndef KH_WORKER_HTTP_OUTLET_H
#define KH_WORKER_HTTP_OUTLET_H

#include "wire/channel.h"
#include "worker/http/bytes.h"

struct kh_outlet {
	int fd; /* the call's channel */
	const struct kh_alloc *alloc;
	size_t most;          /* bytes that may wait */
	struct kh_bytes held; /* packets, each behind its length */
	size_t at;            /* the first that was not sent */
};

void kh_outlet_init(struct kh_outlet *outlet, int fd, const struct kh_alloc *alloc, size_t most);
void kh_outlet_done(struct kh_outlet *outlet);

/* Puts a message at the end.  KH_ELIMIT if more would wait than may, KH_EINPUT if it is no message. */
enum kh_err kh_outlet_put(struct kh_outlet *outlet, struct kh_message_out *message) KH_CHECKED;

/* The same for bytes of any length, as messages of TYPE. */
enum kh_err kh_outlet_bulk(struct kh_outlet *outlet, enum kh_message_type type, struct kh_view bytes,
			   char buffer[KH_MESSAGE_MAX]) KH_CHECKED;

/* Sends what can be sent now: KH_IO_DONE if nothing waits any more, KH_IO_AGAIN, or what is wrong with the channel. */
enum kh_io kh_outlet_flush(struct kh_outlet *outlet) KH_CHECKED;

static inline bool kh_outlet_is_empty(const struct kh_outlet *outlet)
{
	return outlet->held.n == 0;
}

#endif
