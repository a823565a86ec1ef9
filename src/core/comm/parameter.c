/*
 * The rules for parameters.  Values come from an agent that untrusted text may have influenced.  A value that passes
 * has the right shape and nothing hidden in it; policy and executor decide later whether it is allowed.
 */
#include "core/comm/parameter.h"

#include "base/utf8.h"
#include "core/comm/strict.h"
#include "core/comm/url.h"
#include "core/comm/vague.h"

#define VALUE_MAX 65536 /* bytes of one value to bind, or of one argument */

/* The text of PARAMETER, not empty and at most MAX bytes; {NULL, 0} and a report otherwise. */
static struct kh_view text_of(const struct kh_parameter *parameter, size_t max, struct kh_reasons *errors)
{
	struct kh_view text = kh_strict_text(errors, parameter->path, parameter->value);

	if (text.p == NULL)
		return text;
	if (text.n > 0 && text.n <= max)
		return text;
	if (text.n == 0)
		kh_reasons_add(errors, "empty", parameter->path, "must not be empty");
	else
		kh_reasons_add(errors, "too_long", parameter->path, "has %zu bytes, at most %zu are allowed", text.n,
			       max);
	return (struct kh_view){NULL, 0};
}

/* Whether a character of TEXT is invisible, because a reviewer could not see it. */
static bool hides(struct kh_view text)
{
	uint32_t c;
	size_t len;

	for (size_t at = 0; (len = kh_utf8_decode(text, at, &c)) > 0; at += len) {
		if (kh_utf8_is_invisible(c))
			return true;
	}
	return false;
}

static bool is_made_of(struct kh_view text, const char *more)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (!kh_ascii_is_alpha(c) && !kh_ascii_is_digit(c) && (c == '\0' || strchr(more, c) == NULL))
			return false;
	}
	return true;
}

/*
 * Whether a segment of TEXT is "..", with either kind of slash, because another program may take a backslash for a
 * separator.
 */
static bool climbs(struct kh_view text)
{
	size_t start = 0;

	for (size_t i = 0; i <= text.n; i++) {
		if (i < text.n && text.p[i] != '/' && text.p[i] != '\\')
			continue;
		if (kh_view_eq(kh_view_sub(text, start, i), KH_LIT("..")))
			return true;
		start = i + 1;
	}
	return false;
}

/*
 * The same for a URI.  Escapes are undone, because a server may undo them, and the path ends at a question mark or a
 * number sign.
 */
static bool uri_climbs(struct kh_view text)
{
	size_t dots = 0, others = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (c == '%' && i + 2 < text.n && kh_ascii_hex(text.p[i + 1]) >= 0 &&
		    kh_ascii_hex(text.p[i + 2]) >= 0) {
			c = (char)(kh_ascii_hex(text.p[i + 1]) << 4 | kh_ascii_hex(text.p[i + 2]));
			i += 2;
		}
		if (c != '\0' && strchr("/\\:?#", c) != NULL) {
			if (dots == 2 && others == 0)
				return true;
			dots = others = 0;
		} else {
			dots += c == '.';
			others += c != '.';
		}
	}
	return dots == 2 && others == 0;
}

/* Whether TEXT begins with a scheme, and something follows it. */
static bool is_absolute(struct kh_view text)
{
	size_t colon = kh_view_find(text, KH_LIT(":"), 0);

	if (colon == SIZE_MAX || colon + 1 == text.n || !kh_ascii_is_alpha(text.p[0]))
		return false;
	return is_made_of(kh_view_sub(text, 0, colon), "+.-");
}

static void check_uri(const struct kh_parameter *parameter, struct kh_view text, struct kh_reasons *errors)
{
	if (!is_absolute(text))
		kh_reasons_add(errors, "bad_uri", parameter->path,
			       "expected an absolute URI, with its scheme: file:///srv/plan.txt");
	else if (!kh_utf8_is_visible(text) || memchr(text.p, ' ', text.n) != NULL)
		kh_reasons_add(errors, "bad_uri", parameter->path,
			       "expected a URI without blanks, control or invisible characters");
	else if (uri_climbs(text))
		kh_reasons_add(errors, "bad_uri", parameter->path, "expected a URI without a .. segment");
}

