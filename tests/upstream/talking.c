/*
 * Speaks MCP with upstream servers, as a gateway does, over an executor of the program under test.
 *
 *     talking KEYHOLE '{"pool":1,"replaced":false,"servers":[{"argv":["/usr/bin/x"],"read":["/f"]}, {"url":"http://..."}]}'
 *
 * Standard input has one order a line, and standard output what comes of it:
 *
 *     {"open":1,"server":0,"wall":5000}
 *     {"order":1,"end":"came","life":1,"version":"2025-11-25","name":"...","instructions":"...","tools":true,...}
 *     {"ask":2,"server":0,"method":"tools/call","name":"x","params":{...},"wall":5000}        in the session that was opened
 *     {"order":2,"end":"came","message":"..."}   {"order":2,"end":"lost","code":"...","why":"...","said":"...","ms":12}
 *     {"crowd":3,"server":0,"threads":16,"count":1000,"wall":5000}    tools/call with {"n":1} to {"n":1000}
 *     {"order":3,"came":1000,"own":1000}
 *     {"list":4,"server":0,"wall":5000}
 *     {"order":4,"end":"came","digest":"...","tools":[{"name":"x","digest":"...","text":"..."}]}
 *     {"counts":0}   {"free":0}
 *
 * Each order has a thread of its own but the last two, which are obeyed at once.
 */
#include "orders.h"

#include "base/clock.h"
#include "upstream/inventory.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SERVERS 64
#define ORDERS  4096
#define THREADS 64
#define ARENA   ((size_t)256 << 20)

/* One server, and the session with it that was opened last. */
struct target {
	struct kh_talk *talk;
	struct kh_run run;
	pthread_mutex_t lock;
	struct kh_arena arena; /* of the session; sessions are few, and all are kept */
	struct kh_talk_session session;
};

struct order {
	int64_t number;
	struct target *target;
	struct kh_arena arena;
	yyjson_val *root;
	pthread_t thread;
};

static struct kh_client client;
static struct kh_server_all *all;
static struct target targets[SERVERS];
static size_t servers;
static struct order *orders[ORDERS];
static size_t started;

static int64_t until_of(struct order *order)
{
	return kh_clock_ms() + (int64_t)number_of(order->root, "wall");
}

static struct kh_talk_session session_of(struct order *order)
{
	pthread_mutex_lock(&order->target->lock);
	struct kh_talk_session session = order->target->session;
	pthread_mutex_unlock(&order->target->lock);
	uint64_t life = number_of(order->root, "life");
	if (life > 0)
		session.life = life;
	return session;
}

static void must(enum kh_err e)
{
	if (e != KH_OK)
		fail("order", kh_err_name(e));
}

/* --- what is told ------------------------------------------------------------------------------------------------- */

static yyjson_mut_val *event_of(struct order *order, yyjson_mut_doc *doc)
{
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_int(doc, root, "order", order->number);
	return root;
}

static void add_response(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct kh_upstream_response *response)
{
	static const char *const ends[] = {"came", "refused", "over", "lost"};

	yyjson_mut_obj_add_str(doc, root, "end", ends[response->end]);
	if (response->end == KH_RESPONSE_CAME)
		return;
	kh_json_add(doc, root, "code", kh_view_str(response->code));
	kh_json_add(doc, root, "why", response->why);
	if (kh_tainted_size(response->said) > 0)
		add_text(doc, root, "said", response->said);
}

