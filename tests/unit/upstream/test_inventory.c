/* U4: lists of tools, page by page; one that is not well-formed is refused whole. */
#include "harness.h"
#include "upstream/inventory.h"

#include <stdio.h>

#define PAGE(text)    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[" text "]}}"
#define TOOL(name)    "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"
#define NEXT(cursor)  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[],\"nextCursor\":" cursor "}}"
#define NOTHING_WRONG ""

static struct kh_view read_page(struct kh_test *t, struct kh_inventory_reading *reading, const char *text)
{
	struct kh_view cursor = KH_LIT("old");

	must(t, kh_inventory_read(reading, kh_tainted_wrap(kh_view_str(text)), &cursor));
	return cursor;
}

/* The inventory of one page, with what is wrong in it. */
static struct kh_inventory_reading read_all(struct kh_test *t, const char *page, const char *instructions)
{
	struct kh_inventory_reading reading = {.arena = &t->arena};

	(void)read_page(t, &reading, page);
	kh_inventory_finish(&reading, kh_tainted_wrap(kh_view_str(instructions)));
	must(t, kh_arena_check(&t->arena));
	return reading;
}

static void test_pages(struct kh_test *t)
{
	struct kh_inventory_reading reading = {.arena = &t->arena};

	assert_null(read_page(t, &reading, PAGE(TOOL("c") "," TOOL("a"))).p);
	assert_view(read_page(t, &reading, NEXT("\"x y\"")), "x y");
	struct kh_view cursor = read_page(t, &reading, NEXT("\"\""));
	assert_true(cursor.p != NULL && cursor.n == 0); /* an empty one is one */
	assert_null(read_page(t, &reading, NEXT("null")).p);
	assert_null(read_page(t, &reading, PAGE(TOOL("b"))).p);
	kh_inventory_finish(&reading, kh_tainted_wrap(KH_LIT("")));
	must(t, kh_arena_check(&t->arena));
	assert_null(reading.wrong.p);
	assert_int_equal(reading.inventory.count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct kh_inventory_tool *tool = &reading.inventory.tools[i];
		struct kh_view name = kh_tainted_open(tool->name);
		assert_true(name.n == 1 && name.p[0] == (char)('a' + (int)i));
		assert_ptr_equal(kh_inventory_find(&reading.inventory, name), tool);
		struct kh_digest digest = kh_canonical_digest(kh_tainted_open(tool->text));
		assert_memory_equal(&digest, &tool->digest, sizeof(digest));
	}
	assert_null(kh_inventory_find(&reading.inventory, KH_LIT("d")));
	assert_null(kh_inventory_find(&reading.inventory, KH_LIT("")));
	struct kh_inventory none = {.count = 0};
	assert_null(kh_inventory_find(&none, KH_LIT("a")));
}

static void test_wrong(struct kh_test *t)
{
	static const struct {
		const char *page, *why;
	} pages[] = {
		{PAGE(""), NOTHING_WRONG},
		{PAGE(TOOL("a") "," TOOL("b") "," TOOL("a")), "two tools of the name \"a\""},
		{PAGE("{\"name\":\"a\"}"), "\"a\" has no inputSchema"},
		{PAGE("{\"name\":\"a\",\"inputSchema\":[]}"), "\"a\" has no inputSchema"},
		{PAGE("{\"name\":\"a\\u001b[1m\",\"inputSchema\":true}"), "has no inputSchema"},
		{PAGE(TOOL("a") ",{\"inputSchema\":{}}"), "tool 2 of its list has no name"},
		{PAGE(TOOL("")), "tool 1 of its list has no name"},
		{PAGE("{\"name\":7,\"inputSchema\":{}}"), "has no name"},
		{PAGE("null"), "has no name"},
		{PAGE("[]"), "has no name"},
		{PAGE("{\"name\":\"a\",\"inputSchema\":{},\"x\":9007199254740993}"), "cannot be kept exactly"},
		{NEXT("5"), "no text"},
		{NEXT("{}"), "no text"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":{}}}", "no array"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "no array"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}", "no array"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}", "with an error"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":", "no message of MCP"},
		{"", "no message of MCP"},
	};

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		struct kh_inventory_reading reading = read_all(t, pages[i].page, "");
		const char *wrong = reading.wrong.p != NULL ? reading.wrong.p : NOTHING_WRONG;
		if ((*wrong == '\0') != (*pages[i].why == '\0') || strstr(wrong, pages[i].why) == NULL)
			fail_msg("\"%s\": %s", wrong, pages[i].page);
		assert_null(strchr(wrong, '\x1b'));
	}
}

