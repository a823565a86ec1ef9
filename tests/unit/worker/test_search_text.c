/* E9: what of a file is text, and what its title is. */
#include "harness.h"

#include "worker/search/text.h"

static struct kh_search_text make(struct kh_test *t, struct kh_view bytes, bool want)
{
	struct kh_search_text text = {{NULL, 0}, {NULL, 0}};
	bool is_text = !want;

	must(t, kh_search_text_make(&t->arena, NULL, bytes, KH_LIT("notes.txt"), &text, &is_text));
	assert_int_equal(is_text, want);
	return text;
}

static void test_plain(struct kh_test *t)
{
	struct kh_search_text text = make(t, KH_LIT("\n ---\n# The plan \nfirst\n"), true);

	assert_view(text.title, "The plan");
	assert_view(text.body, "\n ---\n# The plan \nfirst\n");
	assert_view(make(t, KH_LIT("(draft) minutes"), true).title, "(draft) minutes");
	assert_view(make(t, KH_LIT(""), true).body, "");
	assert_view(make(t, KH_LIT("---\n***\n"), true).title, "");
}

/* An older encoding can still be read for the most part. */
static void test_other_encodings(struct kh_test *t)
{
	struct kh_search_text text = make(t,
					  KH_LIT("Gr\xfc\xdf"
						 "e aus M\xfcnchen an alle, die das lesen"),
					  true);

	assert_view(text.body, "Gr\xef\xbf\xbd\xef\xbf\xbd"
			       "e aus M\xef\xbf\xbdnchen an alle, die das lesen");
}

static void test_no_text(struct kh_test *t)
{
	char noise[512];

	make(t, kh_view_of("PNG\0image", 9), false);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)(1 + i * 37 % 255);
	make(t, kh_view_of(noise, sizeof(noise)), false);
	make(t,
	     KH_LIT("\x01\x02\x03\x04\x05\x06\x07\x08"
		    "abc"),
	     false);
}

/* A title is not cut inside of a character. */
static void test_long_title(struct kh_test *t)
{
	char line[1000];

	for (size_t i = 0; i < sizeof(line); i++)
		line[i] = i == 0 ? 'a' : i % 2 == 1 ? '\xc3' : '\xa9';
	line[sizeof(line) - 1] = '\n';
	assert_int_equal(make(t, kh_view_of(line, sizeof(line)), true).title.n, KH_SEARCH_TEXT_TITLE - 1);
}

/* A page is what people read of it, and its title is its title. */
static void test_page(struct kh_test *t)
{
	struct kh_search_text text = {{NULL, 0}, {NULL, 0}};
	struct kh_parser gumbo;
	bool is_text = false;

	must(t, kh_parser_load(&gumbo, &t->err));
	must(t,
	     kh_search_text_make(&t->arena, &gumbo,
				 KH_LIT("<html><head><title>Harbour dues</title><style>p{}</style></head><body><p>The "
					"<b>dues</b> of boats</p><script>x()</script></body></html>"),
				 KH_LIT("Dues.HTML"), &text, &is_text));
	assert_true(is_text);
	assert_view(text.title, "Harbour dues");
	assert_true(kh_view_find(text.body, KH_LIT("The dues of boats"), 0) != SIZE_MAX);
	assert_true(kh_view_find(text.body, KH_LIT("x()"), 0) == SIZE_MAX);
	assert_true(kh_view_find(text.body, KH_LIT("<b>"), 0) == SIZE_MAX);
}

/* A million tags, one in the other, do not keep the parser busy: such a page is taken as it is. */
static void test_deep_page(struct kh_test *t)
{
	struct kh_search_text text = {{NULL, 0}, {NULL, 0}};
	struct kh_parser gumbo;
	char *page = kh_alloc_zero(&kh_alloc_system, 5000000);
	bool is_text = false;

	assert_non_null(page);
	for (size_t i = 0; i < 1000000; i++)
		memcpy(page + 5 * i, "<div>", 5);
	must(t, kh_parser_load(&gumbo, &t->err));
	must(t, kh_search_text_make(&t->arena, &gumbo, kh_view_of(page, 5000000), KH_LIT("x.htm"), &text, &is_text));
	assert_true(is_text);
	assert_int_equal(text.body.n, 5000000);
	kh_alloc_free(&kh_alloc_system, page, 5000000);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_plain),      KH_TEST(test_other_encodings), KH_TEST(test_no_text),
	KH_TEST(test_long_title), KH_TEST_ONCE(test_page),       KH_TEST_ONCE(test_deep_page),
};

KH_TEST_MAIN(cases)
