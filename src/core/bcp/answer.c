/* Judges a response. answer.h says what is guaranteed, docs/reference/CODES.md lists the codes. */
#include "core/bcp/answer.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "core/bcp/bound.h"
#include "core/screen/normalise.h"
#include "core/screen/screen.h"

#include <inttypes.h>

#define TOO_LONG   "more bits than this number of words may carry: shorter words, or fewer"
#define TEXT_LIMIT (1U << 20) /* bytes of the pieces that are screened together */

#define ENVELOPE   4096 /* bytes of a response without its answers: type, query_id, white space */
#define ESCAPED    6    /* bytes of "\u0041" */
#define CHARACTER  12   /* the same of a character that takes two of these */
#define MEMBER     64   /* quotes, comma, colon, indentation */
#define GROWTH     4    /* times as long as the answer, at most, is its normal form; */
#define GROWTH_ANY 256  /* but this much is always allowed, for a short answer with one such character */

const struct kh_words kh_answer_verdict_words =
	KH_WORDS([KH_VERDICT_DELIVER] = "deliver", [KH_VERDICT_HOLD] = "hold", [KH_VERDICT_REJECT] = "reject");

struct judge {
	struct kh_screen *screen;
	struct kh_arena *arena;
	const struct kh_query *query;
	struct kh_recent recent;
	struct kh_answer *answer;
	bool *given; /* which fields or questions have been answered */
};

/* Changes the verdict only to a worse one. */
static void worsen(struct kh_answer *answer, enum kh_verdict verdict)
{
	if (verdict > answer->verdict)
		answer->verdict = verdict;
}

static void reject(struct kh_answer *answer, const char *code)
{
	worsen(answer, KH_VERDICT_REJECT);
	if (answer->rejected == NULL)
		answer->rejected = code;
}

#define REJECT(judge, code, member, ...) \
	(reject((judge)->answer, (code)), kh_reasons_add(&(judge)->answer->reasons, code, member, __VA_ARGS__))
#define HOLD(judge, code, member, ...) \
	(worsen((judge)->answer, KH_VERDICT_HOLD), kh_reasons_add(&(judge)->answer->reasons, code, member, __VA_ARGS__))

/* --- category 1 ------------------------------------------------------------------------------------------------- */

/* The index of the listed value that V is, exactly or by its normal form, or -1. */
static int64_t listed(struct judge *j, const struct kh_field *field, struct kh_view v)
{
	struct kh_view key;

	for (size_t i = 0; i < field->value_count; i++) {
		if (kh_view_eq(v, field->values[i]))
			return (int64_t)i;
	}
	if (v.n > 4 * KH_FIELD_VALUE_BYTES || kh_normalise_key(j->arena, v, &key) != KH_OK)
		return -1;
	for (size_t i = 0; i < field->value_count; i++) {
		if (kh_view_eq(key, field->keys[i]))
			return (int64_t)i;
	}
	return -1;
}

static void judge_field(struct judge *j, const struct kh_field *field, yyjson_val *val, struct kh_value *value)
{
	switch (field->type) {
	case KH_FIELD_BOOLEAN:
		value->number = yyjson_is_true(val);
		if (!yyjson_is_bool(val))
			REJECT(j, "wrong_type", field->name, "expected true or false, got %s", kh_json_type(val));
		break;
	case KH_FIELD_ENUM:
		if (!yyjson_is_str(val)) {
			REJECT(j, "wrong_type", field->name, "expected a listed value, got %s", kh_json_type(val));
			break;
		}
		value->number = listed(j, field, kh_json_str(val));
		if (value->number < 0)
			REJECT(j, "not_listed", field->name, "not one of the listed values");
		break;
	case KH_FIELD_INTEGER:
		if (!kh_json_int(val, &value->number))
			REJECT(j, "wrong_type", field->name, "expected a plain integer");
		else if (value->number < field->min || value->number > field->max)
			REJECT(j, "out_of_range", field->name, "expected %" PRId64 " to %" PRId64, field->min,
			       field->max);
		break;
	}
}

