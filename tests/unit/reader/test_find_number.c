#include "reader/find_number.h"

#include "extracting.h"

static const char note[] =
	"Minutes of 3 May 2026\n"
	"1. We counted 1,204 visitors and 12 dogs in 3 halls.\n"
	"2. Sales rose by 7.5% to 1.2 million units, four more than planned.\n"
	"3. The rent is $1,500, the deposit EUR 300 and the fee 12.50 pounds; heating costs \xe2\x82\xac"
	"80.\n";

/* I3: what is counted. */
static void test_whole_numbers(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"How many visitors were there?", note, "1204"},
		{"How many dogs were there?", note, "12"},
		{"How many halls were there?", note, "3"},
		{"How many apples were eaten?", "They ate twelve apples.", "12"},
		{"How many apples were eaten?", "They ate some apples.", "reject"},
		{"How many apples were eaten?", "At 10:30 on 2026-03-15, room B12.", "reject"},
	};
	ALL_ANSWERED(t, "integer", all);
}

static void test_numbers(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"By what percentage did sales rise?", note, "7.5%"},
		{"How many units were sold?", note, "1200000"},
		{"What is the rating?", "A house with 5 floors and a rating of 4.3 stars.", "4.3"},
	};
	ALL_ANSWERED(t, "number", all);
}

static void test_amounts(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"How high is the rent?", note, "1500.00 USD"},
		{"How high is the deposit?", note, "300.00 EUR"},
		{"How high is the fee?", note, "12.50 GBP"},
		{"What does heating cost?", note, "80.00 EUR"},
		{"How much is it?", "It is US$ 5 million.", "5000000.00 USD"},
		{"How much is it?", "It is 200 all in all, try 5 of them.", "reject"},
		{"How much is it?", "It is 1.200 EUR.", "reject"},
	};
	ALL_ANSWERED(t, "amount", all);
}

/* B11: a number that goes on in a way that is not read is not cut short. */
static void test_not_cut(struct kh_test *t)
{
	static const struct kh_asked numbers[] = {
		{"How many are there?", "There are 10\xe2\x81\xb6 of them.", "reject"},
		{"How many are there?", "There are 5\xe2\x91\xa0 of them.", "reject"},
		{"How many are there?", "There are 2\xc2\xbd of them.", "reject"},
		{"How many are there?", "There are 2 Billionen of them.", "reject"},
		{"How many are there?", "There are 1 Billion of them.", "reject"},
		{"How many are there?", "There are 3 crore of them.", "reject"},
	};
	static const struct kh_asked amounts[] = {
		{"How much is it?", "It is EUR 10\xe2\x81\xb6 in all.", "reject"},
		{"How much is it?", "It is \xe2\x82\xac 99\xe2\x81\xb9\xe2\x81\xb5 in all.", "reject"},
		{"How much is it?", "It is EUR 2 Milliarden in all.", "reject"},
		{"How much is it?", "It is EUR 1 Billion in all.", "reject"},
	};
	ALL_ANSWERED(t, "number", numbers);
	ALL_ANSWERED(t, "integer", numbers);
	ALL_ANSWERED(t, "amount", amounts);
}

/* An amount fits into one word where the question allows no more. */
static void test_amount_in_one_word(struct kh_test *t)
{
	struct kh_view got = delivered(t,
				       KH_LIT("{\"category\":2,\"questions\":[{\"id\":\"q\",\"question\":\"How much?\","
					      "\"max_words\":1,\"expected_format\":\"amount\"}]}"),
				       KH_LIT("It costs 1,200.50 USD."));
	assert_view(got, "{\"answers\":[{\"id\":\"q\",\"answer\":\"1200.50 USD\"}]}");
}

static void test_small_numbers(struct kh_test *t)
{
	struct kh_tokens tokens = kh_tokens_cut(&t->arena, KH_LIT("7 dozen 1,200 x9 3.5 10:30 twelve"));
	static const int64_t want[] = {7, 12, 1200, 12};
	size_t found = 0, last;
	int64_t number;

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < tokens.n; i++) {
		if (!kh_find_number_small(&tokens, i, &number, &last))
			continue;
		assert_true(found < 4);
		assert_int_equal(number, want[found++]);
		i = last;
	}
	assert_int_equal(found, 4);
}

static const struct kh_test_case cases[] = {KH_TEST(test_whole_numbers), KH_TEST(test_numbers),
					    KH_TEST(test_amounts),       KH_TEST(test_amount_in_one_word),
					    KH_TEST(test_small_numbers), KH_TEST(test_not_cut)};
KH_TEST_MAIN(cases)
