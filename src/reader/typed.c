/* Typed answers.  The result is hostile: a value leaves only if it is of its type, and nothing is said of why not. */
#include "reader/typed.h"

#include "core/policy/settings.h"
#include "core/schema/schema.h"

#define NOTHING "{}"

struct reading {
	struct kh_arena *arena;
	const struct kh_policy_rule *rule;
	const struct kh_schema *schema; /* NULL: there is none */
	yyjson_val *data;               /* the structuredContent */
};

/* What a name asks for. */
struct wanted {
	const struct kh_policy_member *member;
	struct kh_view suffix; /* behind the member's name and a dot; p NULL: none */
};

/* The member that NAME begins with.  The longest counts, because names may have dots. */
static struct wanted find_member(const struct kh_policy_rule *rule, struct kh_view name)
{
	const struct kh_policy_member *all = rule->fields.at;
	struct wanted found = {.member = NULL};

	for (size_t i = 0; i < rule->fields.n; i++) {
		struct kh_view own = all[i].name;
		bool whole = kh_view_eq(own, name);
		if (!whole && !(kh_view_starts(name, own) && name.n > own.n + 1 && name.p[own.n] == '.'))
			continue;
		if (found.member == NULL || own.n > found.member->name.n)
			found = (struct wanted){&all[i],
						whole ? (struct kh_view){NULL, 0} : kh_view_from(name, own.n + 1)};
	}
	return found;
}

static yyjson_val *follow(yyjson_val *from, struct kh_view pointer)
{
	return pointer.n == 0 ? from : yyjson_ptr_getn(from, pointer.p, pointer.n);
}

/* --- arrays ------------------------------------------------------------------------------------------------------- */

/* Where the step `*` is in POINTER; SIZE_MAX: nowhere. */
static size_t find_star(struct kh_view pointer)
{
	size_t at = kh_view_find(pointer, KH_LIT("/*"), 0);

	while (at != SIZE_MAX && at + 2 < pointer.n && pointer.p[at + 2] != '/')
		at = kh_view_find(pointer, KH_LIT("/*"), at + 2);
	return at;
}

/* The array that MEMBER measures, or has `*` for; NULL: there is none, or it has more items than the rule says. */
static yyjson_val *find_array(const struct reading *r, const struct kh_policy_member *member, size_t star)
{
	yyjson_val *array = follow(r->data,
				   kh_view_sub(member->pointer, 0, star != SIZE_MAX ? star : member->pointer.n));

	return yyjson_is_arr(array) && yyjson_arr_size(array) <= member->most ? array : NULL;
}

static bool is_value(yyjson_val *val, struct kh_view text)
{
	if (yyjson_is_bool(val))
		return kh_view_eq(text, yyjson_get_bool(val) ? KH_LIT("true") : KH_LIT("false"));
	return yyjson_is_str(val) && kh_view_eq(kh_json_str(val), text);
}

/* How many items of ARRAY are TEXT at REST. */
static int64_t count_equal(yyjson_val *array, struct kh_view rest, struct kh_view text)
{
	int64_t count = 0;
	yyjson_val *item;
	size_t i, max;

	yyjson_arr_foreach (array, i, max, item)
		count += is_value(follow(item, rest), text);
	return count;
}

static bool is_among(const struct kh_view *values, size_t n, struct kh_view value)
{
	for (size_t i = 0; i < n; i++) {
		if (kh_view_eq(values[i], value))
			return true;
	}
	return false;
}

static bool is_listed(const struct kh_policy_member *member, struct kh_view value)
{
	if (member->type == KH_POLICY_TYPE_BOOLEAN)
		return kh_view_eq(value, KH_LIT("true")) || kh_view_eq(value, KH_LIT("false"));
	return member->type == KH_POLICY_TYPE_ENUM && is_among(member->values.at, member->values.n, value);
}

/* --- one answer --------------------------------------------------------------------------------------------------- */

static bool is_within(const struct kh_field *field, int64_t min, int64_t max)
{
	return field->type == KH_FIELD_INTEGER && field->min >= min && field->max <= max;
}

