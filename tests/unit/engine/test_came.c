/*
 * I-45: when a call is answered tells nothing about content that is not counted.  A refusal, which leaves at once, has
 * looked at no content; and slots are counted from the moment at which the call came in.
 */
#include "beforehand/beforehand.h"
#include "engine/query/admit.h"
#include "engine/task/task.h"
#include "operating.h"

#define RULES                                                                            \
	"  rates: {category_1: 1000000/second, category_2: 0}\n"                         \
	"  operations:\n"                                                                \
	"    - {name: comm.read, risk: low, paths: [/srv/docs], rate: 1000000/second}\n" \
	"    - {name: comm.search, risk: low, rate: 1/hour}\n"                           \
	"    - {name: comm.exec, commands: [{name: date, argv: [/bin/date]}]}\n"
#define AT_ONCE "policy:\n  release: immediate\n  fenced: never\n" RULES
#define POOR    "policy:\n  release: immediate\n  budgets: {task_bits: 5}\n" RULES
#define SLOTS   "policy:\n" RULES

#define REASON  ",\"reason\":\"the notes say when the meeting is\"}"
#define ALLOWED "{\"operation\":\"comm.read\",\"path\":\"/srv/docs/notes.txt\"" REASON
#define FIELDS  "\"fields\":[{\"name\":\"urgent\",\"type\":\"boolean\"}]"

#define LITTLE ((size_t)1 << 10)
#define MUCH   ((size_t)1 << 20)

/* --- what is counted ---------------------------------------------------------------------------------------------- */

static struct {
	size_t on_content, all;
	struct kh_fixture *passes; /* its clock goes on when a call is compared or an answer is judged */
	int64_t by;
} works;

