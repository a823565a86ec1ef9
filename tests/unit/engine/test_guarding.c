/* The attribution guard on what agents write (E10). */
#include "operating.h"

#include "engine/context/add.h"
#include "engine/context/assemble.h"
#include "engine/context/context.h"
#include "engine/context/guarding.h"
#include "engine/context/output.h"
#include "engine/deciding.h"

#define PAGE "The harbour of Port Lyndon handled forty thousand containers in September, said its director."

/* What is said of CONTENT, written by the controller's agent; through all three steps, or by the operation alone. */
static struct kh_view say(struct kh_fixture *f, const char *content, bool steps)
{
	struct kh_context_output output = {.context = f->context, .content = kh_view_str(content)};

	if (steps)
		must(f->t, kh_deciding_output(f->engine, kh_token_read(f->engine, f->host), &output, &f->t->arena,
					      &f->t->err));
	else
		must(f->t, kh_fixture_call(f, f->host, kh_context_output_run, &output));
	assert_true(output.id.n > 0);
	return output.unattributed;
}

/* A context of the host's own agent, which a page has influenced. */
static struct kh_fixture *open(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, KH_OPERATING_POLICY);

	f->context = f->hosted_context;
	f->controller = f->hosted;
	return f;
}

/* E10: what repeats a page without naming it is flagged, with the source that it would have to name. */
static void test_flagged(struct kh_test *t)
{
	for (int steps = 0; steps < 2; steps++) {
		struct kh_fixture *f = open(t);
		struct kh_view task = kh_fixture_task(f, f->controller);
		assert_view(say(f, "As everybody knows, Port Lyndon handled forty thousand containers.", steps != 0),
			    "[]");
		kh_operating_influence(f, task, PAGE);
		struct kh_view list = say(f, "As everybody knows, Port Lyndon handled forty thousand containers.",
					  steps != 0);
		yyjson_val *item = yyjson_arr_get_first(kh_fixture_json(f, list));
		assert_true(yyjson_is_obj(item));
		assert_true(kh_json_str(kh_json_get(item, "block")).n > 0);
		struct kh_view source = kh_json_str(kh_json_get(item, "source"));
		assert_true(source.n > 0);
		struct kh_view event = kh_fixture_event(f, KH_AUDIT_CONTEXT_BLOCK);
		assert_int_not_equal(kh_view_find(event, kh_json_str(kh_json_get(item, "block")), 0), SIZE_MAX);
		/* Named, or the agent's own words. */
		assert_view(say(f,
				kh_arena_printf(&f->arena, "%.*s says: Port Lyndon handled forty thousand containers.",
						KH_FMT(source))
					.p,
				steps != 0),
			    "[]");
		assert_view(say(f, "The port had a good month.", steps != 0), "[]");
	}
}

/* E10, K9: a sealed block that an earlier output named may be repeated by any later one. */
static void test_named_before(struct kh_test *t)
{
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_fixture_task(f, f->controller), block = kh_fixture_block(f, f->controller, task, PAGE);
	struct kh_context_output naming = {
		.context = f->context, .content = KH_LIT("I had a look."), .more = &block, .more_count = 1};

	must(t, kh_fixture_call(f, f->host, kh_context_output_run, &naming));
	struct kh_view list = say(f, "As everybody knows, Port Lyndon handled forty thousand containers.", true);
	assert_view(kh_json_str(kh_json_get(yyjson_arr_get_first(kh_fixture_json(f, list)), "block")),
		    kh_arena_printf(&f->arena, "%.*s", KH_FMT(block)).p);
}

/* The type of the last block of the context, as its host gets it back. */
static struct kh_view last_type(struct kh_fixture *f)
{
	struct kh_context_assemble assemble = {.context = f->context};

	must(f->t, kh_fixture_call(f, f->host, kh_context_assemble_run, &assemble));
	yyjson_val *root = kh_fixture_json(f, assemble.text);
	yyjson_val *blocks = yyjson_is_arr(root) ? root : kh_json_get(root, "blocks");
	return kh_json_str(kh_json_get(yyjson_arr_get_last(blocks), "type"));
}

