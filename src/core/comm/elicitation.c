/*
 * Forms of upstream servers.  All of the input is hostile; what comes out is a schema of ours, with every bound in it, and
 * a text in which no word of the server can pass for one of ours: its message stands behind bars, the rest is quoted.
 */
#include "core/comm/elicitation.h"

#include "base/buf.h"
#include "base/decimal.h"
#include "base/utf8.h"
#include "core/comm/secretive.h"

#define TEXT  (256U << 10)              /* bytes of the text; less than what a reviewer can be asked to read */
#define WHOLE INT64_C(9007199254740991) /* the largest bound of a number: 2^53 - 1 */

const struct kh_words kh_elicitation_words =
	KH_WORDS([KH_ELICITED_WAITS] = "wait", [KH_ELICITED_ACCEPT] = "accept", [KH_ELICITED_DECLINE] = "decline",
		 [KH_ELICITED_CANCEL] = "cancel");

/* The members that are known of each part; `default` is not used, and `_meta` is not read. */
static const struct kh_words of_choice = KH_WORDS("const", "title");
static const struct kh_words formats = KH_WORDS("email", "date", "date-time");
static const struct kh_words of_text = KH_WORDS("type", "title", "description", "default", "minLength", "maxLength",
						"format");
static const struct kh_words of_listed = KH_WORDS("type", "title", "description", "default", "enum", "enumNames",
						  "oneOf");
static const struct kh_words of_number = KH_WORDS("type", "title", "description", "default", "minimum", "maximum");
static const struct kh_words of_boolean = KH_WORDS("type", "title", "description", "default");
static const struct kh_words of_schema = KH_WORDS("$schema", "type", "properties", "required", "additionalProperties");
static const struct kh_words of_params = KH_WORDS("mode", "message", "requestedSchema", "_meta");

struct reading {
	struct kh_arena *arena;
	struct kh_error *err;
	yyjson_mut_doc *doc;
	struct kh_buf text;
	bool is_typed; /* a field can take what the human types */
	size_t needed;
};

static enum kh_err unfit(const struct reading *r, const char *why)
{
	return kh_error_set(r->err, KH_EREFUSED, "elicitation_unfit", "%s", why);
}

static enum kh_err secret(const struct reading *r)
{
	return kh_error_set(r->err, KH_EREFUSED, "elicitation_secret",
			    "it asks for a password, a key or another secret");
}

/* Refuses members of OBJ that are not among KNOWN. */
static enum kh_err check_members(const struct reading *r, yyjson_val *obj, const struct kh_words *known)
{
	if (!yyjson_is_obj(obj))
		return unfit(r, "a part of its form is not an object");
	return kh_json_stranger(obj, known) == NULL ? KH_OK : unfit(r, "its form has members that are not known");
}

/* --- a field ------------------------------------------------------------------------------------------------------ */

/* [A-Za-z_][A-Za-z0-9_.-]{0,63} */
static bool is_name(struct kh_view name)
{
	return name.n >= 1 && name.n <= 64 && (kh_ascii_is_alpha(name.p[0]) || name.p[0] == '_') &&
	       kh_view_is_word(name, "_.-");
}

/* A title or a description: optional, a text, and FINDS no word for a secret in it.  Goes into OUT, and into the text. */
static enum kh_err read_words(struct reading *r, yyjson_val *field, const char *key,
			      enum kh_err (*finds)(struct kh_arena *, struct kh_view, bool *), yyjson_mut_val *out)
{
	yyjson_val *val = kh_json_get(field, key);
	struct kh_view words = kh_json_str(val);
	bool is_secret;

	if (val == NULL)
		return KH_OK;
	if (!yyjson_is_str(val) || words.n > KH_ELICITATION_WORDS)
		return unfit(r, "a title or a description is not a short text");
	enum kh_err e = finds(r->arena, words, &is_secret);
	if (e != KH_OK)
		return e;
	if (is_secret)
		return secret(r);
	kh_json_add(r->doc, out, key, words);
	kh_buf_printf(&r->text, "  %s: %.*s\n", key,
		      KH_FMT(kh_arena_quote_most(r->arena, words, 4 * KH_ELICITATION_WORDS)));
	return KH_OK;
}

static bool is_choice(const yyjson_val *val)
{
	struct kh_view text = kh_json_str(val);

	return text.n >= 1 && text.n <= KH_ELICITATION_CHOICE;
}

