/* L1, L2, D4: opening, closing, the clock, the record of refusals. */
#include "engine/engine.h"

#include "asking.h"

#include "core/policy/config.h"
#include "engine/comm/declare.h"
#include "engine/due.h"
#include "engine/state/refusals.h"
#include "engine/task/task.h"
#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <unistd.h>

/* L1: every start and stop is an event, with the policy in force. */
static void test_engine_start_and_stop(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	int64_t holder = kh_store_holder(f->store);
	int64_t events = kh_fixture_events(f);

	kh_fixture_restart(f);
	assert_int_equal(kh_fixture_events(f), events + 2);
	assert_true(kh_asking_has(kh_fixture_event(f, KH_AUDIT_STOPPED),
				  kh_arena_printf(&f->arena, "{\"holder\":%lld}", (long long)holder).p));
	struct kh_view started = kh_arena_printf(&f->arena, "{\"holder\":%lld,\"version\":\"test\"}",
						 (long long)kh_store_holder(f->store));
	assert_true(kh_asking_has(kh_fixture_event(f, KH_AUDIT_STARTED), started.p));
	assert_int_not_equal(kh_store_holder(f->store), holder);
	const struct kh_system_row *system = kh_fixture_row(f, KH_TABLE_SYSTEM, 1);
	assert_memory_equal(&system->policy, &f->policy->digest, sizeof(system->policy));
}

/* A store that was never set up is not opened; a second setting up changes nothing. */
static void test_engine_create(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_store *empty = NULL;
	struct kh_engine *engine = NULL;
	struct kh_view admin = {NULL, 0};
	struct kh_digest key = {{2}};
	const unsigned char random[64] = {3};
	char path[128];

	snprintf(path, sizeof(path), "%s/empty.db", f->folder);
	must(t, kh_store_open(&kh_sqlite_backend, path, KH_STORE_CREATE, &empty, &t->err));
	struct kh_engine_settings settings = {.store = empty, .policy = f->policy, .version = KH_LIT("test")};
	enum kh_err e = kh_engine_new(&settings, &engine, &t->err);
	kh_store_close(empty);
	unlink(path);
	must_fail(t, KH_ESTORE, e);
	assert_code(t, "store_corrupt");
	assert_null(engine);

	int64_t events = kh_fixture_events(f);
	must_fail(t, KH_ESTORE, kh_engine_create(f->store, &t->arena, &key, random, 5, &admin, &t->err));
	assert_int_equal(kh_fixture_events(f), events);
	assert_int_equal(admin.n, 0);
}

static bool is_low(void *room)
{
	return *(const bool *)room;
}

/* D4: while the disk has too little room nothing is begun, and everything else goes on. */
static void test_engine_low(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_engine_settings settings = {.store = f->store, .policy = f->policy, .version = KH_LIT("test")};
	struct kh_engine *engine = NULL;
	struct kh_task_open open = {0};
	struct kh_page page = {0};
	bool low = true;

	settings.is_low = is_low;
	settings.room = &low;
	must(t, kh_engine_new(&settings, &engine, &t->err));
	struct kh_token_claim token = kh_token_read(engine, f->controller);
	int64_t events = kh_fixture_events(f);
	must_fail(t, KH_ESTORE, kh_engine_call(engine, token, kh_task_open_run, &open, &t->arena, &t->err));
	assert_code(t, "disk_low");
	assert_int_equal(kh_fixture_events(f), events);
	must(t, kh_engine_call(engine, token, kh_task_list_run, &page, &t->arena, &t->err));
	low = false;
	must(t, kh_engine_call(engine, token, kh_task_open_run, &open, &t->arena, &t->err));
	kh_engine_free(engine);
}

