/* K11: calls of a host's own tools: the same gates, a verdict that is told once, a result, and the end without one. */
#include "engine/comm/hostcall.h"

#include "engine/comm/list.h"
#include "engine/context/add.h"
#include "engine/due.h"
#include "engine/task/hosttask.h"
#include "engine/task/show.h"
#include "engine/task/task.h"
#include "operating.h"

static const char ruled[] =
	"policy:\n"
	"  release: immediate\n"
	"  tools:\n"
	"    - {name: host__Read, risk: low, results: trusted, own: [{parameter: path, to: [/srv/project/**]}]}\n"
	"    - {name: host__Write, risk: moderate, approval: auto}\n"
	"    - {name: host__Rare, risk: low, rate: 1/hour}\n"
	"    - {name: host__Fetch, risk: low, tier: T2, effects: none, rate: 1000/minute}\n"
	"    - {name: host__Never, permission: deny}\n"
	"    - {name: host__Here, risk: low, arguments: [{parameter: path, to: [/srv/project/**]}]}\n";

/* The task of such calls. */
static struct kh_view task_of(struct kh_fixture *f, struct kh_view token)
{
	struct kh_hosttask task = {.context = f->hosted_context};

	must(f->t, kh_fixture_call(f, token, kh_hosttask_run, &task));
	return kh_arena_dup(&f->arena, task.task);
}

static enum kh_err ask(struct kh_fixture *f, struct kh_view token, const char *json, struct kh_comm_call *ret_call)
{
	*ret_call = (struct kh_comm_call){
		.hosts = true, .task = task_of(f, token), .declare = kh_fixture_json(f, kh_view_str(json))};
	return kh_operating_decide(f->engine, token, ret_call, &f->t->arena, &f->t->err);
}

static enum kh_err again(struct kh_fixture *f, struct kh_view token, struct kh_view id, struct kh_comm_call *ret_call)
{
	*ret_call = (struct kh_comm_call){.hosts = true, .declaration = id};
	return kh_operating_decide(f->engine, token, ret_call, &f->t->arena, &f->t->err);
}

static enum kh_err take(struct kh_fixture *f, struct kh_view token, struct kh_view id)
{
	struct kh_hostcall_take call = {.call = id};

	return kh_fixture_call(f, token, kh_hostcall_take_run, &call);
}

static enum kh_err tell(struct kh_fixture *f, struct kh_view token, struct kh_view id, const char *content,
			struct kh_hostcall_result *ret_result)
{
	*ret_result = (struct kh_hostcall_result){
		.context = f->hosted_context, .call = id, .content = kh_view_str(content)};
	return kh_fixture_call(f, token, kh_hostcall_result_run, ret_result);
}

static struct kh_declaration_row *row_of(struct kh_fixture *f, struct kh_view id)
{
	return kh_fixture_row(f, KH_TABLE_DECLARATIONS, kh_fixture_number(f, KH_ID_DECLARATION, id));
}

/* Asks, and is let through; the call's id. */
static struct kh_view allowed(struct kh_fixture *f, struct kh_view token, const char *json)
{
	struct kh_comm_call call;

	must(f->t, ask(f, token, json, &call));
	assert_int_equal(call.next, KH_CALL_WAITS); /* nothing is handed to an errand */
	assert_int_equal(call.look.row->state, KH_DECLARATION_RUNNING);
	return kh_arena_dup(&f->arena, call.look.id);
}

#define READ  "{\"tool\":\"Read\",\"arguments\":{\"path\":\"/srv/project/a\"}}"
#define OTHER "{\"tool\":\"Read\",\"arguments\":{\"path\":\"/srv/other\"}}"
#define BASH  "{\"tool\":\"Bash\",\"arguments\":{\"command\":\"make\"},\"reason\":\"to build it\"}"

/* From the question to the block: by a host, and by a hook. */
static void test_allowed(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	const struct kh_view tokens[] = {f->host, kh_fixture_hook(f)};
	struct kh_hostcall_result result;

	for (size_t i = 0; i < 2; i++) {
		struct kh_view id = allowed(f, tokens[i], READ);
		assert_true(kh_fixture_event(f, KH_AUDIT_OPERATION_BEGUN).n > 0);
		must_fail(t, KH_EREFUSED, tell(f, tokens[i], id, "too early", &result));
		assert_code(t, "not_running");
		must(t, take(f, tokens[i], id));
		must(t, tell(f, tokens[i], id, "int main(void)", &result));
		const struct kh_declaration_row *row = row_of(f, id);
		assert_int_equal(row->state, KH_DECLARATION_DONE);
		assert_int_equal(row->ended, KH_ENDED_OK);
		assert_int_equal(row->charged, row->reserved);
		const struct kh_block_row *block = kh_fixture_row(f, KH_TABLE_BLOCKS, row->block);
		assert_int_equal(block->kind, KH_BLOCK_HOST);
		assert_int_equal(block->trust, KH_UNTRUSTED);
		assert_int_equal(block->taint, KH_TAINT_LOW); /* the rule calls it the user's own */
		assert_int_equal(block->given, 1);
		must_fail(t, KH_EREFUSED, tell(f, tokens[i], id, "once more", &result));
		assert_code(t, "not_running");
	}
	struct kh_view id = allowed(f, f->host, OTHER);
	must(t, take(f, f->host, id));
	must(t, tell(f, f->host, id, "a stranger's words", &result));
	assert_int_equal(kh_fixture_context_row(f, f->hosted_context)->taint, KH_TAINT_HIGH);
}

