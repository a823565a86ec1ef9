/*
 * The formats: one table, with one read function each.
 *
 * The text comes from a Reader, that is, from an attacker.  Each read function accepts a grammar and builds its result
 * anew from what it understood.  Only person_name, email, identifier, short_list and short_text copy letters of the
 * answer, and those are screened (answer.c).
 */
#include "core/bcp/format.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "core/bcp/country.h"
#include "core/bcp/currency.h"
#include "core/bcp/date.h"
#include "core/bcp/language.h"
#include "core/bcp/number.h"
#include "core/screen/lexicon.h"
#include "core/screen/normalise.h"

#include <utf8proc.h>

#define INTEGER_BOUND (INT64_C(1) << 53)

struct reading {
	struct kh_arena *arena;
	struct kh_format_detail detail;
	struct kh_view text;
	struct kh_view canonical;
	const char *problem;
};

static bool lower(struct reading *r, struct kh_view text)
{
	return kh_normalise_lower(r->arena, text, &r->canonical) == KH_OK;
}

/* --- names ------------------------------------------------------------------------------------------------------ */

static bool is_letter(uint32_t c)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);

	return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
	       category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC;
}

static bool is_mark(uint32_t c)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);

	return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC;
}

/*
 * Greek and Hebrew letters that are only used at the end of words.  Before another letter they show that the text was
 * reversed.
 */
static bool is_final(uint32_t c)
{
	return c == 0x3c2 || c == 0x5da || c == 0x5dd || c == 0x5df || c == 0x5e3 || c == 0x5e5;
}

/* The plain apostrophe for any kind of apostrophe; 0 for any other character. */
static uint32_t plain_apostrophe(uint32_t c)
{
	return c == '\'' || c == 0x2019 || c == 0x2018 || c == 0x2bc || c == 0x2bb || c == 0x60 || c == 0xb4 ? '\'' : 0;
}

static uint32_t plain_hyphen(uint32_t c)
{
	return c == '-' || (c >= 0x2010 && c <= 0x2014) || c == 0x2212 ? '-' : 0;
}

/*
 * Accepts letters, apostrophes and hyphens inside words, full stops after them, and one comma ("Smith, John").  Full
 * stops and the comma are not in the result.
 */
static bool read_person_name(struct reading *r)
{
	struct kh_buf out;
	bool letter = false, any = false;
	unsigned commas = 0;

	r->problem = "a name has letters, blanks, apostrophes, hyphens and full stops only";
	kh_buf_init(&out, r->arena, r->text.n * 4 + 4);
	for (size_t at = 0, n; at < r->text.n; at += n) {
		uint32_t c = 0, next = ' ';
		n = kh_utf8_decode(r->text, at, &c);
		if (n == 0)
			return false;
		kh_utf8_decode(r->text, at + n, &next);
		uint32_t joint = plain_apostrophe(c) ? '\'' : plain_hyphen(c);
		if (is_letter(c) && (letter || !is_mark(c)) && !(is_final(c) && is_letter(next))) {
			kh_buf_char(&out, c);
			letter = any = true;
		} else if (joint != 0 && (letter || joint == '\'') && is_letter(next)) {
			kh_buf_char(&out, joint);
			letter = false;
		} else if (c == ' ' && (letter || (at > 0 && (r->text.p[at - 1] == '.' || r->text.p[at - 1] == ',')))) {
			kh_buf_byte(&out, ' ');
			letter = false;
		} else if (c == '.' && letter) {
			/* "J.R.R. Tolkien": separate the initials. */
			if (is_letter(next))
				kh_buf_byte(&out, ' ');
			letter = false;
		} else if (c == ',' && next == ' ' && commas++ == 0) {
			letter = false;
		} else {
			return false;
		}
	}
	struct kh_view name;
	return any && kh_buf_end(&out, &name) == KH_OK && lower(r, name);
}

/* --- addresses -------------------------------------------------------------------------------------------------- */

static bool is_domain(struct kh_view domain)
{
	struct kh_view rest = domain, label = KH_LIT("");
	unsigned labels = 0;

	while (kh_view_split(&rest, '.', &label)) {
		if (!kh_view_is_label(label))
			return false;
		labels++;
	}
	/* The last label must be a name, not a number, so that IP addresses are refused. */
	return labels >= 2 && label.n >= 2 && kh_ascii_is_alpha(label.p[0]) && kh_ascii_is_alpha(label.p[label.n - 1]);
}

