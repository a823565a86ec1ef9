/* K11: what a host or a hook adds to a context, and what a hook cannot do. */
#include "engine/context/add.h"

#include "core/block/xml.h"
#include "engine/comm/weigh.h"
#include "engine/context/assemble.h"
#include "engine/context/context.h"
#include "engine/context/output.h"
#include "engine/context/token.h"
#include "engine/task/reset.h"
#include "engine/task/revoke.h"
#include "fixture.h"

static const char ruled[] =
	"policy:\n"
	"  release: immediate\n"
	"  budgets: {context_put_bytes: 1000}\n"
	"  tools:\n"
	"    - {name: host__Memory, results: trusted}\n"
	"    - {name: host__Read, results: trusted, own: [{parameter: path, to: [/home/me/project/**]}]}\n";

static const enum kh_event_kind worlds[] = {KH_EVENT_TOOL_RESULT, KH_EVENT_FILE_READ, KH_EVENT_WEB_FETCH,
					    KH_EVENT_MCP_RESPONSE};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct kh_block_row *add(struct kh_fixture *f, struct kh_view token, struct kh_context_add call)
{
	call.context = f->hosted_context;
	if (call.content.p == NULL)
		call.content = KH_LIT("the secret ingredient of the soup is nutmeg");
	must(f->t, kh_fixture_call(f, token, kh_context_add_run, &call));
	return kh_fixture_row(f, KH_TABLE_BLOCKS, kh_fixture_number(f, KH_ID_BLOCK, call.id));
}

static enum kh_taint taint_of(struct kh_fixture *f)
{
	return kh_fixture_context_row(f, f->hosted_context)->taint;
}

static void reset(struct kh_fixture *f)
{
	struct kh_reset call = {.context = f->hosted_context, .reason = KH_LIT("a new conversation has begun")};

	must(f->t, kh_fixture_call(f, f->reviewer, kh_reset_run, &call));
}

/* What the agent was given by tools of its own is untrusted data of taint high, whoever says so. */
static void test_worlds(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view hook = kh_fixture_hook(f);

	for (size_t i = 0; i < 2 * COUNT(worlds); i++) {
		reset(f);
		assert_int_equal(taint_of(f), KH_TAINT_LOW);
		struct kh_context_add call = {.event = worlds[i / 2], .tool = i & 1 ? KH_LIT("Bash") : KH_LIT("")};
		const struct kh_block_row *row = add(f, i & 1 ? hook : f->host, call);
		assert_int_equal(row->trust, KH_UNTRUSTED);
		assert_int_equal(row->type, KH_DATA);
		assert_int_equal(row->taint, KH_TAINT_HIGH);
		assert_int_equal(row->kind, KH_BLOCK_HOST);
		assert_int_equal(row->given, 1);
		assert_true(row->expires_at > row->created_at);
		assert_int_equal(taint_of(f), KH_TAINT_HIGH);
		assert_int_equal(kh_fixture_context_row(f, f->hosted_context)->own, 0);
	}
}

/* Whether a call of the hosted agent with this argument is found to repeat what its context was given. */
static bool is_found(struct kh_fixture *f, const char *text)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_weigh weigh = {.context = kh_fixture_number(f, KH_ID_CONTEXT, f->hosted_context),
				 .operation = KH_LIT("comm.mcp.host.Bash")};
	struct kh_weighed found;

	yyjson_mut_obj_add_str(doc, obj, "text", text);
	must(f->t, kh_json_freeze(&f->arena, obj, &weigh.parameters, NULL));
	must(f->t, kh_fixture_own(f, kh_weigh_run, &weigh));
	struct kh_engine_screen *taken = kh_engine_screen_take(f->engine);
	must(f->t, taken != NULL ? KH_OK : KH_ENOMEM);
	enum kh_err e = kh_weigh_call(kh_engine_screen_of(taken), &f->t->arena, &weigh, &found);
	kh_engine_screen_give(f->engine, taken);
	must(f->t, e);
	assert_true(found.flagged);
	return found.suspicious;
}

/* Content of either taint is in the closure from then on, and compared. */
static void test_compared(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_context_output said = {.context = f->hosted_context, .content = KH_LIT("I have looked at it")};

	add(f, f->host, (struct kh_context_add){.event = KH_EVENT_TOOL_RESULT, .tool = KH_LIT("Memory")});
	assert_int_equal(taint_of(f), KH_TAINT_LOW);
	assert_true(is_found(f, "it is about the ingredient of the soup is nutmeg"));
	assert_false(is_found(f, "something else altogether"));
	must(t, kh_fixture_call(f, f->host, kh_context_output_run, &said));
	assert_true(said.flagged);
	reset(f);
	add(f, f->host, (struct kh_context_add){.event = KH_EVENT_WEB_FETCH, .tool = KH_LIT("WebFetch")});
	assert_true(is_found(f, "it is about the ingredient of the soup is nutmeg"));
}

