/* Messages that wait.  See outlet.h. */
#include "worker/http/outlet.h"

void kh_outlet_init(struct kh_outlet *outlet, int fd, const struct kh_alloc *alloc, size_t most)
{
	*outlet = (struct kh_outlet){.fd = fd, .alloc = alloc, .most = most};
}

void kh_outlet_done(struct kh_outlet *outlet)
{
	kh_bytes_free(&outlet->held, outlet->alloc);
	outlet->at = 0;
}

enum kh_err kh_outlet_put(struct kh_outlet *outlet, struct kh_message_out *message)
{
	size_t before = outlet->held.n;
	struct kh_view packet;
	enum kh_err e = kh_message_end(message, &packet);

	if (e != KH_OK)
		return e;
	e = kh_bytes_add(&outlet->held, outlet->alloc, outlet->most,
			 kh_view_of((const char *)&packet.n, sizeof(packet.n)));
	if (e == KH_OK)
		e = kh_bytes_add(&outlet->held, outlet->alloc, outlet->most, packet);
	if (e != KH_OK)
		outlet->held.n = before;
	return e;
}

enum kh_err kh_outlet_bulk(struct kh_outlet *outlet, enum kh_message_type type, struct kh_view bytes,
			   char buffer[KH_MESSAGE_MAX])
{
	struct kh_message_out message;
	enum kh_err e = KH_OK;

	for (size_t at = 0; at < bytes.n && e == KH_OK; at += KH_MESSAGE_BULK) {
		kh_message_begin(&message, buffer, KH_MESSAGE_MAX, type);
		kh_message_bulk(&message, kh_view_sub(bytes, at, at + KH_MESSAGE_BULK));
		e = kh_outlet_put(outlet, &message);
	}
	return e;
}

enum kh_io kh_outlet_flush(struct kh_outlet *outlet)
{
	size_t n;

	while (outlet->at < outlet->held.n) {
		memcpy(&n, outlet->held.p + outlet->at, sizeof(n));
		enum kh_io io = kh_channel_send(outlet->fd, kh_view_of(outlet->held.p + outlet->at + sizeof(n), n),
						NULL, 0);
		if (io != KH_IO_DONE)
			return io;
		outlet->at += sizeof(n) + n;
	}
	outlet->at = outlet->held.n = 0;
	return KH_IO_DONE;
}
