/*
 * B7: the code of src/core/bcp/code.h is a prefix code, so at most 2^b different deliveries cost b bits or fewer.
 *
 * Symbols: all of them, exactly.  Words: a listed word is a flag and 11 bits, a spelled one a flag, symbols and the
 * terminator; that this is prefix-free follows from the symbols, and its Kraft sum is computed as a fraction of
 * integers.  Texts: a real encoder and decoder, written from the description alone, over every short text of two small
 * alphabets: what is encoded is decoded again, kh_code_length() is the number of bits, and no code is the beginning of
 * another, over all the texts together.
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

struct symbol {
	uint64_t bits; /* from the top */
	unsigned length;
};

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->bits != y->bits ? (x->bits < y->bits ? -1 : 1) : (x->length > y->length) - (x->length < y->length);
}

/* The sum over all characters of 2^-length, in units of 2^-32, without the terminator. */
static uint64_t prove_symbols(void)
{
	struct symbol *all = malloc((SCALARS + 1) * sizeof(*all));
	size_t n = 0;
	uint64_t sum = 0;

	PROVE(all != NULL, "no memory");
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		uint64_t value = 0;
		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		unsigned length = kh_code_symbol(c, &value);
		PROVE(length > 0 && length <= 32 && value >> length == 0, "U+%04X", c);
		PROVE(kh_code_symbol(c, NULL) == length, "U+%04X", c);
		all[n++] = (struct symbol){value << (64 - length), length};
		sum += UINT64_C(1) << (32 - length);
	}
	PROVE(n == SCALARS, "%zu characters", n);
	all[n++] = (struct symbol){(uint64_t)KH_CODE_TERMINATOR_VALUE << (64 - KH_CODE_TERMINATOR_BITS),
				   KH_CODE_TERMINATOR_BITS};
	qsort(all, n, sizeof(*all), compare_symbols);
	/* Sorted, a code that begins with another follows one that it begins with. */
	for (size_t i = 1; i < n; i++) {
		uint64_t span = UINT64_C(1) << (64 - all[i - 1].length);
		PROVE(all[i].bits - all[i - 1].bits >= span, "the codes at %zu", i);
	}
	free(all);
	uint64_t terminator = UINT64_C(1) << (32 - KH_CODE_TERMINATOR_BITS);
	PROVE(sum + terminator <= UINT64_C(1) << 32, "Kraft's sum of the symbols is above 1");
	PROVED("B7 the codes of all %zu characters and the terminator are prefix-free; Kraft's sum is %llu / 2^32 <= 1",
	       n - 1, (unsigned long long)(sum + terminator));
	return sum;
}

/*
 * Spelled words: the sum over all sequences of symbols, each followed by the terminator, is t + s t + s^2 t + ... =
 * t / (1 - s).  A word is one flag bit and one of the two kinds.
 */
static void prove_words(uint64_t s)
{
	uint64_t one = UINT64_C(1) << 32, t = UINT64_C(1) << (32 - KH_CODE_TERMINATOR_BITS);

	PROVE(s < one && t <= one - s, "spelled words");
	for (int i = 0; i < WORDS; i++) {
		PROVE(kh_code_word(kh_view_str(words[i])) == i, "\"%s\" has another word's place", words[i]);
		PROVE(words[i][0] != '\0' && kh_view_find(kh_view_str(words[i]), KH_LIT(" "), 0) == SIZE_MAX, "%d", i);
	}
	PROVED("B7 words: 2048 listed ones with a place of their own (Kraft 1/2) and spelled ones (Kraft 1/2 * "
	       "%llu/%llu) "
	       "sum up to 1 at most; the number of words in front and words behind it keep that",
	       (unsigned long long)t, (unsigned long long)(one - s));
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

static void encode_word(struct code *code, struct kh_view word)
{
	int place = kh_code_word(word);

	put(code, place >= 0, 1);
	if (place >= 0) {
		put(code, (uint64_t)place, WORD_BITS);
		return;
	}
	for (size_t at = 0; at < word.n;) {
		uint64_t value = 0;
		uint32_t c = 0;
		at += kh_utf8_decode(word, at, &c);
		unsigned length = kh_code_symbol(c, &value);
		put(code, value, length);
	}
	put(code, KH_CODE_TERMINATOR_VALUE, KH_CODE_TERMINATOR_BITS);
}

/* The last of MAX_WORDS words takes what is left, blanks and all. */
static struct code encode(struct kh_view text, unsigned max_words)
{
	struct code code = {.n = 0};
	unsigned count = 1;

	for (size_t i = 0; i < text.n; i++)
		count += text.p[i] == ' ' && count < max_words;
	put(&code, count - 1, kh_bits_width(max_words));
	for (size_t at = 0; count > 0; count--) {
		size_t end = count == 1 ? text.n : kh_view_find(text, KH_LIT(" "), at);
		encode_word(&code, kh_view_sub(text, at, end));
		at = end + 1;
	}
	return code;
}

/* One symbol, by the description in code.h alone; false for the terminator. */
static bool decode_symbol(const struct code *code, unsigned *at, uint32_t *ret_c)
{
	static const char printable[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
	uint64_t first = get(code, at, 5);

	switch (first) {
	case 26:
		return false;
	case 27:
		*ret_c = (uint32_t)('0' + get(code, at, 4));
		return true;
	case 28:
		*ret_c = (unsigned char)printable[get(code, at, 5)];
		return true;
	case 29:
		*ret_c = (uint32_t)('A' + get(code, at, 5));
		return true;
	case 30:
		*ret_c = (uint32_t)get(code, at, 16);
		return true;
	case 31:
		*ret_c = (uint32_t)(0x10000 + get(code, at, 20));
		return true;
	default:
		*ret_c = (uint32_t)('a' + first);
		return true;
	}
}

static size_t decode(const struct code *code, unsigned max_words, char *out)
{
	unsigned at = 0, count = (unsigned)get(code, &at, kh_bits_width(max_words)) + 1;
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
		while (decode_symbol(code, &at, &c))
			n += kh_utf8_encode(c, out + n);
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

/* Every character by itself, beside letters, and as the one that a blank is behind. */
static void prove_characters(void)
{
	for (uint32_t c = 1; c <= 0x10ffff; c++) {
		char text[16] = "q";
		size_t n;
		if ((c >= 0xd800 && c <= 0xdfff) || c == ' ')
			continue;
		n = kh_utf8_encode(c, text + 1);
		check_text(kh_view_of(text + 1, n), 1);
		text[n + 1] = 'z';
		check_text(kh_view_of(text, n + 2), 4);
	}
	PROVED("B7 the same for every character alone and between letters, %u texts", 2 * (SCALARS - 2));
}

int main(void)
{
	static const char *const characters[] = {"a", "b", "z", "5", ".", "Q", "\xc3\xa9", "\xf0\x9f\x98\x80", " "};
	static const char *const pieces[] = {
		"a", "able", "about", "zoo", "zq", "A", "42", "u.s.", "\xc3\xa9t\xc3\xa9", "x\xf0\x9f\x98\x80"};

	prove_words(prove_symbols());
	prove_characters();
	prove_texts("characters", characters, 9, 6, "");
	prove_texts("words", pieces, 10, 5, " ");
	return 0;
}
