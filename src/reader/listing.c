/*
 * Three kinds: a run of lines with bullets or numbers, weighted by the lines above it; the rest of a line after a
 * label; and a line with commas.  The one that fits the question's words best is taken.
 */
#include "reader/listing.h"

#include "base/buf.h"
#include "reader/lead.h"

#define ITEM_BYTES 400
#define TEXT_BYTES 8192
#define ITEMS      50
#define MATCH      40

/* The first token of the item in the line that begins at I, or 0 if the line is not an item: "- x", "* x", "1. x", "2)
 * x". */
static size_t item_at(const struct kh_tokens *t, size_t i)
{
	size_t next = i + 1;

	if (!t->at[i].first || next >= t->n || t->at[next].line != t->at[i].line)
		return 0;
	bool bullet = kh_tokens_mark(t, i, '-') || kh_tokens_mark(t, i, '*') || kh_tokens_mark(t, i, '+') ||
		      (t->at[i].kind == KH_TOKEN_MARK && t->at[i].n == 3 &&
		       (unsigned char)t->text.p[t->at[i].at] == 0xe2);
	bool number = t->at[i].kind == KH_TOKEN_NUMBER && t->at[i].n <= 2 &&
		      (kh_tokens_mark(t, next, '.') || kh_tokens_mark(t, next, ')'));
	if (number)
		next++;
	if ((!bullet && !number) || next >= t->n || t->at[next].glued || t->at[next].line != t->at[i].line)
		return 0;
	/* "- 1. x" */
	if (bullet && item_at(t, next) == 0 && t->at[next].kind == KH_TOKEN_NUMBER &&
	    kh_tokens_mark(t, next + 1, '.') && next + 2 < t->n)
		return next + 2;
	return next;
}

/* The end of a run of items that begins at I: bullets or numbers, and lines between them that continue an item. */
static size_t run_end(const struct kh_tokens *t, size_t i)
{
	size_t end = kh_tokens_line_end(t, i);
	bool numbered = t->at[i].kind == KH_TOKEN_NUMBER;

	while (end < t->n) {
		bool item = item_at(t, end) != 0;
		if (item && (t->at[end].kind == KH_TOKEN_NUMBER) != numbered && !numbered)
			break;
		/* A line continues an item if it is in the same sentence, or is indented. */
		if (!item && !(t->at[end].sentence == t->at[end - 1].sentence ||
			       (t->at[end].line == t->at[end - 1].line + 1 && t->at[end].at > 1 &&
				t->text.p[t->at[end].at - 1] == ' ' && t->text.p[t->at[end].at - 2] == ' ')))
			break;
		end = kh_tokens_line_end(t, end);
	}
	return end;
}

static bool candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	const struct kh_tokens *t = spot->tokens;

	if (!t->at[i].first || item_at(t, i) == 0)
		return false;
	/* Scored by its first token, so that the heading counts. */
	*ret_range = (struct kh_range){i, run_end(t, i)};
	*ret_bonus = MATCH;
	return true;
}

/* "Attendees: A, B and C", or a sentence with at least two commas; scored like the rest. */
static bool comma_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	const struct kh_tokens *t = spot->tokens;
	size_t end = i, commas = 0, colon = SIZE_MAX;

	if (i > 0 && t->at[i].sentence == t->at[i - 1].sentence && !t->at[i].first)
		return false;
	for (; end < t->n && t->at[end].sentence == t->at[i].sentence && t->at[end].line == t->at[i].line; end++) {
		commas += kh_tokens_mark(t, end, ',') || kh_tokens_mark(t, end, ';') ||
			  kh_tokens_among(t, end, KH_LIT("and"));
		if (colon == SIZE_MAX && kh_tokens_mark(t, end, ':') && end > i && end - i <= 6)
			colon = end;
	}
	if (commas == 0 || (colon == SIZE_MAX && commas < 2) || (colon != SIZE_MAX && colon + 1 >= end))
		return false;
	*ret_range = (struct kh_range){colon == SIZE_MAX ? i : colon + 1, end};
	*ret_bonus = colon == SIZE_MAX ? -MATCH : 0;
	return true;
}

struct list {
	struct kh_buf out;
	unsigned words, max_words, items;
	bool full;
};

static unsigned count_words(struct kh_view text)
{
	unsigned words = 0;
	bool inside = false;

	for (size_t i = 0; i < text.n; i++) {
		bool blank = kh_ascii_is_blank(text.p[i]);
		words += !blank && !inside;
		inside = !blank;
	}
	return words;
}

/* Adds an item up to its first comma, if it fits. */
static void add_item(struct list *list, struct kh_view item)
{
	item = kh_view_trim(kh_view_sub(item, 0, ITEM_BYTES));
	size_t comma = kh_view_find(item, KH_LIT(","), 0);
	if (comma != SIZE_MAX)
		item = kh_view_trim(kh_view_sub(item, 0, comma));
	while (item.n > 0 && memchr(".;:!", item.p[item.n - 1], 4) != NULL)
		item.n--;
	/* The first sentence says what the item is. */
	size_t stop = kh_view_find(item, KH_LIT(". "), 0);
	if (stop != SIZE_MAX)
		item.n = stop;
	unsigned words = count_words(item);
	if (item.n == 0 || list->full || list->items == ITEMS)
		return;
	if (list->items == 0 && words > list->max_words) {
		item = kh_lead_cut(item, list->max_words);
		words = list->max_words;
	}
	if (list->words + words > list->max_words) {
		list->full = true;
		return;
	}
	if (list->items++ > 0)
		kh_buf_lit(&list->out, ", ");
	kh_buf_add(&list->out, item);
	list->words += words;
}

static void add_lines(struct list *list, const struct kh_tokens *t, struct kh_range range)
{
	for (size_t i = range.first; i < range.end;) {
		size_t end = kh_tokens_line_end(t, i), item = item_at(t, i);
		while (end < range.end && item_at(t, end) == 0)
			end = kh_tokens_line_end(t, end);
		if (item != 0 && item < end)
			add_item(list, kh_tokens_span(t, item, end - 1));
		i = end;
	}
}

static void add_commas(struct list *list, const struct kh_tokens *t, struct kh_range range)
{
	size_t first = range.first;

	for (size_t i = range.first; i <= range.end; i++) {
		bool and = i < range.end && kh_tokens_among(t, i, KH_LIT("and"));
		if (i < range.end && !and&&!kh_tokens_mark(t, i, ',') && !kh_tokens_mark(t, i, ';'))
			continue;
		if (i > first)
			add_item(list, kh_tokens_span(t, first, i - 1));
		first = i + 1;
	}
}

bool kh_listing_find(struct kh_spot *spot, struct kh_view *ret_text)
{
	struct list list = {.max_words = spot->max_words};
	struct kh_range lines, commas;
	bool has_lines = kh_spot_best(spot, candidate, &lines);
	bool has_commas = kh_spot_best(spot, comma_candidate, &commas);
	int lines_score = 0, commas_score = 0;

	if (!has_lines && !has_commas)
		return false;
	spot->low = 0;
	if (has_lines)
		lines_score = kh_spot_score(spot, lines.first, lines.first) + MATCH;
	spot->low = 0;
	if (has_commas)
		commas_score = kh_spot_score(spot, commas.first, commas.first);
	kh_buf_init(&list.out, spot->arena, TEXT_BYTES);
	if (has_lines && lines_score >= commas_score)
		add_lines(&list, spot->tokens, lines);
	else
		add_commas(&list, spot->tokens, commas);
	return kh_buf_end(&list.out, ret_text) == KH_OK && ret_text->n > 0;
}
