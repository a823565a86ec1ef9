/* Reads questions. */
#include "core/bcp/question.h"

#include "base/member.h"
#include "core/bcp/bits.h"
#include "core/bcp/bound.h"
#include "core/bcp/field.h"

struct reader {
	struct kh_arena *arena;
	struct kh_reasons *errors;
	struct kh_view path; /* "questions[0]" */
	unsigned default_words;
};

static struct kh_view path_of(const struct reader *r, const char *name)
{
	return kh_member_below(r->arena, r->path, name);
}

/* Checks text that the Reader is shown: not empty, not too long. */
static void check_text(const struct reader *r, struct kh_view text, struct kh_view path)
{
	if (text.p != NULL && kh_view_trim(text).n == 0)
		kh_reasons_add(r->errors, "empty", path, "a question needs words");
	else if (text.n > KH_QUESTION_BYTES)
		kh_reasons_add(r->errors, "too_long", path, "a question has at most %d bytes, this one %zu",
			       KH_QUESTION_BYTES, text.n);
}

static enum kh_err read_rephrasings(const struct reader *r, yyjson_val *arr, struct kh_question *question)
{
	size_t n = yyjson_arr_size(arr);
	yyjson_arr_iter iter;
	yyjson_val *item;

	if (arr == NULL)
		return KH_OK;
	if (!yyjson_arr_iter_init(arr, &iter) || n == 0 || n > KH_QUESTION_REPHRASING) {
		kh_reasons_add(r->errors, yyjson_is_arr(arr) ? "out_of_range" : "wrong_type", path_of(r, "rephrasings"),
			       "expected an array of 1 to %d strings", KH_QUESTION_REPHRASING);
		return KH_OK;
	}
	question->rephrasings = KH_NEW_N(r->arena, struct kh_view, n);
	if (question->rephrasings == NULL)
		return KH_ENOMEM;
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		size_t i = question->rephrasing_count++;
		struct kh_view path = kh_arena_printf(r->arena, "%.*s.rephrasings[%zu]", KH_FMT(r->path), i);
		question->rephrasings[i] = kh_json_str(item);
		if (!yyjson_is_str(item))
			kh_reasons_add(r->errors, "wrong_type", path, "expected a string, got %s", kh_json_type(item));
		check_text(r, question->rephrasings[i], path);
	}
	return KH_OK;
}

static void read_format(const struct reader *r, const struct kh_member *member, enum kh_format *ret_format)
{
	struct kh_view word = kh_member_string(member, true, r->path, r->errors);

	if (word.p != NULL && !kh_format_parse(word, ret_format))
		kh_reasons_add(r->errors, "bad_format", path_of(r, "expected_format"),
			       "%.*s is none of the fifteen formats: person_name, date, time, datetime, email, phone, "
			       "integer, number, amount, yes_no, country, language, identifier, short_list, short_text",
			       KH_FMT(kh_arena_quote(r->arena, word)));
}

/* True if one of WORDS, in lower case and separated by '|', is a word of TEXT. */
static bool has_word(struct kh_view text, struct kh_view words)
{
	struct kh_view word;

	while (kh_view_split(&words, '|', &word)) {
		for (size_t at = 0; at + word.n <= text.n; at++) {
			bool begins = at == 0 || !kh_ascii_is_alpha(text.p[at - 1]);
			bool ends = at + word.n == text.n || !kh_ascii_is_alpha(text.p[at + word.n]);
			if (begins && ends && kh_view_eq_nocase(kh_view_sub(text, at, at + word.n), word))
				return true;
		}
	}
	return false;
}

/* B7: what a question about a time asks for, by its own words. */
static struct kh_format_detail read_detail(const struct kh_question *question)
{
	if (question->format != KH_FORMAT_TIME && question->format != KH_FORMAT_DATETIME)
		return (struct kh_format_detail){0};
	return (struct kh_format_detail){
		.seconds = has_word(question->text, KH_LIT("second|seconds|sekunde|sekunden|seconde|secondes|segundo|"
							   "segundos|secondo|secondi|seconden")),
		.zone = has_word(question->text,
				 KH_LIT("zone|timezone|utc|gmt|offset|zeitzone|fuseau|zona|fuso|tijdzone")),
	};
}

void kh_question_ask_zone(struct kh_question *question)
{
	question->detail.zone = question->format == KH_FORMAT_TIME || question->format == KH_FORMAT_DATETIME;
	question->bound = kh_bound_answer(question->format, question->detail, question->max_words);
}

