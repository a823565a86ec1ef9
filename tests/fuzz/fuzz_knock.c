/*
 * What a stranger says first to the HTTP server (I4, I5): a target, then headers, a line each.  For any bytes: a target
 * that is read has segments that stand for nothing but themselves; a request that the guard lets in has one Host, which
 * is this server's, one way to tell its length, and an origin that may call; and what is written to a stream of events
 * comes out as the fields that were meant.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "http/error.h"
#include "http/guard.h"
#include "http/route.h"
#include "http/stream.h"

#define HEADERS 32

static const struct kh_view hosts[] = {KH_LIT_INIT("keyhole.example"), KH_LIT_INIT("other.example:9000")};
static const struct kh_view origins[] = {KH_LIT_INIT("https://page.example")};
static const struct kh_http_guard guard = {
	.port = 8137, .hosts = hosts, .host_count = 2, .origins = origins, .origin_count = 1};

static void check_piece(struct kh_view piece, bool in_path)
{
	HOLDS(kh_utf8_invalid(piece) == SIZE_MAX);
	for (size_t i = 0; i < piece.n; i++) {
		unsigned char c = (unsigned char)piece.p[i];
		HOLDS(c >= 0x20 && c != 0x7f);
		HOLDS(!in_path || (c != '/' && c != '\\'));
	}
	HOLDS(!in_path || (!kh_view_eq(piece, KH_LIT(".")) && !kh_view_eq(piece, KH_LIT(".."))));
}

static enum kh_work_next run(struct kh_http_request *r)
{
	(void)r;
	return KH_WORK_DONE;
}

static void check_target(struct kh_arena *arena, struct kh_view line)
{
	static const struct kh_http_route routes[] = {
		{.method = KH_HTTP_GET, .path = "/a/{x}", .run = run},
		{.method = KH_HTTP_POST, .path = "/{y}/b", .run = run},
	};
	const struct kh_http_routes table = {routes, 2, NULL};
	char *text = kh_arena_alloc(arena, line.n + 1);
	struct kh_http_target target;
	const struct kh_http_route *route = NULL;
	struct kh_error err = {.err = KH_OK};
	void *ctx;
	unsigned methods = 0;

	if (text == NULL)
		return;
	if (line.n > 0)
		memcpy(text, line.p, line.n);
	if (kh_http_route_read(text, line.n, &target, &err) != KH_OK) {
		kh_fuzz_error(&err);
		return;
	}
	HOLDS(target.segment_count > 0 && target.segment_count <= KH_HTTP_ROUTE_SEGMENTS);
	for (size_t i = 0; i < target.segment_count; i++)
		check_piece(target.segments[i], true);
	for (size_t i = 0; i < target.parameter_count; i++) {
		check_piece(target.parameters[i].name, false);
		check_piece(target.parameters[i].value, false);
	}
	if (kh_http_route_find(&table, 1, KH_HTTP_GET, &target, &route, &ctx, &methods) == KH_HTTP_FOUND) {
		struct kh_view x = kh_http_route_segment(route->path, &target, "x");
		HOLDS(route == &routes[0] && target.segment_count == 2 && kh_view_eq(x, target.segments[1]) && x.n > 0);
	}
}

static size_t count_of(const struct kh_http_pair *headers, size_t count, struct kh_view name)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += kh_view_eq_nocase(headers[i].name, name);
	return n;
}

static void check_headers(const struct kh_http_pair *headers, size_t count)
{
	struct kh_http_knock knock;
	struct kh_error err = {.err = KH_OK};
	struct kh_view token;
	char text[KH_HTTP_ERROR_TEXT];
	enum kh_err e = kh_http_guard_check(&guard, headers, count, &knock, &err);

	if (e != KH_OK) {
		kh_fuzz_error(&err);
		unsigned status = e == KH_ELIMIT ? 413 : e == KH_EREFUSED ? 403 : 400;
		if (strcmp(err.code, "unsupported_encoding") == 0)
			status = 415;
		HOLDS((unsigned)kh_http_error_status(e, &err) == status);
		HOLDS(kh_http_error_text(e, &err, text).n < sizeof(text));
		return;
	}
	HOLDS(count_of(headers, count, KH_LIT("host")) == 1);
	HOLDS(count_of(headers, count, KH_LIT("authorization")) <= 1 &&
	      count_of(headers, count, KH_LIT("origin")) <= 1);
	HOLDS(!(knock.chunked && knock.has_length));
	HOLDS(knock.has_length == (count_of(headers, count, KH_LIT("content-length")) == 1));
	HOLDS(knock.chunked == (count_of(headers, count, KH_LIT("transfer-encoding")) == 1));
	if (kh_http_guard_bearer(knock.authorization, &token))
		HOLDS(token.n > 0 && token.n <= KH_HTTP_GUARD_TOKEN && kh_utf8_is_ascii(token));
}

/* A host is taken by its letters alone: with anything put before or behind it is another, or none. */
static void check_host(struct kh_arena *arena, struct kh_view value)
{
	bool configured;

	if (!kh_http_guard_host(&guard, value, &configured))
		return;
	HOLDS(!kh_http_guard_host(&guard, kh_arena_printf(arena, "x.%.*s", KH_FMT(value)), &configured));
	HOLDS(!kh_http_guard_host(&guard, kh_arena_printf(arena, "%.*s.evil.example", KH_FMT(value)), &configured));
	HOLDS(!kh_http_guard_host(&guard, kh_arena_printf(arena, "x@%.*s", KH_FMT(value)), &configured));
	HOLDS(kh_http_guard_origin(&guard, kh_arena_printf(arena, "http://%.*s", KH_FMT(value)), value));
	HOLDS(!kh_http_guard_origin(&guard, kh_arena_printf(arena, "http://%.*s/", KH_FMT(value)), value));
}

static void check_stream(struct kh_arena *arena, struct kh_view data)
{
	struct kh_http_stream_buffer buffer = {.alloc = arena->alloc};
	char *got = kh_arena_alloc(arena, data.n * 8 + 64);
	size_t n = 0, more, fields = 0;

	if (got == NULL || !kh_http_stream_put(&buffer, KH_LIT("1"), KH_LIT("e"), data))
		return;
	while ((more = kh_http_stream_take(&buffer, got + n, 13)) > 0)
		n += more;
	struct kh_view rest = {got, n}, line;
	HOLDS(kh_view_ends(rest, KH_LIT("\n\n")) && kh_view_find(rest, KH_LIT("\n\n"), 0) == n - 2);
	while (kh_view_split(&rest, '\n', &line) && line.n > 0) {
		HOLDS(fields == 0   ? kh_view_eq(line, KH_LIT("id: 1"))
		      : fields == 1 ? kh_view_eq(line, KH_LIT("event: e"))
				    : kh_view_starts(line, KH_LIT("data:")));
		fields++;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view rest = kh_fuzz_view(data, size), line;
	struct kh_http_pair headers[HEADERS];
	struct kh_arena arena;
	size_t count = 0;

	kh_fuzz_begin(&arena);
	check_stream(&arena, rest);
	if (kh_view_split(&rest, '\n', &line))
		check_target(&arena, line);
	while (count < HEADERS && kh_view_split(&rest, '\n', &line)) {
		size_t colon = kh_view_find(line, KH_LIT(":"), 0);
		headers[count].name = kh_view_sub(line, 0, colon);
		headers[count].value = kh_view_from(line, colon == SIZE_MAX ? line.n : colon + 1);
		check_host(&arena, kh_view_trim(headers[count].value));
		count++;
	}
	check_headers(headers, count);
	kh_arena_done(&arena);
	return 0;
}
