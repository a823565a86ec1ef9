/*
 * The answer of an upstream server over HTTP (worker/http/answer.h): its first byte says how the body is cut, the rest is
 * the response.  Whatever it is: what is put out are messages that the parent permits; each line of output is a message of
 * JSON-RPC in its one form; the secret is in none of it; and all is the same when the body comes byte by byte.
 */
#include "fuzz.h"

#include "../unit/worker/site.h"
#include "worker/mcp/rewrite.h"

static struct kh_http_site site;
static struct kh_http_answer one, other;

static void check_line(struct kh_arena *arena, struct kh_view line)
{
	struct kh_view text = {NULL, 0};
	struct kh_buf out;
	size_t count = 0;

	kh_buf_init(&out, arena, arena->limit);
	HOLDS(kh_rewrite_line(arena, line, &out, &count, NULL) == KH_OK && count == 1);
	HOLDS(kh_buf_end(&out, &text) == KH_OK);
	HOLDS(text.n == line.n + 1 && memcmp(text.p, line.p, line.n) == 0);
}

static void check_packets(struct kh_arena *arena, const struct kh_outlet *outlet)
{
	enum kh_message_state state = KH_STATE_PARENT_BEGUN;
	struct kh_bytes output = {NULL, 0, 0};
	struct kh_message message;
	struct kh_view packet, rest, line;
	size_t at = 0;

	while (site_packet(outlet, &at, &packet)) {
		HOLDS(kh_message_read(packet, 0, &state, &message, NULL) == KH_OK);
		HOLDS(kh_view_find(packet, KH_LIT("tok-123456"), 0) == SIZE_MAX);
		if (message.type == KH_MESSAGE_OUTPUT)
			HOLDS(kh_bytes_add(&output, &kh_alloc_system, SIZE_MAX, message.bulk) == KH_OK);
	}
	rest = kh_bytes_view(&output);
	HOLDS(rest.n == 0 || rest.p[rest.n - 1] == '\n');
	while (rest.n > 0 && kh_view_split(&rest, '\n', &line) && line.n > 0)
		check_line(arena, line);
	kh_bytes_free(&output, &kh_alloc_system);
}

static void push(struct kh_http_answer *answer, struct kh_outlet *outlet, struct kh_view response, size_t piece)
{
	kh_outlet_init(outlet, -1, &kh_alloc_system, 64U << 20);
	kh_http_answer_init(answer, &site, outlet, 0);
	site_push(answer, response, piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view response = kh_fuzz_view(data, size);
	struct kh_outlet outlet, bytewise;
	struct kh_arena arena;

	if (size == 0)
		return 0;
	kh_fuzz_begin(&arena);
	HOLDS(site_begin(&site));
	push(&one, &outlet, kh_view_from(response, 1), (size_t)data[0] + 2);
	push(&other, &bytewise, kh_view_from(response, 1), 1);
	HOLDS(one.fault == other.fault && strcmp(one.detail, other.detail) == 0);
	HOLDS(outlet.held.n == bytewise.held.n);
	HOLDS(outlet.held.n == 0 || memcmp(outlet.held.p, bytewise.held.p, outlet.held.n) == 0);
	HOLDS(strstr(one.detail, "tok-123456") == NULL);
	check_packets(&arena, &outlet);
	kh_http_answer_done(&one);
	kh_http_answer_done(&other);
	kh_outlet_done(&outlet);
	kh_outlet_done(&bytewise);
	site_end(&site);
	kh_arena_done(&arena);
	return 0;
}
