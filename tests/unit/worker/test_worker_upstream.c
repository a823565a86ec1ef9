/*
 * U1, U3, E8: the worker for an upstream server, in a process of its own under its own filter.  The test is executor and
 * parent, and its servers are processes behind socket pairs: each connection that the worker asks for is one of them.
 */
#include "serving.h"

#include "base/clock.h"
#include "wire/upstream.h"
#include "worker/http/upstream.h"

#include <fcntl.h>
#include <netinet/in.h>

#define ONE "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"

struct call {
	int channel;
	enum kh_message_state state;
	char buffer[KH_MESSAGE_MAX];
	/* what came */
	unsigned status, marks;
	char output[65536];
	size_t n;
	bool begun, is_over;
	enum kh_fault fault;
	char detail[KH_MESSAGE_DETAIL + 1];
};

static struct {
	int channel;
	enum kh_message_state state;
	pid_t worker, servers[64];
	size_t dials;
	char buffer[KH_MESSAGE_MAX];
} world;

static struct call first, second;

/* --- a server ------------------------------------------------------------------------------------------------------ */

/* Reads one request with its body into REQUEST; false if there is none. */
static bool read_request(int socket, char *request, size_t cap)
{
	size_t n = 0;

	for (ssize_t got; n < cap - 1 && (got = recv(socket, request + n, cap - 1 - n, 0)) > 0;) {
		n += (size_t)got;
		request[n] = '\0';
		const char *end = strstr(request, "\r\n\r\n"), *length = strstr(request, "Content-Length: ");
		if (end == NULL)
			continue;
		size_t body = length != NULL && length < end ? strtoul(length + 16, NULL, 10) : 0;
		if (n >= (size_t)(end - request) + 4 + body)
			return true;
	}
	return false;
}

/* Answers each request by what its path says, until the other side closes. */
static _Noreturn void serve(int socket)
{
	static char request[1U << 20], reply[4096];
	int n = 0;

	while (read_request(socket, request, sizeof(request))) {
		const char *body = strstr(request, "\r\n\r\n") + 4;
		n++;
		if (strstr(request, "/mcp/stream") != NULL) {
			const char *head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
			send_all(socket, head, strlen(head));
			for (int i = 0; i < 3; i++) {
				snprintf(reply, sizeof(reply), "id: %d\ndata: " ONE "\n\n", i);
				send_all(socket, reply, strlen(reply));
			}
			if (strstr(request, "/mcp/stream/ends") != NULL)
				_exit(0);
			pause();
		} else if (strstr(request, "/mcp/flood") != NULL) {
			const char *head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
			send_all(socket, head, strlen(head));
			for (;;)
				send_all(socket, "data: " ONE "\n\n", sizeof(ONE) + 7);
		} else if (strstr(request, "/mcp/silent") != NULL) {
			pause();
		} else if (strstr(request, "/mcp/hangs-up") != NULL) {
			_exit(0);
		} else {
			/* How many requests this connection has had, the headers that matter, and the body. */
			const char *key = strstr(request, "X-Key: ");
			snprintf(reply, sizeof(reply),
				 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":[%zu,\"%.10s\",%d,%d]}", n, strlen(body),
				 key != NULL ? key + 7 : "", strstr(request, "Accept-Encoding") != NULL,
				 strstr(request, "Host: mcp.example\r\n") != NULL);
			char head[256];
			snprintf(head, sizeof(head),
				 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
				 strlen(reply));
			send_all(socket, head, strlen(head));
			send_all(socket, reply, strlen(reply));
			if (strstr(request, "/mcp/once") != NULL)
				_exit(0);
		}
	}
	_exit(0);
}

/* --- the executor -------------------------------------------------------------------------------------------------- */

static void put(int fd, struct kh_message_out *out, const int *fds, size_t count)
{
	struct kh_view packet;

	assert_int_equal(kh_message_end(out, &packet), KH_OK);
	enum kh_io io = kh_channel_send_wait(fd, packet, fds, count, TEST_WAIT_MS);
	/* A call that was refused takes no body any more. */
	assert_true(io == KH_IO_DONE || (io == KH_IO_CLOSED && fd != world.channel));
}

