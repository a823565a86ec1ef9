/* Turns.  What came from outside is only passed on here. */
#include "reader/turn.h"

bool kh_turn_init(struct kh_turn *turn, const struct kh_reader *reader, struct kh_arena *arena,
		  const struct kh_reader_ask *ask, uint64_t timeout_ms, size_t most)
{
	const struct kh_reader_settings *settings = reader->settings;
	uint64_t wall_ms = settings->timeout_ms > 0 ? settings->timeout_ms : timeout_ms;

	*turn = (struct kh_turn){.reader = reader,
				 .ask = ask,
				 .arena = arena,
				 .talk = kh_converse_new(settings->client, arena, wall_ms, most)};
	return turn->talk != NULL;
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