static bool add(yyjson_mut_doc *doc, yyjson_mut_val *obj, struct kh_view name, yyjson_mut_val *val)
{
	return yyjson_mut_obj_add(obj, yyjson_mut_strn(doc, name.p, name.n), val);
}

/* Adds a number to OBJ, if FIELD asks for no more than 0 to MOST. */
static bool add_number(yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct kh_field *field, uint64_t most,
		       int64_t number)
{
	return is_within(field, 0, (int64_t)most) && add(doc, obj, field->name, yyjson_mut_sint(doc, number));
}

/* Whether FIELD asks for some of VALUES and no others, and VAL is one that it asks for. */
static bool is_asked(const struct kh_field *field, const struct kh_view *values, size_t n, yyjson_val *val)
{
	bool is_there = field->type == KH_FIELD_ENUM;

	for (size_t i = 0; is_there && i < field->value_count; i++)
		is_there = is_among(values, n, field->values[i]);
	return is_there && yyjson_is_str(val) && is_among(field->values, field->value_count, kh_json_str(val));
}

/* Whether FIELD asks for MEMBER's type and no more, and VAL is of it. */
static bool fits(const struct kh_policy_member *member, const struct kh_field *field, yyjson_val *val)
{
	int64_t number;

	if (member->type == KH_POLICY_TYPE_BOOLEAN)
		return field->type == KH_FIELD_BOOLEAN && yyjson_is_bool(val);
	if (member->type == KH_POLICY_TYPE_INTEGER)
		return is_within(field, member->min, member->max) && kh_json_int(val, &number) &&
		       number >= member->min && number <= member->max;
	return member->type == KH_POLICY_TYPE_ENUM && is_asked(field, member->values.at, member->values.n, val);
}

/* The same by the schema, which has checked the value. */
static bool add_found(const struct reading *r, yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct kh_field *field)
{
	struct kh_schema_found found;
	bool good = false;

	if (r->schema == NULL || !kh_schema_typed(r->schema, r->arena, field->name, r->data, &found))
		return false;
	if (found.value == NULL)
		return add_number(doc, obj, field, (uint64_t)found.type.max, found.number);
	if (found.type.kind == KH_SCHEMA_BOOLEAN)
		good = field->type == KH_FIELD_BOOLEAN;
	else if (found.type.kind == KH_SCHEMA_INTEGER)
		good = is_within(field, found.type.min, found.type.max);
	else if (found.type.kind == KH_SCHEMA_ENUM)
		good = is_asked(field, found.type.values, found.type.n_values, found.value);
	return good && add(doc, obj, field->name, yyjson_val_mut_copy(doc, found.value));
}

static bool add_field(const struct reading *r, yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct kh_field *field)
{
	struct wanted wanted = find_member(r->rule, field->name);
	const struct kh_policy_member *member = wanted.member;
	struct kh_view count = KH_LIT("count.");
	int64_t index;

	if (member == NULL)
		return add_found(r, doc, obj, field);
	size_t star = find_star(member->pointer);
	bool has_items = star != SIZE_MAX || member->type == KH_POLICY_TYPE_LENGTH;
	yyjson_val *val = has_items ? find_array(r, member, star) : follow(r->data, member->pointer);
	if (val == NULL || (star == SIZE_MAX) != (wanted.suffix.p == NULL))
		return false;
	if (member->type == KH_POLICY_TYPE_LENGTH || kh_view_eq(wanted.suffix, KH_LIT("length")))
		return add_number(doc, obj, field, member->most, (int64_t)yyjson_arr_size(val));
	struct kh_view rest = star != SIZE_MAX ? kh_view_from(member->pointer, star + 2) : KH_LIT("");
	if (star != SIZE_MAX && kh_view_starts(wanted.suffix, count)) {
		struct kh_view value = kh_view_from(wanted.suffix, count.n);
		return is_listed(member, value) &&
		       add_number(doc, obj, field, member->most, count_equal(val, rest, value));
	}
	if (star != SIZE_MAX) {
		if (!kh_view_int(wanted.suffix, &index) || index < 0)
			return false;
		val = follow(yyjson_arr_get(val, (size_t)index), rest);
	}
	return fits(member, field, val) && add(doc, obj, field->name, yyjson_val_mut_copy(doc, val));
}