static enum kh_err read_one(const struct reader *r, yyjson_val *obj, struct kh_question *question)
{
	enum { ID, TEXT, WORDS, FORMAT, REPHRASINGS, COUNT };
	struct kh_member m[COUNT] = {{.name = "id", .also = "name"},
				     {.name = "question"},
				     {.name = "max_words"},
				     {.name = "expected_format", .also = "format"},
				     {.name = "rephrasings"}};

	if (!yyjson_is_obj(obj)) {
		kh_reasons_add(r->errors, "wrong_type", r->path, "expected an object, got %s", kh_json_type(obj));
		return KH_OK;
	}
	kh_member_take(obj, m, COUNT, r->path, r->errors);
	question->id = kh_member_string(&m[ID], true, r->path, r->errors);
	if (question->id.p != NULL && !kh_field_is_name(question->id))
		kh_reasons_add(r->errors, "bad_name", path_of(r, "id"),
			       "%.*s is not an id: a letter or _, then up to 63 letters, digits, _ . -",
			       KH_FMT(kh_arena_quote(r->arena, question->id)));
	question->text = kh_member_string(&m[TEXT], true, r->path, r->errors);
	check_text(r, question->text, path_of(r, "question"));
	question->max_words = (unsigned)kh_member_int(&m[WORDS], false, 1, KH_QUESTION_WORDS, r->default_words, r->path,
						      r->errors);
	question->microbits = question->max_words * KH_BITS_WORD;
	read_format(r, &m[FORMAT], &question->format);
	question->detail = read_detail(question);
	question->bound = kh_bound_answer(question->format, question->detail, question->max_words);
	return read_rephrasings(r, m[REPHRASINGS].val, question);
}

static void check_ids(struct kh_arena *arena, const struct kh_question *questions, size_t count,
		      struct kh_reasons *errors)
{
	for (size_t i = 1; i < count; i++) {
		const struct kh_question *same = kh_question_find(questions, i, questions[i].id);
		if (same != NULL && questions[i].id.n > 0)
			kh_reasons_add(errors, "duplicate_name", kh_arena_printf(arena, "questions[%zu].id", i),
				       "questions[%zu] has this id already", (size_t)(same - questions));
	}
}

enum kh_err kh_question_read_all(struct kh_arena *arena, yyjson_val *questions, unsigned default_words,
				 struct kh_question **ret_questions, size_t *ret_count, struct kh_reasons *errors)
{
	size_t n = yyjson_arr_size(questions), i = 0;
	yyjson_arr_iter iter;
	yyjson_val *item;

	if (!yyjson_arr_iter_init(questions, &iter)) {
		kh_reasons_add(errors, questions ? "wrong_type" : "missing", KH_LIT("questions"),
			       "category 2 needs questions, an array");
		return KH_OK;
	}
	if (n == 0 || n > KH_QUESTION_COUNT) {
		kh_reasons_add(errors, n ? "too_many" : "empty", KH_LIT("questions"),
			       "expected 1 to %d questions, got %zu", KH_QUESTION_COUNT, n);
		return KH_OK;
	}
	struct kh_question *all = KH_NEW_N(arena, struct kh_question, n);
	if (all == NULL)
		return KH_ENOMEM;
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct reader r = {arena, errors, kh_member_item(arena, "questions", i), default_words};
		enum kh_err e = read_one(&r, item, &all[i++]);
		if (e != KH_OK)
			return e;
	}
	check_ids(arena, all, n, errors);
	*ret_questions = all;
	*ret_count = n;
	return KH_OK;
}

const struct kh_question *kh_question_find(const struct kh_question *questions, size_t count, struct kh_view id)
{
	for (size_t i = 0; i < count; i++) {
		if (kh_view_eq(questions[i].id, id))
			return &questions[i];
	}
	return NULL;
}

yyjson_mut_val *kh_question_write(const struct kh_question *question, yyjson_mut_doc *doc)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "id", question->id);
	kh_json_add(doc, obj, "question", question->text);
	yyjson_mut_obj_add_uint(doc, obj, "max_words", question->max_words);
	yyjson_mut_obj_add_str(doc, obj, "expected_format", kh_format_name(question->format));
	if (question->rephrasing_count > 0) {
		yyjson_mut_val *arr = yyjson_mut_obj_add_arr(doc, obj, "rephrasings");
		for (size_t i = 0; i < question->rephrasing_count; i++)
			yyjson_mut_arr_add_strn(doc, arr, question->rephrasings[i].p, question->rephrasings[i].n);
	}
	return obj;
}
