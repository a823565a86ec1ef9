/*
 * A request as its parent sees it.
 *
 * The executor is trusted to report how a request ended, and with nothing else.  It may die at any moment or send
 * something that is not a message, and the parent still gets one END.  What came from outside leaves here as struct
 * kh_tainted.
 */
#include "outside/exchange.h"

#include "wire/channel.h"

#include <unistd.h>

void kh_exchange_init(struct kh_exchange *exchange, int fd, enum kh_message_state state, bool fed)
{
	exchange->fd = fd;
	exchange->state = state;
	exchange->fed = fed;
}

/* The executor is gone or broke the protocol: makes the END that it did not send. */
static void lose(struct kh_exchange *exchange, const char *why, struct kh_event *ret_event)
{
	struct kh_view detail = kh_view_str(why);

	exchange->state = KH_STATE_ENDED;
	*ret_event = (struct kh_event){.kind = KH_EVENT_END, .end = {.fault = KH_FAULT_LOST}};
	memcpy(ret_event->end.detail, detail.p, detail.n);
}

static void take_end(const struct kh_message *message, struct kh_end *ret_end)
{
	struct kh_view detail = message->text[KH_FIELD_DETAIL];

	ret_end->fault = (enum kh_fault)message->number[KH_FIELD_FAULT];
	ret_end->status = (int)message->number[KH_FIELD_STATUS];
	ret_end->time_us = message->number[KH_FIELD_TIME];
	ret_end->used = message->number[KH_FIELD_USED];
	ret_end->sent = message->number[KH_FIELD_SENT];
	ret_end->received = message->number[KH_FIELD_RECEIVED];
	ret_end->is_spent = message->number[KH_FIELD_SPENT] == 1;
	/* The table of messages has checked that it fits. */
	if (detail.n > 0)
		memcpy(ret_end->detail, detail.p, detail.n);
	ret_end->detail[detail.n] = '\0';
	struct kh_view reason = message->text[KH_FIELD_REASON];
	if (reason.n > 0)
		memcpy(ret_end->reason, reason.p, reason.n);
	ret_end->reason_n = reason.n;
}

static struct kh_tainted tainted(const struct kh_message *message, enum kh_message_field field)
{
	return kh_tainted_wrap(message->text[field]);
}

/* The event that MESSAGE is; a parent's states permit only these five types. */
static void take_event(const struct kh_message *message, struct kh_event *ret_event)
{
	*ret_event = (struct kh_event){.kind = KH_EVENT_OUTPUT, .bytes = kh_tainted_wrap(message->bulk)};
	if (message->type == KH_MESSAGE_ERRORS) {
		ret_event->kind = KH_EVENT_ERRORS;
	} else if (message->type == KH_MESSAGE_HEAD) {
		ret_event->kind = KH_EVENT_HEAD;
		ret_event->head = (struct kh_head){
			.status = (unsigned)message->number[KH_FIELD_STATUS],
			.headers = tainted(message, KH_FIELD_HEADERS),
			.url = tainted(message, KH_FIELD_URL),
			.location = tainted(message, KH_FIELD_LOCATION),
		};
	} else if (message->type == KH_MESSAGE_KEPT || message->type == KH_MESSAGE_END) {
		ret_event->kind = message->type == KH_MESSAGE_END ? KH_EVENT_END : KH_EVENT_KEPT;
		take_end(message, &ret_event->end);
		ret_event->bytes = tainted(message, KH_FIELD_KEPT);
		ret_event->written = message->number[KH_FIELD_WRITTEN];
	}
}

void kh_exchange_next(struct kh_exchange *exchange, int timeout_ms, struct kh_event *ret_event)
{
	struct kh_message message;
	struct kh_error err = {0};

	*ret_event = (struct kh_event){.kind = KH_EVENT_NOTHING};
	if (exchange->state == KH_STATE_ENDED)
		return;
	switch (kh_channel_hear(exchange->fd, exchange->buffer, &exchange->state, timeout_ms, &message, &err)) {
	case KH_IO_AGAIN:
		return;
	case KH_IO_CLOSED:
		lose(exchange, "the executor is gone", ret_event);
		return;
	case KH_IO_BROKEN:
		lose(exchange,
		     err.code != NULL ? "the executor broke the protocol" : "the executor sent what is no message",
		     ret_event);
		return;
	case KH_IO_DONE:
		take_event(&message, ret_event);
	}
}

/* Sends one message of input. */
static enum kh_io send_input(const struct kh_exchange *exchange, enum kh_message_type type, struct kh_view bytes)
{
	char buffer[KH_MESSAGE_MAX]; /* not the exchange's buffer, which has the last event's bytes */
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), type);
	kh_message_bulk(&out, bytes);
	return kh_channel_say(exchange->fd, &out, NULL, 0);
}

size_t kh_exchange_feed(struct kh_exchange *exchange, struct kh_view bytes)
{
	size_t sent = 0;

	if (exchange->fed || exchange->state == KH_STATE_ENDED)
		return bytes.n;
	while (sent < bytes.n) {
		struct kh_view piece = kh_view_sub(bytes, sent, sent + KH_MESSAGE_BULK);
		enum kh_io io = send_input(exchange, KH_MESSAGE_INPUT, piece);
		if (io == KH_IO_AGAIN)
			return sent;
		if (io != KH_IO_DONE)
			return bytes.n;
		sent += piece.n;
	}
	return sent;
}

bool kh_exchange_feed_end(struct kh_exchange *exchange)
{
	if (!exchange->fed && exchange->state != KH_STATE_ENDED)
		exchange->fed = send_input(exchange, KH_MESSAGE_INPUT_END, KH_LIT("")) != KH_IO_AGAIN;
	else
		exchange->fed = true;
	return exchange->fed;
}

bool kh_exchange_recall(struct kh_exchange *exchange)
{
	return exchange->state == KH_STATE_ENDED || send_input(exchange, KH_MESSAGE_RECALL, KH_LIT("")) != KH_IO_AGAIN;
}

struct kh_tainted kh_exchange_reason(const struct kh_end *end)
{
	return kh_tainted_wrap(kh_view_of(end->reason, end->reason_n));
}

const char *kh_exchange_about(const struct kh_end *end)
{
	return end->detail[0] != '\0' ? end->detail : kh_fault_about(end->fault);
}

void kh_exchange_close(struct kh_exchange *exchange)
{
	if (exchange->fd >= 0)
		close(exchange->fd);
	exchange->fd = -1;
	exchange->state = KH_STATE_ENDED;
}
