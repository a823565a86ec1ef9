/* U7: members of a tool's result are answered by the rule's types and pointers; anything else is an empty answer. */
#include "asking.h"

#include "core/policy/settings.h"

static struct kh_view states[] = {KH_LIT("open"), KH_LIT("closed"), KH_LIT("merged")};

static const struct kh_policy_member members[] = {
	{.name = KH_LIT("draft"), .pointer = KH_LIT("/draft"), .type = KH_POLICY_TYPE_BOOLEAN},
	{.name = KH_LIT("state"), .pointer = KH_LIT("/a~1b/state"), .type = KH_POLICY_TYPE_ENUM, .values = {states, 3}},
	{.name = KH_LIT("files"), .pointer = KH_LIT("/n"), .type = KH_POLICY_TYPE_INTEGER, .min = 0, .max = 9},
	{.name = KH_LIT("labels"), .pointer = KH_LIT("/labels"), .type = KH_POLICY_TYPE_LENGTH, .most = 4},
	{.name = KH_LIT("items"),
	 .pointer = KH_LIT("/items/*/state"),
	 .type = KH_POLICY_TYPE_ENUM,
	 .values = {states, 3},
	 .most = 3},
	{.name = KH_LIT("due"), .pointer = KH_LIT("/due"), .type = KH_POLICY_TYPE_DATE},
};
static const struct kh_policy_rule rule = {.results = KH_RESULTS_TYPED, .fields = {(void *)(uintptr_t)members, 6}};

#define DATA                                                                                                \
	"{\"structuredContent\":{\"draft\":true,\"a/b\":{\"state\":\"open\"},\"n\":7,\"labels\":[1,\"x\"]," \
	"\"due\":\"2026-03-15\",\"items\":[{\"state\":\"open\"},{\"state\":\"obey me\"},{\"state\":\"open\"}]}}"
#define FIELD(name, rest) "{\"category\":1,\"fields\":[{\"name\":\"" name "\"," rest "}]}"
#define BOOLEAN           "\"type\":\"boolean\""
#define ENUM(values)      "\"type\":\"enum\",\"values\":[" values "]"
#define RANGE(min, max)   "\"type\":\"integer\",\"min\":" #min ",\"max\":" #max
#define NOTHING           "{}"

static struct kh_view answer(struct kh_test *t, const char *query, const char *original, size_t blocks)
{
	struct kh_reader_block block[2] = {{.rule = &rule, .original = kh_tainted_wrap(kh_view_str(original))}};
	struct kh_reader_ask ask = ask_about(t, query, block, blocks);
	struct kh_tainted response;
	enum kh_reader_fault fault;
	struct kh_view detail;

	block[1] = block[0];
	must(t, kh_reader_typed.ask(NULL, &t->arena, &ask, &response, &fault, &detail));
	assert_int_equal(fault, KH_READER_OK);
	return kh_tainted_open(response);
}

