/* Names of upstreams' tools for Controllers. */
#include "engine/upstream/alias.h"

#define MARK 7 /* `_` and six digits */

static bool fits(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || c == '_' || c == '-';
}

struct kh_view kh_alias_make(struct kh_arena *arena, struct kh_view server, struct kh_view name, bool plain)
{
	size_t room = KH_ALIAS_MOST - 2 - server.n;
	struct kh_digest digest = kh_canonical_digest(name);
	struct kh_view hex = kh_canonical_hex(arena, &digest);
	char *text = kh_arena_alloc(arena, room);

	plain &= name.n > 0 && name.n <= room;
	for (size_t i = 0; i < name.n; i++)
		plain &= fits(name.p[i]);
	if (plain)
		return kh_arena_dup(arena, name);
	if (text == NULL || hex.p == NULL)
		return (struct kh_view){NULL, 0};
	size_t n = name.n < room - MARK ? name.n : room - MARK;
	for (size_t i = 0; i < n; i++)
		text[i] = fits(name.p[i]) ? name.p[i] : '_';
	return kh_arena_printf(arena, "%.*s_%.6s", (int)n, text, hex.p);
}
