/*
 * What the engine's tests share: a store in a folder of its own, an engine with a clock that stands still and random
 * numbers that are none, a policy, a token of every role, and Readers that say what the test wrote down.
 *
 *     static void test_something(struct kh_test *t)
 *     {
 *             struct kh_fixture *f = kh_fixture_open(t, NULL);
 *             struct kh_view task = kh_fixture_task(f, f->controller);
 *             struct kh_task_show show = {.task = task};
 *             must(t, kh_fixture_call(f, f->controller, kh_task_show_run, &show));
 *     }
 *
 * What belongs to the set-up comes from the fixture's own memory and must succeed; kh_fixture_call() and
 * kh_fixture_own() work in the test's arena, so that the harness fails their allocations in turn.
 */
#ifndef KH_TESTS_UNIT_ENGINE_FIXTURE_H
#define KH_TESTS_UNIT_ENGINE_FIXTURE_H

#include "engine/engine.h"
#include "engine/query/ask.h"
#include "engine/query/look.h"
#include "engine/state/find.h"
#include "engine/task/show.h"
#include "harness.h"

#include <stdatomic.h>

#define KH_FIXTURE_ANSWERS 64
#define KH_FIXTURE_EPOCH   INT64_C(1780000000000000)           /* where the clock starts */
#define KH_FIXTURE_KEEPS   (INT64_C(30) * 24 * 3600 * 1000000) /* how long content is kept */
#define KH_FIXTURE_SECOND  INT64_C(1000000)

/* The policy of NULL: nothing waits for a slot, and no rate is in the way. */
extern const char kh_fixture_policy[];

/* One answer of the scripted Readers: a response, or a fault. */
struct kh_fixture_answer {
	const char *response;
	enum kh_reader_fault fault;
};

struct kh_fixture {
	struct kh_test *t;
	struct kh_store *store;
	struct kh_engine *engine;
	const struct kh_policy *policy;
	_Atomic int64_t now;   /* the engine's clock */
	_Atomic uint64_t dice; /* how many random numbers were drawn */

	/* Tokens, one of each role, and a second controller, which the host made; fresh in every test. */
	struct kh_view admin, reviewer, host, supervisor, reader, controller, hosted;
	struct kh_view context, hosted_context; /* public ids, of the controllers */
	struct kh_view reader_name;             /* of the Reader that is an agent */

	/* The Readers "scripted" (pure), "quick" (and quick), "program" (neither) and "abroad" (as program, behind a
	 * network) take one answer after the other; then they are dead.
	 */
	struct kh_fixture_answer answers[KH_FIXTURE_ANSWERS];
	_Atomic size_t answered;
	size_t answer_count;
	_Atomic size_t asked; /* how often they were asked */
	char told[8][24];     /* why the scripted Readers were asked again, one ask after the other (B16) */

	bool unverified; /* see kh_fixture_verify() */

	/* Its own. */
	struct kh_arena arena, lasting; /* of a test; of the store */
	char folder[64], file[96];
	const char *yaml;
	unsigned names;
};

/*
 * A store and engine with this policy (the text of keyhole.yaml; NULL: kh_fixture_policy).  The same one again where
 * the test before had the same text: contexts are fresh, the store is not.
 */
struct kh_fixture *kh_fixture_open(struct kh_test *t, const char *yaml);

/* The same with a new store. */
struct kh_fixture *kh_fixture_fresh(struct kh_test *t, const char *yaml);

/* Closes engine and store and opens them again, as after a restart. */
void kh_fixture_restart(struct kh_fixture *f);

/* Runs an operation for a token, or Keyhole's own. */
enum kh_err kh_fixture_call(struct kh_fixture *f, struct kh_view token, kh_engine_fn *fn, void *call)
	__attribute__((warn_unused_result));
enum kh_err kh_fixture_own(struct kh_fixture *f, kh_engine_fn *fn, void *call) __attribute__((warn_unused_result));

