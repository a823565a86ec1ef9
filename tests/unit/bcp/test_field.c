#include "ask.h"
#include "core/bcp/bits.h"

#define F(members) "{\"category\":1,\"fields\":[{\"name\":\"a\"," members "}]}"

/* B3: names, values, bounds. */
static void test_bad(struct kh_test *t)
{
	static const char *const all[][3] = {
		{F("\"type\":\"bool\""), "bad_type", "fields[0].type"},
		{F("\"type\":7"), "wrong_type", "fields[0].type"},
		{F("\"type\":\"boolean\",\"min\":1"), "unknown_member", "fields[0].min"},
		{F("\"type\":\"boolean\",\"values\":[]"), "unknown_member", "fields[0].values"},
		{F("\"type\":\"enum\""), "missing", "fields[0].values"},
		{F("\"type\":\"enum\",\"values\":[]"), "empty", "fields[0].values"},
		{F("\"type\":\"enum\",\"values\":{}"), "wrong_type", "fields[0].values"},
		{F("\"type\":\"enum\",\"values\":[\"a\",1]"), "wrong_type", "fields[0].values[1]"},
		{F("\"type\":\"enum\",\"values\":[\"a\",\" \"]"), "empty", "fields[0].values[1]"},
		{F("\"type\":\"enum\",\"values\":[\"a\",\"\\u200b\"]"), "empty", "fields[0].values[1]"},
		{F("\"type\":\"enum\",\"values\":[\"red\",\"Red\"]"), "duplicate_value", "fields[0].values[1]"},
		{F("\"type\":\"enum\",\"values\":[\"red\",\" red \"]"), "duplicate_value", "fields[0].values[1]"},
		{F("\"type\":\"enum\",\"values\":[\"red\",\"\\uff52\\uff45\\uff44\"]"), "duplicate_value",
		 "fields[0].values[1]"},
		{F("\"type\":\"enum\",\"values\":[\"stra\\u00dfe\",\"STRASSE\"]"), "duplicate_value",
		 "fields[0].values[1]"},
		{F("\"type\":\"enum\",\"values\":["
		   "\"0123456789012345678901234567890123456789012345678901234567890123x\"]"),
		 "too_long", "fields[0].values[0]"},
		{F("\"type\":\"integer\",\"min\":1"), "missing", "fields[0].max"},
		{F("\"type\":\"integer\",\"min\":5,\"max\":1"), "range_empty", "fields[0].max"},
		{F("\"type\":\"integer\",\"min\":0,\"max\":1.5"), "wrong_type", "fields[0].max"},
		{F("\"type\":\"integer\",\"min\":0,\"max\":\"5\""), "wrong_type", "fields[0].max"},
		{F("\"type\":\"integer\",\"min\":0,\"max\":9007199254740993"), "out_of_range", "fields[0].max"},
		{F("\"type\":\"integer\",\"min\":-9007199254740993,\"max\":0"), "out_of_range", "fields[0].min"},
		{F("\"type\":\"boolean\",\"repeat\":4"), "out_of_range", "fields[0].repeat"},
		{"{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"},{\"name\":\"a\",\"type\":"
		 "\"boolean\"}]}",
		 "duplicate_name", "fields[1].name"},
		{"{\"category\":1,\"fields\":[{\"type\":\"boolean\"}]}", "missing", "fields[0].name"},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ask_bad(t, all[i][0], all[i][1], all[i][2]);
}

static void test_ranges(struct kh_test *t)
{
	struct kh_query q = ask_good(
		t, F("\"type\":\"integer\",\"min\":-9007199254740992,\"max\":9007199254740992,\"repeat\":3"));

	assert_int_equal(q.microbits, 54000001);
	assert_int_equal(q.fields[0].repeat, 3);
	q = ask_good(t, F("\"type\":\"integer\",\"min\":7,\"max\":7"));
	assert_int_equal(q.microbits, 0);
}

static void test_names(struct kh_test *t)
{
	(void)t;
	static const char *const good[] = {"a", "_", "A.b-c_9", "Z1",
					   "a123456789012345678901234567890123456789012345678901234567890123"};
	static const char *const bad[] = {
		"",         "1",  "-a",  "a b",
		"\xc3\xa4", ".a", "a\n", "a1234567890123456789012345678901234567890123456789012345678901234"};
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(kh_field_is_name(kh_view_str(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kh_field_is_name(kh_view_str(bad[i])));
}

static const struct kh_test_case cases[] = {KH_TEST(test_bad), KH_TEST(test_ranges), KH_TEST(test_names)};
KH_TEST_MAIN(cases)
