/*
 * MCP over lines (I1): the bytes that a client sends to the Unix socket, as they are.  The first byte says whether the
 * input begins with the line that has the token (@0 to @5), or a Controller's is sent before it.
 *
 * Whatever they are, the connection ends when the client has said everything; what comes back are whole lines, each of
 * strict JSON and JSON-RPC; and a Controller gets nothing sealed.
 */
#include "world.h"

#include "mcp/lines.h"
#include "mcp/methods.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PATIENCE_MS 20000
#define ANSWERS     (8U << 20) /* bytes */

static struct kh_mcp *mcp;
static struct kh_mcp_lines *lines;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char *answers;

static void begin(void)
{
	const struct kh_mcp_part part = kh_mcp_methods_part();
	struct kh_mcp_settings settings = {.gateway = kh_world_gateway(), .parts = &part, .part_count = 1};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/mcp.sock", kh_fuzz_folder());
	HOLDS(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 8) == 0);
	HOLDS(kh_mcp_new(&settings, &mcp, NULL) == KH_OK);
	HOLDS(kh_mcp_lines_new(mcp, &lines, NULL) == KH_OK);
	HOLDS(kh_mcp_lines_listen(lines, fd, NULL) == KH_OK);
}

static void stop(void)
{
	kh_mcp_lines_quiesce(lines);
}

static void end(void)
{
	HOLDS(kh_mcp_lines_stop(lines, INT64_C(30000000)));
	kh_mcp_lines_free(lines);
	kh_mcp_free(mcp);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct kh_world_parts parts = {begin, stop, end};

	(void)argc;
	(void)argv;
	signal(SIGPIPE, SIG_IGN);
	answers = malloc(ANSWERS);
	HOLDS(answers != NULL);
	kh_world_init(&parts);
	return 0;
}

/* Sends all of TEXT and reads until the other end closes. */
static struct kh_view talk(int fd, struct kh_view text)
{
	size_t n = 0;
	bool sent = false;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = (short)(POLLIN | (sent ? 0 : POLLOUT))};
		HOLDS(poll(&p, 1, PATIENCE_MS) > 0);
		if (!sent && (p.revents & (POLLOUT | POLLERR)) != 0) {
			ssize_t done = send(fd, text.p, text.n, MSG_NOSIGNAL | MSG_DONTWAIT);
			bool gone = done < 0 && errno != EAGAIN;
			text = kh_view_from(text, done > 0 ? (size_t)done : 0);
			sent = gone || text.n == 0;
			if (sent)
				shutdown(fd, SHUT_WR);
		}
		if ((p.revents & (POLLIN | POLLHUP)) == 0)
			continue;
		ssize_t got = recv(fd, answers + n, ANSWERS - n, MSG_DONTWAIT);
		if (got == 0 || (got < 0 && errno != EAGAIN))
			return kh_view_of(answers, n);
		n += got > 0 ? (size_t)got : 0;
		HOLDS(n < ANSWERS);
	}
}

static void check(struct kh_view said, bool may_have_sealed)
{
	struct kh_arena arena;
	struct kh_view line;

	HOLDS(may_have_sealed || kh_view_find(said, KH_LIT(KH_WORLD_SEALED), 0) == SIZE_MAX);
	kh_fuzz_begin(&arena);
	while (kh_view_split(&said, '\n', &line)) {
		yyjson_val *root = NULL;
		if (line.n == 0 && said.p == NULL)
			break; /* behind the last newline */
		HOLDS(kh_json_read(&arena, line, &root, NULL) == KH_OK);
		HOLDS(yyjson_is_arr(root) || kh_view_eq(kh_json_str(kh_json_get(root, "jsonrpc")), KH_LIT("2.0")));
		HOLDS(said.p != NULL); /* the newline came */
	}
	kh_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_arena arena;

	if (mcp == NULL)
		LLVMFuzzerInitialize(NULL, NULL);
	if (size == 0)
		return 0;
	kh_world_begin();
	kh_fuzz_begin(&arena);
	bool own_token = data[0] & 1;
	struct kh_view given = kh_fuzz_view(data + 1, size - 1), text = given;
	if (!own_token)
		text = kh_fuzz_join(&arena, (const struct kh_view[]){KH_LIT("@0\n"), given}, 2);
	text = kh_world_fill(&arena, text);
	bool may_have_sealed = own_token || kh_view_find(given, KH_LIT(KH_WORLD_SEALED), 0) != SIZE_MAX;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	HOLDS(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	struct kh_view said = talk(fd, text);
	close(fd);
	check(said, may_have_sealed);
	kh_arena_done(&arena);
	return 0;
}
