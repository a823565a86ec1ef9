/*
 * What an upstream MCP server sends (worker/mcp/rewrite.h): one line.  Whatever it is, what is written of it are whole
 * messages of JSON-RPC, one a line, as many as are said, and each is written the same when it is read again.
 */
#include "fuzz.h"

#include "rpc/rpc.h"
#include "worker/mcp/rewrite.h"

static struct kh_view rewrite(struct kh_arena *arena, struct kh_view line, size_t *ret_count)
{
	struct kh_view text = {NULL, 0};
	struct kh_error err;
	struct kh_buf out;

	kh_buf_init(&out, arena, arena->limit);
	enum kh_err e = kh_rewrite_line(arena, line, &out, ret_count, &err);
	if (e != KH_OK) {
		kh_fuzz_error(&err);
		return text;
	}
	HOLDS(kh_buf_end(&out, &text) == KH_OK);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text, rest, line;
	struct kh_arena arena;
	size_t count = 0, lines = 0, one;

	kh_fuzz_begin(&arena);
	text = rest = rewrite(&arena, kh_fuzz_view(data, size), &count);
	while (rest.n > 0) {
		HOLDS(kh_view_split(&rest, '\n', &line) && line.n > 0);
		struct kh_view again = rewrite(&arena, line, &one);
		HOLDS(one == 1 && again.n == line.n + 1 && memcmp(again.p, line.p, line.n) == 0);
		lines++;
	}
	HOLDS(text.n == 0 || lines == count);
	kh_arena_done(&arena);
	return 0;
}