static bool has_text(yyjson_mut_val *list, struct kh_view text)
{
	yyjson_mut_val *item;
	size_t i, max;

	yyjson_mut_arr_foreach(list, i, max, item)
	{
		if (yyjson_mut_equals_strn(item, text.p, text.n))
			return true;
	}
	return false;
}

/* One value to choose, and what the server calls it, if it does. */
static enum kh_err add_choice(struct reading *r, yyjson_mut_val *list, yyjson_val *value, yyjson_val *title)
{
	struct kh_view text = kh_json_str(value), name = kh_json_str(title);

	if (!is_choice(value) || (title != NULL && !is_choice(title)))
		return unfit(r, "a value to choose is not a short text");
	if (has_text(list, text))
		return unfit(r, "a value to choose stands twice");
	yyjson_mut_arr_add_strn(r->doc, list, text.p, text.n);
	kh_buf_printf(&r->text, "  one of: %.*s",
		      KH_FMT(kh_arena_quote_most(r->arena, text, 4 * KH_ELICITATION_CHOICE)));
	if (title != NULL)
		kh_buf_printf(&r->text, ", which it calls %.*s",
			      KH_FMT(kh_arena_quote_most(r->arena, name, 4 * KH_ELICITATION_CHOICE)));
	kh_buf_byte(&r->text, '\n');
	return KH_OK;
}

/* `enum`, with `enumNames` or without, or `oneOf` with a title for each. */
static enum kh_err read_choices(struct reading *r, yyjson_val *field, yyjson_mut_val *out)
{
	yyjson_val *values = kh_json_get(field, "enum"), *named = kh_json_get(field, "oneOf");
	yyjson_val *names = kh_json_get(field, "enumNames"), *list = values != NULL ? values : named, *item;
	yyjson_mut_val *choices = yyjson_mut_obj_add_arr(r->doc, out, "enum");
	enum kh_err e = KH_OK;
	size_t i, max;

	if ((values != NULL && named != NULL) || (names != NULL && values == NULL) || !yyjson_is_arr(list) ||
	    yyjson_arr_size(list) == 0 || yyjson_arr_size(list) > KH_ELICITATION_CHOICES ||
	    (names != NULL && yyjson_arr_size(names) != yyjson_arr_size(values)))
		return unfit(r, "a list of values to choose is empty, too long or of no known form");
	yyjson_arr_foreach (list, i, max, item) {
		if (values == NULL)
			e = check_members(r, item, &of_choice);
		if (e == KH_OK)
			e = values != NULL
				    ? add_choice(r, choices, item, yyjson_arr_get(names, i))
				    : add_choice(r, choices, kh_json_get(item, "const"), kh_json_get(item, "title"));
		if (e != KH_OK)
			return e;
	}
	return KH_OK;
}

/* A length that is within what a human is asked to enter. */
static enum kh_err read_length(const struct reading *r, yyjson_val *field, const char *key, int64_t *length)
{
	yyjson_val *val = kh_json_get(field, key);
	int64_t n;

	if (val == NULL)
		return KH_OK;
	if (!kh_json_int(val, &n) || n < 0)
		return unfit(r, "a length is not a number from 0 on");
	*length = n < KH_ELICITATION_LENGTH ? n : KH_ELICITATION_LENGTH;
	return KH_OK;
}

static enum kh_err read_format(const struct reading *r, yyjson_val *field, yyjson_mut_val *out)
{
	yyjson_val *val = kh_json_get(field, "format");
	struct kh_view format = kh_json_str(val);
	bool is_secret;

	if (val == NULL)
		return KH_OK;
	enum kh_err e = kh_secretive_name(r->arena, format, &is_secret);
	if (e != KH_OK)
		return e;
	if (is_secret)
		return secret(r);
	if (kh_view_starts(format, KH_LIT("ur")) || kh_view_starts(format, KH_LIT("ir")))
		return kh_error_set(r->err, KH_EREFUSED, "elicitation_url", "it asks for a URL");
	if (!kh_words_have(&formats, format))
		return unfit(r, "a format is not email, date or date-time");
	kh_json_add(r->doc, out, "format", format);
	return KH_OK;
}

