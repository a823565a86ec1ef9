/*
 * Reads and writes by table.  The tree is hostile; a value is stored in a struct only after its field's check.  All
 * accesses to the struct go through memcpy at the table's offsets.
 */
#include "core/policy/schema.h"

#include "base/nearest.h"
#include "core/policy/quota.h"

struct walk {
	const struct kh_outline_source *source;
	struct kh_error *err;
};

static enum kh_err refuse(struct walk *w, const struct kh_outline *node, struct kh_view path, struct kh_view expected)
{
	struct kh_view found = kh_outline_found(w->source->arena, node);
	struct kh_view what = kh_arena_printf(w->source->arena, "%.*s%s%.*s", KH_FMT(path), path.n ? ": " : "",
					      KH_FMT(found));

	return kh_error_member(w->err, path,
			       kh_outline_error(w->source, node->line, node->offset, what, expected, w->err));
}

static bool is_text(const struct kh_outline *node)
{
	/* An empty scalar without quotes is YAML's null, not an empty text. */
	return node->kind == KH_OUTLINE_SCALAR && (node->text.n > 0 || !node->plain);
}

static enum kh_err read_number(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *node,
			       struct kh_view path, char *target)
{
	int64_t n;

	if (node->kind == KH_OUTLINE_SCALAR && node->plain && kh_view_int(node->text, &n) && n >= 0 &&
	    node->text.p[0] != '-' && (uint64_t)n >= f->min && (uint64_t)n <= f->max) {
		uint64_t value = (uint64_t)n;
		memcpy(target, &value, sizeof(value));
		return KH_OK;
	}
	return refuse(w, node, path,
		      kh_arena_printf(w->source->arena, "an integer from %llu to %llu", (unsigned long long)f->min,
				      (unsigned long long)f->max));
}

static enum kh_err read_whole(struct walk *w, const struct kh_outline *node, struct kh_view path, char *target)
{
	int64_t n;

	if (node->kind != KH_OUTLINE_SCALAR || !node->plain || !kh_view_int(node->text, &n) || n < -KH_SCHEMA_WHOLE ||
	    n > KH_SCHEMA_WHOLE)
		return refuse(w, node, path, KH_LIT("an integer from -2^53 to 2^53"));
	memcpy(target, &n, sizeof(n));
	return KH_OK;
}

static enum kh_err read_word(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *node,
			     struct kh_view path, char *target)
{
	unsigned value;

	if (node->kind != KH_OUTLINE_SCALAR || !kh_words_parse(f->words, node->text, &value))
		return refuse(w, node, path, kh_words_list(w->source->arena, f->words));
	memcpy(target, &value, sizeof(value));
	return KH_OK;
}

static enum kh_err read_words(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *node,
			      struct kh_view path, char *target)
{
	struct kh_view words = kh_words_list(w->source->arena, f->words);
	unsigned set = 0, value;

	if (node->kind != KH_OUTLINE_LIST)
		return refuse(w, node, path, kh_arena_printf(w->source->arena, "a list of %.*s", KH_FMT(words)));
	for (const struct kh_outline *item = node->first; item != NULL; item = item->next) {
		if (item->kind != KH_OUTLINE_SCALAR || !kh_words_parse(f->words, item->text, &value))
			return refuse(w, item, path, words);
		set |= 1U << value;
	}
	memcpy(target, &set, sizeof(set));
	return KH_OK;
}

static enum kh_err take_text(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *node,
			     struct kh_view path, struct kh_view *ret_text)
{
	if (!is_text(node) || (f->check != NULL && !f->check(node->text)))
		return refuse(w, node, path, kh_view_str(f->expected));
	*ret_text = node->text;
	return KH_OK;
}

static enum kh_err read_text(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *node,
			     struct kh_view path, char *target)
{
	struct kh_view text;
	enum kh_err e = take_text(w, f, node, path, &text);

	if (e == KH_OK && (text.n < f->min || text.n > f->max))
		return refuse(w, node, path,
			      kh_arena_printf(w->source->arena, "%s, of %llu to %llu bytes", f->expected,
					      (unsigned long long)f->min, (unsigned long long)f->max));
	if (e == KH_OK)
		memcpy(target, &text, sizeof(text));
	return e;
}

static enum kh_err refuse_key(struct walk *w, const struct kh_outline *child, struct kh_view path, const char *problem,
			      struct kh_view expected)
{
	struct kh_view quoted = kh_arena_quote(w->source->arena, child->key);
	struct kh_view what = kh_arena_printf(w->source->arena, "%.*s%s%s %.*s", KH_FMT(path), path.n ? ": " : "",
					      problem, KH_FMT(quoted));

