/*
 * B7: the code of src/core/bcp/code.h is a prefix code, so at most 2^b different deliveries have a code of b bits or
 * fewer.
 *
 * Symbols: all of them, in every page, exactly.  Words: a listed word is a flag and 11 bits, a spelled one a flag,
 * symbols and the terminator; that this is prefix-free follows from the symbols, because the symbols before say which
 * page is in force.  Texts: a real encoder, and a decoder that knows nothing but the sorted symbols of a page, over
 * every short text of three small alphabets: what is encoded is decoded again, kh_code_length() is the number of bits,
 * and no code is the beginning of another, over all the texts together.
 */
#include "base/utf8.h"
#include "core/bcp/bits.h"
#include "core/bcp/code.h"
#include "prove.h"

#define WORDS     2048
#define WORD_BITS 11
#define SCALARS   1112064U /* Unicode scalar values */
#define LIMBS     6
#define BITS_MAX  (64 * LIMBS)
#define TEXT_MAX  96

static const char *const words[] = {
#include "words.inc"
};
_Static_assert(sizeof(words) / sizeof(words[0]) == WORDS, "the list has 2,048 words");

/* --- symbols ---------------------------------------------------------------------------------------------------- */

#define TERMINATOR UINT32_MAX       /* no character: the end of a word */
#define TURN       (UINT32_MAX - 1) /* no character: another page is in force from now on */

struct symbol {
	uint64_t bits;         /* from the top */
	unsigned length, page; /* in force after it */
	uint32_t c;
};

struct table {
	struct symbol *at;
	size_t n;
};

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->bits != y->bits ? (x->bits < y->bits ? -1 : 1) : (x->length > y->length) - (x->length < y->length);
}

static void add_symbol(struct table *table, uint32_t c, unsigned page, struct kh_page_code code)
{
	PROVE(code.bits > 0 && code.bits <= 48 && code.value >> code.bits == 0, "U+%04X", c);
	table->at[table->n++] = (struct symbol){code.value << (64 - code.bits), code.bits, page, c};
}

/*
 * Everything that can come next in a spelled word while PAGE is in force, sorted: its characters, the turns to all
 * other pages, and the terminator.  The code of a character of another page is the turn and its code there.
 */
static struct table make_table(unsigned page)
{
	struct table table = {malloc((SCALARS + KH_PAGE_COUNT) * sizeof(*table.at)), 0};

	PROVE(table.at != NULL, "no memory");
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		unsigned after = page, there;
		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		struct kh_page_code code = kh_code_symbol(&after, c);
		PROVE(after < KH_PAGE_COUNT, "U+%04X leads to page %u", c, after);
		if (after == page) {
			add_symbol(&table, c, page, code);
			continue;
		}
		struct kh_page_code turn = kh_page_turn(page, there = after), symbol = kh_code_symbol(&there, c);
		PROVE(there == after && code.bits == turn.bits + symbol.bits &&
			      code.value == (turn.value << symbol.bits | symbol.value),
		      "U+%04X on page %u", c, page);
	}
	for (unsigned to = 0; to < KH_PAGE_COUNT; to++) {
		if (to != page)
			add_symbol(&table, TURN, to, kh_page_turn(page, to));
	}
	add_symbol(&table, TERMINATOR, page, kh_page_terminator(page));
	qsort(table.at, table.n, sizeof(*table.at), compare_symbols);
	return table;
}

static void prove_symbols(void)
{
	uint64_t most = 0;

	for (unsigned page = 0; page < KH_PAGE_COUNT; page++) {
		struct table table = make_table(page);
		uint64_t sum = 0; /* of 2^-length, in units of 2^-48 */
		for (size_t i = 0; i < table.n; i++) {
			sum += UINT64_C(1) << (48 - table.at[i].length);
			/* Sorted, a code that begins with another follows one that it begins with. */
			PROVE(i == 0 || table.at[i].bits - table.at[i - 1].bits >=
						UINT64_C(1) << (64 - table.at[i - 1].length),
			      "page %u, the codes at %zu", page, i);
		}
		PROVE(sum <= UINT64_C(1) << 48, "Kraft's sum of page %u is above 1", page);
		most = sum > most ? sum : most;
		free(table.at);
	}
	PROVED("B7 in each of %d pages the codes of all %u characters, the turns and the terminator are prefix-free; "
	       "Kraft's "
	       "sum is %llu / 2^48 <= 1 at most",
	       KH_PAGE_COUNT, SCALARS, (unsigned long long)most);
}

