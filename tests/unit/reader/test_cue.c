#include "reader/cue.h"

#include "harness.h"

#include <stdio.h>

static bool same(const char *a, const char *b)
{
	return kh_cue_stem(kh_view_str(a)) == kh_cue_stem(kh_view_str(b));
}

/* A group of the list: `name: head word...`.  Its head stands for all of its words. */
static size_t check_group(struct kh_test *t, struct kh_view line)
{
	struct kh_view name, word, head = {NULL, 0};
	struct kh_cue_set set;
	size_t words = 0;

	if (line.n == 0 || line.p[0] == '#')
		return 0;
	assert_true(kh_view_split(&line, ':', &name));
	kh_cue_init(&set, &t->arena, 4);
	while (kh_view_split(&line, ' ', &word)) {
		uint32_t stem = kh_cue_stem(word);
		if (word.n == 0)
			continue;
		if (head.p == NULL)
			kh_cue_add_group(&set, stem, 0, 0);
		head = word;
		words++;
		if (kh_view_eq(name, KH_LIT("empty")))
			assert_true(kh_cue_is_empty(stem));
		else if (kh_view_eq(name, KH_LIT("general")))
			assert_true(kh_cue_is_general(stem));
		else
			assert_non_null(kh_cue_find(&set, stem));
	}
	return words;
}

/* The tables of the build have the stems of the run. */
static void test_list_holds(struct kh_test *t)
{
	static char text[1 << 16];
	size_t words = 0;
	FILE *f = fopen(KH_SOURCE "/src/reader/cues.txt", "re");

	assert_non_null(f);
	struct kh_view rest = kh_view_of(text, fread(text, 1, sizeof(text), f)), line;
	fclose(f);
	while (kh_view_split(&rest, '\n', &line))
		words += check_group(t, line);
	assert_true(words > 500);
}

static void test_stems(struct kh_test *t)
{
	(void)t;
	assert_true(same("charge", "Charged") && same("charge", "charges") && same("charging", "CHARGE"));
	assert_true(same("bill", "billing") && same("ship", "shipped") && same("reply", "replies"));
	assert_true(same("urgent", "urgently") && same("sender", "sender's") && same("box", "boxes"));
	assert_true(same("sender", "sender\xe2\x80\x99s"));
	assert_false(same("bill", "ball") || same("need", "ne") || same("status", "statu") || same("bus", "bu"));
	assert_false(same("a", "b"));
	assert_true(kh_cue_is_empty(kh_cue_stem(KH_LIT("The"))));
	assert_false(kh_cue_is_empty(kh_cue_stem(KH_LIT("invoice"))));
	assert_true(kh_cue_is_general(kh_cue_stem(KH_LIT("mentions"))));
}

/* A word stands for its group; the head of a group for that one alone. */
static void test_groups(struct kh_test *t)
{
	struct kh_cue_set set;
	uint32_t asap = kh_cue_stem(KH_LIT("asap")), invoice = kh_cue_stem(KH_LIT("invoice"));

	kh_cue_init(&set, &t->arena, 4);
	kh_cue_add_group(&set, kh_cue_stem(KH_LIT("urgent")), 3, 5);
	kh_cue_add_group(&set, kh_cue_stem(KH_LIT("refund")), 1, 2);
	must(t, kh_arena_check(&t->arena));
	const struct kh_cue *cue = kh_cue_find(&set, asap);
	assert_non_null(cue);
	assert_int_equal(cue->owner, 3);
	assert_int_equal(cue->cue, 5);
	assert_int_equal(cue->weight, KH_CUE_NEAR);
	assert_int_equal(kh_cue_find(&set, kh_cue_stem(KH_LIT("urgently")))->weight, KH_CUE_OWN);
	assert_null(kh_cue_find(&set, invoice)); /* of billing, which has refunds in it */
}

/* Many words: the set grows, and loses none. */
static void test_growth(struct kh_test *t)
{
	struct kh_cue_set set;

	kh_cue_init(&set, &t->arena, 1);
	for (uint32_t i = 1; i <= 3000; i++) {
		kh_cue_add(&set, i * 64, i % 7, i % 5, 1);
		kh_cue_add(&set, i * 64, 60, 1, 2);
		kh_cue_add(&set, i * 64, 60, 1, 9);
	}
	must(t, kh_arena_check(&t->arena));
	for (uint32_t i = 1; i <= 3000; i++) {
		const struct kh_cue *cue = kh_cue_find(&set, i * 64), *next;
		assert_non_null(cue);
		next = kh_cue_next(&set, cue);
		assert_non_null(next);
		assert_null(kh_cue_next(&set, next));
		assert_int_equal(cue->weight + next->weight, 10);
	}
	assert_null(kh_cue_find(&set, 63));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_list_holds), KH_TEST_ONCE(test_stems),
					    KH_TEST(test_groups), KH_TEST(test_growth)};
KH_TEST_MAIN(cases)
