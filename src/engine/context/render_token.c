/* A token without its secret. */
#include "engine/context/render_token.h"

#include "base/timestamp.h"

static yyjson_mut_val *render(yyjson_mut_doc *doc, struct kh_view id, struct kh_view name, enum kh_role role,
			      struct kh_view context, struct kh_view expires_at)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "id", id);
	kh_json_add(doc, obj, "name", name);
	yyjson_mut_obj_add_str(doc, obj, "role", kh_words_name(&kh_policy_role_words, role));
	if (context.n > 0)
		kh_json_add(doc, obj, "context", context);
	if (expires_at.n > 0)
		kh_json_add(doc, obj, "expires_at", expires_at);
	return obj;
}

static struct kh_view time_of(struct kh_arena *arena, int64_t at)
{
	return at != 0 ? kh_timestamp_text(arena, at) : KH_LIT("");
}

yyjson_mut_val *kh_render_token_created(yyjson_mut_doc *doc, struct kh_arena *arena,
					const struct kh_token_create *created)
{
	return render(doc, created->id, created->name, created->role, created->context,
		      time_of(arena, created->expires_at));
}

yyjson_mut_val *kh_render_token_who(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_who *who)
{
	return render(doc, kh_view_str(who->id), kh_view_str(who->name), who->role, kh_view_str(who->context),
		      time_of(arena, who->expires_at));
}
