/*
 * MCP's messages (I1): lines, taken one after the other over a whole gateway (world.h), each from the peer of a role: a
 * line begins with the role's digit and a blank, or is a Controller's.  A first line "H:version|method|name" is what HTTP
 * would say beside each of them.  Whatever they are, every message that is taken has one end; what is sent is one line of
 * strict JSON and JSON-RPC; a request's answer has its id; a tool's answer has the form that the tool announces; and a
 * Controller gets nothing sealed.
 */
#include "world.h"

#include "mcp/exchange.h"
#include "mcp/mcp.h"
#include "mcp/methods.h"
#include "mcp/tools.h"
#include "rpc/schema.h"

static struct {
	struct kh_mcp *mcp;
	struct kh_mcp_peer *peers[KH_WORLD_ROLES];
	bool has_sealed; /* the input itself has the text that is sealed */
	pthread_mutex_t lock;
	pthread_cond_t came;
	struct kh_arena *work;
	size_t ended;                   /* exchanges */
	struct kh_view id;              /* of the request that was sent, as JSON; empty: none, or not to be known */
	const struct kh_mcp_tool *tool; /* that it calls; NULL: none, or not to be known */
} talk = {.lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};

/* --- what is sent ------------------------------------------------------------------------------------------------- */

static void check_tool(yyjson_val *result)
{
	yyjson_val *structured = kh_json_get(result, "structuredContent"), *schema = NULL;
	struct kh_error err = {0};

	if (talk.tool == NULL || structured == NULL || yyjson_is_true(kh_json_get(result, "isError")))
		return;
	HOLDS(kh_json_read(talk.work, kh_view_str(talk.tool->output), &schema, NULL) == KH_OK);
	if (kh_rpc_schema_check(talk.work, schema, structured, &err) != KH_OK)
		kh_fuzz_broken(err.detail, talk.tool->name, 0);
}

static void check_one(yyjson_val *message, bool last)
{
	yyjson_val *id = kh_json_get(message, "id");
	yyjson_mut_doc *doc = kh_json_new(talk.work);
	struct kh_view text;

	HOLDS(kh_view_eq(kh_json_str(kh_json_get(message, "jsonrpc")), KH_LIT("2.0")));
	if (!last) {
		HOLDS(yyjson_is_str(kh_json_get(message, "method")));
		return;
	}
	HOLDS((kh_json_get(message, "result") != NULL) != (kh_json_get(message, "error") != NULL));
	HOLDS(id != NULL);
	if (talk.id.n == 0 || yyjson_is_null(id))
		return;
	HOLDS(kh_json_write(talk.work, yyjson_val_mut_copy(doc, id), &text) == KH_OK);
	HOLDS(kh_view_eq(text, talk.id));
	check_tool(kh_json_get(message, "result"));
}

static void check(struct kh_view message, bool last, enum kh_role role)
{
	yyjson_val *root = NULL, *item;

	HOLDS(memchr(message.p, '\n', message.n) == NULL);
	HOLDS(role != KH_ROLE_CONTROLLER || talk.has_sealed ||
	      kh_view_find(message, KH_LIT(KH_WORLD_SEALED), 0) == SIZE_MAX);
	HOLDS(kh_json_read(talk.work, message, &root, NULL) == KH_OK);
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
	enum kh_role role = (enum kh_role)(uintptr_t)x->peer->ctx;

	kh_world_hear(message);
	pthread_mutex_lock(&talk.lock);
	if (message.n > 0)
		check(message, last, role);
	HOLDS(message.n > 0 || last);
	if (last) {
		HOLDS(x->status >= 200 && x->status < 600);
		kh_mcp_exchange_free(x);
		talk.ended++;
	}
	pthread_cond_broadcast(&talk.came);
	pthread_mutex_unlock(&talk.lock);
}

static const struct kh_mcp_transport transport = {.send = take};

/* --- one input ---------------------------------------------------------------------------------------------------- */

static void begin(void)
{
	const struct kh_mcp_part part = kh_mcp_methods_part();
	struct kh_mcp_settings settings = {.gateway = kh_world_gateway(),
					   .parts = &part,
					   .part_count = 1,
					   .approvals = KH_LIT("https://keyhole.example/")};

	HOLDS(kh_mcp_new(&settings, &talk.mcp, NULL) == KH_OK);
}

