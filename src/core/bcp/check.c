/*
 * Checks: reads those that the query gives, derives those that it implies, and applies them to the answers.
 *
 * The answers are canonical here, so equal answers are equal bytes.  A check that cannot be decided (a weekday of a
 * date without a year) counts as failed, so that a human decides.
 */
#include "core/bcp/check.h"

#include "base/member.h"
#include "core/bcp/date.h"
#include "core/bcp/number.h"
#include "core/screen/normalise.h"

static const char *const kind_names[KH_CHECK_KINDS] = {
	[KH_CHECK_EQUAL] = "equal", [KH_CHECK_NOT_EQUAL] = "not_equal", [KH_CHECK_BEFORE] = "before",
	[KH_CHECK_AFTER] = "after", [KH_CHECK_QUARTER] = "quarter",     [KH_CHECK_MONTH] = "month",
	[KH_CHECK_YEAR] = "year",   [KH_CHECK_WEEKDAY] = "weekday",     [KH_CHECK_COUNT_OF] = "count",
	[KH_CHECK_SUM] = "sum",     [KH_CHECK_IMPLIES] = "implies",
};

struct reader {
	struct kh_arena *arena;
	struct kh_reasons *errors;
	const struct kh_question *questions;
	size_t question_count;
	struct kh_view path; /* "checks[0]" */
};

enum { KIND, A, B, DATE, IS, ANSWER, LIST, OF, IF, THEN, COUNT };

static struct kh_view path_of(const struct reader *r, const char *name)
{
	return kh_member_below(r->arena, r->path, name);
}

/* The formats that a member may refer to, as bits. */
#define F(format)  (1U << KH_FORMAT_##format)
#define ANY        (~0U)
#define DATES      (F(DATE) | F(DATETIME))
#define ORDERED    (DATES | F(TIME) | F(INTEGER) | F(NUMBER) | F(AMOUNT))
#define QUANTITIES (F(INTEGER) | F(NUMBER) | F(AMOUNT))

/* The index of the question with this ID; its format must be among FORMATS. */
static size_t find(const struct reader *r, struct kh_view id, struct kh_view path, unsigned formats)
{
	const struct kh_question *q = kh_question_find(r->questions, r->question_count, id);

	if (q == NULL) {
		kh_reasons_add(r->errors, "unknown_question", path, "no question has the id %.*s",
			       KH_FMT(kh_arena_quote(r->arena, id)));
		return 0;
	}
	if ((formats >> q->format & 1) == 0)
		kh_reasons_add(r->errors, "bad_check", path, "a %s cannot be checked this way",
			       kh_format_name(q->format));
	return (size_t)(q - r->questions);
}

static size_t read_id(const struct reader *r, const struct kh_member *member, unsigned formats)
{
	struct kh_view id = kh_member_string(member, true, r->path, r->errors);

	return id.p ? find(r, id, path_of(r, member->name), formats) : 0;
}

/* The `is` of a date part: a number, or a name for months and weekdays. */
static int64_t read_part(const struct reader *r, const struct kh_member *member, enum kh_check_kind kind)
{
	static const int64_t max[KH_CHECK_KINDS] = {
		[KH_CHECK_QUARTER] = 4, [KH_CHECK_MONTH] = 12, [KH_CHECK_WEEKDAY] = 7, [KH_CHECK_YEAR] = 9999};
	struct kh_view word = kh_json_str(member->val);
	int name = kind == KH_CHECK_MONTH     ? kh_date_month_of(word)
		   : kind == KH_CHECK_WEEKDAY ? kh_date_weekday_of(word)
					      : 0;

	if (word.p != NULL && name > 0)
		return name;
	return kh_member_int(member, true, 1, max[kind], 1, r->path, r->errors);
}

static void read_sum(const struct reader *r, struct kh_member *m, struct kh_check *check)
{
	yyjson_arr_iter iter;
	yyjson_val *item;

	if (!yyjson_arr_iter_init(m[OF].val, &iter) || iter.max < 1 || iter.max > KH_QUESTION_COUNT) {
		kh_reasons_add(r->errors, m[OF].val ? "wrong_type" : "missing", path_of(r, "of"),
			       "expected an array of 1 to %d ids", KH_QUESTION_COUNT);
		return;
	}
	while ((item = yyjson_arr_iter_next(&iter)) != NULL)
		check->of[check->of_count++] = find(r, kh_json_str(item), path_of(r, "of"), QUANTITIES);
	check->b = read_id(r, &m[IS], QUANTITIES);
}