static void begin(const char *url, uint64_t idle_ms, uint64_t a_second)
{
	struct kh_message_out out;
	int ends[2];

	memset(&world, 0, sizeof(world));
	assert_int_equal(kh_channel_pair(ends, NULL), KH_OK);
	fflush(NULL);
	world.worker = fork();
	if (world.worker == 0) {
		close(ends[0]);
		signal(SIGPIPE, SIG_IGN);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		_exit(kh_worker_http_upstream(ends[1]));
	}
	close(ends[1]);
	world.channel = ends[0];
	world.state = KH_STATE_CALLED;
	kh_message_begin(&out, world.buffer, sizeof(world.buffer), KH_MESSAGE_SERVE);
	kh_message_text(&out, KH_FIELD_URL, kh_view_str(url));
	kh_message_text(&out, KH_FIELD_HEADER, KH_LIT("X-One: 1"));
	kh_message_text(&out, KH_FIELD_SECRET, KH_LIT("X-Key: key-123456"));
	kh_message_number(&out, KH_FIELD_IDLE, idle_ms);
	kh_message_number(&out, KH_FIELD_LONGEST, 1U << 20);
	kh_message_number(&out, KH_FIELD_MESSAGES, a_second);
	put(world.channel, &out, NULL, 0);
}

/* A connection over loopback: libcurl does not use another kind again. */
static void connect_pair(int ret_sockets[2])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(listening, (struct sockaddr *)&at, size), 0);
	assert_int_equal(listen(listening, 1), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&at, &size), 0);
	ret_sockets[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(ret_sockets[0], (struct sockaddr *)&at, size), 0);
	ret_sockets[1] = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	assert_true(ret_sockets[1] >= 0);
	fcntl(ret_sockets[0], F_SETFL, O_NONBLOCK);
	close(listening);
}

/* Answers DIAL with a connection to a server of its own. */
static void take_dial(uint64_t ticket, bool refuse)
{
	struct kh_message_out out;
	int sockets[2];

	connect_pair(sockets);
	fflush(NULL);
	pid_t server = fork();
	if (server == 0) {
		signal(SIGPIPE, SIG_IGN);
		for (int fd = 3; fd < 256; fd++)
			if (fd != sockets[1])
				close(fd); /* so that the worker sees when the test closes its ends */
		serve(sockets[1]);
	}
	world.servers[world.dials++] = server;
	kh_message_begin(&out, world.buffer, sizeof(world.buffer), KH_MESSAGE_DIALED);
	kh_message_number(&out, KH_FIELD_FAULT, refuse ? KH_FAULT_ADDRESS : KH_FAULT_NONE);
	if (refuse)
		kh_message_text(&out, KH_FIELD_DETAIL, KH_LIT("127.0.0.1 is no good"));
	kh_message_number(&out, KH_FIELD_TICKET, ticket);
	put(world.channel, &out, sockets, refuse ? 0 : 1);
	close(sockets[0]);
	close(sockets[1]);
}

static void call(struct call *call, enum kh_method method, const char *path, struct kh_view body, const char *header)
{
	struct kh_upstream_ask ask = {.method = method, .path = kh_view_str(path), .wall_ms = 0};
	struct kh_message_out out;
	struct kh_view packet;
	int ends[2];

	memset(call, 0, sizeof(*call));
	if (strcmp(path, "/silent") == 0)
		ask.wall_ms = 200;
	if (header != NULL)
		ask.header[ask.headers++] = kh_view_str(header);
	assert_int_equal(kh_channel_pair(ends, NULL), KH_OK);
	assert_int_equal(kh_upstream_write_ask(&ask, world.buffer, &packet, NULL), KH_OK);
	assert_int_equal(kh_channel_send(ends[0], packet, NULL, 0), KH_IO_DONE);
	kh_message_begin(&out, world.buffer, sizeof(world.buffer), KH_MESSAGE_CALL);
	put(world.channel, &out, &ends[1], 1);
	close(ends[1]);
	call->channel = ends[0];
	call->state = KH_STATE_PARENT_CALL;
	for (struct kh_view rest = body; rest.n > 0; rest = kh_view_from(rest, KH_MESSAGE_BULK)) {
		kh_message_begin(&out, world.buffer, sizeof(world.buffer), KH_MESSAGE_INPUT);
		kh_message_bulk(&out, kh_view_sub(rest, 0, KH_MESSAGE_BULK));
		put(call->channel, &out, NULL, 0);
	}
	if (method == KH_METHOD_POST) {
		kh_message_begin(&out, world.buffer, sizeof(world.buffer), KH_MESSAGE_INPUT_END);
		put(call->channel, &out, NULL, 0);
	}
}