/* Every bound, at the most that is taken and at one more. */
static void test_bounds(struct kh_test *t)
{
	static char page[KH_INVENTORY_READ + 4096];
	struct kh_inventory_reading reading = {.arena = &t->arena};

	for (int i = 0; i <= KH_INVENTORY_TOOLS; i++) {
		assert_null(reading.wrong.p);
		snprintf(page, sizeof(page), PAGE(TOOL("t%d")), i);
		(void)read_page(t, &reading, page);
	}
	assert_non_null(strstr(reading.wrong.p, "more than 512 tools"));
	assert_int_equal(reading.inventory.count, KH_INVENTORY_TOOLS);
	for (int more = 0; more < 2; more++) {
		snprintf(page, sizeof(page), PAGE(TOOL("%0*d")), KH_INVENTORY_NAME + more, 0);
		assert_true((read_all(t, page, "").wrong.p != NULL) == (more == 1));
		int beside = (int)strlen("{\"description\":\"\",\"inputSchema\":{},\"name\":\"a\"}");
		snprintf(page, sizeof(page), PAGE("{\"name\":\"a\",\"inputSchema\":{},\"description\":\"%0*d\"}"),
			 (int)KH_INVENTORY_TOOL - beside + more, 0);
		assert_true((read_all(t, page, "").wrong.p != NULL) == (more == 1));
	}
}

/* All tools together, and what stands beside them. */
static void test_sums(struct kh_test *t)
{
	static char page[KH_INVENTORY_READ];
	struct kh_inventory_reading tools = {.arena = &t->arena}, beside = {.arena = &t->arena};
	size_t pages = 0;

	for (int i = 0; tools.wrong.p == NULL; i++) {
		snprintf(page, sizeof(page), PAGE("{\"name\":\"t%d\",\"inputSchema\":{},\"x\":\"%0*d\"}"), i, 250000,
			 0);
		(void)read_page(t, &tools, page);
	}
	assert_int_equal(tools.inventory.count, KH_INVENTORY_BYTES / 250000);
	assert_non_null(strstr(tools.wrong.p, "too large"));
	snprintf(page, sizeof(page), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[],\"x\":\"%0*d\"}}",
		 (int)KH_INVENTORY_READ / 4, 0);
	for (; beside.wrong.p == NULL; pages++)
		(void)read_page(t, &beside, page);
	assert_int_equal(pages, 4);
	assert_non_null(strstr(beside.wrong.p, "too large"));
}

static bool is_same(const struct kh_digest *a, const struct kh_digest *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static void test_digest(struct kh_test *t)
{
	struct kh_inventory_reading one = read_all(t, PAGE(TOOL("a") "," TOOL("b")), "Be good.");
	struct kh_inventory_reading order = read_all(
		t, PAGE(TOOL("b") ",{\"inputSchema\":{\"type\":\"object\"},\"name\":\"a\"}"), "Be good.");
	struct kh_inventory_reading words = read_all(t, PAGE(TOOL("a") "," TOOL("b")), "Be good");
	struct kh_inventory_reading fewer = read_all(t, PAGE(TOOL("a")), "Be good.");
	struct kh_inventory_reading more = read_all(
		t, PAGE(TOOL("b") ",{\"inputSchema\":{\"type\":\"object\"},\"name\":\"a\",\"_meta\":{}}"), "Be good.");

	assert_true(is_same(&one.inventory.digest, &order.inventory.digest));
	assert_false(is_same(&one.inventory.digest, &words.inventory.digest));
	assert_false(is_same(&one.inventory.digest, &fewer.inventory.digest));
	assert_false(is_same(&one.inventory.digest, &more.inventory.digest));
	assert_true(is_same(&one.inventory.tools[0].digest, &fewer.inventory.tools[0].digest));
	assert_true(is_same(&one.inventory.tools[1].digest, &more.inventory.tools[1].digest));
	assert_false(is_same(&one.inventory.tools[0].digest, &more.inventory.tools[0].digest));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_pages),     KH_TEST(test_wrong),  KH_TEST_ONCE(test_bounds),
	KH_TEST_ONCE(test_sums), KH_TEST(test_digest),
};
KH_TEST_MAIN(cases)
