#include "serving.h"

#include "worker/http/http.h"

#include <fcntl.h>

#define CAP 100000

/* What came of an exchange. */
struct result {
	bool has_head;
	unsigned status;
	char headers[KH_REQUEST_HEAD], location[8193];
	size_t headers_n;
	char *body;
	size_t body_n;
	enum kh_fault fault;
	char detail[256];
};

/* Reads a request up to the end of its headers, answers with the script, and closes. */
static void answer(int socket, struct kh_view script)
{
	char request[65536];
	size_t n = 0;

	for (ssize_t got; n < sizeof(request) && (got = recv(socket, request + n, sizeof(request) - n, 0)) > 0;) {
		n += (size_t)got;
		if (kh_view_find(kh_view_of(request, n), KH_LIT("\r\n\r\n"), 0) != SIZE_MAX)
			break;
	}
	send_all(socket, script.p, script.n);
	shutdown(socket, SHUT_WR);
	while (recv(socket, request, sizeof(request), 0) > 0)
		;
}

struct ask {
	const char *url;
	uint64_t cap, wall;
	enum kh_method method;
	const char *header;
	struct kh_view body;
	server_fn *server;
	struct kh_view script;
	const char *authority; /* path of a PEM file */
	bool unfinished;       /* the body of a POST does not end */
};

static void send_job(struct served *served, const struct ask *ask, int socket)
{
	char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_TRANSFER);
	kh_message_number(&out, KH_FIELD_WALL, ask->wall ? ask->wall : TEST_WAIT_MS / 2);
	kh_message_number(&out, KH_FIELD_OUTPUT, ask->cap ? ask->cap : CAP);
	kh_message_text(&out, KH_FIELD_URL, kh_view_str(ask->url ? ask->url : "http://example.test/a/b?c"));
	kh_message_number(&out, KH_FIELD_METHOD, ask->method);
	if (ask->header != NULL)
		kh_message_text(&out, KH_FIELD_HEADER, kh_view_str(ask->header));
	int fds[] = {socket, ask->authority ? open(ask->authority, O_RDONLY | O_CLOEXEC) : -1};
	assert_true(ask->authority == NULL || fds[1] >= 0);
	serving_send(served, &out, fds, ask->authority ? 2 : 1);
	close(socket);
	if (ask->authority != NULL)
		close(fds[1]);
	if (ask->method != KH_METHOD_POST)
		return;
	for (struct kh_view rest = ask->body; rest.n > 0; rest = kh_view_from(rest, KH_MESSAGE_BULK)) {
		kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_INPUT);
		kh_message_bulk(&out, kh_view_sub(rest, 0, KH_MESSAGE_BULK));
		serving_send(served, &out, NULL, 0);
	}
	if (ask->unfinished)
		return;
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_INPUT_END);
	serving_send(served, &out, NULL, 0);
}

static void take(const struct kh_message *message, struct result *result)
{
	if (message->type == KH_MESSAGE_HEAD) {
		result->has_head = true;
		result->status = (unsigned)message->number[KH_FIELD_STATUS];
		result->headers_n = message->text[KH_FIELD_HEADERS].n;
		memcpy(result->headers, message->text[KH_FIELD_HEADERS].p, result->headers_n);
		snprintf(result->location, sizeof(result->location), "%.*s", KH_FMT(message->text[KH_FIELD_LOCATION]));
	} else if (message->type == KH_MESSAGE_OUTPUT) {
		result->body = realloc(result->body, result->body_n + message->bulk.n);
		assert_non_null(result->body);
		memcpy(result->body + result->body_n, message->bulk.p, message->bulk.n);
		result->body_n += message->bulk.n;
	} else {
		result->fault = (enum kh_fault)message->number[KH_FIELD_FAULT];
		snprintf(result->detail, sizeof(result->detail), "%.*s", KH_FMT(message->text[KH_FIELD_DETAIL]));
	}
}

static struct result exchange(const struct ask *ask)
{
	struct result result = {.has_head = false};
	struct kh_message message = {.type = KH_MESSAGE_NONE};
	struct served served;
	int socket;