static void print_opened(struct order *order, const struct kh_talk_session *session,
			 const struct kh_upstream_response *response, int64_t began)
{
	yyjson_mut_doc *doc = kh_json_new(&order->arena);
	yyjson_mut_val *root = event_of(order, doc);

	add_response(doc, root, response);
	yyjson_mut_obj_add_int(doc, root, "ms", kh_clock_ms() - began);
	if (response->end == KH_RESPONSE_CAME) {
		const struct kh_manner *manner = &session->manner;
		yyjson_mut_obj_add_uint(doc, root, "life", session->life);
		yyjson_mut_obj_add_str(doc, root, "version", kh_rpc_version_name(manner->version));
		add_text(doc, root, "name", manner->name);
		add_text(doc, root, "title", manner->title);
		add_text(doc, root, "said_version", manner->said_version);
		add_text(doc, root, "instructions", manner->instructions);
		yyjson_mut_obj_add_bool(doc, root, "has_tools", manner->has_tools);
		yyjson_mut_obj_add_bool(doc, root, "has_resources", manner->has_resources);
	}
	print(&order->arena, root);
}

static void print_listed(struct order *order, const struct kh_inventory *inventory,
			 const struct kh_upstream_response *response)
{
	yyjson_mut_doc *doc = kh_json_new(&order->arena);
	yyjson_mut_val *root = event_of(order, doc);

	add_response(doc, root, response);
	if (response->end == KH_RESPONSE_CAME) {
		yyjson_mut_val *tools = yyjson_mut_obj_add_arr(doc, root, "tools");
		kh_json_add(doc, root, "digest", kh_canonical_hex(&order->arena, &inventory->digest));
		for (size_t i = 0; i < inventory->count; i++) {
			const struct kh_inventory_tool *at = &inventory->tools[i];
			yyjson_mut_val *tool = yyjson_mut_arr_add_obj(doc, tools);
			add_text(doc, tool, "name", at->name);
			add_text(doc, tool, "text", at->text);
			kh_json_add(doc, tool, "digest", kh_canonical_hex(&order->arena, &at->digest));
			bool is_found = kh_inventory_find(inventory, kh_tainted_open(at->name)) == at;
			yyjson_mut_obj_add_bool(doc, tool, "found", is_found);
		}
		bool is_found = kh_inventory_find(inventory, KH_LIT("no such tool")) != NULL;
		yyjson_mut_obj_add_bool(doc, root, "stranger", is_found);
	}
	print(&order->arena, root);
}

/* --- orders ------------------------------------------------------------------------------------------------------- */

static void *run_open(void *context)
{
	struct order *order = context;
	struct target *to = order->target;
	struct kh_upstream_response response;
	struct kh_talk_session session = {0};
	int64_t began = kh_clock_ms();

	must(kh_talk_open(to->talk, until_of(order), &order->arena, &session, &response));
	if (response.end == KH_RESPONSE_CAME) {
		pthread_mutex_lock(&to->lock);
		to->session = session;
		to->session.manner.instructions = kh_tainted_wrap(
			kh_arena_dup(&to->arena, kh_tainted_open(session.manner.instructions)));
		must(kh_arena_check(&to->arena));
		pthread_mutex_unlock(&to->lock);
	}
	print_opened(order, &session, &response, began);
	return NULL;
}

static void *run_ask(void *context)
{
	struct order *order = context;
	struct kh_talk_session session = session_of(order);
	yyjson_mut_doc *doc = kh_json_new(&order->arena);
	yyjson_val *params = kh_json_get(order->root, "params");
	struct kh_view method = kh_arena_printf(&order->arena, "%.*s",
						KH_FMT(text_of(&order->arena, order->root, "method")));
	struct kh_talk_asked asked = {.method = method.p,
				      .name = text_of(&order->arena, order->root, "name"),
				      .doc = doc,
				      .params = params != NULL ? yyjson_val_mut_copy(doc, params) : yyjson_mut_obj(doc),
				      .until_ms = until_of(order)};
	struct kh_upstream_response response;
	int64_t began = kh_clock_ms();

	must(kh_talk_ask(order->target->talk, &session, &asked, &order->arena, &response));
	doc = kh_json_new(&order->arena);
	yyjson_mut_val *root = event_of(order, doc);
	add_response(doc, root, &response);
	yyjson_mut_obj_add_int(doc, root, "ms", kh_clock_ms() - began);
	if (response.end == KH_RESPONSE_CAME)
		add_text(doc, root, "message", response.message);
	print(&order->arena, root);
	return NULL;
}

