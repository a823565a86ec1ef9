/* Candidates: a mail address is built around its '@'; a telephone number and an identifier are runs of tokens without
 * blanks between them. */
#include "reader/find_address.h"

#include "core/bcp/format.h"

#define MATCH         40
#define LOCAL_TOKENS  16
#define DOMAIN_TOKENS 16
#define PHONE_TOKENS  16
#define ID_TOKENS     12

static bool is_mark_of(const struct kh_tokens *t, size_t i, const char *marks)
{
	return t->at[i].kind == KH_TOKEN_MARK && t->at[i].n == 1 && t->text.p[t->at[i].at] != '\0' &&
	       strchr(marks, t->text.p[t->at[i].at]) != NULL;
}

/* True if the format accepts tokens [first, end) exactly as they are. */
static bool reads(struct kh_spot *spot, enum kh_format format, size_t first, size_t end)
{
	struct kh_view canonical;
	const char *problem;
	struct kh_view text = kh_tokens_span(spot->tokens, first, end - 1);

	if (spot->budget == 0 || text.n > 320)
		return false;
	spot->budget--;
	return kh_format_read(format, (struct kh_format_detail){0}, spot->arena, text, &canonical, &problem);
}

static bool mail_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	const struct kh_tokens *t = spot->tokens;
	size_t first = i, end = i + 1;

	if (!kh_tokens_mark(t, i, '@') || i == 0 || end >= t->n)
		return false;
	while (first > 0 && i - first < LOCAL_TOKENS && t->at[first].glued &&
	       (t->at[first - 1].kind != KH_TOKEN_MARK || is_mark_of(t, first - 1, "._%+-")))
		first--;
	while (end < t->n && end - i < DOMAIN_TOKENS && t->at[end].glued &&
	       (t->at[end].kind != KH_TOKEN_MARK || is_mark_of(t, end, ".-")))
		end++;
	while (end > i && t->at[end - 1].kind == KH_TOKEN_MARK)
		end--;
	while (first < i && t->at[first].kind == KH_TOKEN_MARK)
		first++;
	if (first == i || end <= i + 1 || !reads(spot, KH_FORMAT_EMAIL, first, end))
		return false;
	*ret_range = (struct kh_range){first, end};
	if (kh_mail_within(spot->mail->from, first))
		*ret_bonus += kh_spot_asks_sender(spot) ? 8 * MATCH : -MATCH;
	if (kh_mail_within(spot->mail->to, first))
		*ret_bonus += kh_spot_asks_recipient(spot) ? 8 * MATCH : -MATCH;
	return true;
}

/* Digits with blanks, brackets, hyphens, full stops between; 7 to 15 of them, or labelled as a telephone number. */
static bool phone_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	const struct kh_tokens *t = spot->tokens;
	size_t end = i, digits = 0, groups = 0;
	bool plus = kh_tokens_mark(t, i, '+');

	if (t->at[i].kind != KH_TOKEN_NUMBER && !plus && !kh_tokens_mark(t, i, '('))
		return false;
	if (i > 0 && t->at[i].glued && (t->at[i - 1].kind != KH_TOKEN_MARK || is_mark_of(t, i - 1, "-./#$")))
		return false;
	for (size_t k = i; k < t->n && k - i < PHONE_TOKENS && t->at[k].line == t->at[i].line; k++) {
		if (t->at[k].kind == KH_TOKEN_NUMBER) {
			digits += t->at[k].n;
			groups++;
			end = k + 1;
		} else if (!is_mark_of(t, k, "+()-./") || (k > i && kh_tokens_mark(t, k, '+'))) {
			break;
		}
	}
	if (end + 1 < t->n && t->at[end + 1].kind == KH_TOKEN_NUMBER && t->at[end + 1].n <= 6 &&
	    t->at[end + 1].line == t->at[i].line && kh_tokens_among(t, end, KH_LIT("x|ext|extension")))
		end += 2;
	bool label = i > 0 &&
		     (kh_tokens_among(t, i - 1, KH_LIT("phone|tel|telephone|mobile|call|cell|fax")) ||
		      (i > 1 && kh_tokens_among(t, i - 2, KH_LIT("phone|tel|telephone|mobile|call|cell|fax"))));
	if (digits < (label ? 5U : 7U) || digits > 15 || (!plus && groups < 2 && !label) ||
	    (end < t->n && t->at[end].glued && t->at[end].kind == KH_TOKEN_WORD) ||
	    !reads(spot, KH_FORMAT_PHONE, i, end))
		return false;
	/* 2026-03-15 and 15.03.2026 also have eight digits. */
	if (!plus && !label && groups == 3 && digits == 8)
		return false;
	*ret_range = (struct kh_range){i, end};
	*ret_bonus += (plus ? MATCH : 0) + (label ? 2 * MATCH : 0);
	return true;
}

static bool identifier_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	const struct kh_tokens *t = spot->tokens;
	size_t end = i, digits = 0, letters = 0;

	if (t->at[i].glued && i > 0 && !is_mark_of(t, i - 1, "(\"'[:"))
		return false;
	if (t->at[i].kind == KH_TOKEN_MARK && !kh_tokens_mark(t, i, '#'))
		return false;
	for (; end < t->n && end - i < ID_TOKENS && (end == i || t->at[end].glued); end++) {
		const struct kh_token *token = &t->at[end];
		if (token->kind == KH_TOKEN_MARK && !is_mark_of(t, end, "._/#:-"))
			break;
		digits += token->kind == KH_TOKEN_NUMBER ? token->n : 0;
		letters += token->kind == KH_TOKEN_WORD ? token->n : 0;
	}
	while (end > i && t->at[end - 1].kind == KH_TOKEN_MARK)
		end--;
	if (digits == 0 || end <= i || (end < t->n && t->at[end].glued && is_mark_of(t, end, "@%=?&")) ||
	    !reads(spot, KH_FORMAT_IDENTIFIER, i, end))
		return false;
	*ret_range = (struct kh_range){i, end};
	/* Letters and digits together, or many digits: "INV-2044", "463820". */
	*ret_bonus += letters > 0 && t->at[i].shout ? MATCH : digits >= 5 ? MATCH / 2 : letters == 0 ? -MATCH / 2 : 0;
	/* "3pm", "10th", "10:30", "2026-03-15" are not identifiers. */
	if (letters <= 2 && t->at[i].kind == KH_TOKEN_NUMBER && letters > 0)
		*ret_bonus -= 2 * MATCH;
	if (letters == 0 && end - i > 2)
		*ret_bonus -= MATCH;
	return true;
}

bool kh_find_address_mail(struct kh_spot *spot, struct kh_view *ret_text)
{
	return kh_spot_take(spot, mail_candidate, ret_text);
}

bool kh_find_address_phone(struct kh_spot *spot, struct kh_view *ret_text)
{
	return kh_spot_take(spot, phone_candidate, ret_text);
}

bool kh_find_address_identifier(struct kh_spot *spot, struct kh_view *ret_text)
{
	return kh_spot_take(spot, identifier_candidate, ret_text);
}
