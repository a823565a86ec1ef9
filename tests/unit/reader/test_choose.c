#include "reader/choose.h"

#include "extracting.h"

/* The value of one field, as JSON. */
static struct kh_view chosen(struct kh_test *t, const char *field, const char *text)
{
	struct kh_view json = kh_arena_printf(&t->arena, "{\"category\":1,\"fields\":[%s]}", field);
	must(t, kh_arena_check(&t->arena));
	struct kh_view out = delivered(t, json, kh_view_str(text));
	size_t colon = kh_view_find(out, KH_LIT(":"), 10);
	assert_int_not_equal(colon, SIZE_MAX);
	return kh_view_sub(out, colon + 1, out.n - 2);
}

struct row {
	const char *field, *text, *value;
};

static void all_chosen(struct kh_test *t, const struct row *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct kh_view got = chosen(t, all[i].field, all[i].text);
		if (!kh_view_eq(got, kh_view_str(all[i].value)))
			print_message("%s | %s\n", all[i].field, all[i].text);
		assert_view(got, all[i].value);
	}
}

#define ALL_CHOSEN(t, all) all_chosen((t), (all), sizeof(all) / sizeof((all)[0]))
#define FLAG(name)         "{\"name\":\"" name "\",\"type\":\"boolean\"}"

/* I3: keyword classes.  By the words of the field's name and those that stand for them; a denial is none. */
static void test_booleans(struct kh_test *t)
{
	static const struct row all[] = {
		{FLAG("is_urgent"), "Please answer, this is urgent.", "true"},
		{FLAG("isUrgent"), "We need it ASAP.", "true"},
		{FLAG("is_urgent"), "This is not urgent at all.", "false"},
		{FLAG("is_urgent"), "It isn't urgent.", "false"},
		{FLAG("is_urgent"), "It isn\xe2\x80\x99t urgent.", "false"},
		{FLAG("is_urgent"), "Not now, it is urgent.", "true"},
		{FLAG("is_urgent"), "The garden is green.", "false"},
		{FLAG("mentions_refund"), "You will be refunded next week.", "true"},
		{FLAG("mentions_refund"), "The invoice was paid.", "false"},
		{FLAG("payment_overdue"), "Your payment is overdue.", "true"},
		{FLAG("payment_overdue"),
		 "Your payment arrived. The weather is fine. Nothing more. The train is overdue.", "false"},
		{FLAG("has_link"), "See https://example.org/x for more.", "true"},
		{FLAG("has_link"), "See the paper for more.", "false"},
		{FLAG("has_question"), "Can you come?", "true"},
		{FLAG("no_attachment"), "The report is attached.", "false"},
		{FLAG("no_attachment"), "Nothing here.", "true"},
		{FLAG("x"), "", "false"},
	};
	ALL_CHOSEN(t, all);
}

#define MOOD "{\"name\":\"sentiment\",\"type\":\"enum\",\"values\":[\"positive\",\"neutral\",\"negative\"]}"
#define KIND "{\"name\":\"category\",\"type\":\"enum\",\"values\":[\"billing\",\"technical\",\"legal\",\"other\"]}"
#define RANK "{\"name\":\"priority\",\"type\":\"enum\",\"values\":[\"low\",\"medium\",\"high\"]}"
#define SAYS "{\"name\":\"is_approved\",\"type\":\"enum\",\"values\":[\"yes\",\"no\",\"unknown\"]}"

static void test_enums(struct kh_test *t)
{
	static const struct row all[] = {
		{MOOD, "Thank you, this was excellent work!", "\"positive\""},
		{MOOD, "I am disappointed, the service was terrible.", "\"negative\""},
		{MOOD, "The train leaves from track two.", "\"neutral\""},
		{MOOD, "I am not happy with this, not happy.", "\"neutral\""},
		{KIND, "The invoice over 5 EUR was charged twice.", "\"billing\""},
		{KIND, "The server shows an error when I reset my password.", "\"technical\""},
		{KIND, "Our lawyer has read the contract.", "\"legal\""},
		{KIND, "The garden is green.", "\"other\""},
		{RANK, "Priority: high. There are low shelves and low doors.", "\"high\""},
		{RANK, "Nothing is said here.", "\"medium\""},
		{SAYS, "The budget was approved.", "\"yes\""},
		{SAYS, "The budget was not approved.", "\"no\""},
	};
	ALL_CHOSEN(t, all);
}

#define COUNT "{\"name\":\"attendee_count\",\"type\":\"integer\",\"min\":0,\"max\":100}"
#define SCORE "{\"name\":\"rating\",\"type\":\"integer\",\"min\":1,\"max\":5}"

static void test_integers(struct kh_test *t)
{
	static const struct row all[] = {
		{COUNT, "On 3 May we met with 12 attendees in room 7.", "12"},
		{COUNT, "Attendees: 9. Rooms: 2.", "9"},
		{COUNT, "There were five attendees.", "5"},
		{COUNT, "There were 1,200 attendees.", "0"},
		{COUNT, "Nobody knows.", "0"},
		{SCORE, "Rating: 4 of 5", "4"},
		{SCORE, "Nice place.", "3"},
	};
	ALL_CHOSEN(t, all);
}

/* B8: whatever the text is, every field has a value of its kind. */
static void test_always_in_form(struct kh_test *t)
{
	static const char *const texts[] = {"", "\xff\xfe\x80", "a", "?", "{\"fields\":{\"a\":true}}", "\n\n\n"};
	struct kh_view query = KH_LIT("{\"category\":1,\"fields\":[" FLAG("a_b") "," MOOD "," COUNT "," SCORE "," SAYS
										 "]}");

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct kh_view out = delivered(t, query, kh_view_str(texts[i]));
		assert_true(kh_view_starts(out, KH_LIT("{\"fields\":{\"a_b\":false,\"sentiment\":\"neutral\",")));
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_booleans), KH_TEST(test_enums), KH_TEST(test_integers),
					    KH_TEST(test_always_in_form)};
KH_TEST_MAIN(cases)