static size_t field_at(const struct kh_query *query, struct kh_view name, size_t guess)
{
	/* Most Readers answer in order. */
	if (guess < query->field_count && kh_view_eq(query->fields[guess].name, name))
		return guess;
	for (size_t i = 0; i < query->field_count; i++) {
		if (kh_view_eq(query->fields[i].name, name))
			return i;
	}
	return SIZE_MAX;
}

/* Judges the members of a response other than its body: only the query's id is allowed. */
static void judge_envelope(struct judge *j, yyjson_val *response, const char *body)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(response);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		struct kh_view name = kh_json_str(key);
		bool id = kh_view_eq(name, KH_LIT("query_id")) && yyjson_is_str(yyjson_obj_iter_get_val(key));
		if (!id && !kh_view_eq(name, kh_view_str(body)))
			REJECT(j, "unknown_member", KH_LIT(""), "the response has a member besides its %s", body);
	}
}

static void judge_fields(struct judge *j, yyjson_val *response)
{
	yyjson_val *fields = kh_json_get(response, "fields"), *key;

	/*
	 * {"fields": {...}}, or the values at top level; this is not ambiguous, because no field's value is an object.
	 */
	if (yyjson_is_obj(fields))
		judge_envelope(j, response, "fields");
	else
		fields = response;
	yyjson_obj_iter iter = yyjson_obj_iter_with(fields);
	for (size_t guess = 0; (key = yyjson_obj_iter_next(&iter)) != NULL; guess++) {
		size_t i = field_at(j->query, kh_json_str(key), guess);
		if (i == SIZE_MAX) {
			REJECT(j, "unknown_member", KH_LIT(""), "no field is called %.*s",
			       KH_FMT(kh_arena_quote(j->arena, kh_json_str(key))));
			continue;
		}
		j->given[i] = true;
		judge_field(j, &j->query->fields[i], yyjson_obj_iter_get_val(key), &j->answer->values[i]);
	}
	for (size_t i = 0; i < j->query->field_count; i++) {
		if (!j->given[i])
			REJECT(j, "missing", j->query->fields[i].name, "every field must be answered");
	}
}

/* --- text ------------------------------------------------------------------------------------------------------- */

/* The number of words of normalised text, and whether one of them is too long. */
static unsigned count_words(struct kh_view text, bool *ret_long)
{
	struct kh_view rest = text, word;
	unsigned n = 0;

	*ret_long = false;
	while (kh_view_split(&rest, ' ', &word)) {
		n++;
		if (kh_utf8_length(word) > KH_ANSWER_WORD)
			*ret_long = true;
	}
	return n;
}

static bool judge_length(struct judge *j, struct kh_view text, unsigned max_words, struct kh_view member)
{
	bool long_word;

	if (text.n == 0) {
		REJECT(j, "empty", member, "nothing is left of the answer after normalisation");
		return false;
	}
	unsigned words = count_words(text, &long_word);
	if (words > max_words)
		REJECT(j, "too_many_words", member, "%u words, at most %u are allowed", words, max_words);
	if (long_word)
		REJECT(j, "word_too_long", member, "a word of more than %d characters", KH_ANSWER_WORD);
	return words <= max_words && !long_word;
}

/* Judges invisible characters: a single soft one may be an accident, any other is deliberate. */
static void judge_hidden(struct judge *j, const struct kh_normalised *normalised, struct kh_view member)
{
	if (normalised->hidden > 0)
		HOLD(j, "invisible", member, "%zu invisible characters", normalised->hidden);
	if (normalised->soft > 1)
		HOLD(j, "invisible", member, "%zu zero-width characters or soft hyphens", normalised->soft);
	if (normalised->marks_cut)
		HOLD(j, "marks", member, "a run of combining marks");
}

/* Screens TEXT. A finding of severity LEAST or higher holds the answer, and so does any encoding. */
static enum kh_err screen(struct judge *j, struct kh_view text, enum kh_screen_as as, enum kh_severity least,
			  struct kh_view member)
{
	struct kh_findings findings;
	enum kh_err e = kh_screen_text(j->screen, j->arena, text, as, &findings);

