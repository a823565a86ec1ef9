/* The ways in which a text can be hidden in another (S1, S2). */
#ifndef KH_CORE_SCREEN_LAYER_H
#define KH_CORE_SCREEN_LAYER_H

#include "base/words.h"

enum kh_layer {
	KH_LAYER_BASE64,
	KH_LAYER_BASE64URL,
	KH_LAYER_BASE32,
	KH_LAYER_HEX,
	KH_LAYER_DECIMAL, /* character codes */
	KH_LAYER_BINARY,
	KH_LAYER_URL,
	KH_LAYER_HTML,
	KH_LAYER_QUOTED_PRINTABLE,
	KH_LAYER_ESCAPE,
	KH_LAYER_ROT13,
	KH_LAYER_REVERSED,
	KH_LAYER_TAGS,
	KH_LAYER_ZERO_WIDTH,
	KH_LAYER_SELECTORS,
	KH_LAYER_NORMALISED,
	KH_LAYER_LEET,
	KH_LAYER_SPACED,
	KH_LAYER_MENDED, /* spelling */
	KH_LAYER_COUNT
};
extern const struct kh_words kh_layer_words; /* "base64", "quoted-printable", ... */

#endif
