/* Reads fields.  The Controller wrote them, but a Controller can make mistakes, so everything is checked. */
#include "core/bcp/field.h"

#include "base/member.h"
#include "core/bcp/bits.h"
#include "core/screen/normalise.h"

static const char *const type_names[] = {
	[KH_FIELD_BOOLEAN] = "boolean",
	[KH_FIELD_ENUM] = "enum",
	[KH_FIELD_INTEGER] = "integer",
};

bool kh_field_is_name(struct kh_view v)
{
	return v.n > 0 && v.n <= KH_NAME_BYTES && (kh_ascii_is_alpha(v.p[0]) || v.p[0] == '_') &&
	       kh_view_is_word(v, "_.-");
}

struct reader {
	struct kh_arena *arena;
	struct kh_reasons *errors;
	struct kh_view path; /* "fields[2]" */
};

static struct kh_view path_of(const struct reader *r, const char *name)
{
	return kh_member_below(r->arena, r->path, name);
}

static bool read_type(const struct reader *r, const struct kh_member *member, enum kh_field_type *ret_type)
{
	struct kh_view word = kh_member_string(member, true, r->path, r->errors);

	for (size_t i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++) {
		if (word.p != NULL && kh_view_eq(word, kh_view_str(type_names[i]))) {
			*ret_type = (enum kh_field_type)i;
			return true;
		}
	}
	if (word.p != NULL)
		kh_reasons_add(r->errors, "bad_type", path_of(r, "type"), "expected boolean, enum or integer, got %.*s",
			       KH_FMT(kh_arena_quote(r->arena, word)));
	return false;
}

/* Reads one value of an enum and its key; no earlier value may have the same key. */
static enum kh_err read_value(const struct reader *r, yyjson_val *item, struct kh_field *field)
{
	struct kh_view value = kh_json_str(item);
	size_t i = field->value_count;
	struct kh_view member = kh_arena_printf(r->arena, "%.*s.values[%zu]", KH_FMT(r->path), i);

	field->value_count++;
	if (value.p == NULL) {
		kh_reasons_add(r->errors, "wrong_type", member, "expected a string, got %s", kh_json_type(item));
		return KH_OK;
	}
	if (value.n > KH_FIELD_VALUE_BYTES) {
		kh_reasons_add(r->errors, "too_long", member, "a value has at most %d bytes, this one %zu",
			       KH_FIELD_VALUE_BYTES, value.n);
		return KH_OK;
	}
	enum kh_err e = kh_normalise_key(r->arena, value, &field->keys[i]);
	if (e != KH_OK)
		return e;
	field->values[i] = value;
	if (field->keys[i].n == 0)
		kh_reasons_add(r->errors, "empty", member, "nothing is left of this value after normalisation");
	for (size_t j = 0; j < i && field->keys[i].n > 0; j++) {
		if (kh_view_eq(field->keys[i], field->keys[j])) {
			kh_reasons_add(r->errors, "duplicate_value", member,
				       "the same as values[%zu] but for case, blanks or Unicode form", j);
			break;
		}
	}
	return KH_OK;
}

static enum kh_err read_values(const struct reader *r, yyjson_val *values, struct kh_field *field)
{
	size_t n = yyjson_arr_size(values);
	yyjson_arr_iter iter;
	yyjson_val *item;

	if (values == NULL)
		kh_reasons_add(r->errors, "missing", path_of(r, "values"), "an enum needs its values");
	else if (!yyjson_is_arr(values))
		kh_reasons_add(r->errors, "wrong_type", path_of(r, "values"), "expected an array, got %s",
			       kh_json_type(values));
	else if (n == 0)
		kh_reasons_add(r->errors, "empty", path_of(r, "values"), "an enum needs at least one value");
	else if (n > KH_FIELD_VALUES)
		kh_reasons_add(r->errors, "too_many", path_of(r, "values"),
			       "an enum has at most %d values, this one %zu", KH_FIELD_VALUES, n);
	else if (yyjson_arr_iter_init(values, &iter)) {
		field->values = KH_NEW_N(r->arena, struct kh_view, n);
		field->keys = KH_NEW_N(r->arena, struct kh_view, n);
		if (field->values == NULL || field->keys == NULL)
			return KH_ENOMEM;
		while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
			enum kh_err e = read_value(r, item, field);
			if (e != KH_OK)
				return e;
		}
		field->microbits = kh_bits_log2(n);
	}
	return KH_OK;
}

static void read_range(const struct reader *r, const struct kh_member *min, const struct kh_member *max,
		       struct kh_field *field)
{
	size_t before = r->errors->n;

	field->min = kh_member_int(min, true, -KH_FIELD_BOUND, KH_FIELD_BOUND, 0, r->path, r->errors);
	field->max = kh_member_int(max, true, -KH_FIELD_BOUND, KH_FIELD_BOUND, 0, r->path, r->errors);
	if (r->errors->n > before)
		return;
	if (field->min > field->max)
		kh_reasons_add(r->errors, "range_empty", path_of(r, "max"), "max is below min");
	else
		field->microbits = kh_bits_log2((uint64_t)(field->max - field->min) + 1);
}

