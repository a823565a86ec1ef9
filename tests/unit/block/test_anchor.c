#include "core/block/anchor.h"
#include "harness.h"

#include "base/buf.h"

#include <time.h>

static const bool all[KH_ANCHOR_COUNT] = {true, true, true, true};

/* All anchors of TEXT as "kind:key" separated by blanks, in the order in which they come. */
static void anchors(struct kh_test *t, const char *text, const char *want)
{
	static const char *const kinds[] = {"url", "host", "address", "number"};
	struct kh_anchor_scan scan;
	struct kh_anchor anchor;
	struct kh_buf out;
	struct kh_view got;

	kh_buf_init(&out, &t->arena, 1 << 20);
	kh_anchor_begin(&scan, kh_view_str(text), all);
	while (kh_anchor_next(&scan, &anchor)) {
		assert_true(anchor.start < anchor.end && anchor.end <= strlen(text));
		char key[KH_ANCHOR_KEY];
		int n = (int)kh_anchor_key(&anchor, key);
		kh_buf_printf(&out, "%s%s:%.*s", out.n ? " " : "", kinds[anchor.kind], n, key);
	}
	must(t, kh_buf_end(&out, &got));
	assert_view(got, want);
}

/* K7: URLs and their hosts. */
static void test_urls(struct kh_test *t)
{
	anchors(t, "see https://evil.example/a?b=c#d.",
		"url:https://evil.example/a?b=c#d host:evil.example host:evil.example");
	anchors(t, "(http://user:pw@intranet:8080/)", "url:http://user:pw@intranet:8080 host:intranet");
	anchors(t, "http://[2001:db8::1]:80/x", "url:http://[2001:db8::1]:80/x host:[2001:db8::1]");
	anchors(t, "a ://x http:// ://", "");
}

/* K7: bare hosts and IPv4 addresses, but not every point between words. */
static void test_hosts(struct kh_test *t)
{
	anchors(t, "ask backup-server.evil.com. or 192.0.2.1, v1.2.3", "host:backup-server.evil.com host:192.0.2.1");
	anchors(t, "the end.of 3.14 a..com x.y -evil.org-", "host:end.of host:evil.org");
	anchors(t, "xn--80ak6aa92e.com XN--bcher-kva.org", "host:appie.com host:bucher.org");
}

/* K7: e-mail addresses. */
static void test_addresses(struct kh_test *t)
{
	anchors(t, "to eve+1@mail.evil.com, @home a@b", "host:mail.evil.com address:eve+1@mail.evil.com");
	anchors(t, "a@b@c.de", "host:c.de address:b@c.de");
}

/* K7: numbers of 6 digits or more, however they are grouped; a date is none. */
static void test_numbers(struct kh_test *t)
{
	anchors(t, "12345 123456 x1234567y", "number:12345123456 number:123456 number:1234567");
	anchors(t, "555 123-4567", "number:555123 number:5551234567 number:1234567");
	anchors(t, "(555) 1234", "number:5551234");
	anchors(t, "1,200,500.75 or 1.200.500", "number:1200500 number:200500 number:1200500 number:200500");
	anchors(t, "2026-03-15 and 15-03-2026 at 10:30:00", "");
	anchors(t, "1234-56-78-90", "number:123456 number:12345678 number:1234567890 number:567890");
}

/* K7: linear, whatever the text is. */
static void test_linear(struct kh_test *t)
{
	static const char *const pieces[] = {"a://", "a@", "1 ", "a.", "://", "@", "1", "a.bb@"};

	(void)t;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		static char text[1 << 20];
		size_t len = strlen(pieces[i]), n = 0;
		struct kh_anchor_scan scan;
		struct kh_anchor anchor;
		for (; n + len <= sizeof(text); n += len)
			memcpy(text + n, pieces[i], len);
		clock_t start = clock();
		kh_anchor_begin(&scan, kh_view_of(text, n), all);
		size_t count = 0;
		while (kh_anchor_next(&scan, &anchor))
			count++;
		assert_true(count <= 8 * n);
		assert_true(clock() - start < 5 * CLOCKS_PER_SEC); /* it takes a fiftieth of that; squared, minutes */
	}
}

/* K7: a number is found wherever it stands, though texts are searched for them in groups of bytes. */
static void test_number_anywhere(struct kh_test *t)
{
	static const char fill[] = "x1y12z345a6789b12345cdefgh9ijklmnopqrs";
	static const char *const numbers[][2] = {{"123456", "number:123456"},
						 {"12 3456", "number:123456"},
						 {"1,234,567", "number:1234567 number:234567"},
						 {"9876543210123456789", "number:9876543210123456789"},
						 {"12345", ""},
						 {"12-345", ""},
						 {"12/3456", ""}};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		for (int before = 0; before <= 38; before++) {
			for (int after = 0; after <= 38; after += 19) {
				struct kh_view text = kh_arena_printf(&t->arena, "%.*sx%sx%.*s", before, fill,
								      numbers[i][0], after, fill);
				assert_non_null(text.p);
				anchors(t, kh_arena_printf(&t->arena, "%.*s%c", KH_FMT(text), 0).p, numbers[i][1]);
				anchors(t, kh_arena_printf(&t->arena, "%.*sx%s%c", before, fill, numbers[i][0], 0).p,
					numbers[i][1]);
			}
		}
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_urls),
					    KH_TEST(test_hosts),
					    KH_TEST(test_addresses),
					    KH_TEST(test_numbers),
					    KH_TEST_ONCE(test_number_anywhere),
					    KH_TEST_ONCE(test_linear)};
KH_TEST_MAIN(cases)
