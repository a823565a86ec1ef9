/*
 * Tier 1's comparison (K7): a text with a source, each any bytes, separated by a line "%%"; behind a third one words of
 * the user's own.  The first byte chooses how a secret word is put into both: plainly, backwards, in rot13, in base64 or
 * in hexadecimal digits in the text; plainly in the source, of which only the fingerprints may be left.
 *
 * Whatever stands around it, the word is found.  Matches are inside of what was given.  Fingerprints are sorted and
 * bounded, and the same every time.
 */
#include "fuzz.h"

#include "core/block/compare.h"
#include "core/block/prints.h"

#include <sodium.h>

#define MOST 400 /* bytes: longer ones reach nothing more, and take longer */

#define SECRET "wqzkvyxjmbfthr" /* 14 letters: a run that fingerprints surely find */

enum { PLAIN, BACKWARDS, ROT13, BASE64, HEXADECIMAL, NOT_AT_ALL, HOWS };

static const unsigned char key[KH_PRINTS_KEY] = {5, 7};

static struct kh_view disguised(struct kh_arena *arena, unsigned how)
{
	char *text = kh_arena_alloc(arena, 64);
	size_t n = sizeof(SECRET) - 1;

	HOLDS(text != NULL);
	if (how == BASE64)
		return kh_view_str(
			sodium_bin2base64(text, 64, (const unsigned char *)SECRET, n, sodium_base64_VARIANT_ORIGINAL));
	if (how == HEXADECIMAL)
		return kh_view_str(sodium_bin2hex(text, 64, (const unsigned char *)SECRET, n));
	for (size_t i = 0; i < n; i++) {
		char c = SECRET[how == BACKWARDS ? n - 1 - i : i];
		text[i] = how == ROT13 ? (char)("abcdefghijklm"[(c - 'a') % 13] + (c < 'n' ? 13 : 0)) : c;
	}
	return kh_view_of(text, how == NOT_AT_ALL ? 0 : n);
}

static struct kh_view put_in(struct kh_arena *arena, struct kh_view text, struct kh_view word, size_t at)
{
	/* Not into a character, which would change what is around it into something else. */
	at = text.n > 0 ? at % (text.n + 1) : 0;
	while (at < text.n && ((unsigned char)text.p[at] & 0xc0) == 0x80)
		at++;
	const struct kh_view parts[] = {kh_view_sub(text, 0, at), KH_LIT(" "), word, KH_LIT(" "),
					kh_view_from(text, at)};
	return kh_fuzz_join(arena, parts, sizeof(parts) / sizeof(parts[0]));
}

static struct kh_view make_prints(struct kh_arena *arena, struct kh_view source)
{
	struct kh_view prints, again;

	HOLDS(kh_prints_make(arena, key, source, &prints) == KH_OK);
	HOLDS(kh_prints_make(arena, key, source, &again) == KH_OK);
	HOLDS(kh_view_eq(prints, again));
	HOLDS(prints.n % KH_PRINTS_SIZE == 0 && prints.n / KH_PRINTS_SIZE <= KH_PRINTS_MAX);
	for (size_t i = KH_PRINTS_SIZE; i < prints.n; i += KH_PRINTS_SIZE)
		HOLDS(memcmp(prints.p + i - KH_PRINTS_SIZE, prints.p + i, KH_PRINTS_SIZE) < 0);
	return prints;
}

static void check_matches(const struct kh_matches *matches)
{
	size_t kinds[KH_MATCH_COUNT] = {0};

	for (size_t i = 0; i < matches->n; i++) {
		const struct kh_match *m = &matches->at[i];
		HOLDS(m->kind < KH_MATCH_COUNT && m->text == 0 && m->source == 0);
		HOLDS(kh_compare_kind(m->kind) != NULL && m->shared.n > 0);
		HOLDS(i == 0 || matches->at[i - 1].kind <= m->kind);
		kinds[m->kind]++;
	}
	for (size_t i = 0; i < KH_MATCH_COUNT; i++)
		HOLDS(kinds[i] <= matches->kinds[i] && kinds[i] <= KH_COMPARE_MAX);
}

static struct kh_view part(struct kh_view *rest)
{
	size_t at = kh_view_find(*rest, KH_LIT("\n%%\n"), 0);
	struct kh_view piece = kh_view_sub(*rest, 0, at);

	*rest = at == SIZE_MAX ? KH_LIT("") : kh_view_from(*rest, at + 4);
	return piece;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_matches matches = {0};
	struct kh_arena arena;

	if (size < 2 || size > MOST)
		return 0;
	unsigned how = data[0] % HOWS;
	bool removed = data[0] & 0x80;
	struct kh_view rest = kh_fuzz_view(data + 2, size - 2), none = KH_LIT("");
	struct kh_view text = part(&rest), source = part(&rest), own = part(&rest);
	kh_fuzz_begin(&arena);
	text = put_in(&arena, text, disguised(&arena, how), data[1]);
	source = put_in(&arena, source, KH_LIT(SECRET), data[1]);
	struct kh_compare what = {.texts = &text, .text_count = 1, .own = &own, .own_count = own.n > 0};
	struct kh_view prints = removed ? make_prints(&arena, source) : none;
	if (removed) {
		what.prints = &prints;
		what.key = key;
	}
	HOLDS(kh_compare_texts(&arena, &what, removed ? &none : &source, 1, &matches) == KH_OK);
	check_matches(&matches);
	if (how != NOT_AT_ALL && own.n == 0)
		HOLDS(matches.kinds[KH_MATCH_RUN] > 0);
	kh_arena_done(&arena);
	return 0;
}