/* The work that is done on content; the rest is on the caller's own words too. */
static bool is_on_content(const char *name)
{
	static const char *const names[] = {"kh_verify_call",  "kh_attribution_prove",     "kh_guard_output",
					    "kh_fence_wrap",   "kh_justification_repeats", "kh_answer_judge",
					    "kh_message_judge"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static void count(const char *name)
{
	works.all++;
	works.on_content += is_on_content(name);
	if (works.passes != NULL && (strcmp(name, "kh_verify_call") == 0 || strcmp(name, "kh_message_judge") == 0))
		kh_fixture_pass(works.passes, works.by);
}

static void begin_counting(struct kh_fixture *passes, int64_t by)
{
	works.all = works.on_content = 0;
	works.passes = passes;
	works.by = by;
	kh_beforehand_loaded = 0;
	kh_beforehand_hook = count;
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

/* A call that is refused whatever the content is; a declaration, or the members of a query. */
struct refused {
	const char *code;
	const char *declare;
	bool fenced, planning;
	const char *query;
};

static const struct refused refusals[] = {
	{.code = "path_not_allowed", .declare = "{\"operation\":\"comm.read\",\"path\":\"/nowhere/x\"" REASON},
	{.code = "fenced_not_allowed", .declare = ALLOWED, .fenced = true},
	{.code = "OUTBOUND_FORBIDDEN_IN_PLANNING", .declare = ALLOWED, .planning = true},
	{.code = "unknown_member", .declare = "{\"operation\":\"comm.exec\",\"name\":\"reboot\"" REASON},
	{.code = "unknown_member", .declare = "{\"operation\":\"comm.read\",\"road\":\"/srv/docs/x\"" REASON},
	{.code = "operation_unknown", .declare = "{\"operation\":\"comm.fly\",\"path\":\"/srv/docs/x\"" REASON},
	{.code = "wrong_type", .declare = "{\"operation\":\"comm.read\",\"path\":{\"$block\":\"b0\"}" REASON},
	{.code = "unknown_reader", .query = "\"category\":1,\"target\":\"nobody\"," FIELDS},
	{.code = "unknown_block", .query = "\"category\":1,\"target\":\"quick\",\"blocks\":[\"bnone\"]," FIELDS},
	{.code = "rate_denied",
	 .query = "\"category\":2,\"target\":\"quick\",\"justification\":\"the user wants to know it\","
		  "\"questions\":[{\"id\":\"q1\",\"question\":\"What is it "
		  "about?\",\"expected_format\":\"short_text\",\"max_words\":3}]"},
};

/* The context was told something of a page of SIZE bytes, which is the only block of TASK. */
static void influence(struct kh_fixture *f, struct kh_view task, size_t size)
{
	char *page = kh_arena_alloc(&f->arena, size + 1);

	for (size_t i = 0; i < size; i++)
		page[i] = i % 64 == 63 ? '\n' : (char)('a' + (i * i / 7 + i) % 26);
	page[size] = '\0';
	kh_operating_influence(f, task, page);
}

static enum kh_err ask(struct kh_fixture *f, struct kh_view task, const char *members, struct kh_admit *ret_admit)
{
	struct kh_view json = kh_arena_printf(&f->arena, "{\"task\":\"%.*s\",%s}", KH_FMT(task), members);

	*ret_admit = (struct kh_admit){.query = kh_fixture_json(f, json), .at_once = true};
	return kh_fixture_call(f, f->controller, kh_admit_run, ret_admit);
}

static enum kh_err refuse(struct kh_fixture *f, const struct refused *c, struct kh_view task)
{
	struct kh_comm_call act = {.task = task, .fenced = c->fenced};
	struct kh_admit admit;

	if (c->query != NULL)
		return ask(f, task, c->query, &admit);
	act.declare = kh_fixture_json(f, kh_view_str(c->declare));
	return kh_deciding_run(f->engine, kh_token_read(f->engine, f->controller), &act, &f->t->arena, &f->t->err);
}

static void check_refused(struct kh_test *t, const struct refused *c, size_t size, size_t *ret_all)
{
	struct kh_fixture *f = kh_fixture_open(t, AT_ONCE);
	struct kh_view task = kh_operating_task(f), plans = kh_fixture_task(f, f->controller);

	influence(f, task, size);
	size_t asked = f->asked;
	begin_counting(NULL, 0);
	enum kh_err e = refuse(f, c, c->planning ? plans : task);
	kh_beforehand_hook = NULL;
	if (e == KH_ENOMEM)
		must(t, e);
	assert_true(e == KH_EREFUSED || e == KH_EINPUT || e == KH_EUNKNOWN);
	if (strcmp(t->err.code, c->code) != 0)
		fail_msg("%s, not %s: %s", t->err.code, c->code, t->err.detail);
	assert_int_equal(works.on_content, 0);
	assert_int_equal(kh_beforehand_loaded, 0);
	assert_int_equal(f->asked, asked);
	*ret_all = works.all;
}

/* What is refused for a reason that has nothing to do with content has looked at none, and did the same for any. */
static void test_refused(struct kh_test *t)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		size_t little = 0, much = 0;
		check_refused(t, &refusals[i], LITTLE, &little);
		check_refused(t, &refusals[i], MUCH, &much);
		assert_int_equal(little, much);
	}
}

/* The same for what the budget does not hold: a query, and a call. */
static void test_refused_budget(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, POOR);
	struct kh_view task = kh_operating_task(f);
	struct kh_comm_call act = {.task = task, .declare = kh_fixture_json(f, KH_LIT(ALLOWED))};
	struct kh_admit admit;

	influence(f, task, MUCH);
	begin_counting(NULL, 0);
	enum kh_err e = ask(f, task, "\"category\":1,\"target\":\"quick\"," FIELDS, &admit);
	enum kh_err calls = kh_deciding_run(f->engine, kh_token_read(f->engine, f->controller), &act, &t->arena,
					    &t->err);
	kh_beforehand_hook = NULL;
	must(t, e);
	assert_int_equal(admit.refused, KH_OUTCOME_BUDGET);
	must_fail(t, KH_EREFUSED, calls);
	assert_string_equal(t->err.code, "budget_exceeded");
	assert_int_equal(works.on_content, 0);
	assert_int_equal(kh_beforehand_loaded, 0);
}

/* And for a rate that is used up. */
static void test_refused_rate(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, AT_ONCE);
	struct kh_view task = kh_operating_task(f);
	const char *search = "{\"operation\":\"comm.search\",\"query\":\"trains to Berlin\"" REASON;
	const struct refused again = {.declare = search};
	struct kh_comm_call act;

	influence(f, task, LITTLE);
	must(t, kh_operating_call(f, task, search, KH_LIT(""), &act));
	kh_operating_end(f, &act, KH_ERRAND_OK, "nothing");
	begin_counting(NULL, 0);
	enum kh_err e = refuse(f, &again, task);
	kh_beforehand_hook = NULL;
	must_fail(t, KH_EREFUSED, e);
	assert_string_equal(t->err.code, "rate_limited");
	assert_int_equal(works.on_content, 0);
	assert_int_equal(kh_beforehand_loaded, 0);
}

/*
 * And for what another process has just forbidden, though this one has made no transaction since.  A rehearsal that
 * took the task for open would look at content, and the refusal would come as late as that takes.
 */
