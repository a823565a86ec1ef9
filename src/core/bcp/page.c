/*
 * The pages, as ranges of characters.  Constant tables, searched linearly: a page has a few ranges, and a text rarely
 * leaves the page that it is in.
 */
#include "core/bcp/page.h"

/* FIRST, FIRST + STEP, ... up to LAST.  In many scripts every second character is a capital, which never comes out. */
struct range {
	uint32_t first, last, step;
};

#define R(first, last)         \
	{                      \
		first, last, 1 \
	}
#define ONE(c)          \
	{               \
		c, c, 1 \
	}
#define SECONDS_OF(first, last) \
	{                       \
		first, last, 2  \
	}
#define END             \
	{               \
		1, 0, 1 \
	}

/* Characters whose codes are HEAD, in HEAD_BITS, and BASE + index, in TAIL_BITS. */
struct list {
	const struct range *ranges;
	unsigned head, head_bits, base, tail_bits;
};

/* --- Latin ------------------------------------------------------------------------------------------------------ */

#define LATIN_BITS 5

enum { TERMINATOR = 26, DIGIT = 27, PRINTABLE = 28, ACCENT = 29, SHIFT = 30, ANY = 31 };

static const struct list latin[] = {
	{(const struct range[]){R('a', 'z'), END}, 0, 0, 0, LATIN_BITS},
	/* digits, and the marks of numbers, names and addresses */
	{(const struct range[]){R('0', '9'), R(',', '/'), ONE('\''), ONE('@'), END}, DIGIT, LATIN_BITS, 0, 4},
	/* the rest of printable ASCII without capitals; pound, section, guillemets, degree, euro */
	{(const struct range[]){R('!', '&'), R('(', '+'), R(':', '?'), R('[', '`'), R('{', '~'), ONE(0xa3), ONE(0xa7),
				ONE(0xab), ONE(0xb0), ONE(0xbb), ONE(0x20ac), END},
	 PRINTABLE, LATIN_BITS, 0, 5},
	{(const struct range[]){R(0xdf, 0xf6), R(0xf8, 0xff), END}, ACCENT << 1, LATIN_BITS + 1, 0, 5},
	/* central and eastern Europe, Turkish, Vietnamese */
	{(const struct range[]){SECONDS_OF(0x101, 0x137), SECONDS_OF(0x13a, 0x148), SECONDS_OF(0x14b, 0x177),
				SECONDS_OF(0x17a, 0x17e), SECONDS_OF(0x1a1, 0x1a1), ONE(0x1b0),
				SECONDS_OF(0x219, 0x21b), ONE(0x259), SECONDS_OF(0x1ea1, 0x1ef9), END},
	 ACCENT << 1 | 1, LATIN_BITS + 1, 0, 7},
};

/* --- the others ------------------------------------------------------------------------------------------------- */

/*
 * A page of N bits: code 0 ends a word, 1 is an escape, and 2 to 2^N - 1 are its common characters.  After the escape 2
 * bits say what follows: a page's number, an ASCII character in 7 bits, any character, or one of at most 64 rare ones.
 */
struct page {
	unsigned bits;
	const struct range *common, *rare;
};

enum { ESCAPE = 1, COMMON = 2, ESCAPE_BITS = 2, ASCII_BITS = 7, RARE_BITS = 6 };
enum escape { ESCAPE_SHIFT, ESCAPE_ASCII, ESCAPE_ANY, ESCAPE_RARE };

#define RANGES(...) ((const struct range[]){__VA_ARGS__, END})
/* Digits and the marks before and after them, in a page that has room. */
#define ASCII_MARKS R('!', '@')
#define NO_RARE     ((const struct range[]){END})
/* A script with a block of 128 characters of its own. */
#define BLOCK(first)                                              \
	{                                                         \
		7, RANGES(R((first) + 1, (first) + 126)), NO_RARE \
	}