/* A rule says which results are the user's own: they have taint low, and stay untrusted data. */
static void test_own(struct kh_test *t)
{
	static const struct {
		const char *tool, *arguments;
		bool own;
	} all[] = {
		{"Memory", NULL, true},
		{"Memory", "{\"any\":1}", true},
		{"Bash", NULL, false},
		{"memory", NULL, false},
		{"Read", NULL, false},
		{"Read", "{}", false},
		{"Read", "{\"path\":\"/home/me/project/a/b.c\"}", true},
		{"Read", "{\"path\":[\"/home/me/project/a\",\"/home/me/project/b\"]}", true},
		{"Read", "{\"path\":[\"/home/me/project/a\",\"/home/me/mail\"]}", false},
		{"Read", "{\"path\":\"/home/me/project/../mail\"}", false},
		{"Read", "{\"path\":[\"/home/me/project/a\",\"/home/me/project/..\"]}", false},
		{"Read", "{\"path\":\"/home/me/mail\"}", false},
		{"Read", "{\"path\":7}", false},
	};
	struct kh_fixture *f = kh_fixture_open(t, ruled);

	for (size_t i = 0; i < COUNT(all); i++) {
		struct kh_context_add call = {.event = KH_EVENT_FILE_READ, .tool = kh_view_str(all[i].tool)};
		if (all[i].arguments != NULL)
			call.arguments = kh_fixture_json(f, kh_view_str(all[i].arguments));
		reset(f);
		const struct kh_block_row *row = add(f, f->host, call);
		assert_int_equal(row->taint, all[i].own ? KH_TAINT_LOW : KH_TAINT_HIGH);
		assert_int_equal(row->trust, KH_UNTRUSTED);
		assert_int_equal(row->type, KH_DATA);
		assert_int_equal(taint_of(f), row->taint);
		assert_int_equal(kh_fixture_context_row(f, f->hosted_context)->own, all[i].own);
	}
	/* What an agent of a higher taint may have written is not lower than that agent. */
	struct kh_context_add own = {.event = KH_EVENT_FILE_READ, .tool = KH_LIT("Memory")};
	assert_int_equal(add(f, f->host, own)->taint, KH_TAINT_HIGH);
}

/* Assembled, such a block has the labels that it was added with. */
static void test_assembled(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_context_assemble assemble = {.context = f->hosted_context};

	add(f, f->host, (struct kh_context_add){.event = KH_EVENT_TOOL_RESULT, .tool = KH_LIT("Memory")});
	must(t, kh_fixture_call(f, f->host, kh_context_assemble_run, &assemble));
	yyjson_val *last = yyjson_arr_get_last(kh_json_get(kh_fixture_json(f, assemble.text), "blocks"));
	assert_view(kh_json_str(kh_json_get(last, "trust")), "untrusted");
	assert_view(kh_json_str(kh_json_get(last, "type")), "data");
	assert_view(kh_json_str(kh_json_get(last, "taint")), "low");
}

/* What a hook calls a user's message is claimed: untrusted data, whatever the policy says of the user's messages. */
static void test_claimed(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view hook = kh_fixture_hook(f);
	const struct kh_block_row *row = add(f, hook, (struct kh_context_add){.event = KH_EVENT_USER_MESSAGE});

	assert_int_equal(row->trust, KH_UNTRUSTED);
	assert_int_equal(row->type, KH_DATA);
	assert_int_equal(row->taint, KH_TAINT_LOW);
	assert_int_equal(taint_of(f), KH_TAINT_LOW);
	const struct kh_context_row *context = kh_fixture_context_row(f, f->hosted_context);
	assert_int_equal(context->own, 1);
	assert_int_equal(context->asked, 0); /* a human is not shown it as the user's words */
	assert_true(is_found(f, "it is about the ingredient of the soup is nutmeg"));
}

/* A hook adds nothing that is trusted or vetted, and nothing to another context. */
static void test_hook_adds(struct kh_test *t)
{
	static const enum kh_event_kind wrong[] = {KH_EVENT_SYSTEM_PROMPT, KH_EVENT_GOAL, KH_EVENT_COMMITMENT,
						   KH_EVENT_SUPERVISOR_MESSAGE};
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view hook = kh_fixture_hook(f);
	struct kh_context_add call = {.context = f->hosted_context, .content = KH_LIT("obey")};

	for (size_t i = 0; i < COUNT(wrong); i++) {
		call.event = wrong[i];
		must_fail(t, KH_EREFUSED, kh_fixture_call(f, hook, kh_context_add_run, &call));
		assert_code(t, "not_hooks");
	}
	call.event = KH_EVENT_TOOL_RESULT;
	call.context = f->context;
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, hook, kh_context_add_run, &call));
	assert_code(t, "unknown_context");
	assert_int_equal(kh_fixture_context_row(f, f->hosted_context)->blocks, 0);
	assert_int_equal(kh_fixture_context_row(f, f->context)->blocks, 0);
}

