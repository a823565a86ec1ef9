/* Strict JSON over yyjson.  The input is hostile; the result has no duplicate member and is at most 64 deep. */
#include "base/json.h"

#include "base/utf8.h"

#include <stdlib.h>

/* yyjson's allocator interface over an arena: freeing does nothing, because the arena frees everything at once. */

static void *arena_malloc(void *ctx, size_t size)
{
	return kh_arena_bare(ctx, size);
}

static void *arena_realloc(void *ctx, void *p, size_t old, size_t size)
{
	return kh_arena_grow(ctx, p, old, size);
}

static void arena_free(void *ctx, void *p)
{
	(void)ctx;
	(void)p;
}

static yyjson_alc allocator(struct kh_arena *arena)
{
	return (yyjson_alc){arena_malloc, arena_realloc, arena_free, arena};
}

struct walk {
	struct kh_arena *arena;
	const char *
		text; /* yyjson's copy of the input: a string's place in it is its place in the input; NULL: no input */
	struct kh_error *err;
};

static enum kh_err duplicate(struct walk *walk, yyjson_val *key)
{
	struct kh_view quoted = kh_arena_quote(walk->arena, kh_json_str(key));

	size_t at = walk->text != NULL ? (size_t)(yyjson_get_str(key) - walk->text) - 1 : SIZE_MAX;

	return kh_error_at(walk->err, KH_EINPUT, "json_duplicate", at, "member %.*s stands twice in one object",
			   KH_FMT(quoted));
}

static bool same(yyjson_val *a, yyjson_val *b)
{
	return yyjson_equals_strn(a, yyjson_get_str(b), yyjson_get_len(b));
}

static int compare_keys(const void *a, const void *b)
{
	yyjson_val *x, *y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	int c = kh_view_cmp(kh_json_str(x), kh_json_str(y));
	return c ? c : (x > y) - (x < y);
}

/* Finds duplicates by sorting: slow, but no choice of names makes it slower. */
static enum kh_err check_sorted(struct walk *walk, yyjson_val *obj)
{
	yyjson_val **keys = KH_NEW_N(walk->arena, yyjson_val *, yyjson_obj_size(obj)), *key;
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);
	size_t n = 0;

	if (keys == NULL)
		return KH_ENOMEM;
	while ((key = yyjson_obj_iter_next(&iter)) != NULL)
		keys[n++] = key;
	qsort(keys, n, sizeof(yyjson_val *), compare_keys);
	for (size_t i = 1; i < n; i++) {
		if (same(keys[i - 1], keys[i]))
			return duplicate(walk, keys[i]);
	}
	return KH_OK;
}

/* Hashes the length and both ends.  Names that differ only in the middle are rare, and check_sorted() handles them. */
static uint64_t hash(struct kh_view v)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t head = 0, tail = 0;

	if (v.n >= sizeof(head)) {
		memcpy(&head, v.p, sizeof(head));
		memcpy(&tail, v.p + v.n - sizeof(tail), sizeof(tail));
	} else {
		for (size_t i = 0; i < v.n; i++)
			head = head << 8 | (unsigned char)v.p[i];
	}
	head = (head ^ v.n) * odd;
	return (head ^ head >> 32 ^ tail) * odd;
}

#define PAIRWISE 8 /* members that are compared each with each; more go through a table */
#define PROBES   4 /* that a member may need on average; honest names need less than 1 */

static enum kh_err check_hashed(struct walk *walk, yyjson_val *obj)
{
	size_t n = yyjson_obj_size(obj), probes = PROBES * n;
	unsigned bits = 64 - (unsigned)__builtin_clzll(n * 2 - 1);
	size_t mask = ((size_t)1 << bits) - 1;
	yyjson_val **table = KH_NEW_N(walk->arena, yyjson_val *, mask + 1), *key;
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);

	if (table == NULL)
		return KH_ENOMEM;
	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		size_t at = (size_t)(hash(kh_json_str(key)) >> (64 - bits));
		for (; table[at] != NULL; at = (at + 1) & mask) {
			if (same(table[at], key))
				return duplicate(walk, key);
			if (probes-- == 0)
				return check_sorted(walk, obj);
		}
		table[at] = key;
	}
	return KH_OK;
}

static enum kh_err check_members(struct walk *walk, yyjson_val *obj)
{
	yyjson_obj_iter outer = yyjson_obj_iter_with(obj);
	yyjson_val *key, *other;

