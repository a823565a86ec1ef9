#include "talk.h"

#include "../engine/approving.h"
#include "engine/task/transition.h"

#define SECOND INT64_C(1000000)
#define FORM   "{\"elicitation\":{}}"
#define URL    "{\"elicitation\":{\"form\":{},\"url\":{}}}"

/* A query whose escalation a human decides (B20), over content that nobody may see. */
static const char *summary_of(struct kh_talk *talk)
{
	struct kh_view task = kh_fixture_task(talk->f, talk->f->controller);

	kh_fixture_block(talk->f, talk->f->controller, task, "The CANARY meets on Monday.");
	return kh_arena_printf(
		       &talk->f->arena,
		       "{\"task\":\"%.*s\",\"category\":3,\"target\":\"scripted\",\"directive\":\"Summarise the "
		       "mail.\",\"max_words\":20,\"justification\":\"The user has asked for a summary of it.\"}",
		       KH_FMT(task))
		.p;
}

static void no_canary(const struct kh_talk *talk)
{
	for (size_t i = 0; i < talk->count; i++)
		assert_true(kh_view_find(talk->messages[i].text, KH_LIT("CANARY"), 0) == SIZE_MAX);
}

/* A4: a client that can show something is told the approval's id and the command, once, and no content. */
static void test_told(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND / 2, KH_LIT(""));

	kh_talk_begin(talk, talk->peer, "2025-06-18", FORM);
	uintptr_t x = kh_talk_send(talk, talk->peer, kh_talk_tool(talk, 1, "BCPQuery", summary_of(talk), ""));
	yyjson_val *answer = kh_fixture_json(talk->f, kh_talk_last(talk, x)->text);
	struct kh_view id = kh_talk_text(answer, "result.structuredContent.approval");
	yyjson_val *log = kh_fixture_json(talk->f, kh_talk_nth(talk, x, 0)->text);
	yyjson_val *asked = kh_fixture_json(talk->f, kh_talk_nth(talk, x, 1)->text);
	yyjson_val *withdrawn = kh_fixture_json(talk->f, kh_talk_nth(talk, x, 2)->text);

	assert_view(kh_talk_text(answer, "result.structuredContent.outcome"), "pending");
	assert_view(kh_talk_text(log, "method"), "notifications/message");
	assert_view(kh_talk_text(asked, "method"), "elicitation/create");
	assert_true(id.n > 0 && kh_view_find(kh_talk_text(asked, "params.message"), id, 0) != SIZE_MAX);
	assert_true(kh_view_find(kh_talk_text(asked, "params.message"), KH_LIT("keyhole approvals show a"), 0) !=
		    SIZE_MAX);
	assert_int_equal(yyjson_obj_size(kh_talk_at(asked, "params.requestedSchema.properties")), 0);
	/* Nobody waits for it any more when the call has ended. */
	assert_view(kh_talk_text(withdrawn, "method"), "notifications/cancelled");
	assert_int_equal(yyjson_get_int(kh_talk_at(withdrawn, "params.requestId")),
			 yyjson_get_int(kh_talk_at(asked, "id")));
	assert_int_equal(kh_talk_count(talk, x), 4);
	no_canary(talk);
	kh_talk_close(talk);
}

/* A4: who cannot be shown anything is not asked; a version without elicitation has none, whatever a client says. */
static void test_not_told(struct kh_test *t)
{
	static const struct {
		const char *version, *can;
	} all[] = {{"2025-11-25", "{}"}, {"2025-03-26", FORM}, {"2025-11-25", "{\"elicitation\":{\"url\":{}}}"}};
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND / 4, KH_LIT(""));

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_mcp_peer *peer = kh_talk_peer(talk, talk->f->controller);
		kh_talk_begin(talk, peer, all[i].version, all[i].can);
		uintptr_t x = kh_talk_send(talk, peer, kh_talk_tool(talk, 1, "BCPQuery", summary_of(talk), ""));
		kh_talk_last(talk, x);
		assert_int_equal(kh_talk_count(talk, x), 2); /* the log message, which nobody has turned off */
		kh_mcp_peer_drop(peer);
	}
	kh_talk_close(talk);
}