	serving_start(&served, kh_worker_http, KH_STATE_TRANSFER_HEAD, SOCK_STREAM, ask->server ? ask->server : answer,
		      ask->script, &socket);
	send_job(&served, ask, socket);
	while (message.type != KH_MESSAGE_DONE) {
		serving_receive(&served, &message);
		take(&message, &result);
	}
	serving_end(&served);
	return result;
}

static struct result exchange_text(const char *script)
{
	return exchange(&(struct ask){.script = kh_view_str(script)});
}

#define OK "HTTP/1.1 200 OK\r\n"

/* E8: one exchange over the socket that was handed in, under the worker's own filter. */
static void test_plain(struct kh_test *t)
{
	(void)t;
	struct result r = exchange_text(OK "Content-Length: 5\r\nX-A: b\r\n\r\nhello");

	assert_int_equal(r.fault, KH_FAULT_NONE);
	assert_int_equal(r.status, 200);
	assert_view(kh_view_of(r.headers, r.headers_n), OK "Content-Length: 5\r\nX-A: b\r\n\r\n");
	assert_view(kh_view_of(r.body, r.body_n), "hello");
	assert_string_equal(r.detail, "");
	free(r.body);
}

/* Answers with what was asked, as the body, until its headers' end or for POST its end by Content-Length. */
static void echo(int socket, struct kh_view script)
{
	char request[1 << 16], head[100];
	size_t n = 0, want = script.n;

	for (ssize_t got; n < sizeof(request) && (got = recv(socket, request + n, sizeof(request) - n, 0)) > 0;) {
		n += (size_t)got;
		size_t end = kh_view_find(kh_view_of(request, n), KH_LIT("\r\n\r\n"), 0);
		if (end != SIZE_MAX && n >= end + 4 + want)
			break;
	}
	int length = snprintf(head, sizeof(head), OK "Content-Length: %zu\r\n\r\n", n);
	send_all(socket, head, (size_t)length);
	send_all(socket, request, n);
}

/* What is sent is what was asked for: nothing is normalised away, and nothing of the environment comes in. */
static void test_request(struct kh_test *t)
{
	(void)t;
	setenv("http_proxy", "http://127.0.0.1:9/", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:9/", 1);
	struct result r = exchange(&(struct ask){
		.url = "http://example.test:8080/a/../b%2e?q#frag", .server = echo, .header = "X-Key: value"});

	unsetenv("http_proxy");
	unsetenv("ALL_PROXY");
	assert_int_equal(r.fault, KH_FAULT_NONE);
	assert_view(kh_view_of(r.body, r.body_n), "GET /a/../b%2e?q HTTP/1.1\r\nHost: example.test:8080\r\n"
						  "User-Agent: keyhole/" KH_VERSION "\r\nAccept: */*\r\n"
						  "Accept-Encoding: gzip, deflate, br\r\nX-Key: value\r\n\r\n");
	free(r.body);
}

static void test_post(struct kh_test *t)
{
	(void)t;
	struct result r = exchange(&(struct ask){.method = KH_METHOD_POST,
						 .body = KH_LIT("{\"a\":1}"),
						 .server = echo,
						 .header = "Content-Type: application/json",
						 .script = KH_LIT("1234567")});

	assert_int_equal(r.fault, KH_FAULT_NONE);
	assert_view(kh_view_of(r.body, r.body_n),
		    "POST /a/b?c HTTP/1.1\r\nHost: example.test\r\n"
		    "User-Agent: keyhole/" KH_VERSION "\r\nAccept: */*\r\n"
		    "Accept-Encoding: gzip, deflate, br\r\n"
		    "Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}");
	free(r.body);
}

/* Reads a body of the announced length and says how long it was and whether it was the one that was sent. */
static void measure(int socket, struct kh_view script)
{
	static char request[4 << 20];
	size_t n = 0, end = 0;

	for (ssize_t got; n < sizeof(request) && (got = recv(socket, request + n, sizeof(request) - n, 0)) > 0;) {
		n += (size_t)got;
		end = kh_view_find(kh_view_of(request, n < 4096 ? n : 4096), KH_LIT("\r\n\r\n"), 0);
		if (end != SIZE_MAX && n >= end + 4 + script.n)
			break;
	}
	bool same = n == end + 4 + script.n && memcmp(request + end + 4, script.p, script.n) == 0;
	bool told = kh_view_find(kh_view_of(request, end + 2), KH_LIT("Content-Length: 3000000\r\n"), 0) != SIZE_MAX;
	const char *text = same && told ? OK "Content-Length: 4\r\n\r\ngood" : OK "Content-Length: 3\r\n\r\nbad";
	send_all(socket, text, strlen(text));
}

static void test_post_long(struct kh_test *t)
{
	static char body[KH_REQUEST_BODY + 1];
	(void)t;
	for (size_t i = 0; i < sizeof(body); i++)
		body[i] = (char)(i * 31 % 251);
	struct ask ask = {
		.method = KH_METHOD_POST, .body = {body, 3000000}, .server = measure, .script = {body, 3000000}};
	struct result r = exchange(&ask);
	assert_int_equal(r.fault, KH_FAULT_NONE);
	assert_view(kh_view_of(r.body, r.body_n), "good");
	free(r.body);
	/* One byte more than is kept. */
	ask.body.n = sizeof(body);
	r = exchange(&ask);
	assert_int_equal(r.fault, KH_FAULT_REQUEST);
	assert_false(r.has_head);
}

struct text_case {
	const char *script;
	enum kh_fault fault;
	unsigned status; /* 0: no head */
	const char *body;
};

static void check_texts(const struct text_case *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct result r = exchange_text(all[i].script);
		if (r.fault != all[i].fault || r.status != all[i].status)
			fail_msg("%s: fault %s, status %u, %s", all[i].script, kh_fault_name(r.fault), r.status,
				 r.detail);
		assert_int_equal(r.has_head, all[i].status != 0);
		assert_view(kh_view_of(r.body, r.body_n), all[i].body);
		/* A detail is our own words. */
		assert_null(strstr(r.detail, "EVIL"));
		free(r.body);
	}
}