static bool is_local_part(struct kh_view local)
{
	if (local.n == 0 || local.n > 64 || local.p[0] == '.' || local.p[local.n - 1] == '.')
		return false;
	return kh_view_is_word(local, "._%+'-") && kh_view_find(local, KH_LIT(".."), 0) == SIZE_MAX;
}

static bool read_email(struct reading *r)
{
	size_t at = kh_view_find(r->text, KH_LIT("@"), 0);

	r->problem = "not an e-mail address (local@domain, ASCII)";
	return at != SIZE_MAX && is_local_part(kh_view_sub(r->text, 0, at)) &&
	       is_domain(kh_view_from(r->text, at + 1)) && lower(r, r->text);
}

/*
 * "x855", "ext. 855", "extension 855": the digits; {NULL, 0} if there is none.  *RET_END is the offset at which it
 * begins.
 */
static struct kh_view extension(struct kh_view v, size_t *ret_end)
{
	size_t start = v.n;

	*ret_end = v.n;
	while (start > 0 && kh_ascii_is_digit(v.p[start - 1]))
		start--;
	struct kh_view digits = kh_view_from(v, start), before = kh_view_trim(kh_view_sub(v, 0, start));
	static const char *const words[] = {"extension", "ext.", "ext", "x", "#"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct kh_view word = kh_view_str(words[i]);
		if (digits.n > 0 && digits.n <= 6 && before.n > word.n &&
		    kh_view_eq_nocase(kh_view_from(before, before.n - word.n), word)) {
			*ret_end = before.n - word.n;
			return digits;
		}
	}
	return kh_view_of(NULL, 0);
}

/*
 * True if a "(0)" is at AT that stands for the zero of calls within a country: behind the country's code it is not dialled.
 * In Italy it is.
 */
static bool is_trunk_zero(struct kh_view number, size_t at, size_t digits)
{
	return number.p[0] == '+' && digits > 0 && digits <= 3 &&
	       kh_view_starts(kh_view_from(number, at), KH_LIT("(0)")) && !kh_view_starts(number, KH_LIT("+39"));
}

/*
 * True if the slash at AT stands behind an area code ("030/123456", "+49 30 / 123456"): so many DIGITS are before it,
 * and no other slash.  Behind more of them it joins two numbers, and one number of both is neither.
 */
static bool is_area_slash(struct kh_view number, size_t at, size_t digits)
{
	bool abroad = number.p[0] == '+';
	size_t most = abroad ? 7 : kh_view_starts(number, KH_LIT("00")) ? 9 : 3;

	for (size_t i = 0; i < at && !abroad && most == 3; i++) {
		if (kh_ascii_is_digit(number.p[i])) {
			most = number.p[i] == '0' ? 6 : 3;
			break;
		}
	}
	return digits <= most && memchr(number.p, '/', at) == NULL;
}

static bool read_phone(struct reading *r)
{
	size_t end, digits = 0;
	struct kh_view ext = extension(r->text, &end);
	struct kh_view number = kh_view_trim(kh_view_sub(r->text, 0, end));
	struct kh_buf out;
	int open = 0;

	r->problem = "not a telephone number: 5 to 15 digits, with + ( ) - . / and blanks";
	kh_buf_init(&out, r->arena, 64);
	for (size_t i = 0; i < number.n; i++) {
		if (is_trunk_zero(number, i, digits)) {
			i += 2;
			continue;
		}
		char c = number.p[i];
		open += (c == '(') - (c == ')');
		if (open < 0 || open > 1 || (c == '/' && !is_area_slash(number, i, digits)))
			return false;
		if (kh_ascii_is_digit(c) && ++digits <= 15)
			kh_buf_byte(&out, c);
		else if (c == '+' && i == 0)
			kh_buf_byte(&out, '+');
		else if (c == '\0' || strchr(" -./()", c) == NULL)
			return false;
	}
	if (digits < 5 || digits > 15 || open != 0)
		return false;
	if (ext.p != NULL) {
		kh_buf_lit(&out, " x");
		kh_buf_add(&out, ext);
	}
	return kh_buf_end(&out, &r->canonical) == KH_OK;
}

/* --- numbers ---------------------------------------------------------------------------------------------------- */

