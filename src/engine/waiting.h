/*
 * Waiting for what a Controller may be told: by the clock, by the record, and by the slots of B17.  There is one rule
 * for all who wait: the gateway parks a work until then, the command line sleeps in its own thread.
 *
 * When a Controller is told something depends on its own call, on the slots, on a fixed clock if a human decides, and
 * on how long it wants to wait; never on the moment at which a Reader answered or a human decided.
 */
#ifndef KH_ENGINE_WAITING_H
#define KH_ENGINE_WAITING_H

#include "engine/comm/look.h"
#include "engine/context/token.h"
#include "engine/query/look.h"

struct kh_waiting {
	int64_t until; /* kh_clock_us(): when to be told at the latest */
	bool human;    /* of a query: `pending` is not final, a human is waited for too */
	bool here;     /* the waiting thread itself has just carried out part of it: see kh_waiting_query() */
	/* out */
	int64_t at;    /* kh_clock_us(): when to look again */
	int64_t chain; /* or as soon as the record has an event of this task; 0: not before AT */
};

/*
 * Whether the result of this look must not be told yet, and until when to wait for the next look.  If the waiting
 * thread itself asked a Reader (`here`), and the Reader took longer than the caller would wait, the caller would know
 * to the microsecond how long the Reader took.  So it is told at the query's next slot instead.
 */
bool kh_waiting_query(const struct kh_engine *engine, struct kh_waiting *waiting, const struct kh_look *look);

/* The same for an external operation.  One that was carried out `here` is told at its slot, however long that takes. */
bool kh_waiting_call(const struct kh_engine *engine, struct kh_waiting *waiting, const struct kh_comm_look *look);

/*
 * When what is known now may be told of a call that came in at CAME, and for which content was looked at: at a slot,
 * because how long that took follows from the content.  Both times are of kh_clock_us().
 */
int64_t kh_waiting_slot(const struct kh_engine *engine, int64_t came);

/* Sleeps in the calling thread until AT or, if CHAIN is set, for a moment, because the record has to be read again. */
void kh_waiting_rest(const struct kh_waiting *waiting);

/*
 * Looks at LOOK's query for TOKEN, in the calling thread, until there is something to tell.  Whoever has the ask
 * carries it out meanwhile; what is left over after a human's decision is carried out here (`human`).
 */
enum kh_err kh_waiting_run(struct kh_engine *engine, struct kh_token_claim token, struct kh_look *look,
			   struct kh_waiting *waiting, struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

#endif