/* A string whose format the schema names: `date-time` is a query's `datetime`, the others have one word. */
static yyjson_val *find_text(const struct reading *r, const struct kh_question *question)
{
	struct kh_schema_found found;

	if (r->schema == NULL || !kh_schema_typed(r->schema, r->arena, question->id, r->data, &found) ||
	    found.type.kind != KH_SCHEMA_FORMAT)
		return NULL;
	const char *format = strcmp(found.type.format, "date-time") == 0 ? "datetime" : found.type.format;
	return strcmp(format, kh_format_name(question->format)) == 0 ? found.value : NULL;
}

/* A format: the rule names it by the same word as the question.  The text is read by the format's grammar later. */
static bool add_text(const struct reading *r, yyjson_mut_doc *doc, yyjson_mut_val *answers,
		     const struct kh_question *question)
{
	struct wanted wanted = find_member(r->rule, question->id);
	const struct kh_policy_member *member = wanted.member;
	yyjson_val *val = NULL;

	if (member == NULL)
		val = find_text(r, question);
	else if (member->type >= KH_POLICY_TYPE_DATE && wanted.suffix.p == NULL &&
		 find_star(member->pointer) == SIZE_MAX &&
		 strcmp(kh_words_name(&kh_policy_type_words, member->type), kh_format_name(question->format)) == 0)
		val = follow(r->data, member->pointer);
	if (!yyjson_is_str(val))
		return false;
	yyjson_mut_val *answer = yyjson_mut_arr_add_obj(doc, answers);
	return yyjson_mut_obj_add_strn(doc, answer, "id", question->id.p, question->id.n) &&
	       yyjson_mut_obj_add_val(doc, answer, "answer", yyjson_val_mut_copy(doc, val));
}

/* --- the Reader --------------------------------------------------------------------------------------------------- */

/* The structuredContent of a result that is no error; NULL: there is none. */
static enum kh_err open_result(struct kh_arena *arena, const struct kh_reader_ask *ask, struct reading *ret_reading)
{
	const struct kh_reader_block *block = ask->block_count == 1 ? &ask->blocks[0] : NULL;
	struct kh_error err;
	yyjson_val *root = NULL;

	*ret_reading = (struct reading){.arena = arena};
	if (block == NULL || block->rule == NULL)
		return KH_OK;
	ret_reading->rule = block->rule;
	ret_reading->schema = block->schema;
	enum kh_err e = kh_json_read(arena, kh_tainted_open(block->original), &root, &err);
	if (e == KH_OK && !yyjson_is_true(kh_json_get(root, "isError")))
		ret_reading->data = kh_json_get(root, "structuredContent");
	return e == KH_ENOMEM ? e : KH_OK;
}

enum kh_err kh_typed_respond(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_view *ret_json)
{
	const struct kh_query *query = ask->query;
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	yyjson_mut_val *body = query->category == 1 ? yyjson_mut_obj_add_obj(doc, root, "fields")
						    : yyjson_mut_obj_add_arr(doc, root, "answers");
	struct reading r;
	enum kh_err e = open_result(arena, ask, &r);
	bool good = r.rule != NULL && r.data != NULL && query->category < 3;

	for (size_t i = 0; e == KH_OK && good && query->category == 1 && i < query->field_count; i++)
		good = add_field(&r, doc, body, &query->fields[i]);
	for (size_t i = 0; e == KH_OK && good && query->category == 2 && i < query->question_count; i++)
		good = add_text(&r, doc, body, &query->questions[i]);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	*ret_json = KH_LIT(NOTHING);
	return e == KH_OK && good ? kh_json_write(arena, root, ret_json) : e;
}

static enum kh_err ask_typed(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			     struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault,
			     struct kh_view *ret_detail)
{
	struct kh_view response;
	enum kh_err e = kh_typed_respond(arena, ask, &response);

	(void)reader;
	if (e != KH_OK)
		return e;
	*ret_response = kh_tainted_wrap(response);
	*ret_fault = KH_READER_OK;
	*ret_detail = KH_LIT("");
	return KH_OK;
}

const struct kh_reader_driver kh_reader_typed = {.name = "typed", .pure = true, .typed = true, .ask = ask_typed};