	return kh_error_member(w->err, path,
			       kh_outline_error(w->source, child->key_line, child->key_offset, what, expected, w->err));
}

/* Whether a member of the map before CHILD has its key. */
static bool is_twice(const struct kh_outline *first, const struct kh_outline *child)
{
	while (first != child && !kh_view_eq(first->key, child->key))
		first = first->next;
	return first != child;
}

static enum kh_err read_pair(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *map,
			     const struct kh_outline *child, struct kh_view path, struct kh_pair *ret_pair)
{
	enum kh_err e;

	if (!f->check_name(child->key))
		return refuse_key(w, child, path, "the key", kh_view_str(f->expected_name));
	if (is_twice(map->first, child))
		return refuse_key(w, child, path, "the key stands twice:", KH_LIT("each key once"));
	e = take_text(w, f, child, kh_arena_printf(w->source->arena, "%.*s.%.*s", KH_FMT(path), KH_FMT(child->key)),
		      &ret_pair->text);
	ret_pair->name = child->key;
	ret_pair->line = child->key_line;
	return e;
}

static enum kh_err read_pairs(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *node,
			      struct kh_view path, char *target)
{
	struct kh_pairs pairs = {NULL, 0};
	enum kh_err e = KH_OK;

	if (node->kind != KH_OUTLINE_MAP || node->count > f->max)
		return refuse(w, node, path,
			      kh_arena_printf(w->source->arena, "a map of at most %llu names, each %s",
					      (unsigned long long)f->max, f->expected_name));
	pairs.at = KH_NEW_N(w->source->arena, struct kh_pair, node->count);
	if (pairs.at == NULL)
		return KH_ENOMEM;
	for (const struct kh_outline *child = node->first; e == KH_OK && child != NULL; child = child->next)
		e = read_pair(w, f, node, child, path, &pairs.at[pairs.n++]);
	if (e == KH_OK)
		memcpy(target, &pairs, sizeof(pairs));
	return e;
}

/* Checks for a list of f->min to f->max items before anything is allocated for it. */
static enum kh_err check_list(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *node,
			      struct kh_view path)
{
	if (node->kind == KH_OUTLINE_LIST && node->count >= f->min && node->count <= f->max)
		return KH_OK;
	if (f->min > 0)
		return refuse(w, node, path,
			      kh_arena_printf(w->source->arena, "a list of %llu to %llu", (unsigned long long)f->min,
					      (unsigned long long)f->max));
	return refuse(w, node, path,
		      kh_arena_printf(w->source->arena, "a list of at most %llu", (unsigned long long)f->max));
}

static enum kh_err read_rate(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *node,
			     struct kh_view path, char *target)
{
	struct kh_rate rate;

	(void)f;
	if (node->kind != KH_OUTLINE_SCALAR || !kh_quota_parse(node->text, &rate))
		return refuse(w, node, path,
			      KH_LIT("0 (denied), N (an hour) or N/second, N/minute, N/hour, with N up to 1000000"));
	memcpy(target, &rate, sizeof(rate));
	return KH_OK;
}

static enum kh_err read_map(struct walk *w, const struct kh_shape *shape, const struct kh_outline *node,
			    struct kh_view path, char *target);

/* An item of a list: a text, or what the list's shape has. */
static enum kh_err read_item(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *item,
			     struct kh_view path, void *at)
{
	if (f->kind == KH_FIELD_TEXTS)
		return take_text(w, f, item, path, at);
	if (f->shape->start != NULL)
		f->shape->start(item, at);
	return read_map(w, f->shape, item, path, at);
}

static enum kh_err read_list(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *node,
			     struct kh_view path, char *target)
{
	size_t size = f->kind == KH_FIELD_TEXTS ? sizeof(struct kh_view) : f->shape->size;
	enum kh_err e = check_list(w, f, node, path);
	struct kh_list list = {NULL, 0};

	if (e == KH_OK && (list.at = kh_arena_array(w->source->arena, node->count, size)) == NULL)
		return KH_ENOMEM;
	for (const struct kh_outline *item = node->first; e == KH_OK && item != NULL; item = item->next) {
		struct kh_view member = kh_arena_printf(w->source->arena, "%.*s[%zu]", KH_FMT(path), list.n);
		e = read_item(w, f, item, member, (char *)list.at + list.n++ * size);
	}
	if (e != KH_OK)
		return e;
	if (f->kind == KH_FIELD_TEXTS)
		memcpy(target, &(struct kh_texts){list.at, list.n}, sizeof(struct kh_texts));
	else
		memcpy(target, &list, sizeof(list));
	return KH_OK;
}

