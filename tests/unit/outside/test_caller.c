/*
 * U1, U3: calls of an upstream, as the gateway sees them.  Executor and worker are played by a thread, call by call, by
 * what the path of the call says.
 */
#include "harness.h"

#include "outside/caller.h"
#include "wire/channel.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static struct {
	int control; /* the player's end */
	pthread_t thread;
	unsigned opened;               /* upstreams */
	unsigned calls[8];             /* of each of them */
	char body[4 * KH_MESSAGE_MAX]; /* of the last POST */
	size_t body_n;
	int link, held; /* channel of the upstream; a call that is kept open */
} player;

static void put(int fd, struct kh_message_out *out)
{
	struct kh_view packet;

	if (kh_message_end(out, &packet) == KH_OK)
		(void)!kh_channel_send_wait(fd, packet, NULL, 0, -1);
}

static void put_number(int fd, enum kh_message_type type, enum kh_message_field field, uint64_t value,
		       const char *detail)
{
	char buffer[512];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), type);
	if (field != KH_FIELD_NONE)
		kh_message_number(&out, field, value);
	if (detail != NULL)
		kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(detail));
	put(fd, &out);
}

static void put_bulk(int fd, struct kh_view bytes)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_OUTPUT);
	kh_message_bulk(&out, bytes);
	put(fd, &out);
}

static void put_mark(int fd)
{
	char buffer[128];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_MARK);
	kh_message_text(&out, KH_FIELD_MARK, KH_LIT("m1"));
	kh_message_number(&out, KH_FIELD_RETRY, 20);
	put(fd, &out);
}

static bool take(int fd, char *buffer, enum kh_message_state *state, struct kh_message *ret_message, int *ret_fd)
{
	int fds[KH_MESSAGE_FDS];
	struct kh_view packet;
	size_t count = 0;

	if (kh_channel_receive_wait(fd, buffer, &packet, fds, &count, -1) != KH_IO_DONE ||
	    kh_message_read(packet, count, state, ret_message, NULL) != KH_OK)
		return false;
	*ret_fd = count > 0 ? fds[0] : -1;
	return true;
}

static void end_link(enum kh_fault fault, const char *detail)
{
	put_number(player.link, KH_MESSAGE_END, KH_FIELD_FAULT, fault, detail);
	close(player.link);
	player.link = -1;
}

static void take_body(int fd, char *buffer, enum kh_message_state *state)
{
	struct kh_message message;
	int none;

	player.body_n = 0;
	while (take(fd, buffer, state, &message, &none) && message.type == KH_MESSAGE_INPUT) {
		memcpy(player.body + player.body_n, message.bulk.p, message.bulk.n);
		player.body_n += message.bulk.n;
	}
}

static void answer(int fd)
{
	put_number(fd, KH_MESSAGE_HEAD, KH_FIELD_STATUS, 200, NULL);
	put_bulk(fd, KH_LIT("{\"a\":"));
	put_bulk(fd, KH_LIT("1}\n{\"b\":2}\n{"));
	put_bulk(fd, KH_LIT("}\n"));
	put_mark(fd);
	put_number(fd, KH_MESSAGE_DONE, KH_FIELD_FAULT, KH_FAULT_NONE, "the server says \"x\"");
}

static void play_call(int fd)
{
	static char buffer[KH_MESSAGE_MAX];
	enum kh_message_state state = KH_STATE_WORKER_CALL;
	struct kh_message message;
	char path[64] = "";
	int none;

	if (!take(fd, buffer, &state, &message, &none))
		return;
	if (message.text[KH_FIELD_PATH].n > 0)
		memcpy(path, message.text[KH_FIELD_PATH].p, message.text[KH_FIELD_PATH].n);
	bool is_post = message.number[KH_FIELD_METHOD] == KH_METHOD_POST;
	/* Idle when the call came: nobody takes it. */
	if (strcmp(path, "/idle") == 0 && player.opened == 1) {
		end_link(KH_FAULT_NONE, "nobody called");
		return;
	}
	if (strcmp(path, "/never") == 0) {
		end_link(KH_FAULT_INCOMPLETE, "user namespaces");
		return;
	}
	put_number(fd, KH_MESSAGE_BEGUN, KH_FIELD_NONE, 0, NULL);
	if (is_post)
		take_body(fd, buffer, &state);
	if (strcmp(path, "/dies") == 0) {
		end_link(KH_FAULT_WORKER, "the worker was killed (status 9)");
	} else if (strcmp(path, "/claims") == 0) {
		put_number(fd, KH_MESSAGE_DONE, KH_FIELD_FAULT, KH_FAULT_NONE, NULL); /* without a head */
	} else if (strcmp(path, "/lies") == 0) {
		put_number(fd, KH_MESSAGE_DONE, KH_FIELD_FAULT, KH_FAULT_ABSENT, "nothing was begun");
	} else if (strcmp(path, "/cut") == 0) {
		put_number(fd, KH_MESSAGE_HEAD, KH_FIELD_STATUS, 200, NULL);
		put_bulk(fd, KH_LIT("{\"a\":"));
		put_number(fd, KH_MESSAGE_DONE, KH_FIELD_FAULT, KH_FAULT_NONE, NULL);
	} else if (strcmp(path, "/wrong") == 0) {
		put_number(fd, KH_MESSAGE_HEAD, KH_FIELD_STATUS, 200, NULL);
		put_number(fd, KH_MESSAGE_HEAD, KH_FIELD_STATUS, 200, NULL); /* not permitted */
	} else if (strcmp(path, "/long") == 0) {
		static char much[KH_MESSAGE_BULK];
		memset(much, 'x', sizeof(much));
		put_number(fd, KH_MESSAGE_HEAD, KH_FIELD_STATUS, 200, NULL);
		for (int i = 0; i < 4; i++)
			put_bulk(fd, kh_view_of(much, sizeof(much)));
	} else if (strcmp(path, "/held") == 0) {
		player.held = dup(fd);
	} else {
		answer(fd);
	}
}

