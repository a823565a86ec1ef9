#include "talk.h"

#include "gateway/keeping.h"
#include "mcp/methods.h"
#include "mcp/state.h"

static struct kh_mcp_state_bond bond_of(struct kh_talk *talk)
{
	return (struct kh_mcp_state_bond){
		.token = kh_token_read(talk->f->engine, talk->f->controller),
		.method = KH_LIT("tools/call"),
		.name = KH_LIT("BCPQuery"),
		.arguments = kh_canonical_digest(KH_LIT("{}")),
	};
}

/* A4: what was sealed comes back as it was, whatever it is, and once. */
static void test_round(struct kh_test *t)
{
	static const char *const payloads[] = {"", "a", "an approval", "\xff\x01 bytes \"of\" any kind"};
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	struct kh_mcp_state_bond bond = bond_of(talk);
	struct kh_view text, back;

	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		must(t, kh_mcp_state_seal(talk->mcp, &t->arena, &bond, kh_view_str(payloads[i]), &text, &t->err));
		must(t, kh_mcp_state_open(talk->mcp, &t->arena, &bond, text, &back, &t->err));
		assert_view(back, payloads[i]);
		must_fail(t, KH_EREFUSED, kh_mcp_state_open(talk->mcp, &t->arena, &bond, text, &back, &t->err));
		assert_code(t, "bad_state");
	}
	kh_talk_close(talk);
}

/* A4: bound to token, method, name and arguments: with any of them changed it does not open. */
static void test_bond(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	struct kh_mcp_state_bond bond = bond_of(talk), others[5];
	struct kh_view text, back;

	for (size_t i = 0; i < 5; i++)
		others[i] = bond;
	others[0].token = kh_token_read(talk->f->engine, talk->f->hosted);
	others[1].method = KH_LIT("prompts/get");
	others[2].name = KH_LIT("BCPQuer");
	others[3].arguments.bytes[31] ^= 1;
	others[4].method = KH_LIT("tools/callB"); /* where one part ends and the next begins is sealed too */
	others[4].name = KH_LIT("CPQuery");
	must(t, kh_mcp_state_seal(talk->mcp, &t->arena, &bond, KH_LIT("x"), &text, &t->err));
	for (size_t i = 0; i < 5; i++)
		must_fail(t, KH_EREFUSED, kh_mcp_state_open(talk->mcp, &t->arena, &others[i], text, &back, &t->err));
	/* None of that has used it up. */
	must(t, kh_mcp_state_open(talk->mcp, &t->arena, &bond, text, &back, &t->err));
	kh_talk_close(talk);
}

/* Another process on the same store opens what this one sealed, once for both. */
static void test_other_process(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	const struct kh_mcp_part part = kh_mcp_methods_part();
	struct kh_mcp_settings settings = {.gateway = talk->gateway, .parts = &part, .part_count = 1};
	struct kh_mcp_state_bond bond = bond_of(talk);
	struct kh_view text, back;
	struct kh_mcp *other;

	must(t, kh_mcp_new(&settings, &other, &t->err));
	must(t, kh_mcp_state_seal(talk->mcp, &t->arena, &bond, KH_LIT("x"), &text, &t->err));
	must(t, kh_mcp_state_open(other, &t->arena, &bond, text, &back, &t->err));
	assert_view(back, "x");
	must_fail(t, KH_EREFUSED, kh_mcp_state_open(other, &t->arena, &bond, text, &back, &t->err));
	must_fail(t, KH_EREFUSED, kh_mcp_state_open(talk->mcp, &t->arena, &bond, text, &back, &t->err));
	kh_mcp_free(other);
	kh_talk_close(talk);
}

/* A4: used once also when as many came back as are remembered: then no other is good. */
static void test_many(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	struct kh_mcp_state_bond bond = bond_of(talk);
	struct kh_view first, unused, text, back;

	must(t, kh_mcp_state_seal(talk->mcp, &t->arena, &bond, KH_LIT("first"), &first, &t->err));
	must(t, kh_mcp_state_seal(talk->mcp, &t->arena, &bond, KH_LIT("unused"), &unused, &t->err));
	must(t, kh_mcp_state_open(talk->mcp, &t->arena, &bond, first, &back, &t->err));
	for (int i = 1; i < KH_KEEPING_STATES; i++) {
		kh_fixture_pass(talk->f, 1);
		must(t, kh_mcp_state_seal(talk->mcp, &t->arena, &bond, KH_LIT("x"), &text, &t->err));
		must(t, kh_mcp_state_open(talk->mcp, &t->arena, &bond, text, &back, &t->err));
	}
	must_fail(t, KH_EREFUSED, kh_mcp_state_open(talk->mcp, &t->arena, &bond, first, &back, &t->err));
	must_fail(t, KH_EREFUSED, kh_mcp_state_open(talk->mcp, &t->arena, &bond, unused, &back, &t->err));
	must_fail(t, KH_EREFUSED, kh_mcp_state_open(talk->mcp, &t->arena, &bond, text, &back, &t->err));
	kh_talk_close(talk);
}

/* A payload has a bound, and so has what comes in. */
static void test_bounds(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 0, KH_LIT(""));
	struct kh_mcp_state_bond bond = bond_of(talk);
	char *long_text = kh_arena_alloc(&t->arena, 20000);
	struct kh_view text, back;

	memset(long_text, 'A', 20000);
	must_fail(t, KH_ELIMIT,
		  kh_mcp_state_seal(talk->mcp, &t->arena, &bond, kh_view_of(long_text, KH_MCP_STATE_MOST + 1), &text,
				    &t->err));
	must_fail(t, KH_EREFUSED,
		  kh_mcp_state_open(talk->mcp, &t->arena, &bond, kh_view_of(long_text, 20000), &back, &t->err));
	must_fail(t, KH_EREFUSED, kh_mcp_state_open(talk->mcp, &t->arena, &bond, KH_LIT(""), &back, &t->err));
	kh_talk_close(talk);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_round), KH_TEST_ONCE(test_bond),   KH_TEST_ONCE(test_other_process),
	KH_TEST_ONCE(test_many),  KH_TEST_ONCE(test_bounds),
};
KH_TEST_MAIN(cases)