static bool read_integer(struct reading *r)
{
	struct kh_number number;

	if (!kh_number_read(r->text, &number, &r->problem))
		return false;
	r->problem = "not a whole number within 2^53";
	if (number.places > 0 || number.value > INTEGER_BOUND || number.value < -INTEGER_BOUND)
		return false;
	r->canonical = kh_number_write(r->arena, number, 0);
	return true;
}

static bool read_number(struct reading *r)
{
	struct kh_view text = r->text;
	struct kh_number number;
	bool percent = text.n > 1 && text.p[text.n - 1] == '%';

	if (!kh_number_read(kh_view_sub(text, 0, text.n - percent), &number, &r->problem))
		return false;
	r->canonical = kh_number_write(r->arena, number, 0);
	if (percent)
		r->canonical = kh_arena_printf(r->arena, "%.*s%%", KH_FMT(r->canonical));
	return true;
}

static bool read_amount(struct reading *r)
{
	struct kh_number number;
	struct kh_view code;
	unsigned digits = 2;

	if (!kh_number_read_amount(r->arena, r->text, &number, &code, &r->problem) ||
	    !kh_currency_find(code, &code, &digits))
		return false;
	struct kh_view value = kh_number_write(r->arena, number, digits);
	r->canonical = kh_arena_printf(r->arena, "%.*s %.*s", KH_FMT(value), KH_FMT(code));
	return true;
}

/* --- dates ------------------------------------------------------------------------------------------------------ */

static bool read_date(struct reading *r)
{
	struct kh_date date;

	if (!kh_date_read(r->text, &date, &r->problem))
		return false;
	r->canonical = kh_date_write(r->arena, &date);
	return true;
}

/* TIME without what the question does not ask for. */
static struct kh_view write_time(const struct reading *r, struct kh_time time)
{
	if (!r->detail.seconds)
		time.second = -1;
	if (!r->detail.zone)
		time.zoned = false;
	return kh_date_write_time(r->arena, &time);
}

/* True if what would be a zone can be the end of a range (9:00-10:00) and the question asks for no zone. */
static bool is_range(struct reading *r, const struct kh_time *time)
{
	r->problem = "it can be a range; a zone is read if the question asks for it";
	return time->dashed && !r->detail.zone;
}

static bool read_time(struct reading *r)
{
	struct kh_time time;

	if (!kh_date_read_time(r->text, &time, &r->problem) || is_range(r, &time))
		return false;
	r->canonical = write_time(r, time);
	return true;
}

static bool read_datetime(struct reading *r)
{
	struct kh_date date;
	struct kh_time time;

	if (!kh_date_read_both(r->text, &date, &time, &r->problem) || is_range(r, &time))
		return false;
	struct kh_view day = kh_date_write(r->arena, &date), clock = write_time(r, time);
	r->canonical = kh_arena_printf(r->arena, "%.*sT%.*s", KH_FMT(day), KH_FMT(clock));
	return true;
}

/* --- closed lists ----------------------------------------------------------------------------------------------- */

static bool read_yes_no(struct reading *r)
{
	static const char *const words[] = {"yes", "y", "true", "no", "n", "false"};
	struct kh_view word = r->text;

	r->problem = "expected yes or no";
	if (word.n > 1 && (word.p[word.n - 1] == '.' || word.p[word.n - 1] == '!'))
		word.n--;
	for (size_t i = 0; i < 6; i++) {
		if (kh_view_eq_nocase(word, kh_view_str(words[i]))) {
			r->canonical = i < 3 ? KH_LIT("yes") : KH_LIT("no");
			return true;
		}
	}
	return false;
}

/* Replaces typographic quotes and dashes with plain ones, because they mean the same but could carry hidden bits. */
static struct kh_view plain_punctuation(struct kh_arena *arena, struct kh_view text)
{
	struct kh_buf out;
	struct kh_view plain;

	if (kh_utf8_is_ascii(text))
		return text;
	kh_buf_init(&out, arena, text.n);
	for (size_t at = 0, n; at < text.n; at += n) {
		uint32_t c = 0;
		n = kh_utf8_decode(text, at, &c);
		if (n == 0)
			break;
		if (c >= 0x201c && c <= 0x201f)
			c = '"';
		else if (c == 0x201a || c == 0x201b || plain_apostrophe(c))
			c = '\'';
		else if (plain_hyphen(c))
			c = '-';
		kh_buf_char(&out, c);
	}
	return kh_buf_end(&out, &plain) == KH_OK ? plain : kh_view_of(NULL, 0);
}

