/* Strict reading of members.  The input is hostile: its names appear in paths only as plain words or quoted. */
#include "core/comm/strict.h"

#define KEY_MAX 64

struct kh_view kh_strict_path(struct kh_arena *arena, struct kh_view path, struct kh_view key)
{
	bool is_plain = key.n > 0 && key.n <= KEY_MAX && kh_view_is_word(key, "_-");
	struct kh_view name = is_plain ? key : kh_arena_quote(arena, key);

	return kh_arena_printf(arena, "%.*s%s%.*s", KH_FMT(path), path.n ? "." : "", KH_FMT(name));
}

struct kh_view kh_strict_index(struct kh_arena *arena, struct kh_view path, size_t index)
{
	return kh_arena_printf(arena, "%.*s[%zu]", KH_FMT(path), index);
}

bool kh_strict_object(struct kh_reasons *errors, struct kh_view path, yyjson_val *val)
{
	if (yyjson_is_obj(val))
		return true;
	kh_reasons_add(errors, "wrong_type", path, "expected an object, not %s", kh_json_type(val));
	return false;
}

void kh_strict_known(struct kh_reasons *errors, struct kh_view path, yyjson_val *obj, const char *const *names,
		     size_t count)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		size_t i = 0;
		while (i < count && !kh_view_eq(kh_json_str(key), kh_view_str(names[i])))
			i++;
		if (i == count)
			kh_reasons_add(errors, "unknown_member", kh_strict_path(errors->arena, path, kh_json_str(key)),
				       "no member of this name is known here");
	}
}

yyjson_val *kh_strict_need(struct kh_reasons *errors, struct kh_view path, yyjson_val *obj, const char *key)
{
	yyjson_val *val = kh_json_get(obj, key);

	if (val == NULL)
		kh_reasons_add(errors, "missing", kh_strict_path(errors->arena, path, kh_view_str(key)),
			       "%s is missing", key);
	return val;
}

struct kh_view kh_strict_text(struct kh_reasons *errors, struct kh_view path, yyjson_val *val)
{
	if (val != NULL && !yyjson_is_str(val))
		kh_reasons_add(errors, "wrong_type", path, "expected a string, not %s", kh_json_type(val));
	return kh_json_str(val);
}
