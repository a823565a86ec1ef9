/*
 * Lint: reads the first words of a question.
 *
 * The Controller wrote the question, so nothing here is hostile.  If a question is misread, only a piece of advice is
 * lost or wrong.
 */
#include "core/bcp/lint.h"

#define HOW_MANY_MAX 1000 /* maximum of the integer field proposed for "how many" */

/* Fills WORDS with the first words of TEXT (letters and digits only), at most MAX. */
static size_t first_words(struct kh_view text, struct kh_view *words, size_t max)
{
	size_t n = 0, at = 0;

	while (n < max) {
		while (at < text.n && !kh_ascii_is_alpha(text.p[at]) && !kh_ascii_is_digit(text.p[at]))
			at++;
		size_t start = at;
		while (at < text.n && (kh_ascii_is_alpha(text.p[at]) || kh_ascii_is_digit(text.p[at])))
			at++;
		if (start == at)
			break;
		words[n++] = kh_view_sub(text, start, at);
	}
	return n;
}

static bool among(struct kh_view word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (kh_view_eq_nocase(word, kh_view_str(words[i])))
			return true;
	}
	return false;
}

#define AMONG(word, list) among((word), (list), sizeof(list) / sizeof((list)[0]))

/* "Is the mail urgent?", "Does it ...", "Whether ...". */
static bool asks_yes_no(struct kh_view text)
{
	static const char *const starts[] = {"is",  "are",   "was",  "were",  "am",    "do",   "does",  "did",
					     "has", "have",  "had",  "can",   "could", "will", "would", "should",
					     "may", "might", "must", "shall", "isn",   "aren", "doesn", "whether"};
	static const char *const verbs[] = {"say", "state", "tell", "answer", "determine", "check", "decide", "report"};
	struct kh_view words[4];
	size_t n = first_words(text, words, 4);

	if (n == 0 || kh_view_find(text, KH_LIT(" or "), 0) != SIZE_MAX)
		return false;
	if (AMONG(words[0], starts))
		return true;
	return n >= 2 && AMONG(words[0], verbs) &&
	       (kh_view_eq_nocase(words[1], KH_LIT("whether")) || kh_view_eq_nocase(words[1], KH_LIT("if")) ||
		(n >= 3 && kh_view_eq_nocase(words[1], KH_LIT("me")) &&
		 (kh_view_eq_nocase(words[2], KH_LIT("whether")) || kh_view_eq_nocase(words[2], KH_LIT("if")))));
}

/* "How many ...", "Count the ...", "What is the number of ...". */
static bool asks_how_many(struct kh_view text)
{
	struct kh_view words[5];
	size_t n = first_words(text, words, 5);

	if (n >= 2 && kh_view_eq_nocase(words[0], KH_LIT("how")) && kh_view_eq_nocase(words[1], KH_LIT("many")))
		return true;
	if (n >= 2 && kh_view_eq_nocase(words[0], KH_LIT("count")))
		return true;
	for (size_t i = 0; i + 1 < n; i++) {
		if (kh_view_eq_nocase(words[i], KH_LIT("number")) && kh_view_eq_nocase(words[i + 1], KH_LIT("of")))
			return true;
	}
	return false;
}