	if (yyjson_obj_size(obj) > PAIRWISE)
		return check_hashed(walk, obj);
	while ((key = yyjson_obj_iter_next(&outer)) != NULL) {
		yyjson_obj_iter inner = yyjson_obj_iter_with(obj);
		while ((other = yyjson_obj_iter_next(&inner)) != key) {
			if (same(other, key))
				return duplicate(walk, key);
		}
	}
	return KH_OK;
}

/* The offset of the bracket that opens one level too many.  TEXT is valid JSON. */
static size_t too_deep_at(struct kh_view text)
{
	unsigned depth = 0;
	bool string = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (string && c == '\\')
			i++;
		else if (c == '"')
			string = !string;
		else if (!string && (c == '{' || c == '[') && ++depth > KH_JSON_DEPTH)
			return i;
		else if (!string && (c == '}' || c == ']'))
			depth--;
	}
	return SIZE_MAX;
}

static enum kh_err check(struct walk *walk, yyjson_val *val, unsigned depth)
{
	enum kh_err e = KH_OK;
	yyjson_val *item;

	if (!yyjson_is_ctn(val))
		return KH_OK;
	if (depth >= KH_JSON_DEPTH)
		return KH_ELIMIT;
	if (yyjson_is_obj(val)) {
		e = check_members(walk, val);
		yyjson_obj_iter iter = yyjson_obj_iter_with(val);
		while (e == KH_OK && (item = yyjson_obj_iter_next(&iter)) != NULL)
			e = check(walk, yyjson_obj_iter_get_val(item), depth + 1);
	} else {
		yyjson_arr_iter iter = yyjson_arr_iter_with(val);
		while (e == KH_OK && (item = yyjson_arr_iter_next(&iter)) != NULL)
			e = check(walk, item, depth + 1);
	}
	return e;
}

enum kh_err kh_json_read(struct kh_arena *arena, struct kh_view text, yyjson_val **ret_root, struct kh_error *err)
{
	yyjson_alc alc = allocator(arena);
	yyjson_read_err problem;
	struct kh_view copy = text.n ? text : KH_LIT(" ");
	/*
	 * Without YYJSON_READ_INSITU yyjson copies the text and does not write to it; only its parameter is not const.
	 */
	yyjson_doc *doc = yyjson_read_opts((char *)(uintptr_t)copy.p, copy.n, YYJSON_READ_NOFLAG, &alc, &problem);

	if (doc == NULL && problem.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to parse %zu bytes", text.n);
	if (doc == NULL)
		return kh_error_at(err, KH_EINPUT, "json_syntax", problem.pos, "not JSON: %s", problem.msg);
	struct walk walk = {.arena = arena, .text = doc->str_pool, .err = err};
	yyjson_val *root = yyjson_doc_get_root(doc);
	enum kh_err e = check(&walk, root, 0);
	if (e == KH_ELIMIT)
		return kh_error_at(err, KH_ELIMIT, "json_depth", too_deep_at(text), "nested more than %d deep",
				   KH_JSON_DEPTH);
	if (e == KH_ENOMEM)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to check %zu bytes", text.n);
	if (e == KH_OK)
		*ret_root = root;
	return e;
}

struct kh_view kh_json_str(const yyjson_val *val)
{
	/* yyjson's accessors do not write; only their parameters are not const. */
	yyjson_val *v = (yyjson_val *)(uintptr_t)val;

	return kh_view_of(yyjson_get_str(v), yyjson_get_len(v) * yyjson_is_str(v));
}

yyjson_val *kh_json_get(yyjson_val *obj, const char *key)
{
	return yyjson_obj_getn(obj, key, strlen(key));
}

yyjson_val *kh_json_stranger(yyjson_val *obj, const struct kh_words *known)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);
	yyjson_val *key = NULL;

	do
		key = yyjson_obj_iter_next(&iter);
	while (key != NULL && kh_words_have(known, kh_json_str(key)));
	return key;
}

bool kh_json_int(const yyjson_val *val, int64_t *ret_value)
{
	yyjson_val *v = (yyjson_val *)(uintptr_t)val;

	if (!yyjson_is_int(v) || (yyjson_is_uint(v) && yyjson_get_uint(v) > INT64_MAX))
		return false;
	/* yyjson gives numbers written with a sign a type of their own, so a signed zero was written as "-0". */
	if (yyjson_is_sint(v) && yyjson_get_sint(v) == 0)
		return false;
	*ret_value = yyjson_get_sint(v);
	return true;
}