static void take(struct call *call, const struct kh_message *message)
{
	if (message->type == KH_MESSAGE_BEGUN) {
		call->begun = true;
	} else if (message->type == KH_MESSAGE_HEAD) {
		call->status = (unsigned)message->number[KH_FIELD_STATUS];
	} else if (message->type == KH_MESSAGE_MARK) {
		call->marks++;
	} else if (message->type == KH_MESSAGE_OUTPUT) {
		size_t n = message->bulk.n < sizeof(call->output) - call->n - 1 ? message->bulk.n : 0;
		memcpy(call->output + call->n, message->bulk.p, n);
		call->n += n;
	} else {
		call->is_over = true;
		call->fault = (enum kh_fault)message->number[KH_FIELD_FAULT];
		snprintf(call->detail, sizeof(call->detail), "%.*s", KH_FMT(message->text[KH_FIELD_DETAIL]));
	}
}

/* Lets executor and parent go on until CALL is over, or has as many MARKS. */
static void follow(struct call *call, unsigned marks, bool refuse)
{
	struct kh_message message;

	for (int turns = 0; !call->is_over && (marks == 0 || call->marks < marks); turns++) {
		assert_true(turns < TEST_WAIT_MS);
		if (kh_channel_hear(world.channel, world.buffer, &world.state, 0, &message, NULL) == KH_IO_DONE)
			take_dial(message.number[KH_FIELD_TICKET], refuse);
		enum kh_io io = kh_channel_hear(call->channel, call->buffer, &call->state, 1, &message, NULL);
		assert_true(io == KH_IO_DONE || io == KH_IO_AGAIN);
		if (io == KH_IO_DONE)
			take(call, &message);
	}
}

static void end(int want)
{
	int status = -1;

	close(world.channel);
	assert_int_equal(waitpid(world.worker, &status, 0), world.worker);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), want);
	for (size_t i = 0; i < world.dials; i++) {
		kill(world.servers[i], SIGKILL);
		waitpid(world.servers[i], NULL, 0);
	}
}

static void post(const char *path, const char *want)
{
	call(&first, KH_METHOD_POST, path, KH_LIT("0123456789"), NULL);
	follow(&first, 0, false);
	assert_string_equal(first.detail, "");
	assert_int_equal(first.fault, KH_FAULT_NONE);
	assert_true(first.begun);
	assert_int_equal(first.status, 200);
	assert_string_equal(first.output, want);
	close(first.channel);
}

/* One connection serves one call after the other.  A secret is sent, and does not come back: ten bytes of it are its
 * whole value, so what is echoed is stars. */
