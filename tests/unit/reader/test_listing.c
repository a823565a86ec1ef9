#include "reader/listing.h"

#include "extracting.h"

static const char note[] = "Meeting notes\n\n"
			   "Attendees: Ann Lee, Bob Kim and Carol Jones\n\n"
			   "Shopping:\n- Milk\n- Bread; the dark one\n- Tea\n\n"
			   "Agenda:\n1. Budget\n2. Staff, new people\n3. Any other business\n";

/* I3: lists by bullets, numbers and commas. */
static void test_lists(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"What is on the shopping list?", note, "milk, bread; the dark one, tea"},
		{"What is on the agenda?", note, "budget, staff, any other business"},
		{"Who are the attendees?", note, "ann lee, bob kim, carol jones"},
		{"Which colours are there?", "The colours: red, green and blue.", "red, green, blue"},
		{"Which colours are there?", "There is one colour", "reject"},
	};
	ALL_ANSWERED(t, "short_list", all);
}

/* No more words than the question allows: whole items as long as they fit, the first one cut. */
static void test_list_words(struct kh_test *t)
{
	static const char query[] =
		"{\"category\":2,\"questions\":[{\"id\":\"q\",\"question\":\"What is on the agenda?\","
		"\"max_words\":%u,\"expected_format\":\"short_list\"}]}";
	static const char *const want[] = {"budget", "budget, staff", "budget, staff"};

	for (unsigned i = 0; i < 3; i++) {
		struct kh_view json = kh_arena_printf(&t->arena, query, i + 1);
		must(t, kh_arena_check(&t->arena));
		struct kh_view got = delivered(t, json, kh_view_str(note));
		struct kh_view all = kh_arena_printf(&t->arena, "{\"answers\":[{\"id\":\"q\",\"answer\":\"%s\"}]}",
						     want[i]);
		must(t, kh_arena_check(&t->arena));
		assert_true(kh_view_eq(got, all));
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_lists), KH_TEST(test_list_words)};
KH_TEST_MAIN(cases)