/* Time never goes back within a process, whatever the clock does. */
static void test_engine_time(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_task_open open = {0};
	int64_t now = atomic_load(&f->now);

	must(t, kh_fixture_call(f, f->controller, kh_task_open_run, &open));
	assert_int_equal(open.row->opened_at, now);
	kh_fixture_pass(f, -3600 * KH_FIXTURE_SECOND);
	must(t, kh_fixture_call(f, f->controller, kh_task_open_run, &open));
	assert_int_equal(open.row->opened_at, now);
	kh_fixture_pass(f, 3601 * KH_FIXTURE_SECOND);
	must(t, kh_fixture_call(f, f->controller, kh_task_open_run, &open));
	assert_int_equal(open.row->opened_at, now + KH_FIXTURE_SECOND);
}

/* What the last event of counts says: how many refusals, and its text. */
static int64_t counted(struct kh_fixture *f, struct kh_view *ret_text)
{
	*ret_text = kh_fixture_event(f, KH_AUDIT_REFUSALS);
	yyjson_val *event = kh_fixture_json(f, *ret_text);

	return yyjson_get_sint(kh_json_get(kh_json_get(event, "what"), "total"));
}

/* L1, L2: the first refusal of a kind is recorded at once; what repeats it is counted, and becomes one event. */
static void test_engine_refusals(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_task_open open = {0};
	struct kh_page list = {0};
	struct kh_due due = {0};
	struct kh_view text;
	int64_t events = kh_fixture_events(f);

	for (int i = 0; i < 70; i++)
		must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->reader, kh_task_open_run, &open));
	assert_int_equal(kh_fixture_events(f), events + 1);
	for (int i = 0; i < 70; i++)
		must_fail(t, KH_EREFUSED, kh_fixture_call(f, KH_LIT("kh-nobody"), kh_task_open_run, &open));
	assert_int_equal(kh_fixture_events(f), events + 2); /* of another caller */
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->reader, kh_task_list_run, &list));
	assert_int_equal(kh_fixture_events(f), events + 3); /* of another operation */
	must(t, kh_fixture_own(f, kh_due_run, &due));
	assert_int_equal(kh_fixture_events(f), events + 3);
	kh_fixture_pass(f, KH_REFUSALS_PERIOD);
	must(t, kh_fixture_own(f, kh_due_run, &due));
	assert_int_equal(kh_fixture_events(f), events + 4);
	assert_int_equal(counted(f, &text), 138);
	assert_true(kh_asking_has(text, "\"code\":\"forbidden\",\"count\":69,\"kind\":\"call.refused\""));
	assert_true(kh_asking_has(text, "\"code\":\"unauthorised\",\"count\":69,"));
	assert_true(kh_asking_has(text, "\"operation\":\"task.open\""));
	/* A new period: the first is recorded again, and the rest at the latest when the engine stops. */
	for (int i = 0; i < 5; i++)
		must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->reader, kh_task_open_run, &open));
	assert_int_equal(kh_fixture_events(f), events + 5);
	kh_fixture_restart(f);
	assert_int_equal(counted(f, &text), 4);
}

/* L1: a caller cannot fill the record with refusals that all differ either. */
static void test_engine_refusals_that_differ(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	int64_t events = kh_fixture_events(f);

	for (int i = 0; i < 300; i++) {
		struct kh_view json = kh_arena_printf(&f->arena,
						      "{\"operation\":\"comm.exec\",\"command\":\"x%d\","
						      "\"reason\":\"the page has the price of the train\"}",
						      i);
		struct kh_declare declare = {.task = task, .declaration = kh_fixture_json(f, json)};
		(void)!kh_fixture_call(f, f->controller, kh_declare_run, &declare);
	}
	int64_t made = kh_fixture_events(f) - events;
	assert_int_equal(made, KH_REFUSALS_EXACT + 1); /* the last one stands for all that follow */
	kh_fixture_restart(f);
	struct kh_view text;
	assert_int_equal(counted(f, &text), 300 - KH_REFUSALS_EXACT - 1);
}

