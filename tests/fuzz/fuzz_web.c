/*
 * HTTP (I4): requests to a whole gateway (world.h), REST, MCP, events and what operators look at, over a socket.
 *
 * An input is requests, a line "%%" between two.  One begins with "ROLE METHOD TARGET", where ROLE is a digit, or "-" for
 * no token; header lines and, behind an empty line, a body follow.  One that begins with "R" and a newline is sent as it
 * is, and one with "!" is what others do meanwhile.  "@s" is the newest session.
 *
 * Whatever it is, every request has one answer with one status line, which is never an error of ours (500); JSON that is
 * announced is strict JSON; and a Controller gets nothing sealed.
 */
#include "world.h"

#include "http/events.h"
#include "http/health.h"
#include "http/mcp/mcp.h"
#include "http/metrics.h"
#include "http/rest/rest.h"
#include "http/server.h"
#include "mcp/methods.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PATIENCE_MS 20000
#define SILENCE_MS  5 /* after which a stream, or a connection that stays open, has said what it has to say */
#define ANSWER      (8U << 20)

static struct {
	struct kh_mcp *mcp;
	struct kh_http *http;
	struct kh_http_health *health;
	struct kh_rest *rest;
	struct kh_http_mcp *endpoint;
	struct sockaddr_un address;
	char *answer;
} web;

/* --- the server --------------------------------------------------------------------------------------------------- */

static void begin(void)
{
	static const struct kh_view host = KH_LIT_INIT("keyhole.example");
	const struct kh_mcp_part part = kh_mcp_methods_part();
	const struct kh_mcp_settings mcp = {.gateway = kh_world_gateway(), .parts = &part, .part_count = 1};
	const struct kh_http_health_settings health = {.gateway = kh_world_gateway()};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const struct kh_http_settings settings = {.gateway = kh_world_gateway(),
						  .listen = &fd,
						  .listens = 1,
						  .hosts = &host,
						  .host_count = 1,
						  .connections = 64,
						  .threads = 1};

	web.address.sun_family = AF_UNIX;
	snprintf(web.address.sun_path, sizeof(web.address.sun_path), "%s/http.sock", kh_fuzz_folder());
	HOLDS(fd >= 0 && bind(fd, (struct sockaddr *)&web.address, sizeof(web.address)) == 0 && listen(fd, 8) == 0);
	HOLDS(kh_mcp_new(&mcp, &web.mcp, NULL) == KH_OK);
	const struct kh_http_mcp_settings endpoint = {.gateway = kh_world_gateway(), .mcp = web.mcp};
	HOLDS(kh_http_new(&settings, &web.http, NULL) == KH_OK);
	HOLDS(kh_http_health_new(&health, &web.health, NULL) == KH_OK);
	HOLDS(kh_http_health_add(web.health, web.http, NULL) == KH_OK);
	HOLDS(kh_http_metrics_add(web.http, NULL) == KH_OK && kh_http_events_add(web.http, NULL) == KH_OK);
	HOLDS(kh_rest_new(&kh_alloc_system, &web.rest, NULL) == KH_OK);
	HOLDS(kh_rest_add(web.rest, web.http, NULL) == KH_OK);
	HOLDS(kh_http_mcp_new(&endpoint, &web.endpoint, NULL) == KH_OK);
	HOLDS(kh_http_mcp_add(web.endpoint, web.http, NULL) == KH_OK);
	HOLDS(kh_http_start(web.http, NULL) == KH_OK);
}

static void stop(void)
{
	kh_http_quiesce(web.http);
}

static void end(void)
{
	kh_http_free(web.http);
	kh_http_health_free(web.health);
	kh_http_mcp_free(web.endpoint);
	kh_rest_free(web.rest);
	kh_mcp_free(web.mcp);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct kh_world_parts parts = {begin, stop, end};

	(void)argc;
	(void)argv;
	signal(SIGPIPE, SIG_IGN);
	web.answer = malloc(ANSWER);
	HOLDS(web.answer != NULL);
	kh_world_init(&parts);
	return 0;
}

/* --- a request and its answer ------------------------------------------------------------------------------------- */

/* The value of a header of HEAD, or empty. */
static struct kh_view header_of(struct kh_view head, struct kh_view name)
{
	struct kh_view line, value;

	while (kh_view_split(&head, '\n', &line)) {
		value = line;
		struct kh_view key;
		if (kh_view_split(&value, ':', &key) && kh_view_eq_nocase(key, name) && value.p != NULL)
			return kh_view_trim(value);
	}
	return KH_LIT("");
}

static bool is_stream(struct kh_view answer)
{
	size_t end_of_head = kh_view_find(answer, KH_LIT("\r\n\r\n"), 0);

	return end_of_head != SIZE_MAX &&
	       kh_view_starts(header_of(kh_view_sub(answer, 0, end_of_head), KH_LIT("content-type")),
			      KH_LIT("text/event-stream"));
}

