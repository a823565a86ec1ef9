/*
 * Headers are lines "Label: ..." among the first; a label may have several words ("Subject of the email",
 * "EMAIL_FROM").  A signature is what follows the last words of farewell.
 */
#include "reader/mail.h"

#define HEADER_LINES 40
#define LABEL_TOKENS 5
#define TAIL         400 /* tokens before the end in which a signature is looked for */
#define NAME_TOKENS  6

/* The colon of the label that the line at I begins with, or SIZE_MAX. */
static size_t label_end(const struct kh_tokens *t, size_t i)
{
	for (size_t k = i; k < t->n && k - i <= LABEL_TOKENS && t->at[k].line == t->at[i].line; k++) {
		if (kh_tokens_mark(t, k, ':'))
			return k > i ? k : SIZE_MAX;
		if (t->at[k].kind == KH_TOKEN_MARK && !kh_tokens_mark(t, k, '_') && !kh_tokens_mark(t, k, '-') &&
		    !kh_tokens_mark(t, k, '*'))
			return SIZE_MAX;
	}
	return SIZE_MAX;
}

static struct kh_range *header_of(const struct kh_tokens *t, size_t i, size_t colon, struct kh_mail *mail)
{
	for (size_t k = i; k < colon; k++) {
		if (kh_tokens_among(t, k, KH_LIT("from|sender")))
			return &mail->from;
		if (kh_tokens_among(t, k, KH_LIT("subject")))
			return &mail->subject;
		if (kh_tokens_among(t, k, KH_LIT("to|recipient|recipients")))
			return &mail->to;
		if (kh_tokens_among(t, k, KH_LIT("cc|bcc")))
			return &mail->cc;
		if (kh_tokens_among(t, k, KH_LIT("sent|received|timestamp")) ||
		    (k == i && colon == i + 1 && kh_tokens_among(t, k, KH_LIT("date"))))
			return &mail->date;
	}
	return NULL;
}

/* "Body:" or "Content:" within [first, end), or END. */
static size_t body_label(const struct kh_tokens *t, size_t first, size_t end)
{
	for (size_t k = first; k + 1 < end; k++) {
		if (kh_tokens_among(t, k, KH_LIT("body|content")) && kh_tokens_mark(t, k + 1, ':'))
			return k;
	}
	return end;
}

static void read_headers(const struct kh_tokens *t, struct kh_mail *mail)
{
	size_t i = 0;

	while (i < t->n && t->at[i].line < HEADER_LINES) {
		size_t end = kh_tokens_line_end(t, i), colon = label_end(t, i);
		struct kh_range *range = colon == SIZE_MAX ? NULL : header_of(t, i, colon, mail);
		if (range != NULL && range->end == 0) {
			size_t body = body_label(t, colon, end);
			*range = (struct kh_range){colon + 1, body};
			mail->body = body < end ? body + 2 : end;
		} else if (colon != SIZE_MAX && body_label(t, i, end) == i) {
			mail->body = colon + 1;
		} else if (mail->body == 0 && colon == SIZE_MAX) {
			return; /* no mail begins like this */
		}
		i = end;
	}
}

/* The end of the name at I: capitalised words, with hyphens and full stops of abbreviations between them. */
static size_t names_end(const struct kh_tokens *t, size_t i)
{
	size_t k = i;

	while (k < t->n && k - i < NAME_TOKENS && t->at[k].line == t->at[i].line &&
	       ((t->at[k].kind == KH_TOKEN_WORD && t->at[k].capital) ||
		(k > i &&
		 (kh_tokens_mark(t, k, '-') || (kh_tokens_mark(t, k, '.') && t->at[k].glued && t->at[k - 1].n <= 3)))))
		k++;
	while (k > i && t->at[k - 1].kind == KH_TOKEN_MARK)
		k--;
	return k;
}

static void read_greeting(const struct kh_tokens *t, struct kh_mail *mail)
{
	for (size_t i = mail->body, seen = 0; i < t->n && seen < 3; i = kh_tokens_line_end(t, i), seen++) {
		size_t name = i + 1;
		if (!kh_tokens_among(t, i, KH_LIT("hi|hello|dear|hey|good|greetings")))
			continue;
		if (kh_tokens_among(t, i, KH_LIT("good")) &&
		    kh_tokens_among(t, name, KH_LIT("morning|afternoon|evening|day")))
			name++;
		if (name < t->n && t->at[name].line == t->at[i].line)
			mail->greeting = (struct kh_range){name, names_end(t, name)};
		return;
	}
}

static bool is_farewell(const struct kh_tokens *t, size_t i)
{
	return kh_tokens_among(t, i,
			       KH_LIT("regards|best|cheers|sincerely|thanks|thank|yours|love|wishes|respectfully|"
				      "cordially|truly|faithfully|warmly|greetings|you|advance"));
}

/* The name after the farewell at I, if it is one: "Kind regards,\nAnn Lee". */
static struct kh_range signed_at(const struct kh_tokens *t, size_t i)
{
	size_t name = i + 1;
	struct kh_range none = {0, 0};

	if (kh_tokens_mark(t, name, ',') || kh_tokens_mark(t, name, '!') || kh_tokens_mark(t, name, '.'))
		name++;
	else if (name < t->n && t->at[name].line == t->at[i].line)
		return none;
	if (kh_tokens_mark(t, name, '-'))
		name++;
	if (name >= t->n || t->at[name].kind != KH_TOKEN_WORD || !t->at[name].capital || is_farewell(t, name) ||
	    t->at[name].line > t->at[i].line + 3)
		return none;
	size_t end = names_end(t, name);
	/* A sentence would continue in lower case; a name ends its line, or ends with a comma. */
	bool ended = end >= t->n || t->at[end].line != t->at[name].line || t->at[end].kind == KH_TOKEN_MARK;
	return ended ? (struct kh_range){name, end} : none;
}

static void read_signature(const struct kh_tokens *t, struct kh_mail *mail)
{
	size_t least = t->n > TAIL ? t->n - TAIL : 0;

	least = least > mail->body ? least : mail->body;
	for (size_t i = t->n; i > least; i--) {
		if (!is_farewell(t, i - 1))
			continue;
		struct kh_range range = signed_at(t, i - 1);
		if (range.end > range.first) {
			mail->signature = range;
			return;
		}
	}
	/* The last line, if it is only a name. */
	if (t->n < 2 || t->at[t->n - 1].line == t->at[0].line)
		return;
	size_t first = t->n - 1;
	while (first > 0 && t->at[first - 1].line == t->at[t->n - 1].line && t->n - first < NAME_TOKENS)
		first--;
	if (first > mail->body && t->at[first].first && names_end(t, first) == t->n &&
	    (mail->greeting.end > 0 || mail->from.end > 0))
		mail->signature = (struct kh_range){first, t->n};
}

struct kh_mail kh_mail_read(const struct kh_tokens *tokens)
{
	struct kh_mail mail = {.body = 0};

	read_headers(tokens, &mail);
	read_greeting(tokens, &mail);
	read_signature(tokens, &mail);
	return mail;
}
