/* U3: what an upstream server answers is bounded, read and written anew, and an answer that is none ends its call. */
#include "site.h"

#include "harness.h"

#include <stdio.h>

#define OK     "HTTP/1.1 200 OK\r\n"
#define JSON   "Content-Type: application/json; charset=utf-8\r\n\r\n"
#define EVENTS "content-type: text/event-stream\r\n\r\n"
#define ONE    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"

struct seen {
	unsigned status;
	char headers[4096], output[16384], marks[256];
	size_t n;
	enum kh_fault fault;
	char detail[KH_MESSAGE_DETAIL + 1];
};

static void take(struct seen *seen, const struct kh_message *message)
{
	if (message->type == KH_MESSAGE_HEAD) {
		seen->status = (unsigned)message->number[KH_FIELD_STATUS];
		snprintf(seen->headers, sizeof(seen->headers), "%.*s", KH_FMT(message->text[KH_FIELD_HEADERS]));
	} else if (message->type == KH_MESSAGE_OUTPUT) {
		memcpy(seen->output + seen->n, message->bulk.p, message->bulk.n);
		seen->n += message->bulk.n;
	} else {
		size_t n = strlen(seen->marks);
		snprintf(seen->marks + n, sizeof(seen->marks) - n, "%.*s,%d;", KH_FMT(message->text[KH_FIELD_MARK]),
			 message->has[KH_FIELD_RETRY] ? (int)message->number[KH_FIELD_RETRY] : -1);
	}
}

static struct seen see(const char *response, size_t piece, uint64_t most)
{
	enum kh_message_state state = KH_STATE_PARENT_BEGUN;
	static struct kh_http_answer answer;
	static struct kh_http_site site;
	struct kh_outlet outlet;
	struct seen seen = {.n = 0};
	struct kh_message message;
	struct kh_view packet;
	size_t at = 0;

	assert_true(site_begin(&site));
	kh_outlet_init(&outlet, -1, &kh_alloc_system, 1U << 20);
	kh_http_answer_init(&answer, &site, &outlet, most);
	site_push(&answer, kh_view_str(response), piece);
	while (site_packet(&outlet, &at, &packet)) {
		assert_int_equal(kh_message_read(packet, 0, &state, &message, NULL), KH_OK);
		take(&seen, &message);
	}
	seen.fault = answer.fault;
	memcpy(seen.detail, answer.detail, sizeof(seen.detail));
	kh_http_answer_done(&answer);
	kh_outlet_done(&outlet);
	site_end(&site);
	return seen;
}

static void test_answers(struct kh_test *t)
{
	static const struct {
		const char *response, *output, *marks;
	} all[] = {
		{OK JSON " " ONE "\n", ONE "\n", ""},
		{OK JSON "", "", ""},
		{OK JSON "[" ONE "," ONE "]", ONE "\n" ONE "\n", ""},
		{"HTTP/1.1 100 Continue\r\n\r\n" OK JSON ONE, ONE "\n", ""},
		{"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", "", ""},
		{OK EVENTS "data: " ONE "\n\nid: 4\nretry: 7\ndata: " ONE "\n\n", ONE "\n" ONE "\n", "4,7;"},
		{OK EVENTS
		 "id: 0\ndata:\n\n: ping\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"x\"}\n\n",
		 "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n", "0,-1;"},
		{OK EVENTS "event: other\nid: 9\ndata: not json\n\n", "", "9,-1;"},
		{"HTTP/1.1 400 Bad\r\n" JSON "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32020,\"message\":\"m\"}}",
		 "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32020,\"message\":\"m\"}}\n", ""},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (size_t piece = 1; piece < 20; piece++) {
			struct seen seen = see(all[i].response, piece, 0);
			assert_string_equal(seen.detail, "");
			assert_int_equal(seen.fault, KH_FAULT_NONE);
			assert_string_equal(seen.output, all[i].output);
			assert_string_equal(seen.marks, all[i].marks);
		}
	}
}

/* Of the headers a few are passed on, if they can be shown. */
static void test_head(struct kh_test *t)
{
	(void)t;
	struct seen seen = see(OK "Mcp-Session-Id: s1\r\nSet-Cookie: a=b\r\nX: y\r\nAllow: GET\x01\r\n"
				  "WWW-Authenticate: " SITE_SECRET "\r\n" JSON ONE,
			       100, 0);
	assert_int_equal(seen.status, 200);
	assert_string_equal(seen.headers, "content-type: application/json; charset=utf-8\r\nmcp-session-id: s1\r\n"
					  "www-authenticate: *****************\r\n");
	seen = see(OK JSON "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\"" SITE_SECRET
			   "\",\"\\u0042earer tok-123456\"]}",
		   100, 0);
	assert_string_equal(seen.output, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\"*****************\","
					 "\"*****************\"]}\n");
}

