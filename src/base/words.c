/* Words of enumerations.  The tables come from the caller; this file does not know their meaning. */
#include "base/words.h"

#include "base/buf.h"

const char *kh_words_name(const struct kh_words *words, unsigned value)
{
	return words->at[value];
}

bool kh_words_parse(const struct kh_words *words, struct kh_view word, unsigned *ret_value)
{
	for (size_t i = 0; i < words->n; i++) {
		if (words->at[i] != NULL && kh_view_eq(kh_view_str(words->at[i]), word)) {
			*ret_value = (unsigned)i;
			return true;
		}
	}
	return false;
}

bool kh_words_have(const struct kh_words *words, struct kh_view word)
{
	unsigned unused;

	return kh_words_parse(words, word, &unused);
}

struct kh_view kh_words_list(struct kh_arena *arena, const struct kh_words *words)
{
	struct kh_view list = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, 1024);
	for (size_t i = 0; i < words->n; i++) {
		if (words->at[i] == NULL)
			continue;
		if (buf.n > 0)
			kh_buf_add(&buf, i + 1 == words->n ? KH_LIT(" or ") : KH_LIT(", "));
		kh_buf_add(&buf, kh_view_str(words->at[i]));
	}
	return kh_buf_end(&buf, &list) == KH_OK ? list : (struct kh_view){NULL, 0};
}