#define CHECK_TEXTS(all) check_texts(all, sizeof(all) / sizeof((all)[0]))

static void test_good(struct kh_test *t)
{
	static const struct text_case all[] = {
		{"HTTP/1.0 200 OK\r\n\r\nuntil the end", KH_FAULT_NONE, 200, "until the end"},
		{OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n", KH_FAULT_NONE, 200,
		 "hello!"},
		{OK "Content-Length: 2\r\n\r\nokEVIL and more", KH_FAULT_NONE, 200, "ok"},
		{"HTTP/1.1 204 No Content\r\n\r\n", KH_FAULT_NONE, 204, ""},
		{"HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx", KH_FAULT_NONE, 404, "x"},
		{"HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n", KH_FAULT_NONE, 500, ""},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" OK
		 "Content-Length: 1\r\n\r\ny",
		 KH_FAULT_NONE, 200, "y"},
	};
	(void)t;
	CHECK_TEXTS(all);
}

/* The head is of the response proper alone: no interim response before it, no trailer behind it. */
static void test_head(struct kh_test *t)
{
	(void)t;
	struct result r = exchange_text("HTTP/1.1 103 Early\r\nX-Early: 1\r\n\r\n" OK
					"Transfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n"
					"1\r\na\r\n0\r\nX-Late: 1\r\n\r\n");

	assert_int_equal(r.fault, KH_FAULT_NONE);
	assert_view(kh_view_of(r.headers, r.headers_n), OK "Transfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n");
	assert_view(kh_view_of(r.body, r.body_n), "a");
	free(r.body);
}