/* A verdict is told once, whoever asks, and however often. */
static void test_once(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_view hook = kh_fixture_hook(f), id = allowed(f, f->host, READ);
	struct kh_comm_call call;

	must(t, again(f, hook, id, &call)); /* two at once */
	assert_int_equal(call.look.row->state, KH_DECLARATION_RUNNING);
	must(t, take(f, hook, id));
	must_fail(t, KH_EREFUSED, take(f, f->host, id));
	assert_code(t, "already_told");
	must_fail(t, KH_EREFUSED, take(f, hook, id));
	struct kh_hostcall_result result;
	must(t, tell(f, hook, id, "x", &result));
	must_fail(t, KH_EREFUSED, take(f, hook, id));
	assert_code(t, "already_told");
}

/* What the gates deny is denied with their code, on the record, and nothing is begun. */
static void test_denied(struct kh_test *t)
{
	static const struct {
		const char *call, *code;
	} all[] = {
		{"{\"tool\":\"Never\",\"arguments\":{}}", "OPERATION_NOT_ALLOWED"},
		{"{\"tool\":\"Here\",\"arguments\":{\"path\":\"/etc/passwd\"}}", "argument_not_allowed"},
		{"{\"tool\":\"Here\",\"arguments\":{\"path\":{\"$block\":\"b0000000000000000\"}}}", "unknown_block"},
	};
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_comm_call call;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		enum kh_err e = ask(f, f->host, all[i].call, &call);
		must_fail(t, e == KH_EUNKNOWN ? KH_EUNKNOWN : KH_EREFUSED, e);
		assert_code(t, all[i].code);
	}
	must(t, take(f, f->host, allowed(f, f->host, "{\"tool\":\"Rare\",\"arguments\":{}}")));
	must_fail(t, KH_EREFUSED, ask(f, f->host, "{\"tool\":\"Rare\",\"arguments\":{}}", &call));
	assert_code(t, "rate_limited");
	/* K6: high taint and high risk */
	struct kh_context_add add = {
		.context = f->hosted_context, .event = KH_EVENT_WEB_FETCH, .content = KH_LIT("a page")};
	must(t, kh_fixture_call(f, f->host, kh_context_add_run, &add));
	must_fail(t, KH_EREFUSED, ask(f, f->host, BASH, &call));
	assert_code(t, "taint_denied");
	assert_true(kh_fixture_event(f, KH_AUDIT_DECLARATION_DENIED).n > 0);
}

/* What is not a call. */
static void test_bad(struct kh_test *t)
{
	static const char *const bad[] = {"{\"tool\":\"a b\",\"arguments\":{}}", "{\"tool\":\"\",\"arguments\":{}}",
					  "{\"tool\":\"Read\"}", "{\"tool\":\"Read\",\"arguments\":[]}",
					  "{\"tool\":\"Read\",\"arguments\":{},\"reason\":\"a\\nb\"}"};
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_comm_call call;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		must_fail(t, KH_EINPUT, ask(f, f->host, bad[i], &call));
}

/* A tool that no rule names is of high risk: a human decides, and the approval is used once. */
static void test_verified(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_comm_call call;

	must(t, ask(f, f->host, BASH, &call));
	assert_int_equal(call.next, KH_CALL_WAITS);
	assert_true(call.look.approval.n > 0);
	struct kh_view id = kh_arena_dup(&f->arena, call.look.id);
	must_fail(t, KH_EREFUSED, take(f, f->host, id)); /* what is pending is never allowed */
	assert_code(t, "not_allowed");
	for (unsigned i = 0; i < 2 && call.look.approval.n > 0; i++) { /* it is verified, and asked for */
		must(t, kh_approving_decide(f, f->reviewer, kh_arena_dup(&f->arena, call.look.approval),
					    KH_CHOICE_APPROVE, NULL));
		must(t, again(f, f->host, id, &call));
	}
	assert_int_equal(call.look.row->state, KH_DECLARATION_RUNNING);
	must(t, take(f, f->host, id));
	must_fail(t, KH_EREFUSED, take(f, f->host, id));
	/* The same again needs another. */
	must(t, ask(f, f->host, BASH, &call));
	assert_int_equal(call.look.row->state, KH_DECLARATION_ASKED);
}

