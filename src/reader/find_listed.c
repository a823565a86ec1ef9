/* Only capitalised words are looked up, and only a limited number, because the lists are long and searched linearly. */
#include "reader/find_listed.h"

#include "core/bcp/country.h"
#include "core/bcp/language.h"

#define LOOKUPS 200
#define PARTS   7 /* tokens of a name: "Cocos (Keeling) Islands" */
#define MATCH   40

typedef bool find(struct kh_view key, struct kh_view *ret_name);

/* The longest name of a list that begins at token I; codes only in capitals ("US", "UK"). */
static bool listed_at(struct kh_spot *spot, size_t i, find *in, size_t *ret_last, struct kh_view *ret_name)
{
	const struct kh_tokens *t = spot->tokens;
	size_t last = i;

	if (t->at[i].kind != KH_TOKEN_WORD || !t->at[i].capital || (t->at[i].n <= 3 && !t->at[i].shout) ||
	    (t->at[i].glued && i > 0 && t->at[i - 1].kind != KH_TOKEN_MARK))
		return false;
	/* An empty word that is capitalised because it begins a sentence cannot be a name. */
	if (kh_cue_is_empty(t->at[i].stem) && !t->at[i].shout)
		return false;
	/* "KW51": a code followed by digits does not count. */
	if (i + 1 < t->n && t->at[i + 1].glued && t->at[i + 1].kind == KH_TOKEN_NUMBER)
		return false;
	for (size_t k = i + 1; k < t->n && k - i < PARTS && t->at[k].line == t->at[i].line; k++) {
		bool joint = kh_tokens_mark(t, k, '-') || kh_tokens_mark(t, k, '(') || kh_tokens_mark(t, k, ')');
		if (t->at[k].kind == KH_TOKEN_WORD && t->at[k].capital)
			last = k;
		else if (!joint && !kh_tokens_among(t, k, KH_LIT("of|and|the")))
			break;
	}
	for (; spot->budget > 0; last--) {
		spot->budget--;
		struct kh_view name = kh_tokens_span(t, i, last);
		if (name.n <= 60 && in(name, ret_name)) {
			*ret_last = last;
			return true;
		}
		if (last == i)
			break;
	}
	return false;
}

static bool candidate(struct kh_spot *spot, size_t i, find *in, struct kh_range *ret_range)
{
	struct kh_view name;
	size_t last;

	if (spot->budget > LOOKUPS)
		spot->budget = LOOKUPS;
	if (!listed_at(spot, i, in, &last, &name))
		return false;
	*ret_range = (struct kh_range){i, last + 1};
	return true;
}

static bool country_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	(void)ret_bonus;
	return candidate(spot, i, kh_country_find, ret_range);
}

static bool language_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	if (!candidate(spot, i, kh_language_find, ret_range))
		return false;
	*ret_bonus += i > 0 && kh_tokens_among(spot->tokens, i - 1, KH_LIT("in|into|speak|speaks|language")) ? MATCH
													     : 0;
	return true;
}

static bool take(struct kh_spot *spot, kh_spot_candidate *which, find *in, struct kh_view *ret_text)
{
	struct kh_range range;
	size_t last;

	if (!kh_spot_best(spot, which, &range))
		return false;
	spot->budget = PARTS + 1;
	return listed_at(spot, range.first, in, &last, ret_text);
}

bool kh_find_listed_country(struct kh_spot *spot, struct kh_view *ret_text)
{
	return take(spot, country_candidate, kh_country_find, ret_text);
}

/* The language of the text itself, by its most common words; no answer for a tie or too few of them. */
static bool language_of_text(const struct kh_tokens *t, struct kh_view *ret_text)
{
	static const struct {
		const char *name;
		struct kh_view words;
	} all[] = {
		{"English", KH_LIT_INIT("the|and|of|to|is|you|for|with|that|we|are|this|will|please|have|your|it|be")},
		{"German", KH_LIT_INIT("der|die|das|und|ist|nicht|ich|wir|sie|mit|ein|eine|zu|den|auf|bitte|im|auch")},
		{"French", KH_LIT_INIT("le|les|des|et|est|une|vous|nous|pour|dans|que|pas|avec|sur|votre|du|au|je")},
		{"Spanish", KH_LIT_INIT("el|los|las|y|es|una|para|con|por|que|usted|gracias|su|se|lo|muy|como|pero")},
		{"Italian",
		 KH_LIT_INIT("il|gli|di|che|non|per|una|sono|con|della|grazie|si|ma|anche|questo|nel|del|e")},
		{"Portuguese", KH_LIT_INIT("os|as|e|uma|para|com|por|que|obrigado|se|mas|muito|como|em|ao|da|do|um")},
		{"Dutch", KH_LIT_INIT("het|een|en|van|niet|ik|wij|met|voor|dat|zijn|op|te|aan|u|ook|maar|graag")},
	};
	unsigned counts[sizeof(all) / sizeof(all[0])] = {0};
	size_t best = 0, n = t->n < 2000 ? t->n : 2000;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; t->at[i].n <= 8 && k < sizeof(all) / sizeof(all[0]); k++)
			counts[k] += kh_tokens_among(t, i, all[k].words);
	}
	for (size_t k = 1; k < sizeof(all) / sizeof(all[0]); k++)
		best = counts[k] > counts[best] ? k : best;
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		if (k != best && counts[k] == counts[best])
			return false;
	}
	*ret_text = kh_view_str(all[best].name);
	return counts[best] >= 2;
}

bool kh_find_listed_language(struct kh_spot *spot, struct kh_view *ret_text)
{
	if (kh_spot_asks(spot, KH_LIT("written|text|mail|email|message|document|content")) &&
	    language_of_text(spot->tokens, ret_text))
		return true;
	return take(spot, language_candidate, kh_language_find, ret_text) || language_of_text(spot->tokens, ret_text);
}
