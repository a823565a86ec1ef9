/* Lists of the tools of upstream servers: made from what was pinned, shared by all exchanges. */
#include "mcp/upstreams.h"

#include "base/alloc.h"
#include "engine/upstream/tools.h"
#include "mcp/listen.h"
#include "mcp/tool_upstream.h"

#include <stdlib.h>

#define MEMORY ((size_t)256 << 20) /* bytes of one list */

/* --- input schemas ------------------------------------------------------------------------------------------------ */

static void clean(yyjson_mut_val *schema);

static bool is_one_of(yyjson_mut_val *key, const char *const *names)
{
	while (*names != NULL && !yyjson_mut_equals_str(key, *names))
		names++;
	return *names != NULL;
}

/* Cleans what is below the keyword KEY of a schema: schemas by name, a schema, a list of them, or plain data. */
static void clean_below(yyjson_mut_val *key, yyjson_mut_val *value)
{
	static const char *const named[] = {"properties",  "patternProperties", "$defs",
					    "definitions", "dependentSchemas",  NULL};
	static const char *const data[] = {"const", "default", "enum", "examples", NULL};
	yyjson_mut_obj_iter members;
	yyjson_mut_arr_iter items;
	yyjson_mut_val *at;

	if (is_one_of(key, data))
		return;
	if (yyjson_mut_is_arr(value)) {
		yyjson_mut_arr_iter_init(value, &items);
		while ((at = yyjson_mut_arr_iter_next(&items)) != NULL)
			clean(at);
	} else if (is_one_of(key, named)) {
		yyjson_mut_obj_iter_init(value, &members);
		while ((at = yyjson_mut_obj_iter_next(&members)) != NULL)
			clean(yyjson_mut_obj_iter_get_val(at));
	} else {
		clean(value);
	}
}

/*
 * Removes `x-mcp-header`: a client would repeat the argument in a header to Keyhole, for whoever is between them to
 * read, because a server that it does not talk to has said so.
 */
static void clean(yyjson_mut_val *schema)
{
	yyjson_mut_obj_iter members;
	yyjson_mut_val *key;

	if (!yyjson_mut_is_obj(schema))
		return;
	(void)yyjson_mut_obj_remove_key(schema, "x-mcp-header");
	yyjson_mut_obj_iter_init(schema, &members);
	while ((key = yyjson_mut_obj_iter_next(&members)) != NULL)
		clean_below(key, yyjson_mut_obj_iter_get_val(key));
}

/* The tool's own input schema with Keyhole's member, which is required. */
static const char *input_of(struct kh_arena *arena, yyjson_val *own)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *schema = doc != NULL ? yyjson_val_mut_copy(doc, own) : NULL;
	struct kh_view text = {NULL, 0};

	if (schema == NULL)
		return NULL;
	clean(schema);
	yyjson_mut_val *properties = yyjson_mut_obj_get(schema, "properties");
	if (properties == NULL)
		properties = yyjson_mut_obj_add_obj(doc, schema, "properties");
	(void)yyjson_mut_obj_add_val(doc, properties, KH_MCP_TOOL_UPSTREAM_MEMBER,
				     yyjson_mut_raw(doc, kh_mcp_tool_upstream_schema));
	yyjson_mut_val *required = yyjson_mut_obj_get(schema, "required");
	if (required == NULL)
		required = yyjson_mut_obj_add_arr(doc, schema, "required");
	(void)yyjson_mut_arr_add_str(doc, required, KH_MCP_TOOL_UPSTREAM_MEMBER);
	return kh_json_write(arena, schema, &text) == KH_OK ? text.p : NULL;
}