static void *run_list(void *context)
{
	struct order *order = context;
	struct kh_talk_session session = session_of(order);
	struct kh_upstream_response response;
	struct kh_inventory inventory;

	must(kh_inventory_list(order->target->talk, &session, until_of(order), &order->arena, &inventory, &response));
	print_listed(order, &inventory, &response);
	return NULL;
}

/* Many threads that ask, each for its own numbers. */
struct crowd {
	struct order *order;
	struct kh_talk_session session;
	int64_t until;
	uint64_t count;
	atomic_uint_least64_t next, came, own;
};

/* True if MESSAGE is the answer to NUMBER: it says that number. */
static bool is_own(struct kh_arena *arena, struct kh_tainted message, uint64_t number)
{
	struct kh_error err;
	yyjson_val *root;
	int64_t said;

	return kh_json_read(arena, kh_tainted_open(message), &root, &err) == KH_OK &&
	       kh_json_int(kh_json_get(kh_json_get(root, "result"), "n"), &said) && said == (int64_t)number;
}

static void *run_one_of_crowd(void *context)
{
	struct crowd *crowd = context;
	struct kh_upstream_response response;
	struct kh_arena arena;
	uint64_t number;

	kh_arena_init(&arena, &kh_alloc_system, ARENA);
	while ((number = atomic_fetch_add(&crowd->next, 1) + 1) <= crowd->count) {
		yyjson_mut_doc *doc = kh_json_new(&arena);
		struct kh_talk_asked asked = {.method = "tools/call",
					      .name = KH_LIT("echo"),
					      .doc = doc,
					      .params = yyjson_mut_obj(doc),
					      .until_ms = crowd->until};
		yyjson_mut_obj_add_uint(doc, asked.params, "n", number);
		must(kh_talk_ask(crowd->order->target->talk, &crowd->session, &asked, &arena, &response));
		if (response.end == KH_RESPONSE_CAME) {
			atomic_fetch_add(&crowd->came, 1);
			atomic_fetch_add(&crowd->own, is_own(&arena, response.message, number) ? 1 : 0);
		}
		kh_arena_clear(&arena);
	}
	kh_arena_done(&arena);
	return NULL;
}

static void *run_crowd(void *context)
{
	struct order *order = context;
	struct crowd crowd = {.order = order,
			      .session = session_of(order),
			      .until = until_of(order),
			      .count = number_of(order->root, "count")};
	size_t count = number_of(order->root, "threads");
	pthread_t threads[THREADS];

	if (count > THREADS)
		fail("crowd", "too many threads");
	for (size_t i = 0; i < count; i++) {
		if (pthread_create(&threads[i], NULL, run_one_of_crowd, &crowd) != 0)
			fail("crowd", "no thread");
	}
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	yyjson_mut_doc *doc = kh_json_new(&order->arena);
	yyjson_mut_val *root = event_of(order, doc);
	yyjson_mut_obj_add_uint(doc, root, "came", crowd.came);
	yyjson_mut_obj_add_uint(doc, root, "own", crowd.own);
	print(&order->arena, root);
	return NULL;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static struct target *target_of(yyjson_val *root, const char *key)
{
	uint64_t server = number_of(root, key);

	if (server >= servers || targets[server].talk == NULL)
		fail("order", "no such server");
	return &targets[server];
}

static void begin(yyjson_val *root, int64_t number, void *(*run)(void *context))
{
	struct order *order = calloc(1, sizeof(*order));
	struct kh_error err = {.detail = ""};
	struct kh_view text;

	if (order == NULL || started == ORDERS)
		fail("order", "too many");
	kh_arena_init(&order->arena, &kh_alloc_system, ARENA);
	/* The order's own copy: that of the line is gone when the thread runs. */
	yyjson_mut_doc *doc = kh_json_new(&order->arena);
	must(kh_json_write(&order->arena, yyjson_val_mut_copy(doc, root), &text));
	must(kh_json_read(&order->arena, text, &order->root, &err));
	order->number = number;
	order->target = target_of(root, "server");
	orders[started++] = order;
	if (pthread_create(&order->thread, NULL, run, order) != 0)
		fail("order", "no thread");
}

static void wait_for_orders(void)
{
	for (size_t i = 0; i < started; i++) {
		pthread_join(orders[i]->thread, NULL);
		kh_arena_done(&orders[i]->arena);
		free(orders[i]);
	}
	started = 0;
}

static void print_counts(struct kh_arena *arena, struct kh_talk *talk)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *told = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_uint(doc, told, "changes", kh_talk_changes(talk));
	yyjson_mut_obj_add_uint(doc, told, "strays", kh_talk_strays(talk));
	print(arena, told);
}