static void test_refused_elsewhere(struct kh_test *t)
{
	static const struct refused cases[] = {
		{.code = "task_closed", .declare = ALLOWED},
		{.code = "task_closed", .query = "\"category\":1,\"target\":\"quick\"," FIELDS},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kh_fixture *f = kh_fixture_open(t, AT_ONCE);
		struct kh_view task = kh_operating_task(f);
		struct kh_task_close closes = {.task = task};
		influence(f, task, MUCH);
		kh_fixture_elsewhere(f, f->controller, kh_task_close_run, &closes);
		size_t asked = f->asked;
		begin_counting(NULL, 0);
		enum kh_err e = refuse(f, &cases[i], task);
		kh_beforehand_hook = NULL;
		must_fail(t, KH_EREFUSED, e);
		assert_string_equal(t->err.code, cases[i].code);
		assert_int_equal(works.on_content, 0);
		assert_int_equal(kh_beforehand_loaded, 0);
		assert_int_equal(f->asked, asked);
	}
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

/* K7, B17: however long the comparison takes, the slots of the call are those of the moment at which it came in. */
static void test_call_slot(struct kh_test *t)
{
	static const int64_t takes[] = {0, 1000, 30000, 49000, 70000, 3000000};
	static const int64_t slots[] = {50000, 50000, 50000, 50000, 100000, 3200000};

	for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
		struct kh_fixture *f = kh_fixture_open(t, SLOTS);
		struct kh_view task = kh_operating_task(f);
		struct kh_comm_call act = {.task = task, .declare = kh_fixture_json(f, KH_LIT(ALLOWED))};
		int64_t came = f->now;
		begin_counting(f, takes[i]);
		enum kh_err e = kh_deciding_run(f->engine, kh_token_read(f->engine, f->controller), &act, &t->arena,
						&t->err);
		kh_beforehand_hook = NULL;
		must(t, e);
		assert_int_equal(act.next, KH_CALL_RUNS);
		assert_true(works.on_content > 0);
		kh_operating_end(f, &act, KH_ERRAND_OK, "notes");
		const struct kh_declaration_row *row = kh_operating_row(f, act.look.id);
		assert_int_equal(row->begun_at - came, 0);
		assert_int_equal(row->release_at - came, slots[i]);
	}
}

/*
 * B17, A6: the same for a call that a human decides on.  The decision takes effect at a slot after the call came in, and it
 * expires as long after that: how long the comparison took shows in neither.
 */
static void test_held_slot(struct kh_test *t)
{
	static const int64_t takes[] = {0, 70000, 3000000};

	for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
		struct kh_fixture *f = kh_fixture_open(
			t, "policy:\n  operations:\n"
			   "    - {name: comm.fetch, risk: moderate, hosts: [example.com]}\n");
		struct kh_view task = kh_operating_task(f);
		struct kh_comm_call act = {.task = task, .declare = kh_fixture_json(f, KH_LIT(KH_OPERATING_FETCH))};
		int64_t came = f->now;
		begin_counting(f, takes[i]);
		enum kh_err e = kh_deciding_run(f->engine, kh_token_read(f->engine, f->controller), &act, &t->arena,
						&t->err);
		kh_beforehand_hook = NULL;
		must(t, e);
		assert_int_equal(act.next, KH_CALL_WAITS);
		assert_true(works.on_content > 0);
		const struct kh_approval_row *row = kh_fixture_row(
			f, KH_TABLE_APPROVALS, kh_fixture_number(f, KH_ID_APPROVAL, act.look.approval));
		assert_int_equal(row->requested_at - came, 0);
		assert_int_equal(row->expires_at - came, INT64_C(600000000));
	}
}

/* B17: the same for a query whose Reader is asked before it is admitted. */
static void test_query_slot(struct kh_test *t)
{
	static const int64_t takes[] = {0, 1000, 30000, 49000, 70000, 3000000};
	static const int64_t slots[] = {50000, 50000, 50000, 50000, 100000, 3200000};

	for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
		struct kh_fixture *f = kh_fixture_open(t, SLOTS);
		struct kh_view task = kh_fixture_task(f, f->controller);
		struct kh_admit admit;
		kh_fixture_block(f, f->controller, task, "a page");
		kh_fixture_answer(f, "{\"fields\":{\"urgent\":true}}");
		int64_t came = f->now;
		begin_counting(f, takes[i]);
		enum kh_err e = ask(f, task, "\"category\":1,\"target\":\"quick\"," FIELDS, &admit);
		kh_beforehand_hook = NULL;
		must(t, e);
		assert_true(admit.looked);
		assert_int_equal(admit.row->admitted_at - came, 0);
		assert_int_equal(admit.row->release_at - came, slots[i]);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_refused),           KH_TEST_ONCE(test_refused_budget), KH_TEST_ONCE(test_refused_rate),
	KH_TEST_ONCE(test_refused_elsewhere), KH_TEST_ONCE(test_call_slot),      KH_TEST_ONCE(test_query_slot),
	KH_TEST_ONCE(test_held_slot),
};
KH_TEST_MAIN(cases)
