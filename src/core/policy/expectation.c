/*
 * Reads expected decisions.  YAML is converted to JSON first, value by value with its line, so that one function reads
 * a test of either form.  A file without a test is an error, because it would pass whatever the policy says.
 */
#include "core/policy/expectation.h"

#include "core/policy/decide.h"
#include "core/policy/outline.h"

#define CODE "tests_invalid"

struct reader {
	struct kh_outline_source source;
	struct kh_error *err;
	struct kh_expectations found;
};

static enum kh_err refuse(struct reader *r, unsigned line, struct kh_view what, struct kh_view expected)
{
	enum kh_err e = kh_outline_error(&r->source, line, SIZE_MAX, what, expected, r->err);

	if (e == KH_EINPUT)
		r->err->code = CODE;
	return e;
}

/* --- one test, as JSON -------------------------------------------------------------------------------------------- */

static const struct kh_words test_words = KH_WORDS("name", "request", "expect");
static const struct kh_words expect_words = KH_WORDS("decision", "gate", "code");

static enum kh_err check_members(struct reader *r, yyjson_val *obj, unsigned line, const char *what,
				 const struct kh_words *known)
{
	struct kh_view list = kh_words_list(r->source.arena, known);
	yyjson_val *stranger = kh_json_stranger(obj, known);

	if (!yyjson_is_obj(obj))
		return refuse(r, line, kh_view_str(what),
			      kh_arena_printf(r->source.arena, "an object of %.*s", KH_FMT(list)));
	if (stranger == NULL)
		return KH_OK;
	struct kh_view quoted = kh_arena_quote(r->source.arena, kh_json_str(stranger));
	return refuse(r, line, kh_arena_printf(r->source.arena, "%s: unknown member %.*s", what, KH_FMT(quoted)), list);
}

/* Reads a word of a table.  Other words are refused, because no decision ever has them. */
static enum kh_err take_word(struct reader *r, yyjson_val *expect, unsigned line, const char *member,
			     const struct kh_words *words, struct kh_view *ret_word)
{
	yyjson_val *val = kh_json_get(expect, member);

	if (val == NULL || kh_words_have(words, kh_json_str(val))) {
		*ret_word = kh_json_str(val);
		return KH_OK;
	}
	return refuse(r, line, kh_arena_printf(r->source.arena, "expect.%s", member),
		      kh_words_list(r->source.arena, words));
}

static enum kh_err take_expect(struct reader *r, yyjson_val *expect, struct kh_expectation *test)
{
	yyjson_val *code = kh_json_get(expect, "code");
	enum kh_err e = check_members(r, expect, test->line, "expect", &expect_words);

	if (e == KH_OK && kh_json_get(expect, "decision") == NULL)
		return refuse(r, test->line, KH_LIT("expect"), KH_LIT("the member decision in it"));
	if (e == KH_OK)
		e = take_word(r, expect, test->line, "decision", &kh_risk_ruling_words, &test->decision);
	if (e == KH_OK)
		e = take_word(r, expect, test->line, "gate", &kh_decide_gate_words, &test->gate);
	if (e == KH_OK && code != NULL && kh_json_str(code).n == 0)
		e = refuse(r, test->line, KH_LIT("expect.code"), KH_LIT("a code of docs/reference/CODES.md"));
	test->code = kh_json_str(code);
	return e;
}

static enum kh_err add_test(struct reader *r, yyjson_val *obj, unsigned line)
{
	yyjson_val *name = kh_json_get(obj, "name");
	struct kh_expectation test = {.line = line, .request = kh_json_get(obj, "request")};
	enum kh_err e = check_members(r, obj, line, "a test", &test_words);

	if (e == KH_OK && name != NULL && !yyjson_is_str(name))
		e = refuse(r, line, KH_LIT("name"), KH_LIT("text"));
	if (e == KH_OK && !yyjson_is_obj(test.request))
		e = refuse(r, line, KH_LIT("request"), KH_LIT("a request as of `keyhole policy explain`"));
	if (e == KH_OK)
		e = take_expect(r, kh_json_get(obj, "expect"), &test);
	if (e != KH_OK)
		return e;
	test.name = kh_json_str(name);
	r->found.at[r->found.n++] = test;
	return KH_OK;
}

static enum kh_err take_policy(struct reader *r, yyjson_val *val, unsigned line)
{
	if (!yyjson_is_str(val) || yyjson_get_len(val) == 0)
		return refuse(r, line, KH_LIT("policy"), KH_LIT("the path of a policy's file"));
	r->found.policy = kh_json_str(val);
	return KH_OK;
}

/* --- YAML --------------------------------------------------------------------------------------------------------- */

/* A scalar without quotes becomes the JSON value of that spelling, if there is one; everything else is text. */
static yyjson_mut_val *scalar(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_outline *node)
{
	struct kh_view text = node->text;
	yyjson_val *number;
	struct kh_error err;

	if (node->plain && (text.n == 0 || kh_view_eq(text, KH_LIT("null")) || kh_view_eq(text, KH_LIT("~"))))
		return yyjson_mut_null(doc);
	if (node->plain && (kh_view_eq(text, KH_LIT("true")) || kh_view_eq(text, KH_LIT("false"))))
		return yyjson_mut_bool(doc, text.p[0] == 't');
	if (node->plain && (kh_ascii_is_digit(text.p[0]) || text.p[0] == '-') &&
	    kh_json_read(arena, text, &number, &err) == KH_OK)
		return yyjson_val_mut_copy(doc, number);
	return yyjson_mut_strn(doc, text.n > 0 ? text.p : "", text.n);
}

