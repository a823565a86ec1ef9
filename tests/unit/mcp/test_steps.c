#include "talk.h"

#include "mcp/exchange.h"

#include <stdlib.h>

#define SECOND INT64_C(1000000)

/* A call that waits: a Reader's, for a query that never comes. */
static uintptr_t wait_for_nothing(struct kh_talk *talk, struct kh_mcp_peer *peer, int id, const char *meta)
{
	return kh_talk_send(talk, peer, kh_talk_tool(talk, id, "BCPNext", "{}", meta));
}

static size_t running(struct kh_mcp_peer *peer)
{
	pthread_mutex_lock(&peer->lock);
	size_t n = peer->running_count;
	pthread_mutex_unlock(&peer->lock);
	return n;
}

/* I1: notifications/cancelled ends the call that it names, without an answer, and no other. */
static void test_cancelled(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 60 * SECOND, KH_LIT(""));
	struct kh_mcp_peer *reader = kh_talk_peer(talk, talk->f->reader), *other = kh_talk_peer(talk, talk->f->reader);

	kh_talk_begin(talk, reader, "2025-11-25", "{}");
	kh_talk_begin(talk, other, "2025-11-25", "{}");
	uintptr_t one = wait_for_nothing(talk, reader, 1, ""), two = wait_for_nothing(talk, reader, 2, "");
	/* Another connection's request of the same id is another's. */
	assert_null(kh_talk_ask(talk, other,
				"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
				"1}}"));
	assert_null(kh_talk_ask(talk, reader,
				"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
				"\"1\"}}"));
	assert_int_equal(running(reader), 2);
	assert_null(kh_talk_ask(talk, reader,
				"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
				"1}}"));
	assert_int_equal(kh_talk_last(talk, one)->text.n, 0);
	assert_int_equal(running(reader), 1);
	assert_int_equal(kh_talk_count(talk, two), 0);
	kh_mcp_exchange_cancel_all(reader);
	assert_int_equal(kh_talk_last(talk, two)->text.n, 0);
	kh_mcp_peer_drop(reader);
	kh_mcp_peer_drop(other);
	kh_talk_close(talk);
}

/* A5, B17: progress comes every five seconds from the beginning of the call on, with the client's token, and only where
 * it sent one. */
static void test_progress(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 60 * SECOND, KH_LIT(""));
	struct kh_mcp_peer *reader = kh_talk_peer(talk, talk->f->reader);
	int64_t began = kh_works_now();

	kh_talk_begin(talk, reader, "2025-11-25", "{}");
	uintptr_t silent = wait_for_nothing(talk, reader, 1, "");
	uintptr_t told = wait_for_nothing(talk, reader, 2, ",\"_meta\":{\"progressToken\":\"p-1\"}");
	yyjson_val *progress = kh_fixture_json(talk->f, kh_talk_nth(talk, told, 0)->text);
	int64_t took = kh_works_now() - began;
	assert_view(kh_talk_text(progress, "method"), "notifications/progress");
	assert_view(kh_talk_text(progress, "params.progressToken"), "p-1");
	assert_true(yyjson_get_int(kh_talk_at(progress, "params.progress")) >= 1);
	assert_true(took >= 5 * SECOND);
	assert_int_equal(kh_talk_count(talk, silent), 0);
	kh_mcp_exchange_cancel_all(reader);
	kh_talk_last(talk, silent);
	kh_talk_last(talk, told);
	kh_mcp_peer_drop(reader);
	kh_talk_close(talk);
}

/* A5: a gateway that stops answers what waits. */
static void test_stop(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 60 * SECOND, KH_LIT(""));
	struct kh_mcp_peer *reader = kh_talk_peer(talk, talk->f->reader);

	kh_talk_begin(talk, reader, "2025-11-25", "{}");
	uintptr_t x = wait_for_nothing(talk, reader, 1, "");
	assert_true(kh_gateway_stop(talk->gateway, 60 * SECOND));
	yyjson_val *answer = kh_fixture_json(talk->f, kh_talk_last(talk, x)->text);
	assert_non_null(kh_talk_at(answer, "result.content"));
	assert_null(kh_mcp_take(reader, NULL, KH_LIT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"), NULL));
	kh_mcp_peer_drop(reader);
	kh_talk_close(talk);
}

/* A peer has a bound on what it lets run; what is past it is refused, and the rest goes on. */
static void test_crowd(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 60 * SECOND, KH_LIT(""));
	struct kh_mcp_peer *reader = kh_talk_peer(talk, talk->f->reader);

	kh_talk_begin(talk, reader, "2025-11-25", "{}");
	for (int i = 0; i < KH_MCP_RUNNING; i++)
		wait_for_nothing(talk, reader, i, "");
	uintptr_t first = talk->exchanges - KH_MCP_RUNNING + 1;
	yyjson_val *answer = kh_talk_ask(talk, reader, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	assert_int_equal(kh_talk_code(answer), -32603);
	kh_mcp_exchange_cancel_all(reader);
	for (uintptr_t x = first; x < first + KH_MCP_RUNNING; x++)
		kh_talk_last(talk, x);
	kh_mcp_peer_drop(reader);
	kh_talk_close(talk);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static atomic_size_t calls, fail_at, held;

static void *resize(void *ctx, void *p, size_t old, size_t n)
{
	(void)ctx;
	(void)old;
	if (n == 0) {
		atomic_fetch_sub(&held, p != NULL);
		free(p);
		return NULL;
	}
	if (atomic_fetch_add(&calls, 1) + 1 == atomic_load(&fail_at))
		return NULL;
	void *q = realloc(p, n);
	atomic_fetch_add(&held, p == NULL && q != NULL);
	return q;
}

static const struct kh_alloc failing = {resize, NULL};

/* A message that there is no memory for is not taken, or answered all the same; nothing is left behind. */
static void test_no_memory(struct kh_test *t)
{
	static const char *const messages[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\",\"params\":{\"name\":\"task_open\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"no/such\"}",
		("[{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
		 "\"x\"}]"),
	};
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND, KH_LIT(""));
	const struct kh_alloc *real = talk->mcp->alloc;

	kh_talk_begin(talk, talk->peer, "2025-03-26", "{}");
	assert_non_null(kh_talk_ask(talk, talk->peer, messages[0])); /* the server keeps the list of upstreams' tools */
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		size_t count = SIZE_MAX;
		for (size_t n = 0; n <= count && n < 40; n++) {
			uintptr_t number = ++talk->exchanges;
			atomic_store(&calls, 0);
			atomic_store(&held, 0);
			atomic_store(&fail_at, n);
			talk->mcp->alloc = &failing;
			bool taken = kh_mcp_take(talk->peer, (void *)number, kh_view_str(messages[i]), NULL) != NULL;
			if (taken)
				assert_true(kh_talk_last(talk, number)->text.n > 0);
			talk->mcp->alloc = real;
			assert_int_equal(atomic_load(&held), 0);
			if (n == 0)
				count = atomic_load(&calls);
		}
	}
	kh_talk_close(talk);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_cancelled), KH_TEST_ONCE(test_progress),  KH_TEST_ONCE(test_stop),
	KH_TEST_ONCE(test_crowd),     KH_TEST_ONCE(test_no_memory),
};
KH_TEST_MAIN(cases)
