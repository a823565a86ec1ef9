/*
 * Checks a value against a schema, member by member.  The schema is ours and trusted; the value can come from anybody.
 */
#include "rpc/schema.h"

#include "base/buf.h"
#include "base/utf8.h"

#define LISTED 512 /* bytes of a list of words in a message */

struct checking {
	struct kh_arena *arena;
	struct kh_error *err;
};

static enum kh_err check_value(const struct checking *c, yyjson_val *schema, yyjson_val *value, struct kh_view path);

#define FAULT(c, path, code, ...) \
	kh_error_member((c)->err, (path), kh_error_set((c)->err, KH_EINPUT, (code), __VA_ARGS__))

/* PATH.NAME made safe to show, because NAME can come from a client. */
static struct kh_view below(const struct checking *c, struct kh_view path, struct kh_view name)
{
	bool is_plain = name.n <= 64 && kh_view_is_word(name, "_-$");
	struct kh_view shown = is_plain ? name : kh_arena_quote(c->arena, name);

	if (path.n == 0)
		return shown;
	return kh_arena_printf(c->arena, "%.*s.%.*s", KH_FMT(path), KH_FMT(shown));
}

static bool is_of_type(const yyjson_val *value, struct kh_view type)
{
	int64_t number;

	if (kh_view_eq(type, KH_LIT("integer")))
		return kh_json_int(value, &number);
	return kh_view_eq(type, kh_view_str(kh_json_type(value)));
}

/* The value must have one of several types. */
static enum kh_err check_types(const struct checking *c, yyjson_val *types, yyjson_val *value, struct kh_view path)
{
	struct kh_view list = {"", 0};
	struct kh_buf buf;
	yyjson_val *type;
	size_t i, max;

	kh_buf_init(&buf, c->arena, LISTED);
	yyjson_arr_foreach (types, i, max, type) {
		if (is_of_type(value, kh_json_str(type)))
			return KH_OK;
		if (i > 0)
			kh_buf_lit(&buf, " or ");
		kh_buf_add(&buf, kh_json_str(type));
	}
	if (kh_buf_end(&buf, &list) == KH_ENOMEM)
		return KH_ENOMEM;
	return FAULT(c, path, "wrong_type", "expected %.*s, not %s", KH_FMT(list), kh_json_type(value));
}

static enum kh_err check_type(const struct checking *c, yyjson_val *schema, yyjson_val *value, struct kh_view path)
{
	yyjson_val *wanted = kh_json_get(schema, "type");
	struct kh_view type = kh_json_str(wanted);

	if (yyjson_is_arr(wanted))
		return check_types(c, wanted, value, path);
	if (type.p == NULL || is_of_type(value, type))
		return KH_OK;
	return FAULT(c, path, "wrong_type", "expected %s %.*s, not %s",
		     type.p[0] == 'i' || type.p[0] == 'o' || type.p[0] == 'a' ? "an" : "a", KH_FMT(type),
		     kh_json_type(value));
}

static bool equals(yyjson_val *a, yyjson_val *b)
{
	int64_t x, y;

	if (yyjson_is_str(a) && yyjson_is_str(b))
		return kh_view_eq(kh_json_str(a), kh_json_str(b));
	return kh_json_int(a, &x) && kh_json_int(b, &y) && x == y;
}

static enum kh_err check_enum(const struct checking *c, yyjson_val *schema, yyjson_val *value, struct kh_view path)
{
	yyjson_val *allowed = kh_json_get(schema, "enum"), *item;
	struct kh_view list = {"", 0};
	struct kh_buf buf;
	size_t i, max;

	if (allowed == NULL)
		return KH_OK;
	kh_buf_init(&buf, c->arena, LISTED);
	yyjson_arr_foreach (allowed, i, max, item) {
		if (equals(item, value))
			return KH_OK;
		if (i > 0)
			kh_buf_lit(&buf, ", ");
		if (yyjson_is_str(item))
			kh_buf_add(&buf, kh_json_str(item));
		else
			kh_buf_printf(&buf, "%lld", (long long)yyjson_get_sint(item));
	}
	if (kh_buf_end(&buf, &list) == KH_ENOMEM)
		return KH_ENOMEM;
	return FAULT(c, path, "bad_value", "expected one of: %.*s", KH_FMT(list));
}

static enum kh_err check_number(const struct checking *c, yyjson_val *schema, yyjson_val *value, struct kh_view path)
{
	int64_t number, min = INT64_MIN, max = INT64_MAX;