/* Recursive: the depth of an outline is bounded. */
static yyjson_mut_val *json_of(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_outline *node)
{
	if (node->kind == KH_OUTLINE_SCALAR)
		return scalar(doc, arena, node);
	bool is_map = node->kind == KH_OUTLINE_MAP;
	yyjson_mut_val *out = is_map ? yyjson_mut_obj(doc) : yyjson_mut_arr(doc);
	for (const struct kh_outline *child = node->first; child != NULL; child = child->next) {
		yyjson_mut_val *val = json_of(doc, arena, child);
		if (is_map)
			yyjson_mut_obj_add(out, yyjson_mut_strn(doc, child->key.p, child->key.n), val);
		else
			yyjson_mut_arr_append(out, val);
	}
	return out;
}

/* NODE as JSON; duplicate members and the like are refused. */
static enum kh_err convert(struct reader *r, const struct kh_outline *node, yyjson_val **ret_val)
{
	struct kh_arena *arena = r->source.arena;
	yyjson_mut_doc *doc = kh_json_new(arena);
	struct kh_error err;

	if (doc == NULL)
		return KH_ENOMEM;
	enum kh_err e = kh_json_freeze(arena, json_of(doc, arena, node), ret_val, &err);
	if (e == KH_OK || e == KH_ENOMEM)
		return e;
	return refuse(r, node->line, kh_view_str(err.detail), KH_LIT("a test"));
}

static enum kh_err read_tests(struct reader *r, const struct kh_outline *list)
{
	enum kh_err e = KH_OK;

	if (list->kind != KH_OUTLINE_LIST)
		return refuse(r, list->line, KH_LIT("tests"), KH_LIT("a list of tests"));
	r->found.at = KH_NEW_N(r->source.arena, struct kh_expectation, list->count);
	if (r->found.at == NULL)
		return KH_ENOMEM;
	for (const struct kh_outline *item = list->first; e == KH_OK && item != NULL; item = item->next) {
		yyjson_val *val;
		e = convert(r, item, &val);
		if (e == KH_OK)
			e = add_test(r, val, item->line);
	}
	return e;
}

static enum kh_err read_yaml(struct reader *r, struct kh_view text)
{
	const struct kh_outline *root;
	enum kh_err e = kh_outline_read(&r->source, text, &root, r->err);

	if (e == KH_EINPUT)
		r->err->code = CODE;
	if (e != KH_OK)
		return e;
	if (root->kind != KH_OUTLINE_MAP)
		return refuse(r, root->line, KH_LIT("the file"), KH_LIT("a map of policy and tests"));
	for (const struct kh_outline *child = root->first; e == KH_OK && child != NULL; child = child->next) {
		yyjson_val *val;
		if (kh_view_eq(child->key, KH_LIT("tests")) && r->found.at == NULL) {
			e = read_tests(r, child);
		} else if (kh_view_eq(child->key, KH_LIT("policy")) && r->found.policy.p == NULL) {
			e = convert(r, child, &val);
			if (e == KH_OK)
				e = take_policy(r, val, child->key_line);
		} else {
			struct kh_view quoted = kh_arena_quote(r->source.arena, child->key);
			e = refuse(r, child->key_line, kh_arena_printf(r->source.arena, "the key %.*s", KH_FMT(quoted)),
				   KH_LIT("policy and tests, each once"));
		}
	}
	return e;
}

/* --- JSON Lines --------------------------------------------------------------------------------------------------- */

static enum kh_err read_line(struct reader *r, struct kh_view text, unsigned line)
{
	yyjson_val *val;
	struct kh_error err;
	enum kh_err e = kh_json_read(r->source.arena, text, &val, &err);

	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK)
		return refuse(r, line, kh_view_str(err.detail), KH_LIT("one JSON object a line"));
	yyjson_val *policy = kh_json_get(val, "policy");
	if (policy != NULL && r->found.n == 0 && r->found.policy.p == NULL && yyjson_obj_size(val) == 1)
		return take_policy(r, policy, line);
	return add_test(r, val, line);
}

static enum kh_err read_lines(struct reader *r, struct kh_view text)
{
	struct kh_view rest = text, line;
	enum kh_err e = KH_OK;
	size_t count = 1;

	for (size_t i = 0; i < text.n; i++)
		count += text.p[i] == '\n';
	r->found.at = KH_NEW_N(r->source.arena, struct kh_expectation, count);
	if (r->found.at == NULL)
		return KH_ENOMEM;
	for (unsigned number = 1; e == KH_OK && kh_view_split(&rest, '\n', &line); number++) {
		if (kh_view_trim(line).n > 0)
			e = read_line(r, line, number);
	}
	return e;
}

enum kh_err kh_expectation_read(struct kh_arena *arena, struct kh_view text, struct kh_view file,
				struct kh_expectations *ret_expectations, struct kh_error *err)
{
	struct reader r = {.source = {.arena = arena, .file = file}, .err = err};
	bool is_json = kh_view_starts(kh_view_trim(text), KH_LIT("{"));
	enum kh_err e = is_json ? read_lines(&r, text) : read_yaml(&r, text);

	if (e == KH_OK && r.found.n == 0)
		e = refuse(&r, 1, KH_LIT("no test"), KH_LIT("at least one"));
	if (e == KH_ENOMEM || kh_arena_check(arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to read expected decisions");
	if (e == KH_OK)
		*ret_expectations = r.found;
	return e;
}
