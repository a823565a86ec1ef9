/*
 * What an upstream MCP server says to its client (src/upstream): lines, as they are and as the worker writes them anew.
 *
 * An opening that is taken is a part of its line, and what the worker wrote is always taken, and means what the strict
 * reader finds in it.  Any answer to the first question leads somewhere: if it is refused, a sentence says why.  A list of
 * tools is refused with a sentence, or is sorted, without a name twice, and what is kept of a tool has its digest.
 */
#include "fuzz.h"

#include "upstream/inventory.h"
#include "upstream/opening.h"
#include "worker/mcp/rewrite.h"

static bool is_within(struct kh_view part, struct kh_view whole)
{
	return part.n == 0 || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

static void check_reply(struct kh_arena *arena, const struct kh_opening *opening)
{
	char buffer[KH_RPC_ID + 160];
	struct kh_view reply = kh_manner_reply(opening->id, opening->method, buffer, sizeof(buffer));
	struct kh_error err;
	yyjson_val *root;

	HOLDS(reply.n > 0 && reply.p[reply.n - 1] == '\n' && memchr(reply.p, '\n', reply.n - 1) == NULL);
	/* An id that the worker wrote is JSON, and so is the answer. */
	HOLDS(kh_json_read(arena, kh_view_of(reply.p, reply.n - 1), &root, &err) == KH_OK);
}

static void check_written(struct kh_arena *arena, struct kh_view line)
{
	struct kh_opening opening;
	struct kh_error err;
	struct kh_rpc rpc;
	yyjson_val *root;

	HOLDS(kh_json_read(arena, line, &root, &err) == KH_OK && kh_rpc_read(root, &rpc, &err) == KH_OK);
	struct kh_view id = kh_rpc_token(arena, rpc.id);
	if (!kh_opening_read(line, &opening)) {
		HOLDS(rpc.id != NULL && id.n == 0); /* its escapes make the id too long */
		return;
	}
	HOLDS(opening.kind == rpc.kind && kh_view_eq(opening.id, id));
	if (opening.method.n > 0 && memchr(opening.method.p, '\\', opening.method.n) == NULL)
		HOLDS(kh_view_eq(opening.method, rpc.method));
	if (opening.kind == KH_RPC_REQUEST)
		check_reply(arena, &opening);
}

static void check_line(struct kh_arena *arena, struct kh_view line)
{
	struct kh_opening opening;
	struct kh_view text, one;
	struct kh_error err;
	struct kh_buf out;
	size_t count;

	if (kh_opening_read(line, &opening))
		HOLDS(is_within(opening.id, line) && is_within(opening.method, line) && opening.id.n <= KH_RPC_ID);
	kh_buf_init(&out, arena, arena->limit);
	if (kh_rewrite_line(arena, line, &out, &count, &err) != KH_OK)
		return;
	HOLDS(kh_buf_end(&out, &text) == KH_OK);
	while (text.n > 0 && kh_view_split(&text, '\n', &one))
		check_written(arena, one);
}

static void check_first(struct kh_arena *arena, struct kh_view line, bool is_discover)
{
	struct kh_manner manner = {.version = KH_MCP_NONE};
	struct kh_view why = {NULL, 0};
	enum kh_manner_next next;

	HOLDS(kh_manner_read(arena, kh_tainted_wrap(line), is_discover, &next, &manner, &why) == KH_OK);
	HOLDS((next == KH_MANNER_UNKNOWN) == (why.n > 0));
	HOLDS((next == KH_MANNER_READY) == (manner.version != KH_MCP_NONE));
	HOLDS(next != KH_MANNER_READY || kh_rpc_version_is_stateless(manner.version) == is_discover);
	HOLDS(next != KH_MANNER_INITIALIZE || is_discover);
}

static void check_tool(struct kh_arena *arena, const struct kh_inventory *inventory, size_t at)
{
	const struct kh_inventory_tool *tool = &inventory->tools[at];
	struct kh_view name = kh_tainted_open(tool->name), text;
	struct kh_error err;
	yyjson_val *root;

	HOLDS(name.n > 0 && name.n <= KH_INVENTORY_NAME && kh_inventory_find(inventory, name) == tool);
	HOLDS(at == 0 || kh_view_cmp(kh_tainted_open(inventory->tools[at - 1].name), name) < 0);
	HOLDS(kh_json_read(arena, kh_tainted_open(tool->text), &root, &err) == KH_OK);
	HOLDS(kh_view_eq(kh_json_str(kh_json_get(root, "name")), name));
	HOLDS(kh_canonical_json(arena, root, &text, &err) == KH_OK);
	struct kh_digest digest = kh_canonical_digest(text);
	HOLDS(memcmp(&digest, &tool->digest, sizeof(digest)) == 0);
}

/* Each line is a page. */
static void check_inventory(struct kh_arena *arena, struct kh_view pages)
{
	struct kh_inventory_reading reading = {.arena = arena};
	struct kh_view page, cursor;

	while (pages.n > 0 && reading.wrong.p == NULL && kh_view_split(&pages, '\n', &page))
		HOLDS(kh_inventory_read(&reading, kh_tainted_wrap(page), &cursor) == KH_OK);
	HOLDS(reading.wrong.p == NULL || cursor.p == NULL);
	kh_inventory_finish(&reading, kh_tainted_wrap(pages));
	if (reading.wrong.p != NULL) {
		kh_fuzz_showable(reading.wrong);
		return;
	}
	for (size_t i = 0; i < reading.inventory.count; i++)
		check_tool(arena, &reading.inventory, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size), rest = text, line;
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	while (rest.n > 0 && kh_view_split(&rest, '\n', &line)) {
		check_line(&arena, line);
		check_first(&arena, line, true);
		check_first(&arena, line, false);
	}
	check_inventory(&arena, text);
	kh_arena_done(&arena);
	return 0;
}
