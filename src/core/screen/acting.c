/* Words of acting.  The input is hostile; the table is ours. */
#include "core/screen/acting.h"

#define SHORTEST 3  /* letters of a verb of which other forms are read */
#define LONGEST  16 /* letters of a word */

enum {
	VERB = KH_ACTING_VERB,
	NOUN = KH_ACTING_NOUN,
	FORM = KH_ACTING_FORM,
	DEED = KH_ACTING_DEED,
	NEED = KH_ACTING_NEED,
	SOON = KH_ACTING_SOON,
	WHOM = KH_ACTING_WHOM,
	GIVE = KH_ACTING_GIVE,
	OTHER = KH_ACTING_OTHER,
	SIGN = KH_ACTING_SIGN,
};

static const struct row {
	struct kh_view word;
	unsigned is;
} rows[] = {
#define WORD(word, is) {KH_LIT_INIT(word), is},
#include "core/screen/acting.def"
#undef WORD
};

#define COUNT (sizeof(rows) / sizeof(rows[0]))

static int compare(struct kh_view a, struct kh_view b)
{
	int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

static unsigned find(struct kh_view word)
{
	for (size_t low = 0, high = COUNT; low < high;) {
		size_t middle = low + (high - low) / 2;
		int order = compare(word, rows[middle].word);
		if (order == 0)
			return rows[middle].is;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

/* What the verb STEM is, which may have lost an "e" to its ending ("sharing") or have its last letter twice ("skipped"). */
static unsigned find_stem(struct kh_view stem, bool lost)
{
	char whole[LONGEST + 1];
	unsigned is = find(stem);

	if (is == 0 && stem.n > 3 && stem.p[stem.n - 1] == stem.p[stem.n - 2])
		is = find(kh_view_sub(stem, 0, stem.n - 1));
	if (is == 0 && lost && stem.n < LONGEST) {
		memcpy(whole, stem.p, stem.n);
		whole[stem.n] = 'e';
		is = find(kh_view_of(whole, stem.n + 1));
	}
	return (is & VERB) != 0 && (is & OTHER) == 0 ? FORM | (is & (NOUN | GIVE)) : 0;
}

static unsigned find_form(struct kh_view word)
{
	static const char *const endings[] = {"s", "es", "d", "ed", "ing"};
	unsigned is = 0;

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) && is == 0; i++) {
		struct kh_view ending = kh_view_str(endings[i]);
		if (word.n >= ending.n + SHORTEST && kh_view_ends(word, ending))
			is = find_stem(kh_view_sub(word, 0, word.n - ending.n), i == 4);
	}
	return is;
}

bool kh_acting_is_sorted(void)
{
	for (size_t i = 1; i < COUNT; i++) {
		if (compare(rows[i - 1].word, rows[i].word) >= 0)
			return false;
	}
	return true;
}

unsigned kh_acting_find(struct kh_view word)
{
	if (word.n < 2 || word.n > LONGEST)
		return 0;
	unsigned is = find(word);
	char last = word.p[word.n - 1];
	return is != 0 || (last != 's' && last != 'd' && last != 'g') ? is : find_form(word);
}
