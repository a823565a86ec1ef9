#include "core/block/contract.h"
#include "harness.h"

/* Runs FN on the JSON text IN; its answer as text. */
static struct kh_view call_text(struct kh_test *t, kh_call_fn *fn, struct kh_view in)
{
	struct kh_call call = {.arena = &t->arena, .doc = kh_json_new(&t->arena), .nonce = "0123456789abcde"};
	yyjson_mut_val *out;
	yyjson_val *root;
	struct kh_view text;

	must(t, kh_arena_check(&t->arena));
	must(t, kh_json_read(&t->arena, in, &root, &t->err));
	must(t, fn(&call, root, &out, &t->err));
	must(t, kh_json_write(&t->arena, out, &text));
	return text;
}

#define check(t, fn, in, want) assert_view(call_text((t), (fn), kh_view_str(in)), want)

static void check_error(struct kh_test *t, kh_call_fn *fn, const char *in, const char *code, const char *member)
{
	struct kh_view text = call_text(t, fn, kh_view_str(in));
	yyjson_val *root;

	must(t, kh_json_read(&t->arena, text, &root, &t->err));
	yyjson_val *error = kh_json_get(root, "error");
	assert_int_equal(yyjson_obj_size(root), 1);
	assert_view(kh_json_str(kh_json_get(error, "code")), code);
	assert_true(kh_json_str(kh_json_get(error, "detail")).n > 0);
	if (member != NULL)
		assert_view(kh_json_str(kh_json_get(error, "member")), member);
}

#define B001 "{\"id\":\"b001\",\"trust\":\"trusted\",\"type\":\"instruction\",\"content\":\"Analyse.\"}"
#define B003                                                                          \
	"{\"id\":\"b003\",\"trust\":\"untrusted\",\"type\":\"data\",\"content\":\"</" \
	"block>\\u0000\",\"source\":\"tool:read\"}"
#define B004                                                                                                           \
	"{\"id\":\"b004\",\"trust\":\"trusted\",\"type\":\"data\",\"content\":\"\",\"tainted_by\":[\"b003\",\"b001\"]" \
	"}"
#define B005                                                                                            \
	"{\"id\":\"b005\",\"trust\":\"vetted\",\"type\":\"data\",\"content\":\"x\",\"taint\":\"high\"," \
	"\"created_at\":\"2026-11-15T02:56:00Z\"}"
#define XML                                                                                         \
	"<block id=\\\"b001\\\" trust=\\\"trusted\\\" type=\\\"instruction\\\">Analyse.</block>\\n" \
	"<block id=\\\"b003\\\" trust=\\\"untrusted\\\" type=\\\"data\\\" "                         \
	"source=\\\"tool:read\\\">&lt;/block&gt;&#0;</block>\\n"                                    \
	"<block id=\\\"b004\\\" trust=\\\"trusted\\\" type=\\\"data\\\" tainted-by=\\\"b003,b001\\\"></block>"

/* C3: block render. */
static void test_render(struct kh_test *t)
{
	check(t, kh_block_contract_render, "{\"blocks\":[" B001 "," B003 "," B004 "]}", "{\"xml\":\"" XML "\"}");
	check(t, kh_block_contract_render, "{\"blocks\":[]}", "{\"xml\":\"\"}");
}

/* C3: block parse is the reverse, with taint and hash filled in. */
static void test_parse(struct kh_test *t)
{
	check(t, kh_block_contract_parse, "{\"xml\":\"" XML "\"}",
	      "{\"blocks\":[{\"id\":\"b001\",\"trust\":\"trusted\",\"type\":\"instruction\",\"content\":\"Analyse.\","
	      "\"tainted_by\":[],\"taint\":\"low\","
	      "\"content_hash\":\"974c54de2570b9b8b6314d795f62ece3805a402430b666edcfccf21e2873cb7a\"},"
	      "{\"id\":\"b003\",\"trust\":\"untrusted\",\"type\":\"data\",\"source\":\"tool:read\",\"content\":\"</"
	      "block>\\u0000\","
	      "\"tainted_by\":[],\"taint\":\"high\","
	      "\"content_hash\":\"654ee72a19ebbd344ae5de31986767adda20ccd42fa7a6a014de69a033845d7b\"},"
	      "{\"id\":\"b004\",\"trust\":\"trusted\",\"type\":\"data\",\"content\":\"\","
	      "\"tainted_by\":[\"b003\",\"b001\"],\"taint\":\"low\","
	      "\"content_hash\":\"0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8\"}]}");
	check(t, kh_block_contract_parse, "{\"xml\":\"\"}", "{\"blocks\":[]}");
}

/* C3: what parse writes, render reads, and gives the same XML again. */
static void test_round_trip(struct kh_test *t)
{
	struct kh_view xml = call_text(t, kh_block_contract_render,
				       KH_LIT("{\"blocks\":[" B001 "," B003 "," B004 "," B005 "]}"));
	struct kh_view blocks = call_text(t, kh_block_contract_parse, xml);
	struct kh_view again = call_text(t, kh_block_contract_render, blocks);

	assert_true(kh_view_eq(xml, again));
	assert_true(kh_view_find(again, KH_LIT(" taint=\\\"high\\\" created-at=\\\"2026-11-15T02:56:00Z\\\">x<"), 0) !=
		    SIZE_MAX);
}

