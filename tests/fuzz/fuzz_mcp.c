/*
 * MCP's messages (I1): lines, taken one after the other from one peer, a controller's, over a real gateway.  A first
 * line "H:version|method|name" is what HTTP would say beside each of them.  Whatever they are, every message that is
 * taken has one end; what is sent is one line of strict JSON and JSON-RPC; a request's answer has its id; and nothing
 * sealed is in it.
 */
#include "fuzz.h"

#include "core/policy/config.h"
#include "engine/context/put.h"
#include "engine/context/token.h"
#include "engine/task/task.h"
#include "errand/errand.h"
#include "mcp/mcp.h"
#include "mcp/methods.h"
#include "store/sqlite/sqlite.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SEALED "the keyhole canary"

static struct {
	struct kh_store *store;
	struct kh_engine *engine;
	struct kh_gateway *gateway;
	struct kh_mcp *mcp;
	struct kh_view token;
	struct kh_arena arena;
	char folder[64];
	pthread_mutex_t lock;
	pthread_cond_t came;
	struct kh_arena *work;
	size_t ended;      /* exchanges */
	struct kh_view id; /* of the request that was sent, as JSON; empty: none, or not to be known */
} world;

/* --- what is sent ------------------------------------------------------------------------------------------------- */

static void check_one(yyjson_val *message, bool last)
{
	yyjson_val *id = kh_json_get(message, "id");
	yyjson_mut_doc *doc = kh_json_new(world.work);
	struct kh_view text;

	HOLDS(kh_view_eq(kh_json_str(kh_json_get(message, "jsonrpc")), KH_LIT("2.0")));
	if (!last) {
		HOLDS(yyjson_is_str(kh_json_get(message, "method")));
		return;
	}
	HOLDS((kh_json_get(message, "result") != NULL) != (kh_json_get(message, "error") != NULL));
	HOLDS(id != NULL);
	if (world.id.n == 0 || yyjson_is_null(id))
		return;
	HOLDS(kh_json_write(world.work, yyjson_val_mut_copy(doc, id), &text) == KH_OK);
	HOLDS(kh_view_eq(text, world.id));
}

static void check(struct kh_view message, bool last)
{
	yyjson_val *root = NULL, *item;

	HOLDS(memchr(message.p, '\n', message.n) == NULL);
	HOLDS(kh_view_find(message, KH_LIT(SEALED), 0) == SIZE_MAX);
	HOLDS(kh_json_read(world.work, message, &root, NULL) == KH_OK);
	if (!yyjson_is_arr(root)) {
		check_one(root, last);
		return;
	}
	yyjson_arr_iter iter = yyjson_arr_iter_with(root);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL)
		check_one(item, last);
}

static void take(struct kh_mcp_exchange *x, struct kh_view message, bool last)
{
	pthread_mutex_lock(&world.lock);
	if (message.n > 0)
		check(message, last);
	HOLDS(message.n > 0 || last);
	if (last) {
		HOLDS(x->status >= 200 && x->status < 600);
		kh_mcp_exchange_free(x);
		world.ended++;
	}
	pthread_cond_broadcast(&world.came);
	pthread_mutex_unlock(&world.lock);
}

static const struct kh_mcp_transport transport = {.send = take};

/* --- the world ---------------------------------------------------------------------------------------------------- */

static void forget(void)
{
	const struct dirent *entry;
	char path[512];
	DIR *dir;

	kh_gateway_stop(world.gateway, INT64_C(10000000));
	kh_mcp_free(world.mcp);
	kh_gateway_free(world.gateway);
	kh_engine_free(world.engine);
	kh_store_close(world.store);
	kh_arena_done(&world.arena);
	dir = opendir(world.folder);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", world.folder, entry->d_name);
		unlink(path); /* "." and ".." are none */
	}
	if (dir != NULL)
		closedir(dir);
	rmdir(world.folder);
}

static void make_store(struct kh_view *ret_admin)
{
	static const unsigned char random[64] = {7};
	struct kh_digest key = {{1}};
	char path[128];

	snprintf(world.folder, sizeof(world.folder), "/dev/shm/keyhole-fuzz-XXXXXX");
	if (mkdtemp(world.folder) == NULL) {
		snprintf(world.folder, sizeof(world.folder), "/tmp/keyhole-fuzz-XXXXXX");
		HOLDS(mkdtemp(world.folder) != NULL);
	}
	snprintf(path, sizeof(path), "%s/keyhole.db", world.folder);
	HOLDS(kh_store_open(&kh_sqlite_backend, path, KH_STORE_CREATE, &world.store, NULL) == KH_OK);
	HOLDS(kh_engine_create(world.store, &world.arena, &key, random, INT64_C(1780000000000000), ret_admin, NULL) ==
	      KH_OK);
}

