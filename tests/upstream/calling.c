/*
 * Calls upstream servers over HTTP, as a gateway does, over an executor of the program under test.
 *
 *     calling KEYHOLE '{"pool":1,"replaced":false,"servers":[{"url":"https://...","plain":true,...}, ...]}'
 *
 * Standard input has one order a line, and standard output what comes of it, one line for each event:
 *
 *     {"call":1,"server":0,"method":"POST","body":"...","headers":["..."],"path":"/x","wall":5000,"output":0,"hold":false}
 *     {"call":1,"event":"head","status":200,"headers":"..."}
 *     {"call":1,"event":"message","message":"..."}        with {"hold":true}: none is asked for before {"go":1}
 *     {"call":1,"event":"mark","mark":"...","retry":-1}
 *     {"call":1,"event":"end","fault":"none","begun":true,"detail":"...","reason":"..."}
 *     {"cancel":1}   {"starts":0}   {"state":1}
 *
 * Each call has a thread of its own.
 */
#include "orders.h"

#include "outside/caller.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define SERVERS 256
#define CALLS   4096

struct order {
	int64_t number;
	struct kh_caller *caller;
	struct kh_arena arena;
	struct kh_upstream_ask ask;
	struct kh_view body;
	pthread_t thread;
	atomic_bool is_held, is_cancelled;
};

static struct kh_client client;
static struct kh_caller *callers[SERVERS];
static size_t servers;
static struct order *orders[CALLS];

static void print_event(struct order *order, const struct kh_caller_event *event)
{
	static const char *const kinds[] = {"nothing", "head", "message", "mark", "end"};
	struct kh_arena arena;

	kh_arena_init(&arena, &kh_alloc_system, 256U << 20);
	yyjson_mut_doc *doc = kh_json_new(&arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	yyjson_mut_obj_add_int(doc, root, "call", order->number);
	yyjson_mut_obj_add_str(doc, root, "event", kinds[event->kind]);
	if (event->kind == KH_CALLER_HEAD) {
		yyjson_mut_obj_add_uint(doc, root, "status", event->status);
		add_text(doc, root, "headers", event->headers);
	} else if (event->kind == KH_CALLER_MESSAGE) {
		add_text(doc, root, "message", event->message);
	} else if (event->kind == KH_CALLER_MARK) {
		add_text(doc, root, "mark", event->mark);
		yyjson_mut_obj_add_int(doc, root, "retry", event->has_retry ? (int64_t)event->retry_ms : -1);
	} else {
		yyjson_mut_obj_add_str(doc, root, "fault", kh_fault_name(event->fault));
		yyjson_mut_obj_add_bool(doc, root, "begun", event->begun);
		kh_json_add(doc, root, "detail", kh_view_str(event->detail));
		add_text(doc, root, "reason", event->reason);
	}
	print(&arena, root);
	kh_arena_done(&arena);
}

static void *run(void *ctx)
{
	struct order *order = ctx;
	struct kh_caller_event event = {.kind = KH_CALLER_NOTHING};
	struct kh_caller_call *call = NULL;
	struct kh_error err = {.detail = ""};

	if (kh_caller_begin(order->caller, &order->ask, order->body, &call, &err) != KH_OK) {
		event = (struct kh_caller_event){
			.kind = KH_CALLER_END, .fault = KH_FAULT_REQUEST, .detail = err.detail};
		print_event(order, &event);
		return NULL;
	}
	while (event.kind != KH_CALLER_END && !order->is_cancelled) {
		if (order->is_held) {
			usleep(5000);
			continue;
		}
		kh_caller_next(call, 20, &event);
		if (event.kind != KH_CALLER_NOTHING)
			print_event(order, &event);
	}
	kh_caller_end(call);
	return NULL;
}

static void begin(yyjson_val *root, int64_t number)
{
	struct order *order = calloc(1, sizeof(*order));
	size_t server = number_of(root, "server");

	if (order == NULL || number >= CALLS || server >= servers)
		fail("call", "no such server, or too many");
	kh_arena_init(&order->arena, &kh_alloc_system, LINE);
	struct kh_view method = text_of(&order->arena, root, "method");
	order->number = number;
	order->caller = callers[server];
	order->body = text_of(&order->arena, root, "body");
	order->is_held = yyjson_is_true(kh_json_get(root, "hold"));
	order->ask.method = kh_view_eq(method, KH_LIT("GET"))      ? KH_METHOD_GET
			    : kh_view_eq(method, KH_LIT("DELETE")) ? KH_METHOD_DELETE
								   : KH_METHOD_POST;
	order->ask.path = text_of(&order->arena, root, "path");
	order->ask.headers = list_of(&order->arena, root, "headers", order->ask.header, KH_REQUEST_HEADERS);
	order->ask.wall_ms = number_of(root, "wall");
	order->ask.output = number_of(root, "output");
	orders[number] = order;
	if (pthread_create(&order->thread, NULL, run, order) != 0)
		fail("call", "no thread");
}

static void obey(struct kh_arena *arena, yyjson_val *root)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *told = yyjson_mut_obj(doc);
	int64_t number;

	if (kh_json_int(kh_json_get(root, "call"), &number)) {
		begin(root, number);
	} else if (kh_json_int(kh_json_get(root, "cancel"), &number)) {
		orders[number]->is_cancelled = true;
	} else if (kh_json_int(kh_json_get(root, "go"), &number)) {
		orders[number]->is_held = false;
	} else if (kh_json_int(kh_json_get(root, "starts"), &number)) {
		yyjson_mut_obj_add_uint(doc, told, "starts", kh_caller_starts(callers[number]));
		print(arena, told);
	} else {
		struct kh_client_state state = kh_client_state(&client);
		yyjson_mut_obj_add_bool(doc, told, "executor", state.executor);
		yyjson_mut_obj_add_uint(doc, told, "ends", state.ends);
		print(arena, told);
	}
}

static void make_caller(struct kh_arena *arena, yyjson_val *at)
{
	struct kh_upstream up = upstream_of(arena, at);
	struct kh_error err = {.detail = ""};

	if (servers == SERVERS || kh_caller_new(&kh_alloc_system, &client, &up, &callers[servers++], &err) != KH_OK)
		fail("server", err.detail);
}

int main(int argc, char **argv)
{
	struct kh_arena arena;

	if (argc != 3)
		fail("usage", "calling KEYHOLE SETTINGS");
	signal(SIGPIPE, SIG_IGN);
	kh_arena_init(&arena, &kh_alloc_system, LINE);
	start(&arena, argv[1], argv[2], &client, make_caller);
	obey_all(obey);
	for (size_t i = 0; i < CALLS; i++) {
		if (orders[i] == NULL)
			continue;
		orders[i]->is_cancelled = true;
		pthread_join(orders[i]->thread, NULL);
		kh_arena_done(&orders[i]->arena);
		free(orders[i]);
	}
	for (size_t i = 0; i < servers; i++)
		kh_caller_free(callers[i]);
	kh_client_stop(&client);
	kh_arena_done(&arena);
	return 0;
}