/* The key of a closed list.  Case and accents are ignored; look-alikes from other scripts are not. */
static bool closed_key(struct reading *r, struct kh_view *ret_key)
{
	uint32_t *origin;

	return kh_normalise_form(r->arena, plain_punctuation(r->arena, r->text), KH_NORMALISE_FOLD, ret_key, &origin) ==
	       KH_OK;
}

static bool read_country(struct reading *r)
{
	struct kh_view key;

	r->problem = "not a country that is known";
	return closed_key(r, &key) && kh_country_find(key, &r->canonical);
}

static bool read_language(struct reading *r)
{
	struct kh_view key;

	r->problem = "not a language that is known";
	return closed_key(r, &key) && kh_language_find(key, &r->canonical);
}

/* --- text ------------------------------------------------------------------------------------------------------- */

#define GROUP_MAX 12 /* characters of one group of several */

/* True for letters and digits with single . _ / # : - between them; *RET_DIGIT: at least one of them is a digit. */
static bool is_group(struct kh_view group, bool first, bool *ret_digit)
{
	bool digit = false, mark = true;

	for (size_t i = 0; i < group.n; i++) {
		char c = group.p[i];
		bool here = c != '\0' && strchr("._/#:-", c) != NULL;
		if (here ? mark && !(first && i == 0 && c == '#') : !kh_ascii_is_alpha(c) && !kh_ascii_is_digit(c))
			return false;
		digit |= kh_ascii_is_digit(c);
		mark = here;
	}
	*ret_digit = digit;
	return !mark;
}

/* True if GROUP, of a few letters, is a word and no code: "pay", "now".  Words of two letters are codes too. */
static bool is_known_word(struct kh_view group)
{
	char small[5];

	if (group.n < 3 || group.n >= sizeof(small))
		return false;
	for (size_t i = 0; i < group.n; i++)
		small[i] = kh_ascii_lower(group.p[i]);
	return (kh_lexicon_find(kh_view_of(small, group.n)) & ~(unsigned)KH_WORD_NAME) != 0;
}

/* What of a group is no number; BETWEEN: letters between digits. */
static size_t count_letters(struct kh_view group, bool *ret_between)
{
	size_t letters = 0, last = SIZE_MAX;

	*ret_between = false;
	for (size_t i = 0; i < group.n; i++) {
		if (kh_ascii_is_alpha(group.p[i])) {
			letters++;
			continue;
		}
		*ret_between = *ret_between || (last != SIZE_MAX && last + 1 < i);
		last = i;
	}
	return letters;
}

/*
 * Reads what names a thing: one group, or several with blanks between them ("LA 2485", an IBAN).  Several are short, so
 * that there is no room for a sentence: a group without a digit is no word, has at most four letters and stands beside
 * groups with digits; of the others each has at most three letters, and only one has them between digits, as words in
 * leet do.
 */
static bool read_identifier(struct reading *r)
{
	struct kh_view rest = r->text, group;
	bool several = rest.n > 0 && memchr(rest.p, ' ', rest.n) != NULL, any = false, before = true, between = false;
	size_t inside = 0;

	r->problem = "an identifier is letters and digits, with a digit in it; blanks only between short groups";
	for (size_t n = 0; kh_view_split(&rest, ' ', &group); n++) {
		bool digit = false;
		if (!is_group(group, n == 0, &digit) || (!digit && (group.n > 4 || !before || is_known_word(group))))
			return false;
		any |= digit;
		before = digit;
		size_t letters = count_letters(group, &between);
		inside += between;
		if (several && (group.n > GROUP_MAX || (digit && letters > 3) || inside > 1))
			return false;
	}
	return any && lower(r, r->text);
}

/* V without quotes around it and punctuation at its end, which say nothing. */
static struct kh_view strip_ends(struct kh_view v)
{
	for (;;) {
		size_t n = v.n;
		v = kh_view_trim(v);
		if (v.n >= 2 && (v.p[0] == '"' || v.p[0] == '\'') && v.p[v.n - 1] == v.p[0])
			v = kh_view_sub(v, 1, v.n - 1);
		while (v.n > 0 && strchr(".,;:!", v.p[v.n - 1]) != NULL && v.p[v.n - 1] != '\0')
			v.n--;
		while (v.n > 0 && strchr(",;:", v.p[0]) != NULL && v.p[0] != '\0')
			v = kh_view_from(v, 1);
		if (v.n == n)
			return v;
	}
}

