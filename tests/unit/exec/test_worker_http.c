#include "serving.h"

#include "exec/worker_http.h"

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
	serving_send(served, &out, &socket, 1);
	close(socket);
	if (ask->method != KH_METHOD_POST)
		return;
	for (struct kh_view rest = ask->body; rest.n > 0; rest = kh_view_from(rest, KH_MESSAGE_BULK)) {
		kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_INPUT);
		kh_message_bulk(&out, kh_view_sub(rest, 0, KH_MESSAGE_BULK));
		serving_send(served, &out, NULL, 0);
	}
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

/* E8: one exchange over the socket that was handed in, under the worker's own filter. */
static void test_plain(struct kh_test *t)
{
	(void)t;
	struct result r = exchange_text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello");

	assert_int_equal(r.fault, KH_FAULT_NONE);
	assert_int_equal(r.status, 200);
	assert_view(kh_view_of(r.headers, r.headers_n), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\n");
	assert_view(kh_view_of(r.body, r.body_n), "hello");
	free(r.body);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_plain),
};
KH_TEST_MAIN(cases)
