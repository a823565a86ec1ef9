/* The closed list of languages.  Pure; the rows are in language.def. */
#include "core/bcp/language.h"

#include "core/bcp/closed.h"

static const struct kh_closed_row rows[] = {
#include "core/bcp/language.def"
};

#undef KH_CLOSED_ROW
#define KH_CLOSED_ROW KH_CLOSED_KEYS
static const char keys[] =
#include "core/bcp/language.def"
	;

/* As in country.c. "UK" is also the code of Ukrainian, but nobody means that by it. */
#define WORDS                                                                                                         \
	"am|an|as|be|bi|bs|ha|he|hi|ho|id|ie|is|it|km|la|lo|mr|ms|my|na|no|om|or|pa|pi|ps|sh|so|st|to|uk|yo|her|lol|" \
	"may|men|new|nor|per"

static const struct kh_closed_list list = {
	rows, sizeof(rows) / sizeof(rows[0]), KH_LIT_INIT(WORDS), {keys, sizeof(keys) - 1}};

bool kh_language_find(struct kh_view key, struct kh_view *ret_name)
{
	struct kh_view language = KH_LIT(" language");

	if (kh_closed_find(&list, key, ret_name))
		return true;
	/* "the French language".  This is tried second, because sign languages have the word in their names. */
	return kh_view_ends(key, language) && kh_closed_find(&list, kh_view_sub(key, 0, key.n - language.n), ret_name);
}

size_t kh_language_count(void)
{
	return list.count;
}
