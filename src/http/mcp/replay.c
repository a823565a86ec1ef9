/* A list of events with two limits.  Nothing here is shared: a stream's lock guards it. */
#include "http/mcp/replay.h"

#include <inttypes.h>
#include <stdio.h>

void kh_http_mcp_replay_init(struct kh_http_mcp_replay *replay, const struct kh_alloc *alloc, atomic_size_t *all)
{
	*replay = (struct kh_http_mcp_replay){.alloc = alloc, .all = all, .next = 1};
}

static size_t size_of(const struct kh_http_mcp_event *e)
{
	return sizeof(*e) + e->text.n;
}

/* Removes the event at *LINK; PREV is the one before it, or NULL. */
static void take_out(struct kh_http_mcp_replay *replay, struct kh_http_mcp_event **link, struct kh_http_mcp_event *prev)
{
	struct kh_http_mcp_event *e = *link;

	*link = e->next;
	if (replay->last == e)
		replay->last = prev;
	replay->count--;
	replay->bytes -= size_of(e);
	atomic_fetch_sub(replay->all, size_of(e));
	kh_alloc_free(replay->alloc, e, size_of(e));
}

void kh_http_mcp_replay_done(struct kh_http_mcp_replay *replay)
{
	while (replay->first)
		take_out(replay, &replay->first, NULL);
}

bool kh_http_mcp_replay_is_over(const struct kh_http_mcp_replay *replay)
{
	return atomic_load(replay->all) > KH_HTTP_MCP_REPLAY_ALL;
}

/* Gets back within the limits: removes the oldest events, but not an answer, and never the newest event. */
static void trim(struct kh_http_mcp_replay *replay)
{
	struct kh_http_mcp_event **link = &replay->first, *prev = NULL;

	while ((replay->count > KH_HTTP_MCP_REPLAY_EVENTS || replay->bytes > KH_HTTP_MCP_REPLAY_BYTES) &&
	       *link != replay->last) {
		if ((*link)->answer) {
			prev = *link;
			link = &prev->next;
		} else {
			take_out(replay, link, prev);
		}
	}
}

enum kh_err kh_http_mcp_replay_add(struct kh_http_mcp_replay *replay, struct kh_view text, bool answer)
{
	size_t size;
	struct kh_http_mcp_event *e;

	if (__builtin_add_overflow(sizeof(*e), text.n, &size))
		return KH_ENOMEM;
	e = kh_alloc_zero(replay->alloc, size);
	if (!e)
		return KH_ENOMEM;
	e->number = replay->next++;
	e->answer = answer;
	if (text.n > 0)
		memcpy(e + 1, text.p, text.n);
	e->text = kh_view_of((const char *)(e + 1), text.n);
	if (replay->last)
		replay->last->next = e;
	else
		replay->first = e;
	replay->last = e;
	replay->count++;
	replay->bytes += size;
	atomic_fetch_add(replay->all, size);
	trim(replay);
	return KH_OK;
}

const struct kh_http_mcp_event *kh_http_mcp_replay_after(const struct kh_http_mcp_replay *replay, uint64_t number)
{
	const struct kh_http_mcp_event *e = replay->first;

	while (e && e->number <= number)
		e = e->next;
	return e;
}

void kh_http_mcp_replay_forget(struct kh_http_mcp_replay *replay, uint64_t number)
{
	while (replay->first && replay->first->number <= number)
		take_out(replay, &replay->first, NULL);
}

struct kh_view kh_http_mcp_replay_id(char buf[KH_HTTP_MCP_REPLAY_ID], uint64_t stream, uint64_t number)
{
	int n = snprintf(buf, KH_HTTP_MCP_REPLAY_ID, "%" PRIu64 "-%" PRIu64, stream, number);

	return kh_view_of(buf, n > 0 ? (size_t)n : 0);
}

/* Reads a number as kh_http_mcp_replay_id() writes it: digits, no leading zero, no sign. */
static bool read_number(struct kh_view v, uint64_t *ret_number)
{
	int64_t value;

	if (!kh_view_int(v, &value) || value < 0 || v.p[0] == '-')
		return false;
	*ret_number = (uint64_t)value;
	return true;
}

bool kh_http_mcp_replay_read(struct kh_view id, uint64_t *ret_stream, uint64_t *ret_number)
{
	struct kh_view rest = id, stream, number;

	return id.n > 0 && kh_view_split(&rest, '-', &stream) && kh_view_split(&rest, '-', &number) && !rest.p &&
	       read_number(stream, ret_stream) && read_number(number, ret_number);
}