	for (size_t i = 0; e == KH_OK && i < findings.n; i++) {
		const struct kh_finding *f = &findings.at[i];
		bool encoded = kh_view_eq(kh_view_str(f->code), KH_LIT("encoded"));
		/* A word such as "password" matters in what an agent sends (K7), not in what it receives; but no name has it. */
		bool word = as != KH_SCREEN_NAME && f->severity == KH_SEVERITY_LOW &&
			    kh_view_eq(kh_view_str(f->code), KH_LIT("secret"));
		if ((f->severity >= least && !word) || encoded)
			HOLD(j, f->code, member, "rule %s, bytes %zu to %zu", f->rule, f->start, f->end);
	}
	return e;
}

/* The parts of a token as words: "ignore.all-rules@example.com". */
static struct kh_view parted(struct kh_arena *arena, struct kh_view text)
{
	struct kh_view copy = kh_arena_dup(arena, text);
	char *p = (char *)(uintptr_t)copy.p;

	for (size_t i = 0; i < copy.n; i++) {
		if (strchr("._+/#:@-", p[i]) != NULL && p[i] != '\0')
			p[i] = ' ';
	}
	return copy;
}

static enum kh_err screen_format(struct judge *j, const struct kh_question *q, struct kh_view raw)
{
	enum kh_err e;

	switch (kh_format_screen(q->format)) {
	case KH_FORMAT_SCREEN_CLOSED:
		return KH_OK;
	case KH_FORMAT_SCREEN_TOKEN: {
		struct kh_view words = parted(j->arena, raw);
		e = kh_arena_check(j->arena);
		if (e == KH_OK)
			e = screen(j, words, KH_SCREEN_ANSWER, KH_SEVERITY_LOW, q->id);
		return e == KH_OK ? screen(j, raw, KH_SCREEN_DOCUMENT, KH_SEVERITY_MEDIUM, q->id) : e;
	}
	case KH_FORMAT_SCREEN_NAME:
		return screen(j, raw, KH_SCREEN_NAME, KH_SEVERITY_LOW, q->id);
	case KH_FORMAT_SCREEN_TEXT:
		break;
	}
	return screen(j, raw, KH_SCREEN_ANSWER, KH_SEVERITY_LOW, q->id);
}

/* The text of an answer: a string or, for a list, an array of strings, which means the same as one with commas. */
static bool answer_text(struct judge *j, const struct kh_question *q, yyjson_val *val, struct kh_view *ret_raw)
{
	yyjson_arr_iter iter;
	yyjson_val *item;
	struct kh_buf out;

	*ret_raw = kh_json_str(val);
	if (ret_raw->p != NULL)
		return true;
	if (q->format != KH_FORMAT_SHORT_LIST || !yyjson_arr_iter_init(val, &iter)) {
		REJECT(j, "wrong_type", q->id, "expected a string, got %s", kh_json_type(val));
		return false;
	}
	kh_buf_init(&out, j->arena, TEXT_LIMIT);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		if (!yyjson_is_str(item)) {
			REJECT(j, "wrong_type", q->id, "expected strings in the list, got %s", kh_json_type(item));
			return false;
		}
		if (iter.idx > 1)
			kh_buf_lit(&out, ", ");
		kh_buf_add(&out, kh_json_str(item));
	}
	if (kh_buf_end(&out, ret_raw) == KH_ELIMIT)
		REJECT(j, "too_many_words", q->id, "the list is too long");
	return ret_raw->p != NULL;
}

/*
 * Whether normalising RAW takes no more than is reasonable.  Text that grows many times over is never an answer, and
 * whoever sends it wants that somebody has to wait for it.
 */
static bool judge_growth(struct judge *j, struct kh_view raw, struct kh_view member)
{
	if (kh_normalise_most(raw) <= GROWTH * raw.n + GROWTH_ANY)
		return true;
	REJECT(j, "too_long", member, "its normal form could be more than %d times as long", GROWTH);
	return false;
}

static enum kh_err judge_text(struct judge *j, const struct kh_question *q, yyjson_val *val, struct kh_value *value)
{
	struct kh_normalised normalised;
	struct kh_view raw;
	const char *problem;
	unsigned own = kh_format_words(q->format);

