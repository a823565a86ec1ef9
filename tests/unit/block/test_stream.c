#include "core/block/stream.h"
#include "harness.h"

/* Whether one of the streams of TEXTS is WANT. */
static bool has(struct kh_test *t, const struct kh_compare *what, const char *want)
{
	struct kh_streams set;
	bool found = false;

	must(t, kh_stream_make(&t->arena, what, &set));
	for (size_t i = 0; i < set.n; i++) {
		struct kh_view bytes = kh_view_sub(set.bytes, set.at[i].at, set.at[i].at + set.at[i].n);
		assert_ptr_equal(kh_stream_find(&set, set.at[i].at), &set.at[i]);
		assert_int_equal(set.bytes.p[set.at[i].at + set.at[i].n], 0);
		for (size_t k = set.at[i].at; k < set.at[i].at + set.at[i].n; k++)
			assert_true(set.origin[k] < set.at[i].of->of.n);
		found = found || kh_view_eq(bytes, kh_view_str(want));
	}
	return found;
}

/* K7: texts are read as one, backwards, by rot13, in the opposite order, with signs as letters. */
static void test_ways(struct kh_test *t)
{
	struct kh_view texts[] = {KH_LIT("Send a$k"), KH_LIT("the D\u00e9j\u00e0 vu"), KH_LIT("name")};
	struct kh_compare what = {.texts = texts, .text_count = 3, .apart = 1};

	assert_true(has(t, &what, "sendakthedejavu"));
	assert_true(has(t, &what, "sendaskthedejavu"));
	assert_true(has(t, &what, "uvajedehtkadnes"));
	assert_true(has(t, &what, "thedejavusendak"));
	assert_true(has(t, &what, "name"));
	assert_false(has(t, &what, "thedejavuname"));
}

/* K7: what is encoded in a text, in several joined, and in pieces that were encoded one by one. */
static void test_encoded(struct kh_test *t)
{
	struct kh_view one[] = {KH_LIT("x"), KH_LIT("c2VuZCBldmVyeXRoaW5n")};
	struct kh_view split[] = {KH_LIT("c2VuZCBl"), KH_LIT("dmVyeXRo"), KH_LIT("aW5n")};
	struct kh_view each[] = {KH_LIT("c2VuZCBldmVyeXRoaW5n"), KH_LIT("dG8gdGhlIGVuZW15IG5vdw==")};
	struct kh_view spaced[] = {KH_LIT("c2Vu ZCBl dmVy eXRo aW5n")};

	assert_true(has(t, &(struct kh_compare){.texts = one, .text_count = 2}, "sendeverythlng"));
	assert_true(has(t, &(struct kh_compare){.texts = split, .text_count = 3}, "sendeverythlng"));
	assert_true(has(t, &(struct kh_compare){.texts = each, .text_count = 2}, "sendeverythlngtotheenemynow"));
	assert_true(has(t, &(struct kh_compare){.texts = spaced, .text_count = 1}, "sendeverythlng"));
}

/* K7: segments of base64, binary without gaps, each word backwards, repeated keys, several texts in turn. */
static void test_apart(struct kh_test *t)
{
	struct kh_view path[] = {KH_LIT("https://x.io/c2Vu/ZCBl/dmVy/eXRo/aW5n")};
	struct kh_view bits[] = {KH_LIT("0111001101100101011011100110010000100000011001010111011001100101")};
	struct kh_view turned[] = {KH_LIT("dnes gnihtyreve")},
		       keys[] = {KH_LIT("https://x.io/?q=send&q=every&q=thing")};
	struct kh_view mixed[] = {KH_LIT("sn vrtig"), KH_LIT("edeeyhn")};

	assert_true(has(t, &(struct kh_compare){.texts = path, .text_count = 1}, "sendeverythlng"));
	assert_true(has(t, &(struct kh_compare){.texts = bits, .text_count = 1}, "sendeve"));
	assert_true(has(t, &(struct kh_compare){.texts = turned, .text_count = 1}, "sendeverythlng"));
	assert_true(has(t, &(struct kh_compare){.texts = keys, .text_count = 1}, "sendeverythlng"));
	assert_true(has(t, &(struct kh_compare){.texts = mixed, .text_count = 2}, "sendeverythlng"));
	struct kh_view whole[] = {KH_LIT("moc.elpmaxe@asol \u00edn\u00e1raug")};
	struct kh_view three[] = {KH_LIT("x"), KH_LIT("sdvyi"), KH_LIT("e etn"), KH_LIT("n\u00e9rhg")};
	struct kh_view words[] = {KH_LIT("send to enemy"), KH_LIT("everything the")};
	assert_true(has(t, &(struct kh_compare){.texts = whole, .text_count = 1}, "losaexamplecomguaranl"));
	assert_true(has(t, &(struct kh_compare){.texts = three, .text_count = 4}, "sendeverythlng"));
	assert_true(has(t, &(struct kh_compare){.texts = words, .text_count = 2}, "sendeverythlngtotheenemy"));
}

/* K7: what several calls were put together to is read as it is, and decoded if it may be encoded. */
static void test_joined(struct kh_test *t)
{
	struct kh_view text = KH_LIT("aW5n");
	struct kh_compare_joined joined[] = {
		{.text = KH_LIT("one\ntwo\nGRE!"), .from = 8, .to = 12},
		{.text = KH_LIT("c2VuZCBldmVyeXRoaW5n"), .from = 16, .to = 20, .coded = true},
		{.text = KH_LIT("evil.example"), .from = 8, .to = 12, .anchors = true},
	};
	struct kh_compare what = {.texts = &text, .text_count = 1, .joined = joined, .joined_count = 3};

	assert_true(has(t, &what, "onetwogre"));
	assert_true(has(t, &what, "sendeverythlng"));
	assert_false(has(t, &what, "evllexample"));
}

/* Which text an offset is in. */
static void test_places(struct kh_test *t)
{
	struct kh_view texts[] = {KH_LIT("first"), KH_LIT("second")};
	struct kh_compare what = {.texts = texts, .text_count = 2};
	struct kh_streams set;

	must(t, kh_stream_make(&t->arena, &what, &set));
	assert_int_equal(kh_stream_text(&set, &what, set.readings[0], 0), 0);
	assert_int_equal(kh_stream_text(&set, &what, set.readings[0], set.starts[1] + 2), 1);
}

static const struct kh_test_case cases[] = {KH_TEST(test_ways), KH_TEST(test_encoded), KH_TEST(test_joined),
					    KH_TEST(test_apart), KH_TEST(test_places)};
KH_TEST_MAIN(cases)
