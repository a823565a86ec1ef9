/*
 * The outbox: what should happen outside, decided in a transaction and carried out when that is durable.  One module
 * takes an entry, marks it begun if it must not happen twice, carries it out, and reports the result by the operation
 * of its kind.  The command line runs it in its own thread, the gateway in a pool (gateway/dispatch.h).
 *
 *     kind     is                                marked begun by           carried out by    reported by
 *     ask      a row of `effects`                ask.begin, if not pure    the Reader        query.respond
 *     errand   a declaration that runs           comm.call itself          the errand        comm.end
 *     verify   a declaration that a model has    nobody: asking twice      the model         comm.triaged
 *              to look at first                  does no harm
 *     decide   a call that waits for its turn    nobody: nothing has       comm.call         comm.call
 *              among those of its context        happened yet
 *
 * After a crash an ask that was not begun is carried out, one that was begun is a failed try, and an errand is
 * `unknown` (recover.h).
 */
#ifndef KH_ENGINE_OUTBOX_H
#define KH_ENGINE_OUTBOX_H

#include "engine/comm/call.h"
#include "engine/context/token.h"
#include "engine/query/ask.h"

enum kh_entry_kind { KH_ENTRY_NONE, KH_ENTRY_ASK, KH_ENTRY_ERRAND, KH_ENTRY_VERIFY, KH_ENTRY_DECIDE };

struct kh_entry {
	enum kh_entry_kind kind;
	int64_t id;            /* for an ask the effect, otherwise the declaration */
	int64_t task;          /* whose record has the result; 0 for an ask from the store */
	struct kh_view reader; /* of an ask: who is asked */
	bool ready;            /* `ask` or `call` has what is to be carried out; otherwise it is looked up first */
	bool lost;             /* an errand that took place, but its result is not recorded yet */
	unsigned rounds;       /* models that were asked in a row */
	int64_t at;            /* not to be carried out before then, on the engine's clock: a verdict's slot */
	struct kh_ask ask;
	struct kh_token_claim token; /* the Controller's, for errand, verify and decide */
	struct kh_comm_call call;    /* likewise; after the last entry, what was decided last */
};

/* The entry for what an operation handed out; kind NONE if it handed out nothing. */
struct kh_entry kh_outbox_of_ask(const struct kh_ask *ask);
struct kh_entry kh_outbox_of_call(struct kh_token_claim token, const struct kh_comm_call *call);

/* A call that was weighed too often for a context that changes: it is decided when its turn comes. */
struct kh_entry kh_outbox_of_turn(struct kh_token_claim token, const struct kh_comm_call *call);

/* An ask that waits in the store. */
struct kh_entry kh_outbox_of_effect(int64_t effect, struct kh_view reader);

/* Copies ENTRY into ARENA, so that it outlives the arena it was decided in; KH_ENOMEM. */
enum kh_err kh_outbox_copy(struct kh_arena *arena, const struct kh_entry *entry, struct kh_entry *ret_entry) KH_CHECKED;

/*
 * Carries ENTRY out, for as long as that takes.  *ENTRY becomes what follows: a retry, another round, another model,
 * the errand that a model has allowed; kind NONE: nothing.  An ask whose Reader is an agent, or no longer configured,
 * is left alone.  If this fails, *ENTRY is unchanged; if it is `lost`, it has to be tried again until the record has
 * its end.
 */
enum kh_err kh_outbox_step(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			   struct kh_error *err) KH_CHECKED;

/* How many microseconds it is until ENTRY may be carried out; 0: it may now. */
int64_t kh_outbox_early(const struct kh_engine *engine, const struct kh_entry *entry);

/* Carries out ENTRY and everything that follows from it, and waits for the slots between. */
enum kh_err kh_outbox_run(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			  struct kh_error *err) KH_CHECKED;

/* Records that an errand that has begun will not be carried out. */
enum kh_err kh_outbox_give_up(struct kh_engine *engine, const struct kh_entry *entry, struct kh_error *err) KH_CHECKED;

/* Carries out every ask that waits for this process, including those that dead processes left (recover.h). */
enum kh_err kh_outbox_all(struct kh_engine *engine, struct kh_error *err) KH_CHECKED;

#endif
