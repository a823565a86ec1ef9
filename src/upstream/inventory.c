/* The inventory of an upstream server: read page by page, and made into one form. */
#include "upstream/inventory.h"

#include <stdlib.h>

static bool fail(struct kh_inventory_reading *l, struct kh_view why)
{
	l->wrong = why;
	return false;
}

static bool add_tool(struct kh_inventory_reading *l, yyjson_val *tool)
{
	struct kh_inventory *to = &l->inventory;
	struct kh_view name = kh_json_str(kh_json_get(tool, "name")), text;
	struct kh_error err;

	if (to->count == KH_INVENTORY_TOOLS)
		return fail(l, kh_arena_printf(l->arena, "it lists more than %d tools", KH_INVENTORY_TOOLS));
	if (name.n == 0 || name.n > KH_INVENTORY_NAME)
		return fail(l, kh_arena_printf(l->arena, "tool %zu of its list has no name of 1 to %d bytes",
					       to->count + 1, KH_INVENTORY_NAME));
	if (!yyjson_is_obj(kh_json_get(tool, "inputSchema")))
		return fail(l, kh_arena_printf(l->arena, "its tool %.*s has no inputSchema",
					       KH_FMT(kh_arena_quote(l->arena, name))));
	if (kh_canonical_json(l->arena, tool, &text, &err) != KH_OK)
		return fail(l, kh_arena_printf(l->arena, "its tool %.*s has a number that cannot be kept exactly",
					       KH_FMT(kh_arena_quote(l->arena, name))));
	l->bytes += text.n;
	if (text.n > KH_INVENTORY_TOOL || l->bytes > KH_INVENTORY_BYTES)
		return fail(l, kh_arena_printf(l->arena, "its tool %.*s, or all of them together, are too large",
					       KH_FMT(kh_arena_quote(l->arena, name))));
	to->tools = kh_arena_more(l->arena, to->tools, to->count, &l->cap, sizeof(*to->tools));
	if (to->tools == NULL)
		return false;
	to->tools[to->count++] = (struct kh_inventory_tool){kh_tainted_wrap(name), kh_tainted_wrap(text),
							    kh_canonical_digest(text)};
	return true;
}

/* Adds the tools of one page. */
static bool add_page(struct kh_inventory_reading *l, yyjson_val *result, struct kh_view *ret_cursor)
{
	yyjson_val *tools = kh_json_get(result, "tools"), *tool, *next = kh_json_get(result, "nextCursor");
	yyjson_arr_iter all;

	if (!yyjson_is_arr(tools))
		return fail(l, KH_LIT("its list of tools is no array"));
	yyjson_arr_iter_init(tools, &all);
	while ((tool = yyjson_arr_iter_next(&all)) != NULL) {
		if (!add_tool(l, tool))
			return false;
	}
	if (next != NULL && !yyjson_is_null(next) && !yyjson_is_str(next))
		return fail(l, KH_LIT("the cursor of its list of tools is no text"));
	*ret_cursor = kh_json_str(next);
	return true;
}

enum kh_err kh_inventory_read(struct kh_inventory_reading *l, struct kh_tainted message, struct kh_view *ret_cursor)
{
	struct kh_error err;
	struct kh_rpc rpc;
	yyjson_val *root;

	*ret_cursor = (struct kh_view){NULL, 0};
	/* What stands beside the tools takes memory, too. */
	l->read += kh_tainted_size(message);
	if (l->read > KH_INVENTORY_READ) {
		(void)fail(l, KH_LIT("its list of tools is too large"));
		return KH_OK;
	}
	enum kh_err e = kh_json_read(l->arena, kh_tainted_open(message), &root, &err);
	if (e == KH_OK)
		e = kh_rpc_read(root, &rpc, &err);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK)
		(void)fail(l, KH_LIT("its answer to tools/list is no message of MCP"));
	else if (rpc.result == NULL)
		(void)fail(l, KH_LIT("it answered tools/list with an error"));
	else
		(void)add_page(l, rpc.result, ret_cursor);
	return kh_arena_check(l->arena);
}

