/*
 * The outbox: what should happen outside, decided in a transaction and carried out when that is durable.  One module
 * takes an entry, marks it begun where it must not happen twice, carries it out, and reports what came of it by the
 * operation of its kind.  The command line runs it in its own thread, the gateway in a pool (gateway/dispatch.h).
 *
 *     kind     is                                marked begun by           carried out by    reported by
 *     ask      a row of `effects`                ask.begin, if not pure    the Reader        query.respond
 *     errand   a declaration that runs           comm.call itself          the errand        comm.end
 *     verify   a declaration that a model has    nobody: asking twice      the model         comm.triaged
 *              to look at first                  does no harm
 *
 * After a crash an ask that was not begun is carried out, one that was begun is a failed try, and an errand is
 * `unknown` (recover.h).
 */
#ifndef KH_ENGINE_OUTBOX_H
#define KH_ENGINE_OUTBOX_H

#include "engine/comm/call.h"
#include "engine/query/ask.h"

enum kh_entry_kind { KH_ENTRY_NONE, KH_ENTRY_ASK, KH_ENTRY_ERRAND, KH_ENTRY_VERIFY };

struct kh_entry {
	enum kh_entry_kind kind;
	int64_t id;            /* of an ask the effect, else the declaration */
	int64_t task;          /* whose record tells what came of it; of an ask from the store 0 */
	struct kh_view reader; /* of an ask: who is asked */
	bool ready;            /* what is to be carried out stands in `ask` or `call`; else it is looked up first */
	bool lost;             /* an errand that took place, and the record does not say yet what came of it */
	unsigned rounds;       /* models that were asked in a row */
	struct kh_ask ask;
	struct kh_view token;     /* the Controller's, of errand and verify */
	struct kh_comm_call call; /* likewise; after the last entry, what was decided last */
};

/* What an operation handed out; kind NONE if that is nothing. */
struct kh_entry kh_outbox_of_ask(const struct kh_ask *ask);
struct kh_entry kh_outbox_of_call(struct kh_view token, const struct kh_comm_call *call);

/* An ask that waits in the store. */
struct kh_entry kh_outbox_of_effect(int64_t effect, struct kh_view reader);

/* ENTRY apart from the arena that it was decided in; KH_ENOMEM. */
enum kh_err kh_outbox_copy(struct kh_arena *arena, const struct kh_entry *entry, struct kh_entry *ret_entry) KH_CHECKED;

/*
 * Carries ENTRY out, for as long as that takes; *ENTRY is what follows then: a retry, another round, another model, the
 * errand that a model has let through; kind NONE: nothing.  An ask whose Reader is an agent, or no longer configured, is
 * left where it is.  Where this fails, *ENTRY is as it was; if it is `lost`, it has to be tried again until the record
 * has its end.
 */
enum kh_err kh_outbox_step(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			   struct kh_error *err) KH_CHECKED;

/* ENTRY and everything that follows. */
enum kh_err kh_outbox_run(struct kh_engine *engine, struct kh_entry *entry, struct kh_arena *arena,
			  struct kh_error *err) KH_CHECKED;

/* Records that an errand, which has begun, will not be carried out by anybody. */
enum kh_err kh_outbox_give_up(struct kh_engine *engine, const struct kh_entry *entry, struct kh_error *err) KH_CHECKED;

/* Every ask that waits for this process, what dead ones have left included (recover.h). */
enum kh_err kh_outbox_all(struct kh_engine *engine, struct kh_error *err) KH_CHECKED;

#endif