	if (!answer_text(j, q, val, &raw) || !judge_growth(j, raw, q->id))
		return KH_OK;
	enum kh_err e = kh_normalise_text(j->arena, raw, &normalised);
	if (e != KH_OK)
		return e;
	unsigned limit = q->max_words < own ? q->max_words : own;
	if (!judge_length(j, normalised.text, limit, q->id))
		return KH_OK;
	judge_hidden(j, &normalised, q->id);
	if (normalised.raised && kh_format_is_exact(q->format)) {
		REJECT(j, "malformed", q->id, "%s: %s", kh_format_name(q->format), KH_FORMAT_RAISED);
		return KH_OK;
	}
	if (!kh_format_read(q->format, q->detail, j->arena, normalised.text, &value->text, &problem)) {
		REJECT(j, "malformed", q->id, "%s: %s", kh_format_name(q->format), problem);
		return KH_OK;
	}
	/*
	 * A format separates words that had no blank between them ("a,b,c", "J.R.R."), so the limits apply to the
	 * result too.
	 */
	if (!judge_length(j, value->text, q->format == KH_FORMAT_SHORT_LIST ? limit : own, q->id))
		return KH_OK;
	if (!kh_bound_holds(q->format, value->text, q->max_words)) {
		REJECT(j, "too_long", q->id, TOO_LONG);
		return KH_OK;
	}
	e = screen_format(j, q, raw);
	/* Screen the result as well, because a canonical form can join words that were apart in the answer. */
	if (e == KH_OK && j->answer->verdict == KH_VERDICT_DELIVER && !kh_view_eq(raw, value->text))
		e = screen_format(j, q, value->text);
	return e;
}

/* --- category 2 ------------------------------------------------------------------------------------------------- */

static enum kh_err judge_named(struct judge *j, struct kh_view id, yyjson_val *val)
{
	const struct kh_question *q = kh_question_find(j->query->questions, j->query->question_count, id);

	if (q == NULL) {
		REJECT(j, "unknown_member", KH_LIT(""), "no question has the id %.*s",
		       KH_FMT(kh_arena_quote(j->arena, id)));
		return KH_OK;
	}
	size_t i = (size_t)(q - j->query->questions);
	if (j->given[i]) {
		REJECT(j, "duplicate_member", q->id, "answered twice");
		return KH_OK;
	}
	j->given[i] = true;
	return judge_text(j, q, val, &j->answer->values[i]);
}

static enum kh_err judge_pairs(struct judge *j, yyjson_val *answers)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(answers);
	yyjson_val *item;
	enum kh_err e = KH_OK;

	while (e == KH_OK && (item = yyjson_arr_iter_next(&iter)) != NULL) {
		yyjson_val *id = kh_json_get(item, "id"), *answer = kh_json_get(item, "answer");
		if (!yyjson_is_str(id) || answer == NULL || yyjson_obj_size(item) != 2)
			REJECT(j, "wrong_type", KH_LIT("answers"), "expected objects of id and answer");
		else
			e = judge_named(j, kh_json_str(id), answer);
	}
	return e;
}

/*
 * Runs the checks, and screens the answers together with the latest deliveries, after each answer has passed on its
 * own.
 */
static enum kh_err judge_together(struct judge *j)
{
	const struct kh_query *query = j->query;
	struct kh_view *answers = KH_NEW_N(j->arena, struct kh_view, query->question_count), all;
	struct kh_buf out;

	if (answers == NULL)
		return KH_ENOMEM;
	kh_buf_init(&out, j->arena, TEXT_LIMIT);
	for (size_t i = 0; i < j->recent.count; i++) {
		kh_buf_add(&out, j->recent.texts[i]);
		kh_buf_byte(&out, ' ');
	}
	for (size_t i = 0; i < query->question_count; i++) {
		answers[i] = j->answer->values[i].text;
		kh_buf_add(&out, answers[i]);
		kh_buf_byte(&out, ' ');
	}
	for (size_t i = 0; i < query->check_count; i++) {
		const char *problem = kh_check_problem(&query->checks[i], query->questions, answers);
		if (problem != NULL)
			HOLD(j, "inconsistent", query->checks[i].member, "%s", problem);
	}
	if (query->question_count + j->recent.count < 2)
		return KH_OK;
	enum kh_err e = kh_buf_end(&out, &all);
	return e == KH_OK ? screen(j, all, KH_SCREEN_REVIEWED, KH_SEVERITY_MEDIUM, KH_LIT("answers")) : e;
}

