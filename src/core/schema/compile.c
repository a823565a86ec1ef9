/*
 * Walks a schema and makes nodes of it.  The JSON is at most KH_JSON_DEPTH deep, so the recursion is too.  The schema
 * comes from a server and is not trusted.
 */
#include "core/schema/compile.h"

#include "core/schema/keyword.h"
#include "core/schema/names.h"

void kh_compile_expected(struct kh_compiling *c, const struct kh_pointer *at, const char *expected,
			 const yyjson_val *val)
{
	kh_compile_fault(c, at, "schema_value", "expected %s, not %s", expected, kh_json_type(val));
}

const struct kh_pointer *kh_compile_step(struct kh_compiling *c, const struct kh_pointer *up, struct kh_view name,
					 size_t index)
{
	struct kh_pointer *step = KH_NEW(c->arena, struct kh_pointer);

	if (step != NULL)
		*step = (struct kh_pointer){up, name, index};
	return step;
}

static struct kh_node *node_new(struct kh_compiling *c, yyjson_val *val, const struct kh_pointer *at)
{
	struct kh_node **nodes, *node = NULL;

	if (c->n_nodes == KH_SCHEMA_NODES) {
		kh_compile_fault(c, at, "schema_limit", "more than %d schemas in one", KH_SCHEMA_NODES);
		return NULL;
	}
	nodes = kh_arena_more(c->arena, c->nodes, c->n_nodes, &c->nodes_cap, sizeof(*nodes));
	if (nodes != NULL)
		node = KH_NEW(c->arena, struct kh_node);
	if (node == NULL)
		return NULL;
	c->nodes = nodes;
	c->nodes[c->n_nodes++] = node;
	node->val = val;
	node->at = at;
	node->max_length = node->max_members = node->max_items = node->max_contains = UINT64_MAX;
	node->min_contains = 1;
	node->contains_counts = c->drafts != KH_COMPILE_2019;
	return node;
}

static void unknown_keyword(struct kh_compiling *c, struct kh_view word, const struct kh_pointer *at)
{
	struct kh_view shown = kh_arena_quote(c->errors->arena, word), near = kh_keyword_nearest(word, c->drafts);

	if (near.n > 0)
		kh_compile_fault(c, at, "schema_keyword", "the keyword %.*s is not known; did you mean %.*s?",
				 KH_FMT(shown), KH_FMT(near));
	else
		kh_compile_fault(c, at, "schema_keyword", "the keyword %.*s is not known", KH_FMT(shown));
}

/* Reads the keyword WORD of NODE; whether it says anything of a value. */
static bool read_keyword(struct kh_compiling *c, struct kh_node *node, struct kh_view word, yyjson_val *val,
			 const struct kh_pointer *at)
{
	const struct kh_keyword *keyword = kh_keyword_find(word);
	const struct kh_pointer *own = kh_compile_step(c, at, word, 0);

	if (keyword == NULL) {
		unknown_keyword(c, word, own);
	} else if ((keyword->drafts & c->drafts) == 0) {
		kh_compile_fault(c, own, "schema_keyword", "%s is not a keyword of the draft that $schema names",
				 keyword->name);
	} else if (++c->keywords > KH_SCHEMA_KEYWORDS) {
		kh_compile_fault(c, own, "schema_limit", "more than %d keywords", KH_SCHEMA_KEYWORDS);
	} else if (own != NULL && keyword->read != NULL) {
		keyword->read(c, node, keyword, val, own);
	}
	return keyword != NULL && keyword->is_assertion;
}

static void read_keywords(struct kh_compiling *c, struct kh_node *node)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(node->val);
	size_t assertions = 0;
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)) != NULL && !c->arena->failed && c->keywords <= KH_SCHEMA_KEYWORDS &&
	       c->n_nodes < KH_SCHEMA_NODES)
		assertions += read_keyword(c, node, kh_json_str(key), yyjson_obj_iter_get_val(key), node->at) ? 1 : 0;
	if (!c->arena->failed)
		kh_names_read(c, node);
	/* Draft 07 ignores what stands beside $ref, later ones do not, and libraries differ. */
	if (c->drafts == KH_COMPILE_07 && node->ref_text.p != NULL && assertions > 1)
		kh_compile_fault(c, kh_compile_step(c, node->at, KH_LIT("$ref"), 0), "schema_reference",
				 "draft-07 ignores the keywords beside $ref; put both into allOf");
}

const struct kh_node *kh_compile_node(struct kh_compiling *c, yyjson_val *val, const struct kh_pointer *at)
{
	struct kh_node *node = c->arena->failed ? NULL : node_new(c, val, at);

	if (node == NULL)
		return NULL;
	node->is_bool = yyjson_is_bool(val);
	node->is_true = yyjson_is_true(val);
	if (yyjson_is_obj(val))
		read_keywords(c, node);
	else if (!node->is_bool)
		kh_compile_expected(c, at, "a schema: an object, true or false", val);
	return node;
}

/* Which keywords may be used: those of the draft that $schema names, or of all. */
static void choose_drafts(struct kh_compiling *c)
{
	yyjson_val *named = yyjson_is_obj(c->schema->val) ? kh_json_get(c->schema->val, "$schema") : NULL;
	struct kh_view uri = kh_json_str(named);

	c->drafts = KH_COMPILE_ALL;
	if (named == NULL)
		return;
	if (uri.n > 0 && uri.p[uri.n - 1] == '#')
		uri.n--;
	uri = kh_view_from(uri, kh_view_starts(uri, KH_LIT("https://")) ? 8 : 7);
	if (kh_view_eq(uri, KH_LIT("json-schema.org/draft-07/schema")))
		c->drafts = KH_COMPILE_07;
	else if (kh_view_eq(uri, KH_LIT("json-schema.org/draft/2019-09/schema")))
		c->drafts = KH_COMPILE_2019;
	else if (kh_view_eq(uri, KH_LIT("json-schema.org/draft/2020-12/schema")))
		c->drafts = KH_COMPILE_2020;
	else
		kh_compile_fault(c, kh_compile_step(c, NULL, KH_LIT("$schema"), 0), "schema_dialect",
				 "expected draft-07, 2019-09 or 2020-12 of json-schema.org");
}

void kh_compile_begin(struct kh_compiling *c, struct kh_schema *schema, struct kh_reasons *errors)
{
	*c = (struct kh_compiling){.schema = schema, .arena = &schema->arena, .errors = errors, .before = errors->n};
	choose_drafts(c);
	schema->root = kh_compile_node(c, schema->val, NULL);
}
