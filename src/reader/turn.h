/*
 * One ask of a Reader behind the executor, a program or a model: who is asked what, the conversation, and the outcome.
 */
#ifndef KH_READER_TURN_H
#define KH_READER_TURN_H

#include "outside/converse.h"
#include "reader/reader.h"

struct kh_turn {
	const struct kh_reader *reader;
	const struct kh_reader_ask *ask;
	struct kh_arena *arena;
	struct kh_converse *talk;
	/* the outcome */
	struct kh_tainted response;
	enum kh_reader_fault fault;
	struct kh_view why; /* a sentence; text from outside only in quotes */
};

/*
 * Begins a turn; false if ARENA is out of memory.  TIMEOUT_MS is for a Reader that has none; MOST bytes of output are
 * kept.
 */
bool kh_turn_init(struct kh_turn *turn, const struct kh_reader *reader, struct kh_arena *arena,
		  const struct kh_reader_ask *ask, uint64_t timeout_ms, size_t most);

void kh_turn_fail(struct kh_turn *turn, enum kh_reader_fault fault, struct kh_view why);

/* E of making the message.  If a block is not what was sealed, that is a fault of the turn: KH_OK. */
enum kh_err kh_turn_made(struct kh_turn *turn, enum kh_err e, const struct kh_error *err) KH_CHECKED;

/* True if the turn goes on: E is KH_OK, and there is no fault yet. */
static inline bool kh_turn_goes_on(const struct kh_turn *turn, enum kh_err e)
{
	return e == KH_OK && turn->fault == KH_READER_OK;
}

/* Ends a turn with E: what kh_reader_driver.ask returns. */
enum kh_err kh_turn_end(const struct kh_turn *turn, enum kh_err e, struct kh_tainted *ret_response,
			enum kh_reader_fault *ret_fault, struct kh_view *ret_detail) KH_CHECKED;

#endif
