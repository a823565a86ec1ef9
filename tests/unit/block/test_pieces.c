#include "core/block/pieces.h"
#include "harness.h"

/* The letters and digits of V, in lower case. */
static struct kh_view letters(struct kh_test *t, struct kh_view v)
{
	char *out = kh_arena_alloc(&t->arena, v.n + 1);
	size_t n = 0;

	for (size_t i = 0; out != NULL && i < v.n; i++) {
		if (kh_ascii_is_alpha(v.p[i]) || kh_ascii_is_digit(v.p[i]))
			out[n++] = kh_ascii_lower(v.p[i]);
	}
	return kh_view_of(out, n);
}

/* Whether WANT stands in a text that LINES and PRESENT are put together to; ANCHORS: in one of those for anchors. */
static bool has(struct kh_test *t, const char *lines, const char *present, const char *want, bool anchors)
{
	struct kh_pieces pieces = {0};
	bool found = false;

	must(t, kh_pieces_join(&t->arena, kh_view_str(lines), kh_view_str(present), 3, &pieces));
	for (size_t i = 0; i < pieces.n; i++) {
		const struct kh_compare_joined *text = &pieces.at[i];
		assert_int_equal(text->of, 3);
		assert_true(text->from < text->to && text->to <= text->text.n);
		struct kh_view shown = anchors ? text->text : letters(t, text->text);
		if (shown.p != NULL && text->anchors == anchors)
			found = found || kh_view_find(shown, kh_view_str(want), 0) != SIZE_MAX;
	}
	return found;
}

/* K7: the ways in which pieces are sent. */
static void test_ways(struct kh_test *t)
{
	static const struct {
		const char *lines, *present, *want;
	} ways[] = {
		{"wi\nre\nth\n", "e m", "wirethem"},
		{"e m\nth\nre\n", "wi", "wirethem"},
		{"iw\ner\nht\n", "m e", "wirethem"},
		{"0/wi\n1/re\n2/th\n", "3/em", "wirethem"},
		{"wi1\nre2\nth3\n", "em4", "wirethem"},
		{"9a/wi\nb7/re\n0c/th\n", "d4/em", "wirethem"},
		{"wi9ab\nreb7c\nth0cd\n", "emd4e", "wirethem"},
		{"9abwi\nb7cre\n0cdth\n", "d4eem", "wirethem"},
		{"prewipost\nprerepost\nprethpost\n", "preempost", "reth"},
		{"wi\nopening hours\nre\nweather\nth\nmuseum\n", "em", "wirethem"},
		{"none\twi\nre\tnone\nnone\tth\n", "em\tnone", "wirethem"},
		{"i\tw\ne\tr\nh\tt\n", "m\te", "wirethem"},
		{"d2k=\ncmU=\ndGg=\n", "ZW0=", "wirethem"},
		/* at a fixed place, from the beginning, from the end, from both */
		{"bcwivvv\nzxredfg\nqqthbbb\n", "pdemxkl", "wirethem"},
		{"bwxyz\ncinmkl\ndrv\n", "fed", "wire"},
		{"bcdwiv\nzrex\nqqqqthb\n", "emx", "wirethem"},
		{"bcwixvv\nzxreethvv\nqqembb\n", "pdsoonkl", "reethemsoon"},
		{"theconstantbeginningwiend\n", "theconstantbeginningreend", "wire"},
		/* each second or third call */
		{"wi\nbc\nre\nxz\nth\npq\n", "em", "wirethem"},
		{"wi\nbc\nzz\nre\nxz\nvv\nth\npq\nkk\n", "em", "wirethem"},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		assert_true(has(t, ways[i].lines, ways[i].present, ways[i].want, false));
	assert_false(has(t, "", "em", "em", false));
	assert_false(has(t, "wi\n", "", "wi", false));
}

/* K7: hosts, addresses and numbers are made of whole pieces; numbers that count are none. */
static void test_anchors(struct kh_test *t)
{
	assert_true(has(t, "x\nev\nil.exa\n", "mple", "evil.example", true));
	assert_true(has(t, "mple\nil.exa\n", "ev", "evil.example", true));
	assert_true(has(t, "47\n11\n08\n", "15", "47110815", true));
	assert_false(has(t, "7\n8\n9\n", "10", "78910", true));
	assert_false(has(t, "7\n8\n9\n", "10", "78910", false));
	assert_false(has(t, "ab7\nxz8\ncd9\n", "gh0", "7890", false));
}

static const struct kh_test_case cases[] = {KH_TEST(test_ways), KH_TEST(test_anchors)};
KH_TEST_MAIN(cases)
