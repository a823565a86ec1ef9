/* A3, A4, A6: who may decide, on what, and that the first decision counts. */
#include "engine/approval/decide.h"

#include "approving.h"

#define EXPIRY (600 * KH_FIXTURE_SECOND)

static struct kh_view ask(struct kh_fixture *f, enum kh_approval_kind kind)
{
	return kh_approving_ask(f, kh_fixture_task(f, f->controller), kind, "x");
}

/* The decision of a test, which it then spoils. */
static struct kh_approval_decide decision(struct kh_fixture *f, struct kh_view token, struct kh_view id)
{
	return (struct kh_approval_decide){
		.approval = id,
		.choice = KH_CHOICE_APPROVE,
		.shown = kh_approving_show(f, token, id),
		.from = KH_LIT("test"),
	};
}

/* Refused with CODE, on the record, and the approval still waits. */
static void assert_refused(struct kh_fixture *f, struct kh_view token, struct kh_approval_decide *decide,
			   const char *code)
{
	must_fail(f->t, KH_EREFUSED, kh_fixture_call(f, token, kh_approval_decide_run, decide));
	assert_code(f->t, code);
	struct kh_view event = kh_fixture_event(f, KH_AUDIT_REFUSED);
	assert_true(kh_approving_has(event, code));
	assert_true(kh_approving_has(event, "approval.decide"));
	assert_int_equal(kh_approving_row(f, decide->approval)->state, KH_APPROVAL_PENDING);
}

static void test_approve(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = ask(f, KH_APPROVE_PHASE);
	struct kh_approval_decide decide = decision(f, f->reviewer, id);

	kh_fixture_pass(f, 5 * KH_FIXTURE_SECOND);
	decide.note = KH_LIT("fine by me \xc3\xa4");
	must(t, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	const struct kh_approval_row *row = kh_approving_row(f, id);
	assert_int_equal(row->state, KH_APPROVAL_APPROVED);
	assert_int_equal(row->decided_at, atomic_load(&f->now));
	assert_int_equal(row->decided_by, kh_fixture_number(f, KH_ID_TOKEN, kh_fixture_token_id(f->reviewer)));
	assert_view(row->decided_from, "test");
	assert_view(row->note, "fine by me \xc3\xa4");
	assert_int_equal(row->expires_at, row->decided_at + EXPIRY);
	assert_int_equal(row->uses, 1);
	/* A6: who, from where, when, and the digest of what was displayed. */
	struct kh_view event = kh_fixture_event(f, KH_AUDIT_APPROVAL_DECIDED);
	struct kh_view what = kh_arena_printf(&f->arena,
					      "\"what\":{\"choice\":\"approve\",\"from\":\"test\",\"note\":\"fine by "
					      "me \xc3\xa4\",\"role\":\"reviewer\",\"shown\":\"%.*s\"}",
					      KH_FMT(decide.shown));
	assert_true(kh_view_find(event, what, 0) != SIZE_MAX);
	assert_int_equal(yyjson_get_sint(kh_json_get(kh_fixture_json(f, event), "by")), row->decided_by);
}

static void test_reject(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_view id = kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");

	must(t, kh_approving_decide(f, f->admin, id, KH_CHOICE_REJECT, NULL));
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_REJECTED);
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 0);
	assert_true(kh_approving_has(kh_fixture_event(f, KH_AUDIT_APPROVAL_DECIDED), "\"choice\":\"reject\""));
}

/* A6: no agent's token decides; a supervisor's decides tool calls (K7). */
static void test_decide_by_whom(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = ask(f, KH_APPROVE_PHASE), call = ask(f, KH_APPROVE_TOOL_CALL);
	struct kh_view nobody[] = {f->controller, f->hosted, f->reader, f->host};
	struct kh_approval_decide decide = decision(f, f->reviewer, id);

	for (size_t i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++) {
		assert_refused(f, nobody[i], &decide, "forbidden");
		decide.approval = call;
		assert_refused(f, nobody[i], &decide, "forbidden");
		decide.approval = id;
	}
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->supervisor, kh_approval_decide_run, &decide));
	assert_code(t, "unknown_approval");
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_PENDING);
	must(t, kh_approving_decide(f, f->supervisor, call, KH_CHOICE_APPROVE, NULL));
	assert_int_equal(kh_approving_row(f, call)->state, KH_APPROVAL_APPROVED);
}

