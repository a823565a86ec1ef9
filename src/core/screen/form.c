/*
 * Forms: keeps track of where decoded text came from.  Offsets are trusted, because this folder's own code made them.
 */
#include "core/screen/form.h"

void kh_form_span(const struct kh_form *form, size_t a, size_t b, size_t *ret_start, size_t *ret_end)
{
	if (form->origin != NULL) {
		*ret_start = form->origin[a];
		*ret_end = form->origin[b];
	} else {
		*ret_start = form->fixed ? form->start : form->start + a;
		*ret_end = form->fixed ? form->end : form->start + b;
	}
}

/* Decodings count towards the depth; other readings of the same characters do not. */
static bool is_decoding(enum kh_layer layer)
{
	return layer != KH_LAYER_NORMALISED && layer != KH_LAYER_LEET && layer != KH_LAYER_SPACED &&
	       layer != KH_LAYER_MENDED;
}

static struct kh_form derive(const struct kh_form *form, enum kh_layer layer, struct kh_view text)
{
	struct kh_form f = *form;

	f.text = text;
	f.origin = NULL;
	if (f.layer_count < KH_FORM_LAYERS)
		f.layers[f.layer_count++] = layer;
	f.depth += is_decoding(layer);
	return f;
}

struct kh_form kh_form_map(const struct kh_form *form, enum kh_layer layer, struct kh_view text, uint32_t *origin)
{
	struct kh_form f = derive(form, layer, text);

	if (form->fixed)
		return f;
	for (size_t i = 0; i <= text.n; i++)
		origin[i] = form->origin != NULL ? form->origin[origin[i]] : (uint32_t)(form->start + origin[i]);
	f.origin = origin;
	return f;
}

struct kh_form kh_form_of(const struct kh_form *form, enum kh_layer layer, struct kh_view text, size_t a, size_t b)
{
	struct kh_form f = derive(form, layer, text);

	kh_form_span(form, a, b, &f.start, &f.end);
	f.fixed = true;
	return f;
}

struct kh_form kh_form_part(const struct kh_form *form, size_t a, size_t b)
{
	struct kh_form f = *form;

	f.text = kh_view_sub(form->text, a, b);
	if (form->origin != NULL)
		f.origin = form->origin + a;
	else if (!form->fixed)
		f.start = form->start + a;
	return f;
}
