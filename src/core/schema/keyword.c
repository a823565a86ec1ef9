/*
 * The table of keywords and their readers.  A reader takes a value of any type and reports what it cannot use: nothing
 * is ignored, because a keyword that has no effect would let through what it was to keep out.
 */
#include "core/schema/keyword.h"

#include "base/nearest.h"
#include "core/schema/format.h"
#include "core/schema/regex.h"

#include <stddef.h>

#define STATES 65536 /* of all patterns of a schema */

static void *member_of(struct kh_node *node, const struct kh_keyword *self)
{
	return (char *)node + self->offset;
}

static unsigned read_type_name(struct kh_compiling *c, yyjson_val *val, const struct kh_pointer *at)
{
	unsigned type = kh_node_type(kh_json_str(val));

	if (type == 0)
		kh_compile_fault(c, at, "schema_value",
				 "expected null, boolean, object, array, number, string or integer");
	return type;
}

static void read_type(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
		      const struct kh_pointer *at)
{
	yyjson_val *item;
	size_t i, n;

	(void)self;
	if (!yyjson_is_arr(val)) {
		node->types = read_type_name(c, val, at);
		return;
	}
	if (yyjson_arr_size(val) == 0)
		kh_compile_fault(c, at, "schema_value", "expected at least one type");
	yyjson_arr_foreach (val, i, n, item)
		node->types |= read_type_name(c, item, at);
}

static void read_count(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
		       const struct kh_pointer *at)
{
	int64_t count;

	if (!yyjson_is_num(val))
		kh_compile_expected(c, at, "an integer from 0 on", val);
	else if (!kh_decimal_int(kh_decimal_of(val), &count) || count < 0)
		kh_compile_fault(c, at, "schema_value", "expected an integer from 0 on");
	else
		*(uint64_t *)member_of(node, self) = (uint64_t)count;
}

static void read_number(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
			const struct kh_pointer *at)
{
	struct kh_decimal *number = KH_NEW(c->arena, struct kh_decimal);

	if (!yyjson_is_num(val)) {
		kh_compile_expected(c, at, "a number", val);
	} else if (number != NULL) {
		*number = kh_decimal_of(val);
		*(const struct kh_decimal **)member_of(node, self) = number;
	}
}

static void read_step(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
		      const struct kh_pointer *at)
{
	read_number(c, node, self, val, at);
	if (node->step != NULL && (node->step->negative || node->step->digits == 0))
		kh_compile_fault(c, at, "schema_value", "expected a number above 0");
}

static void read_schema(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
			const struct kh_pointer *at)
{
	*(const struct kh_node **)member_of(node, self) = kh_compile_node(c, val, at);
}

static void read_unevaluated(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self,
			     yyjson_val *val, const struct kh_pointer *at)
{
	c->schema->tracks = true;
	read_schema(c, node, self, val, at);
}

static void read_schemas(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
			 const struct kh_pointer *at)
{
	struct kh_node_list list = {.n = yyjson_arr_size(val)};
	yyjson_val *item;
	size_t i, n;

	if (!yyjson_is_arr(val) || list.n == 0) {
		kh_compile_expected(c, at, "a list of schemas that is not empty", val);
		return;
	}
	list.at = KH_NEW_N(c->arena, const struct kh_node *, list.n);
	if (list.at == NULL)
		return;
	yyjson_arr_foreach (val, i, n, item)
		list.at[i] = kh_compile_node(c, item, kh_compile_step(c, at, (struct kh_view){NULL, 0}, i));
	*(struct kh_node_list *)member_of(node, self) = list;
}

/* $defs: schemas that are used only if something refers to them. */
static void read_definitions(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self,
			     yyjson_val *val, const struct kh_pointer *at)
{
	yyjson_val *key, *schema;
	size_t i, n;

	(void)node;
	(void)self;
	if (!yyjson_is_obj(val))
		kh_compile_expected(c, at, "an object of schemas", val);
	else
		yyjson_obj_foreach (val, i, n, key, schema)
			(void)kh_compile_node(c, schema, kh_compile_step(c, at, kh_json_str(key), 0));
}

static void read_enum(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
		      const struct kh_pointer *at)
{
	(void)self;
	if (!yyjson_is_arr(val))
		kh_compile_expected(c, at, "a list of values", val);
	node->listed = val;
}

static void read_const(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
		       const struct kh_pointer *at)
{
	(void)c;
	(void)self;
	(void)at;
	node->constant = val;
}

static void read_unique(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
			const struct kh_pointer *at)
{
	(void)self;
	if (!yyjson_is_bool(val))
		kh_compile_expected(c, at, "true or false", val);
	node->is_unique = yyjson_is_true(val);
}

static const struct kh_regex *regex_new(struct kh_compiling *c, struct kh_view text, const struct kh_pointer *at)
{
	struct kh_error err = {.offset = SIZE_MAX};
	const struct kh_regex *regex = NULL;
	enum kh_err e = kh_regex_new(c->arena, text, &regex, &err);

	if (e == KH_EREFUSED || e == KH_ELIMIT)
		kh_compile_fault(c, at, err.code, "%s", err.detail);
	if (e != KH_OK)
		return NULL;
	c->states += kh_regex_states(regex);
	if (c->states > STATES)
		kh_compile_fault(c, at, "schema_limit", "the patterns have more than %d states together", STATES);
	if (kh_regex_states(regex) > c->schema->regex_most)
		c->schema->regex_most = kh_regex_states(regex);
	return regex;
}