/* K9: an output that repeats untrusted text is data, whether it names the source or not; any other is an instruction. */
static void test_copies_are_data(struct kh_test *t)
{
	for (int steps = 0; steps < 2; steps++) {
		struct kh_fixture *f = open(t);
		struct kh_view task = kh_fixture_task(f, f->controller);
		(void)say(f, "As everybody knows, Port Lyndon handled forty thousand containers.", steps != 0);
		assert_view(last_type(f), "instruction");
		kh_operating_influence(f, task, PAGE);
		struct kh_view list = say(f, "Port Lyndon handled forty thousand containers.", steps != 0);
		assert_view(last_type(f), "data");
		struct kh_view source = kh_json_str(
			kh_json_get(yyjson_arr_get_first(kh_fixture_json(f, list)), "source"));
		struct kh_view named = kh_arena_printf(
			&f->arena, "%.*s says: Port Lyndon handled forty thousand containers.", KH_FMT(source));
		assert_view(say(f, named.p, steps != 0), "[]");
		assert_view(last_type(f), "data");
		(void)say(f, "The port had a good month.", steps != 0);
		assert_view(last_type(f), "instruction");
	}
}

/* E10: what the user said first is no one else's. */
static void test_own(struct kh_test *t)
{
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_context_add add = {
		.context = f->context,
		.event = KH_EVENT_USER_MESSAGE,
		.content = KH_LIT("Did Port Lyndon handle forty thousand containers in September?")};

	must(t, kh_fixture_call(f, f->host, kh_context_add_run, &add));
	kh_operating_influence(f, task, PAGE);
	assert_view(say(f, "You asked about forty thousand containers in September.", true), "[]");
}

/* E10: what was given to the context while the output was compared is compared too. */
static void test_again(struct kh_test *t)
{
	struct kh_fixture *f = open(t);
	struct kh_context_output output = {.context = f->context,
					   .content = KH_LIT("It rains."),
					   .guarded = true,
					   .last_block = 12345678,
					   .unattributed = KH_LIT("[]")};

	must(t, kh_fixture_call(f, f->host, kh_context_output_run, &output));
	assert_true(output.again);
	assert_int_equal(output.id.n, 0);
}

/* E10: a result of a search is named by where it stands itself; another result's place is not its own. */
static void test_results_one_by_one(struct kh_test *t)
{
	static const char results[] = "{\"results\":[{\"title\":\"Port\",\"url\":\"https://news.example/lyndon\","
				      "\"snippet\":\"" PAGE "\",\"rank\":1},{\"title\":\"Fish\",\"url\":"
				      "\"https://other.example/fish\",\"snippet\":\"Herring is caught in winter.\","
				      "\"rank\":2}]}";
	struct kh_fixture *f = open(t);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_comm_call act;
	struct kh_comm_look found;
	struct kh_look look;

	kh_operating_execute(f, task);
	must(t, kh_operating_call(f, task,
				  "{\"operation\":\"comm.search\",\"query\":\"Port Lyndon\",\"scope\":\"internal\","
				  "\"reason\":\"the port is in no list of ours\"}",
				  KH_LIT(""), &act));
	struct kh_view id = kh_arena_dup(&f->arena, act.look.id);
	kh_operating_end(f, &act, KH_ERRAND_OK, results);
	must(t, kh_operating_look(f, id, &found));
	struct kh_view block = kh_arena_dup(&f->arena, found.block);
	kh_fixture_answer(f, "{\"fields\":{\"urgent\":true}}");
	must(t, kh_fixture_query(f, f->controller, task,
				 "\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"urgent\",\"type\":"
				 "\"boolean\"}]",
				 &look));
	yyjson_val *flags = kh_fixture_json(f, say(f, "Port Lyndon handled forty thousand containers.", false));
	assert_int_equal(yyjson_arr_size(flags), 1);
	assert_view(kh_json_str(kh_json_get(yyjson_arr_get_first(flags), "source")), "https://news.example/lyndon");
	assert_true(kh_view_eq(kh_json_str(kh_json_get(yyjson_arr_get_first(flags), "block")), block));
	assert_view(say(f, "By news.example, Port Lyndon handled forty thousand containers.", false), "[]");
	flags = kh_fixture_json(f, say(f, "By other.example, Port Lyndon handled forty thousand containers.", false));
	assert_int_equal(yyjson_arr_size(flags), 1);
}

/* K11: what may have influenced an agent is not for agents. */
static void test_roles(struct kh_test *t)
{
	struct kh_fixture *f = open(t);
	struct kh_guarding guarding = {.context = f->context};

	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->controller, kh_guarding_run, &guarding));
	assert_code(t, "forbidden");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_flagged), KH_TEST_ONCE(test_named_before),       KH_TEST_ONCE(test_copies_are_data),
	KH_TEST_ONCE(test_own),     KH_TEST_ONCE(test_results_one_by_one), KH_TEST(test_again),
	KH_TEST(test_roles)};
KH_TEST_MAIN(cases)
