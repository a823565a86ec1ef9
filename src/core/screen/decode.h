/*
 * Finding and undoing encodings of whole texts (S2): base64, base64url, base32, hexadecimal, and numbers that stand for
 * characters.  What decodes to something that is not text is none of them.
 */
#ifndef KH_CORE_SCREEN_DECODE_H
#define KH_CORE_SCREEN_DECODE_H

#include "base/arena.h"
#include "core/screen/layer.h"

/* Called for each find: DECODED (in the arena) is what bytes [start, end) of the text stand for. */
typedef void kh_decode_found(void *ctx, enum kh_layer layer, struct kh_view decoded, size_t start, size_t end);

/*
 * Look through TEXT (any bytes), in one pass.  What was found is no longer than what it was found in.  Packed: base64,
 * base32 and hexadecimal without gaps.  Spread: hexadecimal and character codes with something between them; with ANY,
 * also where what the codes spell is not mostly letters.
 */
void kh_decode_packed(struct kh_arena *arena, struct kh_view text, kh_decode_found *found, void *ctx);
void kh_decode_spread(struct kh_arena *arena, struct kh_view text, bool any, kh_decode_found *found, void *ctx);

/* V backwards, by characters; in the arena.  Empty where there is no memory. */
struct kh_view kh_decode_reverse(struct kh_arena *arena, struct kh_view v);

/* V with every ASCII letter moved by 13; in the arena.  Empty where there is no memory. */
struct kh_view kh_decode_rot13(struct kh_arena *arena, struct kh_view v);

/* True where V reads as text: valid UTF-8, nothing invisible, mostly letters, digits and blanks. */
bool kh_decode_is_text(struct kh_view v);

#endif
