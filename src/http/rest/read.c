/* Reads parameters and bodies by a table.  Pure: no request, no clock. */
#include "http/rest/read.h"

#include "base/timestamp.h"

#include <inttypes.h>

size_t kh_rest_read_find(const struct kh_rest_member *members, struct kh_view name)
{
	for (size_t i = 0; i < KH_REST_MEMBERS && members[i].name != NULL; i++)
		if (kh_view_eq(kh_view_str(members[i].name), name))
			return i;
	return KH_REST_MEMBERS;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static void add(struct kh_reasons *errors, const char *code, const struct kh_rest_member *member, const char *what)
{
	kh_reasons_add(errors, code, kh_view_str(member->name), "expected %s", what);
}

static void read_word(const struct kh_rest_member *member, struct kh_view text, struct kh_rest_value *value,
		      struct kh_reasons *errors)
{
	struct kh_view list = kh_words_list(errors->arena, member->words);

	if (!kh_words_parse(member->words, text, &value->word))
		kh_reasons_add(errors, "bad_value", kh_view_str(member->name), "expected %.*s", KH_FMT(list));
}

static void check_number(const struct kh_rest_member *member, int64_t number, struct kh_reasons *errors)
{
	if (number < member->min || number > member->max)
		kh_reasons_add(errors, "out_of_range", kh_view_str(member->name),
			       "expected %" PRId64 " to %" PRId64 ", got %" PRId64, member->min, member->max, number);
}

/* Reads a text, the same way in a body and in a URL. */
static void read_text(const struct kh_rest_member *member, struct kh_view text, struct kh_rest_value *value,
		      struct kh_reasons *errors)
{
	value->text = text;
	if (member->kind == KH_REST_WORD)
		read_word(member, text, value, errors);
	else if (member->kind == KH_REST_TIME && !kh_timestamp_parse(text, &value->number))
		add(errors, "bad_value", member, "a time in UTC such as 2026-11-15T08:30:00Z");
}

/* --- the URL ------------------------------------------------------------------------------------------------------ */

static void read_parameter(const struct kh_rest_member *member, struct kh_view text, struct kh_rest_value *value,
			   struct kh_reasons *errors)
{
	bool yes = kh_view_eq(text, KH_LIT("true"));

	value->there = true;
	if (member->kind == KH_REST_NUMBER) {
		if (!kh_view_int(text, &value->number))
			add(errors, "wrong_type", member, "a plain integer");
		else
			check_number(member, value->number, errors);
	} else if (member->kind == KH_REST_FLAG) {
		value->number = yes;
		if (!yes && !kh_view_eq(text, KH_LIT("false")))
			add(errors, "bad_value", member, "true or false");
	} else {
		read_text(member, text, value, errors);
	}
}

enum kh_err kh_rest_read_parameter(struct kh_arena *arena, const struct kh_rest_member *members, struct kh_view name,
				   struct kh_view value, struct kh_rest_value values[KH_REST_MEMBERS],
				   struct kh_error *err)
{
	size_t i = kh_rest_read_find(members, name);
	struct kh_reasons errors;

	kh_reasons_init(&errors, arena);
	if (i == KH_REST_MEMBERS) {
		struct kh_view quoted = kh_arena_quote(arena, name);
		return kh_error_set(err, KH_EINPUT, "unknown_member", "no parameter %.*s is known here",
				    KH_FMT(quoted));
	}
	if (values[i].there)
		kh_reasons_add(&errors, "duplicate_member", kh_view_str(members[i].name), "expected it once");
	else
		read_parameter(&members[i], value, &values[i], &errors);
	return errors.n > 0 ? kh_error_reason(err, KH_EINPUT, &errors) : kh_arena_check(arena);
}

enum kh_err kh_rest_read_parameters_end(const struct kh_rest_member *members,
					const struct kh_rest_value values[KH_REST_MEMBERS], struct kh_error *err)
{
	for (size_t i = 0; i < KH_REST_MEMBERS && members[i].name != NULL; i++) {
		if (members[i].required && !values[i].there)
			return kh_error_member(err, kh_view_str(members[i].name),
					       kh_error_set(err, KH_EINPUT, "missing", "the parameter %s is required",
							    members[i].name));
	}
	return KH_OK;
}

/* --- the body ----------------------------------------------------------------------------------------------------- */

static void read_ids(const struct kh_rest_member *member, yyjson_val *in, struct kh_rest_value *value,
		     struct kh_reasons *errors)
{
	size_t count = yyjson_arr_size(in), i = 0;
	struct kh_view *ids = KH_NEW_N(errors->arena, struct kh_view, count);
	yyjson_arr_iter iter;
	yyjson_val *item;

	if (!yyjson_is_arr(in)) {
		add(errors, "wrong_type", member, "a list of ids");
		return;
	}
	yyjson_arr_iter_init(in, &iter);
	while (ids != NULL && (item = yyjson_arr_iter_next(&iter)) != NULL) {
		if (!yyjson_is_str(item))
			kh_reasons_add(errors, "wrong_type", kh_member_item(errors->arena, member->name, i),
				       "expected a string, got %s", kh_json_type(item));
		ids[i++] = kh_json_str(item);
	}
	value->ids = ids;
	value->count = count;
}

/* Reads a text as it is, an object as its JSON; the operation decides which of them fits. */
static void read_answer(const struct kh_rest_member *member, yyjson_val *in, struct kh_rest_value *value,
			struct kh_reasons *errors)
{
	yyjson_mut_doc *doc = kh_json_new(errors->arena);

	if (yyjson_is_str(in))
		value->text = kh_json_str(in);
	else if (!yyjson_is_obj(in))
		kh_reasons_add(errors, "wrong_type", kh_view_str(member->name),
			       "expected a string or an object, got %s", kh_json_type(in));
	else if (kh_json_write(errors->arena, yyjson_val_mut_copy(doc, in), &value->text) != KH_OK)
		errors->arena->failed = true;
}

static void read_member(const struct kh_rest_member *member, yyjson_val *in, struct kh_rest_value *value,
			struct kh_reasons *errors)
{
	const struct kh_member taken = {.name = member->name, .val = in};
	size_t before = errors->n;

	value->there = in != NULL;
	if (in == NULL && !member->required)
		return;
	if (in != NULL && member->kind == KH_REST_IDS) {
		read_ids(member, in, value, errors);
	} else if (in != NULL && member->kind == KH_REST_OBJECT) {
		if (!yyjson_is_obj(in))
			add(errors, "wrong_type", member, "an object");
		value->object = in;
	} else if (in != NULL && member->kind == KH_REST_ANSWER) {
		read_answer(member, in, value, errors);
	} else if (member->kind == KH_REST_NUMBER) {
		value->number = kh_member_int(&taken, true, member->min, member->max, 0, KH_LIT(""), errors);
	} else {
		struct kh_view text = kh_member_string(&taken, true, KH_LIT(""), errors);
		if (errors->n == before)
			read_text(member, text, value, errors);
	}
}

enum kh_err kh_rest_read_body(struct kh_arena *arena, const struct kh_rest_member *members, yyjson_val *body,
			      struct kh_rest_value values[KH_REST_MEMBERS], struct kh_error *err)
{
	struct kh_member taken[KH_REST_MEMBERS] = {0};
	struct kh_reasons errors;
	size_t count = 0;

	if (!yyjson_is_obj(body))
		return kh_error_set(err, KH_EINPUT, "wrong_type", "expected an object, got %s", kh_json_type(body));
	for (; count < KH_REST_MEMBERS && members[count].name != NULL; count++)
		taken[count].name = members[count].name;
	kh_reasons_init(&errors, arena);
	kh_member_take(body, taken, count, KH_LIT(""), &errors);
	for (size_t i = 0; i < count; i++)
		read_member(&members[i], taken[i].val, &values[i], &errors);
	enum kh_err e = kh_arena_check(arena);
	return e == KH_OK && errors.n > 0 ? kh_error_reason(err, KH_EINPUT, &errors) : e;
}

/* --- its type ----------------------------------------------------------------------------------------------------- */

/* True if the parameters of a media type are empty or only a charset that is UTF-8. */
static bool is_utf8(struct kh_view parameters)
{
	struct kh_view piece, name, value;

	while (kh_view_split(&parameters, ';', &piece)) {
		value = kh_view_trim(piece);
		if (value.n == 0)
			continue;
		if (!kh_view_split(&value, '=', &name) || !kh_view_eq_nocase(kh_view_trim(name), KH_LIT("charset")))
			return false;
		value = kh_view_trim(value);
		if (value.n >= 2 && value.p[0] == '"' && value.p[value.n - 1] == '"')
			value = kh_view_sub(value, 1, value.n - 1);
		if (!kh_view_eq_nocase(value, KH_LIT("utf-8")))
			return false;
	}
	return true;
}

enum kh_rest_read_type kh_rest_read_type(struct kh_view header)
{
	struct kh_view rest = header, type;

	if (header.p == NULL || !kh_view_split(&rest, ';', &type))
		return KH_REST_READ_NONE;
	type = kh_view_trim(type);
	if (type.n == 0)
		return KH_REST_READ_NONE;
	if (rest.p != NULL && !is_utf8(rest))
		return KH_REST_READ_OTHER;
	if (kh_view_eq_nocase(type, KH_LIT("application/json")))
		return KH_REST_READ_JSON;
	return kh_view_eq_nocase(type, KH_LIT("text/plain")) ? KH_REST_READ_TEXT : KH_REST_READ_OTHER;
}