/*
 * Spelled words: what is in force after each symbol is known, and the symbols that can follow sum up to 1 at most in
 * every page (above), so all words that end with a terminator do too, whatever page they begin with.  A word is one
 * flag bit and one of the two kinds.
 */
static void prove_words(void)
{
	for (int i = 0; i < WORDS; i++) {
		PROVE(kh_code_word(kh_view_str(words[i])) == i, "\"%s\" has another word's place", words[i]);
		PROVE(words[i][0] != '\0' && kh_view_find(kh_view_str(words[i]), KH_LIT(" "), 0) == SIZE_MAX, "%d", i);
	}
	PROVED("B7 words: 2048 listed ones with a place of their own (Kraft 1/2) and spelled ones (Kraft at most 1/2) "
	       "sum up to 1 at most; the number of words in front and words behind it keep that");
}

/* --- an encoder and a decoder ------------------------------------------------------------------------------------- */

struct code {
	uint64_t limb[LIMBS]; /* from the top */
	unsigned n;
};

static void put(struct code *code, uint64_t value, unsigned count)
{
	for (unsigned i = count; i-- > 0; code->n++) {
		PROVE(code->n < BITS_MAX, "a code of more than %d bits", BITS_MAX);
		code->limb[code->n / 64] |= (value >> i & 1) << (63 - code->n % 64);
	}
}

static uint64_t get(const struct code *code, unsigned *at, unsigned count)
{
	uint64_t value = 0;

	for (; count > 0; count--, ++*at) {
		PROVE(*at < code->n, "the code ends too early");
		value = value << 1 | (code->limb[*at / 64] >> (63 - *at % 64) & 1);
	}
	return value;
}

static void put_code(struct code *code, struct kh_page_code part)
{
	put(code, part.value, part.bits);
}

static void encode_word(struct code *code, struct kh_view word, unsigned *page)
{
	int place = kh_code_word(word);

	put(code, place >= 0, 1);
	if (place >= 0) {
		put(code, (uint64_t)place, WORD_BITS);
		return;
	}
	put_code(code, kh_code_begin(page, word));
	for (size_t at = 0; at < word.n;) {
		uint32_t c = 0;
		at += kh_utf8_decode(word, at, &c);
		put_code(code, kh_code_symbol(page, c));
	}
	put_code(code, kh_page_terminator(*page));
}

/* The last of MAX_WORDS words takes what is left, blanks and all. */
static struct code encode(struct kh_view text, unsigned max_words)
{
	struct code code = {.n = 0};
	unsigned count = 1, page = KH_PAGE_LATIN;

	for (size_t i = 0; i < text.n; i++)
		count += text.p[i] == ' ' && count < max_words;
	put(&code, count - 1, kh_bits_width(max_words));
	for (size_t at = 0; count > 0; count--) {
		size_t end = count == 1 ? text.n : kh_view_find(text, KH_LIT(" "), at);
		encode_word(&code, kh_view_sub(text, at, end), &page);
		at = end + 1;
	}
	return code;
}

/* The next 64 bits; zeros behind the end. */
static uint64_t ahead(const struct code *code, unsigned at)
{
	uint64_t value = 0;

	for (unsigned i = at; i < at + 64; i++)
		value = value << 1 | (i < code->n ? code->limb[i / 64] >> (63 - i % 64) & 1 : 0);
	return value;
}

/* The one symbol of page *PAGE that the code goes on with, found in the page's sorted table. */
static uint32_t decode_symbol(const struct code *code, unsigned *at, unsigned *page)
{
	static struct table tables[KH_PAGE_COUNT];
	struct table *table = &tables[*page];
	uint64_t bits = ahead(code, *at);
	size_t low = 0, high;

	if (table->at == NULL)
		*table = make_table(*page);
	high = table->n;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (table->at[middle].bits <= bits)
			low = middle;
		else
			high = middle;
	}
	const struct symbol *symbol = &table->at[low];
	PROVE((symbol->bits ^ bits) >> (64 - symbol->length) == 0, "no symbol of page %u", *page);
	*at += symbol->length;
	PROVE(*at <= code->n, "the code ends too early");
	*page = symbol->page;
	return symbol->c;
}