/* An error's own words are a reason, quoted. */
static void test_reasons(struct kh_test *t)
{
	(void)t;
	struct seen seen = see("HTTP/1.1 401 No\r\nContent-Type: text/plain\r\n\r\nwho are you\x1b?", 3, 0);
	assert_int_equal(seen.fault, KH_FAULT_NONE);
	assert_int_equal(seen.status, 401);
	assert_string_equal(seen.output, "");
	assert_non_null(strstr(seen.detail, "the server says \"who are you"));
	assert_null(strchr(seen.detail, 0x1b));
	seen = see("HTTP/1.1 403 No\r\n" JSON "{\"error\":\"" SITE_SECRET "\"}", 100, 0);
	assert_int_equal(seen.fault, KH_FAULT_NONE);
	assert_string_equal(seen.output, "");
	assert_null(strstr(seen.detail, "tok-"));
	assert_non_null(strstr(seen.detail, "error"));
}

static void test_hostile(struct kh_test *t)
{
	static const struct {
		const char *response;
		enum kh_fault fault;
		const char *detail;
	} all[] = {
		{"HTTP/2 200\r\n\r\n", KH_FAULT_HTTP, "another version"},
		{"HTTP/1.1 abc\r\n\r\n", KH_FAULT_HTTP, "not well-formed"},
		{"HTTP/1.1 101 Up\r\n\r\n", KH_FAULT_HTTP, "changed the protocol"},
		{"HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1/\r\n\r\n", KH_FAULT_REDIRECTS, "redirects"},
		{"HTTP/1.1 307 Go\r\nLocation: /other\r\n\r\n", KH_FAULT_REDIRECTS, "redirects"},
		{"HTTP/1.1 308 Go\r\n" JSON ONE, KH_FAULT_REDIRECTS, "redirects"},
		{OK "Content-Encoding: gzip\r\n" JSON ONE, KH_FAULT_HTTP, "coding"},
		{OK "Content-Encoding: br\r\n" EVENTS, KH_FAULT_HTTP, "coding"},
		{OK "Content-Length: 1\r\nContent-Length: 2\r\n" JSON, KH_FAULT_HTTP, "Content-Length"},
		{OK "Content-Type: text/html\r\n\r\n<p>", KH_FAULT_HTTP, "neither JSON"},
		{OK "\r\nx", KH_FAULT_HTTP, "neither JSON"},
		{OK "Content-Type: application/jsonp\r\n\r\n" ONE, KH_FAULT_HTTP, "neither JSON"},
		{OK JSON "{\"a\":1}", KH_FAULT_HTTP, ""},
		{OK JSON ONE "x", KH_FAULT_HTTP, ""},
		{OK JSON "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":{}}", KH_FAULT_HTTP, ""},
		{OK JSON "\xff", KH_FAULT_HTTP, ""},
		{OK JSON "[]", KH_FAULT_HTTP, "batch"},
		{OK EVENTS "data: " ONE "\n\ndata: {\n\n", KH_FAULT_HTTP, ""},
		{OK EVENTS "data: " ONE "\n", KH_FAULT_HTTP, "within an event"},
		{OK EVENTS "data: " ONE, KH_FAULT_HTTP, "within an event"},
		{"HTTP/1.1 200 OK\r\nX: y\r\n", KH_FAULT_HTTP, "within its headers"},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (size_t piece = 1; piece < 12; piece += 5) {
			struct seen seen = see(all[i].response, piece, 0);
			assert_int_equal(seen.fault, all[i].fault);
			assert_non_null(strstr(seen.detail, all[i].detail));
			assert_true(seen.detail[0] != '\0');
		}
	}
}

/* Everything has a bound. */
static void test_bounds(struct kh_test *t)
{
	static char response[128 * 1024];
	struct seen seen;

	(void)t;
	size_t head = (size_t)snprintf(response, sizeof(response), OK JSON);
	memset(response + head, ' ', SITE_MESSAGE);
	seen = see(response, 1000, 0); /* only blanks, and as many as may come */
	assert_int_equal(seen.fault, KH_FAULT_NONE);
	memset(response + head, ' ', SITE_MESSAGE + 1);
	seen = see(response, 1000, 0);
	assert_int_equal(seen.fault, KH_FAULT_OUTPUT);
	memset(response, 0, sizeof(response));
	head = (size_t)snprintf(response, sizeof(response), OK EVENTS "data: ");
	memset(response + head, 'x', 2 * SITE_MESSAGE);
	seen = see(response, 777, 0);
	assert_int_equal(seen.fault, KH_FAULT_OUTPUT);
	memset(response, 0, sizeof(response));
	head = (size_t)snprintf(response, sizeof(response), OK "X: ");
	memset(response + head, 'x', 100000);
	seen = see(response, 777, 0);
	assert_int_equal(seen.fault, KH_FAULT_HEADERS);
	/* All messages of a call together. */
	seen = see(OK EVENTS "data: " ONE "\n\ndata: " ONE "\n\n", 777, sizeof(ONE) + 10);
	assert_int_equal(seen.fault, KH_FAULT_OUTPUT);
	assert_string_equal(seen.output, ONE "\n");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_answers), KH_TEST_ONCE(test_head),   KH_TEST_ONCE(test_reasons),
	KH_TEST_ONCE(test_hostile), KH_TEST_ONCE(test_bounds),
};
KH_TEST_MAIN(cases)