/* --- a list ------------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct kh_mcp_tool *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static const char *copy(struct kh_arena *arena, struct kh_view text)
{
	struct kh_view own = kh_arena_printf(arena, "%.*s", KH_FMT(text));

	return own.p != NULL ? own.p : "";
}

static void fill_tool(struct kh_arena *arena, const struct kh_upstream_tool *from, struct kh_mcp_tool *tool)
{
	*tool = (struct kh_mcp_tool){
		.name = kh_arena_printf(arena, "%.*s__%.*s", KH_FMT(from->server), KH_FMT(from->alias)).p,
		.title = from->title.n > 0 ? copy(arena, from->title) : NULL,
		.description = copy(arena, from->description),
		.roles = KH_ROLE_BIT(KH_ROLE_CONTROLLER),
		.input = input_of(arena, from->input),
		.output = kh_mcp_tool_upstream_output,
		.read_only = from->reads_only,
		.destructive = from->destroys,
		.open_world = true,
		.is_upstream = true,
		.operation = kh_arena_printf(arena, "comm.mcp.%.*s.%.*s", KH_FMT(from->server), KH_FMT(from->alias)).p,
		.run = kh_mcp_tool_upstream_run,
	};
}

static void more_text(struct kh_canonical_state *state, const char *text)
{
	if (text != NULL)
		kh_canonical_more(state, kh_view_str(text));
	kh_canonical_more(state, kh_view_of("", 1));
}

/* What a client can see of the list. */
static struct kh_digest digest_of(const struct kh_mcp_upstreams *list)
{
	struct kh_canonical_state state;

	kh_canonical_begin(&state);
	more_text(&state, list->has_servers ? "servers" : "");
	for (size_t i = 0; i < list->count; i++) {
		const struct kh_mcp_tool *tool = &list->tools[i];
		const char hints[] = {tool->read_only ? 'r' : '-', tool->destructive ? 'd' : '-', '\0'};
		more_text(&state, tool->name);
		more_text(&state, tool->title);
		more_text(&state, tool->description);
		more_text(&state, tool->input);
		more_text(&state, hints);
	}
	return kh_canonical_end(&state);
}

static struct kh_mcp_upstreams *make(const struct kh_alloc *alloc, const struct kh_upstream_tools *from)
{
	struct kh_mcp_upstreams *list = kh_alloc_zero(alloc, sizeof(*list));

	if (list == NULL)
		return NULL;
	list->alloc = alloc;
	list->stamp = from->stamp;
	list->has_servers = from->has_servers;
	atomic_store(&list->refs, 1);
	kh_arena_init(&list->arena, alloc, MEMORY);
	list->tools = KH_NEW_N(&list->arena, struct kh_mcp_tool, from->count + 1);
	for (; list->tools != NULL && list->count < from->count; list->count++)
		fill_tool(&list->arena, &from->tools[list->count], &list->tools[list->count]);
	if (list->tools == NULL || kh_arena_check(&list->arena) != KH_OK) {
		kh_mcp_upstreams_drop(list);
		return NULL;
	}
	if (list->count > 0)
		qsort(list->tools, list->count, sizeof(list->tools[0]), by_name);
	list->digest = digest_of(list);
	return list;
}

static struct kh_mcp_upstreams *hold(struct kh_mcp_upstreams *list)
{
	if (list != NULL)
		atomic_fetch_add(&list->refs, 1);
	return list;
}

void kh_mcp_upstreams_drop(struct kh_mcp_upstreams *list)
{
	if (list == NULL || atomic_fetch_sub(&list->refs, 1) != 1)
		return;
	kh_arena_done(&list->arena);
	kh_alloc_free(list->alloc, list, sizeof(*list));
}

/* --- the server's list -------------------------------------------------------------------------------------------- */

static struct kh_mcp_upstreams *current(struct kh_mcp *mcp)
{
	pthread_mutex_lock(&mcp->lock);
	struct kh_mcp_upstreams *list = hold(mcp->upstreams);
	pthread_mutex_unlock(&mcp->lock);
	return list;
}

/* Puts LIST in place of the one before.  The first one is no news: nobody was given another. */
static void replace(struct kh_mcp *mcp, struct kh_mcp_upstreams *list)
{
	pthread_mutex_lock(&mcp->lock);
	struct kh_mcp_upstreams *old = mcp->upstreams;
	mcp->upstreams = hold(list);
	pthread_mutex_unlock(&mcp->lock);
	bool differs = old != NULL && memcmp(&old->digest, &list->digest, sizeof(list->digest)) != 0;
	kh_mcp_upstreams_drop(old);
	if (!differs)
		return;
	atomic_fetch_add(&mcp->upstream_changes, 1);
	kh_mcp_listen_changed(mcp, KH_MCP_CHANGED_TOOLS);
}