/* Refuses a member that belongs to another type of field. */
static void refuse(const struct reader *r, const struct kh_member *member, enum kh_field_type type)
{
	if (member->val != NULL)
		kh_reasons_add(r->errors, "unknown_member", path_of(r, member->name), "%s has no %s", type_names[type],
			       member->name);
}

static enum kh_err read_one(const struct reader *r, yyjson_val *obj, struct kh_field *field)
{
	enum { NAME, TYPE, VALUES, MIN, MAX, REPEAT, COUNT };
	struct kh_member m[COUNT] = {{.name = "name"}, {.name = "type"}, {.name = "values", .also = "options"},
				     {.name = "min"},  {.name = "max"},  {.name = "repeat"}};

	field->repeat = 1;
	if (!yyjson_is_obj(obj)) {
		kh_reasons_add(r->errors, "wrong_type", r->path, "expected an object, got %s", kh_json_type(obj));
		return KH_OK;
	}
	kh_member_take(obj, m, COUNT, r->path, r->errors);
	field->name = kh_member_string(&m[NAME], true, r->path, r->errors);
	if (field->name.p != NULL && !kh_field_is_name(field->name))
		kh_reasons_add(r->errors, "bad_name", path_of(r, "name"),
			       "%.*s is not a name: a letter or _, then up to 63 letters, digits, _ . -",
			       KH_FMT(kh_arena_quote(r->arena, field->name)));
	field->repeat = (unsigned)kh_member_int(&m[REPEAT], false, 1, 3, 1, r->path, r->errors);
	if (!read_type(r, &m[TYPE], &field->type))
		return KH_OK;
	if (field->type != KH_FIELD_ENUM)
		refuse(r, &m[VALUES], field->type);
	if (field->type != KH_FIELD_INTEGER) {
		refuse(r, &m[MIN], field->type);
		refuse(r, &m[MAX], field->type);
	}
	if (field->type == KH_FIELD_ENUM)
		return read_values(r, m[VALUES].val, field);
	if (field->type == KH_FIELD_INTEGER)
		read_range(r, &m[MIN], &m[MAX], field);
	else
		field->microbits = KH_MICROBIT;
	return KH_OK;
}

static void check_names(struct kh_arena *arena, const struct kh_field *fields, size_t count, struct kh_reasons *errors)
{
	for (size_t i = 1; i < count; i++) {
		for (size_t j = 0; j < i && fields[i].name.n > 0; j++) {
			if (kh_view_eq(fields[i].name, fields[j].name)) {
				kh_reasons_add(errors, "duplicate_name", kh_arena_printf(arena, "fields[%zu].name", i),
					       "fields[%zu] has this name already", j);
				break;
			}
		}
	}
}

enum kh_err kh_field_read_all(struct kh_arena *arena, yyjson_val *fields, struct kh_field **ret_fields,
			      size_t *ret_count, struct kh_reasons *errors)
{
	size_t n = yyjson_arr_size(fields), i = 0;
	yyjson_arr_iter iter;
	yyjson_val *item;

	if (!yyjson_arr_iter_init(fields, &iter)) {
		kh_reasons_add(errors, fields ? "wrong_type" : "missing", KH_LIT("fields"),
			       "category 1 needs fields, an array");
		return KH_OK;
	}
	if (n == 0 || n > KH_FIELD_COUNT) {
		kh_reasons_add(errors, n ? "too_many" : "empty", KH_LIT("fields"), "expected 1 to %d fields, got %zu",
			       KH_FIELD_COUNT, n);
		return KH_OK;
	}
	struct kh_field *all = KH_NEW_N(arena, struct kh_field, n);
	if (all == NULL)
		return KH_ENOMEM;
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct reader r = {arena, errors, kh_member_item(arena, "fields", i)};
		enum kh_err e = read_one(&r, item, &all[i++]);
		if (e != KH_OK)
			return e;
	}
	check_names(arena, all, n, errors);
	*ret_fields = all;
	*ret_count = n;
	return KH_OK;
}

yyjson_mut_val *kh_field_write(const struct kh_field *field, yyjson_mut_doc *doc)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "name", field->name);
	yyjson_mut_obj_add_str(doc, obj, "type", type_names[field->type]);
	if (field->type == KH_FIELD_ENUM) {
		yyjson_mut_val *values = yyjson_mut_obj_add_arr(doc, obj, "values");
		for (size_t i = 0; i < field->value_count; i++)
			yyjson_mut_arr_add_strn(doc, values, field->values[i].p, field->values[i].n);
	} else if (field->type == KH_FIELD_INTEGER) {
		yyjson_mut_obj_add_sint(doc, obj, "min", field->min);
		yyjson_mut_obj_add_sint(doc, obj, "max", field->max);
	}
	if (field->repeat > 1)
		yyjson_mut_obj_add_uint(doc, obj, "repeat", field->repeat);
	return obj;
}