/* A6: a decision names what was displayed, exactly. */
static void test_decide_on_another_digest(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = ask(f, KH_APPROVE_PHASE);
	struct kh_approval_decide decide = decision(f, f->reviewer, id);
	struct kh_view good = decide.shown, other = kh_approving_show(f, f->reviewer, ask(f, KH_APPROVE_PHASE));
	char flipped[64];

	memcpy(flipped, good.p, sizeof(flipped));
	flipped[63] = flipped[63] == '0' ? '1' : '0';
	struct kh_view bad[] = {other, kh_view_sub(good, 0, 63), KH_LIT(""), kh_view_of(flipped, sizeof(flipped)),
				kh_arena_printf(&f->arena, "%.*s0", KH_FMT(good))};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		decide.shown = bad[i];
		assert_refused(f, f->reviewer, &decide, "shown_differs");
	}
	decide.shown = good;
	must(t, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
}

/* A6: all pages, to the one who decides. */
static void test_decide_unseen(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	char *text = kh_arena_alloc(&f->arena, 4 * 4096 + 2);

	assert_non_null(text);
	memset(text, 'x', 4 * 4096 + 1);
	struct kh_view id = kh_approving_ask(f, kh_fixture_task(f, f->controller), KH_APPROVE_PHASE, text);
	struct kh_approval_decide decide = decision(f, f->admin, id); /* the admin has seen all five */
	struct kh_approval_show show = {.approval = id};
	static const int64_t order[] = {5, 1, 2, 4, 3};
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		assert_refused(f, f->reviewer, &decide, "not_shown");
		show.page = order[i];
		must(t, kh_fixture_call(f, f->reviewer, kh_approval_show_run, &show));
	}
	must(t, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_APPROVED);
}

/* A4: the first wins, the second is told who and what; nothing of the second is kept. */
static void test_decide_twice(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = ask(f, KH_APPROVE_PHASE);
	struct kh_approval_decide first = decision(f, f->reviewer, id), second = decision(f, f->admin, id);

	must(t, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &first));
	second.choice = KH_CHOICE_REJECT;
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->admin, kh_approval_decide_run, &second));
	assert_code(t, "already_decided");
	assert_non_null(strstr(t->err.detail, "reviewer \"reviewer"));
	assert_non_null(strstr(t->err.detail, "from \"test\""));
	assert_non_null(strstr(t->err.detail, "approved it from"));
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_APPROVED);
	/* Nor does the same one decide twice. */
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &first));
	assert_code(t, "already_decided");
}

/* A3: too late is expired, which the attempt itself records. */
static void test_decide_too_late(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_view id = kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");
	struct kh_approval_decide decide = decision(f, f->reviewer, id);

	kh_fixture_pass(f, EXPIRY);
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	assert_code(t, "already_decided");
	assert_non_null(strstr(t->err.detail, "it is expired"));
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_EXPIRED);
	assert_int_equal(kh_approving_row(f, id)->decided_by, 0);
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 0);
	assert_true(kh_approving_has(kh_fixture_event(f, KH_AUDIT_APPROVAL_EXPIRED), "\"why\":\"not_decided\""));
}

/* A4: what waited when the process ended waits still, and what was shown was shown. */
static void test_decide_after_a_restart(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = ask(f, KH_APPROVE_PHASE), other = ask(f, KH_APPROVE_PHASE);
	struct kh_approval_decide decide = decision(f, f->reviewer, id);

	kh_fixture_restart(f);
	must(t, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	must(t, kh_approving_decide(f, f->admin, other, KH_CHOICE_REJECT, NULL));
	kh_fixture_restart(f);
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_APPROVED);
	assert_int_equal(kh_approving_row(f, other)->state, KH_APPROVAL_REJECTED);
}

