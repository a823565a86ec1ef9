#include "talk.h"

#include "mcp/connection.h"
#include "mcp/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SECOND   INT64_C(1000000)
#define PATIENCE 60000 /* milliseconds */

#define INITIALIZE                                                                                                \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"," \
	"\"capabilities\":{}}}\n"
#define LIST "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n"
#define MODERN                                                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"server/discover\",\"params\":{\"_meta\":{"  \
	"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/" \
	"clientCapabilities\":{}}}}\n"

/* The client's end of a connection. */
struct end {
	struct kh_talk *talk;
	int in, out;
	char *bytes;
	size_t n, at;
};

static struct kh_mcp_lines *start(struct kh_talk *talk)
{
	struct kh_mcp_lines *lines = NULL;
	struct kh_error err;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(kh_mcp_lines_new(talk->mcp, &lines, &err), KH_OK);
	return lines;
}

static void say(const struct end *end, const char *text)
{
	size_t n = strlen(text), at = 0;

	while (at < n) {
		ssize_t sent = write(end->out, text + at, n - at);
		assert_true(sent > 0);
		at += (size_t)sent;
	}
}

/* Reads more; false at the end. */
static bool more(struct end *end)
{
	struct pollfd poll_in = {.fd = end->in, .events = POLLIN};

	if (end->bytes == NULL)
		end->bytes = malloc(32U << 20);
	assert_non_null(end->bytes);
	if (poll(&poll_in, 1, PATIENCE) != 1)
		fail_msg("nothing came");
	ssize_t n = read(end->in, end->bytes + end->n, (32U << 20) - end->n);
	end->n += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* The next line as JSON; NULL: the connection has ended. */
static yyjson_val *hear(struct end *end)
{
	while (true) {
		char *newline = end->n > end->at ? memchr(end->bytes + end->at, '\n', end->n - end->at) : NULL;
		if (newline != NULL) {
			struct kh_view line = kh_view_of(end->bytes + end->at,
							 (size_t)(newline - end->bytes) - end->at);
			end->at += line.n + 1;
			return kh_fixture_json(end->talk->f, line);
		}
		if (!more(end))
			return NULL;
	}
}

/* The line that answers ID, whatever comes before it. */
static yyjson_val *hear_answer(struct end *end, int id)
{
	yyjson_val *line;

	while ((line = hear(end)) != NULL) {
		if (yyjson_is_int(kh_json_get(line, "id")) && yyjson_get_int(kh_json_get(line, "id")) == id)
			return line;
	}
	return NULL;
}

static void hang_up(struct end *end)
{
	close(end->in);
	if (end->out >= 0 && end->out != end->in)
		close(end->out);
	free(end->bytes);
	*end = (struct end){.in = -1, .out = -1};
}

/* A peer at pipes, as stdin and stdout are; *RET_THERE are the server's descriptors. */
static struct end at_pipes(struct kh_talk *talk, struct kh_mcp_lines *lines, struct kh_view token, int ret_there[2])
{
	struct kh_error err;
	int in[2], out[2];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(kh_mcp_lines_stdio(lines, in[0], out[1], kh_token_read(talk->f->engine, token), &err), KH_OK);
	ret_there[0] = in[0];
	ret_there[1] = out[1];
	return (struct end){.talk = talk, .in = out[0], .out = in[1]};
}

static void finish(struct kh_talk *talk, struct kh_mcp_lines *lines)
{
	assert_true(kh_mcp_lines_stop(lines, 60 * SECOND));
	kh_mcp_lines_free(lines);
	kh_talk_close(talk);
}

/* I1: both generations on the standard streams; the end of input lets everything be answered, then it has ended. */
static void test_stdio(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND, KH_LIT(""));
	struct kh_mcp_lines *lines = start(talk);
	int there[2];
	struct end end = at_pipes(talk, lines, talk->f->controller, there);
	int flags = fcntl(there[1], F_GETFL);

	assert_true(flags & O_NONBLOCK);
	say(&end, INITIALIZE "\n  \r\n" LIST);
	say(&end, MODERN "{\"jsonrpc\":\"2.0\",\"id\":4,\"meth");
	say(&end, "od\":\"ping\"}\r\n{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}");
	close(end.out);
	end.out = -1;
	unsigned seen = 0;
	yyjson_val *line;
	while (seen != 31 && (line = hear(&end)) != NULL) {
		assert_non_null(kh_json_get(line, "result"));
		seen |= 1U << (yyjson_get_int(kh_json_get(line, "id")) - 1);
	}
	assert_int_equal(seen, 31);
	kh_mcp_lines_wait(lines);
	/* The descriptors are as they were. */
	assert_false(fcntl(there[1], F_GETFL) & O_NONBLOCK);
	close(there[0]);
	close(there[1]);
	assert_null(hear(&end));
	hang_up(&end);
	finish(talk, lines);
}