static enum kh_err judge_questions(struct judge *j, yyjson_val *response)
{
	yyjson_val *answers = kh_json_get(response, "answers"), *key;
	enum kh_err e = KH_OK;

	if (yyjson_is_arr(answers) && (yyjson_arr_size(answers) == 0 || yyjson_is_obj(yyjson_arr_get_first(answers)))) {
		judge_envelope(j, response, "answers");
		e = judge_pairs(j, answers);
	} else {
		yyjson_obj_iter iter = yyjson_obj_iter_with(response);
		while (e == KH_OK && (key = yyjson_obj_iter_next(&iter)) != NULL)
			e = judge_named(j, kh_json_str(key), yyjson_obj_iter_get_val(key));
	}
	for (size_t i = 0; i < j->query->question_count; i++) {
		if (!j->given[i])
			REJECT(j, "missing", j->query->questions[i].id, "every question must be answered");
	}
	return e == KH_OK && j->answer->verdict != KH_VERDICT_REJECT ? judge_together(j) : e;
}

/* --- category 3 ------------------------------------------------------------------------------------------------- */

static enum kh_err judge_summary(struct judge *j, yyjson_val *response)
{
	const char *body = kh_json_get(response, "summary") ? "summary" : "response";
	yyjson_val *val = kh_json_get(response, body);
	struct kh_view raw = kh_json_str(val), member = KH_LIT("summary");
	struct kh_normalised normalised;

	judge_envelope(j, response, body);
	if (raw.p == NULL) {
		REJECT(j, val ? "wrong_type" : "missing", member, "expected a summary, a string");
		return KH_OK;
	}
	if (!judge_growth(j, raw, member))
		return KH_OK;
	enum kh_err e = kh_normalise_text(j->arena, raw, &normalised);
	if (e != KH_OK || !judge_length(j, normalised.text, j->query->max_words, member))
		return e;
	e = kh_normalise_lower(j->arena, normalised.text, &j->answer->values[0].text);
	if (e != KH_OK)
		return e;
	if (!kh_bound_holds_summary(j->answer->values[0].text, j->query->max_words)) {
		REJECT(j, "too_long", member, TOO_LONG);
		return KH_OK;
	}
	HOLD(j, "review", member, "a summary is always approved by a human");
	judge_hidden(j, &normalised, member);
	return screen(j, raw, KH_SCREEN_REVIEWED, KH_SEVERITY_LOW, member);
}

/* --- the size ----------------------------------------------------------------------------------------------------- */

static size_t words_most(unsigned words)
{
	return (size_t)words * (KH_ANSWER_WORD + 1) * CHARACTER;
}

static size_t field_most(const struct kh_field *field)
{
	size_t value = field->type == KH_FIELD_ENUM ? (size_t)4 * KH_FIELD_VALUE_BYTES * ESCAPED : MEMBER;

	return MEMBER + field->name.n * ESCAPED + value;
}

static size_t question_most(const struct kh_question *q)
{
	unsigned own = kh_format_words(q->format);

	return 2 * MEMBER + q->id.n * ESCAPED + words_most(q->max_words < own ? q->max_words : own);
}

size_t kh_answer_most(const struct kh_query *query)
{
	size_t most = ENVELOPE;

	for (size_t i = 0; i < query->field_count; i++)
		most += field_most(&query->fields[i]);
	for (size_t i = 0; i < query->question_count; i++)
		most += question_most(&query->questions[i]);
	if (query->category == 3)
		most += words_most(query->max_words);
	return most < KH_ANSWER_BYTES ? most : KH_ANSWER_BYTES;
}

static enum kh_err reject_size(struct kh_arena *arena, size_t size, size_t most, struct kh_answer *ret_answer)
{
	struct kh_answer answer = {.verdict = KH_VERDICT_REJECT, .rejected = "too_long"};

	kh_reasons_init(&answer.reasons, arena);
	kh_reasons_add(&answer.reasons, "too_long", KH_LIT(""),
		       "a response of %zu bytes, where an answer to this query has at most %zu", size, most);
	*ret_answer = answer;
	return kh_arena_check(arena);
}

/* ---------------------------------------------------------------------------------------------------------------- */

