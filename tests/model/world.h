/*
 * A store, an engine over it, and the calls of everybody who has a token, with a clock that is set by hand.
 *
 * Every call answers with NULL where it went through, else with the code of the error; a failure of the store or for
 * lack of memory ends the program.  What a Controller's calls give back is written down word for word in `heard`: all
 * that a Controller can know.
 */
#ifndef KH_TESTS_WORLD_H
#define KH_TESTS_WORLD_H

#include "engine/approval/decide.h"
#include "engine/approval/show.h"
#include "engine/context/context.h"
#include "engine/context/token.h"
#include "engine/engine.h"
#include "engine/query/admit.h"
#include "engine/query/look.h"
#include "engine/query/respond.h"
#include "engine/state/publicid.h"
#include "engine/task/task.h"

#define WORLD_START INT64_C(1800000000000000) /* when every world begins */

#define MS     INT64_C(1000)
#define SECOND INT64_C(1000000)

struct text { /* of a token or an id */
	char at[120];
};

struct heard {
	char *at;
	size_t n, cap;
};

struct world {
	char path[96];
	struct kh_store *store;
	struct kh_engine *engine;
	struct kh_arena life, call; /* of the world; of one call, emptied before the next */
	const struct kh_policy *policy;
	int64_t now;
	uint64_t random;
	struct text admin;
	struct kh_error err;
	struct heard heard;
	bool listening; /* write down what Controllers hear */
};

/* Ends the program with a message. */
__attribute__((noreturn, format(printf, 1, 2))) void world_give_up(const char *fmt, ...);

/* A new store under a name of its own; POLICY is what stands under `policy:` in YAML, or "". */
void world_make(struct world *w, const char *policy, uint64_t random);
/* Whether `program` also verifies calls (K7, tier 2), in every world. */
void world_verifies(bool yes);
/* A second one on the same store: another process, or the same after a restart. */
void world_join(struct world *w, const struct world *other, const char *policy);
/* Closes engine and store, and opens them again. */
void world_restart(struct world *w, const char *policy);
void world_close(struct world *w);
void world_remove(struct world *w); /* closes, and removes the store's files */

/* Verifies the whole audit and that the state follows from it; what is wrong, or NULL.  In the call's arena. */
const char *world_verify(struct world *w);

struct world_token {
	struct text token, id, context;
	int64_t row, context_row;
};
const char *world_token(struct world *w, const char *by, const char *name, enum kh_role role, int64_t expires,
			uint64_t bits, struct world_token *ret);
const char *world_revoke(struct world *w, const char *by, const char *id);
const char *world_open(struct world *w, const char *by, uint64_t bits, struct text *ret_task);
const char *world_close_task(struct world *w, const char *by, const char *task);
const char *world_task_json(struct world *w, const char *by, const char *task, struct kh_view *ret_json);
const char *world_tasks_json(struct world *w, const char *by, struct kh_view *ret_json);
const char *world_put(struct world *w, const char *by, const char *task, const char *content, struct text *ret_block);

struct world_query {
	struct text id, approval; /* "" where there is none */
	enum kh_outcome refused;
	int64_t row;
};
/* The whole query as JSON. */
const char *world_admit(struct world *w, const char *by, const char *json, struct world_query *ret);

struct world_ask {
	bool found;
	struct text id;
	int64_t row;
	const struct kh_reader_ask *ask; /* in the call's arena */
};
const char *world_next(struct world *w, const char *by, struct world_ask *ret);
/* *RET_WORD: accepted, invalid, closed. */
const char *world_respond(struct world *w, const char *by, const char *ask, struct kh_view response,
			  const char **ret_word);

/* By Keyhole itself, for the Reader `program`, which is none of the agents: what a driver's carrying out comes to. */
#define WORLD_PROGRAM "program"
const char *world_begin(struct world *w, int64_t effect, bool *ret_found);
const char *world_tell(struct world *w, int64_t effect, struct kh_view response, enum kh_reader_fault fault,
		       const char **ret_word);
void world_recover(struct world *w);

struct world_look {
	enum kh_outcome outcome;
	struct text approval, block;
	struct kh_view delivery; /* in the call's arena */
};
const char *world_look(struct world *w, const char *by, const char *query, struct world_look *ret);

/* What a Reader sent, which is for humans alone: a Controller hears how it is refused. */
const char *world_tries(struct world *w, const char *by, const char *query);

/* *RET_DIGEST: what a decision has to name. */
const char *world_show(struct world *w, const char *by, const char *approval, int64_t page, struct text *ret_digest,
		       int64_t *ret_pages);
const char *world_decide(struct world *w, const char *by, const char *approval, enum kh_choice choice,
			 const char *digest, const char *edited);
const char *world_reset(struct world *w, const char *by, const char *context);
const char *world_message(struct world *w, const char *by, const char *context, const char *content,
			  struct text *ret_block);
/* Everything that is due happens. */
void world_due(struct world *w);

/* One call of an operation that has no function here; the code of its error, or NULL.  BY NULL: Keyhole itself.  What
 * comes out lives in the call's arena, which the caller has emptied. */
const char *world_run(struct world *w, const char *by, kh_engine_fn *fn, void *call);
/* Writes down what a Controller was told. */
void world_hear(struct world *w, const char *what, struct kh_view v);
void world_hear_code(struct world *w, const char *what, const char *code);
/* Prints where A and B begin to differ. */
void world_show_difference(const struct heard *a, const struct heard *b);
struct text world_copy(struct kh_view v);
/* Another policy in force, without a restart. */
void world_reload(struct world *w, const char *policy);

/* The row's number of a public id, and the id of a number. */
int64_t world_row(const struct world *w, enum kh_publicid kind, const char *id);
struct text world_id(struct world *w, enum kh_publicid kind, int64_t row);

/* A copy of a row, as the store has it now: its views live in the call's arena. */
void world_load(struct world *w, enum kh_table table, int64_t row, void *ret_row, size_t size);
#define WORLD_LOAD(w, table, row, ret_row) world_load((w), (table), (row), (ret_row), sizeof(*(ret_row)))

/* Runs FN in a transaction of the store. */
void world_inside(struct world *w, kh_store_fn *fn, void *arg);

#endif