/* E8: what is not HTTP, or not whole, is not taken for an answer. */
static void test_bad(struct kh_test *t)
{
	static const struct text_case all[] = {
		{"", KH_FAULT_HTTP, 0, ""},
		{"EVIL: not HTTP at all, but HTTP/0.9\n", KH_FAULT_HTTP, 0, ""},
		{"SSH-2.0-EVIL\r\n", KH_FAULT_HTTP, 0, ""},
		{"\x16\x03\x01\x02", KH_FAULT_HTTP, 0, ""},
		{"HTTP/1.1 EVIL\r\n\r\n", KH_FAULT_HTTP, 0, ""},
		{"HTTP/2 200 EVIL\r\n\r\n", KH_FAULT_HTTP, 0, ""},
		{"HTTP/1.1 200 OK", KH_FAULT_HTTP, 0, ""},
		{OK "X-EVIL: cut", KH_FAULT_HTTP, 0, ""},
		{OK "X-EVIL: cut\r\n", KH_FAULT_HTTP, 0, ""},
		{OK "Content-Length: 10\r\n\r\nhell", KH_FAULT_HTTP, 200, "hell"},
		{OK "Content-Length: -5\r\n\r\nhello", KH_FAULT_HTTP, 0, ""},
		{OK "Content-Length: EVIL\r\n\r\nhello", KH_FAULT_HTTP, 0, ""},
		{OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhel", KH_FAULT_HTTP, 200, "hel"},
		{OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", KH_FAULT_HTTP, 200, "hello"},
		{OK "Transfer-Encoding: chunked\r\n\r\nEVIL!\r\n", KH_FAULT_HTTP, 200, ""},
		{OK "Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\nx\r\n", KH_FAULT_HTTP, 200, ""},
		{OK "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", KH_FAULT_HTTP, 200, ""},
		{OK "Content-Encoding: br\r\nContent-Length: 5\r\n\r\n\xff\xff\xff\xff\xff", KH_FAULT_HTTP, 200, ""},
		{OK "Content-Encoding: EVIL\r\nContent-Length: 5\r\n\r\nhello", KH_FAULT_HTTP, 0, ""},
		{OK "Content-Encoding: zstd\r\nContent-Length: 5\r\n\r\nhello", KH_FAULT_HTTP, 0, ""},
		{OK "Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip\r\n\r\nx", KH_FAULT_HTTP, 0, ""},
		{"HTTP/1.1 101 Switching Protocols\r\nUpgrade: EVIL\r\n\r\nEVIL", KH_FAULT_HTTP, 0, ""},
	};
	(void)t;
	CHECK_TEXTS(all);
	struct result r = exchange(&(struct ask){.script = KH_LIT(OK "X: a\0b\r\nContent-Length: 0\r\n\r\n")});
	assert_int_equal(r.fault, KH_FAULT_HTTP);
}

static void test_redirect(struct kh_test *t)
{
	static const struct {
		const char *location, *leads;
	} all[] = {
		{"/x?y=z", "http://example.test/x?y=z"},
		{"d", "http://example.test/a/d"},
		{"//other.test/x", "http://other.test/x"},
		{"https://other.test:444/", "https://other.test:444/"},
		{"javascript:alert(1)", ""},
		{"", ""},
	};
	char script[300];
	(void)t;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(script, sizeof(script), "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 1\r\n\r\nx",
			 all[i].location);
		struct result r = exchange_text(script);
		assert_int_equal(r.fault, KH_FAULT_NONE);
		assert_int_equal(r.status, 302);
		assert_string_equal(r.location, all[i].leads);
		assert_view(kh_view_of(r.body, r.body_n), "x");
		free(r.body);
	}
	/* A Location that redirects nobody. */
	struct result r = exchange_text(OK "Location: /x\r\nContent-Length: 0\r\n\r\n");
	assert_string_equal(r.location, "");
}

static struct result exchange_coded(const char *coding, struct kh_view body, uint64_t cap)
{
	char script[2000];
	int n = snprintf(script, sizeof(script), OK "Content-Encoding: %s\r\nContent-Length: %zu\r\n\r\n", coding,
			 body.n);

	memcpy(script + n, body.p, body.n);
	return exchange(&(struct ask){.script = kh_view_of(script, (size_t)n + body.n), .cap = cap});
}

static void test_codings(struct kh_test *t)
{
	static const struct {
		const char *coding;
		struct kh_view body;
	} all[] = {
		{"gzip", KH_LIT_INIT("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01"
				     "\xe3\x51\x3d\x8d\x17\x00\x00\x00")},
		{"deflate", KH_LIT_INIT("\x78\xda\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01\x68\x03\x08\xb1")},
		{"deflate", KH_LIT_INIT("\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01")},
		{"br", KH_LIT_INIT("\x1f\x16\x00\xf8\x8d\x94\x6e\xde\x44\x55\x86\x96\x6c\x20\x6f\x21\x4f\x1c\xe0\x38")},
		{"gzip, gzip",
		 KH_LIT_INIT("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x93\xef\xe6\x60\x00\x01\x26\xe6\xd3\x1e\x67\x4f"
			     "\x9e\x0c\x3f\xe1\xa0\xce\xf8\x38\xd0\xb6\x57\x1c\x28\x06\x00\x44\x63\x66\x0c\x1c\x00\x00"
			     "\x00")},
	};
	(void)t;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct result r = exchange_coded(all[i].coding, all[i].body, CAP);
		assert_int_equal(r.fault, KH_FAULT_NONE);
		assert_view(kh_view_of(r.body, r.body_n), "hello hello hello hello");
		free(r.body);
	}
}