static enum kh_err ask_page(struct kh_talk *talk, const struct kh_talk_session *session, int64_t until_ms,
			    struct kh_arena *arena, struct kh_view cursor, struct kh_upstream_response *ret_response)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	struct kh_talk_asked asked = {
		.method = "tools/list", .doc = doc, .params = yyjson_mut_obj(doc), .until_ms = until_ms};

	if (cursor.p != NULL)
		kh_json_add(doc, asked.params, "cursor", cursor);
	return kh_talk_ask(talk, session, &asked, arena, ret_response);
}

static int by_name(const void *a, const void *b)
{
	const struct kh_inventory_tool *x = a, *y = b;

	return kh_view_cmp(kh_tainted_open(x->name), kh_tainted_open(y->name));
}

void kh_inventory_finish(struct kh_inventory_reading *l, struct kh_tainted instructions)
{
	struct kh_inventory *to = &l->inventory;
	struct kh_digest first = kh_canonical_digest(kh_tainted_open(instructions));
	struct kh_canonical_state state;

	if (to->count > 1)
		qsort(to->tools, to->count, sizeof(*to->tools), by_name);
	kh_canonical_begin(&state);
	kh_canonical_more(&state, kh_view_of((const char *)first.bytes, sizeof(first.bytes)));
	for (size_t i = 0; i < to->count; i++) {
		const struct kh_digest *digest = &to->tools[i].digest;
		if (i > 0 && by_name(&to->tools[i - 1], &to->tools[i]) == 0)
			(void)fail(l, kh_arena_printf(
					      l->arena, "it lists two tools of the name %.*s",
					      KH_FMT(kh_arena_quote(l->arena, kh_tainted_open(to->tools[i].name)))));
		kh_canonical_more(&state, kh_view_of((const char *)digest->bytes, sizeof(digest->bytes)));
	}
	to->digest = kh_canonical_end(&state);
}

enum kh_err kh_inventory_list(struct kh_talk *talk, const struct kh_talk_session *session, int64_t until_ms,
			      struct kh_arena *arena, struct kh_inventory *ret_inventory,
			      struct kh_upstream_response *ret_response)
{
	struct kh_upstream_response response = {.end = KH_RESPONSE_CAME};
	struct kh_view cursor = {NULL, 0};
	struct kh_inventory_reading l = {.arena = arena};
	size_t pages = 0;
	enum kh_err e = KH_OK;

	do {
		if (++pages > KH_INVENTORY_PAGES)
			(void)fail(&l, kh_arena_printf(arena, "its list of tools has more than %d pages",
						       KH_INVENTORY_PAGES));
		else
			e = ask_page(talk, session, until_ms, arena, cursor, &response);
		cursor = (struct kh_view){NULL, 0};
		if (e == KH_OK && response.end == KH_RESPONSE_CAME && l.wrong.p == NULL)
			e = kh_inventory_read(&l, response.message, &cursor);
	} while (e == KH_OK && response.end == KH_RESPONSE_CAME && l.wrong.p == NULL && cursor.p != NULL);
	if (e != KH_OK)
		return e;
	kh_inventory_finish(&l, session->manner.instructions);
	if (response.end == KH_RESPONSE_CAME && l.wrong.p != NULL)
		response = (struct kh_upstream_response){
			.end = KH_RESPONSE_REFUSED, .code = "bad_inventory", .why = l.wrong};
	*ret_inventory = l.inventory;
	*ret_response = response;
	return kh_arena_check(arena);
}

const struct kh_inventory_tool *kh_inventory_find(const struct kh_inventory *inventory, struct kh_view name)
{
	struct kh_inventory_tool key = {.name = kh_tainted_wrap(name)};

	return inventory->count == 0 ? NULL : bsearch(&key, inventory->tools, inventory->count, sizeof(key), by_name);
}
