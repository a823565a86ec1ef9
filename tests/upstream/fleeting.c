/*
 * Calls tools of upstream servers, as the gateway does, over an executor of the program under test.
 *
 *     fleeting KEYHOLE '{"pool":1,"replaced":false,"servers":[{"folder":"/home/x","config":"upstreams: ..."}]}'
 *
 * Standard input has one order a line, and standard output what comes of it:
 *
 *     {"call":1,"upstream":"post","tool":"read","context":7,"program":HEX,"hash":HEX,"arguments":{},"wall":5000}
 *     {"order":1,"end":"ok","content":"...","original":"...","why":"...","details":"...","ms":12}
 *     {"reload":"upstreams: ..."}   {"fail":true}: nothing can be recorded from now on
 *     {"halt":true}   {"free":true}
 *
 * {"seen":"post","program":HEX,"about":"...","tools":{"read":HEX}} comes whenever something is reported.  Each call has a
 * thread of its own; `free` waits for all.
 */
#include "orders.h"

#include "base/clock.h"
#include "core/policy/config.h"
#include "core/schema/schema.h"
#include "upstream/fleet.h"

#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ORDERS 8192
#define ARENA  ((size_t)256 << 20)

struct order {
	int64_t number;
	struct kh_arena arena;
	yyjson_val *root;
	pthread_t thread;
};

static struct kh_client client;
static struct kh_fleet *fleet;
static struct kh_arena configs;
static struct order *orders[ORDERS];
static size_t started;
static atomic_bool fails;

static void must(enum kh_err e)
{
	if (e != KH_OK)
		fail("order", kh_err_name(e));
}

/* --- what is told ------------------------------------------------------------------------------------------------- */

static enum kh_err seen(void *context, const struct kh_running_found *found, struct kh_view about,
			struct kh_arena *arena, struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	(void)context;
	if (fails)
		return kh_error_set(err, KH_ESTORE, "store_failed", "the test says so");
	kh_json_add(doc, root, "seen", found->server);
	kh_json_add(doc, root, "program", kh_canonical_hex(arena, &found->program));
	kh_json_add(doc, root, "about", about);
	yyjson_mut_val *tools = yyjson_mut_obj_add_obj(doc, root, "tools");
	for (size_t i = 0; i < found->list->count; i++) {
		struct kh_view name = kh_tainted_open(found->list->tools[i].name),
			       hex = kh_canonical_hex(arena, &found->list->tools[i].digest);
		yyjson_mut_obj_add(tools, yyjson_mut_strncpy(doc, name.p, name.n),
				   yyjson_mut_strncpy(doc, hex.p, hex.n));
	}
	print(arena, root);
	return KH_OK;
}

static void print_result(struct order *order, const struct kh_errand_result *result, int64_t began)
{
	static const char *const ends[] = {"ok", "failed", "unknown", "held"};
	yyjson_mut_doc *doc = kh_json_new(&order->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_int(doc, root, "order", order->number);
	yyjson_mut_obj_add_str(doc, root, "end", ends[result->end]);
	yyjson_mut_obj_add_int(doc, root, "ms", kh_clock_ms() - began);
	add_text(doc, root, "content", result->content);
	add_text(doc, root, "original", result->original);
	add_text(doc, root, "details", result->details);
	kh_json_add(doc, root, "why", result->why);
	print(&order->arena, root);
}

/* --- orders ------------------------------------------------------------------------------------------------------- */

static struct kh_digest digest_of(struct order *order, const char *key)
{
	struct kh_view hex = text_of(&order->arena, order->root, key);
	struct kh_digest digest = {{0}};

	(void)sodium_hex2bin(digest.bytes, sizeof(digest.bytes), hex.p, hex.n, NULL, NULL, NULL);
	return digest;
}

static struct kh_schema *schema_of(struct order *order)
{
	struct kh_view text = text_of(&order->arena, order->root, "schema");
	struct kh_schema *schema = NULL;
	struct kh_reasons errors;

	kh_reasons_init(&errors, &order->arena);
	if (text.n > 0)
		must(kh_schema_new(NULL, text, &schema, &errors));
	return schema;
}

static void *run_call(void *context)
{
	struct order *order = context;
	struct kh_schema *schema = schema_of(order);
	struct kh_errand_tool tool = {.server = text_of(&order->arena, order->root, "upstream"),
				      .name = text_of(&order->arena, order->root, "tool"),
				      .program = digest_of(order, "program"),
				      .hash = digest_of(order, "hash"),
				      .input = schema,
				      .context = (int64_t)number_of(order->root, "context")};
	struct kh_errand errand = {.operation = KH_LIT("comm.mcp.x.y"),
				   .parameters = kh_json_get(order->root, "arguments"),
				   .tool = &tool,
				   .wall_ms = number_of(order->root, "wall")};
	struct kh_errand_result result = {.end = KH_ERRAND_FAILED};
	int64_t began = kh_clock_ms();

	must(kh_fleet_call(fleet, &errand, &order->arena, &result));
	must(kh_arena_check(&order->arena));
	print_result(order, &result, began);
	kh_schema_free(schema);
	return NULL;
}

static void begin(yyjson_val *root, int64_t number)
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
	orders[started++] = order;
	if (pthread_create(&order->thread, NULL, run_call, order) != 0)
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

static const struct kh_config *config_of(struct kh_view text)
{
	const struct kh_config *config;
	struct kh_error err = {.detail = ""};

	if (kh_config_read(&configs, text, KH_LIT("keyhole.yaml"), &config, &err) != KH_OK)
		fail("config", err.detail);
	return config;
}

static void obey(struct kh_arena *arena, yyjson_val *root)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *told = yyjson_mut_obj(doc);
	int64_t number;

	if (kh_json_int(kh_json_get(root, "call"), &number)) {
		begin(root, number);
		return;
	}
	if (kh_json_get(root, "reload") != NULL)
		kh_fleet_reload(fleet, config_of(text_of(&configs, root, "reload")));
	if (kh_json_get(root, "halt") != NULL)
		kh_fleet_halt(fleet);
	if (kh_json_get(root, "fail") != NULL)
		fails = yyjson_is_true(kh_json_get(root, "fail"));
	if (kh_json_get(root, "free") != NULL) {
		wait_for_orders();
		kh_fleet_free(fleet);
		fleet = NULL;
	}
	yyjson_mut_obj_add_bool(doc, told, "done", true);
	print(arena, told);
}

static void make_fleet(struct kh_arena *arena, yyjson_val *at)
{
	struct kh_fleet_settings settings = {.alloc = &kh_alloc_system,
					     .client = &client,
					     .config = config_of(text_of(arena, at, "config")),
					     .folder = text_of(arena, at, "folder"),
					     .tells = true,
					     .tell = {.seen = seen}};
	struct kh_error err = {.detail = ""};

	if (kh_fleet_new(&settings, &fleet, &err) != KH_OK)
		fail("fleet", err.detail);
}

int main(int argc, char **argv)
{
	struct kh_arena arena;

	if (argc != 3)
		fail("usage", "fleeting KEYHOLE SETTINGS");
	signal(SIGPIPE, SIG_IGN);
	kh_arena_init(&arena, &kh_alloc_system, LINE);
	kh_arena_init(&configs, &kh_alloc_system, ARENA);
	start(&arena, argv[1], argv[2], &client, make_fleet);
	obey_all(obey);
	wait_for_orders();
	kh_fleet_free(fleet);
	kh_client_stop(&client);
	kh_arena_done(&configs);
	kh_arena_done(&arena);
	return 0;
}