static const struct page pages[KH_PAGE_COUNT] = {
	[1] = {5, /* Cyrillic: the letters of Russian but three, and the Ukrainian i */
	       RANGES(R(0x430, 0x443), R(0x445, 0x449), R(0x44b, 0x44c), R(0x44e, 0x44f), ONE(0x456)),
	       RANGES(ONE(0x444), ONE(0x44a), ONE(0x44d), R(0x450, 0x455), R(0x457, 0x45f), SECONDS_OF(0x491, 0x4bf),
		      ONE(0x4d9), ONE(0x4e9), ONE(0x2116))},
	[2] = {5, /* Greek */
	       RANGES(R(0x3ac, 0x3af), R(0x3b1, 0x3c9), ONE(0x3cc)),
	       RANGES(ONE(0x390), ONE(0x3b0), R(0x3ca, 0x3cb), R(0x3cd, 0x3ce))},
	[3] = {5, /* Hebrew */
	       RANGES(R(0x5d0, 0x5ea), ONE(0x5be), R(0x5f3, 0x5f4)), RANGES(R(0x5b0, 0x5bd), R(0x5bf, 0x5c7))},
	[4] = {5, /* Arabic; rare: hamza, vowels, Persian and Urdu letters, digits */
	       RANGES(R(0x627, 0x63a), R(0x641, 0x64a)),
	       RANGES(R(0x621, 0x626), R(0x64b, 0x655), R(0x660, 0x669), ONE(0x670), ONE(0x679), ONE(0x67e), ONE(0x686),
		      ONE(0x688), ONE(0x691), ONE(0x698), ONE(0x6a9), ONE(0x6af), ONE(0x6ba), ONE(0x6be), ONE(0x6c1),
		      ONE(0x6cc), ONE(0x6d2), R(0x6f0, 0x6f9), ONE(0x60c))},
	[5] = {6, /* Devanagari */
	       RANGES(R(0x901, 0x903), R(0x905, 0x90b), R(0x90f, 0x911), R(0x913, 0x928), R(0x92a, 0x930), ONE(0x932),
		      R(0x935, 0x939), ONE(0x93c), R(0x93e, 0x943), R(0x947, 0x949), R(0x94b, 0x94d), ONE(0x964)),
	       RANGES(ONE(0x900), ONE(0x904), R(0x90c, 0x90e), ONE(0x912), ONE(0x929), ONE(0x931), R(0x933, 0x934),
		      R(0x93a, 0x93b), ONE(0x93d), R(0x944, 0x946), ONE(0x94a), R(0x94e, 0x957), R(0x962, 0x963),
		      R(0x965, 0x97f))},
	[6] = BLOCK(0x980), /* Bengali */
	[7] = BLOCK(0xa00), /* Gurmukhi */
	[8] = BLOCK(0xa80), /* Gujarati */
	[9] = BLOCK(0xb00), /* Oriya */
	[10] = {6,          /* Tamil */
		RANGES(ONE(0xb83), R(0xb85, 0xb8a), R(0xb8e, 0xb90), R(0xb92, 0xb95), R(0xb99, 0xb9a), ONE(0xb9c),
		       R(0xb9e, 0xb9f), R(0xba3, 0xba4), R(0xba8, 0xbaa), R(0xbae, 0xbb9), R(0xbbe, 0xbc2),
		       R(0xbc6, 0xbc8), R(0xbca, 0xbcd), R(',', '9')),
		RANGES(ONE(0xb82), R(0xbe6, 0xbef))},
	[11] = BLOCK(0xc00), /* Telugu */
	[12] = BLOCK(0xc80), /* Kannada */
	[13] = BLOCK(0xd00), /* Malayalam */
	[14] = BLOCK(0xd80), /* Sinhala */
	[15] = {6,           /* Thai */
		RANGES(R(0xe01, 0xe02), ONE(0xe04), R(0xe06, 0xe25), R(0xe27, 0xe2e), R(0xe30, 0xe32), R(0xe34, 0xe39),
		       R(0xe40, 0xe44), R(0xe47, 0xe49), R(0xe4c, 0xe4d)),
		RANGES(ONE(0xe03), ONE(0xe05), ONE(0xe26), ONE(0xe2f), ONE(0xe33), ONE(0xe3a), ONE(0xe3f),
		       R(0xe45, 0xe46), R(0xe4a, 0xe4b), R(0xe4e, 0xe5b))},
	[16] = BLOCK(0xe80),                                          /* Lao */
	[17] = {6, RANGES(R(0x10d0, 0x10ff)), NO_RARE},               /* Georgian */
	[18] = {6, RANGES(R(0x561, 0x587)), RANGES(R(0x559, 0x55f))}, /* Armenian */
	[19] = {9, RANGES(R(0x1200, 0x137f)), NO_RARE},               /* Ethiopic */
	[20] = BLOCK(0x1780),                                         /* Khmer */
	[21] = BLOCK(0x1000),                                         /* Myanmar */
	[22] = {8, RANGES(R(0xf00, 0xfda)), NO_RARE},                 /* Tibetan */
	[23] = {8, RANGES(R(0x3041, 0x3096), R(0x309d, 0x309e), R(0x30a1, 0x30fe), R(0x3001, 0x3003), ASCII_MARKS),
		NO_RARE},                                                                /* kana */
	[24] = {14, RANGES(R(0xac00, 0xd7a3), R(0x1100, 0x11ff), ASCII_MARKS), NO_RARE}, /* Hangul */
	/* Chinese characters, with kana and punctuation, because Japanese mixes them */
	[25] = {15,
		RANGES(R(0x4e00, 0x9fff), R(0x3400, 0x4dbf), R(0x3001, 0x301f), R(0x3041, 0x30fe), R(0x3105, 0x312f),
		       ASCII_MARKS),
		NO_RARE},
	[KH_PAGE_HEX] = {5,
			 RANGES(R('0', '9'), R('a', 'f'), R('+', '/'), ONE(':'), ONE('_'), ONE('@'), R('#', '&'),
				ONE('=')),
			 NO_RARE},
	[KH_PAGE_WEST] = {6, RANGES(R('a', 'z'), R(0xdf, 0xf6), R(0xf8, 0xff)), NO_RARE},
};

