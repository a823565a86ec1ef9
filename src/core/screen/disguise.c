/*
 * Undoes leet and letter spacing in skeletons (lower case, look-alikes already folded), and finds phrases that may be
 * reversed or in rot13.  Linear.
 */
#include "core/screen/disguise.h"

#include "base/utf8.h"
#include "core/screen/lexicon.h"

#define PHRASE_MAX 400 /* bytes of a phrase, to either side */
#define RUN_MIN    3   /* fewest single letters that are joined */

/* What digits and signs stand for; 'i' may also be an 'l'.  0: only for themselves. */
static const char leet[256] = {
	['0'] = 'o', ['1'] = 'i', ['!'] = 'i', ['|'] = 'i', ['3'] = 'e', ['4'] = 'a', ['@'] = 'a', ['5'] = 's',
	['$'] = 's', ['7'] = 't', ['+'] = 't', ['8'] = 'b', ['9'] = 'g', ['6'] = 'g', ['2'] = 'z'};

static char leet_letter(char c)
{
	char letter = leet[(unsigned char)c];

	return letter == 0 ? c : letter;
}

/* Letters, digits and the signs that stand for letters. */
static bool in_word(char c)
{
	return (unsigned char)c >= 0x80 || kh_ascii_is_alpha(c) || leet[(unsigned char)c] != 0 || c == '\'';
}

enum kh_err kh_disguise_leet(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_text, size_t *ret_changed)
{
	char *out = kh_arena_alloc(arena, text.n);
	size_t changed = 0;

	if (out == NULL)
		return KH_ENOMEM;
	for (size_t at = 0; at < text.n;) {
		size_t end = at, letters = 0, signs = 0;
		for (; end < text.n && in_word(text.p[end]); end++) {
			letters += kh_ascii_is_alpha(text.p[end]);
			signs += leet[(unsigned char)text.p[end]] != 0;
		}
		/* An exclamation mark at the end of a word is not a letter. */
		size_t stop = end;
		while (stop > at && text.p[stop - 1] == '!')
			stop--, signs--;
		bool word = signs > 0 && letters + signs >= 2 && (letters > 0 || signs <= 4);
		for (size_t i = at; i < end; i++)
			out[i] = word && i < stop ? leet_letter(text.p[i]) : text.p[i];
		changed += word && letters > 0 ? signs : 0;
		if (end == at)
			out[end] = text.p[end], end++;
		at = end;
	}
	*ret_text = kh_view_of(out, text.n);
	*ret_changed = changed;
	return KH_OK;
}

enum kh_err kh_disguise_ell(struct kh_arena *arena, struct kh_view text, struct kh_view leet_text,
			    struct kh_view *ret_text, bool *ret_differs)
{
	char *out = kh_arena_alloc(arena, text.n);
	unsigned differs = 0;

	if (out == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < text.n; i++) {
		unsigned other = (leet_text.p[i] == 'i') & (text.p[i] != 'i');
		out[i] = (char)(leet_text.p[i] + (int)other * ('l' - 'i'));
		differs |= other;
	}
	*ret_text = kh_view_of(out, text.n);
	*ret_differs = differs != 0;
	return KH_OK;
}

/* The length of a single letter at AT, one without a letter or digit on either side; else 0. */
static size_t single(struct kh_view text, size_t at)
{
	uint32_t c;

	if (at < text.n && (!in_word(text.p[at]) || text.p[at] == '\''))
		return 0;
	size_t len = kh_utf8_decode(text, at, &c);
	if (len == 0)
		return 0;
	return at + len >= text.n || !in_word(text.p[at + len]) ? len : 0;
}

/* The length of the gap at AT: bytes up to the next letter. */
static size_t gap(struct kh_view text, size_t at)
{
	size_t n = 0;

	while (at + n < text.n && !in_word(text.p[at + n]))
		n++;
	return n;
}

struct joiner {
	struct kh_view text;
	struct kh_spaced *ret;
	char *out;
	size_t n;
};

