/* Reads a whole query: the members that every category has, and the body of its category. */
#include "core/bcp/query.h"

#include "base/member.h"
#include "base/utf8.h"
#include "core/bcp/bits.h"
#include "core/bcp/bound.h"

enum {
	CATEGORY,
	FIELDS,
	QUESTIONS,
	DIRECTIVE,
	WORDS,
	APPROVAL,
	CHECKS,
	TARGET,
	JUSTIFICATION,
	BLOCKS,
	TASK,
	NEED,
	COUNT
};

struct reader {
	struct kh_arena *arena;
	struct kh_reasons *errors;
	struct kh_member *m;
	struct kh_query *query;
};

/* Refuses a member that does not belong in this category. */
static void refuse(const struct reader *r, int member)
{
	if (r->m[member].val != NULL)
		kh_reasons_add(r->errors, "unknown_member", kh_view_str(r->m[member].name), "category %u has no %s",
			       r->query->category, r->m[member].name);
}

static bool read_category(const struct reader *r)
{
	size_t before = r->errors->n;
	int64_t category = kh_member_int(&r->m[CATEGORY], true, 1, 3, 0, KH_LIT(""), r->errors);

	r->query->category = (unsigned)category;
	if (r->errors->n > before)
		r->errors->at[r->errors->n - 1].code = "bad_category";
	return r->errors->n == before;
}

static enum kh_err read_fields(const struct reader *r)
{
	struct kh_query *query = r->query;

	refuse(r, QUESTIONS);
	refuse(r, DIRECTIVE);
	refuse(r, WORDS);
	refuse(r, APPROVAL);
	refuse(r, CHECKS);
	enum kh_err e = kh_field_read_all(r->arena, r->m[FIELDS].val, &query->fields, &query->field_count, r->errors);
	for (size_t i = 0; i < query->field_count; i++)
		query->microbits += query->fields[i].microbits;
	query->bound = query->microbits;
	return e;
}

/* Times that a check compares are compared with their zones, so the query asks for these too (B7, B12). */
static void ask_for_zones(struct kh_query *query)
{
	for (size_t i = 0; i < query->check_count; i++) {
		const struct kh_check *check = &query->checks[i];
		if (check->kind <= KH_CHECK_AFTER) {
			kh_question_ask_zone(&query->questions[check->a]);
			kh_question_ask_zone(&query->questions[check->b]);
		}
	}
}

static enum kh_err read_questions(const struct reader *r)
{
	struct kh_query *query = r->query;

	refuse(r, FIELDS);
	refuse(r, DIRECTIVE);
	refuse(r, APPROVAL);
	query->max_words = (unsigned)kh_member_int(&r->m[WORDS], false, 1, KH_QUESTION_WORDS, KH_QUESTION_DEFAULT,
						   KH_LIT(""), r->errors);
	size_t before = r->errors->n;
	enum kh_err e = kh_question_read_all(r->arena, r->m[QUESTIONS].val, query->max_words, &query->questions,
					     &query->question_count, r->errors);
	/* Checks refer to questions, so they cannot be read if the questions are wrong. */
	if (e != KH_OK || r->errors->n > before)
		return e;
	e = kh_check_read_all(r->arena, r->m[CHECKS].val, query->questions, query->question_count, &query->checks,
			      &query->check_count, r->errors);
	if (e != KH_OK)
		return e;
	ask_for_zones(query);
	for (size_t i = 0; i < query->question_count; i++) {
		query->microbits += query->questions[i].microbits;
		query->bound += query->questions[i].bound;
	}
	return KH_OK;
}

static void read_directive(const struct reader *r)
{
	struct kh_query *query = r->query;
	yyjson_val *approval = r->m[APPROVAL].val;

	refuse(r, FIELDS);
	refuse(r, QUESTIONS);
	refuse(r, CHECKS);
	query->directive = kh_member_string(&r->m[DIRECTIVE], true, KH_LIT(""), r->errors);
	if (query->directive.p != NULL && kh_view_trim(query->directive).n == 0)
		kh_reasons_add(r->errors, "empty", KH_LIT("directive"), "a directive needs words");
	if (query->directive.n > KH_QUESTION_BYTES)
		kh_reasons_add(r->errors, "too_long", KH_LIT("directive"),
			       "a directive has at most %d bytes, this one %zu", KH_QUESTION_BYTES, query->directive.n);
	query->max_words = (unsigned)kh_member_int(&r->m[WORDS], true, 1, KH_QUERY_WORDS, 0, KH_LIT(""), r->errors);
	query->microbits = query->max_words * KH_BITS_WORD;
	query->bound = kh_bound_summary(query->max_words);
	if (approval != NULL && !yyjson_is_true(approval))
		kh_reasons_add(r->errors, yyjson_is_bool(approval) ? "approval_required" : "wrong_type",
			       KH_LIT("requires_approval"), "a summary is always approved by a human; expected true");
}

/* Reads the members for admission: they are checked if given, and required if the query is to be admitted. */
static enum kh_err read_admission(const struct reader *r, enum kh_query_purpose purpose)
{
	struct kh_query *query = r->query;
	bool admit = purpose == KH_QUERY_ADMIT;
	yyjson_val *blocks = r->m[BLOCKS].val, *item;
	yyjson_arr_iter iter;