/* Whether a directive asks for one thing that has a format; the first word that names such a thing decides. */
static bool asks_format(struct kh_view text, enum kh_format *ret_format)
{
	static const struct {
		const char *word;
		enum kh_format format;
	} things[] = {
		{"name", KH_FORMAT_PERSON_NAME}, {"who", KH_FORMAT_PERSON_NAME},   {"date", KH_FORMAT_DATE},
		{"when", KH_FORMAT_DATE},        {"day", KH_FORMAT_DATE},          {"deadline", KH_FORMAT_DATE},
		{"email", KH_FORMAT_EMAIL},      {"phone", KH_FORMAT_PHONE},       {"telephone", KH_FORMAT_PHONE},
		{"amount", KH_FORMAT_AMOUNT},    {"price", KH_FORMAT_AMOUNT},      {"cost", KH_FORMAT_AMOUNT},
		{"total", KH_FORMAT_AMOUNT},     {"country", KH_FORMAT_COUNTRY},   {"language", KH_FORMAT_LANGUAGE},
		{"time", KH_FORMAT_TIME},        {"number", KH_FORMAT_IDENTIFIER},
	};
	/* A directive with more words than this asks for more than one thing. */
	struct kh_view words[13];
	size_t n = first_words(text, words, 13);
	int found = 0;

	static const char *const open[] = {"summarize", "summarise", "summary", "describe",
					   "explain",   "findings",  "overview"};
	for (size_t i = 0; i < n; i++) {
		if (AMONG(words[i], open))
			return false;
		for (size_t k = 0; k < sizeof(things) / sizeof(things[0]); k++) {
			if (kh_view_eq_nocase(words[i], kh_view_str(things[k].word)) && ++found == 1)
				*ret_format = things[k].format;
		}
	}
	return found >= 1 && n <= 12;
}

struct lint {
	struct kh_arena *arena;
	yyjson_mut_doc *doc;
	yyjson_mut_val *advice;
};

static void advise(struct lint *lint, const char *code, struct kh_view member, const struct kh_query *better)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(lint->doc, lint->advice);

	yyjson_mut_obj_add_str(lint->doc, obj, "code", code);
	kh_json_add(lint->doc, obj, "member", member);
	yyjson_mut_obj_add_val(lint->doc, obj, "query", kh_query_write(better, lint->doc));
}

/* Proposes a field of category 1 that asks the same: a boolean, or a number from 0. */
static void advise_field(struct lint *lint, const char *code, struct kh_view member, struct kh_view name, bool count)
{
	struct kh_field field = {.name = name, .type = KH_FIELD_BOOLEAN, .repeat = 1};

	if (count) {
		field.type = KH_FIELD_INTEGER;
		field.max = HOW_MANY_MAX;
	}
	advise(lint, code, member, &(struct kh_query){.category = 1, .fields = &field, .field_count = 1});
}

static void lint_question(struct lint *lint, const struct kh_question *q, size_t i)
{
	struct kh_view member = kh_arena_printf(lint->arena, "questions[%zu]", i);

	if (q->format == KH_FORMAT_YES_NO || (q->format == KH_FORMAT_SHORT_TEXT && asks_yes_no(q->text)))
		advise_field(lint, "yes_no_is_boolean", member, q->id, false);
	else if ((q->format == KH_FORMAT_INTEGER || q->format == KH_FORMAT_SHORT_TEXT ||
		  q->format == KH_FORMAT_NUMBER) &&
		 asks_how_many(q->text))
		advise_field(lint, "how_many_is_integer", member, q->id, true);
}

static void lint_directive(struct lint *lint, const struct kh_query *query)
{
	struct kh_question question = {.id = KH_LIT("answer"), .text = query->directive};

	if (asks_yes_no(query->directive)) {
		advise_field(lint, "yes_no_is_boolean", KH_LIT("directive"), question.id, false);
	} else if (asks_how_many(query->directive)) {
		advise_field(lint, "how_many_is_integer", KH_LIT("directive"), question.id, true);
	} else if (asks_format(query->directive, &question.format)) {
		unsigned words = kh_format_words(question.format);
		question.max_words = words < KH_QUESTION_DEFAULT ? words : KH_QUESTION_DEFAULT;
		advise(lint, "directive_is_question", KH_LIT("directive"),
		       &(struct kh_query){.category = 2, .questions = &question, .question_count = 1});
	}
}

yyjson_mut_val *kh_lint_query(const struct kh_query *query, struct kh_arena *arena, yyjson_mut_doc *doc)
{
	struct lint lint = {arena, doc, yyjson_mut_arr(doc)};

	for (size_t i = 0; i < query->question_count; i++)
		lint_question(&lint, &query->questions[i], i);
	if (query->category == 3)
		lint_directive(&lint, query);
	return lint.advice;
}
