/*
 * Candidates: a mail address is built around its '@'; a telephone number is a run of tokens; an identifier is one group
 * of tokens without blanks, or several groups that belong together.
 */
#include "reader/find_address.h"

#include "core/bcp/format.h"

#define MATCH         40
#define LOCAL_TOKENS  16
#define DOMAIN_TOKENS 16
#define PHONE_TOKENS  16
#define ID_TOKENS     12
#define ID_GROUPS     10
#define ID_LETTERS    4 /* of a group without a digit, as the format has it */

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

/* ---- identifiers ---- */

/* Tokens without blanks between them, which are letters and digits. */
struct group {
	size_t first, end;
	size_t digits, letters;
};

/* Words in capitals that stand before or behind a number and are not part of it. */
static bool is_beside(const struct kh_spot *spot, size_t i)
{
	static const struct kh_view words = KH_LIT_INIT(
		"iban|vat|id|no|nr|ref|pnr|bic|isbn|tel|fax|sku|po|pin|code|usd|eur|gbp|chf|am|pm|utc|gmt|"
		"jan|feb|mar|apr|may|jun|june|jul|july|aug|sep|sept|oct|nov|dec|of|and|or|to|by|at|on|in");
	struct kh_view text = kh_tokens_text(spot->tokens, i);
	char lower[ID_LETTERS];

	for (size_t k = 0; k < text.n && k < ID_LETTERS; k++)
		lower[k] = kh_ascii_lower(text.p[k]);
	return text.n > ID_LETTERS || kh_tokens_among(spot->tokens, i, words) ||
	       kh_spot_asks(spot, kh_view_of(lower, text.n));
}

/* Whether a group begins at token I that has a digit in its first two tokens. */
static bool has_digit_at(const struct kh_tokens *t, size_t i)
{
	return i < t->n && (t->at[i].kind == KH_TOKEN_NUMBER ||
			    (i + 1 < t->n && t->at[i + 1].glued && t->at[i + 1].kind == KH_TOKEN_NUMBER));
}

/* Reads the group that begins at token I; false if it cannot be one of several.  Letters alone stand before digits. */
static bool read_group(const struct kh_spot *spot, size_t i, struct group *ret)
{
	const struct kh_tokens *t = spot->tokens;
	struct group group = {.first = i, .end = i};

	if (t->at[i].kind == KH_TOKEN_MARK || (i > 0 && t->at[i].glued && !is_mark_of(t, i - 1, "(\"'[:")))
		return false;
	for (; group.end < t->n && (group.end == i || t->at[group.end].glued); group.end++) {
		const struct kh_token *token = &t->at[group.end];
		if (token->kind == KH_TOKEN_MARK)
			break;
		if (token->kind == KH_TOKEN_WORD && !token->shout && !(token->capital && token->n == 1))
			return false;
		*(token->kind == KH_TOKEN_NUMBER ? &group.digits : &group.letters) += token->n;
	}
	/* "10:30", "A-1044" */
	if (group.end + 1 < t->n && t->at[group.end].glued && t->at[group.end + 1].glued)
		return false;
	*ret = group;
	return group.digits > 0 || (group.end == i + 1 && has_digit_at(t, group.end) && !is_beside(spot, i));
}

/* Whether one blank stands between token I and the one before it, on the same line. */
static bool is_next(const struct kh_tokens *t, size_t i)
{
	return i > 0 && i < t->n && t->at[i - 1].kind != KH_TOKEN_MARK && t->at[i].line == t->at[i - 1].line &&
	       t->at[i].at == t->at[i - 1].at + t->at[i - 1].n + 1 && t->text.p[t->at[i].at - 1] == ' ';
}

/* The group before GROUP, if both can belong together. */
static bool read_before(const struct kh_spot *spot, const struct group *group, struct group *ret)
{
	const struct kh_tokens *t = spot->tokens;
	size_t first = group->first;

	if (!is_next(t, first))
		return false;
	for (first--; first > 0 && t->at[first].glued && t->at[first - 1].kind != KH_TOKEN_MARK; first--)
		;
	return read_group(spot, first, ret) && ret->end == group->first && (ret->digits > 0 || group->digits > 0);
}

/* Adds the groups that follow the first of GROUPS; returns how many there are, the last one with a digit. */
static size_t read_after(const struct kh_spot *spot, struct group groups[ID_GROUPS])
{
	size_t n = 1;

	while (n < ID_GROUPS && is_next(spot->tokens, groups[n - 1].end) &&
	       read_group(spot, groups[n - 1].end, &groups[n]) && (groups[n].digits > 0 || groups[n - 1].digits > 0))
		n++;
	while (n > 1 && groups[n - 1].digits == 0)
		n--;
	return n;
}

/* Whether N groups are one identifier: "LA 2485", "SW1A 1AA", "4111 1111 1111 1111", but not an amount behind one. */
static bool belong_together(const struct group *groups, size_t n)
{
	const struct group *a = &groups[0], *b = &groups[1];
	bool plain = true;

	for (size_t i = 0; i < n; i++)
		plain = plain && groups[i].letters == 0;
	if (n == 2 && (a->letters > 0) == (b->letters > 0) && !plain)
		return true;
	if (n == 2)
		return a->digits == 0 ? b->digits >= 2 : a->digits + a->letters == b->digits && b->digits >= 3;
	bool date = plain && n == 3 && (a->digits == 4 || groups[2].digits == 4) && b->digits <= 2;
	return n > 2 && !date;
}

/*
 * The identifier in several groups that token I is in; false if there is none.  A longer run of groups is no
 * identifier, and nothing of it is: *RET_RANGE is empty.
 */
static bool find_groups(struct kh_spot *spot, size_t i, struct kh_range *ret_range)
{
	struct group groups[ID_GROUPS], before, more;
	size_t n = 1;

	*ret_range = (struct kh_range){SIZE_MAX, SIZE_MAX};
	if (spot->budget == 0 || !read_group(spot, i, &groups[0]))
		return false;
	for (; n < ID_GROUPS && read_before(spot, &groups[0], &before); n++)
		groups[0] = before;
	bool many = n == ID_GROUPS;
	n = read_after(spot, groups);
	if (n < 2)
		return false;
	spot->budget--;
	if (many ||
	    (n == ID_GROUPS && is_next(spot->tokens, groups[n - 1].end) && read_group(spot, groups[n - 1].end, &more)))
		return true;
	if (groups[n - 1].end <= i || !belong_together(groups, n))
		return false;
	*ret_range = (struct kh_range){groups[0].first, groups[n - 1].end};
	return true;
}

/* An identifier without blanks. */
static bool group_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	const struct kh_tokens *t = spot->tokens;
	size_t end = i, digits = 0, letters = 0;

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

static bool identifier_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	const struct kh_tokens *t = spot->tokens;
	struct kh_range groups;

	if (t->at[i].glued && i > 0 && !is_mark_of(t, i - 1, "(\"'[:"))
		return false;
	if (t->at[i].kind == KH_TOKEN_MARK && !kh_tokens_mark(t, i, '#'))
		return false;
	if (!find_groups(spot, i, &groups))
		return group_candidate(spot, i, ret_range, ret_bonus);
	/* A part of it is not what was asked for. */
	if (groups.first != i || !reads(spot, KH_FORMAT_IDENTIFIER, groups.first, groups.end))
		return false;
	*ret_range = groups;
	*ret_bonus += MATCH;
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
