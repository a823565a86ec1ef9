/* E9: a page as text, by the tree that a browser would have. */
#include "worker/text/html.h"

#include "harness.h"

#include <stdlib.h>

static struct kh_view text_of(struct kh_test *t, struct kh_view html)
{
	struct kh_parser parser;
	struct kh_view text;
	struct kh_buf out;

	must(t, kh_parser_load(&parser, &t->err));
	kh_buf_init(&out, &t->arena, 1 << 20);
	must(t, kh_html_text(&parser, &t->arena, html, &out));
	must(t, kh_buf_end(&out, &text));
	return text;
}

static void test_pages(struct kh_test *t)
{
	static const struct {
		const char *html, *want;
	} cases[] = {
		{"", ""},
		{"plain", "plain"},
		{"<title>T &amp; U</title><p>a<p>b", "T & U\n\na\n\nb"},
		{"<head><meta><title>T</title><style>s</style><script>x</script><link></head>b", "T\n\nb"},
		{"a<script>no</script><style>no</style><template>no<p>no</template><noscript>no</noscript>b", "ab"},
		/* What a style sheet hides is for machines alone, and so for whoever asks about the page. */
		{"<p hidden>h<p style='display:none'>i<p aria-hidden=true>j<!-- comment -->", "h\n\ni\n\nj"},
		{"<div>a</div><div>b<br>c</div>", "a\nb\nc"},
		{"a  \n b <b> c</b>", "a b c"},
		{"<table><tr><th>x<th>y<tr><td>1<td>2</table>", "x\ty\n1\t2"},
		{"<table><tr><td><table><tr><td>i</table><td>o</table>", "i\n\n\to"},
		{"<ul><li>one<li>two</ul>", "- one\n- two"},
		{"<pre>  k\n   l</pre>m", "  k\n   l\nm"},
		{"<a href='https://x.example/'>t</a>", "t (https://x.example/)"},
		{"<a href='https://x.example/'>https://x.example/</a>", "https://x.example/"},
		{"<a href='#top'>t</a><a href=''>u</a><a name=x>v</a>", "tuv"},
		{"<a href='javascript:x()'>t</a>", "t (javascript:x())"},
		{"<img alt='a picture' src=x>", "a picture"},
		{"&eacute;&#233;&#x41;&lt;b&gt;&nosuch;", "\xc3\xa9\xc3\xa9"
							  "A<b>&nosuch;"},
		{"<svg><text>s</text><style>no</style><script>no</script></svg>", "s"},
		{"<select><option>a<option>b</select><textarea> k </textarea>", "a\nb\n k "},
		{"<b><p>x</b>y<table>z<td>w", NULL}, /* broken, and something comes */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kh_view text = text_of(t, kh_view_str(cases[i].html));
		if (cases[i].want != NULL && !kh_view_eq(text, kh_view_str(cases[i].want)))
			print_error("%s\n", cases[i].html);
		if (cases[i].want != NULL)
			assert_view(text, cases[i].want);
	}
	struct kh_view text = text_of(t, kh_view_of("a\0b\x01\x7f", 5));
	assert_true(kh_view_find(text, kh_view_of("\0", 1), 0) == SIZE_MAX);
}

/* Depth costs memory of the arena and no stack. */
static void test_deep(struct kh_test *t)
{
	enum { DEPTH = 20000 };
	char *html = malloc(5 * DEPTH + 1);

	for (size_t i = 0; i < DEPTH; i++)
		memcpy(html + 5 * i, "<div>", 5);
	html[5 * DEPTH] = 'x';
	assert_view(text_of(t, kh_view_of(html, 5 * DEPTH + 1)), "x");
	free(html);
}

/* A tree that does not fit is an error, not a crash: the library does not look at what it gets. */
static void test_too_large(struct kh_test *t)
{
	static char html[300000];
	struct kh_parser parser;
	struct kh_arena arena;
	struct kh_buf out;

	for (size_t i = 0; i + 3 < sizeof(html); i += 3)
		memcpy(html + i, "<b>", 3);
	must(t, kh_parser_load(&parser, &t->err));
	for (size_t limit = 1000; limit < 1000000; limit = limit * 3 / 2) {
		kh_arena_init(&arena, &kh_alloc_system, limit);
		kh_buf_init(&out, &arena, 1000);
		assert_int_equal(kh_html_text(&parser, &arena, kh_view_of(html, sizeof(html)), &out), KH_ENOMEM);
		kh_arena_done(&arena);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_pages),
	KH_TEST_ONCE(test_deep),
	KH_TEST_ONCE(test_too_large),
};

KH_TEST_MAIN(cases)