/* A5: half-closed input lets a call that waits come to its end. */
static void test_half_closed(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND / 2, KH_LIT(""));
	struct kh_mcp_lines *lines = start(talk);
	int there[2];
	struct end end = at_pipes(talk, lines, talk->f->reader, there);

	say(&end, INITIALIZE);
	say(&end, kh_talk_tool(talk, 7, "BCPNext", "{}", ""));
	close(end.out);
	end.out = -1;
	assert_non_null(kh_talk_at(hear_answer(&end, 7), "result.content"));
	kh_mcp_lines_wait(lines);
	close(there[0]);
	close(there[1]);
	hang_up(&end);
	finish(talk, lines);
}

/* Input from a file, which epoll does not take. */
static void test_file(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND, KH_LIT(""));
	struct kh_mcp_lines *lines = start(talk);
	struct kh_error err;
	char name[] = "/tmp/keyhole-lines-XXXXXX";
	int file = mkstemp(name), out[2];
	struct end end = {.talk = talk, .out = file};

	assert_true(file >= 0);
	unlink(name);
	say(&end, INITIALIZE LIST);
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(
		kh_mcp_lines_stdio(lines, file, out[1], kh_token_read(talk->f->engine, talk->f->controller), &err),
		KH_OK);
	end.in = out[0];
	assert_non_null(kh_talk_at(hear_answer(&end, 2), "result.tools.0"));
	kh_mcp_lines_wait(lines);
	close(out[1]);
	hang_up(&end);
	finish(talk, lines);
}

/* --- Unix sockets ------------------------------------------------------------------------------------------------- */

static unsigned listens; /* sockets that there were: each test has one of its own */

static struct sockaddr_un address(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};

	/* An abstract name: nothing is left in the file system. */
	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "keyhole-test-lines-%ld-%u", (long)getpid(), listens);
	return name;
}

static void listen_at(struct kh_mcp_lines *lines)
{
	listens++;
	struct sockaddr_un name = address();
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct kh_error err;

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(listen(fd, 128), 0);
	assert_int_equal(kh_mcp_lines_listen(lines, fd, &err), KH_OK);
}

static struct end dial(struct kh_talk *talk)
{
	struct sockaddr_un name = address();
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	return (struct end){.talk = talk, .in = fd, .out = fd};
}

/* I9: a relay says its token first, in either form; messages may follow at once. */
static void test_tokens(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND, KH_LIT(""));
	struct kh_mcp_lines *lines = start(talk);

	listen_at(lines);
	for (size_t i = 0; i < 2; i++) {
		struct end end = dial(talk);
		struct kh_view text =
			i == 0 ? kh_arena_printf(&talk->f->arena, "%.*s\n" INITIALIZE LIST, KH_FMT(talk->f->controller))
			       : kh_arena_printf(&talk->f->arena, "{\"token\":\"%.*s\"}\n" INITIALIZE LIST,
						 KH_FMT(talk->f->controller));
		say(&end, text.p);
		bool listed = false;
		for (int n = 0; n < 2; n++) { /* in the order in which they are done */
			yyjson_val *line = hear(&end);
			assert_non_null(kh_json_get(line, "result"));
			listed = listed || kh_talk_at(line, "result.tools.0") != NULL;
		}
		assert_true(listed);
		shutdown(end.out, SHUT_WR);
		assert_null(hear(&end));
		hang_up(&end);
	}
	finish(talk, lines);
}

/* I9: who has no good token gets one error and is closed, and nothing that he sent was done. */
static void test_bad_tokens(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND, KH_LIT(""));
	struct kh_mcp_lines *lines = start(talk);
	static const char *const bad[] = {
		("kh-t0000000000000000-00\n" LIST), "{\"token\":7}\n", "{\"token\"\n", LIST, "{}\n", "x\n"};
	char *endless = malloc(5000);

	assert_non_null(endless);
	memset(endless, 'k', 4999);
	endless[4999] = '\0';
	listen_at(lines);
	for (size_t i = 0; i <= sizeof(bad) / sizeof(bad[0]); i++) {
		struct end end = dial(talk);
		say(&end, i < sizeof(bad) / sizeof(bad[0]) ? bad[i] : endless);
		yyjson_val *line = hear(&end);
		assert_int_equal(kh_talk_code(line), -32600);
		assert_view(kh_talk_text(line, "error.data.code"), "unauthorised");
		assert_true(yyjson_is_null(kh_json_get(line, "id")));
		assert_null(hear(&end));
		hang_up(&end);
	}
	free(endless);
	finish(talk, lines);
}

