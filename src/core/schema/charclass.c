/* Sets of characters as lists of ranges, with a table for ASCII.  The meanings are those of ECMA-262. */
#include "core/schema/charclass.h"

#include <utf8proc.h>

#define LAST      0x10ffffU
#define ALL       UINT32_MAX
#define BIT(name) (1U << UTF8PROC_CATEGORY_##name)

struct span {
	uint32_t low, high;
};

/* Each list is in ascending order and has no two spans that touch. */
static const struct span digits[] = {{'0', '9'}};
static const struct span words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const struct span blanks[] = {{9, 13},          {32, 32},         {0xa0, 0xa0},     {0x1680, 0x1680},
				     {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f},
				     {0x3000, 0x3000}, {0xfeff, 0xfeff}};
static const struct span ends[] = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

static const struct {
	const char *name, *also;
	uint32_t categories;
} properties[] = {
	{"L", "Letter", BIT(LU) | BIT(LL) | BIT(LT) | BIT(LM) | BIT(LO)},
	{"LC", "Cased_Letter", BIT(LU) | BIT(LL) | BIT(LT)},
	{"Lu", "Uppercase_Letter", BIT(LU)},
	{"Ll", "Lowercase_Letter", BIT(LL)},
	{"Lt", "Titlecase_Letter", BIT(LT)},
	{"Lm", "Modifier_Letter", BIT(LM)},
	{"Lo", "Other_Letter", BIT(LO)},
	{"M", "Mark", BIT(MN) | BIT(MC) | BIT(ME)},
	{"Mn", "Nonspacing_Mark", BIT(MN)},
	{"Mc", "Spacing_Mark", BIT(MC)},
	{"Me", "Enclosing_Mark", BIT(ME)},
	{"N", "Number", BIT(ND) | BIT(NL) | BIT(NO)},
	{"Nd", "Decimal_Number", BIT(ND)},
	{"Nl", "Letter_Number", BIT(NL)},
	{"No", "Other_Number", BIT(NO)},
	{"P", "Punctuation", BIT(PC) | BIT(PD) | BIT(PS) | BIT(PE) | BIT(PI) | BIT(PF) | BIT(PO)},
	{"Pc", "Connector_Punctuation", BIT(PC)},
	{"Pd", "Dash_Punctuation", BIT(PD)},
	{"Ps", "Open_Punctuation", BIT(PS)},
	{"Pe", "Close_Punctuation", BIT(PE)},
	{"Pi", "Initial_Punctuation", BIT(PI)},
	{"Pf", "Final_Punctuation", BIT(PF)},
	{"Po", "Other_Punctuation", BIT(PO)},
	{"S", "Symbol", BIT(SM) | BIT(SC) | BIT(SK) | BIT(SO)},
	{"Sm", "Math_Symbol", BIT(SM)},
	{"Sc", "Currency_Symbol", BIT(SC)},
	{"Sk", "Modifier_Symbol", BIT(SK)},
	{"So", "Other_Symbol", BIT(SO)},
	{"Z", "Separator", BIT(ZS) | BIT(ZL) | BIT(ZP)},
	{"Zs", "Space_Separator", BIT(ZS)},
	{"Zl", "Line_Separator", BIT(ZL)},
	{"Zp", "Paragraph_Separator", BIT(ZP)},
	{"Cc", "Control", BIT(CC)},
	{"Cf", "Format", BIT(CF)},
};

void kh_charclass_init(struct kh_charclass *set, struct kh_arena *arena)
{
	*set = (struct kh_charclass){.arena = arena};
}

static void add(struct kh_charclass *set, uint32_t low, uint32_t high, uint32_t categories)
{
	struct kh_charclass_range *at = kh_arena_more(set->arena, set->at, set->n, &set->cap, sizeof(*set->at));

	if (at == NULL)
		return;
	set->at = at;
	set->at[set->n++] = (struct kh_charclass_range){low, high, categories};
}

void kh_charclass_add(struct kh_charclass *set, uint32_t low, uint32_t high)
{
	add(set, low, high, ALL);
}

static void add_spans(struct kh_charclass *set, const struct span *spans, size_t n, bool is_negated)
{
	uint32_t from = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_negated)
			add(set, spans[i].low, spans[i].high, ALL);
		else if (spans[i].low > from)
			add(set, from, spans[i].low - 1, ALL);
		from = spans[i].high + 1;
	}
	if (is_negated)
		add(set, from, LAST, ALL);
}

#define ADD(set, spans, is_negated) add_spans((set), (spans), sizeof(spans) / sizeof((spans)[0]), (is_negated))

bool kh_charclass_add_escape(struct kh_charclass *set, char letter)
{
	switch (letter) {
	case 'd':
	case 'D':
		ADD(set, digits, letter == 'D');
		return true;
	case 'w':
	case 'W':
		ADD(set, words, letter == 'W');
		return true;
	case 's':
	case 'S':
		ADD(set, blanks, letter == 'S');
		return true;
	default:
		return false;
	}
}

bool kh_charclass_add_property(struct kh_charclass *set, struct kh_view name, bool is_negated)
{
	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
		uint32_t categories = properties[i].categories;
		if (!kh_view_eq(name, kh_view_str(properties[i].name)) &&
		    !kh_view_eq(name, kh_view_str(properties[i].also)))
			continue;
		add(set, 0, LAST, is_negated ? ~categories : categories);
		return true;
	}
	return false;
}

void kh_charclass_add_any(struct kh_charclass *set)
{
	ADD(set, ends, true);
}

bool kh_charclass_wide(const struct kh_charclass *set, uint32_t c)
{
	bool is_in = false;

	for (size_t i = 0; i < set->n && !is_in; i++) {
		const struct kh_charclass_range *range = &set->at[i];
		is_in = c >= range->low && c <= range->high &&
			(range->categories == ALL ||
			 (range->categories >> utf8proc_category((utf8proc_int32_t)c) & 1) != 0);
	}
	return is_in != set->is_negated;
}

void kh_charclass_seal(struct kh_charclass *set)
{
	for (uint32_t c = 0; c < 128; c++) {
		if (kh_charclass_wide(set, c))
			set->ascii[c / 64] |= UINT64_C(1) << c % 64;
	}
}