static void read_pattern(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
			 const struct kh_pointer *at)
{
	(void)self;
	if (!yyjson_is_str(val)) {
		kh_compile_expected(c, at, "a pattern", val);
		return;
	}
	node->pattern = kh_json_str(val);
	node->regex = regex_new(c, node->pattern, at);
}

static void read_patterns(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
			  const struct kh_pointer *at)
{
	struct kh_node_pattern *patterns = KH_NEW_N(c->arena, struct kh_node_pattern, yyjson_obj_size(val));
	yyjson_val *key, *schema;
	size_t i, n;

	(void)self;
	if (!yyjson_is_obj(val)) {
		kh_compile_expected(c, at, "an object of schemas", val);
		return;
	}
	if (patterns == NULL)
		return;
	yyjson_obj_foreach (val, i, n, key, schema) {
		const struct kh_pointer *below = kh_compile_step(c, at, kh_json_str(key), 0);
		patterns[i].regex = regex_new(c, kh_json_str(key), below);
		patterns[i].schema = kh_compile_node(c, schema, below);
	}
	node->patterns = patterns;
	node->n_patterns = yyjson_obj_size(val);
}

static void read_format(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
			const struct kh_pointer *at)
{
	struct kh_view name = kh_json_str(val);

	(void)self;
	if (!yyjson_is_str(val)) {
		kh_compile_expected(c, at, "the name of a format", val);
		return;
	}
	node->format = kh_schema_format_find(name);
	if (node->format == NULL) {
		struct kh_view shown = kh_arena_quote(c->arena, name);
		kh_reasons_add(&c->schema->notes, "format_unchecked", kh_pointer_text(c->arena, at),
			       "the format %.*s is not checked", KH_FMT(shown));
	}
}

static void read_items(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
		       const struct kh_pointer *at)
{
	static const struct kh_keyword first = {.name = "items", .offset = offsetof(struct kh_node, first)};

	if (!yyjson_is_arr(val))
		read_schema(c, node, self, val, at);
	else if (c->drafts == KH_COMPILE_2020 || kh_json_get(node->val, "prefixItems") != NULL)
		kh_compile_fault(c, at, "schema_value", "expected a schema; a list of schemas is prefixItems");
	else if (yyjson_arr_size(val) > 0)
		read_schemas(c, node, &first, val, at);
}

/* Says something only beside a list of schemas as items; alone it has no effect in the drafts that have it. */
static void read_additional_items(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self,
				  yyjson_val *val, const struct kh_pointer *at)
{
	const struct kh_node *schema = kh_compile_node(c, val, at);

	(void)self;
	if (yyjson_is_arr(kh_json_get(node->val, "items")))
		node->items = schema;
	else if (kh_json_get(node->val, "prefixItems") != NULL)
		kh_compile_fault(c, at, "schema_keyword", "additionalItems says nothing beside prefixItems; use items");
}

static void read_ref(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
		     const struct kh_pointer *at)
{
	(void)self;
	if (!yyjson_is_str(val))
		kh_compile_expected(c, at, "a reference", val);
	else
		node->ref_text = kh_json_str(val);
}

static void read_anchor(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
			const struct kh_pointer *at)
{
	struct kh_view name = kh_json_str(val);
	struct kh_compile_anchor *anchors = kh_arena_more(c->arena, c->anchors, c->n_anchors, &c->anchors_cap,
							  sizeof(*anchors));

	(void)self;
	if (name.n == 0 || !kh_view_is_word(name, "-._") || !(kh_ascii_is_alpha(name.p[0]) || name.p[0] == '_'))
		kh_compile_fault(c, at, "schema_value", "expected a name of letters, digits, -, . and _");
	if (anchors == NULL)
		return;
	c->anchors = anchors;
	for (size_t i = 0; i < c->n_anchors; i++) {
		if (kh_view_eq(c->anchors[i].name, name))
			kh_compile_fault(c, at, "schema_reference", "another $anchor has this name");
	}
	c->anchors[c->n_anchors++] = (struct kh_compile_anchor){name, node};
}

/* $id and $schema name the whole schema.  Below it they would change what references mean. */
static void read_root_only(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
			   const struct kh_pointer *at)
{
	if (!yyjson_is_str(val))
		kh_compile_expected(c, at, "a URI", val);
	else if (node->at != NULL)
		kh_compile_fault(c, at, "schema_reference", "%s is known only at the top of a schema", self->name);
}

#define AT(member) offsetof(struct kh_node, member)

