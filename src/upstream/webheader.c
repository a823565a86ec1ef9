/* A value stands in a header as it is, or in base64. */
#include "upstream/webheader.h"

#include <sodium.h>

#define ENCODED "=?base64?"

/* True if VALUE can stand in a header as it is: visible ASCII, no blank at an end, and nothing that looks encoded. */
static bool is_plain(struct kh_view value)
{
	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] < ' ' || value.p[i] > '~')
			return false;
	}
	return kh_view_eq(kh_view_trim(value), value) && !kh_view_starts(value, KH_LIT(ENCODED));
}

struct kh_view kh_webheader_value(struct kh_arena *arena, struct kh_view value)
{
	size_t size = sodium_base64_encoded_len(value.n, sodium_base64_VARIANT_ORIGINAL);
	char *text = is_plain(value) ? NULL : kh_arena_alloc(arena, size);

	if (text == NULL)
		return value;
	sodium_bin2base64(text, size, (const unsigned char *)value.p, value.n, sodium_base64_VARIANT_ORIGINAL);
	return kh_arena_printf(arena, ENCODED "%s?=", text);
}