/* A4: with a place for people, a client that can open links gets the link, and others its text. */
static void test_link(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND / 4, KH_LIT("https://keyhole.example/"));

	kh_talk_begin(talk, talk->peer, "2025-11-25", URL);
	uintptr_t x = kh_talk_send(talk, talk->peer, kh_talk_tool(talk, 1, "BCPQuery", summary_of(talk), ""));
	yyjson_val *asked = kh_fixture_json(talk->f, kh_talk_nth(talk, x, 1)->text);
	assert_view(kh_talk_text(asked, "params.mode"), "url");
	assert_true(kh_view_starts(kh_talk_text(asked, "params.url"), KH_LIT("https://keyhole.example/#/approvals/a")));
	assert_true(kh_talk_text(asked, "params.elicitationId").n > 0);
	kh_talk_last(talk, x);
	kh_talk_close(talk);
}

/* A4, A5: what the client answers decides nothing and ends nothing; a human's decision does. */
static void test_decides_nothing(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, 60 * SECOND, KH_LIT(""));

	kh_talk_begin(talk, talk->peer, "2025-06-18", FORM);
	uintptr_t x = kh_talk_send(talk, talk->peer, kh_talk_tool(talk, 1, "BCPQuery", summary_of(talk), ""));
	yyjson_val *asked = kh_fixture_json(talk->f, kh_talk_nth(talk, x, 1)->text);
	struct kh_view message = kh_talk_text(asked, "params.message");
	size_t at = kh_view_find(message, KH_LIT("approval a"), 0) + strlen("approval ");
	struct kh_view id = kh_view_sub(message, at, at + 17);

	assert_null(kh_talk_ask(talk, talk->peer,
				kh_arena_printf(&talk->f->arena,
						"{\"jsonrpc\":\"2.0\",\"id\":%lld,\"result\":{\"action\":\"accept\","
						"\"content\":{\"approve\":true}}}",
						(long long)yyjson_get_sint(kh_talk_at(asked, "id")))
					.p));
	/* It goes on waiting: the approval is as it was. */
	assert_int_equal(kh_approving_row(talk->f, id)->state, KH_APPROVAL_PENDING);
	assert_int_equal(kh_talk_count(talk, x), 2);
	must(t, kh_approving_decide(talk->f, talk->f->reviewer, id, KH_CHOICE_REJECT, NULL));
	yyjson_val *answer = kh_fixture_json(talk->f, kh_talk_last(talk, x)->text);
	assert_view(kh_talk_text(answer, "result.structuredContent.outcome"), "rejected");
	kh_talk_close(talk);
}

/* --- 2026-07-28 --------------------------------------------------------------------------------------------------- */

static const char *modern_query(struct kh_talk *talk, const char *query, const char *extra)
{
	return kh_talk_modern(
		talk, 1, "tools/call",
		kh_arena_printf(&talk->f->arena, "\"name\":\"BCPQuery\",\"arguments\":%s%s", query, extra).p, FORM);
}

static const char *with_state(struct kh_talk *talk, struct kh_view state)
{
	return kh_arena_printf(&talk->f->arena,
			       ",\"requestState\":\"%.*s\",\"inputResponses\":{\"approval\":{\"action\":\"accept\"}}",
			       KH_FMT(state))
		.p;
}

static struct kh_view pending(struct kh_talk *talk, const char *query)
{
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, modern_query(talk, query, ""));

	assert_view(kh_talk_text(answer, "result.resultType"), "input_required");
	assert_view(kh_talk_text(answer, "result.inputRequests.approval.method"), "elicitation/create");
	assert_null(kh_talk_at(answer, "result.inputRequests.approval.id"));
	assert_null(kh_talk_at(answer, "result.content"));
	return kh_talk_text(answer, "result.requestState");
}

