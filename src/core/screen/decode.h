/*
 * Finds and decodes encodings of whole texts (S2): base64, base64url, base32, hexadecimal, and numbers that stand for
 * characters.  If the decoded bytes are not text, it does not count as an encoding.
 */
#ifndef KH_CORE_SCREEN_DECODE_H
#define KH_CORE_SCREEN_DECODE_H

#include "base/buf.h"
#include "core/screen/layer.h"

/* Called for each encoded text found: DECODED (in the arena) is what bytes [start, end) of the text decode to. */
typedef void kh_decode_found(void *ctx, enum kh_layer layer, struct kh_view decoded, size_t start, size_t end);

/*
 * Search TEXT (any bytes) in one pass.  Decoded text is never longer than the text in which it was found.  Packed:
 * base64, base32 and hexadecimal without gaps.  Spread: hexadecimal and character codes with something between them;
 * with ANY, also if the decoded text is not mostly letters.
 */
void kh_decode_packed(struct kh_arena *arena, struct kh_view text, kh_decode_found *found, void *ctx);
void kh_decode_spread(struct kh_arena *arena, struct kh_view text, bool any, kh_decode_found *found, void *ctx);

/* Adds what WORD, short and by itself, decodes to as base64; nothing if that is not text.  Only its ASCII. */
void kh_decode_word(struct kh_buf *out, struct kh_view word);

/* True if V reads as text: valid UTF-8, nothing invisible, mostly letters, digits and blanks. */
bool kh_decode_is_text(struct kh_view v);

/*
 * True if RUN, which was read as hexadecimal, is rather a number: all digits, not too many, and DECODED is not letters
 * and nothing else.  One of a hundred order numbers decodes to printable characters by accident.
 */
bool kh_decode_is_number(struct kh_view run, struct kh_view decoded);

#endif
