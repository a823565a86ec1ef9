/* What is kept of a stream, for clients that come back for it (I1: resumption; bounded). */
#include "harness.h"
#include "http/mcp/replay.h"

#include <stdio.h>

static atomic_size_t all;

static void say(struct kh_test *t, struct kh_http_mcp_replay *replay, const char *text, bool answer)
{
	enum kh_err e = kh_http_mcp_replay_add(replay, kh_view_str(text), answer);

	if (e != KH_OK)
		kh_http_mcp_replay_done(replay); /* must() does not come back */
	must(t, e);
}

/* I1: everything after the last event that a client has, in order, with the numbers that it had at first. */
static void test_after(struct kh_test *t)
{
	struct kh_http_mcp_replay replay;
	const struct kh_http_mcp_event *e;

	kh_http_mcp_replay_init(&replay, &t->alloc, &all);
	assert_null(kh_http_mcp_replay_after(&replay, 0));
	say(t, &replay, "one", false);
	say(t, &replay, "two", false);
	say(t, &replay, "", true);
	e = kh_http_mcp_replay_after(&replay, 0);
	assert_view(e->text, "one");
	assert_int_equal(e->number, 1);
	e = kh_http_mcp_replay_after(&replay, 1);
	assert_view(e->text, "two");
	e = kh_http_mcp_replay_after(&replay, 2);
	assert_view(e->text, "");
	assert_true(e->answer);
	assert_null(kh_http_mcp_replay_after(&replay, 3));
	assert_null(kh_http_mcp_replay_after(&replay, UINT64_MAX));
	kh_http_mcp_replay_done(&replay);
}

/* Past the limit of events the oldest notifications go; the answer stays, whenever it came. */
static void test_events_bounded(struct kh_test *t)
{
	struct kh_http_mcp_replay replay;
	char text[32];

	kh_http_mcp_replay_init(&replay, &t->alloc, &all);
	say(t, &replay, "note", false);
	say(t, &replay, "answer", true);
	for (int i = 0; i < 3 * KH_HTTP_MCP_REPLAY_EVENTS; i++) {
		snprintf(text, sizeof(text), "%d", i);
		say(t, &replay, text, false);
	}
	assert_int_equal(replay.count, KH_HTTP_MCP_REPLAY_EVENTS);
	assert_view(kh_http_mcp_replay_after(&replay, 0)->text, "answer");
	assert_view(replay.last->text, text);
	assert_int_equal(replay.last->number, 2 + 3 * KH_HTTP_MCP_REPLAY_EVENTS);
	kh_http_mcp_replay_done(&replay);
}

/* The same for bytes.  What has just come is kept, however long it is. */
static void test_bytes_bounded(struct kh_test *t)
{
	static char big[KH_HTTP_MCP_REPLAY_BYTES + 2];
	struct kh_http_mcp_replay replay;

	memset(big, 'x', sizeof(big) - 1);
	kh_http_mcp_replay_init(&replay, &t->alloc, &all);
	for (int i = 0; i < 5; i++) {
		big[KH_HTTP_MCP_REPLAY_BYTES / 3] = '\0';
		say(t, &replay, big, false);
		assert_true(replay.bytes <= KH_HTTP_MCP_REPLAY_BYTES);
	}
	assert_int_equal(replay.count, 2);
	big[KH_HTTP_MCP_REPLAY_BYTES / 3] = 'x';
	say(t, &replay, big, true);
	assert_int_equal(replay.count, 1);
	assert_int_equal(replay.first->text.n, sizeof(big) - 1);
	say(t, &replay, "after", false);
	assert_int_equal(replay.count, 2);
	say(t, &replay, "again", false);
	assert_int_equal(replay.count, 2); /* the answer, and the newest */
	assert_view(replay.last->text, "again");
	kh_http_mcp_replay_done(&replay);
}

/* All replays are counted together, and what is forgotten is counted no more. */
static void test_all_counted(struct kh_test *t)
{
	struct kh_http_mcp_replay one, other;
	size_t before = atomic_load(&all);

	kh_http_mcp_replay_init(&one, &t->alloc, &all);
	kh_http_mcp_replay_init(&other, &t->alloc, &all);
	assert_false(kh_http_mcp_replay_is_over(&one));
	say(t, &one, "text", false);
	assert_int_equal(atomic_load(&all), before + one.bytes);
	if (kh_http_mcp_replay_add(&other, KH_LIT("more"), true) != KH_OK) {
		kh_http_mcp_replay_done(&one);
		must(t, KH_ENOMEM);
	}
	assert_int_equal(atomic_load(&all), before + one.bytes + other.bytes);
	atomic_fetch_add(&all, KH_HTTP_MCP_REPLAY_ALL);
	assert_true(kh_http_mcp_replay_is_over(&one));
	atomic_fetch_sub(&all, KH_HTTP_MCP_REPLAY_ALL);
	kh_http_mcp_replay_done(&one);
	kh_http_mcp_replay_forget(&other, 1);
	assert_int_equal(atomic_load(&all), before);
	kh_http_mcp_replay_done(&other);
}

static void test_forget(struct kh_test *t)
{
	struct kh_http_mcp_replay replay;

	kh_http_mcp_replay_init(&replay, &t->alloc, &all);
	say(t, &replay, "one", false);
	say(t, &replay, "two", true);
	kh_http_mcp_replay_forget(&replay, 1);
	assert_view(replay.first->text, "two");
	kh_http_mcp_replay_forget(&replay, 7);
	assert_null(replay.first);
	assert_null(replay.last);
	assert_int_equal(replay.bytes, 0);
	say(t, &replay, "three", false);
	assert_int_equal(replay.first->number, 3);
	kh_http_mcp_replay_done(&replay);
}

/* Ids are read as they are written, and in no other way: Last-Event-ID is the client's to choose. */
static void test_ids(struct kh_test *t)
{
	static const char *const bad[] = {"",      "1",    "-",    "1-",   "-1",
					  "1-2-3", "01-2", "1-02", "+1-2", "1- 2",
					  "1--2",  "-1-2", "a-b",  "1-2x", "1-99999999999999999999",
					  "-0-1",  "1-2 ", " 1-2", "1,2"};
	char buf[KH_HTTP_MCP_REPLAY_ID];
	uint64_t stream, number;

	(void)t;
	assert_view(kh_http_mcp_replay_id(buf, 3, 17), "3-17");
	assert_true(kh_http_mcp_replay_read(KH_LIT("3-17"), &stream, &number));
	assert_int_equal(stream, 3);
	assert_int_equal(number, 17);
	assert_true(kh_http_mcp_replay_read(kh_http_mcp_replay_id(buf, INT64_MAX, 0), &stream, &number));
	assert_int_equal(stream, INT64_MAX);
	assert_int_equal(number, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_http_mcp_replay_read(kh_view_str(bad[i]), &stream, &number));
}

static const struct kh_test_case cases[] = {KH_TEST(test_after),         KH_TEST(test_events_bounded),
					    KH_TEST(test_bytes_bounded), KH_TEST(test_forget),
					    KH_TEST(test_all_counted),   KH_TEST_ONCE(test_ids)};
KH_TEST_MAIN(cases)