/* Nobody may be asking: all orders are waited for. */
static void free_target(struct kh_arena *arena, struct target *to)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *told = yyjson_mut_obj(doc);

	wait_for_orders();
	kh_talk_free(to->talk);
	to->talk = NULL;
	yyjson_mut_obj_add_bool(doc, told, "freed", true);
	print(arena, told);
}

static void obey(struct kh_arena *arena, yyjson_val *root)
{
	static const struct {
		const char *key;
		void *(*run)(void *context);
	} kinds[] = {{"open", run_open}, {"ask", run_ask}, {"list", run_list}, {"crowd", run_crowd}};
	int64_t number;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kh_json_int(kh_json_get(root, kinds[i].key), &number)) {
			begin(root, number, kinds[i].run);
			return;
		}
	}
	if (kh_json_get(root, "counts") != NULL)
		print_counts(arena, target_of(root, "counts")->talk);
	else
		free_target(arena, target_of(root, "free"));
}

static void make_target(struct kh_arena *arena, yyjson_val *at)
{
	struct kh_upstream up = upstream_of(arena, at);
	struct kh_error err = {.detail = ""};
	struct target *to = &targets[servers++];

	if (servers > SERVERS || (all == NULL && kh_server_all_new(&client, &all, &err) != KH_OK))
		fail("server", err.detail);
	to->run.profile = KH_PROFILE_SERVER;
	to->run.argc = list_of(arena, at, "argv", to->run.argv, KH_REQUEST_ARGUMENTS);
	to->run.reads = list_of(arena, at, "read", to->run.read, KH_REQUEST_PATHS);
	to->run.writes = list_of(arena, at, "write", to->run.write, KH_REQUEST_PATHS);
	to->run.rates.longest = number_of(at, "longest");
	to->run.rates.idle_ms = number_of(at, "idle");
	struct kh_talk_settings settings = {.alloc = &kh_alloc_system,
					    .client = &client,
					    .servers = all,
					    .run = to->run.argc > 0 ? &to->run : NULL,
					    .upstream = &up,
					    .starts = (unsigned)number_of(at, "starts")};
	(void)pthread_mutex_init(&to->lock, NULL);
	kh_arena_init(&to->arena, &kh_alloc_system, ARENA);
	if (kh_talk_new(&settings, &to->talk, &err) != KH_OK)
		fail("server", err.detail);
}

int main(int argc, char **argv)
{
	struct kh_arena arena;

	if (argc != 3)
		fail("usage", "talking KEYHOLE SETTINGS");
	signal(SIGPIPE, SIG_IGN);
	kh_arena_init(&arena, &kh_alloc_system, LINE);
	start(&arena, argv[1], argv[2], &client, make_target);
	obey_all(obey);
	wait_for_orders();
	for (size_t i = 0; i < servers; i++) {
		kh_talk_free(targets[i].talk);
		kh_arena_done(&targets[i].arena);
	}
	kh_server_all_free(all);
	kh_client_stop(&client);
	kh_arena_done(&arena);
	return 0;
}