/* K7: content that the agent was given is found in a call of low risk, and somebody has to verify it. */
static void test_compared(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_context_add add = {.context = f->hosted_context,
				     .event = KH_EVENT_FILE_READ,
				     .tool = KH_LIT("Read"),
				     .arguments = kh_fixture_json(f, KH_LIT("{\"path\":\"/srv/project/a\"}")),
				     .content = KH_LIT("the secret ingredient of the soup is nutmeg")};
	struct kh_comm_call call;

	must(t, kh_fixture_call(f, f->host, kh_context_add_run, &add));
	assert_int_equal(kh_fixture_context_row(f, f->hosted_context)->taint, KH_TAINT_LOW);
	must(t,
	     ask(f, f->host, "{\"tool\":\"Fetch\",\"arguments\":{\"q\":\"ingredient of the soup is nutmeg\"}}", &call));
	assert_int_equal(call.look.row->state, KH_DECLARATION_ASKED);
	allowed(f, f->host, "{\"tool\":\"Fetch\",\"arguments\":{\"q\":\"something else\"}}");
}

/* A call whose result is never told ends as unknown after its limit, whether it was told or not. */
static void test_never_told(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_view id = allowed(f, f->host, READ);
	struct kh_hostcall_result result;
	struct kh_due due = {0};

	must(t, take(f, f->host, id));
	kh_fixture_restart(f); /* the host goes on while Keyhole does not */
	assert_int_equal(row_of(f, id)->state, KH_DECLARATION_RUNNING);
	kh_fixture_pass(f, 303 * KH_FIXTURE_SECOND);
	must(t, kh_fixture_own(f, kh_due_run, &due));
	assert_int_equal(row_of(f, id)->state, KH_DECLARATION_DONE);
	assert_int_equal(row_of(f, id)->ended, KH_ENDED_UNKNOWN);
	must_fail(t, KH_EREFUSED, tell(f, f->host, id, "late", &result));
	assert_code(t, "not_running");
}

/* The task of such calls is nobody's else: a Controller neither finds nor lists it, nor is it the one that it means. */
static void test_task(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_view hosts = task_of(f, f->host), own = kh_fixture_task(f, f->hosted);
	struct kh_page page = {0};
	struct kh_task_close close = {.task = hosts};

	assert_true(kh_view_eq(task_of(f, kh_fixture_hook(f)), hosts)); /* one for all */
	must(t, kh_fixture_call(f, f->hosted, kh_task_list_run, &page));
	assert_int_equal(page.count, 1);
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->hosted, kh_task_close_run, &close));
	assert_code(t, "unknown_task");
	/* The other way round: such a call in a task of the Controller, and a Controller's call by its name. */
	struct kh_comm_call call = {.hosts = true, .task = own, .declare = kh_fixture_json(f, KH_LIT(READ))};
	must_fail(t, KH_EUNKNOWN, kh_operating_decide(f->engine, f->host, &call, &t->arena, &t->err));
	assert_code(t, "unknown_task");
	kh_arena_clear(&t->arena);
	call = (struct kh_comm_call){
		.task = own,
		.declare = kh_fixture_json(
			f, KH_LIT("{\"operation\":\"comm.mcp.host.Read\",\"parameters\":{\"path\":\"/srv/"
				  "project/a\"},\"reason\":\"the notes say when the meeting is\"}"))};
	must_fail(t, KH_EREFUSED, kh_operating_decide(f->engine, f->hosted, &call, &t->arena, &t->err));
	struct kh_view id = allowed(f, f->host, READ);
	call = (struct kh_comm_call){.declaration = id};
	must_fail(t, KH_EUNKNOWN, kh_operating_decide(f->engine, f->hosted, &call, &t->arena, &t->err));
	assert_code(t, "unknown_declaration");
	/* Nor does a host's or a hook's token call operations of Keyhole. */
	call = (struct kh_comm_call){.task = own, .declare = kh_fixture_json(f, KH_LIT(KH_OPERATING_READ))};
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->host, kh_hostcall_run, &call));
	assert_code(t, "forbidden");
}

/* Another host and the hook of another context find nothing. */
static void test_whose(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_view id = allowed(f, f->host, READ), stranger = kh_fixture_token(f, KH_ROLE_HOST, "strange", NULL);
	struct kh_hosttask task = {.context = f->hosted_context};
	struct kh_hostcall_result result;

	must_fail(t, KH_EUNKNOWN, take(f, stranger, id));
	must_fail(t, KH_EUNKNOWN, tell(f, stranger, id, "x", &result));
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, stranger, kh_hosttask_run, &task));
	must(t, take(f, f->host, id));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_allowed),  KH_TEST(test_once),     KH_TEST(test_denied),          KH_TEST(test_bad),
	KH_TEST(test_verified), KH_TEST(test_compared), KH_TEST_ONCE(test_never_told), KH_TEST(test_task),
	KH_TEST(test_whose),
};
KH_TEST_MAIN(cases)