/* E8, E9: 200,000 zero bytes out of few: what is decoded counts, and no byte past the cap comes out. */
static void test_bombs(struct kh_test *t)
{
	static const struct kh_view brotli = KH_LIT_INIT("\x5f\x3f\x0d\x83\x7f\x02\x20\x1e\x0b\x04\xf2\x09\x06\x00");
	static const struct kh_view start = KH_LIT_INIT("\xed\xc1\x31\x01\x00\x00\x00\xc2\xa0\xf5\x4f\x6d\x06\x7f\xa0");
	char deflate[211] = "";
	(void)t;

	memcpy(deflate, start.p, start.n);
	memcpy(deflate + 208, "\x80\xd7", 2);
	for (int i = 0; i < 2; i++) {
		struct kh_view body = i == 0 ? brotli : kh_view_of(deflate, sizeof(deflate));
		struct result r = exchange_coded(i == 0 ? "br" : "deflate", body, 200000);
		assert_int_equal(r.fault, KH_FAULT_NONE);
		assert_int_equal(r.body_n, 200000);
		free(r.body);
		r = exchange_coded(i == 0 ? "br" : "deflate", body, 199999);
		assert_int_equal(r.fault, KH_FAULT_OUTPUT);
		assert_int_equal(r.body_n, 199999);
		free(r.body);
	}
}

/* The cap of the body, to the byte. */
static void test_cap(struct kh_test *t)
{
	(void)t;
	for (uint64_t cap = 4; cap <= 6; cap++) {
		struct kh_view until_end = KH_LIT(OK "\r\nhello"), length = KH_LIT(OK "Content-Length: 5\r\n\r\nhello");
		struct result r = exchange(&(struct ask){.script = until_end, .cap = cap});
		assert_int_equal(r.fault, cap < 5 ? KH_FAULT_OUTPUT : KH_FAULT_NONE);
		assert_view(kh_view_of(r.body, r.body_n), cap < 5 ? "hell" : "hello");
		free(r.body);
		r = exchange(&(struct ask){.script = length, .cap = cap});
		assert_int_equal(r.fault, cap < 5 ? KH_FAULT_OUTPUT : KH_FAULT_NONE);
		free(r.body);
	}
	struct result r = exchange_text(OK "Content-Length: 99999999999999999999999\r\n\r\nhello");
	assert_int_equal(r.fault, KH_FAULT_OUTPUT);
	free(r.body);
}

/* The script's first line once, and the rest of it until nobody takes it any more. */
static void repeat(int socket, struct kh_view script)
{
	size_t once = kh_view_find(script, KH_LIT("|"), 0);

	send_all(socket, script.p, once);
	for (struct kh_view more = kh_view_from(script, once + 1); send(socket, more.p, more.n, MSG_NOSIGNAL) > 0;)
		;
}

/* E8: what has no end is stopped by the limit that it breaks. */
static void test_endless(struct kh_test *t)
{
	static const struct {
		struct kh_view script;
		enum kh_fault fault;
	} all[] = {
		{KH_LIT_INIT(OK "|X-Header: of many\r\n"), KH_FAULT_HEADERS},
		{KH_LIT_INIT(OK "X-Header: |one that does not end "), KH_FAULT_HEADERS},
		{KH_LIT_INIT("|HTTP/1.1 100 Continue\r\n\r\n"), KH_FAULT_HEADERS},
		{KH_LIT_INIT("HTTP/1.1 200 |OK"), KH_FAULT_HEADERS},
		{KH_LIT_INIT(OK "Transfer-Encoding: chunked\r\n\r\n0\r\n|X-Trailer: of many\r\n"), KH_FAULT_HEADERS},
		{KH_LIT_INIT(OK "\r\n|body"), KH_FAULT_OUTPUT},
		{KH_LIT_INIT(OK "Transfer-Encoding: chunked\r\n\r\n|1\r\nx\r\n"), KH_FAULT_OUTPUT},
		{KH_LIT_INIT(OK "Transfer-Encoding: chunked\r\n\r\n5;extension=|does-not-end-"), KH_FAULT_OUTPUT},
		/* Empty blocks of deflate: nothing is decoded, but a lot comes. */
		{KH_LIT_INIT(OK "Content-Encoding: deflate\r\n\r\n|\x00\x00\x00\xff\xff"), KH_FAULT_OUTPUT},
	};
	(void)t;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct result r = exchange(&(struct ask){.server = repeat, .script = all[i].script});
		if (r.fault != all[i].fault)
			fail_msg("%.*s: fault %s, %s", KH_FMT(all[i].script), kh_fault_name(r.fault), r.detail);
		assert_true(r.body_n <= CAP);
		free(r.body);
	}
}

