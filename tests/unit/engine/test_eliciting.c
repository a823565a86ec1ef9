/* U3, A1: what a server asks a human during a call is an approval of its own; what is entered is recorded, and given once. */
#include "engine/upstream/elicit.h"

#include "engine/comm/end.h"
#include "engine/recover.h"
#include "engine/task/task.h"
#include "tooling.h"

#define POLICY                                                          \
	"upstreams:\n"                                                  \
	"  - {name: mail, command: [/bin/true], timeout_seconds: 60}\n" \
	"policy:\n"                                                     \
	"  release: immediate\n"                                        \
	"  tools:\n"                                                    \
	"    - {name: mail__*, risk: low, effects: none, approval: auto, rate: 1000000/second, elicitation: ask}\n"

#define FORM                                                                                                           \
	"{\"message\":\"Which one?\",\"requestedSchema\":{\"type\":\"object\",\"required\":[\"box\"],\"properties\":{" \
	"\"box\":{\"type\":\"string\",\"enum\":[\"in\",\"out\"]},\"count\":{\"type\":\"integer\",\"minimum\":1,"       \
	"\"maximum\":5}}}}"

/* A call that runs. */
struct world {
	struct kh_fixture *f;
	struct kh_view task;
	struct kh_comm_call call;
};

static struct world open(struct kh_test *t)
{
	static const struct kh_tooling tools[] = {{"list", "Lists mails", "{\"type\":\"object\"}"}};
	struct world w = {.f = kh_fixture_open(t, POLICY)};

	kh_tooling_see(w.f, "mail", "one", tools, 1);
	kh_tooling_approve(w.f, "mail");
	w.task = kh_tooling_execute(w.f);
	must(t, kh_tooling_call(w.f, w.task, "mail.list", "{}", &w.call));
	assert_int_equal(w.call.next, KH_CALL_RUNS);
	assert_int_equal(w.call.errand.declaration, w.call.look.row->id);
	return w;
}

static enum kh_err ask(struct world *w, const char *params, int64_t left_ms, struct kh_view *ret_id)
{
	struct kh_elicit_ask call = {.declaration = w->call.errand.declaration,
				     .server = KH_LIT("mail"),
				     .params = kh_tainted_wrap(kh_view_str(params)),
				     .left_ms = left_ms};
	enum kh_err e = kh_fixture_own(w->f, kh_elicit_ask_run, &call);

	if (e == KH_OK)
		*ret_id = kh_publicid_text(&w->f->arena, kh_engine_id_key(w->f->engine), KH_ID_APPROVAL, call.approval);
	return e;
}

static struct kh_elicit_take take(struct world *w, struct kh_view id, bool is_over)
{
	struct kh_elicit_take call = {.approval = kh_fixture_number(w->f, KH_ID_APPROVAL, id), .is_over = is_over};

	must(w->f->t, kh_fixture_own(w->f, kh_elicit_take_run, &call));
	return call;
}

static void end(struct world *w)
{
	kh_operating_end(w->f, &w->call, KH_ERRAND_OK, "two mails");
}

static void test_accepted(struct kh_test *t)
{
	struct world w = open(t);
	struct kh_view id;

	must(t, ask(&w, FORM, 30000, &id));
	struct kh_approval_row *row = kh_approving_row(w.f, id);
	assert_int_equal(row->kind, KH_APPROVE_ELICITATION);
	assert_view(row->operation, "comm.mcp.mail.list");
	assert_int_equal(row->expires_at, row->requested_at + 30 * KH_FIXTURE_SECOND);
	assert_int_equal(row->charged, 0);
	assert_int_equal(take(&w, id, false).end, KH_ELICITED_WAITS);
	/* Nobody but a human decides, and only with values that fit. */
	must_fail(t, KH_EREFUSED, kh_approving_decide(w.f, w.f->reviewer, id, KH_CHOICE_APPROVE, NULL));
	assert_code(t, "values_missing");
	must_fail(t, KH_EREFUSED, kh_approving_decide(w.f, w.f->reviewer, id, KH_CHOICE_EDIT, "{\"box\":\"all\"}"));
	must_fail(t, KH_EREFUSED,
		  kh_approving_decide(w.f, w.f->reviewer, id, KH_CHOICE_EDIT, "{\"box\":\"in\",\"count\":6}"));
	must_fail(t, KH_EREFUSED,
		  kh_approving_decide(w.f, w.f->reviewer, id, KH_CHOICE_EDIT, "{\"box\":\"in\",\"x\":1}"));
	must_fail(t, KH_EINPUT, kh_approving_decide(w.f, w.f->reviewer, id, KH_CHOICE_EDIT, "box"));
	must(t, kh_approving_decide(w.f, w.f->reviewer, id, KH_CHOICE_EDIT, "{\"count\":\"3\",\"box\":\"in\"}"));
	struct kh_elicit_take taken = take(&w, id, false);
	assert_int_equal(taken.end, KH_ELICITED_ACCEPT);
	assert_view(taken.values, "{\"box\":\"in\",\"count\":3}");
	assert_int_equal(kh_approving_row(w.f, id)->state, KH_APPROVAL_USED);
	struct kh_view event = kh_fixture_event(w.f, KH_AUDIT_APPROVAL_USED);
	assert_true(kh_approving_has(event, "\"bytes\":22,\"digest\":\""));
	assert_false(kh_approving_has(event, "\"box\""));              /* L5: by its hash alone */
	assert_int_equal(take(&w, id, false).end, KH_ELICITED_CANCEL); /* given once */
	end(&w);
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->pending, 0);
}