static void make_token(struct kh_view admin)
{
	struct kh_token_create create = {.name = KH_LIT("fuzz"), .role = KH_ROLE_CONTROLLER, .secret = {3}};
	struct kh_task_open open = {.title = KH_LIT("a task")};

	HOLDS(kh_engine_call(world.engine, kh_token_read(world.engine, admin), kh_token_create_run, &create,
			     &world.arena, NULL) == KH_OK);
	world.token = create.text;
	HOLDS(kh_engine_call(world.engine, kh_token_read(world.engine, world.token), kh_task_open_run, &open,
			     &world.arena, NULL) == KH_OK);
	struct kh_put put = {.task = open.id, .source = KH_LIT("mail.txt"), .content = kh_tainted_wrap(KH_LIT(SEALED))};
	HOLDS(kh_engine_call(world.engine, kh_token_read(world.engine, world.token), kh_put_run, &put, &world.arena,
			     NULL) == KH_OK);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct kh_engine_settings settings = {
		.alloc = &kh_alloc_system, .errands = &kh_errand_table, .version = KH_LIT("fuzz")};
	struct kh_gateway_settings gateway = {.threads = 2, .wait = 1};
	struct kh_view admin;

	(void)argc;
	(void)argv;
	pthread_mutex_init(&world.lock, NULL);
	pthread_cond_init(&world.came, NULL);
	kh_arena_init(&world.arena, &kh_alloc_system, 64U << 20);
	HOLDS(kh_config_policy(&world.arena, KH_LIT(""), KH_LIT("keyhole.yaml"), &settings.policy, NULL) == KH_OK);
	make_store(&admin);
	settings.store = world.store;
	HOLDS(kh_engine_new(&settings, &world.engine, NULL) == KH_OK);
	make_token(admin);
	gateway.engine = world.engine;
	HOLDS(kh_gateway_new(&gateway, &world.gateway, NULL) == KH_OK);
	const struct kh_mcp_part part = kh_mcp_methods_part();
	struct kh_mcp_settings mcp = {.gateway = world.gateway,
				      .parts = &part,
				      .part_count = 1,
				      .approvals = KH_LIT("https://keyhole.example/")};
	HOLDS(kh_mcp_new(&mcp, &world.mcp, NULL) == KH_OK);
	atexit(forget);
	return 0;
}

/* --- one input ---------------------------------------------------------------------------------------------------- */

/* The id that an answer to LINE must have, where it is a request that can be read. */
static struct kh_view id_of(struct kh_arena *arena, struct kh_view line)
{
	yyjson_val *root = NULL, *id;
	yyjson_mut_doc *doc = kh_json_new(arena);
	struct kh_view text = {NULL, 0};
	int64_t number;

	if (kh_json_read(arena, line, &root, NULL) != KH_OK || !yyjson_is_obj(root))
		return text;
	id = kh_json_get(root, "id");
	if (!yyjson_is_str(id) && !kh_json_int(id, &number))
		return text;
	HOLDS(kh_json_write(arena, yyjson_val_mut_copy(doc, id), &text) == KH_OK);
	return text;
}

static bool read_headers(struct kh_view *rest, struct kh_mcp_headers *ret_headers)
{
	struct kh_view line, at = *rest;

	if (!kh_view_starts(*rest, KH_LIT("H:")) || !kh_view_split(&at, '\n', &line))
		return false;
	*rest = at;
	line = kh_view_from(line, 2);
	*ret_headers = (struct kh_mcp_headers){0};
	if (!kh_view_split(&line, '|', &ret_headers->version) || !kh_view_split(&line, '|', &ret_headers->method))
		return true;
	kh_view_split(&line, '|', &ret_headers->name);
	return true;
}

static void say(struct kh_mcp_peer *peer, struct kh_view line, const struct kh_mcp_headers *headers)
{
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	pthread_mutex_lock(&world.lock);
	size_t ended = world.ended;
	world.work = &arena;
	world.id = id_of(&arena, line);
	pthread_mutex_unlock(&world.lock);
	HOLDS(kh_mcp_take(peer, NULL, line, headers) != NULL);
	pthread_mutex_lock(&world.lock);
	while (world.ended == ended)
		pthread_cond_wait(&world.came, &world.lock);
	HOLDS(world.ended == ended + 1);
	pthread_mutex_unlock(&world.lock);
	kh_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (world.mcp == NULL)
		LLVMFuzzerInitialize(NULL, NULL);
	struct kh_mcp_peer *peer = kh_mcp_peer_new(world.mcp, &transport, NULL,
						   kh_token_read(world.engine, world.token), NULL);
	struct kh_view rest = kh_fuzz_view(data, size), line;
	struct kh_mcp_headers headers;

	HOLDS(peer != NULL);
	bool has_headers = read_headers(&rest, &headers);
	while (kh_view_split(&rest, '\n', &line))
		say(peer, line, has_headers ? &headers : NULL);
	kh_mcp_peer_drop(peer);
	return 0;
}
