#include "engine/context/context.h"
#include "engine/context/token.h"
#include "engine/query/admit.h"
#include "engine/task/revoke.h"
#include "engine/task/task.h"
#include "fixture.h"

#define DAY (86400 * KH_FIXTURE_SECOND)

static struct kh_token_create create_of(const char *name, enum kh_role role)
{
	struct kh_token_create create = {.name = kh_view_str(name), .role = role};

	memset(create.secret, 0x5a, sizeof(create.secret));
	return create;
}

static enum kh_err try_open(struct kh_fixture *f, struct kh_view token)
{
	struct kh_task_open open = {.title = KH_LIT("x")};

	return kh_fixture_call(f, token, kh_task_open_run, &open);
}

static void assert_unauthorised(struct kh_fixture *f, struct kh_view token)
{
	must_fail(f->t, KH_EREFUSED, try_open(f, token));
	assert_code(f->t, "unauthorised");
}

static struct kh_token_row *token_row(struct kh_fixture *f, struct kh_view text)
{
	return kh_fixture_row(f, KH_TABLE_TOKENS, kh_fixture_number(f, KH_ID_TOKEN, kh_fixture_token_id(text)));
}

/* SPEC 1, L1: one token, one context; the store has the hash alone. */
static void test_create(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_token_create create = create_of("agent-1", KH_ROLE_CONTROLLER);

	must(t, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	assert_int_equal(create.text.n, 85);
	assert_true(kh_view_starts(create.text, KH_LIT("kh-k")));
	assert_true(kh_view_ends(create.text, KH_LIT("5a5a5a5a")));
	const struct kh_token_row *row = token_row(f, create.text);
	const struct kh_context_row *context = kh_fixture_context_row(f, create.context);
	assert_int_equal(row->context, context->id);
	assert_int_equal(context->token, row->id);
	assert_int_equal(context->taint, KH_TAINT_LOW);
	assert_int_equal(context->budget.remaining, 65536 * KH_MICROBIT);
	struct kh_digest hash = kh_canonical_digest(kh_view_of((const char *)create.secret, sizeof(create.secret)));
	assert_memory_equal(&row->secret, &hash, sizeof(hash));
	struct kh_view event = kh_fixture_event(f, KH_AUDIT_TOKEN_CREATED);
	assert_int_equal(kh_view_find(event, KH_LIT("5a5a5a5a"), 0), SIZE_MAX);
	assert_true(kh_view_find(event, KH_LIT("agent-1"), 0) != SIZE_MAX);
	must(t, try_open(f, create.text));
}

/* Whatever is not exactly the token is nobody's, and the answer does not say why. */
static void test_almost(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	char text[86];
	struct kh_view v = {text, 85};

	memcpy(text, f->controller.p, 85);
	text[85] = '0';
	must(t, try_open(f, v));
	text[84] = text[84] == '0' ? '1' : '0';
	assert_unauthorised(f, v); /* another secret */
	memcpy(text, f->controller.p, 85);
	assert_unauthorised(f, kh_view_sub(v, 0, 84));
	assert_unauthorised(f, (struct kh_view){text, 86});
	assert_unauthorised(f, KH_LIT(""));
	memcpy(text + 3, f->hosted.p + 3, 17);
	assert_unauthorised(f, v); /* one's id with another's secret */
	memcpy(text, f->controller.p, 85);
	text[0] = 'K';
	assert_unauthorised(f, v);
	text[0] = 'k';
	for (size_t i = 21; i < 85; i++)
		text[i] = text[i] >= 'a' ? (char)(text[i] - 'a' + 'A') : text[i];
	assert_unauthorised(f, v); /* one spelling alone */
	must(t, try_open(f, f->controller));
}

static void test_expiry(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_token_create create = create_of("short", KH_ROLE_CONTROLLER);

	create.expires_at = atomic_load(&f->now) + DAY;
	must(t, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	kh_fixture_pass(f, DAY - 1);
	must(t, try_open(f, create.text));
	kh_fixture_pass(f, 1);
	assert_unauthorised(f, create.text);
	create.expires_at = atomic_load(&f->now);
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	assert_code(t, "out_of_range");
}

/* Revoking ends what a controller has open, at once. */
static void test_revoke(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_revoke revoke = {.id = kh_fixture_token_id(f->controller)};

	must(t, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	assert_unauthorised(f, f->controller);
	assert_int_equal(kh_fixture_task_row(f, task)->state, KH_TASK_CLOSED);
	assert_true(kh_fixture_event(f, KH_AUDIT_TOKEN_REVOKED).n > 0);
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	assert_code(t, "already_revoked");
	revoke.id = KH_LIT("k0000000000000000");
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	assert_code(t, "unknown_token");
}

static const enum kh_role roles[] = {KH_ROLE_CONTROLLER, KH_ROLE_READER, KH_ROLE_SUPERVISOR, KH_ROLE_HOST,
				     KH_ROLE_REVIEWER,   KH_ROLE_ADMIN}; /* and hooks: test_context_add */

/* K11: a host makes controllers, whose contexts are its own, and nothing else; agents and reviewers make nothing. */
static void test_who_creates(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	const struct kh_view wrong[] = {f->controller, f->reader, f->supervisor, f->reviewer};

	for (size_t i = 0; i < 6; i++) {
		struct kh_token_create create = create_of("made_by_host", roles[i]);
		for (size_t k = 0; k < 4; k++) {
			must_fail(t, KH_EREFUSED, kh_fixture_call(f, wrong[k], kh_token_create_run, &create));
			assert_code(t, "forbidden");
		}
		if (roles[i] == KH_ROLE_CONTROLLER)
			continue;
		int64_t events = kh_fixture_noted(f);
		must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->host, kh_token_create_run, &create));
		assert_code(t, "forbidden");
		assert_int_equal(kh_fixture_noted(f), events + 1); /* on the record */
	}
	struct kh_token_create create = create_of("made_by_host", KH_ROLE_CONTROLLER);
	create.bits = 10;
	must(t, kh_fixture_call(f, f->host, kh_token_create_run, &create));
	assert_int_equal(token_row(f, create.text)->parent, token_row(f, f->host)->id);
	assert_int_equal(kh_fixture_context_row(f, create.context)->budget.budget, 10 * KH_MICROBIT);
	create.bits = 1000000;
	must(t, kh_fixture_call(f, f->host, kh_token_create_run, &create));
	assert_int_equal(kh_fixture_context_row(f, create.context)->budget.budget, 65536 * KH_MICROBIT);
}

/* A host that is gone has no agents: they act for it. */
static void test_host_gone(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_revoke revoke = {.id = kh_fixture_token_id(f->hosted)};
	struct kh_view other = kh_fixture_token(f, KH_ROLE_HOST, "host", NULL);

	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, other, kh_revoke_run, &revoke));
	assert_code(t, "unknown_token");
	must(t, try_open(f, f->hosted));
	revoke.id = kh_fixture_token_id(f->host);
	must(t, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	assert_unauthorised(f, f->hosted);
	must(t, try_open(f, f->controller)); /* the admin's own go on */
}

