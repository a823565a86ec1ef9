/*
 * The code of B7: computes only lengths.  The bits themselves are needed only by the proof (tests/proofs), which makes
 * them.
 */
#include "core/bcp/code.h"

#include "base/utf8.h"
#include "core/bcp/bits.h"

#define WORD_BITS   11
#define WORDS       2048
#define ESCAPE_BITS 5

static const char *const words[WORDS] = {
#include "words.inc"
};

int kh_code_word(struct kh_view word)
{
	int low = 0, high = WORDS;

	while (low < high) {
		int middle = low + (high - low) / 2;
		int c = kh_view_cmp(word, kh_view_str(words[middle]));
		if (c == 0)
			return middle;
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return -1;
}

enum { DIGIT = 27, PRINTABLE = 28, UPPER = 29, BMP = 30, ASTRAL = 31 };

/* An escape and the N bits that follow it. */
static unsigned escaped(unsigned escape, unsigned n, uint64_t value, uint64_t *ret_value)
{
	if (ret_value != NULL)
		*ret_value = (uint64_t)escape << n | value;
	return ESCAPE_BITS + n;
}

unsigned kh_code_symbol(uint32_t c, uint64_t *ret_value)
{
	if (c >= 'a' && c <= 'z')
		return escaped(0, 0, c - 'a', ret_value);
	if (c >= '0' && c <= '9')
		return escaped(DIGIT, 4, c - '0', ret_value);
	if (c >= 'A' && c <= 'Z')
		return escaped(UPPER, 5, c - 'A', ret_value);
	/* The other 32 printable ASCII characters are in four runs. */
	if (c >= '!' && c <= '/')
		return escaped(PRINTABLE, 5, c - '!', ret_value);
	if (c >= ':' && c <= '@')
		return escaped(PRINTABLE, 5, c - ':' + 15, ret_value);
	if (c >= '[' && c <= '`')
		return escaped(PRINTABLE, 5, c - '[' + 22, ret_value);
	if (c >= '{' && c <= '~')
		return escaped(PRINTABLE, 5, c - '{' + 28, ret_value);
	if (c <= 0xffff)
		return escaped(BMP, 16, c, ret_value);
	return escaped(ASTRAL, 20, c - 0x10000, ret_value);
}

static uint64_t spelled_bits(struct kh_view word)
{
	uint64_t bits = KH_CODE_TERMINATOR_BITS;

	for (size_t at = 0; at < word.n;) {
		uint32_t c = 0;
		size_t n = kh_utf8_decode(word, at, &c);
		/* Delivered text is valid UTF-8; an invalid byte would be charged all the same. */
		bits += kh_code_symbol(n ? c : 0xfffd, NULL);
		at += n ? n : 1;
	}
	return bits;
}

uint64_t kh_code_length(struct kh_view text, unsigned max_words)
{
	uint64_t bits = kh_bits_width(max_words);
	struct kh_view rest = text, word;

	for (unsigned count = 1; rest.p != NULL; count++) {
		if (count >= max_words) {
			word = rest;
			rest = kh_view_of(NULL, 0);
		} else if (!kh_view_split(&rest, ' ', &word)) {
			break;
		}
		bits += 1 + (kh_code_word(word) >= 0 ? WORD_BITS : spelled_bits(word));
	}
	return bits * KH_MICROBIT;
}
