#include "harness.h"

#include "http/stream.h"

static const struct kh_view none = {NULL, 0};

/* What waits, taken in pieces of a few bytes. */
static struct kh_view drain(struct kh_test *t, struct kh_http_stream_buffer *buffer, size_t piece)
{
	static char got[4096];
	size_t n = 0, more;

	(void)t;
	while ((more = kh_http_stream_take(buffer, got + n, piece)) > 0) {
		assert_true(more <= piece);
		n += more;
	}
	assert_null(buffer->p); /* what is empty costs nothing */
	return kh_view_of(got, n);
}

static bool put(struct kh_test *t, struct kh_http_stream_buffer *buffer, struct kh_view id, struct kh_view event,
		struct kh_view data)
{
	if (kh_http_stream_put(buffer, id, event, data))
		return true;
	kh_http_stream_done(buffer);
	must(t, t->fired ? KH_ENOMEM : KH_OK);
	return false;
}

/* I4: the form of an event. */
static void test_form(struct kh_test *t)
{
	struct kh_http_stream_buffer buffer = {.alloc = &t->alloc};

	assert_true(put(t, &buffer, KH_LIT("7"), KH_LIT("query.held"), KH_LIT("{\"a\":1}")));
	assert_view(drain(t, &buffer, 5), "id: 7\nevent: query.held\ndata: {\"a\":1}\n\n");
	assert_true(put(t, &buffer, none, none, KH_LIT("x")));
	assert_view(drain(t, &buffer, 100), "data: x\n\n");
	assert_true(put(t, &buffer, KH_LIT("3-0"), none, none)); /* no data: still an event */
	assert_view(drain(t, &buffer, 1), "id: 3-0\ndata:\n\n");
	assert_true(put(t, &buffer, none, none, KH_LIT("a\nb\r\nc\rd\n")));
	assert_view(drain(t, &buffer, 7), "data: a\ndata: b\ndata: c\ndata: d\n\n");
}

/* Nothing that is written can begin a field of its own. */
static void test_breaking_out(struct kh_test *t)
{
	struct kh_http_stream_buffer buffer = {.alloc = &t->alloc};

	assert_false(kh_http_stream_put(&buffer, KH_LIT("1\ndata: x"), none, none));
	assert_false(kh_http_stream_put(&buffer, none, KH_LIT("e\rid: 9"), none));
	assert_false(kh_http_stream_put(&buffer, KH_LIT("1\0"), none, none));
	assert_null(buffer.p);
	assert_true(put(t, &buffer, none, none, KH_LIT("x\n\nid: 9\ndata: y")));
	assert_view(drain(t, &buffer, 64), "data: x\ndata:\ndata: id: 9\ndata: data: y\n\n");
}

/* What waits is bounded, but for one event, which may be large. */
static void test_bounds(struct kh_test *t)
{
	struct kh_http_stream_buffer buffer = {.alloc = &t->alloc};
	size_t n = KH_HTTP_STREAM_EVENT - 100;
	static char large[KH_HTTP_STREAM_EVENT + 1], piece[65536];
	size_t total = 0, got;

	memset(large, 'x', sizeof(large));
	assert_true(put(t, &buffer, none, none, kh_view_of(large, n)));
	assert_false(kh_http_stream_put(&buffer, none, none, KH_LIT("one more")));
	while ((got = kh_http_stream_take(&buffer, piece, sizeof(piece))) > 0)
		total += got;
	assert_int_equal(total, n + 8);
	assert_false(kh_http_stream_put(&buffer, none, none, kh_view_of(large, KH_HTTP_STREAM_EVENT + 1)));
	size_t events = 0;
	while (kh_http_stream_put(&buffer, none, none, kh_view_of(large, 1000)))
		events++;
	if (t->fired) {
		kh_http_stream_done(&buffer);
		must(t, KH_ENOMEM);
	}
	assert_in_range(events * 1008, KH_HTTP_STREAM_KEPT - 2100, KH_HTTP_STREAM_KEPT);
	kh_http_stream_done(&buffer);
}

/* Writing and taking in turns keeps the order. */
static void test_turns(struct kh_test *t)
{
	struct kh_http_stream_buffer buffer = {.alloc = &t->alloc};
	char got[2048], want[2048];
	size_t n = 0, w = 0;

	for (unsigned i = 0; i < 60; i++) {
		char id[8];
		int length = snprintf(id, sizeof(id), "%u", i);
		if (!put(t, &buffer, none, none, kh_view_of(id, (size_t)length)))
			return;
		w += (size_t)snprintf(want + w, sizeof(want) - w, "data: %u\n\n", i);
		n += kh_http_stream_take(&buffer, got + n, i % 11);
	}
	n += kh_http_stream_take(&buffer, got + n, sizeof(got) - n);
	assert_int_equal(n, w);
	assert_memory_equal(got, want, n);
}

static const struct kh_test_case cases[] = {KH_TEST(test_form), KH_TEST(test_breaking_out), KH_TEST_ONCE(test_bounds),
					    KH_TEST(test_turns)};
KH_TEST_MAIN(cases)
