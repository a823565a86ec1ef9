/* Rates as text. */
#include "engine/state/quotatext.h"

#include "base/buf.h"
#include "base/emit.h"

#define NUMBERS (KH_QUOTA_PARTS + 3)

struct kh_view kh_quotatext_write(struct kh_arena *arena, const struct kh_quota *quota)
{
	struct kh_view text = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, 512);
	kh_emit_integer(&buf, quota->period);
	kh_buf_byte(&buf, ' ');
	kh_emit_integer(&buf, quota->part);
	for (size_t i = 0; i <= KH_QUOTA_PARTS; i++) {
		kh_buf_byte(&buf, ' ');
		kh_emit_integer(&buf, quota->used[i]);
	}
	if (kh_buf_end(&buf, &text) != KH_OK)
		arena->failed = true;
	return text;
}

bool kh_quotatext_read(struct kh_view text, struct kh_quota *ret_quota)
{
	struct kh_view rest = text, piece;
	int64_t at[NUMBERS];
	size_t n = 0;

	*ret_quota = (struct kh_quota){0};
	if (text.n == 0)
		return true;
	while (kh_view_split(&rest, ' ', &piece)) {
		if (n == NUMBERS || !kh_view_int(piece, &at[n]) || at[n] < 0 || (n > 1 && at[n] > UINT32_MAX))
			return false;
		n++;
	}
	if (n != NUMBERS)
		return false;
	ret_quota->period = at[0];
	ret_quota->part = at[1];
	for (size_t i = 0; i <= KH_QUOTA_PARTS; i++)
		ret_quota->used[i] = (uint32_t)at[i + 2];
	return true;
}
