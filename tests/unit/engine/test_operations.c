/* B4, A1, SPEC 1: every operation x every role: who may not is refused, on the record, before anything is looked at. */
#include "engine/operations.h"

#include "asking.h"

#include "engine/approval/list.h"
#include "engine/context/add.h"
#include "engine/context/assemble.h"
#include "engine/context/context.h"
#include "engine/context/output.h"
#include "engine/context/put.h"
#include "engine/context/token.h"
#include "engine/query/ask.h"
#include "engine/query/respond.h"
#include "engine/recover.h"
#include "engine/task/revoke.h"
#include "engine/task/show.h"
#include "engine/task/task.h"
#include "engine/task/transition.h"

#define ROLES 7

/* The table once more, by hand: controller, reader, supervisor, host, reviewer, admin, hook. */
static const struct {
	const char *name;
	const char *who;
} expected[] = {
	{"system.stop", "....VA."},      {"system.go", "....VA."},        {"task.open", "C......"},
	{"task.close", "C..H.A."},       {"task.show", "C..HVA."},        {"task.list", "C..HVA."},
	{"task.graph", "...HVA."},       {"task.execute", "C......"},     {"content.put", "C..H.A."},
	{"query.admit", "C......"},      {"query.look", "C..HVA."},       {"query.tries", "....VA."},
	{"query.respond", ".R....."},    {"ask.next", ".R....."},         {"approval.list", "..S.VA."},
	{"approval.show", "..S.VA."},    {"approval.decide", "..S.VA."},  {"token.create", "...H.A."},
	{"token.revoke", "...H.A."},     {"token.list", "...H.A."},       {"token.who", "CRSHVAK"},
	{"context.reset", "....VA."},    {"context.add", "...H..K"},      {"context.output", "...H..."},
	{"context.assemble", "...H..."}, {"context.guard", "...H..."},    {"context.show", "...HVA."},
	{"audit.read", "....VA."},       {"upstream.seen", "......."},    {"upstream.list", "....VA."},
	{"upstream.review", "....VA."},  {"upstream.approve", ".....A."}, {"upstream.tools", "C..H..."},
	{"upstream.lease", "......."},   {"upstream.release", "......."}, {"upstream.wanted", "......."},
	{"ask.begin", "......."},        {"comm.declare", "C......"},     {"comm.weigh", "......."},
	{"comm.call", "C......"},        {"comm.look", "C..HVA."},        {"host.begin", "...H..K"},
	{"host.call", "...H..K"},        {"host.look", "...H..K"},        {"host.take", "...H..K"},
	{"host.result", "...H..K"},      {"comm.list", "C..HVA."},        {"comm.show", "...HVA."},
	{"elicit.ask", "......."},       {"elicit.take", "......."},      {"comm.end", "......."},
	{"comm.triaged", "......."},     {"query.due", "......."},        {"content.purge", "......."},
	{"recover", "......."},
};
#define COUNT (sizeof(expected) / sizeof(expected[0]))

static const char *who(const char *name)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (strcmp(expected[i].name, name) == 0)
			return expected[i].who;
	}
	fail_msg("%s is in no list of the tests", name);
	return "";
}

static void test_operations_table(struct kh_test *t)
{
	size_t count = 0;
	const struct kh_operations_entry *all = kh_operations_all(&count);

	(void)t;
	assert_int_equal(count, COUNT);
	for (size_t i = 0; i < count; i++) {
		const char *want = who(all[i].name);
		for (unsigned role = 0; role < ROLES; role++)
			assert_int_equal((all[i].roles & KH_ROLE_BIT(role)) != 0, want[role] != '.');
		assert_ptr_equal(kh_operations_find(all[i].fn), &all[i]);
	}
}

static enum kh_err unlisted(struct kh_op *op, void *call)
{
	(void)op;
	*(bool *)call = true;
	return KH_OK;
}

/* What is in no table cannot be called, not even by an admin; Keyhole itself can. */
static void test_operations_unlisted(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	bool ran = false;

	assert_null(kh_operations_find(unlisted));
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->admin, unlisted, &ran));
	assert_code(t, "forbidden");
	assert_false(ran);
	must(t, kh_fixture_own(f, unlisted, &ran));
	assert_true(ran);
}

/*
 * A call whose every member is zero, large enough for any operation: who is refused for its role is refused before the
 * operation sees it, and an operation that ran would have to look at it.
 */
union any_call {
	struct kh_task_open open;
	struct kh_approval_decide decide;
	struct kh_respond respond;
	struct kh_token_create create;
	char bytes[4096];
};