static enum kh_err read_text(struct reading *r, yyjson_val *field, yyjson_mut_val *out)
{
	bool is_listed = kh_json_get(field, "enum") != NULL || kh_json_get(field, "oneOf") != NULL;
	int64_t least = 0, most = KH_ELICITATION_LENGTH;
	enum kh_err e = check_members(r, field, is_listed ? &of_listed : &of_text);

	if (e == KH_OK && is_listed) {
		kh_buf_lit(&r->text, "a choice\n");
		return read_choices(r, field, out);
	}
	if (e == KH_OK)
		e = read_length(r, field, "minLength", &least);
	if (e == KH_OK)
		e = read_length(r, field, "maxLength", &most);
	if (e == KH_OK && least > most)
		e = unfit(r, "no text is as long as it asks for");
	if (e == KH_OK)
		e = read_format(r, field, out);
	if (e != KH_OK)
		return e;
	struct kh_view format = kh_json_str(kh_json_get(field, "format"));
	r->is_typed = true;
	yyjson_mut_obj_add_int(r->doc, out, "minLength", least);
	yyjson_mut_obj_add_int(r->doc, out, "maxLength", most);
	kh_buf_printf(&r->text, "a text of %lld to %lld characters%s%.*s\n", (long long)least, (long long)most,
		      format.n > 0 ? ", of the format " : "", KH_FMT(format));
	return KH_OK;
}

/* One bound of a number, or OWN if the server has none; within 2^53 either way. */
static enum kh_err read_bound(struct reading *r, yyjson_val *field, const char *key, int64_t own, yyjson_mut_val *out)
{
	yyjson_val *val = kh_json_get(field, key);
	char text[KH_DECIMAL_TEXT];
	struct kh_decimal bound;

	if (val != NULL && !yyjson_is_num(val))
		return unfit(r, "a bound is not a number");
	yyjson_mut_val *copy = val != NULL ? yyjson_val_mut_copy(r->doc, val) : yyjson_mut_sint(r->doc, own);
	if (val != NULL) {
		double d = yyjson_get_num(val);
		if (!(d >= -(double)WHOLE && d <= (double)WHOLE))
			return unfit(r, "a bound is past 2^53");
		bound = kh_decimal_of(val);
		kh_decimal_text(bound, text);
	}
	yyjson_mut_obj_add_val(r->doc, out, key, copy);
	if (val != NULL)
		kh_buf_printf(&r->text, ", %s %s", key, text);
	return KH_OK;
}

static enum kh_err read_number(struct reading *r, yyjson_val *field, yyjson_mut_val *out, bool is_integer)
{
	enum kh_err e = check_members(r, field, &of_number);

	r->is_typed = true;
	kh_buf_add(&r->text, is_integer ? KH_LIT("an integer") : KH_LIT("a number"));
	if (e == KH_OK)
		e = read_bound(r, field, "minimum", -WHOLE, out);
	if (e == KH_OK)
		e = read_bound(r, field, "maximum", WHOLE, out);
	kh_buf_byte(&r->text, '\n');
	return e;
}

static enum kh_err read_boolean(struct reading *r, yyjson_val *field)
{

	kh_buf_lit(&r->text, "true or false\n");
	return check_members(r, field, &of_boolean);
}

static enum kh_err read_type(struct reading *r, yyjson_val *field, yyjson_mut_val *out)
{
	struct kh_view type = kh_json_str(kh_json_get(field, "type"));

	kh_json_add(r->doc, out, "type", type);
	if (kh_view_eq(type, KH_LIT("string")))
		return read_text(r, field, out);
	if (kh_view_eq(type, KH_LIT("boolean")))
		return read_boolean(r, field);
	if (kh_view_eq(type, KH_LIT("integer")) || kh_view_eq(type, KH_LIT("number")))
		return read_number(r, field, out, type.p[0] == 'i');
	return unfit(r, "a field is not a text, a number, a boolean or a choice");
}

static enum kh_err read_field(struct reading *r, struct kh_view name, yyjson_val *field, bool is_needed,
			      yyjson_mut_val *properties)
{
	yyjson_mut_val *out = yyjson_mut_obj(r->doc);
	bool is_secret = false;

	if (!is_name(name))
		return unfit(r, "a field's name is not a name");
	enum kh_err e = kh_secretive_name(r->arena, name, &is_secret);
	if (e == KH_OK && is_secret)
		e = secret(r);
	if (e != KH_OK)
		return e;
	kh_buf_printf(&r->text, "%.*s%s: ", KH_FMT(name), is_needed ? " (needed)" : "");
	e = read_type(r, field, out);
	if (e == KH_OK)
		e = read_words(r, field, "title", kh_secretive_name, out);
	if (e == KH_OK)
		e = read_words(r, field, "description", kh_secretive_text, out);
	yyjson_mut_obj_add(properties, yyjson_mut_strn(r->doc, name.p, name.n), out);
	return e;
}