static void test_other_ends(struct kh_test *t)
{
	struct world w = open(t);
	struct kh_view id;

	must(t, ask(&w, FORM, 30000, &id));
	must(t, kh_approving_decide(w.f, w.f->admin, id, KH_CHOICE_REJECT, NULL));
	assert_int_equal(take(&w, id, false).end, KH_ELICITED_DECLINE);
	must(t, ask(&w, FORM, 5000, &id));
	kh_fixture_pass(w.f, 5 * KH_FIXTURE_SECOND);
	assert_int_equal(take(&w, id, false).end, KH_ELICITED_CANCEL);
	assert_int_equal(kh_approving_row(w.f, id)->state, KH_APPROVAL_EXPIRED);
	/* The call is over before what was entered has left: nothing is given out. */
	must(t, ask(&w, FORM, 5000, &id));
	must(t, kh_approving_decide(w.f, w.f->reviewer, id, KH_CHOICE_EDIT, "{\"box\":\"in\"}"));
	struct kh_elicit_take taken = take(&w, id, true);
	assert_int_equal(taken.end, KH_ELICITED_CANCEL);
	assert_int_equal(taken.values.n, 0);
	assert_int_equal(kh_approving_row(w.f, id)->state, KH_APPROVAL_VOID);
	must(t, ask(&w, FORM, 5000, &id));
	assert_int_equal(take(&w, id, true).end, KH_ELICITED_CANCEL);
	assert_int_equal(kh_approving_row(w.f, id)->state, KH_APPROVAL_VOID);
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->pending, 0);
	/* So it is if its task ends. */
	must(t, ask(&w, FORM, 5000, &id));
	struct kh_task_close close = {.task = w.task};
	must(t, kh_fixture_call(w.f, w.f->controller, kh_task_close_run, &close));
	assert_int_equal(take(&w, id, false).end, KH_ELICITED_CANCEL);
	must_fail(t, KH_EREFUSED, ask(&w, FORM, 5000, &id));
	assert_code(t, "elicitation_late");
	end(&w);
}

/* What does not pass is declined, and is on record; one at a time. */
static void test_declined(struct kh_test *t)
{
	struct world w = open(t);
	struct kh_view id, other;

	must_fail(t, KH_EREFUSED,
		  ask(&w, "{\"mode\":\"url\",\"url\":\"https://e.example\",\"message\":\"m\"}", 5000, &id));
	assert_code(t, "elicitation_url");
	assert_true(kh_approving_has(kh_fixture_event(w.f, KH_AUDIT_REFUSED), "\"code\":\"elicitation_url\""));
	must_fail(t, KH_EREFUSED, ask(&w, "{}", 5000, &id));
	assert_code(t, "elicitation_unfit");
	must_fail(t, KH_EREFUSED, ask(&w, FORM, 0, &id));
	assert_code(t, "elicitation_late");
	must(t, ask(&w, FORM, 5000, &id));
	must_fail(t, KH_EREFUSED, ask(&w, FORM, 5000, &other));
	assert_code(t, "elicitation_busy");
	assert_int_equal(take(&w, id, true).end, KH_ELICITED_CANCEL);
	end(&w);
}

/* A6: no agent sees or decides it. */
static void test_agents(struct kh_test *t)
{
	struct world w = open(t);
	struct kh_approval_show show = {.page = 1};
	struct kh_view id;

	must(t, ask(&w, FORM, 5000, &id));
	show.approval = id;
	must_fail(t, KH_EREFUSED, kh_fixture_call(w.f, w.f->controller, kh_approval_show_run, &show));
	must_fail(t, KH_EREFUSED, kh_fixture_call(w.f, w.f->host, kh_approval_show_run, &show));
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(w.f, w.f->supervisor, kh_approval_show_run, &show));
	must(t, kh_fixture_call(w.f, w.f->reviewer, kh_approval_show_run, &show));
	assert_true(kh_approving_has(show.json, "\"label\":\"UNTRUSTED WORDS OF AN UPSTREAM SERVER\""));
	assert_true(kh_approving_has(show.json, "\"server\":\"mail\""));
	assert_int_equal(take(&w, id, true).end, KH_ELICITED_CANCEL);
	end(&w);
}

/* E7: its process died: the call is unknown, and what it waits for is void. */
static void test_lost(struct kh_test *t)
{
	struct world w = open(t);
	struct kh_recover recover;
	struct kh_comm_look look;
	struct kh_view id;

	must(t, ask(&w, FORM, 30000, &id));
	kh_fixture_restart(w.f);
	must(t, kh_fixture_own(w.f, kh_recover_run, &recover));
	assert_int_equal(kh_approving_row(w.f, id)->state, KH_APPROVAL_VOID);
	must(t, kh_operating_look(w.f, w.call.look.id, &look));
	assert_int_equal(look.ended, KH_ENDED_UNKNOWN);
}

static const struct kh_test_case cases[] = {KH_TEST(test_accepted), KH_TEST(test_other_ends), KH_TEST(test_declined),
					    KH_TEST(test_agents), KH_TEST(test_lost)};
KH_TEST_MAIN(cases)
