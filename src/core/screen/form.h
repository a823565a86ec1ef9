/*
 * A form is one way to read the text that is screened: as it is, decoded, or normalised.  Every form knows which bytes
 * of the original it comes from, and the layers in between.
 */
#ifndef KH_CORE_SCREEN_FORM_H
#define KH_CORE_SCREEN_FORM_H

#include "base/arena.h"
#include "core/screen/layer.h"

#define KH_FORM_LAYERS 7 /* KH_SCREEN_DEPTH decodings, a normal form, leet or spacing undone, and spelling mended */

struct kh_form {
	struct kh_view text;
	const uint32_t *origin; /* offset of each byte, and of the end; NULL: see `fixed` */
	bool fixed;             /* all of it comes from [start, end); if false and no origin, it is the original */
	size_t start, end;      /* own bytes, from `start` on */
	enum kh_layer layers[KH_FORM_LAYERS]; /* outermost first */
	size_t layer_count;
	size_t depth; /* decodings among the layers */
};

/* Bytes [a, b) of the form in the original. */
void kh_form_span(const struct kh_form *form, size_t a, size_t b, size_t *ret_start, size_t *ret_end);

/*
 * A form of FORM by LAYER, with TEXT; ORIGIN, if any, has the offsets of TEXT in FORM's text; they are changed to
 * offsets in the original.
 */
struct kh_form kh_form_map(const struct kh_form *form, enum kh_layer layer, struct kh_view text, uint32_t *origin);

/* The same for a text that comes from bytes [a, b) of FORM as a whole. */
struct kh_form kh_form_of(const struct kh_form *form, enum kh_layer layer, struct kh_view text, size_t a, size_t b);

/* Bytes [a, b) of FORM as a form of their own. */
struct kh_form kh_form_part(const struct kh_form *form, size_t a, size_t b);

#endif