static void say_nothing(int socket, struct kh_view script)
{
	send_all(socket, script.p, script.n);
	pause();
}

/* E7: the wall clock, wherever the server stops. */
static void test_time(struct kh_test *t)
{
	static const char *const scripts[] = {"", "HTTP/1.1 200", OK "Content-Length: 5\r\n\r\nhel"};
	(void)t;

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct ask ask = {.wall = 200, .server = say_nothing, .script = kh_view_str(scripts[i])};
		struct result r = exchange(&ask);
		assert_int_equal(r.fault, KH_FAULT_TIME);
		/* What had come was not kept back. */
		assert_view(kh_view_of(r.body, r.body_n), i == 2 ? "hel" : "");
		free(r.body);
	}
	struct ask ask = {.wall = 200, .method = KH_METHOD_POST, .body = KH_LIT("half"), .unfinished = true};
	struct result r = exchange(&ask);
	assert_int_equal(r.fault, KH_FAULT_TIME);
	assert_false(r.has_head);
}

/* A server of TLS: the script's first word says what it does after the handshake, the rest where its certificate is. */
static const char tls_server[] =
	"import os, socket, ssl, sys, time\n"
	"raw, mode, folder = socket.socket(fileno=int(sys.argv[1])), sys.argv[2], sys.argv[3]\n"
	"context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\n"
	"context.load_cert_chain(folder + '/cert.pem', folder + '/key.pem')\n"
	"if mode == 'mute':\n"
	"    time.sleep(60)\n"
	"s = context.wrap_socket(raw, server_side=True)\n"
	"s.recv(65536)\n"
	"if mode == 'stall':\n"
	"    time.sleep(60)\n"
	"s.sendall(b'HTTP/1.1 200 OK\\r\\n\\r\\nsecret')\n"
	"if mode != 'cut':\n"
	"    s.unwrap()\n"
	"s.close()\n";