/* A4, A5: the call made again goes on waiting for the same query, and admits no second one. */
static void test_again(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND / 2, KH_LIT(""));
	const char *query = summary_of(talk);
	struct kh_view state = pending(talk, query);
	struct kh_view admitted = kh_fixture_event(talk->f, KH_AUDIT_QUERY_ADMITTED);
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, modern_query(talk, query, with_state(talk, state)));

	assert_view(kh_talk_text(answer, "result.resultType"), "complete");
	assert_view(kh_talk_text(answer, "result.structuredContent.outcome"), "pending");
	assert_true(kh_view_eq(kh_fixture_event(talk->f, KH_AUDIT_QUERY_ADMITTED), admitted));
	no_canary(talk);
	kh_talk_close(talk);
}

/* A state that was changed, comes twice, of another token, call or argument, is refused, and nothing is admitted (A4).
 */
static void test_bad_states(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND / 4, KH_LIT(""));
	const char *query = summary_of(talk), *other = summary_of(talk);
	struct kh_view state = pending(talk, query);
	struct kh_view admitted = kh_fixture_event(talk->f, KH_AUDIT_QUERY_ADMITTED);
	struct kh_mcp_peer *hosted = kh_talk_peer(talk, talk->f->hosted);
	char *changed = kh_arena_alloc(&talk->f->arena, state.n);
	const struct {
		struct kh_mcp_peer *peer;
		const char *message;
	} bad[] = {
		{talk->peer, modern_query(talk, query, ",\"requestState\":\"\"")},
		{talk->peer, modern_query(talk, query, ",\"requestState\":7")},
		{talk->peer, modern_query(talk, query, ",\"inputResponses\":[]")},
		{talk->peer, modern_query(talk, query, ",\"requestState\":\"AAAA\"")},
		{talk->peer, modern_query(talk, other, with_state(talk, state))},
		{hosted, modern_query(talk, query, with_state(talk, state))},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(kh_talk_code(kh_talk_ask(talk, bad[i].peer, bad[i].message)), -32602);
	for (size_t i = 0; i < state.n; i += 5) {
		memcpy(changed, state.p, state.n);
		changed[i] = changed[i] == 'A' ? 'B' : 'A';
		const char *message = modern_query(talk, query, with_state(talk, kh_view_of(changed, state.n)));
		assert_int_equal(kh_talk_code(kh_talk_ask(talk, talk->peer, message)), -32602);
	}
	const char *again = modern_query(talk, query, with_state(talk, state));
	assert_view(kh_talk_text(kh_talk_ask(talk, talk->peer, again), "result.structuredContent.outcome"), "pending");
	yyjson_val *replayed = kh_talk_ask(talk, talk->peer, again);
	assert_int_equal(kh_talk_code(replayed), -32602);
	assert_view(kh_talk_text(replayed, "error.data.code"), "bad_state");
	assert_true(kh_view_eq(kh_fixture_event(talk->f, KH_AUDIT_QUERY_ADMITTED), admitted));
	kh_mcp_peer_drop(hosted);
	kh_talk_close(talk);
}

/* A4: a state is good for a while, not for ever. */
static void test_old_state(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, NULL, SECOND / 4, KH_LIT(""));
	const char *query = summary_of(talk);
	struct kh_view state = pending(talk, query);

	kh_fixture_pass(talk->f, 901 * SECOND);
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, modern_query(talk, query, with_state(talk, state)));
	assert_view(kh_talk_text(answer, "error.data.code"), "bad_state");
	kh_talk_close(talk);
}

/* --- external operations ------------------------------------------------------------------------------------------ */

#define POLICY                                           \
	"policy:\n  release: immediate\n  operations:\n" \
	"    - {name: comm.read, paths: [/srv], risk: moderate, approval: ask, rate: 1000/minute}\n"

