/* Finds a question's words and scores candidates.  Linear: a candidate uses only the hits within WINDOW tokens. */
#include "reader/spot.h"

#define WINDOW   32
#define UNIT     16 /* the score of one word right beside a candidate */
#define BUDGET   2000
#define SHORT    8   /* tokens of a candidate that can repeat the question */
#define CLEAR    100 /* a bonus that decides alone: the candidate is what the question names */
#define REPEATED 1000

static void enter_question(struct kh_spot *spot)
{
	const struct kh_tokens words = spot->question;

	for (size_t general = 0; general < 2; general++) {
		for (size_t i = 0; i < words.n && spot->cues < KH_SPOT_CUES; i++) {
			uint32_t stem = words.at[i].stem;
			if (words.at[i].kind == KH_TOKEN_MARK || kh_cue_is_empty(stem))
				continue;
			if (words.at[i].kind == KH_TOKEN_NUMBER)
				continue;
			if (kh_cue_is_general(stem) != (general == 1))
				continue;
			spot->specific += general == 0;
			kh_cue_add_group(&spot->set, stem, general, spot->cues++);
		}
	}
}

static void hit(struct kh_spot *spot, size_t i, const struct kh_cue *cue)
{
	const struct kh_tokens *t = spot->tokens;
	bool label = kh_tokens_mark(t, i + 1, ':') ||
		     (kh_tokens_mark(t, i + 2, ':') && t->at[i + 1].line == t->at[i].line);

	spot->counts[cue->cue]++;
	spot->hits[spot->hit_count++] = (struct kh_spot_hit){
		.token = (uint32_t)i,
		.cue = cue->cue,
		/* A general word says little, and so does another word of the group. */
		.weight = cue->owner ? 1 : cue->weight,
		.label = label && t->at[i].kind == KH_TOKEN_WORD,
	};
}

void kh_spot_init(struct kh_spot *spot, struct kh_arena *arena, const struct kh_tokens *tokens,
		  const struct kh_mail *mail, struct kh_view question)
{
	*spot = (struct kh_spot){.arena = arena, .tokens = tokens, .mail = mail, .asked = question, .budget = BUDGET};
	spot->question = kh_tokens_cut(arena, question);
	kh_cue_init(&spot->set, arena, 16);
	enter_question(spot);
	spot->begin = kh_spot_asks(spot, KH_LIT("start|starts|begin|begins|open|opens|depart|departs|leave|leaves"));
	spot->last = kh_spot_asks(spot, KH_LIT("end|ends|finish|until|close|closes|arrive|checkout|conclude|over"));
	spot->hits = KH_NEW_N(arena, struct kh_spot_hit, tokens->n);
	if (arena->failed)
		return;
	for (size_t i = 0; i < tokens->n; i++) {
		if (tokens->at[i].kind != KH_TOKEN_WORD)
			continue;
		/* One hit a token, for the heaviest cue, so that there are no more hits than tokens. */
		const struct kh_cue *best = NULL;
		for (const struct kh_cue *cue = kh_cue_find(&spot->set, tokens->at[i].stem); cue != NULL;
		     cue = kh_cue_next(&spot->set, cue)) {
			if (best == NULL || cue->weight > best->weight)
				best = cue;
		}
		if (best != NULL)
			hit(spot, i, best);
	}
}

bool kh_spot_asks(const struct kh_spot *spot, struct kh_view words)
{
	for (size_t i = 0; i < spot->question.n; i++) {
		struct kh_view word = kh_tokens_text(&spot->question, i);
		if (kh_view_ends(word, KH_LIT("'s")))
			word.n -= 2;
		if (kh_tokens_is_one(word, words))
			return true;
	}
	return false;
}

bool kh_spot_asks_recipient(const struct kh_spot *spot)
{
	const struct kh_tokens *q = &spot->question;
	size_t n = q->n;

	if (kh_spot_asks(spot, KH_LIT("recipient|recipients|addressed|addressee|receiver|receives|received|greeted")))
		return !kh_spot_asks(spot, KH_LIT("sender"));
	/* "Who was it sent to?", "To whom is it written?" */
	while (n > 0 && q->at[n - 1].kind == KH_TOKEN_MARK)
		n--;
	return n > 0 && kh_spot_asks(spot, KH_LIT("sent|send|written|wrote|mailed")) &&
	       (kh_tokens_among(q, n - 1, KH_LIT("to")) || kh_tokens_among(q, 0, KH_LIT("to")));
}

