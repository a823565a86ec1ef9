/* The closed list of countries.  Pure; the rows are in country.def. */
#include "core/bcp/country.h"

#include "core/bcp/closed.h"

static const struct kh_closed_row rows[] = {
#include "core/bcp/country.def"
};

#undef KH_CLOSED_ROW
#define KH_CLOSED_ROW KH_CLOSED_KEYS
static const char keys[] =
#include "core/bcp/country.def"
	;

/*
 * If a Reader answers "no", it does not mean Norway, nor does "N.A." mean Namibia.  Codes of three letters are refused
 * if they are words of grammar; "jam" and "guy" are accepted, because no Reader answers them by accident. "US" is a
 * word too, but mostly means the country.
 */
#define WORDS                                                                                                          \
	"ad|ai|am|as|at|ax|be|bi|bs|by|do|eh|er|hm|id|ie|im|in|iq|is|it|km|la|ma|me|mr|ms|my|na|no|om|pa|pm|ps|re|sh|" \
	"so|st|to|tv|um|ye|and|are|can|nor|per"

static const struct kh_closed_list list = {
	rows, sizeof(rows) / sizeof(rows[0]), KH_LIT_INIT(WORDS), {keys, sizeof(keys) - 1}};

bool kh_country_find(struct kh_view key, struct kh_view *ret_name)
{
	return kh_closed_find(&list, key, ret_name);
}

size_t kh_country_count(void)
{
	return list.count;
}