	if (!kh_json_int(value, &number))
		return KH_OK;
	(void)kh_json_int(kh_json_get(schema, "minimum"), &min);
	(void)kh_json_int(kh_json_get(schema, "maximum"), &max);
	if (number >= min && number <= max)
		return KH_OK;
	if (max == INT64_MAX)
		return FAULT(c, path, "out_of_range", "expected %lld or more", (long long)min);
	return FAULT(c, path, "out_of_range", "expected %lld to %lld", (long long)min, (long long)max);
}

/* How many COUNT of WHAT there are, against members LEAST and MOST of the schema; MANY: the code for too many. */
static enum kh_err check_count(const struct checking *c, yyjson_val *least, yyjson_val *most, size_t count,
			       struct kh_view path, const char *what, const char *many)
{
	int64_t min = 0, max = INT64_MAX;

	(void)kh_json_int(least, &min);
	(void)kh_json_int(most, &max);
	if ((int64_t)count < min)
		return FAULT(c, path, count == 0 ? "empty" : "too_short", "expected %lld %s or more", (long long)min,
			     what);
	if ((int64_t)count > max)
		return FAULT(c, path, many, "expected at most %lld %s", (long long)max, what);
	return KH_OK;
}

static enum kh_err check_text(const struct checking *c, yyjson_val *schema, yyjson_val *value, struct kh_view path)
{
	return check_count(c, kh_json_get(schema, "minLength"), kh_json_get(schema, "maxLength"),
			   kh_utf8_length(kh_json_str(value)), path, "characters", "too_long");
}

static enum kh_err check_array(const struct checking *c, yyjson_val *schema, yyjson_val *value, struct kh_view path)
{
	yyjson_val *items = kh_json_get(schema, "items"), *item;
	enum kh_err e = check_count(c, kh_json_get(schema, "minItems"), kh_json_get(schema, "maxItems"),
				    yyjson_arr_size(value), path, "items", "too_many");
	size_t i, n;

	if (items == NULL)
		return e;
	yyjson_arr_foreach (value, i, n, item) {
		struct kh_view at = kh_arena_printf(c->arena, "%.*s[%zu]", KH_FMT(path), i);
		if (e == KH_OK)
			e = check_value(c, items, item, at);
	}
	return e;
}

static enum kh_err check_members(const struct checking *c, yyjson_val *schema, yyjson_val *value, struct kh_view path)
{
	yyjson_val *properties = kh_json_get(schema, "properties"), *required = kh_json_get(schema, "required");
	bool closed = yyjson_is_false(kh_json_get(schema, "additionalProperties"));
	yyjson_val *key, *member, *name;
	enum kh_err e = KH_OK;
	size_t i, n;

	yyjson_arr_foreach (required, i, n, name) {
		if (kh_json_get(value, yyjson_get_str(name)) == NULL)
			return FAULT(c, below(c, path, kh_json_str(name)), "missing", "it must be there");
	}
	yyjson_obj_foreach (value, i, n, key, member) {
		struct kh_view word = kh_json_str(key), at = below(c, path, word);
		yyjson_val *of = yyjson_obj_getn(properties, word.p, word.n);
		if (e == KH_OK && of != NULL)
			e = check_value(c, of, member, at);
		else if (e == KH_OK && closed)
			e = FAULT(c, at, "unknown_member", "there is no such member here");
	}
	return e;
}

static enum kh_err check_value(const struct checking *c, yyjson_val *schema, yyjson_val *value, struct kh_view path)
{
	enum kh_err e = check_type(c, schema, value, path);

	if (e == KH_OK)
		e = check_enum(c, schema, value, path);
	if (e == KH_OK && yyjson_is_num(value))
		e = check_number(c, schema, value, path);
	if (e == KH_OK && yyjson_is_str(value))
		e = check_text(c, schema, value, path);
	if (e == KH_OK && yyjson_is_arr(value))
		e = check_array(c, schema, value, path);
	if (e == KH_OK && yyjson_is_obj(value))
		e = check_members(c, schema, value, path);
	return e;
}

enum kh_err kh_rpc_schema_check(struct kh_arena *arena, yyjson_val *schema, yyjson_val *value, struct kh_error *err)
{
	const struct checking c = {arena, err};
	enum kh_err e = check_value(&c, schema, value, KH_LIT(""));

	return e == KH_OK ? kh_arena_check(arena) : e;
}