/* {"q1": "yes"}: the question and the canonical form of the value. */
static size_t read_condition(const struct reader *r, const struct kh_member *member, struct kh_view *ret_value)
{
	struct kh_view path = path_of(r, member->name);
	yyjson_obj_iter iter;
	const char *problem = NULL;
	struct kh_normalised text;

	if (!yyjson_obj_iter_init(member->val, &iter) || iter.max != 1) {
		kh_reasons_add(r->errors, member->val ? "wrong_type" : "missing", path,
			       "expected an object with one question's id and its answer");
		return 0;
	}
	yyjson_val *key = yyjson_obj_iter_next(&iter);
	size_t errors = r->errors->n;
	size_t i = find(r, kh_json_str(key), path, ANY);
	struct kh_view value = kh_json_str(yyjson_obj_iter_get_val(key));
	if (r->errors->n == errors &&
	    (kh_normalise_text(r->arena, value, &text) != KH_OK || text.text.n == 0 ||
	     (text.raised && kh_format_is_exact(r->questions[i].format)) ||
	     !kh_format_read(r->questions[i].format, r->questions[i].detail, r->arena, text.text, ret_value, &problem)))
		kh_reasons_add(r->errors, "bad_check", path, "not an answer to that question: %s",
			       problem ? problem : "expected text");
	return i;
}

/* Refuses members that the kind does not have. */
static void refuse_others(const struct reader *r, const struct kh_member *m, unsigned known)
{
	for (unsigned i = KIND + 1; i < COUNT; i++) {
		if (m[i].val != NULL && (known >> i & 1) == 0)
			kh_reasons_add(r->errors, "unknown_member", path_of(r, m[i].name),
				       "this kind of check has no %s", m[i].name);
	}
}

static void read_body(const struct reader *r, struct kh_member *m, struct kh_check *check)
{
	switch (check->kind) {
	case KH_CHECK_EQUAL:
	case KH_CHECK_NOT_EQUAL:
	case KH_CHECK_BEFORE:
	case KH_CHECK_AFTER: {
		unsigned formats = check->kind == KH_CHECK_BEFORE || check->kind == KH_CHECK_AFTER ? ORDERED : ANY;
		refuse_others(r, m, 1U << A | 1U << B);
		check->a = read_id(r, &m[A], formats);
		check->b = read_id(r, &m[B], formats);
		break;
	}
	case KH_CHECK_QUARTER:
	case KH_CHECK_MONTH:
	case KH_CHECK_YEAR:
	case KH_CHECK_WEEKDAY:
		refuse_others(r, m, 1U << DATE | 1U << IS | 1U << ANSWER);
		check->a = read_id(r, &m[DATE], DATES);
		check->is = read_part(r, &m[IS], check->kind);
		check->b = read_id(r, &m[ANSWER], F(YES_NO));
		break;
	case KH_CHECK_COUNT_OF:
		refuse_others(r, m, 1U << LIST | 1U << IS);
		check->a = read_id(r, &m[LIST], F(SHORT_LIST));
		check->is = kh_member_int(&m[IS], true, 0, 1000, 0, r->path, r->errors);
		break;
	case KH_CHECK_SUM:
		refuse_others(r, m, 1U << OF | 1U << IS);
		read_sum(r, m, check);
		break;
	case KH_CHECK_IMPLIES:
		refuse_others(r, m, 1U << IF | 1U << THEN);
		check->a = read_condition(r, &m[IF], &check->if_value);
		check->b = read_condition(r, &m[THEN], &check->then_value);
		break;
	case KH_CHECK_KINDS:
		break;
	}
}