static enum kh_err change(struct kh_op *op, void *call)
{
	struct kh_context_row *context;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, *(int64_t *)call, &context);

	if (e == KH_OK)
		context->blocks++;
	return e;
}

static enum kh_err change_and_fail(struct kh_op *op, void *call)
{
	enum kh_err e = change(op, call);

	if (e == KH_OK)
		e = kh_op_event(op, KH_AUDIT_ALERT, NULL, KH_LIT(""));
	return e == KH_OK ? kh_error_set(op->err, KH_EREFUSED, "not_now", "no") : e;
}

/* L2: an operation that says no, or that changes without a word, leaves nothing. */
static void test_engine_keeps_nothing_of_a_failure(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	int64_t id = kh_fixture_number(f, KH_ID_CONTEXT, f->context);
	struct kh_context_row was = *kh_fixture_context_row(f, f->context);
	int64_t events = kh_fixture_events(f);

	must_fail(t, KH_EREFUSED, kh_fixture_own(f, change_and_fail, &id));
	assert_code(t, "not_now");
	must_fail(t, KH_ESTORE, kh_fixture_own(f, change, &id));
	assert_code(t, "unrecorded");
	kh_asking_same_row(KH_TABLE_CONTEXTS, &was, kh_fixture_context_row(f, f->context));
	assert_int_equal(kh_fixture_events(f), events);
}

static void test_engine_readers(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);

	assert_non_null(kh_engine_reader(f->engine, KH_LIT("scripted")));
	assert_null(kh_engine_reader(f->engine, KH_LIT("script")));
	assert_null(kh_engine_reader(f->engine, KH_LIT("")));
	assert_int_equal(kh_engine_keep_until(f->engine, 5), 5 + KH_FIXTURE_KEEPS);
}

#define SCREEN_POLICY(positive)                                                                                  \
	"policy:\n  screen:\n    - {name: heron, code: secret, pattern: 'project\\s+heron', positive: " positive \
	", negative: a heron}\n"

/* S3: the operator's own rules screen as long as the engine lives. */
static void test_engine_own_rules(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, SCREEN_POLICY("the project heron"));
	struct kh_engine_screen *taken = kh_engine_screen_take(f->engine);
	struct kh_findings findings = {0};

	assert_non_null(taken);
	enum kh_err e = kh_screen_text(kh_engine_screen_of(taken), &t->arena, KH_LIT("of the project heron"),
				       KH_SCREEN_DOCUMENT, &findings);
	kh_engine_screen_give(f->engine, taken);
	must(t, e);
	assert_int_equal(findings.n, 1);
	assert_string_equal(findings.at[0].rule, "heron");
	assert_string_equal(findings.at[0].code, "secret");
}

/* S3, I8: a rule that does not find its own example is not put in force. */
static void test_engine_bad_rule(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	const struct kh_policy *policy = NULL;
	const struct kh_reader *readers = NULL;
	size_t count = 0;

	must(t, kh_config_policy(&t->arena, KH_LIT(SCREEN_POLICY("the project egret")), KH_LIT("keyhole.yaml"), &policy,
				 &t->err));
	readers = kh_engine_readers(f->engine, &count);
	must_fail(t, KH_EINPUT,
		  kh_engine_reload(f->engine, policy, readers, count, kh_engine_tools(f->engine), &t->err));
	assert_code(t, "policy_invalid");
	assert_ptr_equal(kh_engine_policy(f->engine), f->policy);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_engine_low),      KH_TEST_ONCE(test_engine_own_rules),
	KH_TEST_ONCE(test_engine_bad_rule), KH_TEST(test_engine_start_and_stop),
	KH_TEST_ONCE(test_engine_create),   KH_TEST(test_engine_time),
	KH_TEST_ONCE(test_engine_refusals), KH_TEST_ONCE(test_engine_refusals_that_differ),
	KH_TEST(test_engine_readers),       KH_TEST(test_engine_keeps_nothing_of_a_failure),
};
KH_TEST_MAIN(cases)