static void end(void)
{
	kh_mcp_free(talk.mcp);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct kh_world_parts parts = {begin, NULL, end};

	(void)argc;
	(void)argv;
	kh_world_init(&parts);
	return 0;
}

static const struct kh_mcp_tool *tool_of(yyjson_val *request, enum kh_role role)
{
	struct kh_view name = kh_json_str(kh_json_get(kh_json_get(request, "params"), "name"));
	size_t count;
	const struct kh_mcp_tool *all = kh_mcp_tools_all(&count);

	if (!kh_view_eq(kh_json_str(kh_json_get(request, "method")), KH_LIT("tools/call")))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (kh_view_eq(kh_view_str(all[i].name), name) && (all[i].roles & KH_ROLE_BIT(role)) != 0)
			return &all[i];
	return NULL;
}

/* What an answer to LINE must be like, if it is a request that can be read.  True: it listens, and is not answered. */
static bool expect(struct kh_arena *arena, struct kh_view line, enum kh_role role)
{
	yyjson_val *root = NULL, *id;
	yyjson_mut_doc *doc = kh_json_new(arena);
	int64_t number;

	talk.work = arena;
	talk.id = (struct kh_view){NULL, 0};
	talk.tool = NULL;
	if (kh_json_read(arena, line, &root, NULL) != KH_OK || !yyjson_is_obj(root))
		return false;
	id = kh_json_get(root, "id");
	if (!yyjson_is_str(id) && !kh_json_int(id, &number))
		return false;
	talk.tool = tool_of(root, role);
	HOLDS(kh_json_write(arena, yyjson_val_mut_copy(doc, id), &talk.id) == KH_OK);
	return kh_view_eq(kh_json_str(kh_json_get(root, "method")), KH_LIT("subscriptions/listen"));
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

static void say(struct kh_view line, const struct kh_mcp_headers *headers)
{
	enum kh_role role = KH_ROLE_CONTROLLER;
	struct kh_arena arena;

	if (line.n >= 2 && line.p[0] >= '0' && line.p[0] < '0' + KH_WORLD_ROLES && line.p[1] == ' ') {
		role = (enum kh_role)(line.p[0] - '0');
		line = kh_view_from(line, 2);
	}
	struct kh_mcp_peer **peer = &talk.peers[role];
	if (*peer == NULL)
		*peer = kh_mcp_peer_new(talk.mcp, &transport, (void *)(uintptr_t)role, kh_world_token(role), NULL);
	HOLDS(*peer != NULL);
	kh_fuzz_begin(&arena);
	line = kh_world_fill(&arena, line);
	pthread_mutex_lock(&talk.lock);
	size_t ended = talk.ended;
	bool is_listening = expect(&arena, line, role);
	pthread_mutex_unlock(&talk.lock);
	HOLDS(kh_mcp_take(*peer, NULL, line, headers) != NULL);
	/* Whoever listens waits for what changes until he leaves. */
	if (is_listening)
		kh_mcp_exchange_cancel_all(*peer);
	pthread_mutex_lock(&talk.lock);
	while (talk.ended == ended)
		pthread_cond_wait(&talk.came, &talk.lock);
	HOLDS(talk.ended == ended + 1);
	pthread_mutex_unlock(&talk.lock);
	kh_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view rest = kh_fuzz_view(data, size), line;
	struct kh_mcp_headers headers;

	if (talk.mcp == NULL)
		LLVMFuzzerInitialize(NULL, NULL);
	kh_world_begin();
	talk.has_sealed = kh_view_find(rest, KH_LIT(KH_WORLD_SEALED), 0) != SIZE_MAX;
	bool has_headers = read_headers(&rest, &headers);
	while (kh_view_split(&rest, '\n', &line))
		if (!kh_world_act(line))
			say(line, has_headers ? &headers : NULL);
	for (size_t i = 0; i < KH_WORLD_ROLES; i++) {
		if (talk.peers[i] != NULL)
			kh_mcp_peer_drop(talk.peers[i]);
		talk.peers[i] = NULL;
	}
	return 0;
}