static void test_operations_wrong_roles(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	const struct kh_view tokens[ROLES] = {
		[KH_ROLE_CONTROLLER] = w.f->controller, [KH_ROLE_READER] = w.f->reader,
		[KH_ROLE_SUPERVISOR] = w.f->supervisor, [KH_ROLE_HOST] = w.f->host,
		[KH_ROLE_HOOK] = kh_fixture_hook(w.f),  [KH_ROLE_REVIEWER] = w.f->reviewer,
		[KH_ROLE_ADMIN] = w.f->admin,
	};
	union any_call *call = kh_arena_alloc(&w.f->arena, sizeof(*call));

	kh_fixture_restart(w.f); /* it knows of no refusal yet, so each is recorded */
	for (size_t i = 0; i < COUNT; i++) {
		size_t count = 0;
		const struct kh_operations_entry *entry = &kh_operations_all(&count)[i];
		for (unsigned role = 0; role < ROLES; role++) {
			if (who(entry->name)[role] != '.')
				continue;
			struct kh_asking_state was = kh_asking_now(&w);
			memset(call, 0, sizeof(*call)); /* what an operation prepares is in its call */
			must_fail(t, KH_EREFUSED, kh_fixture_call(w.f, tokens[role], entry->fn, call));
			assert_code(t, "forbidden");
			kh_asking_unchanged(&w, &was, 1);
			struct kh_view event = kh_fixture_event(w.f, KH_AUDIT_REFUSED);
			struct kh_view what = kh_arena_printf(
				&w.f->arena, "\"set\":[],\"what\":{\"code\":\"forbidden\",\"operation\":\"%s\"}",
				entry->name);
			assert_true(kh_asking_has(event, what.p));
			struct kh_view by = kh_arena_printf(
				&w.f->arena, "\"by\":%lld,",
				(long long)kh_fixture_number(w.f, KH_ID_TOKEN, kh_fixture_token_id(tokens[role])));
			assert_true(kh_asking_has(event, by.p));
		}
	}
}

/* The last hexadecimal digit is another one. */
static struct kh_view forge(struct kh_fixture *f, struct kh_view token)
{
	char *p = kh_arena_alloc(&f->arena, token.n + 1);

	memcpy(p, token.p, token.n);
	p[token.n - 1] = p[token.n - 1] == '0' ? '1' : '0';
	return kh_view_of(p, token.n);
}

/* No token, half of one, a forged one: one answer, whatever was wrong. */
static void test_operations_strangers(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_view tokens[] = {
		{NULL, 0},          KH_LIT(""),
		KH_LIT("kh-"),      kh_view_sub(f->admin, 0, f->admin.n - 1),
		forge(f, f->admin), forge(f, f->controller),
	};

	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		struct kh_page list = {0};
		int64_t events = kh_fixture_noted(f);
		must_fail(t, KH_EREFUSED, kh_fixture_call(f, tokens[i], kh_task_list_run, &list));
		assert_code(t, "unauthorised");
		assert_string_equal(t->err.detail, "the token is not valid");
		assert_int_equal(kh_fixture_noted(f), events + 1);
		assert_true(kh_asking_has(kh_fixture_event(f, KH_AUDIT_REFUSED), "\"by\":0,"));
		assert_int_equal(list.json.n, 0);
	}
}

/* Expired and revoked ones are told the same. */
static void test_operations_dead_tokens(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_token_create create = {
		.name = KH_LIT("brief"),
		.role = KH_ROLE_CONTROLLER,
		.expires_at = atomic_load(&f->now) + 10,
		.secret = {7},
	};
	struct kh_task_open open = {0};
	struct kh_page list = {0};

	must(t, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	struct kh_view brief = kh_arena_dup(&f->arena, create.text);
	kh_fixture_pass(f, 9);
	must(t, kh_fixture_call(f, brief, kh_task_open_run, &open));
	kh_fixture_pass(f, 1);
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, brief, kh_task_list_run, &list));
	assert_code(t, "unauthorised");
	assert_string_equal(t->err.detail, "the token is not valid");
	struct kh_revoke revoke = {.id = kh_fixture_token_id(f->controller)};
	must(t, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->controller, kh_task_list_run, &list));
	assert_code(t, "unauthorised");
	assert_string_equal(t->err.detail, "the token is not valid");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_operations_table), KH_TEST(test_operations_unlisted),    KH_TEST(test_operations_wrong_roles),
	KH_TEST(test_operations_strangers),  KH_TEST(test_operations_dead_tokens),
};
KH_TEST_MAIN(cases)
