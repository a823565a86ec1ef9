/* Steps of the tests of external operations: a task that executes, a call, its end. */
#ifndef KH_TESTS_UNIT_ENGINE_OPERATING_H
#define KH_TESTS_UNIT_ENGINE_OPERATING_H

#include "approving.h"
#include "engine/comm/call.h"
#include "engine/comm/end.h"
#include "engine/comm/look.h"
#include "engine/context/output.h"
#include "engine/deciding.h"
#include "engine/outbox.h"
#include "engine/task/transition.h"

/* Reading below /srv/docs goes without a human, fetching with one, nothing waits for a slot. */
#define KH_OPERATING_POLICY                                                              \
	"policy:\n"                                                                      \
	"  release: immediate\n"                                                         \
	"  rates: {category_1: 1000000/second}\n"                                        \
	"  operations:\n"                                                                \
	"    - {name: comm.read, risk: low, paths: [/srv/docs], rate: 1000000/second}\n" \
	"    - {name: comm.fetch, rate: 1000000/second}\n"                               \
	"    - {name: comm.search, risk: low, rate: 1000000/second}\n"                   \
	"    - {name: comm.exec, commands: [{name: date, argv: [/bin/date]}]}\n"

#define KH_OPERATING_PLAN                                                           \
	"{\"plan\":\"read the notes of the meeting and look at the train's page\"," \
	"\"required_operations\":[\"comm.read\",\"comm.fetch\",\"comm.search\",\"comm.exec\"]}"

#define KH_OPERATING_READ                                                                       \
	"{\"operation\":\"comm.read\",\"path\":\"/srv/docs/notes.txt\",\"reason\":\"the notes " \
	"say when the meeting is\"}"

#define KH_OPERATING_FETCH                                                                            \
	"{\"operation\":\"comm.fetch\",\"url\":\"https://example.com/trains\",\"reason\":\"the page " \
	"has the price of the train\"}"

static inline void kh_operating_execute(struct kh_fixture *f, struct kh_view task)
{
	struct kh_execute call = {.task = task, .plan = kh_fixture_json(f, kh_view_str(KH_OPERATING_PLAN))};

	must(f->t, kh_fixture_call(f, f->controller, kh_transition_run, &call));
	assert_int_equal(call.approval.n, 0);
}

/* A task in its execution phase. */
static inline struct kh_view kh_operating_task(struct kh_fixture *f)
{
	struct kh_view task = kh_fixture_task(f, f->controller);

	kh_operating_execute(f, task);
	return task;
}

/* The host records what the agent wrote, and the blocks that it names. */
static inline void kh_operating_output(struct kh_fixture *f, const char *content, const struct kh_view *named,
				       size_t count)
{
	struct kh_context_output output = {
		.context = f->context, .content = kh_view_str(content), .more = named, .more_count = count};

	must(f->t, kh_fixture_call(f, f->host, kh_context_output_run, &output));
}

/* Decides, and asks the models that have to look at it first; what runs then is not carried out. */
static inline enum kh_err kh_operating_decide(struct kh_engine *engine, struct kh_view token, struct kh_comm_call *call,
					      struct kh_arena *arena, struct kh_error *err)
{
	enum kh_err e = kh_deciding_run(engine, kh_token_read(engine, token), call, arena, err);
	struct kh_entry entry = e == KH_OK ? kh_outbox_of_call(kh_token_read(engine, token), call)
					   : (struct kh_entry){.kind = KH_ENTRY_NONE};

	while (e == KH_OK && entry.kind == KH_ENTRY_VERIFY) {
		e = kh_outbox_step(engine, &entry, arena, err);
		*call = entry.call;
	}
	return e;
}

/* A call: DECLARE is a declaration's JSON, or NULL and OF the id of an earlier one. */
static inline enum kh_err kh_operating_call(struct kh_fixture *f, struct kh_view task, const char *declare,
					    struct kh_view of, struct kh_comm_call *ret_act)
{
	*ret_act = (struct kh_comm_call){.task = task, .declaration = of};
	if (declare != NULL)
		ret_act->declare = kh_fixture_json(f, kh_view_str(declare));
	return kh_operating_decide(f->engine, f->controller, ret_act, &f->t->arena, &f->t->err);
}

/* What came of one that runs. */
static inline void kh_operating_end(struct kh_fixture *f, const struct kh_comm_call *act, enum kh_errand_end how,
				    const char *content)
{
	struct kh_comm_end end = {
		.declaration = act->look.row->id,
		.result = {.end = how,
			   .content = kh_tainted_wrap(kh_view_str(content)),
			   .details = kh_tainted_wrap(KH_LIT("{\"status\":200}")),
			   .source = KH_LIT("https://example.com/trains")},
	};

	must(f->t, kh_fixture_own(f, kh_comm_end_run, &end));
}

static inline enum kh_err kh_operating_look(struct kh_fixture *f, struct kh_view id, struct kh_comm_look *ret_look)
{
	struct kh_comm_looking looking = {.declaration = id};
	enum kh_err e = kh_fixture_call(f, f->controller, kh_comm_look_run, &looking);

	*ret_look = looking.look;
	return e;
}

static inline struct kh_declaration_row *kh_operating_row(struct kh_fixture *f, struct kh_view id)
{
	return kh_fixture_row(f, KH_TABLE_DECLARATIONS, kh_fixture_number(f, KH_ID_DECLARATION, id));
}

/* A delivery out of a page that says TEXT: from then on the page may have influenced what the agent does. */
static inline void kh_operating_influence(struct kh_fixture *f, struct kh_view task, const char *text)
{
	struct kh_view block = kh_fixture_block(f, f->controller, task, text);
	struct kh_look look;

	kh_fixture_answer(f, "{\"fields\":{\"urgent\":true}}");
	must(f->t, kh_fixture_query(f, f->controller, task,
				    kh_arena_printf(&f->arena,
						    "\"category\":1,\"target\":\"scripted\",\"blocks\":[\"%.*s\"],"
						    "\"fields\":[{\"name\":\"urgent\",\"type\":\"boolean\"}]",
						    KH_FMT(block))
					    .p,
				    &look));
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
}

#endif