#define LAST 0xd7a3 /* no page lists a character past it */

/* --- look-up ---------------------------------------------------------------------------------------------------- */

/* The place of C in RANGES, or -1. */
static int64_t place_of(const struct range *ranges, uint32_t c)
{
	int64_t before = 0;

	for (const struct range *r = ranges; r->first <= r->last; r++) {
		if (c >= r->first && c <= r->last && (c - r->first) % r->step == 0)
			return before + (c - r->first) / r->step;
		before += (r->last - r->first) / r->step + 1;
	}
	return -1;
}

static bool listed(const struct list *list, uint32_t c, struct kh_page_code *ret_code)
{
	int64_t place = place_of(list->ranges, c);

	if (place < 0)
		return false;
	ret_code->value = (uint64_t)list->head << list->tail_bits | (list->base + (uint64_t)place);
	ret_code->bits = list->head_bits + list->tail_bits;
	return true;
}

static struct kh_page_code escaped(unsigned page, enum escape what)
{
	return (struct kh_page_code){(unsigned)ESCAPE << ESCAPE_BITS | what, pages[page].bits + ESCAPE_BITS};
}

/* Whether PAGE lists C: a page but Latin has every ASCII character too, but lists none. */
static bool lists(unsigned page, uint32_t c, struct kh_page_code *ret_code)
{
	const struct page *p = &pages[page];

	if (c > LAST)
		return false;
	if (page == KH_PAGE_LATIN) {
		for (size_t i = 0; i < sizeof(latin) / sizeof(latin[0]); i++) {
			if (listed(&latin[i], c, ret_code))
				return true;
		}
		return false;
	}
	struct kh_page_code rare = escaped(page, ESCAPE_RARE);
	return listed(&(struct list){p->common, 0, 0, COMMON, p->bits}, c, ret_code) ||
	       listed(&(struct list){p->rare, (unsigned)rare.value, rare.bits, 0, RARE_BITS}, c, ret_code);
}

bool kh_page_has(unsigned page, uint32_t c, struct kh_page_code *ret_code)
{
	if (lists(page, c, ret_code))
		return true;
	/* A word in Latin letters turns the page; a digit or a mark between words of another script does not. */
	if (page == KH_PAGE_LATIN || c >= 0x80 || (c >= 'a' && c <= 'z'))
		return false;
	*ret_code = escaped(page, ESCAPE_ASCII);
	ret_code->value = ret_code->value << ASCII_BITS | c;
	ret_code->bits += ASCII_BITS;
	return true;
}

bool kh_page_find(uint32_t c, unsigned *ret_page)
{
	struct kh_page_code code;

	for (unsigned page = 0; page < KH_PAGE_COUNT; page++) {
		if (lists(page, c, &code)) {
			*ret_page = page;
			return true;
		}
	}
	return false;
}

struct kh_page_code kh_page_terminator(unsigned page)
{
	return page == KH_PAGE_LATIN ? (struct kh_page_code){TERMINATOR, LATIN_BITS}
				     : (struct kh_page_code){0, pages[page].bits};
}

struct kh_page_code kh_page_turn(unsigned page, unsigned to)
{
	struct kh_page_code code = page == KH_PAGE_LATIN ? (struct kh_page_code){SHIFT, LATIN_BITS}
							 : escaped(page, ESCAPE_SHIFT);

	return (struct kh_page_code){code.value << KH_PAGE_BITS | to, code.bits + KH_PAGE_BITS};
}

struct kh_page_code kh_page_any(unsigned page)
{
	return page == KH_PAGE_LATIN ? (struct kh_page_code){ANY, LATIN_BITS} : escaped(page, ESCAPE_ANY);
}