/* G4: what a hook adds counts as content that is put in; a host's does not. */
static void test_hook_room(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, ruled);
	struct kh_view hook = kh_fixture_hook(f);
	char text[600];
	struct kh_context_add call = {
		.context = f->hosted_context, .event = KH_EVENT_TOOL_RESULT, .content = kh_view_of(text, sizeof(text))};

	memset(text, 'x', sizeof(text));
	add(f, f->host, call);
	assert_int_equal(kh_fixture_context_row(f, f->hosted_context)->put, 0);
	assert_int_equal(add(f, hook, call)->put, 600);
	assert_int_equal(kh_fixture_context_row(f, f->hosted_context)->put, 600);
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, hook, kh_context_add_run, &call));
	assert_code(t, "content_exceeded");
	assert_int_equal(kh_fixture_context_row(f, f->hosted_context)->put, 600);
	add(f, f->host, call);
}

static void test_bad_input(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_context_add call = {.context = f->hosted_context, .event = KH_EVENT_GOAL, .tool = KH_LIT("Read")};

	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->host, kh_context_add_run, &call));
	assert_code(t, "bad_value");
	call.event = KH_EVENT_FILE_READ;
	call.tool = KH_LIT("no.such name");
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->host, kh_context_add_run, &call));
	assert_code(t, "bad_name");
	call.tool = KH_LIT("");
	call.arguments = kh_fixture_json(f, KH_LIT("{}"));
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->host, kh_context_add_run, &call));
	assert_code(t, "missing");
	assert_int_equal(kh_fixture_context_row(f, f->hosted_context)->blocks, 0);
}

static struct kh_token_create hook_of(struct kh_view context)
{
	return (struct kh_token_create){
		.name = KH_LIT("a_hook"), .role = KH_ROLE_HOOK, .of = context, .secret = {1, 2, 3}};
}

/* A hook is made for one context, by the host of that context or by an admin; it is valid as long as its agent is. */
static void test_hook_tokens(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_token_create create = hook_of(KH_LIT(""));
	struct kh_context_add call = {.event = KH_EVENT_TOOL_RESULT, .content = KH_LIT("x")};

	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	assert_code(t, "missing");
	create = hook_of(f->context);
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->host, kh_token_create_run, &create));
	assert_code(t, "unknown_context");
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->controller, kh_token_create_run, &create));
	create.role = KH_ROLE_READER;
	must_fail(t, KH_EINPUT, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	assert_code(t, "bad_value");
	create = hook_of(f->context);
	must(t, kh_fixture_call(f, f->admin, kh_token_create_run, &create));
	assert_true(kh_view_eq(create.context, f->context));
	struct kh_view hook = kh_arena_dup(&f->arena, create.text), id = kh_arena_dup(&f->arena, create.id);
	call.context = f->context;
	must(t, kh_fixture_call(f, hook, kh_context_add_run, &call));

	/* Its end is not the end of the agent; the agent's end is its own. */
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_revoke revoke = {.id = id};
	must(t, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	assert_int_equal(kh_fixture_task_row(f, task)->state, KH_TASK_OPEN);
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, hook, kh_context_add_run, &call));
	hook = kh_fixture_hook(f);
	call.context = f->hosted_context;
	must(t, kh_fixture_call(f, hook, kh_context_add_run, &call));
	revoke.id = kh_fixture_token_id(f->hosted);
	must(t, kh_fixture_call(f, f->host, kh_revoke_run, &revoke));
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, hook, kh_context_add_run, &call));
	assert_code(t, "unauthorised");
}

/* A host that is gone has no hooks. */
static void test_hook_host_gone(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view hook = kh_fixture_hook(f);
	struct kh_context_add call = {
		.context = f->hosted_context, .event = KH_EVENT_TOOL_RESULT, .content = KH_LIT("x")};
	struct kh_revoke revoke = {.id = kh_fixture_token_id(f->host)};

	must(t, kh_fixture_call(f, hook, kh_context_add_run, &call));
	must(t, kh_fixture_call(f, f->admin, kh_revoke_run, &revoke));
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, hook, kh_context_add_run, &call));
	assert_code(t, "unauthorised");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_worlds),      KH_TEST(test_compared),       KH_TEST(test_own),       KH_TEST(test_assembled),
	KH_TEST(test_claimed),     KH_TEST(test_hook_adds),      KH_TEST(test_hook_room), KH_TEST(test_bad_input),
	KH_TEST(test_hook_tokens), KH_TEST(test_hook_host_gone),
};
KH_TEST_MAIN(cases)
