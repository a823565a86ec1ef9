/*
 * Finds runs of words that a justification shares with deliveries.  Both are short, so a simple comparison is enough.
 */
#include "core/bcp/justification.h"

#include "core/screen/normalise.h"

struct words {
	struct kh_view *at;
	size_t n;
};

/* The words of TEXT in normal form, without punctuation at their ends. */
static enum kh_err read_words(struct kh_arena *arena, struct kh_view text, struct words *ret)
{
	struct kh_view key, rest, word;
	enum kh_err e = kh_normalise_key(arena, text, &key);

	if (e != KH_OK)
		return e;
	*ret = (struct words){KH_NEW_N(arena, struct kh_view, key.n / 2 + 1), 0};
	if (ret->at == NULL)
		return KH_ENOMEM;
	for (rest = key; kh_view_split(&rest, ' ', &word);) {
		while (word.n > 0 && strchr(".,;:!?\"'()", word.p[0]) != NULL)
			word = kh_view_from(word, 1);
		while (word.n > 0 && strchr(".,;:!?\"'()", word.p[word.n - 1]) != NULL)
			word.n--;
		if (word.n > 0)
			ret->at[ret->n++] = word;
	}
	return KH_OK;
}

static size_t run_length(const struct words *a, size_t i, const struct words *b, size_t k)
{
	size_t n = 0;

	while (i + n < a->n && k + n < b->n && kh_view_eq(a->at[i + n], b->at[k + n]))
		n++;
	return n;
}

enum kh_err kh_justification_repeats(struct kh_arena *arena, struct kh_view justification,
				     const struct kh_view *deliveries, size_t count, struct kh_view *ret_run)
{
	struct words mine, theirs;
	size_t best = KH_JUSTIFICATION_RUN - 1;
	enum kh_err e = read_words(arena, justification, &mine);

	*ret_run = KH_LIT("");
	for (size_t d = 0; e == KH_OK && d < count; d++) {
		e = read_words(arena, deliveries[d], &theirs);
		for (size_t i = 0; e == KH_OK && i < mine.n; i++) {
			for (size_t k = 0; k < theirs.n; k++) {
				size_t n = run_length(&mine, i, &theirs, k);
				if (n <= best)
					continue;
				best = n;
				const struct kh_view *last = &mine.at[i + n - 1];
				*ret_run = kh_view_of(mine.at[i].p, (size_t)(last->p + last->n - mine.at[i].p));
			}
		}
	}
	return e;
}