static void copy(struct joiner *j, size_t from, size_t to)
{
	for (; from < to; from++) {
		j->ret->origin[j->n] = (uint32_t)from;
		j->out[j->n++] = j->text.p[from];
	}
}

/* Joins the run of single letters at AT, if there is one; returns where it ends. */
static size_t join(struct joiner *j, size_t at)
{
	size_t end = at, count = 0, before = j->n;

	for (size_t len; (len = single(j->text, end)) > 0;) {
		copy(j, end, end + len);
		count++;
		end += len;
		size_t g = gap(j->text, end);
		if (g == 0 || g > 3 || single(j->text, end + g) == 0)
			break;
		if (g > 1) {
			j->ret->origin[j->n] = (uint32_t)end;
			j->out[j->n++] = ' ';
		}
		end += g;
	}
	if (count < RUN_MIN) {
		j->n = before;
		copy(j, at, end);
	} else if (count > j->ret->letters) {
		j->ret->letters = count;
		j->ret->first = at;
		j->ret->last = end;
	}
	return end;
}

enum kh_err kh_disguise_spaced(struct kh_arena *arena, struct kh_view text, struct kh_spaced *ret)
{
	struct kh_spaced s = {.origin = KH_NEW_N(arena, uint32_t, text.n + 1)};
	struct joiner j = {.text = text, .ret = &s, .out = kh_arena_alloc(arena, text.n)};

	if (s.origin == NULL || j.out == NULL)
		return KH_ENOMEM;
	for (size_t at = 0; at < text.n;) {
		bool begins = at == 0 || !in_word(text.p[at - 1]);
		if (begins && single(text, at) > 0) {
			at = join(&j, at);
			continue;
		}
		copy(&j, at, at + 1);
		at++;
	}
	s.origin[j.n] = (uint32_t)text.n;
	s.text = kh_view_of(j.out, j.n);
	*ret = s;
	return KH_OK;
}

static bool ends_phrase(char c)
{
	return c == '\n' || c == '"' || c == '\'' || c == ':' || c == '.' || c == '<' || c == '>' || c == '(' ||
	       c == ')';
}

/* True if WORD is a known word as it is, or is mostly not ASCII, so it was not reversed or in rot13. */
static bool is_plain_word(struct kh_view word)
{
	size_t words, foreign = 0;

	for (size_t i = 0; i < word.n; i++)
		foreign += (word.p[i] & 0x80) != 0;
	return word.n == 0 || foreign * 2 > word.n || kh_lexicon_known(word, &words) > 0;
}

/* Removes from bytes [start, end) of TEXT the words at both ends that were not reversed or in rot13. */
static void trim_plain(struct kh_view text, size_t *start, size_t *end)
{
	for (;;) {
		struct kh_view part = kh_view_sub(text, *start, *end);
		const char *blank = part.n ? memchr(part.p, ' ', part.n) : NULL;
		size_t first = blank ? (size_t)(blank - part.p) : part.n;
		if (blank == NULL || !is_plain_word(kh_view_sub(part, 0, first)))
			break;
		*start += first + 1;
	}
	for (;;) {
		struct kh_view part = kh_view_sub(text, *start, *end);
		const char *blank = part.n ? memrchr(part.p, ' ', part.n) : NULL;
		if (blank == NULL || !is_plain_word(kh_view_from(part, (size_t)(blank - part.p) + 1)))
			break;
		*end = *start + (size_t)(blank - part.p);
	}
}

void kh_disguise_phrase(struct kh_view text, size_t at, size_t *ret_start, size_t *ret_end)
{
	size_t start = at > 0 ? at - 1 : 0, end = at;

	while (start > 0 && at - start < PHRASE_MAX && !ends_phrase(text.p[start - 1]))
		start--;
	while (end < text.n && end - at < PHRASE_MAX && !ends_phrase(text.p[end]))
		end++;
	trim_plain(text, &start, &end);
	*ret_start = start;
	*ret_end = end;
}