/* The executor: takes upstreams one after the other, and their calls. */
static void *play(void *ctx)
{
	static char buffer[KH_MESSAGE_MAX];
	enum kh_message_state control = KH_STATE_CONTROL;
	struct kh_message message;
	int fd = -1, none;

	(void)ctx;
	while (take(player.control, buffer, &control, &message, &player.link)) {
		enum kh_message_state state = KH_STATE_REQUEST_NEW;
		player.opened++;
		if (!take(player.link, buffer, &state, &message, &none))
			continue;
		while (player.link >= 0 && take(player.link, buffer, &state, &message, &fd)) {
			player.calls[player.opened]++;
			play_call(fd);
			close(fd);
		}
		if (player.link >= 0)
			close(player.link);
	}
	return NULL;
}

static void begin(struct kh_test *t, struct kh_client *client, struct kh_caller **ret_caller)
{
	struct kh_upstream up = {.url = KH_LIT("https://mcp.example/mcp"), .message = 1000};
	int ends[2];

	memset(&player, 0, sizeof(player));
	player.held = -1;
	must(t, kh_channel_pair(ends, &t->err));
	*client = (struct kh_client){.control = ends[0], .pid = -1};
	player.control = ends[1];
	assert_int_equal(pthread_create(&player.thread, NULL, play, NULL), 0);
	must(t, kh_caller_new(&kh_alloc_system, client, &up, ret_caller, &t->err));
}

static void finish(struct kh_client *client, struct kh_caller *caller)
{
	kh_caller_free(caller);
	close(client->control);
	pthread_join(player.thread, NULL);
	close(player.control);
	if (player.held >= 0)
		close(player.held);
}

/* Begins a call, takes all that comes, and returns its end; messages and marks are written down in TEXT. */
static struct kh_caller_event run(struct kh_test *t, struct kh_caller *caller, const char *path, struct kh_view body,
				  char *text)
{
	struct kh_upstream_ask ask = {.method = body.p != NULL ? KH_METHOD_POST : KH_METHOD_GET,
				      .path = kh_view_str(path)};
	struct kh_caller_event event;
	struct kh_caller_call *call;
	static char reason[KH_MESSAGE_DETAIL + 1], detail[KH_MESSAGE_DETAIL + 1];

	size_t n = 0;
	must(t, kh_caller_begin(caller, &ask, body, &call, &t->err));
	do {
		kh_caller_next(call, 60000, &event);
		assert_int_not_equal(event.kind, KH_CALLER_NOTHING);
		struct kh_view said = event.kind == KH_CALLER_MESSAGE ? kh_tainted_open(event.message)
								      : kh_tainted_open(event.mark);
		n += (size_t)snprintf(text + n, 4096 - n, "%.*s%s", KH_FMT(said),
				      event.kind == KH_CALLER_MESSAGE ? ";"
				      : event.kind == KH_CALLER_MARK  ? "!"
								      : "");
	} while (event.kind != KH_CALLER_END);
	struct kh_view why = kh_tainted_open(event.reason);
	if (why.n > 0)
		memcpy(reason, why.p, why.n);
	snprintf(detail, sizeof(detail), "%s", event.detail);
	event.reason = kh_tainted_wrap(kh_view_of(reason, why.n));
	event.detail = detail;
	struct kh_caller_event more;
	kh_caller_next(call, 0, &more);
	assert_int_equal(more.kind, KH_CALLER_NOTHING); /* exactly one end */
	kh_caller_end(call);
	return event;
}