static enum kh_err check_query(const struct kh_parameter *parameter, struct kh_view text, struct kh_reasons *errors)
{
	struct kh_vague vague;
	enum kh_err e = kh_vague_measure(errors->arena, text, KH_LIT(""), &vague);

	if (e == KH_OK && vague.telling == 0)
		kh_reasons_add(errors, "vague", parameter->path,
			       "a search for filler words only: say what is searched for");
	return e;
}

static void check_scope(const struct kh_parameter *parameter, struct kh_reasons *errors)
{
	struct kh_view text = text_of(parameter, 64, errors);

	if (text.p != NULL && !kh_words_have(&kh_operation_scope_words, text))
		kh_reasons_add(errors, "bad_value", parameter->path, "expected web, internal or database");
}

static void check_limit(const struct kh_parameter *parameter, size_t max, struct kh_reasons *errors)
{
	int64_t limit;

	if (!yyjson_is_num(parameter->value))
		kh_reasons_add(errors, "wrong_type", parameter->path, "expected an integer, not %s",
			       kh_json_type(parameter->value));
	else if (!kh_json_int(parameter->value, &limit) || limit < 1 || limit > (int64_t)max)
		kh_reasons_add(errors, "out_of_range", parameter->path, "expected an integer from 1 to %zu", max);
}

static void check_url(const struct kh_parameter *parameter, struct kh_view text, struct kh_reasons *errors)
{
	struct kh_error err;
	struct kh_url url;

	if (kh_url_read(text, &url, &err) != KH_OK)
		kh_reasons_add(errors, err.code, parameter->path, "%s", err.detail);
}

/* K8: true if VAL is meant as a reference to sealed content; reports what is wrong with it. */
static bool is_reference(struct kh_view path, yyjson_val *val, struct kh_reasons *errors)
{
	yyjson_val *block = kh_json_get(val, "$block");

	if (block == NULL)
		return false;
	if (!yyjson_is_str(block) || kh_json_str(block).n == 0)
		kh_reasons_add(errors, "bad_value", path, "$block must be the id of a sealed block");
	else if (yyjson_obj_size(val) != 1)
		kh_reasons_add(errors, "bad_value", path, "a reference to a block has no member but $block");
	return true;
}

/* Checks one value of a list: a string without NUL or, if SCALARS, any other value that is not a container. */
static void check_item(struct kh_view path, yyjson_val *item, bool scalars, struct kh_reasons *errors)
{
	struct kh_view text = kh_json_str(item);

	if (is_reference(path, item, errors))
		return;
	if (!yyjson_is_str(item) && (!scalars || yyjson_is_ctn(item)))
		kh_reasons_add(errors, "wrong_type", path, "expected %s, not %s",
			       scalars ? "a string, number, boolean or null" : "a string", kh_json_type(item));
	if (text.n > VALUE_MAX)
		kh_reasons_add(errors, "too_long", path, "has %zu bytes, at most %d are allowed", text.n, VALUE_MAX);
	if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
		kh_reasons_add(errors, "bad_value", path, "holds a NUL character");
}

