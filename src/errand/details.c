/* Details of errands. */
#include "errand/details.h"

#include "base/buf.h"

void kh_details_text(struct kh_arena *arena, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key,
		     struct kh_tainted value, size_t most)
{
	struct kh_view bytes = kh_view_sub(kh_tainted_open(value), 0, most), text;
	struct kh_buf out;

	kh_buf_init(&out, arena, 3 * bytes.n);
	kh_buf_repair(&out, bytes);
	if (kh_buf_end(&out, &text) == KH_OK && text.n > 0)
		kh_json_add(doc, obj, key, text);
}

enum kh_err kh_details_end(struct kh_arena *arena, yyjson_mut_val *root, struct kh_errand_result *result)
{
	struct kh_view text;
	enum kh_err e = kh_json_write(arena, root, &text);

	if (e == KH_OK)
		result->details = kh_tainted_wrap(text);
	return e;
}