static void test_bad_tokens(struct kh_test *t)
{
	static const char *const bad[] = {"", "1st", "with space", "\xc3\xa4", "a/b"};
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_token_create create;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		create = create_of(bad[i], KH_ROLE_CONTROLLER);
		must_fail(t, KH_EINPUT, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
		assert_code(t, "bad_name");
	}
	create = create_of("guessable", KH_ROLE_CONTROLLER);
	memset(create.secret, 0, sizeof(create.secret));
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	assert_code(t, "missing");
	create = create_of("budgeted", KH_ROLE_READER);
	create.bits = 5;
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	assert_code(t, "bad_value");
}

/* B4: a name means one Reader. */
static void test_reader_names(struct kh_test *t)
{
	static const char *const taken[] = {"extract", "scripted", "program"};
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_token_create create;

	for (size_t i = 0; i < 3; i++) {
		create = create_of(taken[i], KH_ROLE_READER);
		must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
		assert_code(t, "name_taken");
	}
	create = create_of("", KH_ROLE_READER);
	create.name = f->reader_name;
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	assert_code(t, "name_taken");
	create.role = KH_ROLE_CONTROLLER; /* whose name is for people alone */
	must(t, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	struct kh_revoke revoke = {.id = kh_fixture_token_id(f->reader)};
	must(t, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	create.role = KH_ROLE_READER;
	must(t, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
}

/* What a Reader was asked does not wait for one that will not come; the charge stays (B6). */
static void test_reader_revoked(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_revoke revoke = {.id = kh_fixture_token_id(f->reader)};
	struct kh_look look;

	kh_fixture_block(f, f->controller, task, "a mail");
	struct kh_view members = kh_arena_printf(
		&f->arena, "\"category\":1,\"target\":\"%.*s\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\"}]%c",
		KH_FMT(f->reader_name), 0);
	must(t, kh_fixture_query(f, f->controller, task, members.p, &look));
	assert_int_equal(look.outcome, KH_OUTCOME_NONE);
	int64_t effect = look.row->effect;
	must(t, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	must(t, kh_fixture_call(f, f->controller, kh_look_run, &look));
	assert_int_equal(look.outcome, KH_OUTCOME_FAILED);
	assert_view(look.row->reason, "reader_revoked");
	assert_int_equal(((struct kh_effect_row *)kh_fixture_row(f, KH_TABLE_EFFECTS, effect))->state,
			 KH_EFFECT_FAILED);
	assert_int_equal(kh_fixture_task_row(f, task)->budget.charged, 4 * KH_MICROBIT);
	must_fail(t, KH_EUNKNOWN, kh_fixture_query(f, f->controller, task, members.p, &look));
	assert_code(t, "unknown_reader");
}

/* Somebody must be left who can let others in. */
static void test_last_admin(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_revoke revoke = {.id = kh_fixture_token_id(f->admin)};
	struct kh_token_create passing = create_of("passing", KH_ROLE_ADMIN);

	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	assert_code(t, "last_admin");
	passing.expires_at = atomic_load(&f->now) + DAY;
	must(t, kh_fixture_call(f, f->admin, kh_token_create_run, &passing));
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, passing.text, kh_revoke_run, &revoke));
	assert_code(t, "last_admin");
	struct kh_view second = kh_fixture_token(f, KH_ROLE_ADMIN, "second", NULL);
	must(t, kh_fixture_call(f, second, kh_revoke_run, &revoke));
	assert_unauthorised(f, f->admin);
	revoke.id = kh_fixture_token_id(second);
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, second, kh_revoke_run, &revoke));
	kh_fixture_fresh(t, NULL); /* the admin of the shared one is gone */
}