/* Sends TEXT and reads until the server closes, or, if it does not have to, is silent. */
static struct kh_view talk(struct kh_view text, bool closes)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t n = 0;

	HOLDS(fd >= 0 && connect(fd, (struct sockaddr *)&web.address, sizeof(web.address)) == 0);
	for (;;) {
		struct pollfd p = {.fd = fd, .events = (short)(POLLIN | (text.n > 0 ? POLLOUT : 0))};
		bool waits = closes && !is_stream(kh_view_of(web.answer, n));
		int ready = poll(&p, 1, waits ? PATIENCE_MS : SILENCE_MS);
		HOLDS(ready > 0 || !waits);
		if (ready == 0)
			break;
		if (text.n > 0 && (p.revents & POLLOUT) != 0) {
			ssize_t sent = send(fd, text.p, text.n, MSG_NOSIGNAL | MSG_DONTWAIT);
			text = sent > 0 ? kh_view_from(text, (size_t)sent) : errno == EAGAIN ? text : KH_LIT("");
		}
		ssize_t got = recv(fd, web.answer + n, ANSWER - n, MSG_DONTWAIT);
		if (got == 0 || (got < 0 && errno != EAGAIN))
			break;
		n += got > 0 ? (size_t)got : 0;
		HOLDS(n < ANSWER);
	}
	close(fd);
	return kh_view_of(web.answer, n);
}

static void check_body(struct kh_arena *arena, struct kh_view head, struct kh_view body)
{
	struct kh_view type = header_of(head, KH_LIT("content-type"));
	yyjson_val *root = NULL;
	int64_t length;

	if (!kh_view_int(header_of(head, KH_LIT("content-length")), &length))
		return;
	HOLDS((size_t)length == body.n || body.n == 0); /* HEAD has none */
	if (body.n > 0 &&
	    kh_view_eq(kh_view_sub(type, 0, kh_view_find(type, KH_LIT(";"), 0)), KH_LIT("application/json")))
		HOLDS(kh_json_read(arena, body, &root, NULL) == KH_OK);
}

static void check_answer(struct kh_arena *arena, struct kh_view answer)
{
	size_t head_n = kh_view_find(answer, KH_LIT("\r\n\r\n"), 0);
	struct kh_view head = kh_view_sub(answer, 0, head_n), body = kh_view_from(answer, head_n + 4);
	int64_t status;

	HOLDS(head_n != SIZE_MAX && kh_view_starts(head, KH_LIT("HTTP/1.1 ")));
	HOLDS(kh_view_int(kh_view_sub(head, 9, 12), &status) && status >= 200 && status < 600 && status != 500);
	HOLDS(kh_view_find(head, KH_LIT("\nHTTP/"), 0) == SIZE_MAX);
	check_body(arena, head, body);
	kh_world_hear(body);
	struct kh_view session = header_of(head, KH_LIT("mcp-session-id"));
	if (session.n > 0)
		kh_world_keep('s', session);
}

/* The bytes of a request: its first line, header lines, and a body of the length that is said. */
static struct kh_view write_request(struct kh_arena *arena, struct kh_view given, char *ret_role)
{
	size_t head_n = kh_view_find(given, KH_LIT("\n\n"), 0);
	struct kh_view head = kh_view_sub(given, 0, head_n), line = {NULL, 0};
	struct kh_view body = head_n == SIZE_MAX ? KH_LIT("") : kh_view_from(given, head_n + 2), headers = KH_LIT(""),
		       name;

	(void)!kh_view_split(&head, '\n', &line);
	*ret_role = line.n > 0 ? line.p[0] : '-';
	struct kh_view token = KH_LIT("");
	if (*ret_role >= '0' && *ret_role <= '5')
		token = kh_arena_printf(arena, "Authorization: Bearer @%c\r\n", *ret_role);
	while (kh_view_split(&head, '\n', &name))
		headers = kh_arena_printf(arena, "%.*s%.*s\r\n", KH_FMT(headers), KH_FMT(name));
	body = kh_world_fill(arena, body);
	headers = kh_arena_printf(arena,
				  "%.*s HTTP/1.1\r\nHost: keyhole.example\r\n%.*sConnection: close\r\n%.*s"
				  "Content-Length: %zu\r\n\r\n",
				  KH_FMT(kh_view_from(line, 2)), KH_FMT(token), KH_FMT(headers), body.n);
	headers = kh_world_fill(arena, headers);
	return kh_fuzz_join(arena, (const struct kh_view[]){headers, body}, 2);
}

static void request(struct kh_arena *arena, struct kh_view given, bool may_have_sealed)
{
	bool raw = kh_view_starts(given, KH_LIT("R\n"));
	char role = '-';
	struct kh_view text = raw ? kh_world_fill(arena, kh_view_from(given, 2)) : write_request(arena, given, &role);
	struct kh_view answer = talk(text, !raw);

	HOLDS(role != '0' || may_have_sealed || kh_view_find(answer, KH_LIT(KH_WORLD_SEALED), 0) == SIZE_MAX);
	if (!raw && answer.n > 0)
		check_answer(arena, answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view rest = kh_fuzz_view(data, size);
	struct kh_arena arena;

	if (web.http == NULL)
		LLVMFuzzerInitialize(NULL, NULL);
	bool may_have_sealed = kh_view_find(rest, KH_LIT(KH_WORLD_SEALED), 0) != SIZE_MAX;
	kh_world_begin();
	kh_fuzz_begin(&arena);
	while (rest.n > 0) {
		size_t at = kh_view_find(rest, KH_LIT("\n%%\n"), 0);
		struct kh_view given = kh_view_sub(rest, 0, at);
		rest = at == SIZE_MAX ? KH_LIT("") : kh_view_from(rest, at + 4);
		if (!kh_world_act(given))
			request(&arena, given, may_have_sealed);
	}
	kh_arena_done(&arena);
	return 0;
}
