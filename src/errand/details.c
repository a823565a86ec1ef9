/* Details of errands. */
#include "errand/details.h"

#include "base/buf.h"
#include "base/utf8.h"

#define REPLACEMENT 0xfffd

void kh_details_init(struct kh_details *details, struct kh_arena *arena)
{
	*details = (struct kh_details){.arena = arena, .doc = kh_json_new(arena)};
	if (details->doc != NULL)
		details->root = yyjson_mut_obj(details->doc);
}

void kh_details_number(struct kh_details *details, const char *key, uint64_t value)
{
	if (details->root != NULL)
		yyjson_mut_obj_add_uint(details->doc, details->root, key, value);
}

void kh_details_bool(struct kh_details *details, const char *key, bool value)
{
	if (details->root != NULL)
		yyjson_mut_obj_add_bool(details->doc, details->root, key, value);
}

void kh_details_word(struct kh_details *details, const char *key, struct kh_view word)
{
	if (details->root != NULL && word.n > 0)
		kh_json_add(details->doc, details->root, key, word);
}

void kh_details_text(struct kh_details *details, const char *key, struct kh_tainted value, size_t most)
{
	struct kh_view bytes = kh_view_sub(kh_tainted_open(value), 0, most), text;
	struct kh_buf out;

	kh_buf_init(&out, details->arena, 3 * bytes.n);
	for (size_t at = 0; at < bytes.n;) {
		uint32_t c = REPLACEMENT;
		size_t n = kh_utf8_decode(bytes, at, &c);
		kh_buf_char(&out, n > 0 ? c : REPLACEMENT);
		at += n > 0 ? n : 1;
	}
	if (kh_buf_end(&out, &text) == KH_OK)
		kh_details_word(details, key, text);
}

enum kh_err kh_details_end(const struct kh_details *details, struct kh_tainted *ret_details)
{
	struct kh_view text = KH_LIT("{}");

	if (details->root == NULL)
		return KH_ENOMEM;
	enum kh_err e = kh_json_write(details->arena, details->root, &text);
	if (e == KH_OK)
		*ret_details = kh_tainted_wrap(text);
	return e;
}