static void test_kept(struct kh_test *t)
{
	static char body[300000];

	(void)t;
	begin("http://mcp.example/mcp", 60000, 1000);
	post("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[10,\"**********\",0,1]}\n");
	post("/a?b", "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":[10,\"**********\",0,1]}\n");
	memset(body, 'x', sizeof(body));
	call(&first, KH_METHOD_POST, "", kh_view_of(body, sizeof(body)), "X-Two: 2");
	follow(&first, 0, false);
	assert_string_equal(first.output, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":[300000,\"**********\",0,1]}\n");
	close(first.channel);
	assert_int_equal(world.dials, 1);
	/* A server that closes is connected to anew, and nothing is lost. */
	post("/once", "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":[10,\"**********\",0,1]}\n");
	waitpid(world.servers[0], NULL, 0);
	post("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[10,\"**********\",0,1]}\n");
	assert_int_equal(world.dials, 2);
	end(1);
}

/* A stream is open while calls go on beside it; an event comes when it is whole. */
static void test_beside(struct kh_test *t)
{
	(void)t;
	begin("http://mcp.example/mcp", 60000, 1000);
	call(&second, KH_METHOD_GET, "/stream", KH_LIT(""), NULL);
	follow(&second, 3, false);
	assert_string_equal(second.output, ONE "\n" ONE "\n" ONE "\n");
	assert_false(second.is_over);
	post("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[10,\"**********\",0,1]}\n");
	post("", "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":[10,\"**********\",0,1]}\n");
	assert_int_equal(world.dials, 2);
	close(second.channel); /* cancelled: its connection is closed */
	post("", "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":[10,\"**********\",0,1]}\n");
	call(&second, KH_METHOD_GET, "/stream/ends", KH_LIT(""), NULL);
	follow(&second, 0, false);
	assert_int_equal(second.fault, KH_FAULT_NONE);
	close(second.channel);
	end(1);
}

static void test_faults(struct kh_test *t)
{
	static const struct {
		const char *path, *header;
		enum kh_method method;
		enum kh_fault fault;
		const char *detail;
		bool refuse;
	} all[] = {
		{"/refused", NULL, KH_METHOD_POST, KH_FAULT_ADDRESS, "127.0.0.1 is no good", true},
		{"/silent", NULL, KH_METHOD_POST, KH_FAULT_TIME, "wall clock", false},
		{"/hangs-up", NULL, KH_METHOD_POST, KH_FAULT_HTTP, "without a response", false},
		{"", "x-key: mine", KH_METHOD_POST, KH_FAULT_REQUEST, "not a request", false},
	};

	(void)t;
	begin("http://mcp.example/mcp", 60000, 1000);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		call(&first, all[i].method, all[i].path, KH_LIT("x"), all[i].header);
		follow(&first, 0, all[i].refuse);
		assert_int_equal(first.fault, all[i].fault);
		assert_non_null(strstr(first.detail, all[i].detail));
		close(first.channel);
	}
	/* A path behind a query, and a body for what has none. */
	call(&first, KH_METHOD_GET, "", KH_LIT("x"), NULL);
	follow(&first, 0, false);
	assert_int_equal(first.fault, KH_FAULT_REQUEST);
	close(first.channel);
	post("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[10,\"**********\",0,1]}\n");
	end(1);
	begin("http://mcp.example/mcp?a", 60000, 1000);
	call(&first, KH_METHOD_POST, "/b", KH_LIT("x"), NULL);
	follow(&first, 0, false);
	assert_int_equal(first.fault, KH_FAULT_REQUEST);
	close(first.channel);
	end(1);
}

/* A flood waits: for a parent that does not read, and for the rate.  Other calls go on. */
static void test_flood(struct kh_test *t)
{
	struct kh_message message;
	size_t got = 0;

	(void)t;
	begin("http://mcp.example/mcp", 60000, 100);
	call(&second, KH_METHOD_GET, "/flood", KH_LIT(""), NULL);
	while (!second.begun || second.n == 0) {
		if (kh_channel_hear(world.channel, world.buffer, &world.state, 0, &message, NULL) == KH_IO_DONE)
			take_dial(message.number[KH_FIELD_TICKET], false);
		if (kh_channel_hear(second.channel, second.buffer, &second.state, 1, &message, NULL) == KH_IO_DONE)
			take(&second, &message);
	}
	post("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[10,\"**********\",0,1]}\n");
	int64_t until = kh_clock_ms() + 500;
	while (kh_clock_ms() < until)
		if (kh_channel_hear(second.channel, second.buffer, &second.state, 10, &message, NULL) == KH_IO_DONE)
			got += message.bulk.n;
	/* One piece that libcurl had already, and what the rate allows in some seconds; a flood would be megabytes. */
	assert_in_range(got / (sizeof(ONE)), 1, 65536 / sizeof(ONE) * 3);
	close(second.channel);
	end(1);
}

/* It ends by itself when nobody calls. */
static void test_idle(struct kh_test *t)
{
	struct kh_message message;

	(void)t;
	begin("http://mcp.example/mcp", 50, 1000);
	assert_int_equal(kh_channel_hear(world.channel, world.buffer, &world.state, TEST_WAIT_MS, &message, NULL),
			 KH_IO_DONE);
	assert_int_equal(message.type, KH_MESSAGE_DONE);
	assert_int_equal(message.number[KH_FIELD_FAULT], KH_FAULT_NONE);
	end(0);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_kept),  KH_TEST_ONCE(test_beside), KH_TEST_ONCE(test_faults),
	KH_TEST_ONCE(test_flood), KH_TEST_ONCE(test_idle),
};
KH_TEST_MAIN(cases)