/* What the store has, if it is another list than OLD, which the caller holds; OLD is dropped then. */
static enum kh_err renew(struct kh_mcp *mcp, const struct kh_upstream_tools *now, struct kh_mcp_upstreams **list)
{
	if (now->is_known)
		return KH_OK;
	kh_mcp_upstreams_drop(*list);
	*list = make(mcp->alloc, now);
	if (*list == NULL)
		return KH_ENOMEM;
	replace(mcp, *list);
	return KH_OK;
}

enum kh_err kh_mcp_upstreams_now(struct kh_mcp_call *call, struct kh_mcp_upstreams **ret_list)
{
	struct kh_mcp *mcp = call->exchange->peer->mcp;
	struct kh_mcp_upstreams *list = current(mcp);
	struct kh_upstream_tools now = {0};

	if (list != NULL)
		now.known = list->stamp;
	enum kh_err e = kh_gateway_call(call->gateway, call->token, kh_upstream_tools_run, &now, call->arena,
					call->err);
	if (e == KH_OK && renew(mcp, &now, &list) != KH_OK)
		e = kh_error_set(call->err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (e != KH_OK) {
		kh_mcp_upstreams_drop(list);
		return e;
	}
	*ret_list = list;
	return KH_OK;
}

/* Somebody has approved something, in this process or another one, or another policy is in force; or it is the first
 * time, so that there is a list to compare with. */
static void hear(void *ctx)
{
	struct kh_mcp *mcp = ctx;
	struct kh_engine *engine = kh_gateway_engine(mcp->gateway);
	struct kh_mcp_upstreams *list = current(mcp);
	struct kh_upstream_tools now = {0};
	struct kh_arena arena;
	struct kh_error err;

	if (list != NULL)
		now.known = list->stamp;
	kh_arena_init(&arena, kh_engine_alloc(engine), MEMORY);
	/* A failure is told to whoever asks for the list. */
	if (kh_engine_own(engine, kh_upstream_tools_run, &now, &arena, &err) == KH_OK)
		(void)!renew(mcp, &now, &list);
	kh_arena_done(&arena);
	kh_mcp_upstreams_drop(list);
}

void kh_mcp_upstreams_begin(struct kh_mcp *mcp)
{
	kh_gateway_hear(mcp->gateway, hear, mcp);
}

void kh_mcp_upstreams_end(struct kh_mcp *mcp)
{
	kh_gateway_hear(mcp->gateway, NULL, NULL);
	kh_mcp_upstreams_drop(mcp->upstreams);
}

static const struct kh_mcp_tool *find(const struct kh_mcp_upstreams *list, struct kh_arena *arena, struct kh_view name)
{
	struct kh_mcp_tool key = {.name = copy(arena, name)};

	if (list == NULL || list->count == 0 || strlen(key.name) != name.n)
		return NULL;
	return bsearch(&key, list->tools, list->count, sizeof(key), by_name);
}

enum kh_err kh_mcp_upstreams_find(struct kh_mcp_call *call, struct kh_view name, const struct kh_mcp_tool **ret_tool)
{
	struct kh_mcp_exchange *x = call->exchange;
	enum kh_err e = KH_OK;

	*ret_tool = NULL;
	if (call->who->role != KH_ROLE_CONTROLLER || kh_view_find(name, KH_LIT("__"), 0) == SIZE_MAX)
		return KH_OK;
	x->upstreams = current(x->peer->mcp);
	*ret_tool = find(x->upstreams, call->arena, name);
	if (*ret_tool != NULL)
		return KH_OK;
	kh_mcp_upstreams_drop(x->upstreams);
	x->upstreams = NULL;
	e = kh_mcp_upstreams_now(call, &x->upstreams);
	if (e == KH_OK)
		*ret_tool = find(x->upstreams, call->arena, name);
	return e;
}

bool kh_mcp_upstreams_concern(struct kh_mcp_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	bool is_controller = peer->who.token != 0 && peer->who.role == KH_ROLE_CONTROLLER;
	bool concerned = peer->initialised && peer->version != KH_MCP_NONE && is_controller;
	pthread_mutex_unlock(&peer->lock);
	return concerned;
}

uint64_t kh_mcp_upstreams_changes(const struct kh_mcp *mcp)
{
	return atomic_load(&mcp->upstream_changes);
}