/* A line without an end is not kept for ever. */
static void test_overlong(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND, KH_LIT(""));
	struct kh_mcp_lines *lines = start(talk);
	int there[2];
	struct end end = at_pipes(talk, lines, talk->f->controller, there);
	char *text = malloc(65537);

	assert_non_null(text);
	memset(text, ' ', 65536);
	text[65536] = '\0';
	text[0] = '{';
	for (int i = 0; i < 65; i++) { /* one more than a message may have; what is not read fits into the pipe */
		say(&end, text);
		text[0] = ' ';
	}
	yyjson_val *line = hear(&end);
	assert_int_equal(kh_talk_code(line), -32600);
	kh_mcp_lines_wait(lines);
	free(text);
	close(there[0]);
	close(there[1]);
	hang_up(&end);
	finish(talk, lines);
}

/* Who does not read what he asked for is closed before it fills our memory. */
static void test_unread(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND, KH_LIT(""));
	struct kh_mcp_lines *lines = start(talk);
	struct end end;
	bool closed = false;

	listen_at(lines);
	end = dial(talk);
	say(&end, kh_arena_printf(&talk->f->arena, "%.*s\n" INITIALIZE, KH_FMT(talk->f->controller)).p);
	assert_non_null(hear_answer(&end, 1));
	for (int i = 0; i < 20000 && !closed; i++)
		closed = send(end.out, LIST, strlen(LIST), MSG_NOSIGNAL) < 0;
	assert_true(closed);
	hang_up(&end);
	/* Others are served as before. */
	end = dial(talk);
	say(&end, kh_arena_printf(&talk->f->arena, "%.*s\n" INITIALIZE, KH_FMT(talk->f->controller)).p);
	assert_non_null(hear_answer(&end, 1));
	hang_up(&end);
	finish(talk, lines);
}

/* Who goes away in the middle of a call leaves nothing behind. */
static void test_gone(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 60 * SECOND, KH_LIT(""));
	struct kh_mcp_lines *lines = start(talk);

	listen_at(lines);
	for (int i = 0; i < 20; i++) {
		struct end end = dial(talk);
		say(&end, kh_arena_printf(&talk->f->arena, "%.*s\n" INITIALIZE "%s\n", KH_FMT(talk->f->reader),
					  kh_talk_tool(talk, 7, "BCPNext", "{}", ""))
				  .p);
		assert_non_null(hear_answer(&end, 1));
		hang_up(&end);
	}
	for (int i = 0; i < 6000 && kh_mcp_lines_count(lines) > 0; i++)
		usleep(10000);
	assert_int_equal(kh_mcp_lines_count(lines), 0);
	finish(talk, lines);
}

/* The same where the standard streams are a socket, as some programs have them: nobody waits for a call then. */
static void test_gone_socket(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 600 * SECOND, KH_LIT(""));
	struct kh_mcp_lines *lines = start(talk);
	struct kh_error err;
	int pair[2], copy;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	copy = dup(pair[0]);
	assert_int_equal(
		kh_mcp_lines_stdio(lines, pair[0], copy, kh_token_read(talk->f->engine, talk->f->reader), &err), KH_OK);
	struct end end = {.talk = talk, .in = pair[1], .out = pair[1]};
	say(&end, kh_arena_printf(&talk->f->arena, INITIALIZE "%s\n", kh_talk_tool(talk, 7, "BCPNext", "{}", "")).p);
	assert_non_null(hear_answer(&end, 1));
	hang_up(&end);
	kh_mcp_lines_wait(lines);
	close(pair[0]);
	close(copy);
	finish(talk, lines);
}

#define PING "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}"

/* A stop answers what waits, over the connection that asked, and takes nothing more. */
static void test_stop(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 60 * SECOND, KH_LIT(""));
	struct kh_mcp_lines *lines = start(talk);
	struct end end;

	listen_at(lines);
	end = dial(talk);
	say(&end, kh_arena_printf(&talk->f->arena, "%.*s\n" INITIALIZE "%s\n" PING "\n", KH_FMT(talk->f->reader),
				  kh_talk_tool(talk, 7, "BCPNext", "{}", ""))
			  .p);
	assert_non_null(hear_answer(&end, 8)); /* so what was said before has been taken */
	kh_mcp_lines_quiesce(lines);
	kh_mcp_lines_wait(lines);
	assert_true(kh_gateway_stop(talk->gateway, 60 * SECOND));
	assert_true(kh_mcp_lines_stop(lines, 60 * SECOND));
	assert_non_null(kh_talk_at(hear_answer(&end, 7), "result.content"));
	assert_null(hear(&end));
	kh_mcp_lines_free(lines);
	hang_up(&end);
	kh_talk_close(talk);
}