/* Runs an operation for a token as another process on the same store would; it must succeed. */
void kh_fixture_elsewhere(struct kh_fixture *f, struct kh_view token, kh_engine_fn *fn, void *call);

/* A new token by the admin; its name begins with PREFIX.  *RET_CONTEXT, where wanted: a controller's. */
struct kh_view kh_fixture_token(struct kh_fixture *f, enum kh_role role, const char *prefix,
				struct kh_view *ret_context);

/* A new hook's token by the host, for its controller's context. */
struct kh_view kh_fixture_hook(struct kh_fixture *f);

/* The public id of a token, out of its text. */
struct kh_view kh_fixture_token_id(struct kh_view text);

/* Opens a task; puts content into it.  Public ids. */
struct kh_view kh_fixture_task(struct kh_fixture *f, struct kh_view token);
struct kh_view kh_fixture_block(struct kh_fixture *f, struct kh_view token, struct kh_view task, const char *content);

/* The clock goes on. */
void kh_fixture_pass(struct kh_fixture *f, int64_t microseconds);

/* What the scripted Readers answer next, after what was said before: JSON, or a fault. */
void kh_fixture_answer(struct kh_fixture *f, const char *response);
void kh_fixture_fault(struct kh_fixture *f, enum kh_reader_fault fault);

/*
 * Asks and waits: MEMBERS are those of the query but `task` and the braces ("\"category\":1,...").  *RET_LOOK: the
 * outcome; where the query was not admitted for its budget or its escalation, the outcome is that.
 */
enum kh_err kh_fixture_query(struct kh_fixture *f, struct kh_view token, struct kh_view task, const char *members,
			     struct kh_look *ret_look) __attribute__((warn_unused_result));

/* Carries out an ask that an operation handed out, or one by its effect, and what follows. */
enum kh_err kh_fixture_carry_ask(struct kh_engine *engine, const struct kh_ask *ask, struct kh_arena *arena,
				 struct kh_error *err) __attribute__((warn_unused_result));
enum kh_err kh_fixture_carry_effect(struct kh_engine *engine, int64_t effect, struct kh_error *err)
	__attribute__((warn_unused_result));

/* Waits for LOOK's query, as a command does, WAIT_MS at most. */
enum kh_err kh_fixture_wait(struct kh_engine *engine, struct kh_view token, struct kh_look *look, int64_t wait_ms,
			    struct kh_arena *arena, struct kh_error *err) __attribute__((warn_unused_result));

/* The number of a public id, and the row with it as it is in the store now (in the fixture's memory). */
int64_t kh_fixture_number(struct kh_fixture *f, enum kh_publicid kind, struct kh_view id);
void *kh_fixture_row(struct kh_fixture *f, enum kh_table table, int64_t id);
struct kh_task_row *kh_fixture_task_row(struct kh_fixture *f, struct kh_view task);
struct kh_context_row *kh_fixture_context_row(struct kh_fixture *f, struct kh_view context);

/* The newest event of this kind: its JSON; {NULL, 0} where there is none.  And how many events the store has. */
struct kh_view kh_fixture_event(struct kh_fixture *f, enum kh_audit_kind kind);
int64_t kh_fixture_events(struct kh_fixture *f);

/* How many there are with the refusals that are counted and will be one event (refusals.h). */
int64_t kh_fixture_noted(struct kh_fixture *f);

/*
 * Verifies the whole store: hashes, chains, and that the state is the fold of the events and obeys the rules (L3).
 * Every store is, when it is closed, unless a test has written `unverified` because it made a state up.
 */
void kh_fixture_verify(struct kh_fixture *f);

/* JSON out of a text; a member of it. */
yyjson_val *kh_fixture_json(struct kh_fixture *f, struct kh_view text);

/* For a call that must fail: the code that it gave. */
#define assert_code(t, want) assert_string_equal((t)->err.code != NULL ? (t)->err.code : "", (want))

#endif