/* --- the form ----------------------------------------------------------------------------------------------------- */

/* Copies REQUIRED, which may be missing: each a field of PROPERTIES. */
static enum kh_err read_required(struct reading *r, yyjson_val *required, yyjson_val *properties, yyjson_mut_val *out)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(r->doc, out, "required");
	yyjson_val *item;
	size_t i, max;

	if (required != NULL && (!yyjson_is_arr(required) || yyjson_arr_size(required) > KH_ELICITATION_FIELDS))
		return unfit(r, "the list of needed fields is not one");
	yyjson_arr_foreach (required, i, max, item) {
		struct kh_view name = kh_json_str(item);
		if (name.n == 0 || yyjson_obj_getn(properties, name.p, name.n) == NULL || has_text(list, name))
			return unfit(r, "a needed field is not there, or stands twice");
		yyjson_mut_arr_add_strn(r->doc, list, name.p, name.n);
	}
	r->needed = yyjson_mut_arr_size(list);
	return KH_OK;
}

static bool is_required(yyjson_val *required, struct kh_view name)
{
	yyjson_val *item;
	size_t i, max;

	yyjson_arr_foreach (required, i, max, item) {
		if (kh_view_eq(kh_json_str(item), name))
			return true;
	}
	return false;
}

static enum kh_err read_schema(struct reading *r, yyjson_val *schema, yyjson_mut_val *out)
{
	yyjson_val *properties = kh_json_get(schema, "properties"), *required = kh_json_get(schema, "required"), *key;
	yyjson_val *others = kh_json_get(schema, "additionalProperties");
	yyjson_obj_iter iter;
	enum kh_err e = check_members(r, schema, &of_schema);

	if (e == KH_OK && (!kh_view_eq(kh_json_str(kh_json_get(schema, "type")), KH_LIT("object")) ||
			   !yyjson_is_obj(properties) || (others != NULL && !yyjson_is_false(others))))
		e = unfit(r, "its form is not an object of fields");
	if (e == KH_OK && yyjson_obj_size(properties) > KH_ELICITATION_FIELDS)
		e = unfit(r, "its form has too many fields");
	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_str(r->doc, out, "type", "object");
	yyjson_mut_obj_add_bool(r->doc, out, "additionalProperties", false);
	yyjson_mut_val *fields = yyjson_mut_obj_add_obj(r->doc, out, "properties");
	e = read_required(r, required, properties, out);
	yyjson_obj_iter_init(properties, &iter);
	while (e == KH_OK && (key = yyjson_obj_iter_next(&iter)) != NULL)
		e = read_field(r, kh_json_str(key), yyjson_obj_iter_get_val(key),
			       is_required(required, kh_json_str(key)), fields);
	return e;
}

/* The server's message, each line behind a bar. */
static void write_message(struct reading *r, struct kh_view message)
{
	struct kh_view line;

	while (kh_view_split(&message, '\n', &line)) {
		kh_buf_lit(&r->text, "| ");
		kh_buf_add(&r->text, line);
		kh_buf_byte(&r->text, '\n');
	}
}

static enum kh_err read_params(struct reading *r, yyjson_val *params, yyjson_mut_val *out)
{
	yyjson_val *mode = kh_json_get(params, "mode");
	struct kh_view message = kh_json_str(kh_json_get(params, "message"));
	bool is_secret = false;
	enum kh_err e = KH_OK;