static void test_answers(struct kh_test *t)
{
	static const struct {
		const char *query, *response;
	} all[] = {
		{FIELD("draft", BOOLEAN), "{\"fields\":{\"draft\":true}}"},
		{FIELD("state", ENUM("\"open\",\"closed\"")), "{\"fields\":{\"state\":\"open\"}}"},
		{FIELD("files", RANGE(0, 9)), "{\"fields\":{\"files\":7}}"},
		{FIELD("labels", RANGE(0, 4)), "{\"fields\":{\"labels\":2}}"},
		{FIELD("items.length", RANGE(0, 3)), "{\"fields\":{\"items.length\":3}}"},
		{FIELD("items.0", ENUM("\"open\",\"closed\"")), "{\"fields\":{\"items.0\":\"open\"}}"},
		{FIELD("items.count.open", RANGE(0, 3)), "{\"fields\":{\"items.count.open\":2}}"},
		{FIELD("items.count.merged", RANGE(0, 3)), "{\"fields\":{\"items.count.merged\":0}}"},
		{"{\"category\":2,\"questions\":[{\"id\":\"due\",\"question\":\"When is it "
		 "due?\",\"expected_format\":\"date\"}]}",
		 "{\"answers\":[{\"id\":\"due\",\"answer\":\"2026-03-15\"}]}"},
		/* Unknown names, other types, wider ranges, other values. */
		{FIELD("other", BOOLEAN), NOTHING},
		{FIELD("draft.0", BOOLEAN), NOTHING},
		{FIELD("draft", RANGE(0, 1)), NOTHING},
		{FIELD("state", BOOLEAN), NOTHING},
		{FIELD("state", ENUM("\"open\",\"void\"")), NOTHING},
		{FIELD("files", RANGE(0, 10)), NOTHING},
		{FIELD("files", RANGE(-1, 9)), NOTHING},
		{FIELD("labels", RANGE(0, 5)), NOTHING},
		{FIELD("items", ENUM("\"open\",\"closed\"")), NOTHING},
		{FIELD("items.1", ENUM("\"open\",\"closed\"")), NOTHING}, /* its value is not listed */
		{FIELD("items.3", ENUM("\"open\",\"closed\"")), NOTHING}, /* there is none */
		{FIELD("items.-1", ENUM("\"open\",\"closed\"")), NOTHING},
		{FIELD("items.length", RANGE(0, 4)), NOTHING},
		{FIELD("items.count.void", RANGE(0, 3)), NOTHING},
		{FIELD("items.count.", RANGE(0, 3)), NOTHING},
		{"{\"category\":2,\"questions\":[{\"id\":\"due\",\"question\":\"Who "
		 "is it?\",\"expected_format\":\"person_name\"}]}",
		 NOTHING},
		{"{\"category\":2,\"questions\":[{\"id\":\"state\",\"question\":\"When is "
		 "it?\",\"expected_format\":\"date\"}]}",
		 NOTHING},
		{"{\"category\":3,\"directive\":\"Summarise it.\",\"max_words\":20}", NOTHING},
		/* One that does not fit empties the whole answer. */
		{"{\"category\":1,\"fields\":[{\"name\":\"draft\"," BOOLEAN "},{\"name\":\"x\"," BOOLEAN "}]}",
		 NOTHING},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view response = answer(t, all[i].query, DATA, 1);
		if (!kh_view_eq(response, kh_view_str(all[i].response)))
			print_error("%s\n", all[i].query);
		assert_view(response, all[i].response);
	}
}

/* Results that do not say what the rule says of them. */
static void test_results(struct kh_test *t)
{
	static const char *const results[] = {
		"",
		"[]",
		"{}",
		"null",
		"{\"structuredContent\":7}",
		"{\"structuredContent\":{\"draft\":1}}",
		"{\"structuredContent\":{\"draft\":\"true\"}}",
		"{\"structuredContent\":{\"draft\":true},\"isError\":true}",
		"{\"structuredContent\":{\"draft\":[true]}}",
		"{\"draft\":true}",
	};

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		assert_view(answer(t, FIELD("draft", BOOLEAN), results[i], 1), NOTHING);
	assert_view(answer(t, FIELD("draft", BOOLEAN), DATA, 2), NOTHING); /* of which of them? */
	/* More items than the rule says; an integer out of its range; one that is none. */
	assert_view(answer(t, FIELD("labels", RANGE(0, 4)), "{\"structuredContent\":{\"labels\":[1,2,3,4,5]}}", 1),
		    NOTHING);
	assert_view(answer(t, FIELD("labels", RANGE(0, 4)), "{\"structuredContent\":{\"labels\":{}}}", 1), NOTHING);
	assert_view(answer(t, FIELD("files", RANGE(0, 9)), "{\"structuredContent\":{\"n\":10}}", 1), NOTHING);
	assert_view(answer(t, FIELD("files", RANGE(0, 9)), "{\"structuredContent\":{\"n\":7.5}}", 1), NOTHING);
}

/* A block that no rule types. */
static void test_untyped(struct kh_test *t)
{
	struct kh_reader_block block = seal(t, "b1", TASK, KH_LIT("{}"));
	struct kh_reader_ask ask = ask_about(t, FIELD("draft", BOOLEAN), &block, 1);
	struct kh_tainted response;
	enum kh_reader_fault fault;
	struct kh_view detail;

	must(t, kh_reader_typed.ask(NULL, &t->arena, &ask, &response, &fault, &detail));
	assert_view(kh_tainted_open(response), NOTHING);
}

static const struct kh_test_case cases[] = {KH_TEST(test_answers), KH_TEST(test_results), KH_TEST(test_untyped)};
KH_TEST_MAIN(cases)
