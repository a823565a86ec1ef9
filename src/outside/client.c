/*
 * Starts an executor and opens requests with it.  The executor is trusted to do its work, but it may be dead at any
 * moment.
 */
#include "outside/client.h"

#include "outside/child.h"
#include "outside/replacing.h"
#include "wire/channel.h"

#include <signal.h>
#include <unistd.h>

/* After a failed start: makes sure that no child is left, and adds to the error how it ended, if it ended by itself. */
static enum kh_err give_up(int pid, enum kh_err e, struct kh_error *err)
{
	kill(pid, SIGKILL); /* no effect if it has ended already */
	return kh_child_explain("executor", kh_child_wait(pid), e, err);
}

/* Starts an executor as a child of this process. */
static enum kh_err start_child(struct kh_client *client, const char *program, unsigned pool, struct kh_error *err)
{
	int channel[2];
	enum kh_err e = kh_channel_pair(channel, err);

	if (e != KH_OK)
		return e;
	const struct kh_child child = {
		.command = "executor", .path = program, .file = -1, .channel = channel[1], .other = channel[0]};
	int pid = kh_child_start(&child);
	if (pid < 0)
		e = kh_error_set(err, KH_EREFUSED, "executor_start", "no process can be made: %m");
	close(channel[1]);
	if (e != KH_OK) {
		close(channel[0]);
		return e;
	}
	if ((e = kh_child_greet(channel[0], pool, err)) != KH_OK ||
	    (e = kh_child_hear("executor", channel[0], KH_CHILD_WAIT_MS, err)) != KH_OK) {
		e = give_up(pid, e, err);
		close(channel[0]); /* after the kill, so that a waiting child does not end by itself */
		return e;
	}
	client->control = channel[0];
	client->pid = pid;
	return KH_OK;
}

enum kh_err kh_client_start(struct kh_client *client, const struct kh_client_settings *settings, struct kh_error *err)
{
	const struct kh_client_settings none = {0};
	const struct kh_client_settings *s = settings != NULL ? settings : &none;
	const char *program = s->program != NULL ? s->program : "/proc/self/exe";

	*client = (struct kh_client){.control = -1, .pid = -1};
	return s->replaced ? kh_replacing_new(program, s->pool, &client->replacing, err)
			   : start_child(client, program, s->pool, err);
}

enum kh_err kh_client_replace(const struct kh_client *client, void (*tell)(void *context, const char *sentence),
			      void *context, struct kh_error *err)
{
	return client->replacing != NULL ? kh_replacing_begin(client->replacing, tell, context, err) : KH_OK;
}

struct kh_client_state kh_client_state(const struct kh_client *client)
{
	if (client->replacing == NULL)
		return (struct kh_client_state){.executor = client->control >= 0 &&
							    !kh_channel_closed(client->control)};
	struct kh_replacing_state state = kh_replacing_state(client->replacing);
	return (struct kh_client_state){.executor = state.executor,
					.replaced = true,
					.spawner = state.spawner,
					.starts = state.starts,
					.ends = state.ends};
}

void kh_client_stop(struct kh_client *client)
{
	kh_replacing_free(client->replacing);
	if (client->control >= 0) {
		/* If this process may not kill it any more, it is left alone. */
		if (kh_child_hang_up(client->control) || kill(client->pid, SIGKILL) == 0)
			(void)kh_child_wait(client->pid);
		close(client->control);
	}
	*client = (struct kh_client){.control = -1, .pid = -1};
}

/* Hands CHANNEL to the executor with the message OPEN. */
static enum kh_io hand_over(const struct kh_client *client, int channel)
{
	char buffer[KH_MESSAGE_HEADER];
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_OPEN);
	if (kh_message_end(&out, &packet) != KH_OK)
		return KH_IO_BROKEN;
	if (client->replacing != NULL)
		return kh_replacing_open(client->replacing, packet, channel);
	return client->control < 0 ? KH_IO_CLOSED
				   : kh_channel_send_wait(client->control, packet, &channel, 1, KH_CHILD_WAIT_MS);
}

/* Says on CHANNEL, in place of the executor that did not take it, that its request was not begun. */
static void refuse(int channel, enum kh_io why)
{
	char buffer[128];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_END);
	kh_message_number(&out, KH_FIELD_FAULT, KH_FAULT_ABSENT);
	if (why == KH_IO_AGAIN)
		kh_message_text(&out, KH_FIELD_DETAIL, KH_LIT("the executor takes no request"));
	(void)!kh_channel_say(channel, &out, NULL, 0);
}

/*
 * Opens a request whose first message is REQUEST.  The message is written before the executor gets the channel, so that
 * it is there from the beginning.
 */
static enum kh_err open_request(const struct kh_client *client, struct kh_view request, enum kh_message_state state,
				bool fed, struct kh_exchange *ret_exchange, struct kh_error *err)
{
	int channel[2];
	enum kh_err e = kh_channel_pair(channel, err);

	if (e != KH_OK)
		return e;
	if (kh_channel_send(channel[0], request, NULL, 0) != KH_IO_DONE) {
		close(channel[0]);
		close(channel[1]);
		return kh_error_set(err, KH_EREFUSED, "channel", "the request cannot be sent");
	}
	enum kh_io io = hand_over(client, channel[1]);
	if (io != KH_IO_DONE)
		refuse(channel[1], io);
	close(channel[1]);
	kh_exchange_init(ret_exchange, channel[0], state, fed);
	return KH_OK;
}

enum kh_err kh_client_run(const struct kh_client *client, const struct kh_run *run, struct kh_exchange *ret_exchange,
			  struct kh_error *err)
{
	char buffer[KH_MESSAGE_MAX];
	struct kh_view request;

	enum kh_err e = kh_request_write_run(run, buffer, &request, err);
	enum kh_message_state state = run->profile == KH_PROFILE_SERVER ? KH_STATE_PARENT_SERVER : KH_STATE_PARENT_RUN;
	return e != KH_OK ? e : open_request(client, request, state, false, ret_exchange, err);
}

enum kh_err kh_client_fetch(const struct kh_client *client, const struct kh_fetch *fetch,
			    struct kh_exchange *ret_exchange, struct kh_error *err)
{
	char buffer[KH_MESSAGE_MAX];
	struct kh_view request;
	bool fed = fetch->method == KH_METHOD_GET; /* a GET has no body */

	enum kh_err e = kh_request_write_fetch(fetch, buffer, &request, err);
	if (e == KH_OK)
		e = open_request(client, request, KH_STATE_PARENT_FETCH, fed, ret_exchange, err);
	explicit_bzero(buffer, sizeof(buffer)); /* a header can be a key */
	return e;
}

enum kh_err kh_client_upstream(const struct kh_client *client, const struct kh_upstream *upstream,
			       struct kh_exchange *ret_exchange, struct kh_error *err)
{
	char buffer[KH_MESSAGE_MAX];
	struct kh_view request;

	enum kh_err e = kh_upstream_write(upstream, buffer, &request, err);
	return e != KH_OK ? e : open_request(client, request, KH_STATE_PARENT_UPSTREAM, true, ret_exchange, err);
}