static void read_one(const struct reader *r, yyjson_val *obj, struct kh_check *check)
{
	struct kh_member m[COUNT] = {[KIND] = {.name = "kind"}, [A] = {.name = "a"},   [B] = {.name = "b"},
				     [DATE] = {.name = "date"}, [IS] = {.name = "is"}, [ANSWER] = {.name = "answer"},
				     [LIST] = {.name = "list"}, [OF] = {.name = "of"}, [IF] = {.name = "if"},
				     [THEN] = {.name = "then"}};

	check->member = r->path;
	if (!yyjson_is_obj(obj)) {
		kh_reasons_add(r->errors, "wrong_type", r->path, "expected an object, got %s", kh_json_type(obj));
		return;
	}
	kh_member_take(obj, m, COUNT, r->path, r->errors);
	struct kh_view kind = kh_member_string(&m[KIND], true, r->path, r->errors);
	size_t i = 0;
	while (i < KH_CHECK_KINDS && !kh_view_eq(kind, kh_view_str(kind_names[i])))
		i++;
	if (i < KH_CHECK_KINDS) {
		check->kind = (enum kh_check_kind)i;
		read_body(r, m, check);
	} else if (kind.p != NULL) {
		kh_reasons_add(r->errors, "bad_check", path_of(r, "kind"), "no check is called %.*s",
			       KH_FMT(kh_arena_quote(r->arena, kind)));
	}
}

/* --- derived checks --------------------------------------------------------------------------------------------- */

/* The number in "Q1", or the one before the word "quarter". */
static int quarter_of(struct kh_view word, struct kh_view next)
{
	static const char *const ordinals[][2] = {
		{"first", "1st"}, {"second", "2nd"}, {"third", "3rd"}, {"fourth", "4th"}};

	if (word.n == 2 && kh_ascii_lower(word.p[0]) == 'q' && word.p[1] >= '1' && word.p[1] <= '4')
		return word.p[1] - '0';
	for (int i = 0; i < 4 && kh_view_eq_nocase(next, KH_LIT("quarter")); i++) {
		if (kh_view_eq_nocase(word, kh_view_str(ordinals[i][0])) ||
		    kh_view_eq_nocase(word, kh_view_str(ordinals[i][1])))
			return i + 1;
	}
	return 0;
}

static bool among(struct kh_view word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (kh_view_eq_nocase(word, kh_view_str(words[i])))
			return true;
	}
	return false;
}

/* The part of a date that WORD names, between the words BEFORE and NEXT: its number and its kind; 0 for none. */
static int64_t part_of(struct kh_view before, struct kh_view word, struct kh_view next, enum kh_check_kind *ret_kind)
{
	static const char *const leads[] = {"in", "on", "of", "during", "for", "a", "this", "year"};
	int64_t number = quarter_of(word, next);

	*ret_kind = KH_CHECK_QUARTER;
	/* "may" and "march" are verbs too, and 2026 may be a room, so they need a preposition before them. */
	if (number > 0 || !among(before, leads, sizeof(leads) / sizeof(leads[0])))
		return number;
	*ret_kind = KH_CHECK_MONTH;
	number = word.n >= 3 ? kh_date_month_of(word) : 0;
	if (number > 0)
		return number;
	*ret_kind = KH_CHECK_WEEKDAY;
	number = kh_date_weekday_of(word);
	if (number > 0)
		return number;
	*ret_kind = KH_CHECK_YEAR;
	return word.n == 4 && kh_view_int(word, &number) && number >= 1900 && number <= 2199 ? number : 0;
}

/* The next word of *REST, without punctuation. */
static bool next_word(struct kh_view *rest, struct kh_view *ret_word)
{
	size_t start = 0, end;

	while (start < rest->n && !kh_ascii_is_alpha(rest->p[start]) && !kh_ascii_is_digit(rest->p[start]))
		start++;
	for (end = start; end < rest->n && (kh_ascii_is_alpha(rest->p[end]) || kh_ascii_is_digit(rest->p[end]));)
		end++;
	*ret_word = kh_view_sub(*rest, start, end);
	*rest = kh_view_from(*rest, end);
	return ret_word->n > 0;
}

/*
 * The one part of a date that a yes/no question asks for; false if it names none or several, or has a word that changes
 * the meaning ("not", "before").
 */
