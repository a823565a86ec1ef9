/* The difference of two JSON values.  Their depth is bounded by the reader that made them (KH_JSON_DEPTH). */
#include "engine/upstream/changes.h"

#include "base/buf.h"

#define POINTER_MAX 4096

struct changes {
	yyjson_mut_doc *doc;
	struct kh_arena *arena;
	yyjson_mut_val *list;
	size_t count;
	bool is_more;
};

static void compare(struct changes *c, struct kh_view at, yyjson_val *was, yyjson_val *is);

static void add(struct changes *c, struct kh_view at, yyjson_val *was, yyjson_val *is)
{
	c->is_more |= c->count == KH_CHANGES_MOST;
	if (c->is_more)
		return;
	yyjson_mut_val *change = yyjson_mut_arr_add_obj(c->doc, c->list);
	kh_json_add(c->doc, change, "at", at);
	if (was != NULL)
		(void)yyjson_mut_obj_add_val(c->doc, change, "was", yyjson_val_mut_copy(c->doc, was));
	if (is != NULL)
		(void)yyjson_mut_obj_add_val(c->doc, change, "is", yyjson_val_mut_copy(c->doc, is));
	c->count++;
}

/* AT with one more step, escaped as RFC 6901 has it. */
static struct kh_view step(struct changes *c, struct kh_view at, struct kh_view name)
{
	struct kh_view text = at;
	struct kh_buf buf;

	kh_buf_init(&buf, c->arena, POINTER_MAX);
	kh_buf_add(&buf, at);
	kh_buf_byte(&buf, '/');
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '~' || name.p[i] == '/')
			kh_buf_add(&buf, name.p[i] == '~' ? KH_LIT("~0") : KH_LIT("~1"));
		else
			kh_buf_byte(&buf, name.p[i]);
	}
	return kh_buf_end(&buf, &text) == KH_OK ? text : at;
}

static void compare_members(struct changes *c, struct kh_view at, yyjson_val *was, yyjson_val *is)
{
	yyjson_obj_iter all;
	yyjson_val *key;

	yyjson_obj_iter_init(was, &all);
	while ((key = yyjson_obj_iter_next(&all)) != NULL && !c->is_more) {
		struct kh_view name = kh_json_str(key);
		compare(c, step(c, at, name), yyjson_obj_iter_get_val(key), yyjson_obj_getn(is, name.p, name.n));
	}
	yyjson_obj_iter_init(is, &all);
	while ((key = yyjson_obj_iter_next(&all)) != NULL && !c->is_more) {
		struct kh_view name = kh_json_str(key);
		if (yyjson_obj_getn(was, name.p, name.n) == NULL)
			add(c, step(c, at, name), NULL, yyjson_obj_iter_get_val(key));
	}
}

static void compare_items(struct changes *c, struct kh_view at, yyjson_val *was, yyjson_val *is)
{
	yyjson_arr_iter old, new;
	yyjson_val *item;
	size_t i = 0;

	yyjson_arr_iter_init(was, &old);
	yyjson_arr_iter_init(is, &new);
	while ((item = yyjson_arr_iter_next(&old)) != NULL && !c->is_more)
		compare(c, step(c, at, kh_arena_printf(c->arena, "%zu", i++)), item, yyjson_arr_iter_next(&new));
}

static void compare(struct changes *c, struct kh_view at, yyjson_val *was, yyjson_val *is)
{
	if (yyjson_is_obj(was) && yyjson_is_obj(is))
		compare_members(c, at, was, is);
	else if (yyjson_is_arr(was) && yyjson_is_arr(is) && yyjson_arr_size(was) == yyjson_arr_size(is))
		compare_items(c, at, was, is);
	else if (is == NULL || !yyjson_equals(was, is))
		add(c, at, was, is);
}

yyjson_mut_val *kh_changes_list(yyjson_mut_doc *doc, struct kh_arena *arena, yyjson_val *was, yyjson_val *is)
{
	struct changes c = {.doc = doc, .arena = arena, .list = yyjson_mut_arr(doc)};

	compare(&c, (struct kh_view){"", 0}, was, is);
	if (c.is_more) {
		yyjson_mut_val *more = yyjson_mut_arr_add_obj(doc, c.list);
		kh_json_add(doc, more, "at", KH_LIT(""));
		(void)yyjson_mut_obj_add_bool(doc, more, "more", true);
	}
	return c.list;
}