	if (kh_view_eq(kh_json_str(mode), KH_LIT("url")) || kh_json_get(params, "url") != NULL)
		return kh_error_set(r->err, KH_EREFUSED, "elicitation_url", "it wants a URL to be opened");
	if (mode != NULL && !kh_view_eq(kh_json_str(mode), KH_LIT("form")))
		return unfit(r, "its mode is not known");
	e = check_members(r, params, &of_params);
	if (e == KH_OK && (message.p == NULL || message.n > KH_ELICITATION_MESSAGE))
		e = unfit(r, "its message is missing or too long");
	if (e != KH_OK)
		return e;
	kh_buf_lit(&r->text, "Message:\n");
	write_message(r, message);
	kh_buf_lit(&r->text, "Fields:\n");
	e = read_schema(r, kh_json_get(params, "requestedSchema"), out);
	if (e == KH_OK && r->is_typed)
		e = kh_secretive_text(r->arena, message, &is_secret);
	return e == KH_OK && is_secret ? secret(r) : e;
}

enum kh_err kh_elicitation_read(struct kh_arena *arena, struct kh_tainted params,
				struct kh_elicitation *ret_elicitation, struct kh_error *err)
{
	struct reading r = {.arena = arena, .err = err, .doc = kh_json_new(arena)};
	struct kh_elicitation made = {.needed = 0};
	yyjson_mut_val *out = yyjson_mut_obj(r.doc);
	yyjson_val *root = NULL;

	if (kh_tainted_size(params) > KH_ELICITATION_PARAMS)
		return unfit(&r, "its request is too long");
	enum kh_err e = kh_json_read(arena, kh_tainted_open(params), &root, err);
	if (e == KH_EINPUT || e == KH_ELIMIT)
		return unfit(&r, "its request is not JSON of a known form");
	kh_buf_init(&r.text, arena, TEXT);
	if (e == KH_OK)
		e = read_params(&r, root, out);
	if (e == KH_OK)
		e = kh_canonical_mut(arena, out, &made.schema, err);
	if (e == KH_EINPUT)
		return unfit(&r, "a number of its form has no canonical form");
	if (e == KH_OK)
		e = kh_buf_end(&r.text, &made.text);
	if (e != KH_OK)
		return e;
	made.needed = r.needed;
	*ret_elicitation = made;
	return kh_arena_check(arena);
}

/* --- what was entered --------------------------------------------------------------------------------------------- */

/* TEXT as a value of TYPE, if it reads as one; NULL: it does not. */
static yyjson_mut_val *read_typed(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view type, struct kh_view text)
{
	bool is_number = kh_view_eq(type, KH_LIT("integer")) || kh_view_eq(type, KH_LIT("number"));
	yyjson_val *val = NULL;

	if (!is_number && !kh_view_eq(type, KH_LIT("boolean")))
		return NULL;
	if (kh_json_read(arena, text, &val, NULL) != KH_OK || (is_number ? !yyjson_is_num(val) : !yyjson_is_bool(val)))
		return NULL;
	return yyjson_val_mut_copy(doc, val);
}

enum kh_err kh_elicitation_values(struct kh_arena *arena, struct kh_view schema, struct kh_tainted values,
				  struct kh_view *ret_values, struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *out = yyjson_mut_obj(doc);
	yyjson_val *form = NULL, *root = NULL, *key;
	struct kh_view json = {NULL, 0};
	yyjson_obj_iter iter;

	if (kh_tainted_size(values) > KH_ELICITATION_VALUES)
		return kh_error_set(err, KH_ELIMIT, "too_long", "all values together have more than %u bytes",
				    KH_ELICITATION_VALUES);
	enum kh_err e = kh_json_read(arena, schema, &form, err);
	if (e == KH_OK)
		e = kh_json_read(arena, kh_tainted_open(values), &root, err);
	if (e != KH_OK)
		return e;
	if (!yyjson_is_obj(root))
		return kh_error_set(err, KH_EINPUT, "wrong_type", "values are an object: a member for each field");
	yyjson_obj_iter_init(root, &iter);
	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		yyjson_val *val = yyjson_obj_iter_get_val(key);
		struct kh_view name = kh_json_str(key), text = kh_json_str(val);
		yyjson_val *field = yyjson_obj_getn(kh_json_get(form, "properties"), name.p, name.n);
		yyjson_mut_val *typed = text.p != NULL
						? read_typed(arena, doc, kh_json_str(kh_json_get(field, "type")), text)
						: NULL;
		yyjson_mut_obj_add(out, yyjson_mut_strn(doc, name.p, name.n),
				   typed != NULL ? typed : yyjson_val_mut_copy(doc, val));
	}
	e = kh_canonical_mut(arena, out, &json, err);
	if (e == KH_OK)
		*ret_values = json;
	return e;
}
