#include "judge.h"

/* Two or three questions, their checks, and the response. */
#define QUESTION(id, text, format) "{\"id\":\"" id "\",\"question\":\"" text "\",\"expected_format\":\"" format "\"}"
#define TWO(a, b, checks) \
	"{\"category\":2,\"questions\":[" QUESTION("a", "A?", a) "," QUESTION("b", "B?", b) "],\"checks\":[" checks "]}"

/* B12: every kind of check, kept and broken. */
static void test_given(struct kh_test *t)
{
	static const struct {
		const char *query, *kept, *broken;
	} all[] = {
		{TWO("short_text", "short_text", "{\"kind\":\"equal\",\"a\":\"a\",\"b\":\"b\"}"),
		 "{\"a\":\"Paris\",\"b\":\"paris.\"}", "{\"a\":\"Paris\",\"b\":\"rome\"}"},
		{TWO("person_name", "person_name", "{\"kind\":\"not_equal\",\"a\":\"a\",\"b\":\"b\"}"),
		 "{\"a\":\"Ann\",\"b\":\"Bob\"}", "{\"a\":\"Ann\",\"b\":\"ANN\"}"},
		{TWO("date", "date", "{\"kind\":\"before\",\"a\":\"a\",\"b\":\"b\"}"),
		 "{\"a\":\"March 1, 2026\",\"b\":\"2026-03-02\"}", "{\"a\":\"2026-03-02\",\"b\":\"2026-03-02\"}"},
		{TWO("time", "time", "{\"kind\":\"after\",\"a\":\"a\",\"b\":\"b\"}"),
		 "{\"a\":\"5 pm\",\"b\":\"16:59\"}", "{\"a\":\"4 pm\",\"b\":\"16:59\"}"},
		{TWO("integer", "integer", "{\"kind\":\"before\",\"a\":\"a\",\"b\":\"b\"}"),
		 "{\"a\":\"9\",\"b\":\"10\"}", "{\"a\":\"10\",\"b\":\"9\"}"},
		{TWO("date", "yes_no", "{\"kind\":\"quarter\",\"date\":\"a\",\"is\":1,\"answer\":\"b\"}"),
		 "{\"a\":\"March 15\",\"b\":\"yes\"}", "{\"a\":\"March 15\",\"b\":\"no\"}"},
		{TWO("date", "yes_no", "{\"kind\":\"month\",\"date\":\"a\",\"is\":\"april\",\"answer\":\"b\"}"),
		 "{\"a\":\"March 15\",\"b\":\"no\"}", "{\"a\":\"March 15\",\"b\":\"yes\"}"},
		{TWO("datetime", "yes_no", "{\"kind\":\"year\",\"date\":\"a\",\"is\":2026,\"answer\":\"b\"}"),
		 "{\"a\":\"2026-03-15T10:00\",\"b\":\"yes\"}", "{\"a\":\"2025-03-15T10:00\",\"b\":\"yes\"}"},
		{TWO("date", "yes_no", "{\"kind\":\"weekday\",\"date\":\"a\",\"is\":\"Sunday\",\"answer\":\"b\"}"),
		 "{\"a\":\"2026-03-15\",\"b\":\"yes\"}", "{\"a\":\"2026-03-16\",\"b\":\"yes\"}"},
		{TWO("short_list", "yes_no", "{\"kind\":\"count\",\"list\":\"a\",\"is\":3}"),
		 "{\"a\":\"x, y, z\",\"b\":\"no\"}", "{\"a\":\"x, y\",\"b\":\"no\"}"},
		{TWO("amount", "amount", "{\"kind\":\"sum\",\"of\":[\"a\",\"a\"],\"is\":\"b\"}"),
		 "{\"a\":\"$1.25\",\"b\":\"$2.50\"}", "{\"a\":\"$1.25\",\"b\":\"$2.51\"}"},
		{TWO("yes_no", "yes_no", "{\"kind\":\"implies\",\"if\":{\"a\":\"Yes\"},\"then\":{\"b\":\"n\"}}"),
		 "{\"a\":\"yes\",\"b\":\"no\"}", "{\"a\":\"yes\",\"b\":\"yes\"}"},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		judge_to(t, all[i].query, all[i].kept, KH_VERDICT_DELIVER, NULL, NULL);
		judge_to(t, all[i].query, all[i].broken, KH_VERDICT_HOLD, "inconsistent", "checks[0]");
	}
}

/* B12: what cannot be decided is looked at by a human. */
static void test_undecided(struct kh_test *t)
{
	judge_to(t, TWO("date", "yes_no", "{\"kind\":\"weekday\",\"date\":\"a\",\"is\":1,\"answer\":\"b\"}"),
		 "{\"a\":\"March 15\",\"b\":\"yes\"}", KH_VERDICT_HOLD, "inconsistent", "checks[0]");
	judge_to(t, TWO("date", "yes_no", "{\"kind\":\"year\",\"date\":\"a\",\"is\":2026,\"answer\":\"b\"}"),
		 "{\"a\":\"March 15\",\"b\":\"yes\"}", KH_VERDICT_HOLD, "inconsistent", "checks[0]");
	judge_to(t, TWO("date", "date", "{\"kind\":\"before\",\"a\":\"a\",\"b\":\"b\"}"),
		 "{\"a\":\"March 15\",\"b\":\"2026-03-16\"}", KH_VERDICT_HOLD, "inconsistent", "checks[0]");
	judge_to(t, TWO("time", "time", "{\"kind\":\"before\",\"a\":\"a\",\"b\":\"b\"}"),
		 "{\"a\":\"10:00+02:00\",\"b\":\"11:00+05:00\"}", KH_VERDICT_HOLD, "inconsistent", "checks[0]");
	judge_to(t, TWO("amount", "amount", "{\"kind\":\"sum\",\"of\":[\"a\"],\"is\":\"b\"}"),
		 "{\"a\":\"$5\",\"b\":\"5 EUR\"}", KH_VERDICT_HOLD, "inconsistent", "checks[0]");
	judge_to(t, TWO("amount", "amount", "{\"kind\":\"after\",\"a\":\"a\",\"b\":\"b\"}"),
		 "{\"a\":\"$5\",\"b\":\"4 EUR\"}", KH_VERDICT_HOLD, "inconsistent", "checks[0]");
}