static void check_list(const struct kh_parameter *parameter, size_t max, bool scalars, struct kh_reasons *errors)
{
	yyjson_val *list = parameter->value, *key, *item;
	bool object = scalars && yyjson_is_obj(list);
	size_t i, n;

	if (kh_json_get(list, "$block") != NULL) {
		kh_reasons_add(errors, "bad_value", parameter->path,
			       "a reference to a block stands for one value, not for the list");
		return;
	}
	if (!object && !yyjson_is_arr(list)) {
		kh_reasons_add(errors, "wrong_type", parameter->path, "expected an array%s, not %s",
			       scalars ? " or an object" : "", kh_json_type(list));
		return;
	}
	if (yyjson_get_len(list) > max) {
		kh_reasons_add(errors, "too_many", parameter->path, "has %zu items, at most %zu are allowed",
			       yyjson_get_len(list), max);
		return;
	}
	if (object) {
		yyjson_obj_foreach (list, i, n, key, item)
			check_item(kh_strict_path(errors->arena, parameter->path, kh_json_str(key)), item, true,
				   errors);
	} else {
		yyjson_arr_foreach (list, i, n, item)
			check_item(kh_strict_index(errors->arena, parameter->path, i), item, scalars, errors);
	}
}

/* Checks the kinds that are text; the value is present. */
static enum kh_err check_text(const struct kh_parameter_spec *spec, const struct kh_parameter *parameter,
			      struct kh_view text, struct kh_reasons *errors)
{
	if (spec->kind == KH_PARAMETER_QUERY)
		return check_query(parameter, text, errors);
	if (spec->kind == KH_PARAMETER_URL)
		check_url(parameter, text, errors);
	else if (spec->kind == KH_PARAMETER_URI)
		check_uri(parameter, text, errors);
	else if (spec->kind == KH_PARAMETER_SERVER && !kh_operation_is_server(text))
		kh_reasons_add(errors, "bad_name", parameter->path,
			       "expected the name of an upstream server: [a-z0-9][a-z0-9-]{0,31}");
	else if (spec->kind == KH_PARAMETER_NAME && (!is_made_of(text, "_.-") || text.p[0] == '.' || text.p[0] == '-'))
		kh_reasons_add(errors, "bad_name", parameter->path, "not of the form [A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");
	else if (spec->kind == KH_PARAMETER_STATEMENT && memchr(text.p, '\0', text.n) != NULL)
		kh_reasons_add(errors, "bad_value", parameter->path, "holds a NUL character");
	else if (spec->kind == KH_PARAMETER_PATH && hides(text))
		kh_reasons_add(errors, "bad_path", parameter->path, "a path with control or invisible characters");
	else if (spec->kind == KH_PARAMETER_PATH && climbs(text))
		kh_reasons_add(errors, "bad_path", parameter->path, "a path with a .. segment");
	else if (spec->kind == KH_PARAMETER_COMMAND &&
		 (!is_made_of(text, "_./+@:-") || text.p[0] == '-' || climbs(text)))
		kh_reasons_add(errors, "bad_command", parameter->path,
			       "expected one word: what follows a command goes into args, and no shell reads it");
	return KH_OK;
}

enum kh_err kh_parameter_check(const struct kh_parameter_spec *spec, const struct kh_parameter *parameter,
			       struct kh_reasons *errors)
{
	enum kh_err e = KH_OK;
	struct kh_view text;

	switch (spec->kind) {
	case KH_PARAMETER_SCOPE:
		check_scope(parameter, errors);
		break;
	case KH_PARAMETER_LIMIT:
		check_limit(parameter, spec->max, errors);
		break;
	case KH_PARAMETER_VALUES:
	case KH_PARAMETER_ARGS:
		check_list(parameter, spec->max, spec->kind == KH_PARAMETER_VALUES, errors);
		break;
	case KH_PARAMETER_QUERY:
	case KH_PARAMETER_URL:
	case KH_PARAMETER_NAME:
	case KH_PARAMETER_STATEMENT:
	case KH_PARAMETER_PATH:
	case KH_PARAMETER_COMMAND:
	case KH_PARAMETER_SERVER:
	case KH_PARAMETER_URI:
		if (spec->kind == KH_PARAMETER_QUERY && is_reference(parameter->path, parameter->value, errors))
			break;
		text = text_of(parameter, spec->max, errors);
		if (text.p != NULL)
			e = check_text(spec, parameter, text, errors);
		break;
	}
	return e != KH_OK ? e : kh_arena_check(errors->arena);
}