	query->target = kh_member_string(&r->m[TARGET], admit, KH_LIT(""), r->errors);
	query->task = kh_member_string(&r->m[TASK], false, KH_LIT(""), r->errors);
	query->need = kh_member_string(&r->m[NEED], false, KH_LIT(""), r->errors);
	for (int i = TARGET; i <= NEED; i++) {
		struct kh_view v = i == TARGET ? query->target : i == TASK ? query->task : query->need;
		if ((i == TARGET || i == TASK || i == NEED) && v.p != NULL && !kh_field_is_name(v))
			kh_reasons_add(r->errors, "bad_name", kh_view_str(r->m[i].name),
				       "expected a letter or _, then up to 63 letters, digits, _ . -");
	}
	query->justification = kh_member_string(&r->m[JUSTIFICATION], admit && query->category > 1, KH_LIT(""),
						r->errors);
	if (query->justification.p != NULL && query->category > 1 &&
	    kh_utf8_length(kh_view_trim(query->justification)) < KH_QUERY_JUSTIFICATION)
		kh_reasons_add(r->errors, "justification_short", KH_LIT("justification"),
			       "say in %d characters or more why a lower category will not do", KH_QUERY_JUSTIFICATION);
	if (blocks == NULL)
		return KH_OK;
	if (!yyjson_arr_iter_init(blocks, &iter) || iter.max > KH_QUERY_BLOCKS) {
		kh_reasons_add(r->errors, yyjson_is_arr(blocks) ? "too_many" : "wrong_type", KH_LIT("blocks"),
			       "expected an array of at most %d block ids", KH_QUERY_BLOCKS);
		return KH_OK;
	}
	query->blocks = KH_NEW_N(r->arena, struct kh_view, iter.max);
	if (query->blocks == NULL)
		return KH_ENOMEM;
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct kh_view id = kh_json_str(item);
		if (id.n == 0 || id.n > KH_NAME_BYTES)
			kh_reasons_add(r->errors, "bad_name", kh_member_item(r->arena, "blocks", query->block_count),
				       "expected a block's id");
		query->blocks[query->block_count++] = id;
	}
	return KH_OK;
}

/* The size of a query is that of its compact JSON, whatever white space it was sent with. */
static bool within_size(struct kh_arena *arena, yyjson_val *in)
{
	struct kh_view text;

	return kh_json_write(arena, yyjson_val_mut_copy(kh_json_new(arena), in), &text) == KH_OK &&
	       text.n <= KH_QUERY_BYTES;
}

enum kh_err kh_query_read(struct kh_arena *arena, yyjson_val *in, enum kh_query_purpose purpose,
			  struct kh_query *ret_query, struct kh_reasons *errors)
{
	struct kh_member m[COUNT] = {[CATEGORY] = {.name = "category"},
				     [FIELDS] = {.name = "fields"},
				     [QUESTIONS] = {.name = "questions"},
				     [DIRECTIVE] = {.name = "directive"},
				     [WORDS] = {.name = "max_words"},
				     [APPROVAL] = {.name = "requires_approval"},
				     [CHECKS] = {.name = "checks"},
				     [TARGET] = {.name = "target", .also = "to"},
				     [JUSTIFICATION] = {.name = "justification"},
				     [BLOCKS] = {.name = "blocks"},
				     [TASK] = {.name = "task"},
				     [NEED] = {.name = "need"}};
	struct reader r = {arena, errors, m, ret_query};
	enum kh_err e = KH_OK;

	*ret_query = (struct kh_query){0};
	if (!yyjson_is_obj(in)) {
		kh_reasons_add(errors, "wrong_type", KH_LIT(""), "a query is an object, not %s", kh_json_type(in));
		return kh_arena_check(arena);
	}
	if (!within_size(arena, in)) {
		kh_reasons_add(errors, "too_long", KH_LIT(""), "a query has at most %d bytes", KH_QUERY_BYTES);
		return kh_arena_check(arena);
	}
	kh_member_take(in, m, COUNT, KH_LIT(""), errors);
	if (!read_category(&r))
		return kh_arena_check(arena);
	if (ret_query->category == 1)
		e = read_fields(&r);
	else if (ret_query->category == 2)
		e = read_questions(&r);
	else
		read_directive(&r);
	if (e == KH_OK)
		e = read_admission(&r, purpose);
	return e == KH_OK ? kh_arena_check(arena) : e;
}

yyjson_mut_val *kh_query_write(const struct kh_query *query, yyjson_mut_doc *doc)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_uint(doc, obj, "category", query->category);
	if (query->category == 1) {
		yyjson_mut_val *arr = yyjson_mut_obj_add_arr(doc, obj, "fields");
		for (size_t i = 0; i < query->field_count; i++)
			yyjson_mut_arr_append(arr, kh_field_write(&query->fields[i], doc));
	} else if (query->category == 2) {
		yyjson_mut_val *arr = yyjson_mut_obj_add_arr(doc, obj, "questions");
		for (size_t i = 0; i < query->question_count; i++)
			yyjson_mut_arr_append(arr, kh_question_write(&query->questions[i], doc));
	} else {
		kh_json_add(doc, obj, "directive", query->directive);
		yyjson_mut_obj_add_uint(doc, obj, "max_words", query->max_words);
		yyjson_mut_obj_add_true(doc, obj, "requires_approval");
	}
	return obj;
}