/* --- one connection: what it makes of the bytes that come -------------------------------------------------------- */

static struct kh_mcp_connection *connect_to(const char *bytes, size_t n, int ends[2])
{
	assert_int_equal(pipe(ends), 0);
	struct kh_mcp_connection *c = kh_mcp_connection_new(&kh_alloc_system, ends[0], ends[1], true);
	assert_non_null(c);
	assert_int_equal(write(ends[1], bytes, n), (ssize_t)n);
	assert_true(kh_mcp_connection_read(c));
	return c;
}

static void disconnect(struct kh_mcp_connection *c, const int ends[2])
{
	kh_mcp_connection_free(c);
	close(ends[0]);
	close(ends[1]);
}

/* Whoever sends nothing but ends of lines, before he has said who he is, must not keep the thread of all lines busy:
 * they are passed over in one go, not one by one. */
static void test_empty_lines(struct kh_test *t)
{
	static char bytes[KH_MCP_CONNECTION_READ];
	struct kh_view line;
	size_t size;
	int ends[2];

	(void)t;
	memset(bytes, '\n', sizeof(bytes));
	memcpy(bytes + sizeof(bytes) - 4, "one\n", 4);
	struct kh_mcp_connection *c = connect_to(bytes, sizeof(bytes), ends);
	assert_true(kh_mcp_connection_line(c, &line, &size));
	assert_view(line, "one");
	assert_int_equal(size, 4);
	kh_mcp_connection_skip(c, size);
	assert_false(kh_mcp_connection_line(c, &line, &size));
	assert_int_equal(c->line_n, 0);
	disconnect(c, ends);
}

static void test_blanks(struct kh_test *t)
{
	static const char bytes[] = " \r\n\t{\"a\": 1} \r\n\r\nb\n c";
	struct kh_view line;
	size_t size;
	int ends[2];

	(void)t;
	struct kh_mcp_connection *c = connect_to(bytes, sizeof(bytes) - 1, ends);
	assert_true(kh_mcp_connection_line(c, &line, &size));
	assert_view(line, "{\"a\": 1}");
	kh_mcp_connection_skip(c, size);
	assert_true(kh_mcp_connection_line(c, &line, &size));
	assert_view(line, "b");
	kh_mcp_connection_skip(c, size);
	assert_false(kh_mcp_connection_line(c, &line, &size)); /* its end is to come */
	c->ended = true;
	assert_true(kh_mcp_connection_line(c, &line, &size));
	assert_view(line, "c");
	disconnect(c, ends);
}

/* Who leaves little unread may; who leaves much may not where all together have left too much: the sum is bounded. */
static void test_unread_together(struct kh_test *t)
{
	static char much[2 * KH_MCP_CONNECTION_FEW];
	const size_t sums[] = {0, KH_MCP_CONNECTION_ALL + 1};

	(void)t;
	for (size_t i = 0; i < 2; i++) {
		atomic_size_t all = sums[i];
		int ends[2];
		struct kh_mcp_connection *c = connect_to("x\n", 2, ends);
		c->all = &all;
		memset(much, 'x', sizeof(much));
		(void)kh_mcp_connection_send(c, kh_view_of(much, KH_MCP_CONNECTION_FEW / 2));
		assert_false(c->broken);
		assert_true(c->unsent_n > 0 && atomic_load(&all) >= sums[i] + c->unsent_n);
		(void)kh_mcp_connection_send(c, kh_view_of(much, sizeof(much)));
		assert_int_equal(c->broken, i == 1);
		disconnect(c, ends);
		assert_int_equal(atomic_load(&all), sums[i]);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_stdio),
	KH_TEST_ONCE(test_half_closed),
	KH_TEST_ONCE(test_file),
	KH_TEST_ONCE(test_tokens),
	KH_TEST_ONCE(test_bad_tokens),
	KH_TEST_ONCE(test_overlong),
	KH_TEST_ONCE(test_unread),
	KH_TEST_ONCE(test_gone),
	KH_TEST_ONCE(test_gone_socket),
	KH_TEST_ONCE(test_stop),
	KH_TEST_ONCE(test_empty_lines),
	KH_TEST_ONCE(test_blanks),
	KH_TEST_ONCE(test_unread_together),
};
KH_TEST_MAIN(cases)