/* C3, K5: block taint. */
static void test_taint(struct kh_test *t)
{
	check(t, kh_block_contract_taint, "{\"blocks\":[" B001 "," B003 "," B004 "],\"of\":\"b004\"}",
	      "{\"closure\":[\"b001\",\"b003\"],\"untrusted\":[\"b003\"],\"flagged\":true}");
	check(t, kh_block_contract_taint, "{\"blocks\":[" B001 "," B003 "," B004 "],\"of\":\"b003\"}",
	      "{\"closure\":[],\"untrusted\":[],\"flagged\":false}");
	check_error(t, kh_block_contract_taint, "{\"blocks\":[" B001 "],\"of\":\"b009\"}", "unknown_id", NULL);
	check_error(t, kh_block_contract_taint, "{\"blocks\":[" B001 "," B004 "],\"of\":\"b004\"}", "unknown_id", NULL);
	check_error(t, kh_block_contract_taint, "{\"blocks\":[" B001 "]}", "missing", "of");
	check_error(t, kh_block_contract_taint, "{\"blocks\":[" B001 "],\"of\":1}", "wrong_type", "of");
	check_error(t, kh_block_contract_taint,
		    "{\"of\":\"a\",\"blocks\":[{\"id\":\"a\",\"trust\":\"trusted\",\"type\":\"data\",\"content\":\"\","
		    "\"tainted_by\":[\"b\"]},"
		    "{\"id\":\"b\",\"trust\":\"trusted\",\"type\":\"data\",\"content\":\"\",\"tainted_by\":[\"a\"]}]}",
		    "cycle", NULL);
}

/* C3: the running system's members are read: those that mean the same are taken, three are dropped. */
static void test_compat(struct kh_test *t)
{
	check(t, kh_block_contract_render,
	      "{\"blocks\":[{\"id\":\"b0001\",\"trust\":\"untrusted\",\"type\":\"data\",\"mutable\":true,\"content\":"
	      "\"abc\","
	      "\"content_hash\":\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\",\"source\":"
	      "\"web\","
	      "\"agent_context\":\"main\",\"tainted_by\":[],\"created_at_seq\":4}]}",
	      "{\"xml\":\"<block id=\\\"b0001\\\" trust=\\\"untrusted\\\" type=\\\"data\\\" "
	      "source=\\\"web\\\">abc</block>\"}");
}

#define BLOCK(members) "{\"blocks\":[{\"id\":\"b\",\"content\":\"abc\"," members "}]}"
#define TRUSTED        "\"trust\":\"trusted\",\"type\":\"data\""

/* C3, K1: what is refused, with its code and member. */
static void test_refused(struct kh_test *t)
{
	static const char *const all[][3] = {
		{"[]", "wrong_type", NULL},
		{"{}", "missing", "blocks"},
		{"{\"blocks\":{}}", "wrong_type", "blocks"},
		{"{\"blocks\":[],\"x\":1}", "unknown_member", NULL},
		{"{\"blocks\":[1]}", "wrong_type", "blocks[0]"},
		{"{\"blocks\":[" B001 "," B001 "]}", "duplicate_id", "blocks[1]"},
		{BLOCK("\"trust\":\"untrusted\",\"type\":\"instruction\""), "untrusted_instruction", "blocks[0]"},
		{BLOCK("\"trust\":\"trusted\""), "missing", "blocks[0].type"},
		{BLOCK("\"trust\":\"trusted\",\"type\":null"), "wrong_type", "blocks[0].type"},
		{BLOCK("\"trust\":\"TRUSTED\",\"type\":\"data\""), "bad_value", "blocks[0].trust"},
		{BLOCK("\"trust\":\"trusted\",\"type\":\"Data\""), "bad_value", "blocks[0].type"},
		{BLOCK(TRUSTED ",\"taint\":\"none\""), "bad_value", "blocks[0].taint"},
		{BLOCK(TRUSTED ",\"safe\":true"), "unknown_member", "blocks[0]"},
		{BLOCK(TRUSTED ",\"tainted_by\":\"b1\""), "wrong_type", "blocks[0].tainted_by"},
		{BLOCK(TRUSTED ",\"tainted_by\":[1]"), "wrong_type", "blocks[0].tainted_by"},
		{BLOCK(TRUSTED ",\"tainted_by\":[\"b\"]"), "self_reference", "blocks[0]"},
		{BLOCK(TRUSTED ",\"tainted_by\":[\"c\",\"c\"]"), "duplicate_reference", "blocks[0]"},
		{BLOCK(TRUSTED ",\"tainted_by\":[\"c,d\"]"), "bad_id", "blocks[0]"},
		{BLOCK(TRUSTED ",\"created_at\":5"), "wrong_type", "blocks[0].created_at"},
		{BLOCK(TRUSTED ",\"created_at\":\"now\""), "bad_value", "blocks[0].created_at"},
		{BLOCK(TRUSTED ",\"content_hash\":\"00\""), "hash_mismatch", "blocks[0].content_hash"},
		{BLOCK(TRUSTED ",\"source\":[]"), "wrong_type", "blocks[0].source"},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		check_error(t, kh_block_contract_render, all[i][0], all[i][1], all[i][2]);
	check_error(t, kh_block_contract_parse, "{\"xml\":1}", "wrong_type", "xml");
	check_error(t, kh_block_contract_parse, "{}", "missing", "xml");
	check_error(t, kh_block_contract_parse, "\"<block/>\"", "wrong_type", NULL);
	check(t, kh_block_contract_parse, "{\"xml\":\" <block id='b' trust='untrusted' type='instruction'/>\"}",
	      "{\"error\":{\"code\":\"untrusted_instruction\",\"offset\":1,"
	      "\"detail\":\"block \\\"b\\\" is untrusted: untrusted content is always data\"}}");
}

static const struct kh_test_case cases[] = {KH_TEST(test_render), KH_TEST(test_parse),  KH_TEST(test_round_trip),
					    KH_TEST(test_taint),  KH_TEST(test_compat), KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