static size_t decode(const struct code *code, unsigned max_words, char *out)
{
	unsigned at = 0, count = (unsigned)get(code, &at, kh_bits_width(max_words)) + 1;
	unsigned page = KH_PAGE_LATIN;
	size_t n = 0;

	for (unsigned i = 0; i < count; i++) {
		uint32_t c;
		if (i > 0)
			out[n++] = ' ';
		if (get(code, &at, 1)) {
			struct kh_view word = kh_view_str(words[get(code, &at, WORD_BITS)]);
			memcpy(out + n, word.p, word.n);
			n += word.n;
			continue;
		}
		while ((c = decode_symbol(code, &at, &page)) != TERMINATOR) {
			if (c != TURN)
				n += kh_utf8_encode(c, out + n);
		}
	}
	PROVE(at == code->n, "%u bits left over", code->n - at);
	return n;
}

/* TEXT there and back. */
static struct code check_text(struct kh_view text, unsigned max_words)
{
	struct code code = encode(text, max_words);
	char out[4 * TEXT_MAX];
	size_t n = decode(&code, max_words, out);

	PROVE(kh_view_eq(text, kh_view_of(out, n)), "\"%.*s\" in %u words comes back as \"%.*s\"", KH_FMT(text),
	      max_words, (int)n, out);
	PROVE(kh_code_length(text, max_words) == code.n * KH_MICROBIT, "\"%.*s\" in %u words", KH_FMT(text), max_words);
	return code;
}

/* --- all short texts ------------------------------------------------------------------------------------------------
 */

static int compare_codes(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	for (int i = 0; i < LIMBS; i++) {
		if (x->limb[i] != y->limb[i])
			return x->limb[i] < y->limb[i] ? -1 : 1;
	}
	return (x->n > y->n) - (x->n < y->n);
}

static bool begins(const struct code *code, const struct code *with)
{
	if (with->n > code->n)
		return false;
	for (unsigned i = 0; i < with->n; i++) {
		if ((code->limb[i / 64] ^ with->limb[i / 64]) >> (63 - i % 64) & 1)
			return false;
	}
	return true;
}

static void prove_free(struct code *codes, size_t n)
{
	qsort(codes, n, sizeof(*codes), compare_codes);
	for (size_t i = 1; i < n; i++)
		PROVE(!begins(&codes[i], &codes[i - 1]), "the codes at %zu", i);
}

/* Every text of 1..LONGEST pieces of ALPHABET, with SEPARATOR between them, that is normalised. */
static void prove_texts(const char *what, const char *const *alphabet, unsigned size, unsigned longest,
			const char *separator)
{
	static const unsigned limits[] = {1, 2, 3, 4, 50};
	size_t cap = 0, all = 1, total = 0;

	for (unsigned i = 0; i < longest; i++)
		cap += all *= size;
	struct code *codes = malloc(cap * sizeof(*codes));
	PROVE(codes != NULL, "no memory");
	for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++) {
		size_t n = 0, count = 1;
		for (unsigned pieces = 1; pieces <= longest; pieces++) {
			count *= size;
			for (size_t i = 0; i < count; i++) {
				char text[TEXT_MAX] = "";
				size_t at = 0, rest = i;
				for (unsigned k = 0; k < pieces; k++, rest /= size)
					at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", k ? separator : "",
							       alphabet[rest % size]);
				struct kh_view v = kh_view_of(text, at);
				if (text[0] == ' ' || text[at - 1] == ' ' ||
				    kh_view_find(v, KH_LIT("  "), 0) != SIZE_MAX)
					continue;
				codes[n++] = check_text(v, limits[l]);
			}
		}
		prove_free(codes, n);
		total = n;
	}
	free(codes);
	PROVED("B7 %s: decode(encode(text)) = text, kh_code_length = bits, prefix-free among each other: all %zu texts "
	       "of "
	       "1..%u out of %u, for max_words 1, 2, 3, 4 and 50",
	       what, total, longest, size);
}

int main(void)
{
	static const char *const characters[] = {"a", "f", "z", "5", ".", "Q", "\xc3\xa9", "\xf0\x9f\x98\x80", " "};
	static const char *const scripts[] = {"a", "7", "-", "\xd0\xb0", "\xd1\x84", "\xe4\xb8\xad", "\xea\xb0\x80",
					      " "};
	static const char *const pieces[] = {
		"a", "able", "about", "zoo", "zq", "A", "2026", "u.s.", "\xc3\xa9t\xc3\xa9", "d48f36f3"};

	prove_symbols();
	prove_words();
	prove_texts("characters", characters, 9, 5, "");
	prove_texts("scripts", scripts, 8, 5, "");
	prove_texts("words", pieces, 10, 5, " ");
	return 0;
}