static void run(const char *const *argv)
{
	/* execvp() takes them as they are. */
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

static void serve_tls(int socket, struct kh_view script)
{
	char number[16], mode[16], folder[200];
	size_t space = kh_view_find(script, KH_LIT(" "), 0);

	fcntl(socket, F_SETFD, 0);
	snprintf(number, sizeof(number), "%d", socket);
	snprintf(mode, sizeof(mode), "%.*s", (int)space, script.p);
	snprintf(folder, sizeof(folder), "%.*s", KH_FMT(kh_view_from(script, space + 1)));
	/* What the handshake comes to is the worker's to say. */
	close(2);
	run((const char *const[]){"python3", "-c", tls_server, number, mode, folder, NULL});
}

/* A fresh key and its certificate for example.test, signed by itself. */
static void make_certificate(const char *folder)
{
	char key[200], cert[200];
	int status = -1;

	snprintf(key, sizeof(key), "%s/key.pem", folder);
	snprintf(cert, sizeof(cert), "%s/cert.pem", folder);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		close(2);
		run((const char *const[]){"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
					  "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
					  "-addext", "subjectAltName=DNS:example.test", "-keyout", key, "-out", cert,
					  NULL});
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* E9: TLS is verified, against the system's store or the certificates that the request brings, and under the filter. */
static void test_tls(struct kh_test *t)
{
	static const struct {
		const char *mode, *url;
		bool trusted;
		uint64_t wall;
		enum kh_fault fault;
	} all[] = {
		{"good", "https://example.test/", true, 0, KH_FAULT_NONE},
		{"good", "https://example.test/", false, 0, KH_FAULT_TLS},
		{"good", "https://other.test/", true, 0, KH_FAULT_TLS},
		{"good", "https://127.0.0.1/", true, 0, KH_FAULT_TLS},
		{"cut", "https://example.test/", true, 0, KH_FAULT_HTTP},
		{"mute", "https://example.test/", true, 300, KH_FAULT_TIME},
		{"stall", "https://example.test/", true, 1000, KH_FAULT_TIME},
	};
	char folder[] = "/tmp/keyhole-test-XXXXXX", cert[100], key[100], script[100];
	(void)t;

	assert_non_null(mkdtemp(folder));
	make_certificate(folder);
	snprintf(cert, sizeof(cert), "%s/cert.pem", folder);
	snprintf(key, sizeof(key), "%s/key.pem", folder);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(script, sizeof(script), "%s %s", all[i].mode, folder);
		struct result r = exchange(&(struct ask){.url = all[i].url,
							 .wall = all[i].wall,
							 .server = serve_tls,
							 .script = kh_view_str(script),
							 .authority = all[i].trusted ? cert : NULL});
		if (r.fault != all[i].fault)
			fail_msg("%zu: fault %s: %s", i, kh_fault_name(r.fault), r.detail);
		assert_int_equal(r.has_head, all[i].fault == KH_FAULT_NONE || all[i].fault == KH_FAULT_HTTP);
		if (all[i].fault == KH_FAULT_NONE)
			assert_view(kh_view_of(r.body, r.body_n), "secret");
		free(r.body);
	}
	/* A server that answers the handshake with something else; a file of authorities that has none. */
	struct result r = exchange(&(struct ask){.url = "https://example.test/",
						 .server = say_nothing,
						 .authority = cert,
						 .script = KH_LIT("220 mail.example.test ESMTP\r\n")});
	assert_int_equal(r.fault, KH_FAULT_TLS);
	snprintf(script, sizeof(script), "good %s", folder);
	r = exchange(&(struct ask){.url = "https://example.test/",
				   .server = serve_tls,
				   .script = kh_view_str(script),
				   .authority = "/dev/null"});
	assert_int_equal(r.fault, KH_FAULT_TLS);
	unlink(cert);
	unlink(key);
	rmdir(folder);
}

/* A worker that is not spoken to as the table says ends, and says nothing. */
static void test_protocol(struct kh_test *t)
{
	static const struct kh_view packets[] = {KH_LIT_INIT(""), KH_LIT_INIT("\x01\x13\x00\x00\x00\x00\x00\x00"),
						 KH_LIT_INIT("garbage of no kind")};
	(void)t;

	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		struct served served;
		int socket, status = -1, fds[KH_MESSAGE_FDS];
		struct kh_view packet;
		size_t fd_count;
		serving_start(&served, kh_worker_http, KH_STATE_TRANSFER_HEAD, SOCK_STREAM, answer, KH_LIT(""),
			      &socket);
		if (packets[i].n > 0)
			assert_int_equal(kh_channel_send_wait(served.channel, packets[i], NULL, 0, TEST_WAIT_MS),
					 KH_IO_DONE);
		else
			shutdown(served.channel, SHUT_WR);
		assert_int_equal(
			kh_channel_receive_wait(served.channel, served.buffer, &packet, fds, &fd_count, TEST_WAIT_MS),
			KH_IO_CLOSED);
		close(served.channel);
		close(socket);
		assert_int_equal(waitpid(served.worker, &status, 0), served.worker);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
		kill(served.server, SIGKILL);
		assert_int_equal(waitpid(served.server, NULL, 0), served.server);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_plain),   KH_TEST_ONCE(test_request),  KH_TEST_ONCE(test_post), KH_TEST_ONCE(test_post_long),
	KH_TEST_ONCE(test_good),    KH_TEST_ONCE(test_head),     KH_TEST_ONCE(test_bad),  KH_TEST_ONCE(test_redirect),
	KH_TEST_ONCE(test_codings), KH_TEST_ONCE(test_bombs),    KH_TEST_ONCE(test_cap),  KH_TEST_ONCE(test_endless),
	KH_TEST_ONCE(test_time),    KH_TEST_ONCE(test_protocol), KH_TEST_ONCE(test_tls),
};
KH_TEST_MAIN(cases)