static bool read_short_text(struct reading *r)
{
	struct kh_view text = strip_ends(plain_punctuation(r->arena, r->text));

	r->problem = "nothing is left but punctuation";
	return text.n > 0 && lower(r, text);
}

static bool read_short_list(struct reading *r)
{
	struct kh_view rest = plain_punctuation(r->arena, r->text), item, list;
	struct kh_buf out;

	r->problem = "a list has items, separated by commas, none of them empty";
	kh_buf_init(&out, r->arena, r->text.n * 2 + 2);
	while (kh_view_split(&rest, ',', &item)) {
		item = strip_ends(item);
		if (item.n == 0)
			return false;
		if (out.n > 0)
			kh_buf_lit(&out, ", ");
		kh_buf_add(&out, item);
	}
	return kh_buf_end(&out, &list) == KH_OK && list.n > 0 && lower(r, list);
}

/* ---------------------------------------------------------------------------------------------------------------- */

static const struct format {
	const char *name;
	unsigned words;
	enum kh_format_screen screen;
	bool (*read)(struct reading *r);
} formats[KH_FORMAT_COUNT] = {
	[KH_FORMAT_PERSON_NAME] = {"person_name", 6, KH_FORMAT_SCREEN_NAME, read_person_name},
	[KH_FORMAT_DATE] = {"date", 7, KH_FORMAT_SCREEN_CLOSED, read_date},
	[KH_FORMAT_TIME] = {"time", 5, KH_FORMAT_SCREEN_CLOSED, read_time},
	[KH_FORMAT_DATETIME] = {"datetime", 12, KH_FORMAT_SCREEN_CLOSED, read_datetime},
	[KH_FORMAT_EMAIL] = {"email", 1, KH_FORMAT_SCREEN_TOKEN, read_email},
	[KH_FORMAT_PHONE] = {"phone", 8, KH_FORMAT_SCREEN_CLOSED, read_phone},
	[KH_FORMAT_INTEGER] = {"integer", 7, KH_FORMAT_SCREEN_CLOSED, read_integer},
	[KH_FORMAT_NUMBER] = {"number", 7, KH_FORMAT_SCREEN_CLOSED, read_number},
	[KH_FORMAT_AMOUNT] = {"amount", 8, KH_FORMAT_SCREEN_CLOSED, read_amount},
	[KH_FORMAT_YES_NO] = {"yes_no", 1, KH_FORMAT_SCREEN_CLOSED, read_yes_no},
	[KH_FORMAT_COUNTRY] = {"country", 9, KH_FORMAT_SCREEN_CLOSED, read_country},
	[KH_FORMAT_LANGUAGE] = {"language", 5, KH_FORMAT_SCREEN_CLOSED, read_language},
	[KH_FORMAT_IDENTIFIER] = {"identifier", 10, KH_FORMAT_SCREEN_TOKEN, read_identifier},
	[KH_FORMAT_SHORT_LIST] = {"short_list", 50, KH_FORMAT_SCREEN_TEXT, read_short_list},
	[KH_FORMAT_SHORT_TEXT] = {"short_text", 50, KH_FORMAT_SCREEN_TEXT, read_short_text},
};

const char *kh_format_name(enum kh_format format)
{
	return formats[format].name;
}

bool kh_format_parse(struct kh_view word, enum kh_format *ret_format)
{
	for (size_t i = 0; i < KH_FORMAT_COUNT; i++) {
		if (kh_view_eq(word, kh_view_str(formats[i].name))) {
			*ret_format = (enum kh_format)i;
			return true;
		}
	}
	return false;
}

unsigned kh_format_words(enum kh_format format)
{
	return formats[format].words;
}

enum kh_format_screen kh_format_screen(enum kh_format format)
{
	return formats[format].screen;
}

bool kh_format_is_exact(enum kh_format format)
{
	enum kh_format_screen screen = formats[format].screen;

	return screen == KH_FORMAT_SCREEN_CLOSED || screen == KH_FORMAT_SCREEN_TOKEN;
}

bool kh_format_read(enum kh_format format, struct kh_format_detail detail, struct kh_arena *arena, struct kh_view text,
		    struct kh_view *ret_canonical, const char **ret_problem)
{
	struct reading r = {.arena = arena, .detail = detail, .text = text, .problem = "malformed"};

	if (!formats[format].read(&r) || arena->failed) {
		*ret_problem = r.problem;
		return false;
	}
	*ret_canonical = r.canonical;
	return true;
}