/* A read that a human decides. */
static const char *read_of(struct kh_talk *talk)
{
	struct kh_view task = kh_fixture_task(talk->f, talk->f->controller);
	struct kh_execute execute = {
		.task = task,
		.plan = kh_fixture_json(talk->f, KH_LIT("{\"plan\":\"Read the agenda and say when the meeting is.\","
							"\"required_operations\":[\"comm.read\"]}")),
	};

	if (kh_fixture_call(talk->f, talk->f->controller, kh_transition_run, &execute) != KH_OK)
		fail_msg("no execution phase");
	return kh_arena_printf(&talk->f->arena,
			       "{\"task\":\"%.*s\",\"path\":\"/srv/agenda.txt\",\"reason\":\"The user asked when the "
			       "meeting on this agenda is.\"}",
			       KH_FMT(task))
		.p;
}

/* A4: as of a query, the client is told the approval's id and no content. */
static void test_operation_told(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, POLICY, SECOND / 2, KH_LIT(""));

	kh_talk_begin(talk, talk->peer, "2025-11-25", FORM);
	uintptr_t x = kh_talk_send(talk, talk->peer, kh_talk_tool(talk, 1, "comm_read", read_of(talk), ""));
	yyjson_val *answer = kh_fixture_json(talk->f, kh_talk_last(talk, x)->text);
	struct kh_view id = kh_talk_text(answer, "result.structuredContent.approval");
	yyjson_val *asked = kh_fixture_json(talk->f, kh_talk_nth(talk, x, 1)->text);

	assert_view(kh_talk_text(answer, "result.structuredContent.outcome"), "pending");
	assert_view(kh_talk_text(asked, "method"), "elicitation/create");
	assert_true(id.n > 0 && kh_view_find(kh_talk_text(asked, "params.message"), id, 0) != SIZE_MAX);
	assert_true(kh_view_find(kh_talk_text(asked, "params.message"), KH_LIT("agenda"), 0) == SIZE_MAX);
	kh_talk_close(talk);
}

/* A4, A5: in 2026-07-28 the call made again goes on with the same declaration, and makes no second one. */
static void test_operation_again(struct kh_test *t)
{
	struct kh_talk *talk = kh_talk_open(t, POLICY, SECOND / 2, KH_LIT(""));
	const char *args = kh_arena_printf(&talk->f->arena, "\"name\":\"comm_read\",\"arguments\":%s", read_of(talk)).p;
	yyjson_val *answer = kh_talk_ask(talk, talk->peer, kh_talk_modern(talk, 1, "tools/call", args, FORM));
	struct kh_view state = kh_talk_text(answer, "result.requestState");
	struct kh_view made = kh_fixture_event(talk->f, KH_AUDIT_DECLARED);

	assert_view(kh_talk_text(answer, "result.resultType"), "input_required");
	args = kh_arena_printf(&talk->f->arena, "%s%s", args, with_state(talk, state)).p;
	answer = kh_talk_ask(talk, talk->peer, kh_talk_modern(talk, 2, "tools/call", args, FORM));
	assert_view(kh_talk_text(answer, "result.resultType"), "complete");
	assert_view(kh_talk_text(answer, "result.structuredContent.outcome"), "pending");
	assert_true(made.n > 0 && kh_view_eq(kh_fixture_event(talk->f, KH_AUDIT_DECLARED), made));
	kh_talk_close(talk);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_told),
	KH_TEST_ONCE(test_not_told),
	KH_TEST_ONCE(test_link),
	KH_TEST_ONCE(test_decides_nothing),
	KH_TEST_ONCE(test_again),
	KH_TEST_ONCE(test_bad_states),
	KH_TEST_ONCE(test_old_state),
	KH_TEST_ONCE(test_operation_told),
	KH_TEST_ONCE(test_operation_again),
};
KH_TEST_MAIN(cases)
