/* Secrets replaced by stars.  See mask.h. */
#include "worker/http/mask.h"

#include "base/cover.h"
#include "base/spelled.h"

/* TEXT as it stands in a string of JSON: a header has no control characters. */
static struct kh_view escape(struct kh_arena *arena, struct kh_view text)
{
	char *p = kh_arena_alloc(arena, 2 * text.n);
	size_t n = 0;

	for (size_t i = 0; i < text.n && p != NULL; i++) {
		if (text.p[i] == '"' || text.p[i] == '\\')
			p[n++] = '\\';
		p[n++] = text.p[i];
	}
	return kh_view_of(p, n);
}

static bool add(struct kh_mask *mask, struct kh_arena *arena, struct kh_view text)
{
	if (text.n < KH_MASK_LEAST)
		return true;
	if (mask->count == KH_MASK_MOST)
		return false;
	mask->plain[mask->count] = kh_arena_dup(arena, text);
	mask->json[mask->count++] = escape(arena, text);
	return kh_arena_check(arena) == KH_OK;
}

bool kh_mask_add(struct kh_mask *mask, struct kh_arena *arena, struct kh_view secret)
{
	size_t word = secret.n;

	while (word > 0 && secret.p[word - 1] != ' ')
		word--;
	return add(mask, arena, secret) && (word == 0 || add(mask, arena, kh_view_from(secret, word)));
}

void kh_mask_apply(const struct kh_mask *mask, bool is_json, char *p, size_t n)
{
	struct kh_cover cover = {is_json ? mask->json : mask->plain, mask->count, KH_COVER_WHOLE, is_json};
	struct kh_cover_state state = {0};

	kh_cover_bytes(&cover, &state, p, n, n);
}

static void cover_reason(const void *context, char *p, size_t n)
{
	const struct kh_mask *mask = context;
	struct kh_view both[2 * KH_MASK_MOST];
	struct kh_cover cover = {both, 2 * mask->count, KH_MASK_LEAST, false};
	struct kh_cover_state state = {0};

	memcpy(both, mask->plain, mask->count * sizeof(both[0]));
	memcpy(both + mask->count, mask->json, mask->count * sizeof(both[0]));
	kh_cover_bytes(&cover, &state, p, n, n);
}

void kh_mask_reason(const struct kh_mask *mask, char *p, size_t n)
{
	char room[KH_MASK_REASON];

	if (mask->count > 0)
		kh_spelled_apply(cover_reason, mask, p, n < sizeof(room) ? n : sizeof(room), room);
}
