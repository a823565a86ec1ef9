/*
 * Finds the marker in the skeleton of a text, in which all spellings of it are the same, and cuts it out of the text.
 */
#include "core/comm/defuse.h"

#include "base/buf.h"
#include "core/screen/normalise.h"

#define LETTERS  "untrustedexternalcontent" /* of the marker; characters between them are ignored */
#define REPLACED "[marker defused]"

static bool is_letter(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || (unsigned char)c >= 0x80;
}

/*
 * The end of the marker that begins at byte AT of SKELETON, or 0.  Linear: the marker has only two u, so each character
 * is read for at most two possible beginnings.
 */
static size_t match(struct kh_view skeleton, size_t at)
{
	size_t i = 0;

	for (; at < skeleton.n; at++) {
		if (!is_letter(skeleton.p[at]))
			continue;
		if (skeleton.p[at] != LETTERS[i])
			return 0;
		if (++i == sizeof(LETTERS) - 1)
			return at + 1;
	}
	return 0;
}

enum kh_err kh_defuse_text(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_text)
{
	struct kh_view skeleton;
	struct kh_buf out;
	uint32_t *origin;
	size_t done = 0, end;
	enum kh_err e = kh_normalise_form(arena, text, KH_NORMALISE_FOLD | KH_NORMALISE_LOOKALIKE, &skeleton, &origin);

	if (e != KH_OK)
		return e;
	/*
	 * A marker has 24 letters and few characters cannot make that many, so replacing it hardly makes the text
	 * longer.
	 */
	kh_buf_init(&out, arena, text.n * 2 + sizeof(REPLACED));
	for (size_t at = 0; at < skeleton.n; at++) {
		if (skeleton.p[at] != LETTERS[0] || (end = match(skeleton, at)) == 0)
			continue;
		kh_buf_add(&out, kh_view_sub(text, done, origin[at]));
		kh_buf_lit(&out, REPLACED);
		/* One character may have become several letters; remove it as a whole. */
		while (end < skeleton.n && origin[end] == origin[end - 1])
			end++;
		done = origin[end];
		at = end - 1;
	}
	if (done == 0) {
		*ret_text = text;
		return KH_OK;
	}
	kh_buf_add(&out, kh_view_from(text, done));
	return kh_buf_end(&out, ret_text);
}