bool kh_spot_asks_sender(const struct kh_spot *spot)
{
	return !kh_spot_asks_recipient(spot) &&
	       kh_spot_asks(spot, KH_LIT("sender|sent|from|author|wrote|written|writing|signed|signs|writer|"
					 "writes"));
}

static int weigh(const struct kh_spot *spot, const struct kh_spot_hit *h, size_t first, size_t last)
{
	const struct kh_token *at = &spot->tokens->at[h->token], *candidate = &spot->tokens->at[first];
	size_t distance = h->token < first ? first - h->token : h->token > last ? h->token - last : 0;

	if (distance == 0 || distance > WINDOW)
		return 0;
	int score = h->weight * UNIT * (int)(WINDOW + 1 - distance) / WINDOW;
	if (at->sentence == candidate->sentence)
		score *= 2;
	if (h->token < first)
		score = score * 3 / 2;
	if (h->label && h->token < first && at->line == candidate->line)
		score *= 2;
	uint32_t count = spot->counts[h->cue];
	return score * 4 / (int)(3 + (count < 13 ? count : 13));
}

int kh_spot_score(struct kh_spot *spot, size_t first, size_t last)
{
	int best[KH_SPOT_CUES] = {0}, sum = 0;

	while (spot->low < spot->hit_count && spot->hits[spot->low].token + WINDOW < first)
		spot->low++;
	for (size_t i = spot->low; i < spot->hit_count && spot->hits[i].token <= last + WINDOW; i++) {
		const struct kh_spot_hit *h = &spot->hits[i];
		int score = weigh(spot, h, first, last);
		best[h->cue] = score > best[h->cue] ? score : best[h->cue];
	}
	for (size_t i = 0; i < spot->cues; i++)
		sum += best[i];
	return sum;
}

/* True if the candidate only repeats words of the question. */
static bool is_repeated(const struct kh_spot *spot, struct kh_range range)
{
	for (size_t i = range.first; i < range.end; i++) {
		const struct kh_token *token = &spot->tokens->at[i];
		bool there = token->kind == KH_TOKEN_MARK;
		for (size_t k = 0; k < spot->question.n && !there; k++)
			there = spot->question.at[k].kind == token->kind &&
				kh_view_eq_nocase(kh_tokens_text(&spot->question, k), kh_tokens_text(spot->tokens, i));
		if (!there)
			return false;
	}
	return true;
}

bool kh_spot_best(struct kh_spot *spot, kh_spot_candidate *candidate, struct kh_range *ret_range)
{
	int best = 0;
	size_t count = 0;
	bool told = false;

	spot->low = 0;
	spot->budget = BUDGET;
	for (size_t i = 0; i < spot->tokens->n && spot->budget > 0;) {
		struct kh_range range = {i, i + 1};
		int bonus = 0;
		if (!candidate(spot, i, &range, &bonus)) {
			i++;
			continue;
		}
		int place = kh_spot_score(spot, range.first, range.end - 1), score = place + bonus;
		if (range.end - range.first <= SHORT && is_repeated(spot, range))
			score -= REPEATED;
		if (count++ == 0 || score > best) {
			best = score;
			*ret_range = range;
			told = place > 0 || bonus > CLEAR || spot->begin || spot->last;
		}
		spot->budget--;
		i = range.end > i ? range.end : i + 1;
	}
	return count == 1 || (count > 0 && (told || spot->specific == 0));
}

bool kh_spot_take(struct kh_spot *spot, kh_spot_candidate *candidate, struct kh_view *ret_text)
{
	struct kh_range range;

	if (!kh_spot_best(spot, candidate, &range))
		return false;
	*ret_text = kh_tokens_span(spot->tokens, range.first, range.end - 1);
	return true;
}