/* What a decider writes is on the record for others to read: seen, and not without end. */
static void test_decide_with_bad_words(struct kh_test *t)
{
	static const char *const bad[] = {"a\nb", "\033[2J",     "a\xe2\x80\xae", "a\xe2\x80\x8b", "\xf3\xa0\x81\x81",
					  "\xff", "\xe2\x80\xa8"};
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = ask(f, KH_APPROVE_PHASE);
	struct kh_approval_decide decide = decision(f, f->reviewer, id);
	char *longest = kh_arena_alloc(&f->arena, KH_APPROVAL_DECIDE_NOTE + 1);

	assert_non_null(longest);
	memset(longest, 'x', KH_APPROVAL_DECIDE_NOTE + 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		decide.note = kh_view_str(bad[i]);
		must_fail(t, KH_EINPUT, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
		assert_code(t, "not_visible");
		assert_string_equal(t->err.member, "note");
		decide.note = KH_LIT("");
		decide.from = kh_view_str(bad[i]);
		must_fail(t, KH_EINPUT, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
		assert_code(t, "not_visible");
		assert_string_equal(t->err.member, "from");
		decide.from = KH_LIT("test");
	}
	decide.from = KH_LIT("");
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	assert_code(t, "missing");
	decide.from = kh_view_of(longest, KH_APPROVAL_DECIDE_FROM + 1);
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	assert_code(t, "too_long");
	decide.from = kh_view_of(longest, KH_APPROVAL_DECIDE_FROM);
	decide.note = kh_view_of(longest, KH_APPROVAL_DECIDE_NOTE + 1);
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	assert_code(t, "too_long");
	decide.note = kh_view_of(longest, KH_APPROVAL_DECIDE_NOTE);
	must(t, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
}

/* A2: only declarations and tool calls can be approved for more than what is shown; only answers can be edited. */
static void test_decide_more_than_is_shown(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = ask(f, KH_APPROVE_PHASE);
	struct kh_approval_decide decide = decision(f, f->reviewer, id);

	decide.uses = 2;
	assert_refused(f, f->reviewer, &decide, "not_widened");
	decide.uses = 0;
	decide.host = KH_LIT("example.org");
	assert_refused(f, f->reviewer, &decide, "not_widened");
	decide.host = KH_LIT("");
	decide.until = atomic_load(&f->now) + 2 * EXPIRY;
	assert_refused(f, f->reviewer, &decide, "not_widened");
	decide.until = 0;
	decide.choice = KH_CHOICE_EDIT;
	assert_refused(f, f->reviewer, &decide, "not_editable");

	decide = decision(f, f->reviewer, ask(f, KH_APPROVE_DECLARATION));
	decide.choice = KH_CHOICE_REJECT;
	decide.uses = 2;
	assert_refused(f, f->reviewer, &decide, "not_widened");
	decide.choice = KH_CHOICE_APPROVE;
	decide.uses = KH_APPROVAL_DECIDE_USES + 1;
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	assert_code(t, "out_of_range");
	decide.uses = -1;
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	assert_code(t, "out_of_range");
	decide.uses = 2;
	decide.until = atomic_load(&f->now);
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	assert_code(t, "out_of_range");
}

/* A2: a widened grant is for the host that was shown, and no other; in the spelling that was shown. */
static void test_widen_to_what_was_shown(struct kh_test *t)
{
	static const char *const others[] = {"evil.example",
					     "example.org.",
					     "example.org:8443",
					     "www.example.org",
					     "a host",
					     "example.org/evil",
					     "*",
					     "[example.org]",
					     "xexample.org",
					     "https://example.org"};
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_approval_decide decide = decision(f, f->reviewer, ask(f, KH_APPROVE_DECLARATION));

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		decide.host = kh_view_str(others[i]);
		assert_refused(f, f->reviewer, &decide, "host_differs");
		assert_non_null(strstr(t->err.detail, "\"example.org\""));
	}
	decide.host = KH_LIT("EXAMPLE.ORG");
	must(t, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	assert_view(kh_approving_row(f, decide.approval)->host, "example.org");
	decide = decision(f, f->reviewer, ask(f, KH_APPROVE_TOOL_CALL)); /* this one goes to no host */
	decide.host = KH_LIT("example.org");
	assert_refused(f, f->reviewer, &decide, "not_widened");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_approve),
	KH_TEST(test_reject),
	KH_TEST(test_decide_by_whom),
	KH_TEST(test_decide_on_another_digest),
	KH_TEST(test_decide_unseen),
	KH_TEST(test_decide_twice),
	KH_TEST(test_decide_too_late),
	KH_TEST(test_decide_after_a_restart),
	KH_TEST(test_decide_with_bad_words),
	KH_TEST(test_decide_more_than_is_shown),
	KH_TEST(test_widen_to_what_was_shown),
};
KH_TEST_MAIN(cases)
