/* I1, A4: what transports keep in the store: found by their own token alone, bounded, removed in their time. */
#include "driven.h"

#include "engine/task/revoke.h"
#include "gateway/keeping.h"

static int64_t row_of(struct kh_fixture *f, struct kh_view token)
{
	return kh_token_read(f->engine, token).id;
}

static int64_t now_of(struct kh_fixture *f)
{
	return atomic_load(&f->now);
}

static enum kh_err look(const struct kh_keeping *of, struct kh_test *t)
{
	struct kh_view value;
	int64_t until;

	return kh_keeping_find(of, &t->arena, &value, &until, &t->err);
}

/* A session is its token's, until its time is over. */
static void test_sessions(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_gateway *gateway = kh_driven_gateway(f, 0);
	struct kh_keeping mine = kh_keeping_of(gateway, KH_LIT("an id"), row_of(f, f->controller)), theirs = mine;
	struct kh_view value;
	int64_t until = 0;

	theirs.token = row_of(f, f->hosted);
	must_fail(t, KH_EUNKNOWN, look(&mine, t));
	must_fail(t, KH_EUNKNOWN, kh_keeping_change(&mine, now_of(f) + 9, KH_LIT("x"), &t->err));
	must(t, kh_keeping_begin(&mine, now_of(f) + 10, KH_LIT("first"), &t->err));
	must_fail(t, KH_EUNKNOWN, look(&theirs, t));
	must(t, kh_keeping_change(&mine, now_of(f) + 20, KH_LIT("second"), &t->err));
	must(t, kh_keeping_find(&mine, &t->arena, &value, &until, &t->err));
	assert_view(value, "second");
	assert_int_equal(until, now_of(f) + 20);
	must(t, kh_keeping_end(&theirs, &t->err)); /* nothing of theirs */
	must(t, look(&mine, t));
	kh_fixture_pass(f, 20);
	must_fail(t, KH_EUNKNOWN, look(&mine, t));
	kh_keeping_purge(gateway);
	must(t, kh_keeping_begin(&mine, now_of(f) + 10, KH_LIT("again"), &t->err));
	must(t, kh_keeping_end(&mine, &t->err));
	must_fail(t, KH_EUNKNOWN, look(&mine, t));
	kh_driven_close(gateway);
}

/* Of a token's sessions the one whose time comes first makes room, and no other token's does. */
static void test_room(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_gateway *gateway = kh_driven_gateway(f, 0);
	struct kh_keeping other = kh_keeping_of(gateway, KH_LIT("other"), row_of(f, f->hosted)),
			  all[KH_KEEPING_TOKEN + 1];

	must(t, kh_keeping_begin(&other, now_of(f) + 1, KH_LIT(""), &t->err));
	for (int i = 0; i <= KH_KEEPING_TOKEN; i++) {
		struct kh_view id = kh_arena_printf(&t->arena, "session %d", i);
		must(t, kh_arena_check(&t->arena));
		all[i] = kh_keeping_of(gateway, id, row_of(f, f->controller));
		must(t, kh_keeping_begin(&all[i], now_of(f) + 100 + (i + 50) % KH_KEEPING_TOKEN, KH_LIT(""), &t->err));
	}
	for (int i = 0; i <= KH_KEEPING_TOKEN; i++)
		assert_int_equal(look(&all[i], t), i == KH_KEEPING_TOKEN - 50 ? KH_EUNKNOWN : KH_OK);
	must(t, look(&other, t));
	kh_driven_close(gateway);
}

/* The numbers of streams are never given twice; events come in their order; a session takes its streams with it. */
static void test_streams(struct kh_test *t)
{
	static const struct kh_keeping_event some[] = {{1, false, KH_LIT_INIT("one")}, {2, false, KH_LIT_INIT("two")}};
	const struct kh_keeping_event third = {3, true, KH_LIT("three")};
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_gateway *gateway = kh_driven_gateway(f, 0);
	struct kh_keeping mine = kh_keeping_of(gateway, KH_LIT("an id"), row_of(f, f->controller)), theirs = mine;
	struct kh_keeping_kept kept;
	int64_t stream = 0;

	theirs.token = row_of(f, f->hosted);
	must_fail(t, KH_EUNKNOWN, kh_keeping_stream(&mine, KH_LIT("7"), some, 2, &stream, &t->err));
	must(t, kh_keeping_begin(&mine, now_of(f) + SECOND, KH_LIT("said"), &t->err));
	must(t, kh_keeping_stream(&mine, KH_LIT("7"), some, 2, &stream, &t->err));
	assert_int_equal(stream, 1);
	must_fail(t, KH_EUNKNOWN, kh_keeping_read(&theirs, 1, 0, &t->arena, &kept, &t->err));
	must_fail(t, KH_EUNKNOWN, kh_keeping_read(&mine, 2, 0, &t->arena, &kept, &t->err));
	must(t, kh_keeping_add(&mine, 1, &third, 2, &t->err)); /* the first is forgotten */
	must(t, kh_keeping_read(&mine, 1, 0, &t->arena, &kept, &t->err));
	assert_int_equal(kept.count, 2);
	assert_view(kept.value, "7");
	assert_view(kept.events[0].text, "two");
	assert_true(kept.events[1].answer && kept.events[1].number == 3 && !kept.is_written);
	must(t, kh_keeping_read(&mine, 1, 3, &t->arena, &kept, &t->err));
	assert_int_equal(kept.count, 0);
	must(t, kh_keeping_forget(&mine, 1, &t->err));
	must_fail(t, KH_EUNKNOWN, kh_keeping_add(&mine, 1, &third, 0, &t->err));
	must(t, kh_keeping_stream(&mine, KH_LIT(""), NULL, 0, &stream, &t->err));
	assert_int_equal(stream, 2);
	must(t, kh_keeping_end(&mine, &t->err));
	must_fail(t, KH_EUNKNOWN, kh_keeping_read(&mine, 2, 0, &t->arena, &kept, &t->err));
	kh_driven_close(gateway);
}

/* Everything of a token goes with it, in the transaction that revokes it. */
static void test_revoked(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_gateway *gateway = kh_driven_gateway(f, 0);
	struct kh_view text = kh_fixture_token(f, KH_ROLE_CONTROLLER, "brief", NULL);
	struct kh_revoke revoke = {.id = kh_fixture_token_id(text)};
	struct kh_keeping gone = kh_keeping_of(gateway, KH_LIT("gone"), row_of(f, text));
	struct kh_keeping stays = kh_keeping_of(gateway, KH_LIT("stays"), row_of(f, f->controller));

	must(t, kh_keeping_begin(&gone, now_of(f) + SECOND, KH_LIT(""), &t->err));
	must(t, kh_keeping_begin(&stays, now_of(f) + SECOND, KH_LIT(""), &t->err));
	must(t, kh_keeping_use(gateway, gone.token, KH_LIT("nonce"), now_of(f) + SECOND, &t->err));
	must(t, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	must_fail(t, KH_EUNKNOWN, look(&gone, t));
	must(t, look(&stays, t));
	/* Were the state's row still there, it could not be used. */
	must(t, kh_keeping_use(gateway, gone.token, KH_LIT("nonce"), now_of(f) + SECOND, &t->err));
	must_fail(t, KH_EREFUSED, kh_keeping_use(gateway, gone.token, KH_LIT("nonce"), now_of(f) + SECOND, &t->err));
	kh_driven_close(gateway);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_sessions), KH_TEST_ONCE(test_room),
					    KH_TEST_ONCE(test_streams), KH_TEST_ONCE(test_revoked)};
KH_TEST_MAIN(cases)