static bool asked_part(struct kh_view question, enum kh_check_kind *ret_kind, int64_t *ret_is)
{
	static const char *const turns[] = {"not",  "no",      "before", "after",   "until",   "since",
					    "by",   "outside", "other",  "earlier", "later",   "or",
					    "than", "either",  "except", "without", "between", "from",
					    "past", "end",     "start",  "last",    "next"};
	struct kh_view rest = question, before = KH_LIT(""), word, next;
	int found = 0;

	for (bool more = next_word(&rest, &word); more; before = word, word = next) {
		enum kh_check_kind kind;
		more = next_word(&rest, &next);
		if (among(word, turns, sizeof(turns) / sizeof(turns[0])))
			return false;
		int64_t is = part_of(before, word, more ? next : KH_LIT(""), &kind);
		if (is > 0 && ++found == 1) {
			*ret_kind = kind;
			*ret_is = is;
		}
	}
	return found == 1;
}

static size_t derive(const struct reader *r, struct kh_check *checks, size_t n)
{
	size_t date = 0, dates = 0;

	for (size_t i = 0; i < r->question_count; i++) {
		if ((DATES >> r->questions[i].format & 1) != 0 && dates++ == 0)
			date = i;
	}
	for (size_t i = 0; dates == 1 && i < r->question_count; i++) {
		struct kh_check check = {.a = date, .b = i};
		if (r->questions[i].format != KH_FORMAT_YES_NO ||
		    !asked_part(r->questions[i].text, &check.kind, &check.is))
			continue;
		check.member = kh_member_item(r->arena, "questions", i);
		checks[n++] = check;
	}
	return n;
}

enum kh_err kh_check_read_all(struct kh_arena *arena, yyjson_val *checks, const struct kh_question *questions,
			      size_t question_count, struct kh_check **ret_checks, size_t *ret_count,
			      struct kh_reasons *errors)
{
	struct reader r = {arena, errors, questions, question_count, KH_LIT("checks")};
	size_t n = 0, given = yyjson_arr_size(checks);
	yyjson_arr_iter iter;
	yyjson_val *item;

	if (checks != NULL && (!yyjson_is_arr(checks) || given > KH_CHECK_COUNT)) {
		kh_reasons_add(errors, yyjson_is_arr(checks) ? "too_many" : "wrong_type", r.path,
			       "expected an array of at most %d checks", KH_CHECK_COUNT);
		return KH_OK;
	}
	struct kh_check *all = KH_NEW_N(arena, struct kh_check, given + question_count);
	if (all == NULL)
		return KH_ENOMEM;
	if (yyjson_arr_iter_init(checks, &iter)) {
		while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
			r.path = kh_member_item(arena, "checks", n);
			read_one(&r, item, &all[n++]);
		}
	}
	*ret_count = derive(&r, all, n);
	*ret_checks = all;
	return KH_OK;
}

/* --- holding them ----------------------------------------------------------------------------------------------- */

static const char *const undecided = "the answers do not say enough to check it";

static bool is_yes(struct kh_view answer)
{
	return kh_view_eq(answer, KH_LIT("yes"));
}

/* The date in a canonical date or datetime. */
static bool date_in(struct kh_view answer, struct kh_date *ret_date)
{
	const char *problem;
	size_t t = kh_view_find(answer, KH_LIT("T"), 0);

	return kh_date_read(kh_view_sub(answer, 0, t == SIZE_MAX ? answer.n : t), ret_date, &problem);
}

static const char *check_part(const struct kh_check *check, const struct kh_view *answers)
{
	struct kh_date date;
	int64_t part;

	if (!date_in(answers[check->a], &date))
		return undecided;
	if (check->kind == KH_CHECK_QUARTER)
		part = (date.month + 2) / 3;
	else if (check->kind == KH_CHECK_MONTH)
		part = date.month;
	else if (date.year == 0 || (check->kind == KH_CHECK_WEEKDAY && date.day == 0))
		return undecided;
	else
		part = check->kind == KH_CHECK_YEAR ? date.year : kh_date_weekday(&date);
	return (part == check->is) == is_yes(answers[check->b]) ? NULL
								: "the date and the answer contradict each other";
}

