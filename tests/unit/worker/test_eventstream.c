/* U3: server-sent events, framed the same however the bytes were cut. */
#include "worker/http/eventstream.h"

#include "harness.h"

#include <stdio.h>

#define MOST 4000

struct seen {
	char text[8192];
	size_t n, events, stop_at;
};

/* Writes an event down: type|data|id|retry; */
static bool note(void *ctx, const struct kh_eventstream_event *event)
{
	struct seen *seen = ctx;
	char retry[32] = "";

	if (event->has_retry)
		snprintf(retry, sizeof(retry), "%llu", (unsigned long long)event->retry_ms);
	seen->n += (size_t)snprintf(seen->text + seen->n, sizeof(seen->text) - seen->n, "%.*s|%.*s|%.*s|%s;",
				    KH_FMT(event->type), KH_FMT(event->data), KH_FMT(event->id), retry);
	return ++seen->events != seen->stop_at;
}

/* Pushes TEXT in two pieces, cut at AT, or byte by byte if AT is SIZE_MAX. */
static enum kh_eventstream_result push(struct kh_test *t, struct kh_view text, size_t at, struct seen *seen,
				       bool *ret_whole)
{
	enum kh_eventstream_result result = KH_EVENTSTREAM_TAKEN;
	struct kh_eventstream stream;

	kh_eventstream_init(&stream, &t->alloc, MOST, note, seen);
	if (at == SIZE_MAX) {
		for (size_t i = 0; i < text.n && result == KH_EVENTSTREAM_TAKEN; i++)
			result = kh_eventstream_push(&stream, kh_view_sub(text, i, i + 1));
	} else {
		result = kh_eventstream_push(&stream, kh_view_sub(text, 0, at));
		if (result == KH_EVENTSTREAM_TAKEN)
			result = kh_eventstream_push(&stream, kh_view_from(text, at));
	}
	*ret_whole = kh_eventstream_is_whole(&stream);
	kh_eventstream_done(&stream);
	if (result == KH_EVENTSTREAM_MEMORY)
		must(t, KH_ENOMEM);
	return result;
}

static const struct {
	const char *text, *want;
	bool open; /* the stream does not end between two events */
} streams[] = {
	{"data: a\n\n", "|a||;", false},
	{"data:a\r\n\r\n", "|a||;", false},
	{"data:  a\r\r", "| a||;", false},
	{"data: a\ndata: b\n\n", "|a\nb||;", false},
	{"data\n\ndata\ndata\n\n", "|\n||;", false},
	{"event: message\nid: 7\ndata: a\n\ndata: b\n\n", "message|a|7|;|b||;", false},
	{": hello\n\n:\n\ndata: a\n\n", "|a||;", false},
	{"retry: 10\n\nretry: x\n\nretry: -1\n\n", "|||10;", false},
	{"id: 1\n\nid\ndata: a\n\n", "||1|;|a||;", false},
	{"id: a\x01"
	 "b\ndata: c\n\n",
	 "|c||;", false},
	{"\xef\xbb\xbf"
	 "data: a\n\ndata: \xef\xbb\xbf"
	 "b\n\n",
	 "|a||;|\xef\xbb\xbf"
	 "b||;",
	 false},
	{"unknown: a\n\nunknown\n\n", "", false},
	{"data: a\n", "", true},
	{"data: a", "", true},
	{"data: a\n\nid", "|a||;", true},
	{"DATA: a\n\n data: a\n\n", "", false},
	{"data:a:b\n\n", "|a:b||;", false},
	{"\n\r\n\r\r\n\n", "", false},
	{"data: a\r\n\r\ndata: b\r\rdata: c\n\n", "|a||;|b||;|c||;", false},
};

/* Every cut of every stream says the same. */
static void test_cuts(struct kh_test *t)
{
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		struct kh_view text = kh_view_str(streams[i].text);
		for (size_t at = 0; at <= text.n + 1; at++) {
			struct seen seen = {.n = 0};
			bool whole;
			assert_int_equal(push(t, text, at > text.n ? SIZE_MAX : at, &seen, &whole),
					 KH_EVENTSTREAM_TAKEN);
			assert_view(kh_view_of(seen.text, seen.n), streams[i].want);
			assert_int_equal(whole, !streams[i].open);
		}
	}
}

/* A line or an event without end is one that is too long; comments without end are none. */
static void test_bounds(struct kh_test *t)
{
	static char text[5 * MOST];
	struct seen seen = {.n = 0};
	bool whole;

	memset(text, 'x', sizeof(text));
	memcpy(text, "data: ", 6);
	assert_int_equal(push(t, kh_view_of(text, sizeof(text)), 100, &seen, &whole), KH_EVENTSTREAM_TOO_LONG);
	assert_int_equal(push(t, kh_view_of(text, MOST), 100, &seen, &whole), KH_EVENTSTREAM_TAKEN);
	assert_int_equal(push(t, kh_view_of(text, MOST + 1), SIZE_MAX, &seen, &whole), KH_EVENTSTREAM_TOO_LONG);
	for (size_t i = 0; i + 8 <= sizeof(text); i += 8)
		memcpy(text + i, "data: a\n", 8);
	assert_int_equal(push(t, kh_view_of(text, sizeof(text)), 100, &seen, &whole), KH_EVENTSTREAM_TOO_LONG);
	for (size_t i = 0; i + 8 <= sizeof(text); i += 8)
		memcpy(text + i, ": aaaaa\n", 8);
	assert_int_equal(push(t, kh_view_of(text, sizeof(text)), 100, &seen, &whole), KH_EVENTSTREAM_TAKEN);
	assert_int_equal(seen.events, 0);
	memset(text, 'x', sizeof(text));
	memcpy(text, "id: ", 4);
	memcpy(text + 2000, "\ndata: a\n\n", 10);
	assert_int_equal(push(t, kh_view_of(text, 2010), 100, &seen, &whole), KH_EVENTSTREAM_TAKEN);
	assert_view(kh_view_of(seen.text, seen.n), "|a||;"); /* the id is too long to go into a header */
}

static void test_stopped(struct kh_test *t)
{
	struct seen seen = {.stop_at = 2};
	bool whole;

	assert_int_equal(push(t, KH_LIT("data: a\n\ndata: b\n\ndata: c\n\n"), 0, &seen, &whole),
			 KH_EVENTSTREAM_STOPPED);
	assert_int_equal(seen.events, 2);
}

static const struct kh_test_case cases[] = {KH_TEST(test_cuts), KH_TEST(test_bounds), KH_TEST(test_stopped)};
KH_TEST_MAIN(cases)