enum kh_err kh_answer_judge_value(struct kh_screen *screen_, struct kh_arena *arena, const struct kh_query *query,
				  yyjson_val *response, struct kh_recent recent, struct kh_answer *ret_answer)
{
	size_t n = query->category == 1 ? query->field_count : query->category == 2 ? query->question_count : 1;
	struct kh_answer answer = {.value_count = n};
	struct judge j = {screen_, arena, query, recent, &answer, KH_NEW_N(arena, bool, n)};
	enum kh_err e = KH_OK;

	kh_reasons_init(&answer.reasons, arena);
	answer.values = KH_NEW_N(arena, struct kh_value, n);
	if (answer.values == NULL || j.given == NULL)
		return KH_ENOMEM;
	if (!yyjson_is_obj(response))
		REJECT(&j, "wrong_type", KH_LIT(""), "a response is an object, not %s", kh_json_type(response));
	else if (query->category == 1)
		judge_fields(&j, response);
	else
		e = query->category == 2 ? judge_questions(&j, response) : judge_summary(&j, response);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e != KH_OK)
		return e;
	if (answer.verdict == KH_VERDICT_REJECT)
		answer.values = NULL;
	*ret_answer = answer;
	return KH_OK;
}

/*
 * Reads a response that is not JSON a second time, to say why and at which offset.  The first reading has no error
 * struct, because clearing one costs time that good responses do not need.
 */
static enum kh_err judge_unreadable(struct kh_arena *arena, struct kh_view text, struct kh_answer *ret_answer)
{
	struct kh_answer answer = {.verdict = KH_VERDICT_REJECT, .rejected = "not_json"};
	struct kh_error err;
	yyjson_val *root;

	if (kh_json_read(arena, text, &root, &err) == KH_ENOMEM)
		return KH_ENOMEM;
	kh_reasons_init(&answer.reasons, arena);
	kh_reasons_add(&answer.reasons, "not_json", KH_LIT(""), "%s (byte %zu)", err.detail, err.offset);
	*ret_answer = answer;
	return kh_arena_check(arena);
}

enum kh_err kh_answer_judge(struct kh_screen *screen_, struct kh_arena *arena, const struct kh_query *query,
			    struct kh_tainted response, struct kh_recent recent, struct kh_answer *ret_answer)
{
	struct kh_view text = kh_tainted_open(response);
	size_t most = kh_answer_most(query);
	yyjson_val *root = NULL;

	if (text.n > most)
		return reject_size(arena, text.n, most, ret_answer);
	enum kh_err e = kh_json_read(arena, text, &root, NULL);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK)
		return judge_unreadable(arena, text, ret_answer);
	return kh_answer_judge_value(screen_, arena, query, root, recent, ret_answer);
}

yyjson_mut_val *kh_answer_write(const struct kh_answer *answer, const struct kh_query *query, yyjson_mut_doc *doc)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	if (query->category == 1) {
		yyjson_mut_val *fields = yyjson_mut_obj_add_obj(doc, obj, "fields");
		for (size_t i = 0; i < query->field_count; i++) {
			const struct kh_field *f = &query->fields[i];
			int64_t number = answer->values[i].number;
			yyjson_mut_val *key = yyjson_mut_strn(doc, f->name.p, f->name.n), *val = NULL;
			if (f->type == KH_FIELD_BOOLEAN)
				val = yyjson_mut_bool(doc, number != 0);
			else if (f->type == KH_FIELD_INTEGER)
				val = yyjson_mut_sint(doc, number);
			else
				val = yyjson_mut_strn(doc, f->values[number].p, f->values[number].n);
			yyjson_mut_obj_add(fields, key, val);
		}
	} else if (query->category == 2) {
		yyjson_mut_val *arr = yyjson_mut_obj_add_arr(doc, obj, "answers");
		for (size_t i = 0; i < query->question_count; i++) {
			yyjson_mut_val *pair = yyjson_mut_arr_add_obj(doc, arr);
			kh_json_add(doc, pair, "id", query->questions[i].id);
			kh_json_add(doc, pair, "answer", answer->values[i].text);
		}
	} else {
		kh_json_add(doc, obj, "summary", answer->values[0].text);
	}
	return obj;
}
