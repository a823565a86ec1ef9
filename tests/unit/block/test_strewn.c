#include "core/block/strewn.h"
#include "harness.h"

struct seeking {
	const char *want;
	bool found;
	size_t bytes;
};

static enum kh_err on_text(void *ctx, struct kh_view text)
{
	struct seeking *s = ctx;
	char letters[256];
	size_t n = 0;

	for (size_t i = 0; i < text.n && n < sizeof(letters); i++) {
		if (text.p[i] != ' ')
			letters[n++] = text.p[i];
	}
	s->found = s->found || kh_view_find(kh_view_of(letters, n), kh_view_str(s->want), 0) != SIZE_MAX;
	s->bytes += text.n;
	return KH_OK;
}

/* Whether WANT is in a text that TEXTS, one a line, may be put together to. */
static bool has(struct kh_test *t, const char *lines, const char *want)
{
	struct kh_view texts[16], rest = kh_view_str(lines);
	struct seeking s = {.want = want};
	size_t count = 0;

	while (count < 16 && kh_view_split(&rest, '\n', &texts[count]))
		count++;
	must(t, kh_strewn_each(&t->arena, texts, count, on_text, &s));
	return s.found;
}

/* K7: letters among others in one call. */
static void test_among(struct kh_test *t)
{
	assert_true(has(t, "wxixrxextxhxexm", "wirethem"));
	assert_true(has(t, "/srv/wabirtrefefgtghhabexym", "wirethem"));
	assert_true(has(t, "w0/i1/r2/e3/t4/h5/e6/m7", "wirethem"));
	assert_true(has(t, "10w-11i-12r-13e-14t-15h-16e-17m", "wirethem"));
	assert_true(has(t, "bwq-xiz-crt-pes-gtn-khl-vet-xmz", "wirethem"));
	assert_true(has(t, "qqwiz-xrez-vvvthz-emz", "wirethem"));
	assert_false(has(t, "opening hours of the library", "thelibrary"));
}

/* K7: words among others in one call. */
static void test_words(struct kh_test *t)
{
	assert_true(has(t, "/wire-each-them-plan-nine-stop-million", "wirethemninemillion"));
	assert_true(has(t, "https://a.example/s?q=own+wire+word+them+here+nine", "wirethemnine"));
	assert_true(has(t, "wire/a/b/them/c/d/nine/e/f", "wirethemnine"));
	assert_true(has(t, "x y z wire a b c them d e f nine", "wirethemnine"));
	assert_true(has(t, "wire each them\nplan nine stop", "wirethemnine"));
	assert_true(has(t, "wire a the-m b nine c", "wirethe-mnine"));
	assert_true(has(t, "wire a | b nine c", "wire|nine"));
	assert_false(has(t, "wire a them b c nine", "wirethemnine"));
}

/* K7: the strings of a call, of which all or one of two or three count. */
static void test_items(struct kh_test *t)
{
	assert_true(has(t, "w0\ni1\nr2\ne3\nt4\nh5\ne6\nm7", "wirethem"));
	assert_true(has(t, "wi\nboolean\nre\nboolean\nth\nboolean\nem\nboolean", "wirethem"));
	assert_true(has(t, "f1w\nb\nf2i\nb\nf3r\nb\nf4e\nb\nf5t\nb\nf6h\nb", "wireth"));
	assert_true(has(t, "ab\nc\nwi\nd\ne\nre\nf\ng\nth", "wireth"));
	assert_false(has(t, "", "a"));
}

/* The work has a bound, however long the texts are. */
static void test_bound(struct kh_test *t)
{
	struct kh_view texts[64];
	struct seeking s = {.want = "b"};
	char *text = kh_arena_alloc(&t->arena, 4096);

	if (text == NULL)
		return;
	memset(text, 'a', 4096);
	for (size_t i = 0; i < 64; i++)
		texts[i] = kh_view_of(text, 4096);
	must(t, kh_strewn_each(&t->arena, texts, 64, on_text, &s));
	assert_true(s.bytes > 8192 && s.bytes < 400000);
}

static const struct kh_test_case cases[] = {KH_TEST(test_among), KH_TEST(test_words), KH_TEST(test_items),
					    KH_TEST_ONCE(test_bound)};
KH_TEST_MAIN(cases)
