/*
 * Public ids: a Feistel network of four rounds over the two halves of the number, with SipHash-2-4 as the round
 * function, keyed by the store's key, the kind and the round.  Four rounds of a pseudo-random function make a
 * pseudo-random permutation (Luby and Rackoff): without the key, nobody can tell the number of an id or make a valid
 * id.
 */
#include "engine/state/publicid.h"

#include <sodium.h>

#define ROUNDS 4
#define LENGTH 17

_Static_assert(KH_PUBLICID_KEY == crypto_shorthash_KEYBYTES, "SipHash's key");

static uint32_t mix(const unsigned char *key, enum kh_publicid kind, unsigned round, uint32_t half)
{
	unsigned char in[6] = {(unsigned char)kind,        (unsigned char)round,        (unsigned char)half,
			       (unsigned char)(half >> 8), (unsigned char)(half >> 16), (unsigned char)(half >> 24)};
	unsigned char out[crypto_shorthash_BYTES];

	crypto_shorthash(out, in, sizeof(in), key);
	return (uint32_t)out[0] | (uint32_t)out[1] << 8 | (uint32_t)out[2] << 16 | (uint32_t)out[3] << 24;
}

struct kh_view kh_publicid_text(struct kh_arena *arena, const unsigned char key[KH_PUBLICID_KEY], enum kh_publicid kind,
				int64_t id)
{
	uint32_t left = (uint32_t)((uint64_t)id >> 32), right = (uint32_t)id;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t next = left ^ mix(key, kind, i, right);
		left = right;
		right = next;
	}
	char *text = kh_arena_alloc(arena, LENGTH);
	if (text == NULL)
		return (struct kh_view){NULL, 0};
	text[0] = (char)kind;
	for (unsigned i = 0; i < 8; i++) {
		text[1 + i] = "0123456789abcdef"[left >> (28 - 4 * i) & 15];
		text[9 + i] = "0123456789abcdef"[right >> (28 - 4 * i) & 15];
	}
	return kh_view_of(text, LENGTH);
}

/* Eight lower-case hexadecimal digits. */
static bool read_half(struct kh_view hex, uint32_t *ret_half)
{
	uint32_t half = 0;

	for (size_t i = 0; i < hex.n; i++) {
		char c = hex.p[i];
		if (kh_ascii_is_digit(c))
			half = half << 4 | (uint32_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			half = half << 4 | (uint32_t)(c - 'a' + 10);
		else
			return false;
	}
	*ret_half = half;
	return true;
}

bool kh_publicid_parse(const unsigned char key[KH_PUBLICID_KEY], enum kh_publicid kind, struct kh_view text,
		       int64_t *ret_id)
{
	uint32_t left, right;

	if (text.n != LENGTH || text.p[0] != (char)kind || !read_half(kh_view_sub(text, 1, 9), &left) ||
	    !read_half(kh_view_sub(text, 9, 17), &right))
		return false;
	for (unsigned i = ROUNDS; i-- > 0;) {
		uint32_t before = right ^ mix(key, kind, i, left);
		right = left;
		left = before;
	}
	uint64_t id = (uint64_t)left << 32 | right;
	if (id == 0 || id > INT64_MAX)
		return false;
	*ret_id = (int64_t)id;
	return true;
}
