/* Members of a JSON object by table.  Fails closed: a member that is not in the table is an error. */
#include "base/member.h"

#include <inttypes.h>

struct kh_view kh_member_below(struct kh_arena *arena, struct kh_view path, const char *name)
{
	return path.n == 0 ? kh_view_str(name) : kh_arena_printf(arena, "%.*s.%s", KH_FMT(path), name);
}

struct kh_view kh_member_item(struct kh_arena *arena, const char *name, size_t index)
{
	return kh_arena_printf(arena, "%s[%zu]", name, index);
}

static struct kh_member *find(struct kh_member *members, size_t count, struct kh_view name)
{
	for (size_t i = 0; i < count; i++) {
		if (kh_view_eq(name, kh_view_str(members[i].name)) ||
		    (members[i].also != NULL && kh_view_eq(name, kh_view_str(members[i].also))))
			return &members[i];
	}
	return NULL;
}

/* The path of an unknown member; a name that is not a plain word is left out of it. */
static struct kh_view unknown_path(struct kh_arena *arena, struct kh_view path, struct kh_view name)
{
	if (name.n == 0 || name.n > 64 || !kh_view_is_word(name, "_-"))
		return path;
	return path.n == 0 ? name : kh_arena_printf(arena, "%.*s.%.*s", KH_FMT(path), KH_FMT(name));
}

void kh_member_take(yyjson_val *obj, struct kh_member *members, size_t count, struct kh_view path,
		    struct kh_reasons *errors)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		struct kh_member *member = find(members, count, kh_json_str(key));
		if (member == NULL) {
			struct kh_view quoted = kh_arena_quote(errors->arena, kh_json_str(key));
			kh_reasons_add(errors, "unknown_member", unknown_path(errors->arena, path, kh_json_str(key)),
				       "no member %.*s is known here", KH_FMT(quoted));
		} else if (member->val != NULL) {
			kh_reasons_add(errors, "duplicate_member", kh_member_below(errors->arena, path, member->name),
				       "given both as %s and as %s", member->name, member->also);
		} else {
			member->val = yyjson_obj_iter_get_val(key);
		}
	}
}

static void missing(const struct kh_member *member, struct kh_view path, struct kh_reasons *errors)
{
	kh_reasons_add(errors, "missing", kh_member_below(errors->arena, path, member->name), "%s is required",
		       member->name);
}

struct kh_view kh_member_string(const struct kh_member *member, bool required, struct kh_view path,
				struct kh_reasons *errors)
{
	if (member->val == NULL && required)
		missing(member, path, errors);
	else if (member->val != NULL && !yyjson_is_str(member->val))
		kh_reasons_add(errors, "wrong_type", kh_member_below(errors->arena, path, member->name),
			       "expected a string, got %s", kh_json_type(member->val));
	return kh_json_str(member->val);
}

int64_t kh_member_int(const struct kh_member *member, bool required, int64_t min, int64_t max, int64_t fallback,
		      struct kh_view path, struct kh_reasons *errors)
{
	int64_t value;

	if (member->val == NULL) {
		if (required)
			missing(member, path, errors);
		return fallback;
	}
	if (!kh_json_int(member->val, &value)) {
		kh_reasons_add(errors, "wrong_type", kh_member_below(errors->arena, path, member->name),
			       "expected a plain integer, got %s",
			       yyjson_is_num(member->val) ? "another number" : kh_json_type(member->val));
		return fallback;
	}
	if (value < min || value > max) {
		kh_reasons_add(errors, "out_of_range", kh_member_below(errors->arena, path, member->name),
			       "expected %" PRId64 " to %" PRId64 ", got %" PRId64, min, max, value);
		return fallback;
	}
	return value;
}
