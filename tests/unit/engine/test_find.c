/* SPEC 1, B4: who finds what; what is another's is not there. */
#include "engine/state/find.h"

#include "asking.h"

#include "engine/task/task.h"

enum what { TASK, QUERY, APPROVAL, CONTEXT };

/* An operation as a token's holder, whatever the table of operations says. */
struct finding {
	struct kh_view token; /* p NULL: Keyhole itself */
	enum what what;
	struct kh_view id;
	const char *code; /* out; NULL: it was found */
};

static enum kh_err find(struct kh_op *op, void *call)
{
	struct finding *f = call;
	void *row = NULL;
	int64_t id = 0;
	enum kh_err e = KH_OK;

	if (f->token.p != NULL) {
		if (!kh_publicid_parse(kh_engine_id_key(op->engine), KH_ID_TOKEN, kh_fixture_token_id(f->token), &id))
			return KH_EINPUT;
		e = kh_txn_load(op->txn, KH_TABLE_TOKENS, id, &op->caller);
	}
	if (e != KH_OK)
		return e;
	switch (f->what) {
	case TASK:
		e = kh_find_task(op, f->id, (struct kh_task_row **)&row);
		break;
	case QUERY:
		e = kh_find_query(op, f->id, (struct kh_query_row **)&row);
		break;
	case APPROVAL:
		e = kh_find_approval(op, f->id, (struct kh_approval_row **)&row);
		break;
	case CONTEXT:
		e = kh_find_context(op, f->id, (struct kh_context_row **)&row);
		break;
	}
	if (e != KH_OK && e != KH_EUNKNOWN)
		return e;
	assert_int_equal(e == KH_OK, row != NULL);
	f->code = e == KH_OK ? NULL : op->err->code;
	return KH_OK;
}

static bool finds(struct kh_fixture *f, struct kh_view token, enum what what, struct kh_view id)
{
	static const char *const codes[] = {"unknown_task", "unknown_query", "unknown_approval", "unknown_context"};
	struct finding call = {.token = token, .what = what, .id = id};

	must(f->t, kh_fixture_own(f, find, &call));
	if (call.code != NULL)
		assert_string_equal(call.code, codes[what]);
	return call.code == NULL;
}

/* Everything of one context: its own controller, the host that made it, reviewers and admins find it, nobody else. */
static void test_own_matrix(struct kh_test *t)
{
	struct kh_asking mine = kh_asking_begin(t, NULL), hosted = mine;
	struct kh_fixture *f = mine.f;
	struct kh_view stranger = kh_fixture_token(f, KH_ROLE_HOST, "strange", NULL);
	struct kh_admit admit;

	hosted.task = kh_fixture_task(f, f->hosted);
	kh_fixture_block(f, f->hosted, hosted.task, "Theirs.");
	struct kh_view text = kh_arena_printf(&f->arena, "{\"task\":\"%.*s\"," SUMMARY "}", KH_FMT(hosted.task));
	admit = (struct kh_admit){.query = kh_fixture_json(f, text)};
	must(t, kh_fixture_call(f, f->hosted, kh_admit_run, &admit));
	struct kh_view theirs[] = {hosted.task, kh_arena_dup(&f->arena, admit.id),
				   kh_arena_dup(&f->arena, admit.approval), f->hosted_context};
	must(t, kh_asking_admit(&mine, SUMMARY, &admit));
	struct kh_view ours[] = {mine.task, kh_arena_dup(&f->arena, admit.id), kh_arena_dup(&f->arena, admit.approval),
				 f->context};
	const struct {
		struct kh_view token;
		bool ours, theirs;
	} callers[] = {
		{{NULL, 0}, true, true}, {f->controller, true, false}, {f->hosted, false, true},
		{f->host, false, true},  {stranger, false, false},     {f->reviewer, true, true},
		{f->admin, true, true},  {f->reader, false, false},    {f->supervisor, false, false},
	};
	for (size_t i = 0; i < sizeof(callers) / sizeof(callers[0]); i++) {
		for (unsigned what = TASK; what <= CONTEXT; what++) {
			assert_int_equal(finds(f, callers[i].token, what, ours[what]), callers[i].ours);
			assert_int_equal(finds(f, callers[i].token, what, theirs[what]), callers[i].theirs);
			assert_false(finds(f, callers[i].token, what, ours[(what + 1) % 4])); /* of another kind */
			assert_false(finds(f, callers[i].token, what, KH_LIT("")));
			assert_false(finds(f, callers[i].token, what, KH_LIT("x\xff\n")));
		}
	}
	/* A supervisor finds the approvals of tool calls, and those alone. */
	struct kh_view call = kh_approving_ask(f, mine.task, KH_APPROVE_TOOL_CALL, "a call");
	assert_true(finds(f, f->supervisor, APPROVAL, call));
	assert_false(finds(f, f->reader, APPROVAL, call));
}

struct listing {
	const char *json;
	int64_t *ids;
	size_t count;
	struct kh_view text;
};

static enum kh_err read_ids(struct kh_op *op, void *call)
{
	struct listing *l = call;
	enum kh_err e = kh_op_ids(op, kh_view_str(l->json), &l->ids, &l->count);

	if (e == KH_OK)
		l->text = kh_op_ids_text(op, l->ids, l->count);
	return e;
}

static void test_own_ids(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct listing l = {.json = "[1,22,9007199254740992]"};

	must(t, kh_fixture_own(f, read_ids, &l));
	assert_int_equal(l.count, 3);
	assert_int_equal(l.ids[2], INT64_C(9007199254740992));
	assert_view(l.text, "[1,22,9007199254740992]");
	l.json = "";
	must(t, kh_fixture_own(f, read_ids, &l));
	assert_int_equal(l.count, 0);
	assert_view(l.text, "[]");
	static const char *const bad[] = {"[1,", "[1,]", "[1,,2]", "[,]", "1,2]", "[1.0]", "[", "]", "[1] "};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		l.json = bad[i];
		must_fail(t, KH_ESTORE, kh_fixture_own(f, read_ids, &l));
	}
}

static enum kh_err check_open(struct kh_op *op, void *call)
{
	const struct kh_task_row task = {.state = *(enum kh_task_state *)call};

	return kh_find_open(op, &task);
}

static void test_own_open(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	enum kh_task_state state = KH_TASK_OPEN;

	must(t, kh_fixture_own(f, check_open, &state));
	state = KH_TASK_CLOSED;
	must_fail(t, KH_EREFUSED, kh_fixture_own(f, check_open, &state));
	assert_code(t, "task_closed");
	state = KH_TASK_FAILED;
	must_fail(t, KH_EREFUSED, kh_fixture_own(f, check_open, &state));
	assert_code(t, "task_failed");
}

static enum kh_err refuse(struct kh_op *op, void *call)
{
	(void)call;
	return kh_op_refuse(op, KH_AUDIT_REFUSED, NULL, KH_LIT("{\"code\":\"because\"}"),
			    kh_error_set(op->err, KH_ELIMIT, "because", "it is so"));
}

/* The caller is told no, and the record of it is kept. */
static void test_own_refuse(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	int64_t events = kh_fixture_events(f);

	must_fail(t, KH_ELIMIT, kh_fixture_own(f, refuse, NULL));
	assert_code(t, "because");
	assert_int_equal(kh_fixture_events(f), events + 1);
	assert_true(kh_asking_has(kh_fixture_event(f, KH_AUDIT_REFUSED), "{\"code\":\"because\"}"));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_own_matrix),
	KH_TEST(test_own_ids),
	KH_TEST(test_own_open),
	KH_TEST(test_own_refuse),
};
KH_TEST_MAIN(cases)
