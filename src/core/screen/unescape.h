/*
 * Undoes encodings that replace single characters of a text and leave the others (S2): URL percent, HTML entities,
 * quoted-printable, and backslash escapes.
 */
#ifndef KH_CORE_SCREEN_UNESCAPE_H
#define KH_CORE_SCREEN_UNESCAPE_H

#include "base/arena.h"
#include "core/screen/layer.h"

struct kh_unescaped {
	struct kh_view text;
	uint32_t *origin;   /* offset of each byte in the source, and of the end */
	size_t count;       /* escapes undone */
	size_t needless;    /* those for letters and digits, which no honest encoder escapes */
	size_t first, last; /* offsets in the source: the first begins, the last ends */
};

/* The offset of the next escape of LAYER in TEXT, from AT on; SIZE_MAX if there is none. */
size_t kh_unescape_find(struct kh_view text, enum kh_layer layer, size_t at);

/*
 * TEXT (any bytes) with the escapes of LAYER undone: KH_LAYER_URL, _HTML, _QUOTED_PRINTABLE or _ESCAPE.  If there are
 * none, `count` is 0 and nothing else is set.  The result is no longer than TEXT.
 */
enum kh_err kh_unescape(struct kh_arena *arena, struct kh_view text, enum kh_layer layer,
			struct kh_unescaped *ret) KH_CHECKED;

/*
 * TEXT with escapes of several layers undone at once, for comparing: all but quoted-printable's, or with QUOTED only
 * those (they are separate because "=" is in every query of a URL).  FN gets every stretch that has some: its escapes
 * and AROUND bytes on both sides of each, because what is farther off reads as before.  COUNT: how many escapes.
 */
typedef enum kh_err kh_unescape_fn(void *ctx, struct kh_view text, size_t count);
enum kh_err kh_unescape_each(struct kh_arena *arena, struct kh_view text, bool quoted, size_t around,
			     kh_unescape_fn *fn, void *ctx) KH_CHECKED;

/* The same with all of TEXT.  *RET_COUNT: how many; 0: nothing else is set. */
enum kh_err kh_unescape_any(struct kh_arena *arena, struct kh_view text, bool quoted, struct kh_view *ret_text,
			    size_t *ret_count) KH_CHECKED;

#endif
