/* The names of layers. */
#include "core/screen/layer.h"

const struct kh_words kh_layer_words = KH_WORDS(
	[KH_LAYER_BASE64] = "base64", [KH_LAYER_BASE64URL] = "base64url", [KH_LAYER_BASE32] = "base32",
	[KH_LAYER_HEX] = "hex", [KH_LAYER_DECIMAL] = "decimal", [KH_LAYER_BINARY] = "binary", [KH_LAYER_URL] = "url",
	[KH_LAYER_HTML] = "html", [KH_LAYER_QUOTED_PRINTABLE] = "quoted-printable", [KH_LAYER_ESCAPE] = "escape",
	[KH_LAYER_ROT13] = "rot13", [KH_LAYER_REVERSED] = "reversed", [KH_LAYER_TAGS] = "tags",
	[KH_LAYER_ZERO_WIDTH] = "zero-width", [KH_LAYER_SELECTORS] = "selectors", [KH_LAYER_NORMALISED] = "normalised",
	[KH_LAYER_LEET] = "leet", [KH_LAYER_SPACED] = "spaced", [KH_LAYER_MENDED] = "mended");
