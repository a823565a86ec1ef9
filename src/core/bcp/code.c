/*
 * The code of B7: computes only lengths.  The bits themselves are needed only by the proof (tests/proofs), which makes
 * them.
 */
#include "core/bcp/code.h"

#include "base/utf8.h"
#include "core/bcp/bits.h"

#define WORD_BITS 11
#define WORDS     2048
#define ANY_BITS  21

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

/* CODE with BITS more bits behind it. */
static struct kh_page_code append(struct kh_page_code code, uint64_t value, unsigned bits)
{
	return (struct kh_page_code){code.value << bits | value, code.bits + bits};
}

struct kh_page_code kh_code_symbol(unsigned *page, uint32_t c)
{
	struct kh_page_code code, turn;
	unsigned to;

	if (kh_page_has(*page, c, &code))
		return code;
	if (!kh_page_find(c, &to) || !kh_page_has(to, c, &code))
		return append(kh_page_any(*page), c, ANY_BITS);
	turn = kh_page_turn(*page, to);
	*page = to;
	return append(turn, code.value, code.bits);
}

static uint64_t spelled_bits(struct kh_view word, unsigned *page)
{
	uint64_t bits = 0;

	for (size_t at = 0; at < word.n;) {
		uint32_t c = 0;
		size_t n = kh_utf8_decode(word, at, &c);
		/* Delivered text is valid UTF-8; an invalid byte would be counted all the same. */
		bits += kh_code_symbol(page, n ? c : 0xfffd).bits;
		at += n ? n : 1;
	}
	return bits + kh_page_terminator(*page).bits;
}

/*
 * True if WORD has the letters a-z, and at most two digits or marks.  No page is cheaper for it than Latin: a turn costs
 * ten bits, and a character five or more on any page; of a digit or a mark it is ten at most.
 */
static bool is_plain(struct kh_view word)
{
	size_t others = 0;

	for (size_t i = 0; i < word.n && others <= 2; i++) {
		char c = word.p[i];
		if (c >= 'a' && c <= 'z')
			continue;
		others += c > ' ' && c < 0x7f && !kh_ascii_is_alpha(c) ? 1 : 3;
	}
	return others <= 2;
}

struct kh_page_code kh_code_begin(unsigned *page, struct kh_view word)
{
	static const unsigned pages[] = {KH_PAGE_LATIN, KH_PAGE_HEX, KH_PAGE_WEST};
	struct kh_page_code best = {0};
	unsigned from = *page, to = from, after = from;

	if ((from != KH_PAGE_LATIN && from != KH_PAGE_HEX && from != KH_PAGE_WEST) ||
	    (from == KH_PAGE_LATIN && is_plain(word)))
		return best;
	uint64_t least = spelled_bits(word, &after);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		struct kh_page_code turn = kh_page_turn(from, after = pages[i]);
		uint64_t bits = turn.bits + spelled_bits(word, &after);
		if (pages[i] != from && bits < least) {
			least = bits;
			best = turn;
			to = pages[i];
		}
	}
	*page = to;
	return best;
}

static uint64_t word_bits(struct kh_view word, unsigned *page)
{
	unsigned begun = kh_code_begin(page, word).bits;

	return begun + spelled_bits(word, page);
}

uint64_t kh_code_length(struct kh_view text, unsigned max_words)
{
	uint64_t bits = kh_bits_width(max_words);
	struct kh_view rest = text, word;
	unsigned page = KH_PAGE_LATIN;

	for (unsigned count = 1; rest.p != NULL; count++) {
		if (count >= max_words) {
			word = rest;
			rest = kh_view_of(NULL, 0);
		} else if (!kh_view_split(&rest, ' ', &word)) {
			break;
		}
		bits += 1 + (kh_code_word(word) >= 0 ? WORD_BITS : word_bits(word, &page));
	}
	return bits * KH_MICROBIT;
}
