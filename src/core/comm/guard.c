/* The attribution guard.  Output and sources are both hostile: content may have told an agent to hide its source. */
#include "core/comm/guard.h"

#include "core/block/compare.h"
#include "core/comm/strict.h"
#include "core/comm/url.h"
#include "core/screen/normalise.h"

static bool is_word(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c);
}

/* Whether a name may begin at AT: at the text's beginning, after a blank, a quote, a bracket, or a URL's scheme. */
static bool begins(struct kh_view text, size_t at)
{
	char c = at > 0 ? text.p[at - 1] : ' ';

	return (unsigned char)c >= 0x80 || (c != '\0' && strchr(" \"'<>([{*_`:,;", c) != NULL) ||
	       kh_view_ends(kh_view_sub(text, 0, at), KH_LIT("://"));
}

/* Whether a name may end before AT: not if the word or the host continues there. */
static bool ends(struct kh_view text, size_t at)
{
	if (at >= text.n)
		return true;
	if (text.p[at] == '.')
		return at + 1 >= text.n || !is_word(text.p[at + 1]);
	return !is_word(text.p[at]) && text.p[at] != '-' && text.p[at] != '_' && text.p[at] != '@';
}

static bool holds(struct kh_view text, struct kh_view name)
{
	for (size_t at = 0; (at = kh_view_find(text, name, at)) != SIZE_MAX; at++) {
		if (begins(text, at) && ends(text, at + name.n))
			return true;
	}
	return false;
}

enum kh_err kh_guard_names(struct kh_arena *arena, struct kh_view output, const struct kh_attribution *attribution,
			   bool *ret_yes)
{
	struct kh_view text, name, host = {NULL, 0};
	struct kh_url url;
	enum kh_err e = kh_normalise_key(arena, output, &text);

	if (e == KH_OK)
		e = kh_normalise_key(arena, attribution->source, &name);
	/* What a giver says about its source is no proof of a host. */
	if (e == KH_OK && attribution->put_by.n == 0 && kh_url_read(attribution->source, &url, NULL) == KH_OK)
		e = kh_normalise_key(arena, url.host, &host);
	if (e == KH_OK)
		*ret_yes = (name.n > 0 && holds(text, name)) || (host.n > 0 && holds(text, host));
	return e;
}

/* Adds a flag that says which kinds of matches the output has with source I. */
static void flag(struct kh_reasons *flags, const struct kh_matches *matches, size_t i, struct kh_view source)
{
	struct kh_view member = kh_strict_index(flags->arena, KH_LIT("sources"), i);
	struct kh_view quoted = kh_arena_quote(flags->arena, source);
	const char *kind = NULL;
	size_t n = 0;

	for (size_t k = 0; k < matches->n; k++) {
		if (matches->at[k].source != i)
			continue;
		kind = n++ == 0 ? kh_compare_kind(matches->at[k].kind) : kind;
	}
	if (n > 0)
		kh_reasons_add(flags, "unattributed", member,
			       "repeats %.*s in %zu places (first a %s) without naming it", KH_FMT(quoted), n, kind);
}

enum kh_err kh_guard_output(struct kh_arena *arena, struct kh_view output, const struct kh_guard_given *given,
			    struct kh_reasons *flags, size_t *ret_places, bool *ret_copies)
{
	struct kh_compare what = {.texts = &output, .text_count = 1, .own = given->own, .own_count = given->own_count};
	size_t all = given->count + given->other_count, n = 0;
	struct kh_view *contents = KH_NEW_N(arena, struct kh_view, all);
	struct kh_matches matches;
	enum kh_err e;

	if (contents == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < all; i++)
		contents[i] = i < given->count ? given->sources[i].content : given->others[i - given->count];
	e = kh_compare_texts(arena, &what, contents, all, &matches);
	for (size_t i = 0; e == KH_OK && i < given->count; i++) {
		const struct kh_attribution *attribution = given->sources[i].attribution;
		size_t before = flags->n;
		bool named = false;
		e = kh_guard_names(arena, output, attribution, &named);
		if (e == KH_OK && !named && given->sources[i].whole != NULL)
			e = kh_guard_names(arena, output, given->sources[i].whole, &named);
		if (e == KH_OK && !named)
			flag(flags, &matches, i, attribution->source);
		if (flags->n > before)
			ret_places[n++] = i;
	}
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret_copies = matches.n > 0;
	return e;
}
