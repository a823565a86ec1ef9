/* Steps of the tests of queries: admitted and not carried out, looked at, and what a refusal may not change. */
#ifndef KH_TESTS_UNIT_ENGINE_ASKING_H
#define KH_TESTS_UNIT_ENGINE_ASKING_H

#include "approving.h"
#include "engine/due.h"
#include "engine/outbox.h"
#include "engine/query/admit.h"
#include "engine/query/settle.h"

#define FIELD_YES      "{\"name\":\"yes\",\"type\":\"boolean\"}"
#define YES_OF(target) "\"category\":1,\"target\":\"" target "\",\"fields\":[" FIELD_YES "]"
#define YES            YES_OF("scripted")
#define YES_TRUE       "{\"fields\":{\"yes\":true}}"
#define YES_FALSE      "{\"fields\":{\"yes\":false}}"
#define JUSTIFIED      "\"justification\":\"The user wants to know whom to answer.\""
#define WHO_OF(target)                                                                                          \
	"\"category\":2,\"target\":\"" target "\",\"questions\":[{\"id\":\"q1\",\"question\":\"Who sent it?\"," \
	"\"expected_format\":\"short_text\",\"max_words\":2}]," JUSTIFIED
#define WHO            WHO_OF("scripted")
#define WHO_SAYS(text) "{\"answers\":[{\"id\":\"q1\",\"answer\":\"" text "\"}]}"
#define SUMMARY_OF(target)                                                                       \
	"\"category\":3,\"target\":\"" target "\",\"directive\":\"Say what the mail is about\"," \
	"\"max_words\":8," JUSTIFIED
#define SUMMARY SUMMARY_OF("scripted")

/* Releases at slots; everything else as kh_fixture_policy. */
#define KH_ASKING_RATES                    \
	"  rates:\n"                       \
	"    category_1: 1000000/second\n" \
	"    category_2: 1000000/second\n" \
	"    category_3: 1000000/second\n"
#define KH_ASKING_SLOTS "policy:\n  release: slots\n" KH_ASKING_RATES

/* A world with a task and one block in it. */
struct kh_asking {
	struct kh_fixture *f;
	struct kh_view task, block;
};

static inline struct kh_asking kh_asking_begin(struct kh_test *t, const char *yaml)
{
	struct kh_asking w = {.f = kh_fixture_open(t, yaml)};

	w.task = kh_fixture_task(w.f, w.f->controller);
	w.block = kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
	return w;
}

/* Admits and no more: what is to be asked is in ret_admit->ask. */
static inline enum kh_err kh_asking_admit(struct kh_asking *w, const char *members, struct kh_admit *ret_admit)
{
	struct kh_view text = kh_arena_printf(&w->f->arena, "{\"task\":\"%.*s\",%s}", KH_FMT(w->task), members);

	*ret_admit = (struct kh_admit){.query = kh_fixture_json(w->f, text)};
	return kh_fixture_call(w->f, w->f->controller, kh_admit_run, ret_admit);
}

/* Admits; the query's public id, which lives as long as the test. */
static inline struct kh_view kh_asking_put(struct kh_asking *w, const char *members)
{
	struct kh_admit admit;

	must(w->f->t, kh_asking_admit(w, members, &admit));
	assert_int_equal(admit.refused, KH_OUTCOME_NONE);
	return kh_arena_dup(&w->f->arena, admit.id);
}

/* Admits to a Reader that is an agent: MEMBERS with %.*s for its name. */
static inline struct kh_view kh_asking_agent(struct kh_asking *w, const char *before, const char *after)
{
	struct kh_view members = kh_arena_printf(&w->f->arena, "%s%.*s%s", before, KH_FMT(w->f->reader_name), after);

	return kh_asking_put(w, members.p);
}
#define YES_BEFORE "\"category\":1,\"target\":\""
#define YES_AFTER  "\",\"fields\":[" FIELD_YES "]"

static inline struct kh_query_row *kh_asking_row(struct kh_asking *w, struct kh_view query)
{
	return kh_fixture_row(w->f, KH_TABLE_QUERIES, kh_fixture_number(w->f, KH_ID_QUERY, query));
}

static inline struct kh_effect_row *kh_asking_effect(struct kh_asking *w, struct kh_view query)
{
	return kh_fixture_row(w->f, KH_TABLE_EFFECTS, kh_asking_row(w, query)->effect);
}

static inline struct kh_look kh_asking_look(struct kh_asking *w, struct kh_view query)
{
	struct kh_look look = {.query = query};

	must(w->f->t, kh_fixture_call(w->f, w->f->controller, kh_look_run, &look));
	return look;
}

/* Carries out the ask of this query, and what follows; asks that an earlier run of a test has left wait on. */
static inline void kh_asking_carry(struct kh_asking *w, struct kh_view query)
{
	must(w->f->t, kh_fixture_carry_effect(w->f->engine, kh_asking_row(w, query)->effect, &w->f->t->err));
}

/* Keyhole's own round over what is due. */
static inline struct kh_due kh_asking_due(struct kh_asking *w)
{
	struct kh_due settle;

	do {
		settle = (struct kh_due){0};
		must(w->f->t, kh_fixture_own(w->f, kh_due_run, &settle));
	} while (settle.more);
	return settle;
}

/* Query, carried out at once; the outcome. */
static inline struct kh_look kh_asking_ask(struct kh_asking *w, const char *members)
{
	struct kh_look look;

	must(w->f->t, kh_fixture_query(w->f, w->f->controller, w->task, members, &look));
	return look;
}

/* What a call that is refused may not change. */
struct kh_asking_state {
	struct kh_task_row task;
	struct kh_context_row context;
	int64_t events;
};

static inline struct kh_asking_state kh_asking_now(struct kh_asking *w)
{
	return (struct kh_asking_state){
		.task = *kh_fixture_task_row(w->f, w->task),
		.context = *kh_fixture_context_row(w->f, w->f->context),
		.events = kh_fixture_noted(w->f),
	};
}

static inline void kh_asking_same_row(enum kh_table table, const void *a, const void *b)
{
	const struct kh_record *record = kh_record_of(table);

	for (size_t i = 0; i < record->count; i++) {
		if (!record->columns[i].chain && !kh_record_same(&record->columns[i], a, b))
			fail_msg("%s.%s has changed", record->table, record->columns[i].name);
	}
}

/* Task and context are as they were, and there are EVENTS more, or repeated refusals that are counted. */
static inline void kh_asking_unchanged(struct kh_asking *w, const struct kh_asking_state *was, int64_t events)
{
	struct kh_asking_state is = kh_asking_now(w);

	kh_asking_same_row(KH_TABLE_TASKS, &was->task, &is.task);
	kh_asking_same_row(KH_TABLE_CONTEXTS, &was->context, &is.context);
	assert_int_equal(is.events, was->events + events);
}

static inline bool kh_asking_has(struct kh_view text, const char *part)
{
	return kh_approving_has(text, part);
}

#endif
