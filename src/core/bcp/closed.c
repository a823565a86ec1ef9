/*
 * Closed lists: reduces an answer to a key and searches for it.  Pure.  The answer is hostile: it is only compared,
 * never copied into the result.  `extract` looks up every capitalised word of a text, and most are in no list.  So a row
 * is only looked at closely if the key is among all codes and other names, or begins like the row's name.
 */
#include "core/bcp/closed.h"

struct key {
	char *p;
	size_t n;
	size_t word; /* where the current word begins */
	bool full;
};

static void put(struct key *k, char c)
{
	if (k->n == KH_CLOSED_KEY_MAX)
		k->full = true;
	else
		k->p[k->n++] = c;
}

/* Ends the current word, if there is one, with a blank; drops the word "the". */
static void end_word(struct key *k)
{
	if (k->n == k->word)
		return;
	if (kh_view_eq(kh_view_of(k->p + k->word, k->n - k->word), KH_LIT("the")))
		k->n = k->word;
	else
		put(k, ' ');
	k->word = k->n;
}

static void put_char(struct key *k, char c)
{
	switch (c) {
	case '.':
	case '\'':
		break;
	case ' ':
	case ',':
	case '(':
	case ')':
	case '-':
	case '/':
		end_word(k);
		break;
	case '&':
		end_word(k);
		put(k, 'a');
		put(k, 'n');
		put(k, 'd');
		end_word(k);
		break;
	default:
		put(k, kh_ascii_lower(c));
	}
}

size_t kh_closed_reduce(struct kh_view text, char out[static KH_CLOSED_KEY_MAX])
{
	struct key k = {.p = out};

	for (size_t i = 0; i < text.n && !k.full; i++)
		put_char(&k, text.p[i]);
	end_word(&k);
	if (k.full || k.n == 0)
		return 0;
	return k.n - 1; /* without the last word's blank */
}

/* "islamic republic of iran" as lists write it: "iran islamic republic of". */
static bool is_inverted(struct kh_view name, struct kh_view key)
{
	size_t of = kh_view_find(name, KH_LIT(" of "), 0);

	if (of == SIZE_MAX || key.n != name.n)
		return false;
	struct kh_view kind = kh_view_sub(name, 0, of + 3), rest = kh_view_from(name, of + 4);
	return kh_view_starts(key, rest) && key.p[rest.n] == ' ' && kh_view_ends(key, kind);
}

bool kh_closed_claims(struct kh_view keys, struct kh_view key)
{
	struct kh_view piece;

	if (key.n == 0)
		return false;
	while (kh_view_split(&keys, '|', &piece)) {
		if (kh_view_eq(piece, key) || is_inverted(piece, key))
			return true;
	}
	return false;
}

/* Whether the codes and other names of some row may have KEY.  An inverted form is not looked for. */
static bool is_key(struct kh_view keys, struct kh_view key)
{
	for (size_t at = 0; (at = kh_view_find(keys, key, at)) != SIZE_MAX; at++) {
		if (at > 0 && at + key.n < keys.n && keys.p[at - 1] == '|' && keys.p[at + key.n] == '|')
			return true;
	}
	return false;
}

/* Whether the reduced form of NAME claims KEY.  The first letters are compared before the name is reduced. */
static bool is_name(struct kh_view name, struct kh_view key, bool inverted)
{
	char bytes[KH_CLOSED_KEY_MAX];
	char first = kh_ascii_lower(name.p[0]);

	if (first >= 'a' && first <= 'z' && first != key.p[0] && !inverted && !kh_view_starts(name, KH_LIT("The ")))
		return false;
	return kh_closed_claims(kh_view_of(bytes, kh_closed_reduce(name, bytes)), key);
}

bool kh_closed_find(const struct kh_closed_list *list, struct kh_view text, struct kh_view *ret_name)
{
	char key_bytes[KH_CLOSED_KEY_MAX];
	struct kh_view key = kh_view_of(key_bytes, kh_closed_reduce(text, key_bytes));

	if (key.n == 0)
		return false;
	bool word = kh_closed_claims(list->words, key), inverted = kh_view_ends(key, KH_LIT(" of"));
	bool listed = inverted || is_key(list->keys, key);
	for (size_t i = 0; i < list->count; i++) {
		const struct kh_closed_row *row = &list->rows[i];
		if (is_name(row->name, key, inverted) ||
		    (listed && (kh_closed_claims(row->also, key) || (!word && kh_closed_claims(row->codes, key))))) {
			*ret_name = row->name;
			return true;
		}
	}
	return false;
}