static enum kh_err read_field(struct walk *w, const struct kh_schema_field *f, const struct kh_outline *node,
			      struct kh_view path, char *target)
{
	switch (f->kind) {
	case KH_FIELD_NUMBER:
		return read_number(w, f, node, path, target);
	case KH_FIELD_WHOLE:
		return read_whole(w, node, path, target);
	case KH_FIELD_WORD:
		return read_word(w, f, node, path, target);
	case KH_FIELD_WORDS:
		return read_words(w, f, node, path, target);
	case KH_FIELD_TEXT:
		return read_text(w, f, node, path, target);
	case KH_FIELD_RATE:
		return read_rate(w, f, node, path, target);
	case KH_FIELD_MAP:
		return read_map(w, f->shape, node, path, target);
	case KH_FIELD_PAIRS:
		return read_pairs(w, f, node, path, target);
	case KH_FIELD_TEXTS:
	case KH_FIELD_LIST:
		return read_list(w, f, node, path, target);
	}
	return KH_EINPUT;
}

/* "a, b or c": the keys of a shape. */
static struct kh_view key_list(struct kh_arena *arena, const struct kh_shape *shape)
{
	const char **keys = KH_NEW_N(arena, const char *, shape->count);
	struct kh_words words = {keys, shape->count};

	for (size_t i = 0; keys != NULL && i < shape->count; i++)
		keys[i] = shape->fields[i].key;
	return keys ? kh_words_list(arena, &words) : (struct kh_view){NULL, 0};
}

/* Lists the keys, the nearest one first: it is probably the one that was meant. */
static enum kh_err refuse_unknown(struct walk *w, const struct kh_shape *shape, const struct kh_outline *child,
				  struct kh_view path)
{
	struct kh_view keys = key_list(w->source->arena, shape);
	struct kh_nearest nearest;

	kh_nearest_begin(&nearest, child->key);
	for (size_t i = 0; i < shape->count; i++)
		kh_nearest_try(&nearest, kh_view_str(shape->fields[i].key));
	if (nearest.name.n > 0 && shape->count > 1)
		keys = kh_arena_printf(w->source->arena, "%.*s? The keys are %.*s", KH_FMT(nearest.name), KH_FMT(keys));
	return refuse_key(w, child, path, "unknown key", keys);
}

static enum kh_err read_member(struct walk *w, const struct kh_shape *shape, const struct kh_outline *child,
			       struct kh_view path, uint64_t *seen, char *target)
{
	const struct kh_schema_field *f = shape->fields;
	size_t i = 0;

	while (i < shape->count && !kh_view_eq(kh_view_str(f[i].key), child->key))
		i++;
	if (i == shape->count)
		return refuse_unknown(w, shape, child, path);
	if (*seen & UINT64_C(1) << i)
		return refuse_key(w, child, path, "the key stands twice:", KH_LIT("each key once"));
	*seen |= UINT64_C(1) << i;
	struct kh_view member = kh_arena_printf(w->source->arena, "%.*s%s%s", KH_FMT(path), path.n ? "." : "",
						f[i].key);
	return read_field(w, &f[i], child, member, target + f[i].offset);
}

static enum kh_err read_map(struct walk *w, const struct kh_shape *shape, const struct kh_outline *node,
			    struct kh_view path, char *target)
{
	struct kh_view keys = key_list(w->source->arena, shape);
	enum kh_err e = KH_OK;
	uint64_t seen = 0;

	if (node->kind != KH_OUTLINE_MAP)
		return refuse(w, node, path, kh_arena_printf(w->source->arena, "a map of %.*s", KH_FMT(keys)));
	for (const struct kh_outline *child = node->first; e == KH_OK && child != NULL; child = child->next)
		e = read_member(w, shape, child, path, &seen, target);
	for (size_t i = 0; e == KH_OK && i < shape->count; i++) {
		if (shape->fields[i].needed && !(seen & UINT64_C(1) << i))
			e = refuse(w, node, path,
				   kh_arena_printf(w->source->arena, "the key %s in it", shape->fields[i].key));
	}
	const unsigned *line = node->key_line ? &node->key_line : &node->line;
	if (e == KH_OK && shape->line != KH_NO_LINE)
		memcpy(target + shape->line, line, sizeof(*line));
	return e;
}

