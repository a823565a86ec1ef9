/* A search engine's answer.  It is not trusted: it must be strict JSON, of which a few texts are taken. */
#include "worker/search/web.h"

#include "base/utf8.h"

/* At most MOST bytes of member KEY; empty if it is not a text. */
static struct kh_view text_of(yyjson_val *item, const char *key, size_t most)
{
	struct kh_view text = kh_utf8_cut(kh_json_str(kh_json_get(item, key)), most);

	return text.n > 0 ? text : KH_LIT("");
}

static bool is_web(struct kh_view url)
{
	return url.n <= KH_SEARCH_WEB_URL &&
	       (kh_view_starts(url, KH_LIT("https://")) || kh_view_starts(url, KH_LIT("http://")));
}

enum kh_err kh_search_web_read(struct kh_arena *arena, struct kh_view body, size_t limit, yyjson_mut_doc *doc,
			       yyjson_mut_val **ret_results, struct kh_error *err)
{
	struct kh_error inner = {.offset = SIZE_MAX};
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	yyjson_val *root, *item;
	enum kh_err e = kh_json_read(arena, body, &root, &inner);

	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK)
		return kh_error_set(err, KH_EINPUT, "bad_answer", "the search engine's answer is not JSON: %s",
				    inner.detail);
	yyjson_val *results = kh_json_get(root, "results");
	if (!yyjson_is_arr(results))
		return kh_error_set(err, KH_EINPUT, "bad_answer", "the search engine's answer has no list of results");
	yyjson_arr_iter iter = yyjson_arr_iter_with(results);
	while (yyjson_mut_arr_size(list) < limit && (item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct kh_view url = kh_json_str(kh_json_get(item, "url"));
		if (!is_web(url))
			continue;
		yyjson_mut_val *result = yyjson_mut_arr_add_obj(doc, list);
		kh_json_add(doc, result, "title", text_of(item, "title", KH_SEARCH_WEB_TITLE));
		kh_json_add(doc, result, "url", url);
		kh_json_add(doc, result, "snippet", text_of(item, "content", KH_SEARCH_WEB_SNIPPET));
		yyjson_mut_obj_add_uint(doc, result, "rank", yyjson_mut_arr_size(list));
	}
	*ret_results = list;
	return kh_arena_check(arena);
}
