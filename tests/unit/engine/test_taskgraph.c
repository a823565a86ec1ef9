/* The taint graph of a task (K5): which blocks it has, and who may see what of them. */
#include "operating.h"

#include "engine/context/add.h"
#include "engine/context/context.h"
#include "engine/context/put.h"
#include "engine/context/taskgraph.h"

/* A context of the host's own agent, with a task. */
static struct kh_fixture *open(struct kh_test *t, struct kh_view *ret_task)
{
	struct kh_fixture *f = kh_fixture_open(t, KH_OPERATING_POLICY);

	f->context = f->hosted_context;
	f->controller = f->hosted;
	*ret_task = kh_operating_task(f);
	return f;
}

static void put(struct kh_fixture *f, struct kh_view token, struct kh_view task, const char *source)
{
	struct kh_put put = {
		.task = task, .source = kh_view_str(source), .content = kh_tainted_wrap(KH_LIT("the secret text"))};

	must(f->t, kh_fixture_call(f, token, kh_put_run, &put));
}

/* The graph as JSON. */
static yyjson_val *graph_of(struct kh_fixture *f, struct kh_view token, struct kh_view task)
{
	struct kh_taskgraph call = {.task = task};
	struct kh_view text;

	must(f->t, kh_fixture_call(f, token, kh_taskgraph_run, &call));
	must(f->t, kh_graph_write(&call.blocks, &f->t->arena, KH_GRAPH_JSON, &text, &f->t->err));
	assert_int_equal(kh_view_find(text, KH_LIT("secret"), 0), SIZE_MAX);
	return kh_fixture_json(f, text);
}

static size_t count(yyjson_val *graph, const char *list)
{
	return yyjson_arr_size(kh_json_get(graph, list));
}

/* K5: the task's blocks, the outputs that they have influenced, and whatever else influenced these. */
static void test_blocks(struct kh_test *t)
{
	struct kh_view task;
	struct kh_fixture *f = open(t, &task);
	struct kh_context_add add = {
		.context = f->context, .event = KH_EVENT_USER_MESSAGE, .content = KH_LIT("Go on, please")};

	assert_int_equal(count(graph_of(f, f->reviewer, task), "nodes"), 0);
	must(t, kh_fixture_call(f, f->host, kh_context_add_run, &add));
	kh_fixture_block(f, f->controller, task, "a secret that nobody asks about");
	kh_operating_output(f, "It rains.", NULL, 0);
	/* One sealed block has influenced nothing, and nothing has influenced it. */
	assert_int_equal(count(graph_of(f, f->reviewer, task), "nodes"), 1);
	kh_operating_influence(f, task, "a secret page");
	yyjson_val *graph = graph_of(f, f->reviewer, task);
	assert_int_equal(count(graph, "nodes"), 3);
	assert_int_equal(count(graph, "edges"), 1);
	/* From now on outputs are tainted by the delivery, by the first output, and by the user's message. */
	kh_operating_output(f, "It still rains.", NULL, 0);
	graph = graph_of(f, f->reviewer, task);
	assert_int_equal(count(graph, "nodes"), 6);
	assert_int_equal(count(graph, "edges"), 5);
	kh_operating_output(f, "And rains.", NULL, 0);
	graph = graph_of(f, f->reviewer, task);
	assert_int_equal(count(graph, "nodes"), 7);
	assert_int_equal(count(graph, "edges"), 9);
	/* Another task's graph has what is its own. */
	struct kh_view other = kh_operating_task(f);
	put(f, f->controller, other, "elsewhere");
	assert_int_equal(count(graph_of(f, f->reviewer, other), "nodes"), 1);
	assert_int_equal(count(graph_of(f, f->reviewer, task), "nodes"), 7);
}

/* K5, K9: a sealed block that an output names is an influence on it. */
static void test_named(struct kh_test *t)
{
	struct kh_view task;
	struct kh_fixture *f = open(t, &task);
	struct kh_view block = kh_fixture_block(f, f->controller, task, "a secret page");

	kh_operating_output(f, "I had a look.", &block, 1);
	yyjson_val *edge = yyjson_arr_get_first(kh_json_get(graph_of(f, f->host, task), "edges"));
	assert_true(kh_view_eq(kh_json_str(kh_json_get(edge, "from")), block));
}

/* The sources of the graph's nodes, one a line. */
static const char *sources(struct kh_fixture *f, struct kh_view token, struct kh_view task)
{
	yyjson_val *node;
	size_t i, max;
	struct kh_view text = KH_LIT("");

	yyjson_arr_foreach (kh_json_get(graph_of(f, token, task), "nodes"), i, max, node)
		text = kh_arena_printf(&f->arena, "%.*s%.*s\n", KH_FMT(text),
				       KH_FMT(kh_json_str(kh_json_get(node, "source"))));
	return text.p;
}

/* E12: where a block came from is told to humans, and to the host that said so itself; B8: a controller gets nothing. */
static void test_who(struct kh_test *t)
{
	struct kh_view task;
	struct kh_fixture *f = open(t, &task);
	struct kh_taskgraph call = {.task = task};

	put(f, f->controller, task, "https://example.com/a");
	put(f, f->host, task, "https://example.com/b");
	assert_string_equal(sources(f, f->reviewer, task), "https://example.com/a\nhttps://example.com/b\n");
	assert_string_equal(sources(f, f->admin, task), "https://example.com/a\nhttps://example.com/b\n");
	assert_string_equal(sources(f, f->host, task), "\nhttps://example.com/b\n");
	const struct kh_view no[] = {f->controller, f->reader, f->supervisor};
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		must_fail(t, KH_EREFUSED, kh_fixture_call(f, no[i], kh_taskgraph_run, &call));
		assert_code(t, "forbidden");
	}
	/* A task of another's context is not there for a host. */
	call.task = kh_fixture_task(f, kh_fixture_token(f, KH_ROLE_CONTROLLER, "other", NULL));
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->host, kh_taskgraph_run, &call));
	assert_code(t, "unknown_task");
}

/* More than can be drawn is refused, and not cut. */
static void test_too_many(struct kh_test *t)
{
	struct kh_view task;
	struct kh_fixture *f = open(t, &task);
	struct kh_taskgraph call = {.task = task};

	for (size_t i = 0; i < KH_TASKGRAPH_BLOCKS; i++) {
		kh_arena_clear(&t->arena);
		put(f, f->controller, task, "a page");
	}
	must(t, kh_fixture_call(f, f->reviewer, kh_taskgraph_run, &call));
	assert_int_equal(call.blocks.n, KH_TASKGRAPH_BLOCKS);
	put(f, f->controller, task, "a page too many");
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->reviewer, kh_taskgraph_run, &call));
	assert_code(t, "too_many_blocks");
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_blocks), KH_TEST(test_named), KH_TEST_ONCE(test_who),
					    KH_TEST_ONCE(test_too_many)};
KH_TEST_MAIN(cases)
