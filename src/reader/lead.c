/* Chooses sentences.  A summary is the beginning of the body, because writers usually say first what it is about. */
#include "reader/lead.h"

#include "base/buf.h"
#include "base/utf8.h"

#define SUMMARY_BYTES 16384
#define SHORT_LINE    3 /* words: a shorter line is a greeting or a heading, not a sentence */

/* The length in bytes of the blank at AT, 0 if there is none. */
static size_t blank_at(struct kh_view text, size_t at)
{
	uint32_t c = 0;
	size_t n = kh_utf8_decode(text, at, &c);

	if (n == 0)
		return 0;
	return kh_utf8_is_space(c) ? n : 0;
}

struct kh_view kh_lead_cut(struct kh_view text, unsigned max_words)
{
	unsigned words = 0;
	bool inside = false;

	for (size_t i = 0; i < text.n;) {
		size_t n = blank_at(text, i);
		if (n > 0) {
			inside = false;
		} else if (!inside) {
			if (words++ == max_words)
				return kh_view_trim(kh_view_sub(text, 0, i));
			inside = true;
		}
		i += n > 0 ? n : 1;
	}
	return kh_view_trim(text);
}

/* "Venue: Room 4": the rest of a line whose label has a word of the question itself. */
static bool labelled(struct kh_spot *spot, struct kh_range *ret_range)
{
	const struct kh_tokens *t = spot->tokens;

	for (unsigned least = KH_CUE_OWN; least >= KH_CUE_NEAR; least -= KH_CUE_OWN - KH_CUE_NEAR) {
		for (size_t i = 0; i < spot->hit_count; i++) {
			const struct kh_spot_hit *h = &spot->hits[i];
			size_t colon = h->token + (kh_tokens_mark(t, h->token + 1, ':') ? 1U : 2U);
			if (!h->label || h->weight < least || colon + 1 >= t->n ||
			    t->at[colon + 1].line != t->at[h->token].line)
				continue;
			*ret_range = (struct kh_range){colon + 1, kh_tokens_line_end(t, colon + 1)};
			return true;
		}
	}
	return false;
}

/* How well a sentence answers: each word of the question that it has counts once. */
static int sentence_score(const struct kh_spot *spot, size_t *hit, size_t first, size_t end)
{
	int best[KH_SPOT_CUES] = {0}, sum = 0;

	while (*hit < spot->hit_count && spot->hits[*hit].token < first)
		++*hit;
	for (; *hit < spot->hit_count && spot->hits[*hit].token < end; ++*hit) {
		const struct kh_spot_hit *h = &spot->hits[*hit];
		int weight = h->weight * 16 / (int)(3 + (spot->counts[h->cue] < 13 ? spot->counts[h->cue] : 13));
		best[h->cue] = weight > best[h->cue] ? weight : best[h->cue];
	}
	for (size_t i = 0; i < spot->cues; i++)
		sum += best[i];
	return sum;
}

static bool best_sentence(const struct kh_spot *spot, struct kh_range *ret_range)
{
	const struct kh_tokens *t = spot->tokens;
	int best = 0;
	size_t hit = 0;

	for (size_t i = spot->mail->body; i < t->n;) {
		size_t end = kh_tokens_sentence_end(t, i);
		int score = sentence_score(spot, &hit, i, end);
		if (score > best) {
			best = score;
			*ret_range = (struct kh_range){i, end};
		}
		i = end;
	}
	return best > 0;
}

bool kh_lead_text(struct kh_spot *spot, struct kh_view *ret_text)
{
	struct kh_range range = spot->mail->subject;
	bool subject = range.end > range.first && kh_spot_asks(spot, KH_LIT("subject|topic|title|about"));

	if (!subject && !labelled(spot, &range) && !best_sentence(spot, &range))
		return false;
	*ret_text = kh_lead_cut(kh_tokens_span(spot->tokens, range.first, range.end - 1), spot->max_words);
	return ret_text->n > 0;
}

static unsigned words_in(const struct kh_tokens *t, size_t first, size_t end)
{
	unsigned words = 0;

	for (size_t i = first; i < end; i++)
		words += !t->at[i].glued;
	return words;
}

struct kh_view kh_lead_summary(struct kh_arena *arena, const struct kh_tokens *tokens, unsigned max_words)
{
	const struct kh_mail mail = kh_mail_read(tokens);
	struct kh_buf out;
	struct kh_view summary = KH_LIT("");
	unsigned words = 0;

	kh_buf_init(&out, arena, SUMMARY_BYTES);
	for (size_t i = mail.body; i < tokens->n;) {
		size_t end = kh_tokens_sentence_end(tokens, i);
		struct kh_view sentence = kh_view_trim(kh_tokens_span(tokens, i, end - 1));
		unsigned more = words_in(tokens, i, end);
		bool greeting = kh_mail_within(mail.greeting, i) || kh_mail_within(mail.greeting, i + 1) ||
				(mail.signature.end > 0 && end + 3 >= mail.signature.first);
		i = end;
		if (more <= SHORT_LINE || (greeting && more <= 2 * SHORT_LINE))
			continue;
		if (words > 0 && (words + more > max_words || out.n + sentence.n + 1 > SUMMARY_BYTES))
			break;
		if (words > 0)
			kh_buf_byte(&out, ' ');
		kh_buf_add(&out, kh_lead_cut(kh_view_sub(sentence, 0, SUMMARY_BYTES - 1), max_words));
		words += more;
	}
	/* There are only short lines: use the first ones. */
	if (out.n == 0 && mail.body < tokens->n)
		kh_buf_add(&out, kh_lead_cut(kh_view_sub(kh_tokens_span(tokens, mail.body, tokens->n - 1), 0,
							 SUMMARY_BYTES - 1),
					     max_words));
	return kh_buf_end(&out, &summary) == KH_OK ? summary : KH_LIT("");
}
