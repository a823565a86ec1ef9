/* SPEC 1, D4, L5: who calls, by its token alone; what happens by itself. */
#include "driven.h"

#include "engine/context/token.h"
#include "engine/task/revoke.h"

static void test_gateway_who(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_gateway *gateway = kh_driven_gateway(f, 0);
	struct kh_token_claim controller = kh_token_read(f->engine, f->controller), forged = controller;
	struct kh_error err = {0};
	struct kh_who who = {0};

	assert_int_equal(kh_gateway_who(gateway, controller, false, &who, &err), KH_OK);
	assert_int_equal(who.role, KH_ROLE_CONTROLLER);
	assert_view(f->context, who.context);
	assert_int_equal(kh_gateway_who(gateway, kh_token_read(f->engine, f->reviewer), false, &who, &err), KH_OK);
	assert_int_equal(who.role, KH_ROLE_REVIEWER);
	assert_string_equal(who.context, "");
	assert_int_equal(kh_gateway_who(gateway, kh_token_read(f->engine, KH_LIT("kh-nobody")), false, &who, &err),
			 KH_EREFUSED);
	assert_string_equal(err.code, "unauthorised");
	assert_int_equal(kh_gateway_who(gateway, kh_token_read(f->engine, KH_LIT("")), true, &who, &err), KH_EREFUSED);
	forged.hash.bytes[31] ^= 1; /* a token that is remembered, with another secret */
	assert_int_equal(kh_gateway_who(gateway, forged, false, &who, &err), KH_EREFUSED);
	kh_driven_close(gateway);
}

/* A revoked token may be remembered for what it was, and its claim can do nothing; asked afresh, it is nobody's. */
static void test_gateway_revoked(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_gateway *gateway = kh_driven_gateway(f, 0);
	struct kh_view text = kh_fixture_token(f, KH_ROLE_CONTROLLER, "brief", NULL);
	struct kh_token_claim token = kh_token_read(f->engine, text);
	struct kh_revoke revoke = {.id = kh_fixture_token_id(text)};
	struct kh_error err = {0};
	struct kh_who who = {0};

	assert_int_equal(kh_gateway_who(gateway, token, true, &who, &err), KH_OK);
	must(t, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	struct kh_who seen = {0};
	assert_int_equal(kh_gateway_call(gateway, token, kh_who_run, &seen, &t->arena, &err), KH_EREFUSED);
	assert_int_equal(kh_gateway_who(gateway, token, true, &who, &err), KH_EREFUSED);
	kh_driven_close(gateway);
}

/* A query that nobody looks at any more ends all the same, when its time has come. */
static void test_gateway_minds(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_gateway *gateway = NULL;
	struct driven d = {.asking.waiting.until = 1};
	struct kh_error err;

	kh_fixture_block(f, f->controller, task, "A mail.");
	assert_int_equal(kh_gateway_new(&(struct kh_gateway_settings){.engine = f->engine}, &gateway, &err), KH_OK);
	struct kh_view members = kh_arena_printf(&f->arena,
						 "\"category\":1,\"target\":\"%.*s\",\"fields\":[{\"name\":\"yes\","
						 "\"type\":\"boolean\"}]",
						 KH_FMT(f->reader_name));
	kh_driven_begin(&d, gateway, f, task, members.p);
	assert_true(kh_driven_ends(&d));
	assert_int_equal(d.asking.told.outcome, KH_OUTCOME_NONE); /* an agent's: it comes for it, or does not */
	int64_t number = kh_fixture_number(f, KH_ID_QUERY, kh_view_str(d.asking.id));
	const struct kh_query_row *row = kh_fixture_row(f, KH_TABLE_QUERIES, number);
	assert_int_equal(row->state, KH_QUERY_ASKING);
	kh_fixture_pass(f, row->deadline_at - atomic_load(&f->now) + 1);
	for (int64_t end = kh_works_now() + 30 * SECOND; kh_works_now() < end && row->state != KH_QUERY_DONE;) {
		kh_driven_rest(20000);
		row = kh_fixture_row(f, KH_TABLE_QUERIES, number);
	}
	assert_int_equal(row->outcome, KH_OUTCOME_EXPIRED);
	kh_arena_done(&d.arena);
	kh_driven_close(gateway);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_gateway_who),
	KH_TEST_ONCE(test_gateway_revoked),
	KH_TEST_ONCE(test_gateway_minds),
};
KH_TEST_MAIN(cases)