enum kh_err kh_schema_read(const struct kh_outline_source *source, const struct kh_shape *shape,
			   const struct kh_outline *node, const char *path, void *target, struct kh_error *err)
{
	struct walk w = {.source = source, .err = err};
	enum kh_err e = read_map(&w, shape, node, kh_view_str(path), target);

	if (kh_arena_check(source->arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to read a policy");
	return e;
}

static yyjson_mut_val *text_json(yyjson_mut_doc *doc, struct kh_view v)
{
	return yyjson_mut_strn(doc, v.p ? v.p : "", v.n);
}

/* The words of a set. */
static yyjson_mut_val *words_json(yyjson_mut_doc *doc, const struct kh_words *words, const char *from)
{
	yyjson_mut_val *arr = yyjson_mut_arr(doc);
	unsigned value;

	memcpy(&value, from, sizeof(value));
	for (unsigned i = 0; i < words->n; i++) {
		if (value & 1U << i)
			yyjson_mut_arr_add_str(doc, arr, kh_words_name(words, i));
	}
	return arr;
}

static yyjson_mut_val *texts_json(yyjson_mut_doc *doc, const char *from)
{
	yyjson_mut_val *arr = yyjson_mut_arr(doc);
	struct kh_texts texts;

	memcpy(&texts, from, sizeof(texts));
	for (size_t i = 0; i < texts.n; i++)
		yyjson_mut_arr_append(arr, text_json(doc, texts.at[i]));
	return arr;
}

static yyjson_mut_val *pairs_json(yyjson_mut_doc *doc, const char *from)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_pairs pairs;

	memcpy(&pairs, from, sizeof(pairs));
	for (size_t i = 0; i < pairs.n; i++)
		yyjson_mut_obj_add(obj, text_json(doc, pairs.at[i].name), text_json(doc, pairs.at[i].text));
	return obj;
}

static yyjson_mut_val *list_json(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_shape *shape,
				 const char *from)
{
	yyjson_mut_val *arr = yyjson_mut_arr(doc);
	struct kh_list list;

	memcpy(&list, from, sizeof(list));
	for (size_t i = 0; i < list.n; i++)
		yyjson_mut_arr_append(arr, kh_schema_json(doc, arena, shape, (const char *)list.at + i * shape->size));
	return arr;
}

static yyjson_mut_val *field_json(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_schema_field *f,
				  const char *from)
{
	struct kh_view text;
	struct kh_rate rate;
	uint64_t number;
	int64_t whole;
	unsigned value;

	switch (f->kind) {
	case KH_FIELD_NUMBER:
		memcpy(&number, from, sizeof(number));
		return yyjson_mut_uint(doc, number);
	case KH_FIELD_WHOLE:
		memcpy(&whole, from, sizeof(whole));
		return yyjson_mut_sint(doc, whole);
	case KH_FIELD_WORD:
		memcpy(&value, from, sizeof(value));
		return yyjson_mut_str(doc, kh_words_name(f->words, value));
	case KH_FIELD_WORDS:
		return words_json(doc, f->words, from);
	case KH_FIELD_TEXT:
		memcpy(&text, from, sizeof(text));
		return text_json(doc, text);
	case KH_FIELD_TEXTS:
		return texts_json(doc, from);
	case KH_FIELD_PAIRS:
		return pairs_json(doc, from);
	case KH_FIELD_RATE:
		memcpy(&rate, from, sizeof(rate));
		return text_json(doc, kh_quota_text(arena, rate));
	case KH_FIELD_MAP:
		return kh_schema_json(doc, arena, f->shape, from);
	case KH_FIELD_LIST:
		return list_json(doc, arena, f->shape, from);
	}
	return NULL;
}

yyjson_mut_val *kh_schema_json(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_shape *shape,
			       const void *from)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	for (size_t i = 0; i < shape->count; i++)
		yyjson_mut_obj_add(
			obj, yyjson_mut_str(doc, shape->fields[i].key),
			field_json(doc, arena, &shape->fields[i], (const char *)from + shape->fields[i].offset));
	return obj;
}

const struct kh_view *kh_schema_both(const struct kh_texts *a, const struct kh_texts *b)
{
	for (size_t i = 0; i < a->n; i++) {
		for (size_t j = 0; j < (a == b ? i : b->n); j++) {
			if (kh_view_eq(a->at[i], b->at[j]))
				return &a->at[i];
		}
	}
	return NULL;
}

size_t kh_schema_bytes(const struct kh_texts *texts)
{
	size_t n = 0;

	for (size_t i = 0; i < texts->n; i++)
		n += texts->at[i].n;
	return n;
}
