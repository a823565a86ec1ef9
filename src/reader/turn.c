/* Turns.  What came from outside is only passed on here. */
#include "reader/turn.h"

#include "base/clock.h"

void kh_turn_init(struct kh_turn *turn, const struct kh_reader *reader, struct kh_arena *arena,
		  const struct kh_reader_ask *ask, uint64_t timeout_ms, size_t most)
{
	const struct kh_reader_settings *settings = reader->settings;

	turn->reader = reader;
	turn->ask = ask;
	turn->arena = arena;
	turn->talk.client = settings->client;
	turn->talk.arena = arena;
	turn->talk.deadline_ms = kh_clock_ms() +
				 (int64_t)(settings->timeout_ms > 0 ? settings->timeout_ms : timeout_ms);
	turn->talk.most = most;
}

void kh_turn_fail(struct kh_turn *turn, enum kh_reader_fault fault, struct kh_view why)
{
	turn->fault = fault;
	turn->why = why;
}

enum kh_err kh_turn_made(struct kh_turn *turn, enum kh_err e, const struct kh_error *err)
{
	if (e != KH_ECHANGED)
		return e;
	kh_turn_fail(turn, KH_READER_CHANGED, kh_arena_printf(turn->arena, "%s", err->detail));
	return KH_OK;
}

enum kh_err kh_turn_end(const struct kh_turn *turn, enum kh_err e, struct kh_tainted *ret_response,
			enum kh_reader_fault *ret_fault, struct kh_view *ret_detail)
{
	if (e == KH_OK)
		e = kh_arena_check(turn->arena);
	if (e != KH_OK)
		return e;
	*ret_response = turn->response;
	*ret_fault = turn->fault;
	*ret_detail = turn->why;
	return KH_OK;
}