#define DERIVED(question)                                                            \
	"{\"category\":2,\"questions\":[" QUESTION("a", "What is the meeting date?", \
						   "date") "," QUESTION("b", question, "yes_no") "]}"

/* B12: the example of bcp.txt is flagged without a check, and so are month, year and weekday. */
static void test_derived(struct kh_test *t)
{
	static const char *const asked[] = {"Is this meeting in Q1?", "Is it in the first quarter?", "Is it in March?",
					    "Is the meeting on a Sunday?", "Does it take place in 2026?"};
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct kh_view query = kh_arena_printf(
			&t->arena,
			"{\"category\":2,\"questions\":[{\"id\":\"a\",\"question\":\"What is the "
			"meeting date?\",\"format\":\"date\"},{\"id\":\"b\",\"question\":\"%s\","
			"\"format\":\"yes_no\"}]}",
			asked[i]);
		must(t, kh_arena_check(&t->arena));
		judge_to(t, query.p, "{\"a\":\"March 15, 2026\",\"b\":\"yes\"}", KH_VERDICT_DELIVER, NULL, NULL);
		judge_to(t, query.p, "{\"a\":\"March 15, 2026\",\"b\":\"no\"}", KH_VERDICT_HOLD, "inconsistent",
			 "questions[1]");
	}
}

/* Questions that turn the part around, or name several, imply nothing. */
static void test_not_derived(struct kh_test *t)
{
	static const char *const queries[] = {
		DERIVED("Is it not in Q1?"),           DERIVED("Is it before March?"),
		DERIVED("Is it in Q1 or Q2?"),         DERIVED("May guests attend?"),
		DERIVED("Is room 2026 free?"),         DERIVED("Is it online?"),
		DERIVED("Is it by the end of March?"), DERIVED("Will they march in the parade?")};
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		judge_to(t, queries[i], "{\"a\":\"July 15, 2025\",\"b\":\"yes\"}", KH_VERDICT_DELIVER, NULL, NULL);
}

/* B3: checks are part of the query and are checked with it. */
static void test_bad(struct kh_test *t)
{
	static const char *const all[][3] = {
		{TWO("date", "date", "7"), "wrong_type", "checks[0]"},
		{TWO("date", "date", "{\"kind\":\"same\"}"), "bad_check", "checks[0].kind"},
		{TWO("date", "date", "{\"a\":\"a\"}"), "missing", "checks[0].kind"},
		{TWO("date", "date", "{\"kind\":\"equal\",\"a\":\"a\"}"), "missing", "checks[0].b"},
		{TWO("date", "date", "{\"kind\":\"equal\",\"a\":\"a\",\"b\":\"c\"}"), "unknown_question",
		 "checks[0].b"},
		{TWO("date", "date", "{\"kind\":\"equal\",\"a\":\"a\",\"b\":\"b\",\"is\":1}"), "unknown_member",
		 "checks[0].is"},
		{TWO("short_text", "date", "{\"kind\":\"before\",\"a\":\"a\",\"b\":\"b\"}"), "bad_check",
		 "checks[0].a"},
		{TWO("date", "date", "{\"kind\":\"quarter\",\"date\":\"a\",\"is\":1,\"answer\":\"b\"}"), "bad_check",
		 "checks[0].answer"},
		{TWO("date", "yes_no", "{\"kind\":\"quarter\",\"date\":\"a\",\"is\":5,\"answer\":\"b\"}"),
		 "out_of_range", "checks[0].is"},
		{TWO("date", "yes_no", "{\"kind\":\"month\",\"date\":\"a\",\"is\":\"Smarch\",\"answer\":\"b\"}"),
		 "wrong_type", "checks[0].is"},
		{TWO("date", "date", "{\"kind\":\"count\",\"list\":\"a\",\"is\":1}"), "bad_check", "checks[0].list"},
		{TWO("amount", "amount", "{\"kind\":\"sum\",\"of\":[],\"is\":\"b\"}"), "wrong_type", "checks[0].of"},
		{TWO("amount", "amount", "{\"kind\":\"sum\",\"is\":\"b\"}"), "missing", "checks[0].of"},
		{TWO("yes_no", "yes_no", "{\"kind\":\"implies\",\"if\":{\"a\":\"maybe\"},\"then\":{\"b\":\"no\"}}"),
		 "bad_check", "checks[0].if"},
		{TWO("yes_no", "yes_no", "{\"kind\":\"implies\",\"if\":{},\"then\":{\"b\":\"no\"}}"), "wrong_type",
		 "checks[0].if"},
		{TWO("yes_no", "yes_no", "{\"kind\":\"implies\",\"then\":{\"b\":\"no\"}}"), "missing", "checks[0].if"},
		{"{\"category\":2,\"questions\":[" QUESTION("a", "A?", "date") "],\"checks\":{}}", "wrong_type",
		 "checks"},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ask_bad(t, all[i][0], all[i][1], all[i][2]);
}

static const struct kh_test_case cases[] = {KH_TEST(test_given), KH_TEST(test_undecided), KH_TEST(test_derived),
					    KH_TEST(test_not_derived), KH_TEST(test_bad)};
KH_TEST_MAIN(cases)