static const struct kh_keyword keywords[] = {
	{"type", KH_COMPILE_ALL, read_type, 0, true},
	{"enum", KH_COMPILE_ALL, read_enum, 0, true},
	{"const", KH_COMPILE_ALL, read_const, 0, true},
	{"properties", KH_COMPILE_ALL, NULL, 0, true}, /* names.c */
	{"required", KH_COMPILE_ALL, NULL, 0, true},
	{"dependentRequired", KH_COMPILE_LATER, NULL, 0, true},
	{"dependentSchemas", KH_COMPILE_LATER, NULL, 0, true},
	{"dependencies", KH_COMPILE_ALL, NULL, 0, true},
	{"patternProperties", KH_COMPILE_ALL, read_patterns, 0, true},
	{"additionalProperties", KH_COMPILE_ALL, read_schema, AT(additional), true},
	{"propertyNames", KH_COMPILE_ALL, read_schema, AT(member_names), true},
	{"minProperties", KH_COMPILE_ALL, read_count, AT(min_members), true},
	{"maxProperties", KH_COMPILE_ALL, read_count, AT(max_members), true},
	{"unevaluatedProperties", KH_COMPILE_LATER, read_unevaluated, AT(unevaluated_members), true},
	{"items", KH_COMPILE_ALL, read_items, AT(items), true},
	{"prefixItems", KH_COMPILE_2020, read_schemas, AT(first), true},
	{"additionalItems", KH_COMPILE_07 | KH_COMPILE_2019, read_additional_items, 0, true},
	{"contains", KH_COMPILE_ALL, read_schema, AT(contains), true},
	{"minContains", KH_COMPILE_LATER, read_count, AT(min_contains), true},
	{"maxContains", KH_COMPILE_LATER, read_count, AT(max_contains), true},
	{"minItems", KH_COMPILE_ALL, read_count, AT(min_items), true},
	{"maxItems", KH_COMPILE_ALL, read_count, AT(max_items), true},
	{"uniqueItems", KH_COMPILE_ALL, read_unique, 0, true},
	{"unevaluatedItems", KH_COMPILE_LATER, read_unevaluated, AT(unevaluated_items), true},
	{"minimum", KH_COMPILE_ALL, read_number, AT(least), true},
	{"maximum", KH_COMPILE_ALL, read_number, AT(most), true},
	{"exclusiveMinimum", KH_COMPILE_ALL, read_number, AT(above), true},
	{"exclusiveMaximum", KH_COMPILE_ALL, read_number, AT(below), true},
	{"multipleOf", KH_COMPILE_ALL, read_step, AT(step), true},
	{"minLength", KH_COMPILE_ALL, read_count, AT(min_length), true},
	{"maxLength", KH_COMPILE_ALL, read_count, AT(max_length), true},
	{"pattern", KH_COMPILE_ALL, read_pattern, 0, true},
	{"format", KH_COMPILE_ALL, read_format, 0, true},
	{"allOf", KH_COMPILE_ALL, read_schemas, AT(all), true},
	{"anyOf", KH_COMPILE_ALL, read_schemas, AT(any), true},
	{"oneOf", KH_COMPILE_ALL, read_schemas, AT(one), true},
	{"not", KH_COMPILE_ALL, read_schema, AT(no), true},
	{"if", KH_COMPILE_ALL, read_schema, AT(when), true},
	{"then", KH_COMPILE_ALL, read_schema, AT(then), true},
	{"else", KH_COMPILE_ALL, read_schema, AT(otherwise), true},
	{"$ref", KH_COMPILE_ALL, read_ref, 0, true},
	{"$anchor", KH_COMPILE_LATER, read_anchor, 0, false},
	{"$defs", KH_COMPILE_ALL, read_definitions, 0, false},
	{"definitions", KH_COMPILE_ALL, read_definitions, 0, false},
	{"$id", KH_COMPILE_ALL, read_root_only, 0, false},
	{"$schema", KH_COMPILE_ALL, read_root_only, 0, false},
	{"title", KH_COMPILE_ALL, NULL, 0, false}, /* from here on: annotations */
	{"description", KH_COMPILE_ALL, NULL, 0, false},
	{"default", KH_COMPILE_ALL, NULL, 0, false},
	{"examples", KH_COMPILE_ALL, NULL, 0, false},
	{"$comment", KH_COMPILE_ALL, NULL, 0, false},
	{"deprecated", KH_COMPILE_ALL, NULL, 0, false},
	{"readOnly", KH_COMPILE_ALL, NULL, 0, false},
	{"writeOnly", KH_COMPILE_ALL, NULL, 0, false},
	{"contentEncoding", KH_COMPILE_ALL, NULL, 0, false},
	{"contentMediaType", KH_COMPILE_ALL, NULL, 0, false},
	{"x-mcp-header", KH_COMPILE_ALL, NULL, 0, false}, /* of MCP: it says how a value is sent, not which */
};

const struct kh_keyword *kh_keyword_find(struct kh_view word)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if (kh_view_eq(word, kh_view_str(keywords[i].name)))
			return &keywords[i];
	}
	return NULL;
}

struct kh_view kh_keyword_nearest(struct kh_view word, unsigned drafts)
{
	struct kh_nearest near;

	kh_nearest_begin(&near, word);
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if ((keywords[i].drafts & drafts) != 0)
			kh_nearest_try(&near, kh_view_str(keywords[i].name));
	}
	return near.name;
}