const char *kh_json_type(const yyjson_val *val)
{
	yyjson_val *v = (yyjson_val *)(uintptr_t)val;

	switch (yyjson_get_type(v)) {
	case YYJSON_TYPE_NULL:
		return "null";
	case YYJSON_TYPE_BOOL:
		return "boolean";
	case YYJSON_TYPE_NUM:
		return "number";
	case YYJSON_TYPE_STR:
		return "string";
	case YYJSON_TYPE_ARR:
		return "array";
	case YYJSON_TYPE_OBJ:
		return "object";
	default:
		return "nothing";
	}
}

yyjson_mut_doc *kh_json_new(struct kh_arena *arena)
{
	yyjson_alc alc = allocator(arena);

	return yyjson_mut_doc_new(&alc);
}

void kh_json_add(yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, struct kh_view v)
{
	yyjson_mut_obj_add_strn(doc, obj, key, v.p ? v.p : "", v.n);
}

void kh_json_add_raw(yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, struct kh_view json)
{
	if (json.n > 0)
		yyjson_mut_obj_add_val(doc, obj, key, yyjson_mut_rawn(doc, json.p, json.n));
}

enum kh_err kh_json_write(struct kh_arena *arena, yyjson_mut_val *root, struct kh_view *ret_text)
{
	yyjson_alc alc = allocator(arena);
	yyjson_write_err problem;
	size_t n = 0;

	if (arena->failed)
		return KH_ENOMEM;
	char *text = yyjson_mut_val_write_opts(root, YYJSON_WRITE_NOFLAG, &alc, &n, &problem);
	if (arena->failed)
		return KH_ENOMEM;
	if (text == NULL)
		return KH_EINPUT;
	*ret_text = kh_view_of(text, n);
	return KH_OK;
}

/* What a parser would have made of VAL, or why it would not have taken it. */
static enum kh_err settle(yyjson_val *val, struct kh_error *err)
{
	/* A parser keeps what has no sign as unsigned; kh_json_int() takes a signed zero for "-0". */
	if (yyjson_is_sint(val) && yyjson_get_sint(val) >= 0)
		yyjson_set_uint(val, (uint64_t)yyjson_get_sint(val));
	if (yyjson_is_str(val) && kh_utf8_invalid(kh_json_str(val)) != SIZE_MAX)
		return kh_error_set(err, KH_EINPUT, "bad_utf8", "a text is not UTF-8");
	return KH_OK;
}

enum kh_err kh_json_freeze(struct kh_arena *arena, yyjson_mut_val *root, yyjson_val **ret_root, struct kh_error *err)
{
	yyjson_alc alc = allocator(arena);
	struct walk walk = {.arena = arena, .err = err};
	yyjson_doc *doc = arena->failed ? NULL : yyjson_mut_val_imut_copy(root, &alc);
	enum kh_err e = KH_OK;

	if (doc == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for a value");
	for (size_t i = 0; e == KH_OK && i < yyjson_doc_get_val_count(doc); i++)
		e = settle(doc->root + i, err);
	if (e == KH_OK)
		e = check(&walk, doc->root, 0);
	if (e == KH_ELIMIT)
		return kh_error_set(err, e, "json_depth", "nested more than %d deep", KH_JSON_DEPTH);
	if (e == KH_OK)
		*ret_root = doc->root;
	return e;
}

yyjson_mut_val *kh_json_reasons(yyjson_mut_doc *doc, const struct kh_reasons *list)
{
	yyjson_mut_val *arr = yyjson_mut_arr(doc);

	for (size_t i = 0; i < list->n; i++) {
		yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, arr);
		yyjson_mut_obj_add_str(doc, obj, "code", list->at[i].code);
		if (list->at[i].member.n > 0)
			kh_json_add(doc, obj, "member", list->at[i].member);
		kh_json_add(doc, obj, "detail", list->at[i].detail);
	}
	return arr;
}

yyjson_mut_val *kh_json_error(yyjson_mut_doc *doc, const struct kh_error *err)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "code", err->code ? err->code : kh_err_name(err->err));
	if (err->member[0] != '\0')
		yyjson_mut_obj_add_strcpy(doc, obj, "member", err->member);
	if (err->offset != SIZE_MAX)
		yyjson_mut_obj_add_uint(doc, obj, "offset", err->offset);
	yyjson_mut_obj_add_strcpy(doc, obj, "detail", err->detail);
	return obj;
}