static void test_list(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_page list = {.all = false};

	must(t, kh_fixture_call(f, f->host, kh_token_list_run, &list));
	yyjson_val *json = kh_fixture_json(f, list.json), *item = yyjson_arr_get_first(json);
	assert_int_equal(yyjson_arr_size(json), 1);
	assert_true(kh_view_eq(kh_json_str(kh_json_get(item, "id")), kh_fixture_token_id(f->hosted)));
	assert_true(kh_view_eq(kh_json_str(kh_json_get(item, "made_by")), kh_fixture_token_id(f->host)));
	assert_true(kh_view_eq(kh_json_str(kh_json_get(item, "context")), f->hosted_context));
	assert_view(kh_json_str(kh_json_get(item, "role")), "controller");
	assert_view(kh_json_str(kh_json_get(item, "state")), "living");
	struct kh_view hash = kh_canonical_hex(&f->arena, &token_row(f, f->hosted)->secret);
	assert_int_equal(kh_view_find(list.json, hash, 0), SIZE_MAX);
	assert_int_equal(kh_view_find(list.json, kh_view_from(f->hosted, 21), 0), SIZE_MAX);

	struct kh_revoke revoke = {.id = kh_fixture_token_id(f->hosted)};
	must(t, kh_fixture_call(f, f->host, kh_revoke_run, &revoke));
	must(t, kh_fixture_call(f, f->host, kh_token_list_run, &list));
	assert_view(list.json, "[]");
	list.all = true;
	must(t, kh_fixture_call(f, f->host, kh_token_list_run, &list));
	assert_view(kh_json_str(kh_json_get(yyjson_arr_get_first(kh_fixture_json(f, list.json)), "state")), "revoked");
	list.after = kh_fixture_token_id(f->hosted);
	must(t, kh_fixture_call(f, f->admin, kh_token_list_run, &list));
	assert_view(list.json, "[]");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_create),         KH_TEST(test_almost),    KH_TEST(test_expiry),     KH_TEST(test_revoke),
	KH_TEST(test_who_creates),    KH_TEST(test_host_gone), KH_TEST(test_bad_tokens), KH_TEST(test_reader_names),
	KH_TEST(test_reader_revoked), KH_TEST(test_list),      KH_TEST(test_last_admin),
};
KH_TEST_MAIN(cases)
