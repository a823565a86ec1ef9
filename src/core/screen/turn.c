/* Turns text around.  The input is hostile, and every byte of it comes out once. */
#include "core/screen/turn.h"

#include "base/utf8.h"

/* What rot13 adds to each character. */
#define ROW13(first, by)                                                                                              \
	[first] = (by), [(first) + 1] = (by), [(first) + 2] = (by), [(first) + 3] = (by), [(first) + 4] = (by),       \
	[(first) + 5] = (by), [(first) + 6] = (by), [(first) + 7] = (by), [(first) + 8] = (by), [(first) + 9] = (by), \
	[(first) + 10] = (by), [(first) + 11] = (by), [(first) + 12] = (by)
static const signed char turns[256] = {ROW13('A', 13), ROW13('N', -13), ROW13('a', 13), ROW13('n', -13)};

struct kh_view kh_turn_reverse(struct kh_arena *arena, struct kh_view v)
{
	char *p = kh_arena_alloc(arena, v.n);

	if (p == NULL)
		return (struct kh_view){NULL, 0};
	for (size_t at = 0; at < v.n;) {
		uint32_t c;
		size_t len = kh_utf8_decode(v, at, &c);
		len = len ? len : 1;
		memcpy(p + v.n - at - len, v.p + at, len);
		at += len;
	}
	return kh_view_of(p, v.n);
}

struct kh_view kh_turn_rot13(struct kh_arena *arena, struct kh_view v)
{
	char *p = kh_arena_alloc(arena, v.n);

	if (p == NULL)
		return (struct kh_view){NULL, 0};
	for (size_t i = 0; i < v.n; i++)
		p[i] = (char)(v.p[i] + turns[(unsigned char)v.p[i]]);
	return kh_view_of(p, v.n);
}