static void test_calls(struct kh_test *t)
{
	static char body[3 * KH_MESSAGE_MAX], text[4096];
	struct kh_caller *caller;
	struct kh_client client;

	memset(body, 'b', sizeof(body));
	begin(t, &client, &caller);
	for (int i = 0; i < 3; i++) {
		struct kh_caller_event end = run(t, caller, "", kh_view_of(body, sizeof(body)), text);
		assert_string_equal(text, "{\"a\":1};{\"b\":2};{};m1!");
		assert_int_equal(end.fault, KH_FAULT_NONE);
		assert_true(end.begun);
		assert_string_equal(end.detail, "");
		assert_view(kh_tainted_open(end.reason), "the server says \"x\"");
		assert_int_equal(player.body_n, sizeof(body));
	}
	assert_int_equal(kh_caller_starts(caller), 1);
	finish(&client, caller);
	assert_int_equal(player.opened, 1);
	assert_int_equal(player.calls[1], 3);
}

/* A worker that ended before it took the call: another one gets it.  One that dies with it: unknown. */
static void test_ends(struct kh_test *t)
{
	struct kh_caller_event end;
	struct kh_caller *caller;
	struct kh_client client;
	char text[4096];

	begin(t, &client, &caller);
	end = run(t, caller, "/idle", KH_LIT("x"), text);
	assert_int_equal(end.fault, KH_FAULT_NONE);
	assert_string_equal(text, "{\"a\":1};{\"b\":2};{};m1!");
	assert_int_equal(kh_caller_starts(caller), 2);
	end = run(t, caller, "/dies", KH_LIT("x"), text);
	assert_int_equal(end.fault, KH_FAULT_WORKER);
	assert_true(end.begun);
	assert_string_equal(end.detail, "the worker was killed (status 9)");
	assert_int_equal(player.calls[2], 2); /* it was not tried again */
	end = run(t, caller, "/never", KH_LIT("x"), text);
	assert_int_equal(end.fault, KH_FAULT_INCOMPLETE);
	assert_false(end.begun);
	end = run(t, caller, "", KH_LIT("x"), text); /* and the next call begins a new one */
	assert_int_equal(end.fault, KH_FAULT_NONE);
	finish(&client, caller);
}

/* What a worker that was taken over says is not believed. */
static void test_hostile(struct kh_test *t)
{
	static const struct {
		const char *path;
		enum kh_fault fault;
	} all[] = {{"/claims", KH_FAULT_WORKER},
		   {"/lies", KH_FAULT_WORKER},
		   {"/cut", KH_FAULT_WORKER},
		   {"/long", KH_FAULT_OUTPUT}};
	struct kh_caller_event end;
	struct kh_caller *caller;
	struct kh_client client;
	char text[4096];

	begin(t, &client, &caller);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		end = run(t, caller, all[i].path, (struct kh_view){NULL, 0}, text);
		assert_int_equal(end.fault, all[i].fault);
		assert_true(end.begun);
		assert_int_equal(kh_view_find(kh_view_str(end.detail), KH_LIT("nothing was"), 0), SIZE_MAX);
	}
	end = run(t, caller, "/wrong", (struct kh_view){NULL, 0}, text);
	assert_int_equal(end.fault, KH_FAULT_WORKER);
	assert_int_equal(kh_caller_starts(caller), 1);
	finish(&client, caller);
}

/* Closing a call cancels it: the worker sees its channel close. */
static void test_cancelled(struct kh_test *t)
{
	struct kh_upstream_ask ask = {.method = KH_METHOD_GET, .path = KH_LIT("/held")};
	struct kh_caller_event event;
	struct kh_caller_call *call;
	struct kh_caller *caller;
	struct kh_client client;

	begin(t, &client, &caller);
	must(t, kh_caller_begin(caller, &ask, KH_LIT(""), &call, &t->err));
	kh_caller_next(call, 50, &event);
	assert_int_equal(event.kind, KH_CALLER_NOTHING);
	while (player.held < 0)
		usleep(1000);
	assert_false(kh_channel_closed(player.held));
	kh_caller_end(call);
	assert_true(kh_channel_closed(player.held));
	finish(&client, caller);
}

/* Without an executor nothing is begun. */
static void test_absent(struct kh_test *t)
{
	struct kh_client client = {.control = -1, .pid = -1};
	struct kh_upstream up = {.url = KH_LIT("https://mcp.example/mcp")};
	struct kh_caller *caller;
	char text[4096];

	must(t, kh_caller_new(&kh_alloc_system, &client, &up, &caller, &t->err));
	struct kh_caller_event end = run(t, caller, "", KH_LIT("x"), text);
	assert_int_equal(end.fault, KH_FAULT_ABSENT);
	assert_false(end.begun);
	struct kh_upstream_ask ask = {.path = KH_LIT("x"), .headers = KH_REQUEST_HEADERS + 1};
	struct kh_caller_call *call;
	must_fail(t, KH_ELIMIT, kh_caller_begin(caller, &ask, KH_LIT(""), &call, &t->err));
	kh_caller_free(caller);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_calls),     KH_TEST_ONCE(test_ends),   KH_TEST_ONCE(test_hostile),
	KH_TEST_ONCE(test_cancelled), KH_TEST_ONCE(test_absent),
};
KH_TEST_MAIN(cases)