/* The number in a canonical integer, number or amount, and its currency. */
static bool number_in(struct kh_view answer, struct kh_number *ret_number, struct kh_view *ret_unit)
{
	size_t blank = kh_view_find(answer, KH_LIT(" "), 0);
	const char *problem;

	*ret_unit = blank == SIZE_MAX ? KH_LIT("") : kh_view_from(answer, blank);
	return kh_number_read(kh_view_sub(answer, 0, blank == SIZE_MAX ? answer.n : blank), ret_number, &problem);
}

/* Canonical dates and times of one shape compare as their bytes do. */
static bool same_shape(struct kh_view a, struct kh_view b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		if (kh_ascii_is_digit(a.p[i]) != kh_ascii_is_digit(b.p[i]) ||
		    (!kh_ascii_is_digit(a.p[i]) && a.p[i] != b.p[i]))
			return false;
	}
	return true;
}

static const char *check_order(const struct kh_check *check, const struct kh_question *questions,
			       const struct kh_view *answers)
{
	struct kh_view a = answers[check->a], b = answers[check->b], unit_a, unit_b;
	struct kh_number x, y;
	int order;

	if (((QUANTITIES >> questions[check->a].format) & 1) != 0) {
		if (!number_in(a, &x, &unit_a) || !number_in(b, &y, &unit_b) || !kh_view_eq(unit_a, unit_b))
			return undecided;
		order = kh_number_cmp(x, y);
	} else {
		/* Offsets from UTC would have to be equal, too: 14:30Z is not before 14:00-02:00. */
		bool zoned = a.n > 6 && (a.p[a.n - 6] == '+' || (a.p[a.n - 6] == '-' && a.p[a.n - 3] == ':'));
		if (!same_shape(a, b) || (zoned && !kh_view_eq(kh_view_from(a, a.n - 6), kh_view_from(b, b.n - 6))))
			return undecided;
		order = kh_view_cmp(a, b);
	}
	return (check->kind == KH_CHECK_BEFORE ? order < 0 : order > 0) ? NULL : "the answers are not in that order";
}

static const char *check_sum(const struct kh_check *check, const struct kh_view *answers)
{
	struct kh_number sum = {0}, want, number;
	struct kh_view unit, want_unit;

	if (!number_in(answers[check->b], &want, &want_unit))
		return undecided;
	for (size_t i = 0; i < check->of_count; i++) {
		if (!number_in(answers[check->of[i]], &number, &unit) || !kh_view_eq(unit, want_unit) ||
		    !kh_number_add(sum, number, &sum))
			return undecided;
	}
	return kh_number_cmp(sum, want) == 0 ? NULL : "the parts do not add up to the sum";
}

static const char *check_count(const struct kh_check *check, const struct kh_view *answers)
{
	struct kh_view rest = answers[check->a], item;
	int64_t n = 0;

	while (kh_view_split(&rest, ',', &item))
		n++;
	return n == check->is ? NULL : "the list does not have that many items";
}

const char *kh_check_problem(const struct kh_check *check, const struct kh_question *questions,
			     const struct kh_view *answers)
{
	bool equal;

	switch (check->kind) {
	case KH_CHECK_EQUAL:
	case KH_CHECK_NOT_EQUAL:
		equal = kh_view_eq(answers[check->a], answers[check->b]);
		if (equal == (check->kind == KH_CHECK_EQUAL))
			return NULL;
		return equal ? "the answers are the same" : "the answers differ";
	case KH_CHECK_BEFORE:
	case KH_CHECK_AFTER:
		return check_order(check, questions, answers);
	case KH_CHECK_QUARTER:
	case KH_CHECK_MONTH:
	case KH_CHECK_YEAR:
	case KH_CHECK_WEEKDAY:
		return check_part(check, answers);
	case KH_CHECK_COUNT_OF:
		return check_count(check, answers);
	case KH_CHECK_SUM:
		return check_sum(check, answers);
	case KH_CHECK_IMPLIES:
		if (kh_view_eq(answers[check->a], check->if_value) && !kh_view_eq(answers[check->b], check->then_value))
			return "one answer implies another than was given";
		return NULL;
	case KH_CHECK_KINDS:
		break;
	}
	return undecided;
}
